"""A block that nothing is known of, or that is not what its language says, does not pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.checks import faults_of
from tools.docs_builder.snippets import Block, blocks


def found(text: str, scratch: Path, *, runs: bool = False) -> list[str]:
    [block] = (piece for piece in blocks(text) if isinstance(piece, Block))
    return list(faults_of(block, scratch, runs=runs))


@pytest.mark.parametrize(
    ("page", "fault"),
    [
        ("```\nwords\n```\n", "no check is known"),
        ("```cobol\nwords\n```\n", "no check is known"),
        ("```text\nwords\n```\n", "has to say what is shown"),
        ("```bash\nls\n```\n", "it is not run"),
        ("```console\n$ ls\n```\n", "it is not run"),
        ("<!-- not run: so -->\n```bash\nif true\n```\n", "syntax error"),
        ("<!-- not run: so -->\n```bash\nrelax-lint --no-such-option\n```\n", "--no-such-option"),
        ("<!-- not run: so -->\n```console\n$ relax-lint migrate run.sh --nam x\n```\n", "--nam"),
        ("```toml\n[tool.relax-lint]\nselct = []\n```\n", "unknown key"),
        ('```toml\n[tool.relax-lint]\nselect = ["RLX999"]\n```\n', "RLX999"),
        ('```toml\n[tool.ruff.lint]\nexternl = ["RLX"]\n```\n', "externl"),
        ("```toml\n[[language]]\n```\n", "why nothing reads it"),
        ("```yaml\nrepos:\n  - repo: x\n```\n", "Missing required key"),
        ("```yaml\njobs:\n  check:\n    steps: []\n```\n", "runs-on"),
        ("```yaml\njob:\n  script: [relax-lint --formt json]\n```\n", "--formt"),
        ("```json\n{}\n```\n", "has to name its schema"),
        ("<!-- schema check -->\n```json\n{}\n```\n", "required property"),
        ("```python\ndef\n```\n", "invalid syntax"),
    ],
)
def test_a_faulty_block_is_told(page: str, fault: str, tmp_path: Path) -> None:
    assert fault in "\n".join(found(page, tmp_path))


def test_hooks_and_inputs_have_to_be_ours(tmp_path: Path) -> None:
    hooks = "repos:\n  - repo: https://elsewhere.test/relax-lint\n    rev: v1\n    hooks: [{id: relax-lnt}]\n"
    assert found(f"```yaml\n{hooks}```\n", tmp_path) == ["no such hook: relax-lnt"]
    step = "      - uses: OWNER/relax-lint@v1\n        with: {pahts: examples}\n"
    workflow = f'"on": [push]\njobs:\n  check:\n    runs-on: ubuntu-latest\n    steps:\n{step}'
    assert found(f"```yaml\n{workflow}```\n", tmp_path) == ["no such input: pahts"]


def test_what_is_right_passes(tmp_path: Path) -> None:
    assert found("<!-- shown: a drawing -->\n```text\n+--+\n```\n", tmp_path) == []
    assert found("```console\n$ relax-lint check --fix examples/\n```\n", tmp_path, runs=True) == []
    assert found('```toml\n[tool.relax-lint]\nselect = ["RLX4", "reward-not-async"]\n```\n', tmp_path) == []
