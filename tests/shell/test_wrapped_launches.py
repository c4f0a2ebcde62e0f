"""Launches inside of other programs, and spelled in unusual ways, are those that real bash makes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from relax_lint.shell.evaluate import Reading, evaluate
from tests.shell.worlds import launches
from tools.bash_oracle import read_record, write_recorders

TRAIN = "python3 relax/entrypoints/train.py"
OF_XARGS = [
    f"xargs {TRAIN} </dev/null",
    f"xargs -r {TRAIN} </dev/null",
    f"echo --lr 1e-6 | xargs {TRAIN} --colocate",
    f"echo 1 2 3 | xargs -n1 {TRAIN} --seed",
    f"echo 1 2 3 | xargs --max-args=2 -t {TRAIN} --seed",
    f"echo 1 2 3 | xargs --max-args 2 -- {TRAIN} --seed",
    f"printf 'a b\\n\\nc\\nd\\n' | xargs -L 2 {TRAIN}",
    f"printf 'a b\\n\\nc\\n' | xargs -L1 {TRAIN}",
    f"printf 'a\\nb\\n' | xargs -I{{}} -P2 {TRAIN} --name x-{{}}-{{}} y",
    f"printf '  a b  \\n\\nc\\n' | xargs -I@ {TRAIN} --x=@",
    f"echo 1 2 | xargs -i {TRAIN} --x {{}}",
    f"echo 1 2 | xargs --replace=Z {TRAIN} --x Z",
    f"printf 'a\\nb\\n' | xargs -I % bash -c '{TRAIN} --name %; exit 1'\n{TRAIN}",
    f"seq 3 | xargs -n 1 bash -c '{TRAIN} --seed \"$0\"'",
    f"printf '%s\\n' 'a b' c | xargs -d '\\n' {TRAIN}",
    f"printf 'a,b' | xargs -d, -n1 {TRAIN}",
    f"echo \"a 'b c'  d\\ e\" | xargs {TRAIN}",
    f"xargs {TRAIN} <<< '--lr 1e-6 --colocate'",
    f"xargs {TRAIN} <<E\n--lr 1e-6 'a b'\n--colocate\nE",
    f"echo 1 | nohup xargs env A=1 nice {TRAIN}",
    f"echo x | xargs rm -f\n{TRAIN}",
    f"set -e\necho x | xargs false || {TRAIN}",
]
OF_ENV = [
    f"env -S '{TRAIN} --lr 1'",
    "env -S'python3 -u' relax/entrypoints/train.py",
    f"env --split-string='A=1 {TRAIN}' --lr 1",
    f"env -vS \"{TRAIN} 'a b'\"",
    f"env -C /tmp -S '{TRAIN}' b",
    f"env -- A=1 {TRAIN}",
    f'env - PATH="$PATH" {TRAIN}',
    f"env A=1 -- {TRAIN}",
    f"env -uA {TRAIN}",
    f"env --unset A {TRAIN}",
    "export A=x\nenv -u A bash -c 'python3 \"${A:-none}\"'",
    "export A=x\nenv --unset=A bash -c 'python3 \"${A:-none}\"'\npython3 $A",
]
OF_ENV_STRINGS = [
    rf"env -S '{TRAIN} {string}'"
    for string in (
        *(r"a\_b", r"\_a", r"a #b c", 'a"#b" c', r"\# b", '"" b', 'a""', r"a\cb", r"a \c b", r"\"a\_b\"", r"a\tb\n"),
        *(
            r"x${HOME}y",
            "${HOME}",
            '"${HOME}"',
            "${NOPE}",
            "a${NOPE} b",
            '"${NOPE}"',
            "${NOPE}#x",
            "${HOME}#x",
            r"\${HOME}",
        ),
        *("${SPACED}", '"${SPACED}" b', "a\vb\fc", "  a   b  ", "$HOME", "a$b", r"a\ b", '"a', '"\\c"', "a\\"),
        *("# all of it", 'a"b c"d', r"\"it\\\'s\"", "${1}", "${A-b}", "-u HOME ${HOME}", "\nb", "\\"),
    )
] + [
    f"env -S \"{TRAIN} 'a b' '\\${{HOME}}' 'it\\\\'s' '\\\\\\\\_' '\\\\_'\"",
    f"env -S '-u HOME A=1 {TRAIN} ${{HOME}} ${{A}}'",
    f"export A=0; env A=1 -S '{TRAIN} ${{A}}'",
    f"A=0; env -S '{TRAIN} ${{A}}'",
    f"A=0 env -S '{TRAIN} ${{A}}'",
    f"env -S '-S \"{TRAIN} a\" b' c",
    f"env --sp='{TRAIN} ${{HOME}}' b",
    f"env --split '{TRAIN} a' b",
    f"env -iS 'PATH=${{PATH}} {TRAIN}' b",
    f"env -S '' {TRAIN}",
    "X='a b'; env -S \"python3 $X '$X' ${X#a}\" \"$X\"",
    'X=python3; env -S"$X a" b',
    "X='-Spython3 a'; env $X b; env \"$X\" c",
    'env -S \'bash -c "python3 \\$HOME \\"\\$0\\" " x\'',
    f"set -e; env -S '{TRAIN} $' || {TRAIN} after",
]
OF_STRINGS = [
    f"flock lock -c '{TRAIN} --lr 1'",
    f"flock -n lock --command '{TRAIN}'",
    f"flock lock sh -c '{TRAIN}'",
    f"script -qc '{TRAIN} --lr 1' /dev/null",
    f"script -q -c \"{TRAIN} 'a b'\" /dev/null",
    f"eval -- {TRAIN}",
    f'. /dev/stdin <<< "{TRAIN}"',
    f"source /dev/stdin <<'E'\n{TRAIN} \"$X\"\nE",
    f"X=1; . /dev/stdin <<< 'X=2'; {TRAIN} $X",
]
OF_OTHERS = [
    f"{wrapper} {TRAIN} --lr 1"
    for wrapper in (
        *("nice", "nice -n 5", "nice -5", "nice -n5 nohup", "ionice -c3", "ionice -c 2 -n 0", "setsid -w", "time -p"),
        *("timeout -k 5 60", "timeout --foreground --signal=KILL 60", "stdbuf -o L", "stdbuf --output=L", "chrt -o 0"),
        *("taskset -c 0", "taskset 0x1", "prlimit --nofile=512", "setarch x86_64", "exec -a name", "command --"),
    )
]

OF_SEARCHES = [
    f"find . -name run.sh -exec {TRAIN} a \\;",
    f"find . -name run.sh -exec {TRAIN} 'a b' \\; -exec env A=1 {TRAIN} c \\;",
    f"find . -name run.sh -exec bash -c '{TRAIN} \"$0\" x' name \\;",
    f"find run.sh -execdir {TRAIN} \\; -print\nfind run.sh -type f -exec true {{}} +",
]
ON_MACHINES = [
    f"ssh host {TRAIN} 'a b' c",
    f"ssh -p 22 host -t -- '{TRAIN} \"a b\"; {TRAIN} d' c",
    f"A=1; export B=2; ssh host '{TRAIN} $A' \"\\$B $A\"",
    f"ssh host <<'E'\n{TRAIN} 'a b'\n{TRAIN} c\nE",
    f"ssh host 'bash -s' <<< \"{TRAIN} 'a b'\"",
    f"set -e; ssh host 'exit 0; {TRAIN}'; {TRAIN} after",
]


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where python3 and its like only write down their words."""
    folder = tmp_path_factory.mktemp("programs")
    write_recorders(folder)
    # sshd hands the words to a shell, with spaces between them, or its input when there are none.
    (folder / "ssh").write_text(
        "#!/bin/bash\nwhile getopts p:t option; do :; done; shift $OPTIND; OPTIND=1\n"
        'while getopts p:t option; do :; done; shift $((OPTIND - 1))\nexec bash ${1:+-c "$*"}\n'
    )
    (folder / "ssh").chmod(0o755)
    return folder


