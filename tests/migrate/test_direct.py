"""Settings of verl that one flag of Relax says, or none."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import pytest

from relax_lint.migrate.direct import as_flags, direct_steps
from relax_lint.migrate.effective import effective_settings
from relax_lint.migrate.plan import Fate, Passed, Refusal, Step, Todo
from relax_lint.migrate.settings import NOT_THERE, Flavour, Origin, Setting, Settings
from relax_lint.migrate.values import Data, Template
from relax_lint.project import Project
from tests.cases import for_each
from tests.migrate.plans import COMMAND, launches_of, template

A, R, M = "actor_rollout_ref.actor", "actor_rollout_ref.rollout", "actor_rollout_ref.model"
T = f"{A}.megatron.override_transformer_config"
LAUNCH = launches_of(COMMAND)[0]
LEGACY = "trainer.use_legacy_worker_impl"
GRPO: Mapping[str, Data] = {"algorithm.adv_estimator": "grpo", f"{R}.name": "vllm"}
JANUARY: Mapping[str, Data] = {**GRPO, LEGACY: "auto"}


def steps(
    values: Mapping[str, Data],
    origin: Origin = "command line",
    *,
    beside: Mapping[str, Data] = GRPO,
    main: str = "verl.trainer.main_ppo",
    flavour: Flavour = "fsdp",
    variables: Mapping[str, str] | None = None,
    known: bool = True,
    meant: str | None = None,
    problem: str = "",
) -> list[Step]:
    leaves = {key: Setting(key, value, "verl default") for key, value in beside.items()}
    for key, value in values.items():
        variable = (variables or {}).get(key)
        leaves[key] = Setting(key, value, origin, None, f"{key}={value}", variable, known, meant, problem)
    settings = Settings(LAUNCH, main, flavour, "0.9.1", leaves)
    return list(direct_steps(settings))


def fate(found: Sequence[Step], key: str) -> Fate:
    (of_key,) = [step for step in found if isinstance(step, Fate) and step.key == key]
    return of_key


def argv(found: Sequence[Step]) -> list[str]:
    words: list[str] = []
    for step in found:
        if isinstance(step, Passed):
            words += [step.flag, *(value.quoted if isinstance(value, Template) else value for value in step.values)]
    return words


def todos(found: Sequence[Step]) -> list[str]:
    return [step.text for step in found if isinstance(step, Todo)]


# ---------------------------------------------------------------- one to one


@for_each(
    ("key", "value", "words"),
    [
        (f"{A}.optim.lr", 1e-06, ["--lr", "1e-06"]),
        (f"{A}.optim.lr", 0.0, ["--lr", "0.0"]),
        (f"{A}.optim.betas", [0.9, 0.95], ["--adam-beta1", "0.9", "--adam-beta2", "0.95"]),
        (f"{A}.optim.weight_decay", 0.1, ["--weight-decay", "0.1"]),
        (f"{A}.optim.optimizer", "AdamW", ["--optimizer", "adam"]),
        (f"{A}.entropy_coeff", 0.001, ["--entropy-coef", "0.001"]),
        ("data.shuffle", True, ["--rollout-shuffle"]),
        ("data.shuffle", False, []),
        ("data.seed", 7, ["--rollout-seed", "7"]),
        ("data.seed", None, []),
        (f"{R}.gpu_memory_utilization", 0.6, ["--sglang-mem-fraction-static", "0.6"]),
        (f"{R}.enforce_eager", True, ["--sglang-disable-cuda-graph"]),
        (f"{R}.enforce_eager", False, []),
        (f"{R}.enable_prefix_caching", False, ["--sglang-disable-radix-cache"]),
        (f"{R}.enable_chunked_prefill", False, ["--sglang-chunked-prefill-size", "-1"]),
        (f"{R}.enable_chunked_prefill", True, []),
        (f"{R}.max_num_seqs", 128, ["--sglang-max-running-requests", "128"]),
        (f"{R}.limit_images", 2, ["--sglang-limit-mm-data-per-request", '{"image": 2}']),
        (f"{R}.cudagraph_capture_sizes", [1, 2, 4], ["--sglang-cuda-graph-bs", "1", "2", "4"]),
        (f"{R}.checkpoint_engine.update_weights_bucket_megabytes", 4096, ["--update-weight-buffer-size", "4294967296"]),
        ("trainer.balance_batch", True, ["--balance-data"]),
        ("trainer.rollout_data_dir", "out/rollouts", ["--rollout-result-dir", "out/rollouts"]),
        (f"{A}.router_replay.mode", "R2", ["--use-routing-replay"]),
        (f"{A}.router_replay.mode", "R3", ["--use-rollout-routing-replay"]),
        (f"{A}.router_replay.mode", "disabled", []),
        (f"{A}.freeze_vision_tower", True, ["--freeze-vision-model"]),
        (f"{A}.fsdp_config.dtype", "bfloat16", []),
        (f"{A}.fsdp_config.dtype", "float16", ["--fp16"]),
        (f"{T}.apply_rope_fusion", False, ["--no-rope-fusion"]),
        (f"{T}.apply_rope_fusion", True, []),
        (f"{T}.moe_router_dtype", "fp32", ["--moe-router-dtype", "fp32"]),
        (f"{T}.recompute_granularity", "full", ["--recompute-granularity", "full"]),
        (f"{T}.recompute_num_layers", 1, ["--recompute-num-layers", "1"]),
        (
            f"{M}.override_config.max_position_embeddings",
            32768,
            ["--sglang-json-model-override-args", '{"max_position_embeddings": 32768}'],
        ),
        (f"{R}.engine_kwargs.sglang.attention_backend", "fa3", ["--sglang-attention-backend", "fa3"]),
        (f"{R}.engine_kwargs.sglang.enable_torch_compile", True, ["--sglang-enable-torch-compile"]),
        (f"{R}.engine_kwargs.sglang.enable_torch_compile", False, []),
        (f"{R}.engine_kwargs.vllm.max_logprobs", 20, []),
    ],
)
def test_a_setting_that_is_given_becomes_its_flag(key: str, value: Data, words: list[str]) -> None:
    found = steps({key: value})
    assert argv(found) == words
    assert fate(found, key).flags == tuple(word for word in words if word.startswith("--"))
    assert todos(found) == []


def test_a_number_stands_as_it_was_written() -> None:
    key = f"{A}.optim.lr"
    settings = Settings(LAUNCH, "main", "fsdp", "", {key: Setting(key, 1e-06, "command line", None, f"{key}=1e-6")})
    assert argv(list(direct_steps(settings))) == ["--lr", "1e-6"]


def test_defaults_that_agree_are_left_out() -> None:
    """Weight decay, betas and the learning rate are the same on both sides."""
    agreeing: dict[str, Data] = {
        f"{A}.optim.lr": 1e-06,
        f"{A}.optim.weight_decay": 0.01,
        f"{A}.optim.betas": [0.9, 0.999],
        f"{A}.optim.clip_grad": 1.0,
        f"{A}.entropy_coeff": 0,
    }
    found = steps(agreeing, "verl default")
    assert argv(found) == []
    assert {fate(found, key).kind for key in agreeing} == {"same"}
    assert argv(steps(agreeing)) != []


def test_defaults_that_differ_are_said() -> None:
    found = steps({"data.shuffle": True, f"{M}.enable_gradient_checkpointing": True}, "verl default")
    assert argv(found) == [
        "--rollout-shuffle",
        *("--recompute-granularity", "full", "--recompute-method", "uniform", "--recompute-num-layers", "1"),
    ]
    assert {fate(found, key).kind for key in ("data.shuffle", f"{M}.enable_gradient_checkpointing")} == {"mapped"}


def test_defaults_of_speed_and_memory_are_left_to_each_side() -> None:
    keys: dict[str, Data] = {
        f"{R}.max_num_seqs": 256,
        f"{R}.checkpoint_engine.update_weights_bucket_megabytes": 2048,
        f"{A}.fsdp_config.seed": 42,
    }
    found = steps(keys, "verl default")
    assert argv(found) == []
    assert {fate(found, key).kind for key in keys} == {"dropped"}


def test_data_is_balanced_in_the_sync_mode_only() -> None:
    (passed,) = [step for step in steps({"trainer.balance_batch": True}) if isinstance(step, Passed)]
    assert (passed.modes, passed.group) == ("sync", "launch")


# ---------------------------------------------------------------- what counts only sometimes


@pytest.mark.parametrize(
    ("flavour", "implementation", "flag"),
    [
        ("fsdp", "auto", "grad_clip"),
        ("fsdp", "enable", "grad_clip"),
        ("fsdp", "disable", "optim.clip_grad"),
        ("fsdp", None, "optim.clip_grad"),
        ("megatron", "auto", "optim.clip_grad"),
    ],
)
def test_each_engine_clips_gradients_by_its_own_setting(flavour: Flavour, implementation: Data, flag: str) -> None:
    beside = {**GRPO, LEGACY: implementation}
    values: dict[str, Data] = {f"{A}.grad_clip": 0.5, f"{A}.optim.clip_grad": 0.5}
    found = steps(values, beside=beside, flavour=flavour)
    assert argv(found) == ["--clip-grad", "0.5"]
    assert [key for key in values if fate(found, key).flags] == [f"{A}.{flag}"]


def test_seconds_become_minutes_where_verl_reads_them() -> None:
    key = "actor_rollout_ref.nccl_timeout"
    assert argv(steps({key: 3600}, beside=JANUARY)) == ["--distributed-timeout-minutes", "60"]
    assert argv(steps({key: 90}, beside=JANUARY)) == ["--distributed-timeout-minutes", "2"]
    assert fate(steps({key: 600}, "verl default", beside=JANUARY), key).kind == "dropped"
    assert fate(steps({key: 3600}), key).kind == "no effect"


def test_multi_token_prediction_weighs_as_in_verl() -> None:
    """verl's 0.1 is 0.2 in Relax."""
    on: dict[str, Data] = {**GRPO, f"{M}.mtp.enable": True, f"{M}.mtp.enable_train": True}
    assert argv(steps({f"{M}.mtp.mtp_loss_scaling_factor": 0.1}, "verl default", beside=on)) == [
        *("--enable-mtp-training", "--mtp-num-layers", "1"),
        *("--mtp-loss-scaling-factor", "0.1"),
    ]
    assert argv(steps({f"{M}.mtp.mtp_loss_scaling_factor": 0.1}, beside=GRPO)) == []


