"""How launches lie on GPUs."""

from __future__ import annotations

import pytest

from relax_lint.gpu_layout import Layout, batches, facts_for_layout, layout
from relax_lint.project import Project
from tests.cases import for_each

TRAIN = "python3 relax/entrypoints/train.py"
RUN = "examples/demo/run_demo.sh"


def told(flags: str, before: str = "") -> tuple[Layout, str, str]:
    """The layout of a launch, its batches, and what might change it."""
    project = Project.from_files({RUN: f"{before}{TRAIN} {flags}\n"})
    [launch] = project.recipes[0].launches
    facts, unless = facts_for_layout(launch, project)
    return layout(facts), batches(facts), unless


def rows(flags: str, before: str = "") -> list[tuple[str, int | None, str]]:
    return [(role.name, role.gpus, "; ".join(role.model)) for role in told(flags, before)[0].roles]


def resource(**roles: int) -> str:
    entries = ", ".join(f'"{role}": [1, {gpus}]' for role, gpus in roles.items())
    return f"--resource '{{{entries}}}'"


def test_a_colocated_launch_shares_its_gpus() -> None:
    flags = f"--colocate {resource(actor=8, rollout=8)} --tensor-model-parallel-size 2 --rollout-num-gpus-per-engine 4"
    found, _, _ = told(flags)
    assert (found.total, found.missing) == (8, ())
    assert [role.shared for role in found.roles] == [True, True]
    assert rows(flags) == [("actor", 8, "DP 4 × TP 2 × PP 1"), ("rollout", 8, "2 engines × 4 GPUs")]


def test_an_entry_that_colocation_overrides_is_named() -> None:
    assert rows(f"--colocate {resource(actor=8, rollout=4)}")[1] == (
        "rollout", 8, "8 engines × 1 GPU; its entry of 4 is overridden"
    )  # fmt: skip


def test_an_asynchronous_launch_adds_its_roles_up() -> None:
    flags = (
        f"--fully-async {resource(actor=4, rollout=2, reference=1, actor_fwd=1, advantages=0)} --use-kl-loss "
        "--tensor-model-parallel-size 4 --rollout-batch-size 8 --n-samples-per-prompt 8 --global-batch-size 32 "
        "--ref-actor-config '{\"tensor_model_parallel_size\": 1}'"
    )
    found, _, _ = told(flags)
    assert (found.total, found.missing) == (8, ())
    assert rows(flags) == [
        ("actor", 4, "DP 1 × TP 4 × PP 1"),
        ("rollout", 2, "2 engines × 1 GPU"),
        ("advantages", 0, ""),
        ("reference", 1, "DP 1 × TP 1 × PP 1; by --ref-actor-config"),
        ("actor_fwd", 1, "DP 1 × TP 1 × PP 1; by --ref-actor-config"),
    ]


def test_forward_roles_without_a_config_are_like_the_actor() -> None:
    flags = f"--fully-async {resource(actor=4, rollout=2, reference=1)} --tensor-model-parallel-size 4"
    assert rows(flags)[2] == ("reference", 1, "TP 4 × PP 1 = 4 does not divide 1; like the actor")


def test_roles_that_the_mode_has_are_missed_and_others_idle() -> None:
    found, _, _ = told(f"--fully-async --true-on-policy-mode --use-kl-loss {resource(actor=4, rollout=2, actor_fwd=1)}")
    assert found.missing == ("advantages", "reference")
    assert [(role.name, role.model) for role in found.roles][-1] == ("actor_fwd", ("never started by this launch",))
    assert found.total == 6


def test_a_hybrid_launch_has_both_on_gpus_of_their_own() -> None:
    found, _, _ = told(f"--hybrid {resource(actor=8, rollout=4)}")
    assert found.total == 12


def test_experts_have_a_split_of_their_own() -> None:
    flags = f"--colocate {resource(actor=8, rollout=8)} --num-experts 64 --expert-model-parallel-size "
    assert rows(f"{flags}8")[0][2] == "DP 8 × TP 1 × PP 1; 64 experts, EP 8 × ETP 1"
    assert rows(f"{flags}16")[0][2].endswith("64 experts, EP 16 × ETP 1 × PP 1 = 16 does not divide 8")


@pytest.mark.parametrize(
    ("sizes", "shown"),
    [
        ("--pipeline-model-parallel-size 2 --context-parallel-size 2", "DP 2 × TP 1 × PP 2 × CP 2"),
        ("--pipeline-model-parallel-size 3", "TP 1 × PP 3 = 3 does not divide 8"),
        ("--tensor-model-parallel-size 0", "TP 0 × PP 1, where each must be at least 1"),
        ("--pipeline-model-parallel-size -2", "TP 1 × PP -2, where each must be at least 1"),
        ('--tensor-model-parallel-size "$TP"', "not known"),
    ],
)
def test_the_actors_split(sizes: str, shown: str) -> None:
    assert rows(f"--colocate {resource(actor=8, rollout=8)} {sizes}")[0] == ("actor", 8, shown)


