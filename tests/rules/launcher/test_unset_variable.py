"""A variable that a launch needs: every way to check it silences the rule, and what is no check does not."""

from __future__ import annotations

import pytest

from tests.rules.launcher.test_silence import TRAIN, judged

CHECKS = [
    "[ ${#LRX} -gt 0 ] || exit 1",
    '[ "${#LRX}" = 0 ] && exit 1',
    "if [ ${#LRX} -eq 0 ]; then echo no; exit 1; fi",
    "(( ${#LRX} )) || exit 1",
    "(( ${#LRX} == 0 )) && exit 1",
    "(( LRX > 0 )) || exit 1",
    "(( $LRX > 0 )) || exit 1",
    "if (( ! LRX )); then exit 1; fi",
    "if ! (( LRX )); then exit 1; fi",
    "[[ LRX -gt 0 ]] || exit 1",
    '[ "$LRX" -gt 0 ] || exit 1',
    '[ "$((LRX))" -gt 0 ] || exit 1',
    "let LRX || exit 1",
    'let "LRX > 0" || exit 1',
    "expr \"$LRX\" : '[0-9]' > /dev/null || exit 1",
    'expr length "$LRX" > /dev/null || exit 1',
    "[[ $LRX =~ ^[0-9] ]] || exit 1",
    "if [[ ! $LRX =~ ^[0-9]+$ ]]; then exit 1; fi",
    "[[ $LRX == [0-9]* ]] || exit 1",
    '[[ $LRX != "" ]] || exit 1',
    "[[ -z ${LRX// } ]] && exit 1",
    '[[ -z "${LRX//[[:space:]]/}" ]] && exit 1',
    "[[ -n ${LRX} ]] || exit 1",
    "[[ ! $LRX ]] && exit 1",
    'test "$LRX" || exit 1',
    'test -n "$LRX" || { echo no; exit 1; }',
    'test -z "$LRX" && exit 1',
    '[ x"$LRX" = x ] && exit 1',
    '[ "x$LRX" != "x" ] || exit 1',
    "[[ -v LRX ]] || exit 1",
    "test -v LRX || exit 1",
    '[ -v "LRX" ] || exit 1',
    "[[ -v 'LRX' ]] || exit 1",
    'set -e\n[ -n "$LRX" ]',
    'set -e\ntest "$LRX"',
    "set -e\n(( LRX ))",
    "set -e\n[[ $LRX =~ ^[0-9] ]]",
    'case "$LRX" in "") exit 1 ;; esac',
    'case "$LRX" in [0-9]*) ;; *) exit 1 ;; esac',
    "case ${#LRX} in 0) exit 1 ;; esac",
    'case ${LRX:-} in "") exit 1 ;; esac',
    ': "${LRX:?}"',
    ": ${LRX?}",
    "[ ${LRX:+x} ] || exit 1",
    '[ "${LRX+set}" = set ] || exit 1',
    "[[ ${LRX@a} ]] || exit 1",
    "[[ ${LRX@Q} != \"''\" ]] || exit 1",
    "declare -p LRX >/dev/null 2>&1 || exit 1",
    "typeset -p LRX || exit 1",
    "export -p | grep -q LRX || exit 1",
    "declare -px | grep -q LRX || exit 1",
    "compgen -v LRX >/dev/null || exit 1",
    "compgen -e \\| grep -x LRX || exit 1",
    "printenv LRX >/dev/null || exit 1",
    "if ! printenv LRX > /dev/null; then exit 1; fi",
    "env | grep -q ^LRX= || exit 1",
    "env | grep -qw LRX || exit 1",
    "printenv | grep -q LRX || exit 1",
    "set | grep -q '^LRX' || exit 1",
    'grep -q . <<< "$LRX" || exit 1',
    "grep -qE '^[0-9]' <<< ${LRX} || exit 1",
    'echo "$LRX" | grep -q . || exit 1',
    'printf %s "$LRX" | grep -q . || exit 1',
    "if ! echo \"$LRX\" | grep -qE '^[0-9]+'; then exit 1; fi",
    '[ -z "$LRX" ] && { echo x; kill $$; }',
    '[ -z "$LRX" ] && kill -TERM $$',
    '[ -z "$LRX" ] && kill -9 $BASHPID',
    '[ -z "$LRX" ] && { echo x >&2; return 1; }',
    'main() {\n[ -n "$LRX" ] || return 1\n}\nmain || exit 1',
    'die() { echo "$1"; exit 1; }\n[ -n "$LRX" ] || die "no"',
    '[ -n "$LRX" ] || usage',
    '[ -n "$LRX" ] || exec bash',
    '[ -z "$LRX" ] && exec bash help.sh',
    'for v in LRX OTHER; do [ -n "${!v}" ] || exit 1; done',
    'for v in LRX; do : "${!v:?}"; done',
    'for v in LRX OTHER; do [ -z "${!v+x}" ] && exit 1; done',
    'for v in LRX; do eval "[ -n \\"\\\\$$v\\" ]" || exit 1; done',
    "for v in LRX; do printenv $v > /dev/null || exit 1; done",
    "for v in LRX; do [[ -v $v ]] || exit 1; done",
    'need=(LRX OTHER)\nfor v in "${need[@]}"; do [ -n "${!v}" ] || exit 1; done',
    'need="LRX OTHER"\nfor v in $need; do [ -n "${!v}" ] || exit 1; done',
    'require() { [ -n "${!1}" ] || { echo "set $1"; exit 1; }; }\nrequire LRX',
    'require() { for v in "$@"; do [ -n "${!v}" ] || exit 1; done; }\nrequire OTHER LRX',
    'require() { local -n ref=$1; [ -n "$ref" ] || exit 1; }\nrequire LRX',
    'require() { [ -n "$1" ] || exit 1; }\nrequire "$LRX"',
    'require() { [ -n "$2" ] || exit 1; }\nrequire LRX "$LRX"',
    'require() { printenv "$1" >/dev/null || exit 1; }\nrequire LRX',
    'require() { eval "test -n \\"\\\\${$1}\\"" || exit 1; }\nrequire LRX',
    'require() { local v="${!1}"; if [ -z "$v" ]; then exit 1; fi; }\nrequire LRX',
    "python3 -c 'import os; os.environ[\"LRX\"]' || exit 1",
    "python3 -c \"import os, sys; sys.exit(0 if os.environ.get('LRX') else 1)\" || exit 1",
    "python -c \"float('$LRX')\" || exit 1",
    "python3 - <<'P' || exit 1\nimport os\nassert os.environ[\"LRX\"]\nP",
    "set -e\npython3 -c \"float('$LRX')\"",
    'while [ -z "$LRX" ]; do sleep 1; done',
    'until [ -n "$LRX" ]; do sleep 1; done',
    "awk -v v=\"$LRX\" 'BEGIN{exit v<=0}' || exit 1",
    '[ "$(echo "$LRX > 0" | bc)" = 1 ] || exit 1',
    '(( $(echo "$LRX > 0" | bc -l) )) || exit 1',
    '[[ -z "$OTHER" || -z "$LRX" ]] && exit 1',
    '[ -z "$OTHER" ] || [ -z "$LRX" ] && exit 1',
    '[ -z "$OTHER" -o -z "$LRX" ] && exit 1',
    'if [ -z "$LRX" ]; then\necho no\nexit 1\nfi',
    'if [ -n "$LRX" ]; then\necho fine\nelse\nexit 1\nfi',
    'val="$LRX"\n[ -n "$val" ] || exit 1',
    "val=${LRX}\n[[ $val =~ [0-9] ]] || exit 1",
    "n=${#LRX}\n(( n > 0 )) || exit 1",
    'missing=\n[ -z "$LRX" ] && missing="$missing LRX"\n[ -z "$missing" ] || exit 1',
    "missing=()\n[[ $LRX ]] || missing+=(LRX)\n(( ${#missing[@]} )) && exit 1",
    'ok=$([ -n "$LRX" ] && echo 1)\n[ "$ok" ] || exit 1',
    '! [ -z "$LRX" ] || exit 1',
    '( [ -n "$LRX" ] ) || exit 1',
    '{ [ -n "$LRX" ]; } || exit 1',
    '[ -n "$LRX" ] && echo fine || exit 1',
    "trap 'echo bye' EXIT\n[[ -n $LRX ]] || exit 1",
    '[ -f "$LRX" ] || exit 1',
    'ls "$LRX" || exit 1',
    '[ "${LRX%.*}" ] || exit 1',
    '[ "${LRX:0:1}" ] || exit 1',
    '[[ "${LRX,,}" == 1* ]] || exit 1',
    "[[ -n $LRX ]] 2>/dev/null || exit 1",
]