def test_speculative_decoding_counts_only_where_it_is_asked_for() -> None:
    key = f"{M}.mtp.speculative_num_steps"
    on: dict[str, Data] = {**GRPO, f"{M}.mtp.enable": True, f"{M}.mtp.enable_rollout": True}
    assert argv(steps({key: 2}, beside=on)) == ["--sglang-speculative-num-steps", "2"]
    assert fate(steps({key: 2}), key).kind == "no effect"


def test_megatron_goes_by_its_own_recomputation() -> None:
    key = f"{M}.enable_gradient_checkpointing"
    found = steps({key: True}, flavour="megatron")
    assert argv(found) == []
    assert fate(found, key).kind == "no effect"


def test_a_critic_counts_with_gae_only() -> None:
    key = "critic.optim.lr"
    assert fate(steps({key: 1e-05}), key).kind == "no effect"
    assert fate(steps({key: 1e-05}, beside={"algorithm.adv_estimator": "gae"}), key).kind == "unsupported"


def test_a_condition_on_what_only_bash_knows_may_hold() -> None:
    key = f"{R}.enable_prefix_caching"
    assert argv(steps({key: False}, beside={f"{R}.name": template("${ENGINE}")})) == ["--sglang-disable-radix-cache"]


# ---------------------------------------------------------------- what only bash knows


