from __future__ import annotations

from typing import Any

import pytest

from relax_lint.catalog.public_models import Public, public_models
from relax_lint.engine import lint
from relax_lint.migrate.model_architecture import architecture
from relax_lint.migrate.model_config import NotConverted, model_of, text_of
from relax_lint.project import Project
from relax_lint.rules import load_rules
from tests.cases import for_each
from tests.migrate.model_configs import OF_RELAX, PUBLIC, WITHOUT_EFFECT, flags_in

LLAMA = PUBLIC["llama3.1-8B"]


def flags_of(config: dict[str, Any], **changes: Any) -> dict[str, tuple[str, ...]]:
    return model_of({**config, **changes}).flags


def why_not(config: dict[str, Any], *left_out: str, **changes: Any) -> str:
    kept = {key: value for key, value in config.items() if key not in left_out}
    with pytest.raises(NotConverted) as refused:
        model_of({**kept, **changes})
    return str(refused.value)


@pytest.mark.parametrize("name", OF_RELAX)
def test_a_config_says_what_the_file_of_relax_says(name: str) -> None:
    config, text = OF_RELAX[name]
    ours, theirs = flags_of(config), flags_in(text)
    assert architecture(ours) == architecture(theirs)
    unlike = {flag for flag in ours.keys() & theirs.keys() if ours[flag] != theirs[flag] and flag != "--moe-layer-freq"}
    assert not unlike
    assert theirs.keys() - ours.keys() <= WITHOUT_EFFECT.keys()


def test_the_file_is_bash_that_reads_well() -> None:
    assert text_of(model_of(PUBLIC["qwen2.5-7B"]), "Qwen2.5-7B-Instruct") == (
        "# Qwen2.5-7B-Instruct: its architecture, by the numbers of its config.json. Made by relax-lint.\n"
        "MODEL_ARGS=(\n"
        "    --num-layers 28\n"
        "    --hidden-size 3584\n"
        "    --ffn-hidden-size 18944\n"
        "    --num-attention-heads 28\n"
        "    --group-query-attention\n"
        "    --num-query-groups 4\n"
        "\n"
        "    --normalization RMSNorm\n"
        "    --norm-epsilon 1e-6\n"
        "    --swiglu\n"
        "    --disable-bias-linear\n"
        "    --add-qkv-bias\n"
        "\n"
        "    --vocab-size 152064\n"
        "    --untie-embeddings-and-output-weights\n"
        "    --position-embedding-type rope\n"
        "    --rotary-base 1000000\n"
        ")\n"
    )


def test_patterns_are_quoted_for_bash() -> None:
    assert '    --moe-layer-freq "[0]*3+[1]*58"\n' in text_of(model_of(PUBLIC["deepseek-v3"]), "DeepSeek-V3")


def test_what_no_flag_says_is_said() -> None:
    assert "soft caps" in text_of(model_of(PUBLIC["gemma2-2B"]), "gemma-2-2b-it").splitlines()[1]


def test_biases_of_qwen2_alone() -> None:
    assert "--add-qkv-bias" in flags_of(PUBLIC["qwen2.5-0.5B"])
    assert "--add-qkv-bias" not in flags_of(PUBLIC["qwen3-8B"])
    assert "--add-qkv-bias" in flags_of(PUBLIC["qwen3-8B"], attention_bias=True)


def test_tied_embeddings() -> None:
    untied = "--untie-embeddings-and-output-weights"
    assert untied not in flags_of(PUBLIC["qwen2.5-3B"])
    assert untied in flags_of(PUBLIC["qwen2.5-3B"], tie_word_embeddings=None)
    assert untied not in flags_of(PUBLIC["gemma2-2B"], tie_word_embeddings=None)
    assert untied in flags_of({**PUBLIC["qwen3-vl-4B"], "tie_word_embeddings": False})


def test_attention_without_groups_has_as_many_as_heads() -> None:
    assert flags_of(PUBLIC["deepseek-llm-7B"])["--num-query-groups"] == ("32",)
    assert flags_of(LLAMA, num_key_value_heads=None)["--num-query-groups"] == ("32",)


def test_scaling_of_llama() -> None:
    flags = flags_of(LLAMA)
    assert flags["--rope-scaling-factor"] == ("8",)
    assert "--use-rope-scaling" in flags
    unlike = {**LLAMA["rope_scaling"], "high_freq_factor": 2.0}
    assert why_not(LLAMA, rope_scaling=unlike) == "high_freq_factor of rope_scaling is 2.0; Megatron has 4.0"


def test_scaling_of_deepseek() -> None:
    flags = flags_of(PUBLIC["deepseek-v2-lite"])
    assert flags["--rotary-scaling-factor"] == ("40",)
    assert flags["--mscale-all-dim"] == ("0.707",)
    assert "--q-lora-rank" not in flags