NO_CHECKS = [
    '[ -n "$LRX" ] || echo no',
    'if [ -z "$LRX" ]; then echo warning; fi',
    '[ "$LRX" = 1 ] && exit 1',
    '[ "$LRX" -gt 3 ] && EXTRA=--x',
    "(( LRX > 3 )) && exit 1",
    '[ -z "$OTHER$LRX" ] && exit 1',
    'if [ "$1" = a ]; then [ -n "$LRX" ] || exit 1; fi',
    'echo "$LRX" | grep -q x && echo y',
    'grep -q . <<< "$OTHER" || exit 1',
    "printenv LRX_OTHER || exit 1",
    'echo "lr $LRX" || exit 1',
    'log() { echo "$1"; }\nlog LRX',
]


@pytest.mark.parametrize("check", CHECKS)
def test_a_variable_that_the_script_checks(check: str) -> None:
    report = judged("RLX423", f'{check}\n{TRAIN} --lr "$LRX"\n')
    assert report.diagnostics == []


@pytest.mark.parametrize("check", CHECKS)
def test_a_variable_in_an_array_of_flags_for_two_modes(check: str) -> None:
    text = (
        f'MODE=${{1:-sync}}\n{check}\nA=(\n    --lr ${{LRX}}\n)\nif [ "$MODE" = async ]; then\n'
        f'    {TRAIN} --fully-async "${{A[@]}}"\nelse\n    {TRAIN} --colocate "${{A[@]}}"\nfi\n'
    )
    assert judged("RLX423", text).diagnostics == []


