"""A whole script from a seed."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass

from tests.shell.generator import control, expansions, launches, statements, values, words
from tests.shell.generator.scene import ARRAYS, INTEGERS, SCALARS, Scene

POOLS = (
    values.SPELLINGS, expansions.PARAMETERS, expansions.LISTS, expansions.SPECIALS, expansions.ARITHMETIC,
    expansions.PATTERNS, expansions.DEFAULTS, expansions.UNRESOLVED, words.WORDS, words.SUBSTITUTIONS,
    statements.ASSIGNMENTS, statements.ARRAYS, statements.SETTINGS, launches.LAUNCHES, launches.TESTS,
    control.COMMANDS, control.CONTROL,
)  # fmt: skip
CONSTRUCTS = frozenset(production.name for pool in POOLS for production in pool.productions)

_OUTSIDE = {"HOST_IP": "10.0.0.1", "s3": "from outside"}


@dataclass(frozen=True, slots=True)
class GeneratedScript:
    """A script, the files beside it, and how to call it."""

    seed: int
    text: str
    files: dict[str, str]
    arguments: tuple[str, ...]
    environment: dict[str, str]
    used: Counter[str]


def generate(seed: int) -> GeneratedScript:
    """The script of a seed, always the same."""
    scene = Scene(random.Random(seed))
    chance = scene.chance
    options = chance.choice(["", "", "set -e", "set -u", "set -euo pipefail"])
    scene.errexit, scene.nounset = "e" in options[5:], "u" in options
    scene.extglob = scene.maybe(0.3)
    lines = ["#!/bin/bash"] * scene.maybe(0.7) + ["shopt -s extglob"] * scene.extglob + [options]
    lines += ["return_3() { return 3; }", *statements.initial(scene)]
    for _ in range(chance.randint(3, 9)):
        lines.append(control.COMMANDS.write(scene))
        if scene.maybe(0.1):
            lines.append(chance.choice(["# a comment with a quote ' and a backslash \\", "", "   "]))
    lines += _show_everything()
    if scene.maybe(0.3):
        lines.append(chance.choice(["exit 0", "exit $i0", 'exec python3 last "$@"', "trap 'python3 trapped $?' EXIT"]))
    arguments = tuple(values.text(scene) for _ in range(chance.choice([0, 0, 1, 2, 3])))
    environment = dict(list(_OUTSIDE.items())[: chance.randint(1, 2)])
    return GeneratedScript(seed, "\n".join(lines) + "\n", scene.files, arguments, environment, scene.used)


def _show_everything() -> list[str]:
    """Launches that show all that the script leaves behind."""
    plain = [f'"${{{name}-unset}}"' for name in (*SCALARS, *INTEGERS)]
    lists = [f'{name} "${{#{name}[@]}}" "${{{name}[@]}}" "${{!{name}[@]}}"' for name in (*ARRAYS, "m0")]
    split = [f"${{{name}-}}" for name in SCALARS[:3]]
    return [
        "set +eu",
        f'python3 final {" ".join(plain)} "$#" "$@"',
        f"python3 final {' '.join(lists)}",
        f'python3 split {" ".join(split)} $* ${{a0[*]}} "${{a0[*]}}" "$*"',
    ]
