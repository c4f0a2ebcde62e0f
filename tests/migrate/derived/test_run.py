"""Checkpoints, loggers, offloading, and that a plan contradicts itself nowhere."""

from __future__ import annotations

import pytest

from relax_lint.migrate.choices import Choices, shape_of
from relax_lint.migrate.derived import DERIVED
from relax_lint.migrate.mapping import all_entries
from relax_lint.migrate.plan import Passed
from relax_lint.migrate.planning import Contradiction, plan
from relax_lint.migrate.settings import Setting
from relax_lint.migrate.values import Template
from relax_lint.records import changed
from relax_lint.shell.launch import Unknown
from tests.migrate.planned import MEGATRON, QWEN3_8B, A, M, composed, fate, flags, planned, settings_of, todos

SAVED = "trainer.save_freq=20"


def test_checkpoints_go_where_verl_puts_them_and_the_run_goes_on_from_there() -> None:
    made = flags(planned(SAVED, "trainer.default_local_dir=/ckpt/mine"))
    assert (made["--save"], made["--load"]) == ("/ckpt/mine", "/ckpt/mine")
    default = flags(planned(SAVED, "trainer.project_name=p", "trainer.experiment_name=e"))
    assert default["--save"] == "${SAVE_DIR:-checkpoints}/p/e"
    assert "--load" not in flags(planned(SAVED, "trainer.resume_mode=disable"))


def test_a_checkpoint_of_verl_is_none_of_relax() -> None:
    made = planned(SAVED, "trainer.resume_mode=resume_path", "trainer.resume_from_path=/c/global_step_5")
    assert "--load" not in flags(made)
    assert "/c/global_step_5" in todos(made)


def test_contents_of_a_checkpoint() -> None:
    made = flags(planned(SAVED, f"{A}.checkpoint.save_contents=[model,hf_model]", "trainer.default_local_dir=/c"))
    assert made["--save-hf"] == "/c/hf/{rollout_id}"
    assert "--no-save-optim" in made


def test_models_of_the_hub_lie_below_model_dir() -> None:
    made = flags(planned(f"{M}.path=Qwen/Qwen3-8B"))
    assert made["--hf-checkpoint"] == made["--ref-load"] == "${MODEL_DIR}/Qwen3-8B"
    assert made["--megatron-to-hf-mode"] == "bridge"
    assert flags(planned(f"{M}.path=/models/mine"))["--hf-checkpoint"] == "/models/mine"
    assert flags(planned(f"{M}.path=~/models/mine"))["--hf-checkpoint"] == "${HOME}/models/mine"


def test_the_optimizer_lies_in_the_hosts_memory() -> None:
    made = planned(f"{A}.fsdp_config.optimizer_offload=False")
    assert {
        "--optimizer-cpu-offload", "--overlap-cpu-optimizer-d2h-h2d", "--use-precision-aware-optimizer",
    } <= set(flags(made))  # fmt: skip
    assert fate(made, f"{A}.fsdp_config.optimizer_offload").flags == ("--optimizer-cpu-offload",)


@pytest.mark.parametrize("value", [True, False])
def test_what_relax_does_with_the_trainer_s_memory_is_said_whatever_verl_does(value: bool) -> None:
    told = fate(planned(f"{A}.fsdp_config.param_offload={value}"), f"{A}.fsdp_config.param_offload")
    assert told.kind == "dropped"
    assert "whatever verl does (--offload-train comes with --colocate)" in told.reason
    assert "in async mode it has GPUs of its own" in told.reason


def test_that_nothing_is_clipped_is_said_of_the_sync_mode_alone() -> None:
    reason = fate(planned(), f"{A}.clip_ratio_c").reason
    assert (
        "the ratio is 1 in sync mode, and nothing is clipped; in async mode the rollout's weights may be older"
        in reason
    )


@pytest.mark.parametrize(
    ("logger", "there", "absent"),
    [
        ("[console]", ["--use-tensorboard"], ["--use-wandb"]),
        ("console", ["--use-tensorboard"], ["--use-wandb"]),
        ("[console,wandb]", ["--use-wandb", "--wandb-group", "--no-use-tensorboard"], ["--use-tensorboard"]),
        ("[console,wandb,tensorboard]", ["--use-wandb", "--use-tensorboard"], []),
        ("[clearml]", ["--use-clearml"], ["--use-wandb"]),
    ],
)
def test_loggers(logger: str, there: list[str], absent: list[str]) -> None:
    made = flags(planned(f"trainer.logger={logger}"))
    assert set(there) <= set(made)
    assert not set(absent) & set(made)


