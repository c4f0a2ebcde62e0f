"""A launcher does not say how its data is made.

## What

A reinforcement-learning launcher of a recipe whose header, the comments before the first command, names no conversion
script `scripts/tools/process_<algo>.py`, or one that does not exist. A script that is named further down only is not
in the header. Launches that read no data of their own (`--load-debug-rollout-data`, no `--prompt-data`) are left alone.

## Why

verl's parquet files cannot be used as they are: the ground truth is nested in `reward_model`, images are stored in
another form. Who starts the launcher without the conversion trains on labels that are dicts, on images that are not
there, or gets an error once the model is loaded.

## Source

Guide: ALWAYS write a data conversion script (`scripts/tools/process_<algo>.py`) and reference it in the header of the
run script.

## Example

    #!/bin/bash
    # Prerequisites:
    #   1. Convert data:  python3 scripts/tools/process_gsm8k.py --input-dir … --output-dir …

## Fix

Write the script and name it in the header, as in the example.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.catalog.rewards import WITHOUT_REWARDS
from relax_lint.diagnostics import Finding, NotChecked, Place
from relax_lint.project import Project
from relax_lint.rules import WARNING, Example, rule
from relax_lint.shell.header import header_comments
from relax_lint.shell.queries import is_part_of_another
from relax_lint.sources.launcher import LauncherSource
from relax_lint.unused_arrays import own_files

if TYPE_CHECKING:
    from relax_lint.shell.launch import Launch
    from relax_lint.sources.script import ScriptFile

_TOOLS = "scripts/tools"
_SCRIPT = re.compile(r"scripts/tools/(?P<name>process_[^\s\"'`/\\;,()]*?\.py)\b")

_TRAIN = "python3 relax/entrypoints/train.py --prompt-data /d/a.parquet"
_RUN, _PROCESS = "examples/demo/run_demo.sh", "scripts/tools/process_demo.py"
_CONVERT = "python3 scripts/tools/process_demo.py"


def _tree(launcher: str, **files: str) -> dict[str, str]:
    return {_RUN: launcher, _PROCESS: "print()\n", **files}


VALID: list[Example | str] = [
    Example(_tree(f"\ufeff#!/bin/bash\n# data: {_CONVERT}\nset -e\n{_TRAIN}\n")),
    Example(_tree(f"\ufeff# data: {_CONVERT}\nset -e\n{_TRAIN}\n")),
    Example(
        _tree(
            "#!/bin/bash\n# Usage: bash run_demo.sh [sync|async]\n#\n# Prerequisites:\n"
            f"#   1. Convert data:  {_CONVERT} \\\n#                       --input-dir /v\n\nset -ex\n{_TRAIN}\n"
        )
    ),
    Example(_tree(f"# Run `python3 ./{_PROCESS}` first.\n{_TRAIN}\n")),
    Example(
        _tree(f"#!/bin/bash\n# License\n\n# data: ${{RELAX}}/{_PROCESS}, once\n\nset -e\n{_TRAIN} --fully-async\n")
    ),
    Example(
        _tree(
            f"# {_CONVERT} or python3 scripts/tools/process_demo_eval.py\n{_TRAIN}\n",
            **{"scripts/tools/process_demo_eval.py": ""},
        )
    ),
    Example({_RUN: "# scripts/tools/process_openr1.py\n" + _TRAIN + "\n", "scripts/tools/process_openr1.py": ""}),
    f"{_TRAIN} --loss-type sft\n",
    "python3 relax/entrypoints/train.py --load-debug-rollout-data /d/rollout.pt --debug-train-only\n",
    "python3 relax/entrypoints/train.py --data-source-path examples.demo.source.Games\n",
    "python3 -m verl.trainer.main_ppo data.train_files=/d/a.parquet\n",
    "set -e\necho nothing is launched\n",
    Example({"scripts/training/text/run-qwen3-4B.sh": f"#!/bin/bash\n{_TRAIN}\n"}),
    Example(
        _tree(
            f'# first: {_CONVERT}\nexport SIZE=8\nsource "$(dirname "$0")/common.sh"\n',
            **{"examples/demo/common.sh": f"# what all launchers share\n{_TRAIN} --colocate\n"},
        )
    ),
    Example(
        _tree(
            'source "$(dirname "$0")/common.sh"\nrun --colocate\n',
            **{"examples/demo/common.sh": f'# data: {_CONVERT}\nrun() {{ {_TRAIN} "$@"; }}\n'},
        )
    ),
]

INVALID = [
    Example(f"#!/bin/bash\n# Usage: bash run_demo.sh\n\nset -ex\n{_TRAIN} --colocate\n", findings=((2, 1),)),
    Example(f"#!/bin/bash\nset -ex\n{_TRAIN} --fully-async\n", findings=((1, 1),)),
    Example(_TRAIN + "\n", findings=((1, 1),)),
    Example({_RUN: f"# Convert data: {_CONVERT}\n{_TRAIN}\n"}, findings=((_RUN, 1, 25),)),
    Example(
        _tree(f"#!/bin/bash\n#\n# 1. Convert data:  python3 scripts/tools/process_<algo>.py\n{_TRAIN}\n"),
        findings=((_RUN, 3, 29),),
    ),
    Example(
        _tree(f"#!/bin/bash\n# python3 scripts/tools/process_demos.py --input-dir /v\n\n{_TRAIN}\n"),
        findings=((_RUN, 2, 11),),
    ),
    Example(_tree(f"#!/bin/bash\n# License\nset -ex\n# {_CONVERT}\n{_TRAIN}\n"), findings=((_RUN, 2, 1),)),
    Example(_tree(f"#!/bin/bash\n{_CONVERT} --input-dir /v --output-dir /r\n{_TRAIN}\n"), findings=((_RUN, 1, 1),)),
    Example(
        {_RUN: f"# data: python3 examples/demo/prepare_data.py\n{_TRAIN}\n", "examples/demo/prepare_data.py": ""},
        findings=((_RUN, 1, 1),),
    ),
    Example(
        _tree(f'# Convert: python3 tools/process_demo.py, see README\nrun() {{ {_TRAIN} "$@"; }}\nrun --colocate\n'),
        findings=((_RUN, 1, 1),),
    ),
    Example(
        _tree(
            f'# first: {_CONVERT}\nARGS=(--colocate)\n{_TRAIN} "${{ARGS[@]}}"\n',
            **{"examples/demo/run_demo_async.sh": f"# as run_demo.sh, but asynchronous\n{_TRAIN} --fully-async\n"},
        ),
        findings=(("examples/demo/run_demo_async.sh", 1, 1),),
    ),
    Example(
        {
            _RUN: f"# python3 scripts/tools/process_demo.py\n# python3 scripts/tools/process_eval.py\n{_TRAIN}\n",
            "scripts/tools/process_eval.py": "",
        },
        findings=((_RUN, 1, 11),),
    ),
]


@rule("RLX409", "data-conversion", WARNING, on="launcher", valid=VALID, invalid=INVALID)
def data_conversion(launcher: LauncherSource, project: Project) -> Iterator[Finding | NotChecked]:
    """Look for the conversion script in the heads of what is run."""
    launches = [launch for launch in launcher.launches if _reads_data(launch)]
    if not launches or is_part_of_another(launcher, project):
        return
    named = [(place, name) for source in own_files(launcher, project) for place, name in _named_in(source)]
    for place, name in named:
        if not project.is_file(project.root / _TOOLS / name):
            yield Finding(place, f"there is no {_TOOLS}/{name}{_meant(name, project)}", subject=name)
    if not named:
        message = f"the header does not say how the data is converted: {_wanted(launcher, project)}"
        yield Finding(_head(launcher), message, of_file=True)


def _reads_data(launch: Launch) -> bool:
    """Whether a launch trains by reinforcement learning on files that it is given."""
    if launch.kind != "relax" or launch.mode == "sft" or any(launch.has(flag) for flag in WITHOUT_REWARDS):
        return False
    return launch.may_have("--prompt-data")


def _named_in(source: ScriptFile) -> Iterator[tuple[Place, str]]:
    """The conversion scripts that a header names."""
    for comment in header_comments(source):
        for match in _SCRIPT.finditer(source.text, comment.start, comment.end):
            yield Place(source, match.start(), match.end()), match["name"]


def _head(launcher: LauncherSource) -> Place:
    """Where the header is, or would be."""
    return next(header_comments(launcher), Place(launcher, 0, len(launcher.line_text(1))))


def _wanted(launcher: LauncherSource, project: Project) -> str:
    recipe = project.recipe_of(launcher.path)
    name = "<algo>" if recipe is None else recipe.name.replace("-", "_")
    below = _SCRIPT.search(launcher.text)
    if below is not None:
        return f"name {below.group()} in a comment above the first command"
    return f"name {_TOOLS}/process_{name}.py in it"


def _meant(name: str, project: Project) -> str:
    from difflib import get_close_matches

    tools = [entry.name for entry in project.files.entries(project.root / _TOOLS) if entry.name.startswith("process_")]
    others = {_subject(tool): tool for tool in tools}
    close = get_close_matches(_subject(name), others, n=1)
    return f"; did you mean {others[close[0]]}?" if close else ": write it there"


def _subject(name: str) -> str:
    """What a conversion script is about: its name without what all such names share."""
    return name.removeprefix("process_").removesuffix(".py")
