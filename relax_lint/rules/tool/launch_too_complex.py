"""A launcher has more ways through it than are followed.

## What

A launcher whose undecided conditions multiply to more ways than relax-lint follows, or that loops or recurses longer
than it waits. The place is where the bound was reached. What was found until then is judged and counts; what only the
other ways reach, or what comes behind an endless loop, is not.

## Why

Nothing is wrong with the launcher by itself. But a launch that nobody judged may look like one without mistakes.

## Source

relax-lint's own bounds, so that a check ends in time.

## Example

    [ -n "$A" ] && ARGS+=(--a "$A")
    [ -n "$B" ] && ARGS+=(--b "$B")
    … and four more

## Fix

None. Fewer switches that change the arguments, or values for them in `[tool.relax-lint.env]`, bring a launcher below
the bound: variables with a default that the script gives (`${LR:-1e-6}`) cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from relax_lint.diagnostics import Finding
from relax_lint.project import Project
from relax_lint.rules import ADVICE, Example, rule

_LAUNCH = 'python3 relax/entrypoints/train.py "${ARGS[@]}"\n'


def _launcher(lines: Callable[[int], str], count: int) -> str:
    return f"#!/bin/bash\nARGS=()\n{''.join(map(lines, range(count)))}{_LAUNCH}"


VALID = [
    _launcher(lambda n: f'if [ -n "$V{n}" ]; then ARGS+=(--flag-{n}); fi\n', 4),
    _launcher(lambda n: f'ARGS+=(--flag-{n} "${{V{n}:-{n}}}")\n', 40),
    _launcher(lambda n: f'[ -d /data/{n} ] || echo "no /data/{n}" >&2\n', 40),
    _launcher(lambda n: f'if [ -z "$V{n}" ]; then echo "set V{n}" >&2; exit 1; fi\n', 40),
    _launcher(lambda n: f"for i in 1 2 3; do ARGS+=(--flag-{n}-$i $i); done\n", 20),
    _launcher(lambda n: f'V{n}="${{V{n}:?}}"\nARGS+=(--flag-{n} "$V{n}")\n', 40),
    f"#!/bin/bash\nuntil curl -s http://127.0.0.1:8265; do sleep 1; done\n{_LAUNCH}",
    f'#!/bin/bash\nwhile read -r word; do ARGS+=("$word"); done < arguments.txt\n{_LAUNCH}',
    '#!/bin/bash\nwhile [[ $# -gt 0 ]]; do\n    case "$1" in --lr) LR="$2"; shift 2 ;; *) shift ;; esac\ndone\n'
    + _LAUNCH,
    '#!/bin/bash\nlaunch() { python3 relax/entrypoints/train.py "$@"; }\nlaunch --lr 1e-6\nlaunch --lr 2e-6\n',
    f'#!/bin/bash\ncase "$1" in\n    a) ARGS=(--a) ;;\n    b) ARGS=(--b) ;;\n    *) exit 1 ;;\nesac\n{_LAUNCH}',
]

INVALID = [
    Example(
        _launcher(lambda n: f'if [ -n "$V{n}" ]; then ARGS+=(--flag-{n}); fi\n', 6),
        findings=((8, 1),),
    ),
    Example(_launcher(lambda n: f"[[ $V{n} == yes ]] && ARGS+=(--flag-{n})\n", 6), findings=((8, 1),)),
    Example(_launcher(lambda n: f"test -d /data/{n} || ARGS+=(--no-{n})\n", 6), findings=((8, 1),)),
    Example(_launcher(lambda n: f"(( N{n} > 1 )) && ARGS+=(--flag-{n})\n", 6), findings=((8, 1),)),
    Example(
        _launcher(lambda n: f'case "$V{n}" in\n    a) ARGS+=(--a-{n}) ;;\n    b) ARGS+=(--b-{n}) ;;\nesac\n', 4),
        findings=((15, 1),),
    ),
    Example(
        _launcher(lambda n: f'add_{n}() {{ [ -f "$F{n}" ] && ARGS+=(--flag-{n}); }}\nadd_{n}\n', 6),
        findings=((14, 1),),
    ),
    Example(
        f'#!/bin/bash\nif [ "$1" = m ]; then SIZE=0\n'
        f"{''.join(f'elif [ {chr(34)}$1{chr(34)} = m{n} ]; then SIZE={n}{chr(10)}' for n in range(1, 60))}fi\n"
        'python3 relax/entrypoints/train.py --size "$SIZE"\n',
        findings=((2, 1),),
    ),
    Example(
        f'#!/bin/bash\ncase "$1" in\n{"".join(f"    m{n}) SIZE={n} ;;{chr(10)}" for n in range(50))}esac\n'
        'python3 relax/entrypoints/train.py --size "$SIZE"\n',
        findings=((2, 1),),
    ),
    Example(f"#!/bin/bash\nwhile true; do\n    N=$((N + 1))\ndone\n{_LAUNCH}", findings=((2, 1),)),
    Example(f"#!/bin/bash\nwait_for() {{ wait_for; }}\nwait_for\n{_LAUNCH}", findings=((2, 1),)),
    Example(f"#!/bin/bash\nping() {{ pong; }}\npong() {{ ping; }}\nping\n{_LAUNCH}", findings=((2, 1),)),
    Example(f"#!/bin/bash\nfor ((i = 0; i < 10**9; i++)); do X=$i; done\n{_LAUNCH}", findings=((2, 1),)),
]


@rule("RLX003", "launch-too-complex", ADVICE, on="engine", everywhere=True, valid=VALID, invalid=INVALID)
def launch_too_complex(nothing: None, project: Project) -> Iterator[Finding]:
    """Found by the engine, from what the evaluation of a launcher says."""
    yield from ()
