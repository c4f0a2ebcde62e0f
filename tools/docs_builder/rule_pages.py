"""A page for each rule, their index, the table in README, and the index that the program knows its rules by."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from relax_lint.commands.rule import any_of
from relax_lint.rules import Example, Fixable, Rule
from tools.docs_builder.blocks import fenced

PAGES = Path("docs/rules")
INDEX = "rules/README.md"
PROGRAM_INDEX = Path("relax_lint/rules/index.py")
OPEN_EXAMPLES = 3
"""Examples that a page shows at once; the rest fold away."""

FAMILIES = {
    "RLX0": "The tool itself",
    "RLX1": "verl left behind",
    "RLX2": "Reward",
    "RLX3": "Environment and rollout",
    "RLX4": "Launcher",
    "RLX5": "Flags against Relax",
    "RLX6": "YAML",
    "RLX7": "Data",
    "RLX8": "Layout",
}
FIX_WORDS: Mapping[Fixable, str] = {"safe": "safe, by `--fix`", "unsafe": "by `--unsafe-fixes`"}
SEVERITIES = """\
Made from the rules by `make docs`.

- **error**: fails, is ignored silently, or trains something else.
- **warning**: breaks the guide, or is nearly surely a mistake.
- **advice**: a convention; it changes the exit status under `--strict` only."""
LANGUAGES = {".py": "python", ".sh": "bash", ".yaml": "yaml", ".yml": "yaml", ".toml": "toml", ".json": "json"}


def summary_of(rule: Rule) -> str:
    """The first paragraph of a rule's manual page, on one line, without a closing full stop."""
    paragraph = inspect.cleandoc(rule.doc).split("\n\n", 1)[0]
    return " ".join(paragraph.split()).removesuffix(".")


def files_of(example: Example, rule: Rule) -> Mapping[str, str]:
    """An example's files by path; a plain text is a launcher or a reward, as the rule's kind says."""
    if not isinstance(example.files, str):
        return example.files
    in_bash = rule.on in ("launcher", "launch") or (rule.on == "engine" and example.files.startswith("#!"))
    return {"run.sh" if in_bash else "reward.py": example.files}


def shown_files(files: Mapping[str, str], *, named: bool) -> Iterator[str]:
    """Every file as a code block, under its path when there is more to tell apart."""
    for path, text in files.items():
        block = fenced(text, LANGUAGES.get(Path(path).suffix, "text")) if text.strip() else "(empty)"
        yield f"`{path}`:\n\n{block}" if named else block


def shown_change(example: Example) -> Iterator[str]:
    """The files that the change touches which is checked."""
    if example.changed:
        yield f"Changed: {', '.join(f'`{path}`' for path in example.changed)}."


def shown_fix(example: Example, before: Mapping[str, str]) -> Iterator[str]:
    """What a fix changes, as a diff."""
    if example.fixed is None:
        return
    after = {next(iter(before)): example.fixed} if isinstance(example.fixed, str) else example.fixed
    changes: list[str] = []
    for path, text in after.items():
        old = before.get(path)
        if text == "" and old is None:
            changes += [f"--- /dev/null\n+++ {path}\n(a new, empty file)\n"]
            continue
        changes += difflib.unified_diff(
            (old or "").splitlines(keepends=True),
            (text or "").splitlines(keepends=True),
            "/dev/null" if old is None else path,
            path,
            n=1,
        )
    option = "--unsafe-fixes" if example.unsafe else "--fix"
    yield f"After `{option}`:\n\n" + fenced("".join(changes), "diff")


def shown_invalid(example: Example, rule: Rule) -> str:
    """A faulty example, where the finding is, and the fix."""
    files = files_of(example, rule)
    places = []
    for finding in example.findings:
        path, line, column = finding[:3] if isinstance(finding[0], str) else (None, *finding[:2])
        place = f"line {line}, column {column}"
        places.append(f"`{path}`, {place}" if path and len(files) > 1 else place)
    where = f"Found at {'; '.join(places)}."
    shown = shown_files(files, named=len(files) > 1)
    return "\n\n".join([*shown, *shown_change(example), where, *shown_fix(example, files)])