def test_what_needs_no_conversion_is_carried_as_shell_text() -> None:
    found = steps({"trainer.rollout_data_dir": template("$HOME/out"), f"{A}.optim.lr": template("${LR}")})
    assert argv(found) == ["--rollout-result-dir", "$HOME/out", "--lr", "${LR}"]


def test_a_variable_with_a_default_stays_overridable() -> None:
    key = f"{A}.optim.lr"
    assert argv(steps({key: 1e-06}, variables={key: "LR"})) == ["--lr", "${LR:-1e-06}"]


def test_a_variable_that_numbers_are_derived_from_does_not() -> None:
    variables = {f"{R}.max_num_seqs": "N", f"{R}.n": "N"}
    found = steps({f"{R}.max_num_seqs": 8, f"{R}.n": 8}, variables=variables)
    assert argv(found) == ["--sglang-max-running-requests", "8"]


def test_a_default_that_bash_would_read_otherwise_is_written_out() -> None:
    key = "trainer.rollout_data_dir"
    assert argv(steps({key: "a b"}, variables={key: "OUT"})) == ["--rollout-result-dir", "a b"]


@pytest.mark.parametrize(
    "key", ["data.shuffle", "actor_rollout_ref.nccl_timeout", f"{A}.optim.betas", f"{A}.fsdp_config.dtype"]
)
def test_what_needs_a_conversion_is_left_to_the_user(key: str) -> None:
    found = steps({key: template("${X}")}, beside=JANUARY)
    assert argv(found) == []
    assert fate(found, key).kind == "unsupported"
    assert len(todos(found)) == 1
    assert "${X}" in todos(found)[0]