def test_yarn_without_the_fused_kernel() -> None:
    flags = flags_of(PUBLIC["gpt-oss-20B"])
    assert flags["--position-embedding-type"] == ("yarn",)
    assert "--no-rope-fusion" in flags
    assert flags["--window-size"] == ("127,0",)


def test_routers() -> None:
    assert "--moe-router-pre-softmax" in flags_of(PUBLIC["qwen1.5-moe-A2.7B"])
    assert "--moe-router-pre-softmax" not in flags_of(PUBLIC["qwen3-30B-A3B"])
    flags = flags_of(PUBLIC["deepseek-v3"])
    assert flags["--moe-router-num-groups"] == ("8",)
    assert flags["--moe-router-group-topk"] == ("4",)
    assert flags_of(PUBLIC["moonlight-16B-A3B"])["--moe-shared-expert-intermediate-size"] == ("2816",)


def test_layers_without_experts() -> None:
    assert flags_of(PUBLIC["qwen3-30B-A3B"], num_hidden_layers=4, mlp_only_layers=[2])["--moe-layer-freq"] == (
        "[1]*2+[0]*1+[1]*1",
    )
    assert flags_of(PUBLIC["qwen3-30B-A3B"], num_hidden_layers=4, decoder_sparse_step=2)["--moe-layer-freq"] == (
        "[0]*1+[1]*1+[0]*1+[1]*1",
    )


def test_numbers_of_transformers_5() -> None:
    config = {key: value for key, value in LLAMA.items() if key not in ("rope_theta", "rope_scaling")}
    config["rope_parameters"] = {**LLAMA["rope_scaling"], "rope_theta": 500000.0}
    assert flags_of(config) == flags_of(LLAMA)


QWEN3, MIXTURE = PUBLIC["qwen3-8B"], PUBLIC["qwen3-30B-A3B"]
REFUSED = {
    why_not(QWEN3, "vocab_size", "rope_theta"): "vocab_size, rope_theta are missing",
    why_not(MIXTURE, "num_experts"): "num_experts or n_routed_experts or num_local_experts is missing",
    why_not(QWEN3, "head_dim", hidden_size=4100): (
        "head_dim is missing, and hidden_size 4100 is no multiple of 32 heads"
    ),
    why_not(QWEN3, hidden_size="large"): 'hidden_size is "large", which is no whole number',
    why_not(QWEN3, rms_norm_eps=True): "rms_norm_eps is true, which is no number",
    why_not(QWEN3, hidden_act="gelu"): 'hidden_act is "gelu", which qwen3 is not known with',
    why_not(QWEN3, rope_theta=0.5): "rope_theta is 0.5, and --rotary-base takes whole numbers",
    why_not(LLAMA, attention_bias=True): "attention_bias: Megatron has no bias for the output of attention alone",
    why_not(LLAMA, mlp_bias=True): "mlp_bias: Megatron has biases in all linear layers or in none",
    why_not(LLAMA, rope_scaling={"type": "dynamic", "factor": 2.0}): (
        'rope_scaling of type "dynamic": Megatron has no such scaling'
    ),
    why_not(PUBLIC["deepseek-v2-lite"], scoring_func="tanh"): ('scoring_func is "tanh"; known are softmax and sigmoid'),
    why_not(QWEN3, num_hidden_layers=-3): "num_hidden_layers is -3, and it has to be at least 1",
    why_not(MIXTURE, num_hidden_layers=10**9): "num_hidden_layers is 1000000000, which is more than any model has",
    why_not(QWEN3, num_attention_heads=0): "num_attention_heads is 0, and it has to be at least 1",
    why_not(QWEN3, num_attention_heads=16, num_key_value_heads=5): (
        "num_attention_heads 16 is no multiple of num_key_value_heads 5"
    ),
    why_not(QWEN3, tie_word_embeddings="yes"): 'tie_word_embeddings is "yes", which is neither true nor false',
    why_not(QWEN3, rope_theta=float("nan")): "rope_theta is NaN, which is no number",
    why_not(QWEN3, rope_scaling="yarn"): 'rope_scaling is "yarn", which is no mapping',
    why_not(QWEN3, rope_parameters={"full_attention": {"rope_theta": 1e6}, "rope_theta": 1e6}): (
        "rope_parameters differ between layers, and Megatron has one for all"
    ),
    why_not(MIXTURE, num_experts_per_tok=129): (
        "129 experts of a token (num_experts_per_tok or experts_per_token or moe_topk) are more than there are, 128"
    ),
    why_not(PUBLIC["deepseek-v3"], topk_group=9): "topk_group 9 is more than n_group, 8",
    why_not(MIXTURE, mlp_only_layers="2"): 'mlp_only_layers is "2", which is no list',
    why_not({}): "there is no model_type: this is no config.json of a model in Hugging Face's form",
}


