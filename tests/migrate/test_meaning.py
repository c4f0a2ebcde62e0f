"""Where verl and Relax differ in meaning: what a mapping of name to name would get wrong.

The rows are those of the table that this project was built by. Those that one setting decides alone are tested with
the mapping (tests/migrate/test_direct.py): 14 (weight decay, betas) and 22 (units). Of 8, that ppo_epochs has no
counterpart is here; of 18, what sapo makes of clipping, too.
"""

from __future__ import annotations

import pytest

from relax_lint.migrate.choices import Choices
from relax_lint.migrate.plan import Refusal
from relax_lint.migrate.planning import plan
from relax_lint.migrate.settings import Setting
from relax_lint.records import changed
from tests.cases import for_each
from tests.migrate.planned import MEGATRON, QWEN3_8B, A, R, fate, flags, planned, settings_of, todos

KEEPING = Choices("demo", keep_updates=True, shape=QWEN3_8B)
EVALUATED = ("trainer.test_freq=5",)
JANUARY = "0.8.0.dev"


def test_1_the_learning_rate_stays_constant() -> None:
    assert flags(planned())["--lr-decay-style"] == "constant"
    cosine = planned(f"{A}.optim.lr_scheduler_type=cosine", f"{A}.optim.min_lr_ratio=0.1", f"{A}.optim.lr=1e-6")
    assert (flags(cosine)["--lr-decay-style"], flags(cosine)["--min-lr"]) == ("cosine", "1e-7")
    assert flags(planned(*MEGATRON, f"{A}.optim.lr_decay_style=linear"))["--lr-decay-style"] == "linear"


@pytest.mark.parametrize(
    ("loss_mode", "aggregation", "version", "per_token"),
    [
        ("vanilla", "token-mean", "", True),
        ("vanilla", "seq-mean-token-mean", "", False),
        ("cispo", "token-mean", "", True),
        ("gspo", "token-mean", JANUARY, False),
        ("gspo", "token-mean", "0.9.1", True),
        ("sapo", "token-mean", JANUARY, False),
        ("sapo", "token-mean", "0.9.1", False),
    ],
)
def test_2_tokens_count_the_same_where_they_do_in_verl(
    loss_mode: str, aggregation: str, version: str, per_token: bool
) -> None:
    overrides = (f"{A}.policy_loss.loss_mode={loss_mode}", f"{A}.loss_agg_mode={aggregation}")
    assert ("--calculate-per-token-loss" in flags(planned(*overrides, version=version))) is per_token


def test_2_a_sum_of_tokens_gets_a_function_of_its_own() -> None:
    made = planned(f"{A}.loss_agg_mode=seq-mean-token-sum-norm", "data.max_response_length=3000")
    assert flags(made)["--custom-pg-loss-reducer-function-path"] == "examples.demo.loss_demo.get_pg_loss_reducer"
    (file,) = [file for file in made.files if file.name == "loss_demo.py"]
    assert "SCALE = 3000" in file.text
    compile(file.text, file.name, "exec")
    assert "--calculate-per-token-loss" not in flags(made)


def test_3_prompts_stay_prompts_and_the_global_batch_counts_samples() -> None:
    made = flags(planned("data.train_batch_size=1024", f"{R}.n=5", f"{A}.ppo_mini_batch_size=1024"))
    assert (made["--rollout-batch-size"], made["--n-samples-per-prompt"]) == ("1024", "5")
    assert made["--global-batch-size"] == "5120"


def test_3_taken_for_samples_they_have_to_divide() -> None:
    samples = Choices("demo", unit="samples", shape=QWEN3_8B)
    made = planned("data.train_batch_size=64", choices=samples)
    assert (flags(made)["--rollout-batch-size"], flags(made)["--global-batch-size"]) == ("8", "64")
    assert "--batch-unit samples" in made.batch
    with pytest.raises(Refusal, match="1024 is no multiple of the 5 samples"):
        planned("data.train_batch_size=1024", f"{R}.n=5", choices=samples)


@pytest.mark.parametrize("prompts", [8, 6, 5])
def test_3_the_prompts_of_a_step_divide_among_the_replicas(prompts: int) -> None:
    made = flags(planned(f"data.train_batch_size={prompts}", f"{A}.ppo_mini_batch_size={prompts}"))
    gpus = int(made["--resource"].partition("[1, ")[2].partition("]")[0])
    sizes = ("--tensor-model-parallel-size", "--pipeline-model-parallel-size", "--context-parallel-size")
    replicas = gpus // (int(made[sizes[0]]) * int(made[sizes[1]]) * int(made[sizes[2]]))
    assert prompts % replicas == 0