def test_a_variable_with_a_default_stays_where_one_flag_takes_it() -> None:
    settings = composed()
    key = f"{A}.kl_loss_coef"
    leaves = {
        **settings.leaves,
        f"{A}.use_kl_loss": Setting(f"{A}.use_kl_loss", True, "command line"),
        key: Setting(key, 0.01, "command line", None, f"{key}=1e-2", "COEF"),
    }
    made = plan(changed(settings, leaves=leaves), Choices("demo", shape=QWEN3_8B))
    assert flags(made)["--kl-loss-coef"] == "${COEF:-1e-2}"


# ---------------------------------------------------------------- the plan as a whole


@pytest.mark.parametrize("config", [(), MEGATRON])
def test_every_setting_has_one_fate_in_the_order_of_the_settings(config: tuple[str, ...]) -> None:
    made = planned(*config)
    assert [each.key for each in made.fates] == list(made.settings.leaves)


def test_every_flag_is_passed_once_in_a_mode() -> None:
    made = planned(f"{A}.use_kl_loss=True")
    for mode in ("sync", "async"):
        passed = [each.flag for each in made.passed if each.modes in ("both", mode)]
        assert len(passed) == len(set(passed))


def test_the_mapping_names_steps_that_are_there() -> None:
    assert {entry.derived for entry in all_entries() if entry.derived} <= set(DERIVED)


def test_two_values_for_one_flag_are_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = {**DERIVED, "other": lambda settings, choices: iter([Passed("--eps-clip", ("0.9",), because=("x",))])}
    monkeypatch.setattr("relax_lint.migrate.planning.DERIVED", steps)
    with pytest.raises(Contradiction, match="--eps-clip"):
        planned()


def test_what_a_setting_says_goes_before_what_is_passed_in_any_case() -> None:
    transformer = f"{A}.megatron.override_transformer_config"
    made = plan(settings_of(*MEGATRON, f"{transformer}.attention_backend=fused"), Choices("demo", shape=QWEN3_8B))
    assert flags(made)["--attention-backend"] == "fused"


def test_a_path_that_bash_gives_stays() -> None:
    settings = composed()
    value = Template((Unknown("${MODEL}", "MODEL"),))
    leaves = {**settings.leaves, f"{M}.path": Setting(f"{M}.path", value, "command line")}
    made = plan(changed(settings, leaves=leaves), Choices("demo", shape=QWEN3_8B))
    assert flags(made)["--hf-checkpoint"] == "${MODEL}"


def test_the_shape_of_a_model() -> None:
    dense = {
        "--num-layers": ("36",), "--hidden-size": ("4096",), "--ffn-hidden-size": ("12288",), "--swiglu": (),
        "--num-attention-heads": ("32",), "--num-query-groups": ("8",), "--kv-channels": ("128",),
        "--vocab-size": ("151936",), "--untie-embeddings-and-output-weights": (),
    }  # fmt: skip
    shape = shape_of(dense)
    assert (shape.heads, shape.query_groups, shape.layers, shape.experts) == (32, 8, 36, 0)
    assert shape.parameters == pytest.approx(8.2, abs=0.1)
    mixed = shape_of(
        {**dense, "--num-experts": ("128",), "--moe-ffn-hidden-size": ("768",), "--moe-layer-freq": ("[0]*1+[1]*35",)}
    )
    assert mixed.expert_parameters == pytest.approx(35 * 128 * 3 * 4096 * 768 / 1e9)


def test_a_directory_in_which_verl_may_have_saved_is_told_of() -> None:
    told = "by its latest_checkpointed_iteration.txt Relax takes it for one of its own"
    assert told in todos(planned(SAVED, "trainer.default_local_dir=/ckpt/mine"))
    assert told not in todos(planned(SAVED, "trainer.default_local_dir=/ckpt/mine", "trainer.resume_mode=disable"))
    assert told not in todos(planned(SAVED))


@pytest.mark.parametrize(("key", "flag"), [("save_freq", "--save-interval"), ("test_freq", "--eval-interval")])
def test_an_interval_that_is_no_number_is_told_of(key: str, flag: str) -> None:
    made = planned(f"trainer.{key}=after_each_epoch")
    assert fate(made, f"trainer.{key}").kind == "unsupported"
    assert f"trainer.{key}=after_each_epoch: verl itself fails" in todos(made)
    assert flag in todos(made)