def shown_valid(example: Example | str, rule: Rule) -> str:
    """A harmless example."""
    example = Example(example) if isinstance(example, str) else example
    files = files_of(example, rule)
    return "\n\n".join([*shown_files(files, named=len(files) > 1), *shown_change(example)])


def section(title: str, examples: Iterable[str]) -> Iterator[str]:
    """Examples under a heading, those past the first few folded away."""
    shown = list(examples)
    if not shown:
        return
    yield f"## {title}"
    separator = "\n\n---\n\n"
    yield separator.join(shown[:OPEN_EXAMPLES])
    if rest := shown[OPEN_EXAMPLES:]:
        yield f'<details markdown="1"><summary>{len(rest)} more</summary>\n\n{separator.join(rest)}\n\n</details>'


def page(rule: Rule) -> str:
    """The manual page of a rule."""
    severities = any_of([severity.value for severity in rule.severities])
    fixes = "; others ".join(FIX_WORDS[each] for each in rule.fixes) or "none"
    facts = f"Severity: {severities} · fix: {fixes} · [all rules](README.md)"
    parts = [
        f"# {rule.code} {rule.name}",
        facts,
        inspect.cleandoc(rule.doc),
        *section("Caught", (shown_invalid(example, rule) for example in rule.invalid)),
        *section("Fine", (shown_valid(example, rule) for example in rule.valid)),
    ]
    return "\n\n".join(parts) + "\n"


def table(rules: Iterable[Rule], pages: str) -> str:
    """Rules as a table whose codes lead to their pages."""
    rows = ["| code | name | severity | fix | what |", "| --- | --- | --- | --- | --- |"]
    rows += [
        f"| [{rule.code}]({pages}{rule.code}.md) | {rule.name} | {rule.severity.value} | {rule.fixable or '–'} "
        f"| {summary_of(rule).replace('|', '&#124;')} |"
        for rule in rules
    ]
    return "\n".join(rows) + "\n"


def index(rules: Mapping[str, Rule]) -> str:
    """All rules, a table a family."""
    parts = ["# Rules", SEVERITIES]
    for prefix, title in FAMILIES.items():
        if family := [rule for code, rule in rules.items() if code.startswith(prefix)]:
            parts += [f"## {prefix}: {title}", table(family, "").rstrip()]
    return "\n\n".join(parts) + "\n"


def program_index(rules: Iterable[Rule]) -> str:
    """The module that tells the program of its rules without importing one."""
    rows = "".join(f"    ({', '.join(map(_literal, rule.row))}),\n" for rule in rules)
    return f'''"""What the program knows of a rule before it imports its file. Made from the rules by `make docs`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from relax_lint.rules import Row

INDEX: tuple[Row, ...] = (
{rows})
'''


def _literal(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def navigation(rules: Mapping[str, Rule]) -> str:
    """The rules' part of the site's navigation, a section a family; indented as it stands in mkdocs.yml."""
    lines = ["- Rules:", f"    - {INDEX}"]
    for prefix, title in FAMILIES.items():
        if family := [rule for code, rule in rules.items() if code.startswith(prefix)]:
            lines.append(f'    - "{prefix}: {title}":')
            lines += [f"        - {rule.code} {rule.name}: rules/{rule.code}.md" for rule in family]
    return "".join(f"      {line}\n" for line in lines)


def files(rules: Mapping[str, Rule]) -> dict[Path, str]:
    """Every file that is made of the rules alone, by path from the repository's root."""
    pages = {PAGES / f"{code}.md": page(rule) for code, rule in rules.items()}
    return {**pages, PAGES / "README.md": index(rules), PROGRAM_INDEX: program_index(rules.values())}