# ---------------------------------------------------------------- what Relax lacks


@for_each(
    ("key", "neutral", "asking"),
    [
        (f"{A}.shuffle", False, True),
        ("trainer.critic_warmup", 0, 10),
        ("trainer.log_val_generations", 0, 10),
        (f"{M}.external_lib", None, "my_models"),
        ("data.sampler.class_path", None, "x.py"),
        ("global_profiler.steps", None, [1, 2]),
        (f"{R}.trace.backend", None, "weave"),
        (f"{R}.quantization", None, "fp8"),
        (f"{T}.fp8", None, "hybrid"),
        (f"{T}.attention_dropout", 0.0, 0.1),
    ],
)
def test_a_neutral_value_is_silent_and_any_other_is_not(key: str, neutral: Data, asking: Data) -> None:
    assert fate(steps({key: neutral}, "verl default"), key).kind == "same"
    assert fate(steps({key: neutral}), key).kind == "dropped"
    assert todos(steps({key: neutral})) == []
    found = steps({key: asking})
    assert argv(found) == []
    assert fate(found, key).kind == "unsupported"
    assert [key in todo for todo in todos(found)] == [True]


@pytest.mark.parametrize(
    ("key", "neutral", "asking"),
    [
        (f"{M}.lora_rank", 0, 32),
        (f"{M}.lora.rank", 0, 8),
        (f"{M}.lora_adapter_path", None, "adapters"),
    ],
)
def test_low_rank_adapters_are_refused(key: str, neutral: Data, asking: Data) -> None:
    assert fate(steps({key: neutral}), key).kind == "dropped"
    with pytest.raises(Refusal, match=rf"\A{re.escape(key)}={asking}: .*no low-rank adapters"):
        steps({key: asking})


def test_what_asks_for_the_same_is_said_once() -> None:
    found = steps({f"{T}.{name}": 1 for name in ("a", "b", "c", "d", "e")})
    assert len(todos(found)) == 1
    assert f"{T}.a=1, {T}.b=1, {T}.c=1 and 2 more: " in todos(found)[0]


