"""Names and values that a script works out before it declares them, and what runs that cannot be read."""

from __future__ import annotations

import pytest

from tests.cases import for_each
from tests.shell.whole_scripts import launched, printed
from tests.shell.worlds import launches


@for_each(
    "text",
    [
        'for kv in lr=3 n=4=5; do declare "${kv%%=*}=${kv#*=}"; done; python3 "$lr $n"',
        'k=RBS; declare "$k=32"; python3 "$RBS"',
        'f() { local "x$k=2"; python3 "[$xR]"; }; k=R; f; python3 "[$xR]"',
        'k=R; readonly "o$k=5"; python3 "$oR"',
        'k=R; typeset "o$k=5"; python3 "$oR"',
        'k=R; export "o$k=5" "o$k$k"; python3 "$oR"',
        'k=R; declare -x "e$k"="7"; bash -c \'python3 "$eR"\'',
        'k=R; declare -i "e$k=2+3"; python3 "$eR"',
        'oR=1 k=R; declare "o$k+=5"; python3 "$oR"',
        'declare -a "A+=(--reward-key score)"; python3 "${A[*]}"',
        'A=(x); declare "A+=(y z)"; python3 "${#A[@]} ${A[*]}"',
        'declare "A=(y z)"; python3 "${#A[@]} ${A[*]}"',
        'declare -A "M=([x]=1 [y]=2)"; python3 "${M[y]}"',
        'k=v; declare -a "A=($k \'$k\' \\$k)"; python3 "${A[*]}"',
        'declare "A[2]=z"; python3 "${!A[*]} ${A[*]}"',
        'declare "1x=3" || python3 refused',
        'while IFS== read -r k v; do declare -g "$k=$v"; done < <(echo a=1; echo b=2); python3 "$a $b"',
        "set -a; A=1; set +a; B=2; bash -c 'python3 \"${A:-none} ${B:-none}\"'",
        "set -a; for i in 7; do :; done; read r <<< 8; declare d=9; printf -v p 5; bash -c 'python3 \"$i$r$d$p\"'",
        "set -o allexport; f() { local l=3; bash -c 'python3 \"$l\"'; }; f",
        'x=$(< /dev/null); python3 "[$x]"',
    ],
)
def test_what_is_worked_out_is_what_bash_declares(text: str) -> None:
    prologue = "export -f python3 2>/dev/null\n"
    assert launched(text) == printed(prologue + text)


@pytest.mark.parametrize(
    "text",
    [
        'eval "$(cat settings)"',
        "source <(cat settings)",
        ". /dev/stdin < settings",
        'read -r k < settings; declare "$k=1"',
        'read -r k < settings; export "$k"',
    ],
)
def test_what_commands_that_cannot_be_read_may_set_is_not_said_to_be_unset(text: str) -> None:
    (found,) = launches(f'{text}\npython3 "$LR" "${{N:-8}}"\n', {}, clean=True)
    assert [bool(word.unknowns) for word in found.argv[1:]] == [True, True]


@for_each("reads", ["$(<flags)", "$(< flags)", "`< flags`", "$(0<flags)", '$(< "$F")'])
@for_each("clean", [True, False])
def test_a_file_read_into_a_word_is_not_known(reads: str, clean: bool) -> None:
    (found,) = launches(f'F=f; python3 train.py {reads} "{reads}"\n', {}, clean=clean)
    assert [bool(word.unknowns) for word in found.argv[2:]] == [True, True]