def test_4_the_reward_takes_no_kl_with_grpo() -> None:
    made = planned("algorithm.use_kl_in_reward=True", "algorithm.kl_ctrl.kl_coef=0.01")
    assert "--kl-coef" not in flags(made)
    assert fate(made, "algorithm.use_kl_in_reward").kind == "unsupported"
    assert "--use-kl-loss --kl-loss-coef 0.01" in todos(made)
    off = planned("algorithm.use_kl_in_reward=True", "algorithm.kl_ctrl.kl_coef=0.0")
    assert fate(off, "algorithm.use_kl_in_reward").kind == "no effect"


@pytest.mark.parametrize(
    ("verl", "relax"),
    [("kl", "k1"), ("k1", "k1"), ("mse", "k2"), ("k2", "k2"), ("k3", "low_var_kl"), ("low_var_kl", "low_var_kl")],
)
def test_5_the_kl_of_the_loss_is_named_as_in_relax(verl: str, relax: str) -> None:
    made = flags(planned(f"{A}.use_kl_loss=True", f"{A}.kl_loss_type={verl}"))
    assert (made["--kl-loss-type"], made["--kl-loss-coef"]) == (relax, "0.001")
    assert made["--ref-load"] == "${MODEL_DIR}/Qwen3-8B"


@pytest.mark.parametrize("kind", ["abs", "full"])
def test_5_other_distances_are_refused(kind: str) -> None:
    with pytest.raises(Refusal, match="a distance that Relax lacks"):
        planned(f"{A}.use_kl_loss=True", f"{A}.kl_loss_type={kind}")


def test_5_a_distance_that_is_only_reported_has_the_gradient_of_k2() -> None:
    made = planned(f"{A}.use_kl_loss=True", f"{A}.kl_loss_type=k3+")
    assert flags(made)["--kl-loss-type"] == "k2"
    assert fate(made, f"{A}.kl_loss_type").kind == "unsupported"
    assert "gradient that of k2" in fate(made, f"{A}.kl_loss_type").reason


def test_5_without_a_kl_loss_nothing_is_passed() -> None:
    assert not {"--use-kl-loss", "--kl-loss-coef", "--kl-loss-type"} & set(flags(planned(f"{A}.kl_loss_coef=0.1")))


@pytest.mark.parametrize("mode", ["gspo", "sapo", "cispo"])
def test_6_the_loss_mode_becomes_the_estimator(mode: str) -> None:
    assert flags(planned(f"{A}.policy_loss.loss_mode={mode}"))["--advantage-estimator"] == mode


def test_7_there_is_no_dual_clip() -> None:
    made = planned(f"{A}.clip_ratio_c=10.0")
    assert "--eps-clip-c" not in flags(made)
    assert fate(made, f"{A}.clip_ratio_c").kind == "unsupported"
    several = planned(f"{A}.clip_ratio_c=10.0", f"{A}.ppo_mini_batch_size=16", choices=KEEPING)
    assert "clip_ratio_c=10.0" in todos(several)


def test_8_several_updates_of_a_rollout_become_one_or_are_kept() -> None:
    made = planned(f"{A}.ppo_mini_batch_size=16")
    assert "--num-steps-per-rollout" not in flags(made)
    assert flags(made)["--global-batch-size"] == "512"
    assert "4 updates of a step" in made.batch
    assert "--keep-updates" in fate(made, f"{A}.ppo_mini_batch_size").todo
    kept = flags(planned(f"{A}.ppo_mini_batch_size=16", choices=KEEPING))
    assert (kept["--num-steps-per-rollout"], kept["--global-batch-size"]) == ("4", "128")


def test_8_a_batch_is_not_gone_over_twice() -> None:
    made = planned(f"{A}.ppo_epochs=2")
    assert fate(made, f"{A}.ppo_epochs").kind == "unsupported"
    assert "--num-iters-per-train-update" not in flags(made)


def test_9_the_tensors_of_the_rollout_are_the_gpus_of_an_engine() -> None:
    made = flags(planned(f"{R}.tensor_model_parallel_size=2", *MEGATRON, f"{A}.megatron.tensor_model_parallel_size=4"))
    assert made["--rollout-num-gpus-per-engine"] == "2"
    assert made["--tensor-model-parallel-size"] == "4"
    assert "--sglang-tp-size" not in made


def test_10_evaluation_is_greedy_unless_it_is_said_otherwise() -> None:
    made = flags(planned(f"{R}.temperature=1.0", f"{R}.top_p=0.9", *EVALUATED))
    assert made["--eval-temperature"] == "0"
    assert (made["--eval-top-p"], made["--eval-top-k"]) == ("1.0", "-1")
    sampled = flags(planned(f"{R}.val_kwargs.temperature=0.6", f"{R}.val_kwargs.n=4", *EVALUATED))
    assert (sampled["--eval-temperature"], sampled["--n-samples-per-eval-prompt"]) == ("0.6", "4")


