from __future__ import annotations

from relax_lint.gpu_layout import Blocks, Layout, RoleLayout
from relax_lint.project import Project
from relax_lint.report.html.content import Column
from relax_lint.report.html.gathering import columns
from relax_lint.report.html.gpus import drawings, placed
from relax_lint.report.html.sources import Sources

RUN = "examples/demo/run_demo.sh"
TRAIN = "python3 relax/entrypoints/train.py"


def columns_of(script: str) -> tuple[list[Column], Sources]:
    project = Project.from_files({RUN: script})
    launcher = project.launcher(project.root / RUN)
    assert launcher is not None
    return columns(launcher.launches, project), Sources(project.source)


def where(script: str) -> list[tuple[str, int, int, str]]:
    (column,), _ = columns_of(script)
    assert column.placing is not None
    runs = placed(column.placing.layout, column.placing.per_node)
    return [(run.role.name, run.first, run.last, run.label) for run in runs]


def test_colocated_roles_lie_on_the_same_gpus() -> None:
    resource = '\'{"actor": [1, 8], "rollout": [1, 8]}\''
    assert where(
        f"{TRAIN} --colocate --resource {resource} --tensor-model-parallel-size 4 --rollout-num-gpus-per-engine 2\n"
    ) == [
        ("actor", 0, 3, "DP 0"),
        ("actor", 4, 7, "DP 1"),
        ("rollout", 0, 1, "engine 0"),
        ("rollout", 2, 3, "engine 1"),
        ("rollout", 4, 5, "engine 2"),
        ("rollout", 6, 7, "engine 3"),
    ]


def test_stages_of_a_pipeline_follow_each_other() -> None:
    resource = '\'{"actor": [1, 8], "rollout": [1, 8]}\''
    sizes = "--tensor-model-parallel-size 2 --pipeline-model-parallel-size 2"
    runs = where(f"{TRAIN} --colocate --resource {resource} {sizes} --rollout-num-gpus-per-engine 8\n")
    assert [label for _, _, _, label in runs] == ["DP 0 PP 0", "DP 1 PP 0", "DP 0 PP 1", "DP 1 PP 1", "engine 0"]


def test_separate_roles_have_gpus_of_their_own() -> None:
    resource = (
        '\'{"actor": [1, 4], "rollout": [1, 2], "reference": [1, 1], "actor_fwd": [1, 1], "advantages": [1, 0]}\''
    )
    sizes = "--use-kl-loss --kl-loss-coef 0.1 --ref-load /m --num-steps-per-rollout 2"
    runs = where(f"{TRAIN} --fully-async --resource {resource} {sizes}\n")
    assert {(role, first) for role, first, _, _ in runs} >= {("actor", 0), ("rollout", 4), ("reference", 6)}
    taken = [gpu for _, first, last, _ in runs for gpu in range(first, last + 1)]
    assert len(taken) == len(set(taken))


def role(name: str, gpus: int, *, shared: bool = False, size: int | None = None) -> RoleLayout:
    return RoleLayout(name, gpus, (), shared, Blocks("engine", size) if size else None)


def test_a_role_is_not_spread_over_machines_where_one_has_room() -> None:
    runs = placed(Layout((role("actor", 6), role("rollout", 8), role("reference", 2))), 8)
    assert [(run.role.name, run.first) for run in runs] == [("actor", 0), ("rollout", 8), ("reference", 6)]


def test_a_judge_lies_behind_the_rollout_where_there_is_room_for_both() -> None:
    both = (role("actor", 16, shared=True), role("rollout", 8, shared=True), role("genrm", 8, shared=True))
    assert [run.first for run in placed(Layout(both), 8)] == [0, 0, 8]
    over = (role("actor", 8, shared=True), role("rollout", 8, shared=True), role("genrm", 8, shared=True))
    assert [run.first for run in placed(Layout(over), 8)] == [0, 0, 0]


def test_a_block_is_drawn_on_each_machine_that_it_reaches() -> None:
    layout = (
        f'{TRAIN} --colocate --resource \'{{"actor": [1, 16], "rollout": [1, 16]}}\' --rollout-num-gpus-per-engine 16\n'
    )
    found, sources = columns_of(layout)
    drawn = drawings(found, sources)
    assert drawn.count("<svg") == 2
    assert drawn.count("<title>rollout, engine 0: GPUs 0 to 15</title>") == 2
    assert "machine 2: actor on GPUs" in drawn


def test_the_same_layout_is_drawn_once() -> None:
    resource = '--colocate --resource \'{"actor": [1, 8], "rollout": [1, 8]}\''
    found, sources = columns_of(
        f'if [ "$SEED" = 1 ]; then {TRAIN} --seed 1 {resource}; else {TRAIN} --seed 2 {resource}; fi\n'
    )
    assert len(found) == 2
    assert drawings(found, sources).count("<figure") == 1


def test_what_is_not_known_is_said_and_not_drawn() -> None:
    found, sources = columns_of(f'{TRAIN} --colocate --resource "$RESOURCE"\n{TRAIN} --colocate\n')
    drawn = drawings(found, sources)
    assert "<svg" not in drawn
    assert "not known: ${RESOURCE}" in drawn
    assert "no --resource, without which nothing is placed" in drawn