@pytest.mark.parametrize(
    ("flags", "shown"),
    [
        ("--rollout-num-gpus-per-engine 3", "2 engines × 3 GPUs, 2 left over"),
        ("--rollout-num-gpus-per-engine 16", "fewer than the 16 of one engine"),
        ("--sglang-config groups.yaml", "engines by --sglang-config"),
        ('--sglang-config "$GROUPS"', "engines by --sglang-config"),
        ('--rollout-num-gpus-per-engine "$N"', "not known"),
    ],
)
def test_the_engines(flags: str, shown: str) -> None:
    assert rows(f"--colocate {resource(actor=8, rollout=8)} {flags}")[1][2] == shown


def test_judges_and_teachers_have_engines_too() -> None:
    judge = f'--colocate {resource(actor=8, rollout=6, genrm=2)} --genrm-model-path "$JUDGE"'
    assert rows(judge)[1:] == [("rollout", 6, "6 engines × 1 GPU"), ("genrm", 2, "2 engines × 1 GPU")]
    assert told(judge)[0].total == 8
    teacher = f"--colocate {resource(actor=8, rollout=4, teacher=4)} --use-opd --opd-type sglang "
    assert rows(f'{teacher} --teacher-hf-checkpoint "$T" --teacher-num-gpus-per-engine 2')[-1] == (
        "teacher", 4, "2 replicas × 2 GPUs"
    )  # fmt: skip
    assert rows(teacher)[-1] == ("teacher", 4, "no teacher that Relax runs is asked for")


def test_fine_tuning_has_its_own_roles() -> None:
    found, batch, _ = told(f"--loss-type sft {resource(sft=0, actor=8)} --global-batch-size 64")
    assert [(role.name, role.gpus) for role in found.roles] == [("sft", 0), ("actor", 8)]
    assert batch == ""


def test_gpus_that_whole_nodes_leave_over_do_not_train() -> None:
    assert rows(f"--colocate {resource(actor=12, rollout=12)}")[0] == (
        "actor", 12, "DP 8 × TP 1 × PP 1; trains on 8 of them"
    )  # fmt: skip


def test_words_that_could_be_anything_are_left_out_and_named() -> None:
    flags = f'--colocate {resource(actor=8, rollout=8)} "${{EXTRA_ARGS[@]}}" --tensor-model-parallel-size 2 "$@"'
    found, _, unless = told(flags)
    assert found.total == 8
    assert "EXTRA_ARGS" in unless
    assert found.roles[0].model == ("DP 4 × TP 2 × PP 1",)


def test_a_resource_that_is_not_known_or_missing() -> None:
    found, _, _ = told('--colocate --resource "$RESOURCE"')
    assert found.hidden is not None
    assert [word.text for word in found.hidden.words] == ["${RESOURCE}"]
    found, _, _ = told("--colocate --tensor-model-parallel-size 2")
    assert (found.why_none, found.roles) == ("no --resource, without which nothing is placed", ())


ODD = [
    "[1]",
    "8",
    "null",
    '"x"',
    "[1, null]",
    '[1, "8"]',
    "{}",
    "[1, NaN]",
    "[1, -4]",
    "[1, 8.0]",
    "[1, 4.5]",
    "[1, true]",
]


@for_each("entry", ODD)
@for_each("mode", ["--colocate", "--fully-async", ""])
def test_odd_entries_are_named(mode: str, entry: str) -> None:
    found, _, _ = told(f'{mode} --resource \'{{"actor": {entry}, "rollout": {entry}}}\'')
    assert found.total is None
    assert [(role.gpus, role.model) for role in found.roles] == [(None, (f"its entry {entry} is not [1, GPUs]",))] * 2


@pytest.mark.parametrize(("resource", "shown"), [("[1, 2]", "[1, 2]"), ("8", "8"), ('"x"', '"x"'), ("true", "true")])
def test_a_resource_that_is_no_object(resource: str, shown: str) -> None:
    found, _, _ = told(f"--colocate --resource '{resource}'")
    assert (found.why_none, found.roles, found.missing) == (f"not known: --resource is {shown}, no object", (), ())


@pytest.mark.parametrize(
    ("flags", "shown"),
    [
        ("--global-batch-size 64", "8 prompts × 8 samples = 64 a rollout, 1 update of 64"),
        ("--global-batch-size 16", "8 prompts × 8 samples = 64 a rollout, 4 updates of 16"),
        ("--num-steps-per-rollout 2", "8 prompts × 8 samples = 64 a rollout, 2 updates of 32"),
        ("--global-batch-size 48", "8 prompts × 8 samples = 64 a rollout, which batches of 48 do not divide"),
        ('--global-batch-size "$G"', ""),
        ("--global-batch-size -2", "8 prompts × 8 samples = 64 a rollout"),
    ],
)
def test_batches(flags: str, shown: str) -> None:
    common = f"--colocate {resource(actor=8, rollout=8)} --rollout-batch-size 8 --n-samples-per-prompt 8"
    assert told(f"{common} {flags}")[1] == shown