def test_11_minus_one_is_never() -> None:
    made = flags(planned("trainer.test_freq=-1", "trainer.save_freq=-1"))
    assert not {"--eval-interval", "--eval-prompt-data", "--save-interval", "--save"} & set(made)


def test_11_an_interval_goes_with_what_it_needs() -> None:
    made = flags(planned("trainer.save_freq=20", *EVALUATED))
    assert made["--save-interval"] == "20"
    assert made["--save"]
    assert made["--eval-interval"] == "5"
    assert made["--eval-prompt-data"]


def test_12_all_turns_together_are_bounded() -> None:
    made = planned(f"{R}.multi_turn.enable=True", "data.max_prompt_length=1000", "data.max_response_length=3000")
    assert flags(made)["--rollout-max-context-len"] == "4000"
    assert flags(made)["--rollout-max-response-len"] == "3000"
    assert "--rollout-max-context-len" not in flags(planned())
    assert flags(planned())["--rollout-max-response-len"] == "512"


def test_13_rows_are_read_as_verl_reads_them() -> None:
    made = flags(planned())
    assert {"--rollout-shuffle", "--apply-chat-template"} <= set(made)
    assert made["--input-key"] == "prompt"
    assert "--rollout-shuffle" not in flags(planned("data.shuffle=False"))


def test_14_nothing_of_the_guides_template_that_verl_says_otherwise() -> None:
    made = flags(planned())
    assert "--use-tis" not in made
    assert made["--eps-clip-high"] == "0.2"
    assert {"--use-dynamic-batch-size", "--max-tokens-per-gpu"} <= set(made)


def test_15_zero_is_on_policy() -> None:
    assert flags(planned())["--max-staleness"] == "0"
    assert flags(planned(), "async")["--max-staleness"] == "2"


def test_16_warm_up_is_counted_in_updates() -> None:
    assert flags(planned(f"{A}.optim.lr_warmup_steps=10"))["--lr-warmup-iters"] == "10"
    four = (f"{A}.optim.lr_warmup_steps=10", f"{A}.ppo_mini_batch_size=16")
    assert flags(planned(*four, choices=KEEPING))["--lr-warmup-iters"] == "40"


def test_16_a_share_is_a_fraction_and_never_both() -> None:
    made = flags(planned(f"{A}.optim.lr_warmup_steps_ratio=0.1"))
    assert made["--lr-warmup-fraction"] == "0.1"
    assert "--lr-warmup-iters" not in made
    both = flags(planned(f"{A}.optim.lr_warmup_steps_ratio=0.1", f"{A}.optim.lr_warmup_steps=10"))
    assert "--lr-warmup-fraction" not in both


@pytest.mark.parametrize(("nodes", "each", "total"), [(1, 8, 8), (2, 8, 16), (1, 4, 4), (3, 4, 12)])
def test_17_gpus_are_counted_in_all(nodes: int, each: int, total: int) -> None:
    batch = ("data.train_batch_size=96", f"{A}.ppo_mini_batch_size=96")
    made = flags(planned(f"trainer.nnodes={nodes}", f"trainer.n_gpus_per_node={each}", *batch))
    assert made["--resource"] == f'{{"actor": [1, {total}], "rollout": [1, {total}]}}'
    assert made.get("--num-gpus-per-node", "8") == str(each)


def test_18_both_bounds_are_written_and_clip_ratio_is_not_read() -> None:
    made = planned(f"{A}.clip_ratio=0.3")
    assert (flags(made)["--eps-clip"], flags(made)["--eps-clip-high"]) == ("0.2", "0.2")
    assert fate(made, f"{A}.clip_ratio").kind == "no effect"
    nulls = flags(planned(f"{A}.clip_ratio=0.3", f"{A}.clip_ratio_low=null", f"{A}.clip_ratio_high=null"))
    assert (nulls["--eps-clip"], nulls["--eps-clip-high"]) == ("0.3", "0.3")
    assert "--eps-clip" not in flags(planned(f"{A}.policy_loss.loss_mode=sapo"))


def test_19_wandb_gets_a_group_and_others_are_named() -> None:
    made = planned("trainer.logger=[console,wandb,swanlab]", "trainer.experiment_name=try1")
    assert flags(made)["--wandb-group"] == "try1"
    assert "swanlab" in todos(made)
    assert fate(made, "trainer.logger").kind == "unsupported"


def test_20_a_single_sample_keeps_its_score() -> None:
    made = flags(planned(f"{R}.n=1"))
    assert "--disable-rewards-normalization" in made
    assert "--disable-grpo-std-normalization" not in made
    assert "--disable-rewards-normalization" not in flags(planned())


def test_21_cispo_is_told_of() -> None:
    assert "negative advantage" in todos(planned(f"{A}.policy_loss.loss_mode=cispo"))