@for_each("refusal", REFUSED)
def test_what_cannot_be_said_is_refused_by_name(refusal: str) -> None:
    assert refusal == REFUSED[refusal]


def test_an_unknown_architecture_is_refused_with_those_that_are_known() -> None:
    refusal = why_not({"model_type": "bert"})
    assert refusal.startswith('model_type "bert" is not known; known are deepseek_v2, ')
    assert refusal.endswith(", seed_oss")


NONSENSE: tuple[object, ...] = (
    float("nan"),
    float("inf"),
    -1,
    0,
    10**400,
    0.5,
    True,
    "yes",
    "a\nb",
    [],
    [[]],
    {"a": {}},
    {"a\nb": "\ud800"},
)


@for_each("nonsense", NONSENSE, ids=lambda value: ascii(value)[:12])
@for_each("name", ["qwen3-8B", "llama3.1-8B", "qwen3-30B-A3B", "deepseek-v3", "gpt-oss-20B"])
def test_nonsense_is_refused_or_makes_a_sound_file(name: str, nonsense: Any) -> None:
    config = PUBLIC[name]
    scaling = config.get("rope_scaling") or {}
    tried = [{**config, key: nonsense} for key in [*config, "sliding_window", "layer_types", "num_key_value_heads"]]
    tried += [{**config, "rope_scaling": {**scaling, key: nonsense}} for key in [*scaling, "rope_theta", "factor"]]
    for changed in tried:
        try:
            model = model_of(changed)
        except NotConverted:
            continue
        words = [word for values in model.flags.values() for word in values]
        assert not [word for word in words if word in ("nan", "inf") or word.startswith("-")]
        comments = [line for line in text_of(model, name).split("MODEL_ARGS")[0].splitlines() if line]
        assert all(line.startswith("# ") and line.isprintable() for line in comments)


def test_a_name_of_several_lines_stays_in_its_comment() -> None:
    assert text_of(model_of(QWEN3), "a\nb\udcff").startswith("# a?b?: its architecture")


def test_the_numbers_of_yarn_are_told() -> None:
    scaling = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}
    text = text_of(model_of({**QWEN3, "rope_scaling": scaling}), "long")
    assert "(the numbers of yarn: factor 4.0, original_max_position_embeddings 32768) comes from the checkpoint" in text


def test_sliding_windows_are_passed_or_told() -> None:
    mistral = {**LLAMA, "model_type": "mistral", "rope_scaling": None, "sliding_window": 4096}
    assert flags_of(mistral)["--window-size"] == ("4095,0",)
    assert "--window-size" not in flags_of(mistral, sliding_window=None)
    told = "no more than 4096 tokens back (sliding_window)"
    window = {**QWEN3, "sliding_window": 4096}
    assert told in text_of(model_of({**window, "use_sliding_window": True}), "w")
    assert told in text_of(model_of({**window, "layer_types": ["full_attention", "sliding_attention"]}), "w")
    assert told not in text_of(model_of({**window, "use_sliding_window": False}), "w")


LAUNCHER = """\
set -euo pipefail
source "${{MODEL_CONFIG_DIR}}/{stem}.sh"
python3 relax/entrypoints/train.py "${{MODEL_ARGS[@]}}" {more} --num-rollout 10 --rollout-batch-size 8 \\
    --n-samples-per-prompt 8 --global-batch-size 64 --colocate --max-staleness 0 --rm-type math \\
    --prompt-data data.parquet --rollout-max-response-len 1024 --megatron-to-hf-mode bridge \\
    --hf-checkpoint "${{MODEL_DIR}}/{stem}" \\
    --resource '{{"actor": [1, 8], "rollout": [1, 8]}}' --rollout-num-gpus-per-engine 1
"""


@for_each("public", public_models(), ids=lambda public: public.stem)
def test_relax_takes_what_is_made_of_public_configs(public: Public) -> None:
    model = model_of(public.config)
    assert architecture(model.flags) is not None
    more = "--no-rope-fusion" if model.vision and "--no-rope-fusion" not in model.flags else ""
    files = {
        f"scripts/models/{public.stem}.sh": text_of(model, public.stem),
        "examples/demo/run_demo.sh": LAUNCHER.format(stem=public.stem, more=more),
    }
    rules = {
        code: rule for code, rule in load_rules().items() if code.startswith("RLX5") or code in ("RLX416", "RLX418")
    }
    report = lint(Project.from_files(files), rules)
    assert [(found.code, found.message) for found in report.standing] == []


def test_a_name_means_one_public_model() -> None:
    names = [name.rpartition("/")[2].lower() for model in public_models() for name in {*model.names}]
    twice = {name for name in names if names.count(name) > 1}
    assert all(len({model.stem for model in public_models() if _has(model, name)}) == 1 for name in twice)


def _has(model: Public, name: str) -> bool:
    return any(one.rpartition("/")[2].lower() == name for one in model.names)