@pytest.mark.parametrize("other", NO_CHECKS)
def test_a_script_that_goes_on_without_the_variable(other: str) -> None:
    text = f'{other}\n{TRAIN} --lr "$LRX"\n'
    (found,) = judged("RLX423", text).diagnostics
    assert found.line == text.count("\n") or "$LRX" in other


@pytest.mark.parametrize(
    "launch",
    [
        f'eval "{TRAIN} --lr $LRX"',
        f"eval '{TRAIN} --lr $LRX'",
        f'bash -c "{TRAIN} --lr $LRX"',
        f'CMD="{TRAIN} --lr $LRX"\neval $CMD',
        f'go() {{ {TRAIN} --lr "$1"; }}\ngo "$LRX"',
        f'go() {{ "$@"; }}\ngo {TRAIN} --lr "$LRX"',
        f'{TRAIN} --lr "$LRX" || exit 1',
        f'if {TRAIN} --lr "$LRX"; then echo; else exit 1; fi',
        f'set -e\n{TRAIN} --lr "$LRX" | tee x',
        f'echo "lr $LRX" && {TRAIN} --lr "$LRX"',
    ],
)
@pytest.mark.parametrize(("before", "findings"), [("", 1), ("[ ${#LRX} -gt 0 ] || exit 1\n", 0)])
def test_however_the_launch_is_written(before: str, findings: int, launch: str) -> None:
    assert len(judged("RLX423", f"{before}{launch}\n").diagnostics) == findings


def test_an_array_of_which_the_script_asks_the_size() -> None:
    launch = f'{TRAIN} --lr 1 "${{X_ARGS[@]}}"\n'
    assert len(judged("RLX423", launch).diagnostics) == 1
    assert judged("RLX423", "(( ${#X_ARGS[@]} )) || exit 1\n" + launch).diagnostics == []


def test_a_check_on_the_way_to_one_launch_only() -> None:
    text = (
        f'if [ "$1" = a ]; then\n    [ ${{#LRX}} -gt 0 ] || exit 1\n    {TRAIN} --hybrid --lr "$LRX"\nelse\n'
        f'    {TRAIN} --lr "$LRX"\nfi\n'
    )
    assert len(judged("RLX423", text).diagnostics) == 1