def test_long_values_are_shortened() -> None:
    (todo,) = todos(steps({f"{M}.custom_chat_template": "{% x %}" * 50}))
    assert len(todo) < 250


def test_a_value_that_no_flag_takes_is_unsupported() -> None:
    key = f"{R}.engine_kwargs.sglang.no_such_option"
    found = steps({key: 1, f"{R}.scheduling_policy": "best"})
    assert argv(found) == []
    assert "--sglang-no-such-option" in fate(found, key).reason
    assert "--sglang-schedule-policy does not take it" in fate(found, f"{R}.scheduling_policy").reason


def test_two_values_for_one_flag_are_a_choice_of_the_users() -> None:
    found = steps({f"{A}.optim.eps": 1e-08, f"{A}.optim.override_optimizer_config.eps": 1e-06})
    assert argv(found) == ["--adam-eps", "1e-08"]
    assert f"{A}.optim.eps" in fate(found, f"{A}.optim.override_optimizer_config.eps").reason


@for_each(
    ("main", "values"),
    [
        ("recipe.flowrl.main_flowrl", {}),
        ("recipe.dance_grpo.main_dance", {}),
        ("recipe.gvpo.gvpo_main_ppo", {f"{A}.gvpo_beta": 0.1}),
        ("recipe.spin.main_spin", {f"{A}.dpo_beta": 0.1}),
        ("recipe.sppo.main_sppo", {"algorithm.sppo_eta": 1.0}),
        ("recipe.prime.main_prime", {"algorithm.reward_gt_coef": 5}),
        ("recipe.spo.spo_main_ppo", {"trainer.spo.enable": True}),
        ("recipe.gkd.megatron.main_gkd", {"actor_rollout_ref.teacher.server_ip": "localhost"}),
        ("recipe.atropos.main_atropos", {"atropos.api_url": "http://localhost:8000"}),
        ("verl.experimental.vla.main_ppo", {"env.train.simulator_type": "libero"}),
    ],
)
def test_programs_with_an_algorithm_of_their_own_are_refused(main: str, values: Mapping[str, Data]) -> None:
    with pytest.raises(Refusal) as refused:
        steps(values, main=main)
    assert "Relax" in refused.value.reason or "rewards" in refused.value.reason


def test_the_same_settings_mean_nothing_to_verl_itself() -> None:
    values: dict[str, Data] = {f"{A}.gvpo_beta": 0.1, "trainer.spo.enable": False}
    found = steps(values)
    assert (fate(found, f"{A}.gvpo_beta").kind, fate(found, "trainer.spo.enable").kind) == ("no effect", "dropped")


def test_words_that_are_no_settings_are_not_left_to_the_user() -> None:
    project = Project.from_files(
        {
            "cfg/main.yaml": "hydra: {searchpath: [pkg://verl.trainer.config]}\ndefaults: [ppo_trainer, exp: small]\n",
            "cfg/exp/small.yaml": "{}\n",
            "cfg/exp/big.yaml": "# @package _global_\ndata: {train_batch_size: 8}\n",
            "run.sh": "python3 -m verl.trainer.main_ppo --config-dir cfg --config-name main exp=big hydra.run.dir=/x "
            "~trainer.logger\n",
        }
    )
    source = project.launcher(project.root / "run.sh")
    assert source is not None
    found = list(direct_steps(effective_settings(source.launches[0], project)))
    told = {"exp": "chooses a file", "hydra.run.dir": "for Hydra itself", "~trainer.logger": "takes a setting away"}
    for key, reason in told.items():
        assert fate(found, key).kind == "no effect"
        assert reason in fate(found, key).reason
    assert not any("no such setting" in text for text in todos(found))


def test_keys_that_verl_does_not_know_are_all_left_to_the_user() -> None:
    keys = [f"data.own_{number}" for number in range(5)]
    found = steps(dict.fromkeys(keys, 1), known=False)
    assert {fate(found, key).kind for key in keys} == {"unknown key"}
    (todo,) = todos(found)
    assert todo.startswith(", ".join(keys))
    of_recipe = steps({keys[0]: 1}, known=False, main="recipe.mine.main")
    assert "recipe.mine.main" in fate(of_recipe, keys[0]).todo


