"""The built-in constraints: each one on a launch that violates it, and none on launches that are right."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

import pytest

from relax_lint.catalog.hidden import UNKNOWN, is_hidden
from relax_lint.catalog.namespace import Namespace
from relax_lint.constraints.derived import DERIVED, Function
from relax_lint.constraints.engine import Judgement, Violation, judge
from relax_lint.constraints.expressions import Expression
from relax_lint.constraints.facts import Facts, unknown_names
from relax_lint.constraints.tables import builtin
from relax_lint.shell.launch import Launch, Unknown, Word
from tests.cases import for_each
from tests.constraints.launches import GOOD, MODEL, RESOURCE, RUN, Known, facts_of, launch_of, parsers

_HOLE = re.compile(r"\{(\w+)\}")
ASYNC = (
    GOOD.replace("--colocate ", "--fully-async --max-staleness 2 --use-tis ")
    .replace(RESOURCE, "")
    .replace("--sequence-parallel", "--num-iters-per-train-update 2")
    .replace("--tensor-model-parallel-size 2", "")
)
ROLES = """--resource '{"actor": [1, 4], "rollout": [1, 4], "advantages": [1, 0]}'"""
WITH_REFERENCE = ROLES.replace("}", ', "reference": [1, 1]}')
ON_POLICY = f"{ASYNC} {ROLES}"
SFT = (
    f"{MODEL} --loss-type sft --hf-checkpoint /m/Demo --megatron-to-hf-mode bridge --prompt-data a.jsonl "
    "--use-dynamic-batch-size --max-tokens-per-gpu 8192 --num-epoch 1 --global-batch-size 64 "
    """--resource '{"actor": [1, 8], "sft": [1, 0]}'"""
)
EVALUATES = f"{GOOD} --eval-interval 5 --eval-prompt-data a /d/a.jsonl"
KV_ON_TWO_LEVELS = (
    "--rl-kv-cache-management-mode offload --rl-persist-cuda-graphs --cuda-graph-impl local "
    "--inference-dynamic-batching-unified-memory-level 1"
)
OTHER_LAYERS = (
    '{"hidden_act": "silu", "num_hidden_layers": 4, "hidden_size": 2560, "num_attention_heads": 32, '
    '"tie_word_embeddings": true, "rope_theta": 10000, "rope_scaling": {"factor": 8}, '
    '"block_configs": [{"attention": {"n_heads_in_group": 4}}]}'
)


def verdict(launch: Launch) -> Judgement:
    return judge(Facts(Namespace(launch, parsers()), Known()), builtin(), past_refusals=True)


def ids(violations: Iterable[Violation]) -> set[str]:
    return {one.constraint.id for one in violations}


def found(flags: str, around: Known | None = None) -> set[str]:
    return ids(judge(facts_of(flags, around=around), builtin(), past_refusals=True).violations)


@pytest.mark.parametrize("flags", [GOOD, ON_POLICY, SFT], ids=["colocate", "async", "sft"])
def test_nothing_is_wrong_with_a_launch_that_is_right(flags: str) -> None:
    judgement = judge(facts_of(flags), builtin(), past_refusals=True)
    assert [(one.constraint.id, one.message) for one in judgement.violations] == []
    assert judgement.undecided == []


CASES = [
    # resource
    (f"{GOOD} --sglang-pipeline-parallel-size 0", "sglang-pp-zero"),
    (f"{GOOD} --router-cache-threshold 0.1", "router-flags-shadowed"),
    (f"{GOOD} --polling-mode False", "polling-mode-bool"),
    (f"{GOOD} --yaml-cfg gone.yaml", "yaml-cfg-missing"),
    (f"{MODEL} {RUN} --resource 8", "resource-not-object"),
    (f"""{MODEL} {RUN} --resource '["actor"]'""", "resource-not-object"),
    (f"""{MODEL} {RUN} --resource '{{"actor": 8}}'""", "resource-entry-shape"),
    (f"""{MODEL} {RUN} --resource '{{"actor": [1, 0]}}'""", "resource-actor-zero"),
    (f"""{MODEL} {RUN} --resource '{{"actor": [1, 12], "rollout": [1, 8]}}'""", "resource-actor-remainder"),
    (f"{GOOD} --actor-num-nodes 2", "resource-actor-ignored"),
    (f"{GOOD} --rollout-num-gpus 4", "resource-rollout-ignored"),
    (f"{GOOD} --critic-train-only", "critic-train-only-no-critic"),
    (f"{GOOD} --bf16", "bf16-forced"),
    (f"{GOOD} --max-position-embeddings 8192", "max-position-embeddings-forced"),
    (f"{GOOD} --vocab-size 1000 --make-vocab-size-divisible-by 0", "vocab-padding-zero"),
    # what is sampled
    (f"{GOOD} --rollout-temperature 0", "rollout-temperature-zero"),
    (f"{SFT} --rollout-temperature 0.0", "rollout-temperature-zero"),
    (f"{ON_POLICY} --rollout-temperature 0", "rollout-temperature-zero"),
    (f"{GOOD} --n-samples-per-prompt 1 --global-batch-size 32", "one-sample-groups"),
    (f"{GOOD} --n-samples-per-prompt 1 --global-batch-size 32 --advantage-estimator gspo", "one-sample-groups"),
    # evaluation, agents, checkpoints
    (f"{GOOD} --eval-interval 5", "eval-without-data"),
    (f"{GOOD} --eval-interval 5 --eval-prompt-data a b c", "eval-pairs"),
    (f"{GOOD} --eval-config gone.yaml", "eval-config-unreadable"),
    (f"{GOOD} --eval-size 5", "eval-size-mode"),
    (f"{SFT} --eval-config a.yaml", "sft-eval-config"),
    (f"{SFT} --eval-interval 5", "sft-eval-none"),
    (f"{SFT} --eval-interval 5 --eval-size 5 --eval-prompt-data a b", "sft-eval-both"),
    (f"{SFT} --eval-interval 5 --eval-size 5 --loss-type sft-loss", "sft-alias-eval-interval"),
    (f"{SFT} --eval-size 5 --loss-type sft_loss", "sft-alias-eval-size"),
    (f"{SFT} --sft-predict-interval 5 --loss-type sft-loss", "sft-alias-predict"),
    (f"{SFT} --use-kl-loss", "sft-forces-rl-off"),
    (f"{GOOD} --max-staleness -1", "staleness-negative"),
    (f"{GOOD} --sft-max-in-flight-steps 2", "sft-in-flight-mode"),
    (f"{SFT} --sft-max-in-flight-steps 0", "sft-in-flight-min"),
    (f"{GOOD} --use-agentic-rollout --agent-cwd /a", "agent-command"),
    (f"{GOOD} --use-agentic-rollout --agent-command a --agent-cwd ' '", "agent-cwd"),
    (f"{GOOD} --use-agentic-rollout --agent-command a --agent-cwd /a --agent-env A=1 RELAX_X=2", "agent-env"),
    (f"{GOOD} --agent-command a", "agent-flags-unused"),
    (f"{GOOD} --partial-rollout --use-rollout-routing-replay", "partial-vs-routing-replay"),
    (GOOD.replace("--ref-load /m/Demo-4B", "--use-kl-loss"), "kl-ref-load-absent"),
    (f"{GOOD} --save-interval 5", "save-interval-save"),
    (f"{GOOD} --save /s", "mega-save-needs-interval"),
    # algorithm
    (f"{GOOD} --kl-coef 0.1 --kl-loss-coef 0.1", "kl-both-coefs"),
    (f"{GOOD} --advantage-estimator reinforce_plus_plus", "reinforce-needs-normalize"),
    (f"{GOOD} --advantage-estimator reinforce_plus_plus --normalize-advantages", "estimator-not-registered"),
    (f"{GOOD} --advantage-estimator ppo", "ppo-unsupported"),
    (f"{ON_POLICY} --normalize-advantages", "async-normalize"),
    (f"{ON_POLICY} --use-kl-loss", "async-reference-role"),
    (ON_POLICY.replace("--rollout-batch-size 32", ""), "async-no-rollout-batch"),
    (f"{ON_POLICY} --num-steps-per-rollout 2 --global-batch-size 128", "async-actor-fwd-role"),
    (f"{GOOD} --use-rollout-logprobs --use-tis", "rollout-logprobs-vs-tis"),
    (f"{GOOD} --get-mismatch-metrics", "mismatch-needs-tis-function"),
    (f"{GOOD} --use-dynamic-batch-size", "dynamic-batch-tokens"),
    (
        f"{GOOD} --use-dynamic-batch-size --max-tokens-per-gpu 100 --rollout-max-context-len 200",
        "token-budget-context",
    ),
    (SFT.replace("--use-dynamic-batch-size", ""), "sft-dynamic-batch"),
    (SFT.replace("--prompt-data a.jsonl", ""), "sft-prompt-data"),
    # distillation
    (f"{GOOD} --opd-type sglang", "opd-flags-unused"),
    (f"{GOOD} --use-opd", "opd-type-missing"),
    (f"{GOOD} --use-opd --opd-type sglang", "opd-no-teacher"),
    (f"{GOOD} --use-opd --opd-type megatron", "opd-megatron-load"),
    (f"{GOOD} --use-opd --opd-type sglang --opd-teacher-url u --opd-loss-coef 1", "opd-one-coef"),
    (f"{GOOD} --use-opd --opd-type sglang --opd-teacher-routes x", "opd-routes-json"),
    (f"{GOOD} --use-opd --opd-type sglang --opd-teacher-routes '[]'", "opd-routes-object"),
    # placement, batches, exclusions
    (f"{ON_POLICY} --colocate", "async-with-colocate"),
    (f"{GOOD} --debug-rollout-only --debug-train-only", "debug-both"),
    (f"{MODEL} --debug-rollout-only --num-rollout 1 --rollout-batch-size 8", "resource-missing"),
    (f"""{GOOD} --debug-rollout-only --resource '{{"rollout": [1, 0]}}' --colocate""", "debug-rollout-gpus-zero-not"),
    (f"""{ON_POLICY} --debug-rollout-only --resource '{{"rollout": [1, 0]}}'""", "debug-rollout-gpus-zero"),
    (f"{GOOD} --genrm-model-path /m --genrm-num-gpus 3", "genrm-role"),
    (
        f"""{GOOD} --genrm-model-path /m --resource '{{"actor": [1, 8], "rollout": [1, 4], "genrm": [1, 2]}}'""",
        "genrm-colocate-split",
    ),
    (f"""{MODEL} {RUN} --resource '{{"actor": [1, 8], "rollout": [1, 4]}}'""", "colocate-rollout-gpus"),
    *(
        (f"""{MODEL} {RUN} --resource '{{"actor": [1, 8], "rollout": {entry}}}'""", "colocate-rollout-gpus-not")
        for entry in ("[8]", "8", '"8"', '[1, "8"]', "[1, 4, 4]", "null", "{}")
    ),
    (MODEL, "no-batch-size"),
    (MODEL, "no-length"),
    (f"{GOOD} --num-steps-per-rollout 2", "steps-global-batch"),
    (f"{GOOD} --num-steps-per-rollout 0", "steps-zero"),
    (f"{GOOD} --over-sampling-batch-size 8", "over-sampling-small"),
    (f"{GOOD} --over-sampling-batch-size 64", "over-sampling-wasted"),
    (f"{GOOD} --enable-mtp-training", "mtp-layers"),
    (f"{GOOD} --sft-chunked-logits", "chunked-logits-tied"),
    (f"{GOOD} --rollout-max-context-len 100 --rollout-max-prompt-len 100", "prompt-len-context"),
    (f"{GOOD} --rotate-ckpt", "rotate-save"),
    # Megatron
    (f"{GOOD} --pipeline-model-parallel-size 3", "mega-world-size"),
    (f"{GOOD} --context-parallel-size 0", "mega-parallel-zero"),
    (f"{GOOD} --micro-batch-size 3", "mega-eval-batch"),
    (f"{GOOD} --pipeline-model-parallel-size 4 --num-layers 35", "mega-layers-divide-pp"),
    (GOOD.replace("--use-precision-aware-optimizer", ""), "mega-cpu-offload"),
    (f"{GOOD} --overlap-param-gather", "mega-overlap-param-gather"),
    (f"{GOOD} --expert-model-parallel-size 2", "mega-expert-parallel-dense"),
    (f"{GOOD} --num-experts 3 --expert-model-parallel-size 2", "mega-expert-parallel"),
    (f"{GOOD} --recompute-activations --recompute-method uniform", "mega-selective-recompute-method"),
    (f"{GOOD} --context-parallel-size 2", "cp-per-token-loss"),
    (f"{GOOD} --position-embedding-type mrope", "mega-mrope"),
    (f"{GOOD} --pipeline-model-parallel-layout 'Ettx|L'", "mega-layout-invalid"),
    (f"{GOOD} --hybrid-layer-pattern 'MX'", "mega-hybrid-pattern"),
    (f"{GOOD} --moe-latent-size 5 --num-experts 8 --use-legacy-models --ckpt-format torch", "mega-moe-latent"),
    (
        f"{GOOD} --perform-rl-step --grpo-group-size 8 --grpo-prompts-per-step 32 {KV_ON_TWO_LEVELS}",
        "mega-perform-rl-step",
    ),
    (
        f"{GOOD} --perform-rl-step --grpo-group-size 8 --grpo-prompts-per-step 64 --save-interval 3",
        "mega-perform-rl-step",
    ),
    (
        f"{GOOD} --perform-rl-step --grpo-group-size 8 --grpo-prompts-per-step 64 --exit-interval 3",
        "mega-perform-rl-step",
    ),
    (f"{GOOD} --perform-rl-step --rl-partial-rollouts --rl-num-parallel-generations 3", "mega-perform-rl-step"),
    (f"{GOOD} --heterogeneous-layers-config-encoded-json '{OTHER_LAYERS}'", "mega-heterogeneous-differs"),
    (RUN + " " + RESOURCE, "mega-num-layers-missing"),
    # engines
    (f"{GOOD} --sglang-data-parallel-size 2", "sglang-dp-attention"),
    (f"{GOOD} --rollout-num-gpus-per-engine 3 --sglang-pp-size 2", "sglang-pp-divides"),
    (f"{GOOD} --sglang-tp-size 4", "sglang-tp-overwritten"),
    # controller
    (f"{MODEL} {RUN}", "resource-missing"),
    (f"""{MODEL} {RUN} --resource '{{"actor": [2, 8], "rollout": [1, 8]}}'""", "resource-entry"),
    (f"""{MODEL} {RUN} --resource '{{"actor": [1, 8]}}'""", "role-missing"),
    (SFT.replace(', "sft": [1, 0]', ""), "sft-resource-role"),
    (ON_POLICY.replace(', "advantages": [1, 0]', ""), "async-advantages-role"),
    (ON_POLICY.replace('"advantages"', '"actor_fwd": [1, 4], "advantages"'), "resource-role-unused"),
    (f"{GOOD} --rollout-num-gpus-per-engine 3", "rollout-gpus-not-multiple"),
    (f"{GOOD} --num-gpus-per-node 16 --rollout-num-gpus-per-engine 16", "engine-count-zero"),
    # trainer
    (f"{GOOD} --rollout-batch-size 40", "rollout-minis-divide-total"),
    (f"{GOOD} --rollout-batch-size 96", "rollout-minis-divide-prompts-not"),
    (f"{GOOD} --n-samples-per-prompt 128 --rollout-batch-size 2", "rollout-minis-divide-dp"),
    (f"{GOOD} --num-rollout 5 --lr-warmup-iters 5", "warmup-shorter-than-decay"),
    (GOOD.replace("--megatron-to-hf-mode bridge", ""), "hf-weights-need-bridge"),
    (f"{ON_POLICY} --num-iters-per-train-update 64", "async-iters-share"),
    (f"{ON_POLICY} --ref-actor-config '[]'", "ref-actor-config-not-object"),
    (f"{GOOD} --num-attention-heads 33", "heads-divide-tp"),
    (f"{GOOD} --num-query-groups 3", "query-groups-vs-tp"),
    (f"{GOOD} --expert-tensor-parallel-size 3", "expert-world-size"),
    (f"{GOOD} --recompute-granularity full", "recompute-full-needs-method"),
    (GOOD.replace("--sequence-parallel", "--num-experts 8"), "moe-tp-needs-sequence-parallel"),
    # sizes of nothing, services, engines
    (f"{GOOD} --rollout-num-gpus-per-engine 0", "engine-size-zero"),
    (
        f"""{MODEL} {RUN} --resource '{{"actor": [1, 24], "rollout": [1, 24]}}' --rollout-num-gpus-per-engine 16""",
        "engine-incomplete",
    ),
    (f"{GOOD} --rollout-num-gpus-per-engine 8 --num-attention-heads 36", "engine-heads"),
    (f"{GOOD} --rollout-num-gpus-per-engine 8 --num-query-groups 6", "engine-query-groups"),
    (f"{GOOD} --tensor-model-parallel-size 0", "mega-parallel-zero"),
    (f"""{MODEL} {RUN} --resource '{{"actor": [1, -8], "rollout": [1, 8]}}'""", "resource-actor-negative"),
    (f"{MODEL} {RUN} --resource '{{actor: 8}}'", "resource-spelling"),
    (f"{ON_POLICY} --ref-actor-config '{{tp: 1}}'", "ref-actor-config-spelling"),
    (f"{GOOD} --kl-loss-type kl", "kl-loss-type-choice"),
    (f"{ON_POLICY} --global-batch-size 100", "async-batch-groups"),
    (f"{GOOD} --global-batch-size 8", "batch-splits-prompts"),
    (f"{MODEL} {RUN}".replace("--rollout-batch-size 32 ", "").replace("--global-batch-size 256 ", ""), "no-batch-size"),
    (SFT.replace("--global-batch-size 64", ""), "sft-no-batch-size"),
    # what the guide alone wants
    (GOOD.replace("--optimizer-cpu-offload", ""), "guide-optimizer-flags"),
    (f"{GOOD} --global-batch-size 128", "guide-one-update"),
    (f"{GOOD} --global-batch-size 128 --num-steps-per-rollout 2", "guide-one-update-not"),
    (f"{ASYNC} {WITH_REFERENCE} --use-kl-loss", "guide-ref-actor-config"),
    (GOOD.replace("--colocate", ""), "guide-mode"),
    (f"{GOOD} --max-staleness 2", "guide-colocate-staleness"),
    (f"{GOOD} --max-staleness 1", "colocate-staleness-one"),
    (f"{ON_POLICY} --max-staleness 1", "guide-async-staleness-low"),
    (ON_POLICY.replace("--max-staleness 2", ""), "guide-async-staleness-absent"),
    (f"{ON_POLICY} --max-staleness 4", "guide-async-staleness-high"),
    (ON_POLICY.replace("--use-tis", ""), "async-on-policy-but-stale"),
    (ON_POLICY.replace("--num-iters-per-train-update 2", ""), "guide-async-iters"),
    (f"{GOOD} --use-kl-loss", "guide-kl-loss-coef"),
    (f"{GOOD} --use-kl-loss --kl-loss-coef 0", "guide-kl-loss-coef-not"),
    # rollout and void flags
    (GOOD.replace("--rm-type dapo", ""), "reward-source-missing"),
    (GOOD.replace("--rm-type dapo", "--use-opd"), "reward-source-unclear"),
    (f"{GOOD} --custom-rm-path a.b", "custom-rm-over-rm-type"),
    (GOOD.replace("--rollout-max-response-len 4096", ""), "response-len-missing"),
    (f"""{GOOD} --multimodal-keys '{{"picture": "images"}}'""", "multimodal-keys-type"),
    (f"""{GOOD} --multimodal-keys '{{"image": "images"}}'""", "multimodal-needs-template"),
    (f"{GOOD} --max-tokens-per-gpu 8192", "max-tokens-without-dynamic"),
    (f"{GOOD} --kl-coef 0.1", "kl-coef-ignored"),
    (f"{GOOD} --kl-loss-coef 0.1", "kl-loss-without-use"),
    (f"{GOOD} --tis-clip 3", "tis-without-use"),
    (f"{GOOD} --eps-clip-c 3", "flags-never-read"),
    (f"{SFT} --rm-type dapo", "sft-rl-flags"),
    (f"{GOOD} --custom-rm-path ''", "custom-rm-path-empty"),
    (f"{GOOD} --custom-rm-path ''", "custom-rm-over-rm-type-not"),
    # what the engines are asked for
    (GOOD.replace("--hf-checkpoint /m/Demo-4B", ""), "hf-checkpoint-missing"),
    (SFT.replace("--hf-checkpoint /m/Demo", ""), "hf-checkpoint-missing"),
    (f"{GOOD.replace('--hf-checkpoint /m/Demo-4B', '')} --debug-train-only", "hf-checkpoint-missing-not"),
    (f"{GOOD} --rollout-temperature -0.1", "rollout-temperature-negative"),
    (f"{GOOD} --rollout-top-p 0", "rollout-top-p-range"),
    (f"{GOOD} --rollout-top-p 1.5", "rollout-top-p-range"),
    (f"{GOOD} --rollout-top-p 0.95", "rollout-top-p-range-not"),
    (f"{GOOD} --rollout-top-k 0", "rollout-top-k-range"),
    (f"{GOOD} --rollout-top-k -2", "rollout-top-k-range"),
    (f"{GOOD} --rollout-top-k -1", "rollout-top-k-range-not"),
    (f"{GOOD} --rollout-top-k 0 --rollout-temperature 0", "rollout-top-k-range-not"),
    (f"{EVALUATES} --eval-temperature -1", "eval-temperature-negative"),
    (f"{EVALUATES} --eval-top-p 0", "eval-top-p-range"),
    (f"{EVALUATES} --eval-top-k 0", "eval-top-k-range"),
    (f"{EVALUATES} --eval-top-k 0 --eval-temperature 0", "eval-top-k-range-not"),
]
"""Flags, and the constraint that they violate."""


@for_each(("flags", "violated"), CASES)
def test_each_is_found(flags: str, violated: str) -> None:
    if violated.endswith("-not"):
        assert violated.removesuffix("-not") not in found(flags)
    else:
        assert violated in found(flags)


@for_each("flags", [flags for flags, _ in CASES])
def test_what_is_said_with_a_hidden_value_holds_whatever_it_is(flags: str) -> None:
    launch = launch_of(flags)
    full = verdict(launch)
    for at in range(len(launch.argv) - 4, len(launch.argv)):
        word = launch.argv[at]
        if not word.text.startswith("-"):
            hidden = Word("$HIDDEN", (Unknown("$HIDDEN", "HIDDEN"),))
            argv = (*launch.argv[:at], hidden, *launch.argv[at + 1 :])
            less = verdict(Launch("relax", argv, launch.site, launch.script))
            # A value that is refused for itself has not every other fault that a good one would have in its place.
            assert less.refused <= full.refused
            if not full.refused:
                assert ids(less.violations) <= ids(full.violations)


@pytest.mark.parametrize(
    ("flags", "around", "violated"),
    [
        ("", Known(variables={"CUDA_DEVICE_MAX_CONNECTIONS": "8"}), "mega-max-connections"),
        ("", Known(variables={"RANK": "x"}), "rank-variables"),
        ("", Known(config={"text_config": {}}), "hf-rope-fusion"),
        ("", Known(config={"rms_norm_eps": 1e-6}), "hf-norm-eps"),
        ("--use-kl-loss", Known(missing=("/m/Demo-4B",)), "kl-ref-load-missing"),
        ("--eval-config e.yaml", Known(documents={"e.yaml": {"datasets": [{"path": "a"}]}}), "eval-config-invalid"),
        ("--custom-config-path c.yaml", Known(documents={"c.yaml": [1]}), "custom-config-invalid"),
        ("--custom-config-path c.yaml", Known(), "custom-config-unreadable"),
    ],
)
def test_what_is_around_counts(flags: str, around: Known, violated: str) -> None:
    assert violated in found(f"{GOOD} {flags}", around)


def test_a_multimodal_checkpoint_is_known_by_its_name() -> None:
    class NoConfig(Known):
        def checkpoint(self, path: str) -> object:
            return UNKNOWN

    named = GOOD.replace("/m/Demo-4B", "/m/Qwen3-VL-4B")
    assert "hf-rope-fusion" in found(named, NoConfig())
    assert "hf-rope-fusion" not in found(f"{named} --no-rope-fusion", NoConfig())
    assert "hf-rope-fusion" not in found(GOOD, NoConfig())


def test_identifiers_are_unique_and_well_formed() -> None:
    table = builtin()
    everything = [*table.constraints, *table.not_static]
    assert [id for id, times in Counter(one.id for one in everything).items() if times > 1] == []
    for one in everything:
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", one.id)
        assert one.source.partition(":")[2].isdigit()
        assert one.message
        assert bool(one.when) is (one.static is None)


def test_every_name_is_an_argument_or_a_derived_value() -> None:
    catalogue = parsers().catalogue
    texts = {one.id: one.when for one in builtin().constraints}
    texts |= {f"derived {name}": text for name, text in DERIVED.items() if isinstance(text, str)}
    assert {
        who: unknown for who, text in texts.items() if (unknown := unknown_names(Expression(text), catalogue))
    } == {}
    read = {name for derived in DERIVED.values() if isinstance(derived, Function) for name in derived.reads}
    shown = {name for one in builtin().constraints for name in _HOLE.findall(one.message)}
    assert [name for name in sorted(read | shown) if name not in DERIVED and not catalogue.by_dest(name)] == []
    flags = {flag: one.id for one in builtin().constraints for flag in one.flags}
    assert {flag: who for flag, who in flags.items() if catalogue.flag(flag) is None} == {}


def test_the_names_that_a_condition_gets_wrong_are_told() -> None:
    condition = Expression('learning_rate > 1 and given("--learning-rate") and lr > 1 and env("X") is None and is_sft')
    assert unknown_names(condition, parsers().catalogue) == ["--learning-rate", "learning_rate"]


def test_no_derived_value_is_the_name_of_an_argument() -> None:
    assert [name for name in DERIVED if parsers().catalogue.by_dest(name)] == []


def test_what_holds_without_any_flag_says_so() -> None:
    """Constraints none of whose flags is passed are not looked at, unless they say that they may hold by default."""
    facts = facts_of("")
    table = builtin()
    judgement = judge(facts, table, past_refusals=True)
    by_default = {one.constraint.id for one in judgement.violations}
    for constraint, condition in table.concerned(facts, everything=True):
        if not constraint.by_default and constraint.id not in by_default:
            truth = condition.truth(facts)
            left_out = constraint.modes and facts.get("mode") not in constraint.modes
            assert left_out or is_hidden(truth) or truth is False, constraint.id


def test_a_repair_is_named_where_a_rule_applies_it() -> None:
    assert {one.code for one in builtin().constraints if one.fix} == {"RLX414", "RLX415"}
