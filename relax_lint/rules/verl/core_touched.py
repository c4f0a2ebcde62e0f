"""A change of a recipe edits Relax's core.

## What

`relax-lint check --staged` and `--since` know what a change touches. Where it touches a recipe in `examples/` and files
in `relax/` as well, edited, added or deleted, each of the latter is found. A change of `relax/` alone is no recipe's,
and a check without these options does not ask git. The hook `relax-core-untouched` is stricter: it refuses every change
of `relax/`.

## Why

A recipe that needs an edited core runs in no other checkout, breaks with the next update of Relax, and changes what all
other recipes do. Everything that a recipe needs can be passed in: rewards, generate functions, filters, losses and
hooks by their flags, settings by `--custom-config-path`.

## Source

Guide: NEVER modify Relax core code (`relax/`) for a recipe migration, keep everything in `examples/`; never modify
`relax/engine/rewards/`.

## Example

    examples/gsm8k/reward_gsm8k.py       # changed
    relax/engine/rewards/__init__.py     # changed by the same commit

## Fix

By hand: move what was added to the core into the recipe and name it by a flag, such as `--custom-rm-path`; or commit
the core's change by itself, as one of Relax.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from relax_lint.diagnostics import Finding
from relax_lint.project import Project
from relax_lint.rules import WARNING, Example, rule

_REWARD, _RUN, _CONFIG = "examples/demo/reward_demo.py", "examples/demo/run_demo.sh", "examples/demo/demo_config.yaml"
_CORE, _OTHER = "relax/engine/rewards/__init__.py", "relax/utils/arguments.py"
_TREE = {
    _REWARD: "async def reward_func(args, sample, **kwargs):\n    return 0.0\n",
    _RUN: "python3 relax/entrypoints/train.py --custom-rm-path examples.demo.reward_demo.reward_func\n",
    _CONFIG: "max_turns: 5\n",
    _CORE: "def execute():\n    return None\n",
    _OTHER: "import argparse\n",
    "examples/other/run_other.sh": "python3 relax/entrypoints/train.py --rm-type math\n",
    "scripts/models/small.sh": "MODEL_ARGS=()\n",
    "scripts/tools/process_demo.py": "print()\n",
    "examples/relax/reward_relax.py": "async def reward_func(args, sample, **kwargs):\n    return 0.0\n",
    "tests/test_demo.py": "",
}


def _example(*changed: str, found: tuple[str, ...] = (), files: Mapping[str, str] | None = None) -> Example:
    present = {path: text for path, text in _TREE.items() if path in (_RUN, *changed)}
    return Example({**present, **(files or {})}, tuple((path, 1, 1) for path in found), changed=changed)


VALID: list[Example | str] = [
    _example(),
    _example(_REWARD, _RUN),
    _example(_CORE),
    _example(_CORE, _OTHER, "tests/test_demo.py"),
    _example(_CORE, "scripts/models/small.sh"),
    _example(_CORE, "scripts/tools/process_demo.py", "README.md"),
    _example(_REWARD, "scripts/tools/process_demo.py", "scripts/models/small.sh"),
    _example(_REWARD, "docs/relax/usage.md", "relaxed/core.py"),
    _example("examples/relax/reward_relax.py", _REWARD),
    _example(_CORE, "examples/README.md", "examples/__init__.py"),
    _example(_CORE, _REWARD, files={_CORE: "# relax-lint: file-ignore[RLX106] agreed with the core team\n"}),
]

INVALID = [
    _example(_REWARD, _CORE, found=(_CORE,)),
    _example(_RUN, _OTHER, found=(_OTHER,)),
    _example(_CONFIG, _CORE, _OTHER, found=(_CORE, _OTHER)),
    _example("examples/demo/gone.py", _CORE, found=(_CORE,)),
    _example(_REWARD, "relax/engine/gone.py", found=("relax/engine/gone.py",)),
    _example(_REWARD, "relax/__init__.py", found=("relax/__init__.py",), files={"relax/__init__.py": ""}),
    _example(_REWARD, "relax/assets/logo.bin", found=("relax/assets/logo.bin",), files={"relax/assets/logo.bin": "\0"}),
    _example(
        "examples/demo/nested/deep/tool.py", _CORE, found=(_CORE,), files={"examples/demo/nested/deep/tool.py": ""}
    ),
    _example("examples/other/run_other.sh", _RUN, _CORE, found=(_CORE,)),
    _example("examples/relax/reward_relax.py", _CORE, found=(_CORE,)),
    _example("README.md", _CORE, "scripts/models/small.sh", _RUN, found=(_CORE,)),
    _example(
        _REWARD,
        _CORE,
        _OTHER,
        found=(_CORE,),
        files={_OTHER: "# relax-lint: file-ignore[core-touched] a flag of ours\n"},
    ),
]


@rule("RLX106", "core-touched", WARNING, on="engine", valid=VALID, invalid=INVALID)
def core_touched(nothing: None, project: Project) -> Iterator[Finding]:
    """Found by the engine, which is told what a change touches."""
    yield from ()
