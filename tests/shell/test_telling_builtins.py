"""What builtins tell of the shell is not taken for empty, nor their answers for certain; bash has the last word."""

from __future__ import annotations

import os
import subprocess

import pytest

from relax_lint.project import MEMORY_ROOT, Project
from relax_lint.shell.launch import Launch

TRAIN = "python3 relax/entrypoints/train.py"
STUB = "python3() { printf '%s\\n' \"launched $*\"; }\n"


def _apart(commands: str) -> list[str]:
    return commands.strip().replace("\n", "|").split("|")


TELLING = _apart("""
ulimit|ulimit -n|ulimit -a|ulimit -Sn|set|set -o|set +o|shopt|shopt -p|shopt checkwinsize|shopt -o|trap|trap -l
trap -p|declare|declare -p|declare -p HOME|declare -x|declare -f|declare -F|declare -f helper|declare -F helper
typeset -p HOME|export|export -p|readonly|readonly -p|alias|hash|enable|enable -a|history|bind -l|complete
complete -p|compgen -v|compgen -A function|type helper|type -t helper|command -v helper|command -V helper|jobs|umask
times|dirs|help|kill -l
""")
ASKING = _apart("""
declare -p MODEL_DIR|typeset -p MODEL_DIR|declare -p BASH_VERSION|declare -p HOME MODEL_DIR|declare -p set_here
declare -p removed|declare -F helper|declare -F no_such_function|declare -f helper no_such_function
declare -F MODEL_DIR|typeset -f helper|export -p|[ -v MODEL_DIR ]|[[ -v MODEL_DIR ]]|set|set -o
shopt -q checkwinsize|shopt -q extglob|shopt -q nullglob|shopt -oq errexit|shopt -oq nounset
shopt -q cmdhist sourcepath|hash bash|hash no-such-program|hash -r|alias no_such_alias|alias x=y
unalias no_such_alias|compgen -G "/no/such/*"|compgen -G "/*"|compgen -A function helper|command -v no-such-program
command -V helper|type no-such-program|ulimit -n|trap -p EXIT|readonly -p|enable|local|local x=1
[[ $(ulimit -n) -ge 1 ]]|[ -n "$(set)" ]|[ -n "$(trap -l)" ]|[ -n "$(declare -f helper)" ]
[ -z "$(declare -F nothing)" ]|set / grep -q "^MODEL_DIR="|declare -p / grep -q MODEL_DIR|shopt / grep -q extglob
alias / grep -q x|export / grep -q HOME|[ -n "$(shopt extglob)" ]|[ -n "$(set -o)" ]|[ -n "$(enable)" ]
[ -n "$(hash)" ]|[ -n "$(declare -p set_here)" ]
""")
BEGINNING = "helper() { :; }\nset_here=1\nremoved=1\nunset removed\n"


def launches(script: str) -> list[Launch]:
    """What a launcher may start."""
    run = MEMORY_ROOT / "examples/demo/run_demo.sh"
    source = Project.from_files({"examples/demo/run_demo.sh": f"#!/bin/bash\n{script}"}).launcher(run)
    assert source is not None
    return source.launches


def launched(script: str, **environ: str) -> list[list[str]]:
    """The arguments of what bash starts."""
    there = {"PATH": os.environ["PATH"], "HOME": "/root", "LC_ALL": "C", **environ}
    done = subprocess.run(["bash", "-c", STUB + script], capture_output=True, text=True, env=there, check=False)
    return [line.split()[2:] for line in done.stdout.splitlines() if line.startswith(f"launched {TRAIN.split()[1]}")]


@pytest.mark.parametrize("telling", TELLING)
def test_what_is_told_is_unknown_or_what_bash_tells(telling: str) -> None:
    script = f'{BEGINNING}told=$({telling} 2>&1)\n{TRAIN} --told "${{told//[^a-z]/}}" "${{told:+--something}}"\n'
    (launch,) = launches(script)
    ours = [word.text for word in launch.argv[2:] if word.known]
    (real,) = launched(script)
    assert all(text in (*real, "") for text in ours), (ours, real)
    assert len(ours) < 3 or [text for text in ours if text] == real


@pytest.mark.parametrize("asking", ASKING)
@pytest.mark.parametrize(
    "guard", ["{} || exit 1", "{} && exit 1", "if {}; then exit 1; fi", "if ! {}; then exit 1; fi"]
)
def test_a_launch_that_bash_comes_to_is_seen(guard: str, asking: str) -> None:
    line = guard.format(f"{{ {asking.replace(' / ', ' | ')} >/dev/null 2>&1; }}")
    script = f"{BEGINNING}{line}\n{TRAIN} --lr 1\n"
    ours = [[word.text for word in launch.argv[2:]] for launch in launches(script)]
    for environ in ({}, {"MODEL_DIR": "/models"}):
        for real in launched(script, **environ):
            assert real in ours, line
