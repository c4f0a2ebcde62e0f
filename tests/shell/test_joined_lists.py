"""Lists where one text is wanted: what stands between their elements, as real bash has it."""

from __future__ import annotations

import pytest

from tests.shell.whole_scripts import launched, printed

LISTS = [
    '$(echo $@ "$*")',
    "$@",
    "${@:1:2}",
    "${@#z}",
    "${@/z/y}",
    "${@^}",
    "${@@Q}",
    "${@:-d}",
    "${@:+$@}",
    "${NONE:-${@:1}}",
    "-${@:2}-",
]
ARRAYS = ["${A[@]}", "${A[@]:0:2}", "${A[@]^}", "${A[@]%z}", "${!A[@]}", "${A[@]:-d}", "${A[*]:0:2}", "$*"]
TAKEN = [
    'x="{}"; python3 "$x"',
    'x={}; python3 "$x"',
    'x=-; x+="{}"; python3 "$x"',
    'export x="{}"; python3 "$x"',
    'declare x="{}"; python3 "$x"',
    'x[1]="{}"; python3 "${{x[1]}}"',
    'x=([1]="{}"); python3 "${{x[1]}}"',
    'read -r x <<< "{}"; python3 "$x"',
    'read -r x <<END\n{}\nEND\npython3 "$x"',
    '[[ "{}" == *:* ]] && python3 colon',
    'case "{}" in *" "*) python3 space ;; esac',
]


@pytest.mark.parametrize("separators", ["IFS=:", "IFS=", "unset IFS", "IFS=' :'", "IFS=$'\\n'", "IFS=é,"])
def test_what_joins_a_list_that_is_one_text(separators: str) -> None:
    texts = [
        f"set -- a b c; A=(p q)\n{separators}\n{taken.format(each)}\n" for each in LISTS + ARRAYS for taken in TAKEN
    ]
    assert {text: launched(text) for text in texts} == {text: printed(text) for text in texts}