@pytest.mark.parametrize("main", ["verl.trainer.main_ppo", "verl/trainer/main_ppo.py", "recipe.mine.main"])
def test_the_user_is_asked_what_an_added_key_is_meant_for(main: str) -> None:
    found = steps({"data.shufle": 1}, known=False, meant="data.shuffle", main=main)
    (todo,) = [text for text in todos(found) if not text.startswith("compare ")]
    assert todo.startswith("data.shufle (did you mean data.shuffle?): ")


def test_what_hydra_refuses_is_refused_when_no_verl_has_it() -> None:
    values: dict[str, Data] = {"data.typo": 5, "data.shufle": 1}
    with pytest.raises(Refusal) as refused:
        steps(values, known=False, meant="data.shuffle", problem=NOT_THERE)
    reason = refused.value.reason
    assert refused.value.key == "data.typo"
    for said in ("data.typo=5", "data.shufle=1 (did you mean data.shuffle?)", "verl 0.9.1", "--verl-root"):
        assert said in reason


def test_what_another_verl_has_or_had_is_not_refused() -> None:
    assert fate(steps({"data.seed": 5}, problem=NOT_THERE), "data.seed").kind == "mapped"
    key = "actor_rollout_ref.model.torch_dtype"
    assert fate(steps({key: "bfloat16"}, known=False, problem=NOT_THERE), key).kind == "no effect"


# ---------------------------------------------------------------- in a launch of Relax


@for_each(
    ("key", "value", "flags"),
    [
        ("data.max_response_length", 1024, [("--rollout-max-response-len", ("1024",))]),
        ("++data.shuffle", True, [("--rollout-shuffle", ())]),
        ("data.shuffle", False, []),
        (f"{A}.optim.lr", 1e-06, [("--lr", ("1e-6",))]),
        (f"{A}.optim.betas", [0.9, 0.95], [("--adam-beta1", ("0.9",)), ("--adam-beta2", ("0.95",))]),
        (f"{A}.kl_loss_type", "kl", [("--kl-loss-type", ("k1",))]),
        (f"{A}.clip_ratio_high", 0.28, [("--eps-clip-high", ("0.28",))]),
        (f"{A}.use_kl_loss", True, [("--use-kl-loss", ())]),
        ("trainer.save_freq", -1, []),
        ("trainer.save_freq", 20, [("--save-interval", ("20",))]),
        ("trainer.total_epochs", 15.0, [("--num-epoch", ("15",))]),
        ("trainer.device", "cuda", []),
        ("trainer.critic_warmup", 0, []),
        (f"{R}.tensor_model_parallel_size", 2, [("--rollout-num-gpus-per-engine", ("2",))]),
        (f"{R}.engine_kwargs.sglang.enable_torch_compile", True, [("--sglang-enable-torch-compile", ())]),
    ],
)
def test_a_setting_alone_is_its_flags(key: str, value: Data, flags: object) -> None:
    assert as_flags(key, value) == flags


@pytest.mark.parametrize(
    ("key", "value", "advice"),
    [
        ("data.train_batch_size", 1024, "--rollout-batch-size"),
        ("trainer.nnodes", 2, "--resource"),
        ("trainer.logger", ["console"], "--use-wandb"),
        (f"{A}.kl_loss_type", "full", "choose one of"),
        ("trainer.critic_warmup", 5, "Relax trains it from the first"),
        (f"{R}.scheduling_policy", "best", "--sglang-schedule-policy"),
        ("trainer.made_up", 1, "no setting trainer.made_up"),
    ],
)
def test_what_is_no_flag_is_advice(key: str, value: Data, advice: str) -> None:
    found = as_flags(key, value)
    assert isinstance(found, str)
    assert advice in found
