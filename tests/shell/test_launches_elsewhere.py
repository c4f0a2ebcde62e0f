"""What containers, other machines, terminals, queues and loops of programs are told to run is a launch too."""

from __future__ import annotations

import pytest

from relax_lint.shell.launch import Launch
from tests.cases import for_each
from tests.shell.worlds import launches

VERL = "python3 -m verl.trainer.main_ppo"


def trainings(script: str) -> list[Launch]:
    return [launch for launch in launches(script) if launch.kind != "other"]


def overrides(script: str) -> list[list[str]]:
    """The words behind the entry point of each training."""
    return [[word.text for word in launch.argv[launch.entry + 1 :]] for launch in trainings(script)]


CONTAINERS = [
    f"docker exec -it -w /w -e A=1 trainer bash -lc 'cd /w && {VERL} a=$A'",
    f"docker exec --env A=1 ray bash -lc '{VERL} a=$A'",
    f"docker run --rm --gpus all -v /a:/b --shm-size=10g -itd -eA=1 --name ray image:tag bash -c '{VERL} a=$A'",
    f"docker run $OPTIONS $IMAGE bash -c '{VERL} a=1'",
    f"docker run --entrypoint bash image -c '{VERL} a=1'",
    f"docker run image {VERL} a=1",
    f"docker compose exec -T service sh -c '{VERL} a=1'",
    f"docker exec -i name bash <<'S'\ncd /w\n{VERL} a=1\nS",
    f"podman exec name bash -lc '{VERL} a=1'",
    f"sudo docker exec name bash -lc '{VERL} a=1'",
    f"kubectl exec -it pod -- bash -c '{VERL} a=1'",
    f"apptainer exec --nv --bind a:b image.sif bash -c '{VERL} a=1'",
    f"srun singularity run --nv image.sif {VERL} a=1",
]
MACHINES = [
    f"ssh \"$HOST\" 'cd x; {VERL} a=1'",
    f"ssh -o StrictHostKeyChecking=no -p 22 $HOST -t '{VERL}' a=1",
    f"ssh $OPTIONS $HOST 'source x; {VERL} a=1'",
    f"ssh host {VERL} a=1",
    f"ssh host <<E\n{VERL} a=1\nE",
    f"ssh host bash -s <<< '{VERL} a=1'",
    f"sshpass -p x ssh host '{VERL} a=1'",
    f"pdsh -w host[1-2] '{VERL} a=1'",
]
TERMINALS = [
    f"tmux new-session -d -s name '{VERL} a=1'",
    f"tmux -L socket new -ds name {VERL} a=1",
    f"tmux new -d -s name \\; send-keys '{VERL} a=1' C-m",
    f"tmux new -d -s 'name' 'bash';  tmux send-keys -t name:0 'cd x && {VERL} a=1' Enter",
    "tmux send -t name C-c 'python3 ' '-m verl.trainer.main_ppo' Space a=1 Enter",
    f"tmux send-keys -l '{VERL} a=1'",
    f"screen -S name -X stuff $'{VERL} a=1\\n'",
    f"screen -dmS name bash -c '{VERL} a=1'",
]
QUEUES = [
    f"sbatch -N 2 <<'S'\n#!/bin/bash\n#SBATCH -N 2\nsrun {VERL} a=1\nS",
    f"export A=1; sbatch <<'S'\n#!/bin/bash\n{VERL} a=$A\nS",
    f"sbatch -N1 --wrap='{VERL} a=1'",
    f'sbatch --wrap "{VERL} a=1"',
    f"qsub <<E\n{VERL} a=1\nE",
    f"ray job submit --address x -- bash -c '{VERL} a=1'",
]
PROGRAMS = [
    "python3 -c 'from verl.trainer.main_ppo import main; main()' a=1",
    "python3 -u -c 'import sys; from verl.trainer.main_ppo import main\nmain()' a=1",
    "python3 -c'from verl.trainer import main_ppo; main_ppo.main()' a=1",
    "python -uc 'import verl.trainer.main_ppo as m; m.main()' a=1",
    "python3 -c \"import runpy; runpy.run_module('verl.trainer.main_ppo', run_name='__main__')\" a=1",
    f"find . -name go -exec {VERL} a=1 \\;",
    f"find . -name go -execdir bash -c '{VERL} a=1' _ {{}} \\;",
]

STARTERS = [
    f"my-starter --gpus 8 {VERL} a=1",
    f"./pin_to_numa.sh 0 {VERL} a=1",
    f"/opt/bin/with-proxy bash -c '{VERL} a=1'",
    f"modal run -- {VERL} a=1",
]