@pytest.mark.parametrize(
    "script", [*OF_XARGS, *OF_ENV, *OF_ENV_STRINGS, *OF_STRINGS, *OF_OTHERS, *OF_SEARCHES, *ON_MACHINES]
)
def test_launches_are_those_of_bash(script: str, programs: Path, tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text(f"{script}\n")
    environment = {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(tmp_path), "SPACED": "a  b c", "LC_ALL": "C.UTF-8"}
    with (tmp_path / "record").open("wb") as record:
        subprocess.run(
            ["bash", "-c", f"exec 9>&{record.fileno()}; exec bash run.sh"],
            cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False,
            pass_fds=[record.fileno()],
        )  # fmt: skip
    reading = Reading(clean=True, env=environment, args=(), cwd=tmp_path, root=tmp_path)
    ours = [[word.text for word in launch.argv] for launch in evaluate(tmp_path / "run.sh", reading).launches]
    real = [list(argv) for argv in read_record((tmp_path / "record").read_bytes())]
    assert sorted(ours) == sorted([Path(argv[0]).name, *argv[1:]] for argv in real)


@pytest.mark.parametrize("script", ["xargs {}", "xargs -a args.txt {}", "ls | xargs {}", "ls -0 | xargs -0 -n 2 {}"])
def test_an_input_of_xargs_that_is_not_known_is_any_number_of_words(script: str) -> None:
    (launch,) = launches(script.format(f"{TRAIN} --colocate"))
    assert [word.text for word in launch.argv] == [*TRAIN.split(), "--colocate", "$(cat)"]
    assert [word.open for word in launch.argv] == [False, False, False, True]
    assert launch.may_have("--lr")


def test_an_unknown_line_of_xargs_is_a_part_of_a_word() -> None:
    (launch,) = launches(f"ls | xargs -I@ {TRAIN} --load /m/@ --colocate")
    assert launch.value("--load") is None
    assert launch.has("--colocate")
    assert not launch.may_have("--lr")


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("python3 -mrelax.entrypoints.train --lr 1", "relax"),
        ("python3 -u -mrelax.entrypoints.train --lr 1", "relax"),
        ("python3 -umrelax.entrypoints.train --lr 1", "relax"),
        ("python3 -um relax.entrypoints.train --lr 1", "relax"),
        ("python3 -mverl.trainer.main_ppo a.b=1", "verl"),
        ("python3 -Bmrecipe.dapo.main_dapo a.b=1", "verl"),
        ("python3 -mrelax.entrypoints.trainer --lr 1", "other"),
        ("python3 -mpip install verl", "other"),
        ("python3 a.py --mrelax.entrypoints.train", "other"),
    ],
)
def test_a_module_glued_to_its_option_is_what_runs(words: str, kind: str) -> None:
    (launch,) = launches(words)
    assert launch.kind == kind
    if kind == "relax":
        assert launch.value("--lr") == "1"
    if kind == "verl":
        assert [argument.flag for argument in launch.arguments] == ["a.b=1"]


@pytest.mark.parametrize(
    ("script", "address"),
    [
        ("RAY_ADDRESS=auto ray job submit", "auto"),
        ("env RAY_ADDRESS=auto ray job submit", "auto"),
        ("export RAY_ADDRESS=a\nRAY_ADDRESS=b ray job submit", "b"),
        ("export RAY_ADDRESS=a\nenv -u RAY_ADDRESS ray job submit", ""),
        ("RAY_ADDRESS=a\nray job submit", None),
        ("RAY_ADDRESS=a true\nray job submit", None),
    ],
)
def test_the_address_that_ray_is_given(script: str, address: str | None) -> None:
    (launch,) = launches(script)
    assert (launch.ray_address.text if launch.ray_address is not None else None) == address
