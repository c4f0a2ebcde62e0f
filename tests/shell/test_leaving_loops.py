"""``break`` and ``continue``: which loops they leave, and where they leave none."""

from __future__ import annotations

import pytest

from tests.shell.whole_scripts import launched, printed

SCRIPTS = {
    "eval": "for i in 1 2; do eval break; python3 e$i; done",
    "a subshell": "for i in 1 2; do (break; python3 sub$i); python3 u$i; done",
    "a loop in a subshell": "for i in 1 2; do (for j in 1 2; do break 2; python3 j; done; python3 in$i); python3 v$i; "
    "done",
    "a pipeline": "for i in 1 2; do { break; python3 p$i; } | cat; python3 after$i; done",
    "a substitution": 'for i in 1 2; do x=$(break; echo sub); python3 "$i$x"; done',
    "a loop in a substitution": 'for i in 1 2; do x=$(for j in 1; do break 2; done; echo sub); python3 "$i$x"; done',
    "the background": "for i in 1 2; do { break; python3 no$i; } & wait; python3 b$i; done",
    "a function": "f() { continue; python3 on$i; }; for i in 1 2; do f; python3 f$i; done",
    "a loop in a function": "f() { for j in 1 2; do break 2; python3 no; done; python3 in$i; }; for i in 1 2; do f; "
    "python3 g$i; done",
    "a function of a loop of a function": "f() { break; }; g() { for i in 1 2; do f; python3 g$i; break; done; }; g",
    "a condition": "while break; do python3 z; done; python3 k",
    "a condition in a loop": "for i in 1 2; do while break 2; do python3 z; done; python3 k; done",
    "no loops": 'for i in 1; do break 0; python3 z; done; python3 "s$?"',
    "fewer than none": 'for i in 1; do for j in 1; do continue -1; done; python3 z; done; python3 "s$?"',
    "many": "for i in 1 2; do for j in 1 2; do break 9; done; python3 z; done; python3 k",
    "rounds of many": "for i in 1 2; do for j in 1 2; do continue 9; done; python3 z; done; python3 k",
    "two numbers": 'for i in 1; do break 1 2; python3 z; done; python3 "s$?"',
    "no number": "for i in 1; do break x; python3 z; done; python3 k",
    "an empty word": "for i in 1; do break ''; python3 z; done; python3 k",
    "blanks around": "for i in 1 2; do break ' 1 '; python3 z; done; python3 k",
    "a sign": "for i in 1 2; do break +1; python3 z; done; python3 k",
    "no loop": 'break; python3 "s$?"; continue x; python3 "s$?"; f() { break 1 2; python3 in; }; f',
    "a trap": "for i in 1 2; do trap 'break; python3 t' EXIT; done",
    "behind the loop": "for i in 1; do :; done; break; python3 on",
    "set -e": "set -e; for i in 1 2; do break; done; python3 on",
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_what_bash_goes_on_with(name: str) -> None:
    script = f"{SCRIPTS[name]}\npython3 end\n"
    assert launched(script) == printed(script)