@for_each("script", [*CONTAINERS, *MACHINES, *TERMINALS, *QUEUES, *PROGRAMS, *STARTERS])
def test_the_launch_is_found(script: str) -> None:
    assert overrides(script) == [["a=1"]]


@for_each(
    "script",
    [
        "python3 -c 'import verl.trainer.main_ppo as m; print(m.__file__)'",
        "python3 -c 'from verl.utils.reward_score import main_score; main_score()'",
        "python3 -c 'import verl; print(verl.__version__)'",
        f"docker ps | grep '{VERL}'",
        f"docker cp 'x {VERL}' name:/w",
        f"tmux kill-session -t '{VERL}'",
        f"tmux set-option status-left '{VERL}'",
        f"sbatch script.sh '{VERL}'",
        f"find . -name '{VERL}' -exec rm {{}} +",
        f"pkill -f {VERL}",
        f"git commit -m 'x' {VERL}",
        "my-tool python3 relax/entrypoints/train.pyc",
        "ssh host",
        'ssh host "$COMMAND"',
    ],
)
def test_nothing_else_is_a_launch(script: str) -> None:
    assert trainings(script) == []


@pytest.mark.parametrize("start", ["docker exec name bash -c", "ssh host", "tmux new -d", "kubectl exec pod -- sh -c"])
def test_variables_of_the_script_are_not_known_elsewhere(start: str) -> None:
    (launch,) = trainings(f'export A=1 B=2\n{start} "{VERL} a=$A b=\\$B"')
    assert [(word.text, word.known) for word in launch.argv[3:]] == [("a=1", True), ("b=${B}", False)]


def test_what_the_script_sets_does_not_change_behind_a_launch_elsewhere() -> None:
    script = f"A=1\nssh host 'A=2; cd /; {VERL} a=$A'\nfind . -exec bash -c 'A=3; {VERL}' \\;\n{VERL} a=$A"
    assert overrides(script) == [["a=2"], [], ["a=1"]]


def test_a_heredoc_with_unknown_parts_for_sbatch() -> None:
    (launch,) = trainings(f"sbatch <<S\n#!/bin/bash\n{VERL} a=$A $EXTRA\nS")
    assert [word.text for word in launch.argv[3:]] == ["a=${A}", "${EXTRA}"]
    assert launch.argv[4].open


PARALLEL = [
    (f"parallel {VERL} ::: 1 2", [["1"], ["2"]]),
    (f"parallel -j 2 'cd x; {VERL} s={{}} n={{#}}' ::: 'a b' c", [["s=a b", "n=1"], ["s=c", "n=2"]]),
    (f"parallel --jobs=2 {VERL} {{1}} {{2/.}} {{2//}} ::: 1 2 ::: a/b.sh", [["1", "b", "a"], ["2", "b", "a"]]),
    (f"parallel {VERL} {{2}} {{1}} ::: 1 2 :::+ a b", [["a", "1"], ["b", "2"]]),
    (f"parallel ::: '{VERL} 1' '{VERL} 2'", [["1"], ["2"]]),
    (f"seq 2 | parallel --halt now,fail=1 {VERL} x={{}}", [["x=1"], ["x=2"]]),
    (f"parallel -q {VERL} 'a b' {{}} ::: '1 2'", [["a b", "1 2"]]),
    (f"parallel -a list {VERL} x={{}} y", [["x={}", "y"]]),
    (f"parallel {VERL} x={{}} y :::: list", [["x={}", "y"]]),
    (f"parallel --colsep , {VERL} {{1}} x={{2}} ::: a,b", [["{}", "x={}"]]),
    (f"parallel {VERL} x={{}} ::: $ALL", [["x={}"]]),
    ("parallel rm ::: a b", []),
]


@for_each(("script", "expected"), PARALLEL)
def test_runs_of_parallel(script: str, expected: list[list[str]]) -> None:
    assert overrides(script) == expected


def test_very_many_runs_of_parallel_are_one_that_is_not_known() -> None:
    (launch,) = trainings(f"parallel {VERL} a={{1}} b={{2}} ::: {{1..50}} ::: {{1..50}}")
    assert not any(word.known for word in launch.argv[3:])


def test_what_find_finds_is_not_known() -> None:
    single, several = trainings(f"find . -exec {VERL} a={{}} {{}} \\; -exec {VERL} {{}} +")
    assert [(word.known, word.open) for word in single.argv[3:]] == [(False, False)] * 2
    assert [(word.known, word.open) for word in several.argv[3:]] == [(False, True)]