def test_23_the_run_ends_with_the_epochs_or_with_the_steps() -> None:
    made = flags(planned("trainer.total_epochs=3", "trainer.total_training_steps=100"))
    assert (made["--num-epoch"], made["--num-rollout"]) == ("3", "100")
    assert "--num-rollout" not in flags(planned("trainer.total_epochs=3"))


def test_24_all_tokens_are_minus_one() -> None:
    assert "--rollout-top-k" not in flags(planned(f"{R}.top_k=0"))
    assert flags(planned(f"{R}.top_k=50"))["--rollout-top-k"] == "50"
    assert flags(planned(f"{R}.val_kwargs.top_k=0", *EVALUATED))["--eval-top-k"] == "-1"


@for_each(
    "estimator",
    [
        "gae", "rloo", "rloo_vectorized", "remax", "opo", "gpg", "grpo_passk", "optimal_token_baseline",
        "tir_optimal_token_baseline", "reinforce_plus_plus", "reinforce_plus_plus_baseline", "own_estimator",
    ],
)  # fmt: skip
def test_estimators_that_relax_lacks_are_refused(estimator: str) -> None:
    with pytest.raises(Refusal) as refused:
        planned(f"algorithm.adv_estimator={estimator}")
    assert estimator in refused.value.reason
    assert "grpo" in refused.value.reason.lower()
    assert refused.value.place is not None


def test_verls_default_estimator_is_named_as_such() -> None:
    settings = settings_of()
    key = "algorithm.adv_estimator"
    leaves = {**settings.leaves, key: Setting(key, "gae", "verl default")}
    with pytest.raises(Refusal, match=r"gae \(verl's default\) is PPO with a critic"):
        plan(changed(settings, leaves=leaves), KEEPING)


@pytest.mark.parametrize("mode", ["gpg", "clip_cov", "kl_cov", "geo_mean", "my_loss"])
def test_losses_that_relax_lacks_are_refused(mode: str) -> None:
    with pytest.raises(Refusal, match=f"{mode} is a loss that Relax lacks"):
        planned(f"{A}.policy_loss.loss_mode={mode}")


def test_bypass_takes_the_log_probabilities_of_the_rollout() -> None:
    made = planned("algorithm.rollout_correction.bypass_mode=True", f"{A}.policy_loss.loss_mode=gspo")
    assert "--use-rollout-logprobs" in flags(made)
    assert flags(made)["--advantage-estimator"] == "grpo"
    # Relax takes only one of the two, and its async mode the first for granted.
    assert "--use-rollout-logprobs" not in flags(made, "async")
    assert "--use-tis" in flags(made, "async")
    with pytest.raises(Refusal, match="loss_type=reinforce with bypass_mode"):
        planned("algorithm.rollout_correction.bypass_mode=True", "algorithm.rollout_correction.loss_type=reinforce")


def test_verl_hands_betas_to_fsdp_only() -> None:
    betas = f"{A}.optim.betas=[0.9, 0.95]"
    assert flags(planned(betas))["--adam-beta2"] == "0.95"
    assert "--adam-beta2" not in flags(planned(*MEGATRON, betas))


def test_verl_cuts_no_prompt() -> None:
    cut = "data.truncation=left"
    assert fate(planned(cut), "data.truncation").kind == "no effect"
    assert "cut" not in todos(planned(cut))
    assert "cut them when the data is converted" in todos(planned(cut, "data.custom_cls.path=mine.py"))


def test_kl_and_entropy_are_put_together_by_the_setting_that_gspo_does_not_read() -> None:
    gspo = (f"{A}.policy_loss.loss_mode=gspo", f"{A}.loss_agg_mode=token-mean")
    assert fate(planned(*gspo, version=JANUARY), f"{A}.loss_agg_mode").kind == "no effect"
    with_kl = fate(planned(*gspo, f"{A}.use_kl_loss=True", version=JANUARY), f"{A}.loss_agg_mode")
    assert (with_kl.kind, "KL and entropy" in with_kl.reason) == ("unsupported", True)


def test_the_ratio_to_the_rollout_is_clipped_in_one_mode_and_weighted_in_the_other() -> None:
    made = planned("algorithm.rollout_correction.bypass_mode=True")
    assert "--use-rollout-logprobs" in flags(made)
    assert "--use-tis" in flags(made, "async")
    assert "--tis-clip" in fate(made, "algorithm.rollout_correction.bypass_mode").reason
    assert "near 1" in fate(made, f"{A}.clip_ratio_c").reason


def test_a_rejection_of_samples_needs_the_flag_that_has_its_function_called() -> None:
    rejected = "algorithm.rollout_correction.rollout_rs=seq_mean_k1"
    assert "--custom-tis-function-path, which only --use-tis has called" in todos(planned(rejected))
    weighted = todos(planned(rejected, "algorithm.rollout_correction.rollout_is=token"))
    assert "--custom-tis-function-path" in weighted
    assert "only --use-tis" not in weighted
