"""No script is too much: what costs more than the bounds is said, and what was found still counts."""

from __future__ import annotations

import pytest

from tests.shell.worlds import evaluation

_LAUNCH = "python3 relax/entrypoints/train.py"


@pytest.mark.parametrize(
    "script",
    [
        f"n=0; while true; do n=$((n+1)); {_LAUNCH} --seed $n; sleep 5; done",
        f'while true; do A+=(--lr 1); {_LAUNCH} "${{A[@]}}"; done',
        f'A=(); for i in {{1..2000}}; do A+=(--x $i); {_LAUNCH} "${{A[@]}}"; done',
        f'S=; while true; do S="$S x"; {_LAUNCH} --n $S; done',
        "A=x-\n" + "A=$A$A\n" * 60 + _LAUNCH,
        "A=x\n" + "A=$A$A\n" * 60 + _LAUNCH,
        "A=$X\n" + "A=$A$A\n" * 60 + _LAUNCH,
        "A=(a b)\n" + 'A=("${A[@]}" "${A[@]}")\n' * 40 + _LAUNCH,
        "echo " + "{a,b}" * 24 + "\n" + _LAUNCH,
        "A=" + "a" * 900 + "\n" + "A=${A//a/$A}\n" * 6 + _LAUNCH,
        f"f() {{ f; }}; f; {_LAUNCH}",
        f"f() {{ f; f; }}; f; {_LAUNCH}",
        "for a in {1..300}; do for b in {1..300}; do for c in {1..300}; do :; done; done; done\n" + _LAUNCH,
    ],
)
def test_what_has_no_bound_is_bounded(script: str) -> None:
    found = evaluation(f"{_LAUNCH} --first\n{script}\n")
    assert found.too_complex is not None
    assert found.launches[0].argv[-1].text == "--first"
    assert len(found.launches) <= 300


@pytest.mark.parametrize(
    "script",
    [
        "A=" + "a" * 60 + "; if [[ $A =~ (a+)+b ]]; then X=1; else X=2; fi",
        "A=" + "a" * 60 + "; if [[ $A =~ ^(a|aa)*b$ ]]; then X=1; else X=2; fi",
        "X=$(echo " + "a" * 60 + " | grep -oE '(a+)+b' || echo none)",
        "X=$(echo " + "a" * 60 + " | sed -E 's/(a*)*b/c/')",
    ],
)
def test_a_regular_expression_is_not_waited_for(script: str) -> None:
    found = evaluation(f'{script}\n{_LAUNCH} "$X"\n')
    assert found.launches
