"""The text of a model file of Relax, out of a checkpoint's ``config.json`` in Hugging Face's form."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from relax_lint.catalog.model_configs import UNTIED, perceives, text_part
from relax_lint.migrate.model_families import FAMILIES, Experts, Family
from relax_lint.records import record

Flag = tuple[str, ...]

_GATES = {"": ("gelu_pytorch_tanh", "gelu", "gelu_fast"), "--swiglu": ("silu", "swish"), "--quick-geglu": ("silu",)}
_OF_LLAMA_3 = {"low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}
"""What Megatron takes for granted of this scaling."""
_NOT_SCALED = ("default", "mrope")
_NEEDED = ("num_hidden_layers", "hidden_size", "num_attention_heads", "vocab_size", "rms_norm_eps")
_NEEDED_IF_LATENT = ("kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim")
_EXPERTS = ("num_experts", "n_routed_experts", "num_local_experts")
_CHOSEN = ("num_experts_per_tok", "experts_per_token", "moe_topk")
_LARGEST = 2**53
"""Beyond it a number of JSON is no whole one for sure."""
_MOST_LAYERS = 10_000
_OF_WINDOW = "sliding_attention"


class NotConverted(Exception):
    """A config that no model file can be made of; the message says what is missing or unknown."""


@record
class Numbers:
    """What the rest of a migration asks of a model."""

    layers: int
    hidden: int
    heads: int
    query_groups: int
    experts: int
    vision: bool


@record
class Model:
    """The flags of a model, in groups as they are to be read.

    ``beyond`` is what the checkpoint alone says, ``notes`` what else a reader should know of it.
    """

    kind: str
    groups: tuple[tuple[Flag, ...], ...]
    vision: bool
    bridged: bool
    beyond: str
    notes: tuple[str, ...] = ()

    @property
    def flags(self) -> dict[str, tuple[str, ...]]:
        """Every flag with its values."""
        return {flag[0]: flag[1:] for group in self.groups for flag in group}


def config_in(data: bytes | None) -> Mapping[str, Any]:
    """What a config.json holds. Raises :class:`NotConverted`."""
    if data is None:
        raise NotConverted("it cannot be read")
    try:
        config = json.loads(data)
    except (ValueError, RecursionError) as problem:
        raise NotConverted(f"it is no JSON: {problem}") from problem
    if not isinstance(config, dict):
        raise NotConverted("it is no config of a model: it holds no mapping")
    return config


def model_of(config: Mapping[str, Any]) -> Model:
    """The flags that a config asks for. Raises :class:`NotConverted`."""
    # Where a model sees or hears, its language model is told of the embeddings from above.
    above = {key: config[key] for key in ("tie_word_embeddings",) if config.get(key) is not None}
    part = Part({**text_part(config), **above})
    family = FAMILIES.get(part.kind)
    if family is None:
        raise NotConverted(
            f"model_type {_told(part.kind)} is not known; known are {', '.join(sorted(FAMILIES))}"
            if part.kind
            else "there is no model_type: this is no config.json of a model in Hugging Face's form"
        )
    missing = [" or ".join(keys) for keys in _needed(part, family) if part.get(*keys) is None]
    if missing:
        raise NotConverted(f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing")
    groups = (_sizes(part, family), _layers(part, family), _embeddings(part, family), _mixture(part, family))
    made = tuple(group for group in map(tuple, groups) if group)
    above_all = config.get("model_type")
    kind = above_all if isinstance(above_all, str) and above_all else part.kind
    beyond = ", ".join(filter(None, (family.beyond, _yarn(part, family))))
    return Model(kind, made, perceives(config), family.bridged, beyond, tuple(_notes(part, family)))


def text_of(model: Model, name: str) -> str:
    """A model file."""
    lines = [f"# {shown_name(name)}: its architecture, by the numbers of its config.json. Made by relax-lint."]
    if model.beyond:
        lines.append(
            f"# What no flag says ({shown_name(model.beyond)}) comes from the checkpoint: --megatron-to-hf-mode bridge."
        )
    lines += [f"# {note}" for note in model.notes]
    lines.append("MODEL_ARGS=(")
    for group in model.groups:
        if group is not model.groups[0]:
            lines.append("")
        lines += [f"    {' '.join(_quoted(word) for word in flag)}" for flag in group]
    return "\n".join([*lines, ")", ""])


def shown_name(name: str) -> str:
    """A name as a comment of one line can hold it."""
    return "".join(character if character.isprintable() else "?" for character in name)


def _quoted(word: str) -> str:
    return f'"{word}"' if set(word) & set("[]*()") else word


class Part:
    """The part of a config that describes the language model; what is missing is said by name."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values
        kind = values.get("model_type")
        self.kind = kind if isinstance(kind, str) else ""

    def get(self, *keys: str) -> Any:
        """The first of some keys that is there and not null."""
        return next((self.values[key] for key in keys if self.values.get(key) is not None), None)

    def whole(self, *keys: str, least: int = 1) -> int:
        """A whole number that is there."""
        value = self.get(*keys)
        named = next((key for key in keys if self.values.get(key) is not None), keys[0])
        if not _is_number(value) or value != int(value):
            raise NotConverted(f"{named} is {_told(value)}, which is no whole number")
        if value < least:
            raise NotConverted(f"{named} is {_told(value)}, and it has to be at least {least}")
        return int(value)

    def number(self, key: str, default: float = 0.0) -> float:
        """A number, or what Transformers takes when there is none."""
        value = self.get(key)
        if value is None:
            return default
        if not _is_number(value):
            raise NotConverted(f"{key} is {_told(value)}, which is no number")
        if value <= 0:
            raise NotConverted(f"{key} is {_told(value)}, and it has to be more than 0")
        return float(value)

    def says(self, key: str, default: bool = False) -> bool:
        """Whether something holds."""
        value = self.get(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise NotConverted(f"{key} is {_told(value)}, which is neither true nor false")
        return value

    @property
    def rope(self) -> Mapping[str, Any]:
        """How positions are scaled; Transformers 5 keeps all of it in one mapping."""
        value = self.get("rope_parameters", "rope_scaling")
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            raise NotConverted(f"rope_scaling is {_told(value)}, which is no mapping")
        if any(isinstance(inner, Mapping) for inner in value.values()):
            raise NotConverted("rope_parameters differ between layers, and Megatron has one for all")
        return value

    def of_rope(self, key: str, default: float) -> float:
        """A number of the rotary embedding, wherever this version of Transformers writes it."""
        return Part({**self.values, **self.rope}).number(key, default=default)


def _is_number(value: object) -> bool:
    """Whether it is a number that can be reckoned with."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= _LARGEST


def _told(value: object) -> str:
    """A value of a config in a message: as JSON, which Python's own text of it is not, and not at any length."""
    try:
        text = json.dumps(value)
    except (ValueError, RecursionError):  # a number of very many digits, too
        return "a value that is far too long"
    return text if len(text) <= 60 else f"{text[:60]}…"


def _needed(part: Part, family: Family) -> Iterator[tuple[str, ...]]:
    """The keys without which there is no model file, each with others that say the same."""
    yield from ((key,) for key in _NEEDED)
    if part.kind != "llama" and part.rope.get("rope_theta") is None:  # the first of that kind have none
        yield ("rope_theta",)
    if family.latent:
        yield from ((key,) for key in _NEEDED_IF_LATENT)
    if family.experts is None:
        yield ("intermediate_size",)
    else:
        yield from (_EXPERTS, _CHOSEN, (family.experts.size,))


def _shown(value: float) -> str:
    """``1e-06`` as ``1e-6``, whole numbers without a point."""
    if value == int(value):
        return str(int(value))
    mantissa, e, exponent = repr(value).partition("e")
    return f"{mantissa}e{int(exponent)}" if e else mantissa


def _sizes(part: Part, family: Family) -> Iterator[Flag]:
    hidden, heads = part.whole("hidden_size"), part.whole("num_attention_heads")
    yield "--num-layers", str(_depth(part))
    yield "--hidden-size", str(hidden)
    # Where all layers have experts, a config may have no size for layers without.
    keys = ("intermediate_size",) if family.experts is None else ("intermediate_size", family.experts.size)
    yield "--ffn-hidden-size", str(part.whole(*keys))
    yield "--num-attention-heads", str(heads)
    if family.latent:
        yield from _latent(part)
        return
    yield ("--group-query-attention",)
    groups = heads if part.get("num_key_value_heads") is None else part.whole("num_key_value_heads")
    if heads % groups:
        raise NotConverted(f"num_attention_heads {heads} is no multiple of num_key_value_heads {groups}")
    yield "--num-query-groups", str(groups)
    if part.get("head_dim") is not None:
        yield "--kv-channels", str(part.whole("head_dim"))
    elif hidden % heads:
        raise NotConverted(f"head_dim is missing, and hidden_size {hidden} is no multiple of {heads} heads")


def _depth(part: Part) -> int:
    layers = part.whole("num_hidden_layers")
    if layers > _MOST_LAYERS:
        raise NotConverted(f"num_hidden_layers is {layers}, which is more than any model has")
    return layers


def _latent(part: Part) -> Iterator[Flag]:
    """Multi-head latent attention; Megatron asks for ``--kv-channels`` where heads do not divide the hidden size."""
    yield "--kv-channels", str(part.whole("qk_nope_head_dim"))
    yield ("--multi-latent-attention",)
    if part.get("q_lora_rank") is not None:
        yield "--q-lora-rank", str(part.whole("q_lora_rank"))
    yield "--kv-lora-rank", str(part.whole("kv_lora_rank"))
    yield "--qk-head-dim", str(part.whole("qk_nope_head_dim"))
    yield "--qk-pos-emb-head-dim", str(part.whole("qk_rope_head_dim"))
    yield "--v-head-dim", str(part.whole("v_head_dim"))


def _layers(part: Part, family: Family) -> Iterator[Flag]:
    activation = part.get("hidden_act", "hidden_activation") or _GATES[family.gate][0]
    if activation not in _GATES[family.gate]:
        raise NotConverted(f"hidden_act is {_told(activation)}, which {part.kind} is not known with")
    yield "--normalization", "RMSNorm"
    yield "--norm-epsilon", _shown(part.number("rms_norm_eps"))
    if family.gate:
        yield (family.gate,)
    if family.linear_bias:
        if not part.says("attention_bias", default=True):
            raise NotConverted("attention_bias is false, which gpt_oss is not known with")
    else:
        yield ("--disable-bias-linear",)
        if part.says("mlp_bias"):
            raise NotConverted("mlp_bias: Megatron has biases in all linear layers or in none")
        if part.says("attention_bias") and family.qkv_bias is False:
            raise NotConverted("attention_bias: Megatron has no bias for the output of attention alone")
    if family.qkv_bias or (family.qkv_bias is None and part.says("attention_bias")):
        yield ("--add-qkv-bias",)
    if family.qk_norm or (family.qk_norm is None and part.says("use_qk_norm")):
        yield ("--qk-layernorm",)
    yield from family.more
    if family.windows in ("all", "flagged") and part.get("sliding_window") is not None:
        yield "--window-size", f"{part.whole('sliding_window') - 1},0"


def _embeddings(part: Part, family: Family) -> Iterator[Flag]:
    yield "--vocab-size", str(part.whole("vocab_size"))
    if not part.says("tie_word_embeddings", default=family.tied):
        yield (UNTIED,)
    scaling = part.rope.get("rope_type") or part.rope.get("type") or "default"
    yield "--position-embedding-type", "yarn" if scaling == "yarn" and not family.latent else "rope"
    base = part.of_rope("rope_theta", 10000.0)
    if base != int(base):
        raise NotConverted(f"rope_theta is {_told(base)}, and --rotary-base takes whole numbers")
    yield "--rotary-base", str(int(base))
    percent = part.of_rope("partial_rotary_factor", family.rotary_percent)
    if percent != 1.0 and not family.latent:
        yield "--rotary-percent", _shown(percent)
    yield from _scaling(part, family, scaling)


def _yarn(part: Part, family: Family) -> str:
    """The numbers of a scaling that has no flags but with latent attention."""
    if (part.rope.get("rope_type") or part.rope.get("type")) != "yarn" or family.latent:
        return ""
    said = ((key, value) for key, value in part.rope.items() if key not in ("rope_type", "type", "rope_theta"))
    numbers = ", ".join(f"{key} {_told(value)}" for key, value in said)
    return f"the numbers of yarn: {numbers}" if numbers else ""


def _notes(part: Part, family: Family) -> Iterator[str]:
    """What a model does that its flags leave out."""
    if family.windows or part.get("sliding_window") is None:
        return
    kinds = part.get("layer_types")
    of_layers = isinstance(kinds, list) and _OF_WINDOW in kinds
    if part.says("use_sliding_window") or of_layers:
        window = part.whole("sliding_window")
        yield f"Layers that see no more than {window} tokens back (sliding_window) see all in Megatron; it has no flag."


def _scaling(part: Part, family: Family, scaling: str) -> Iterator[Flag]:
    if scaling == "llama3":
        unlike = [key for key, value in _OF_LLAMA_3.items() if part.rope.get(key, value) != value]
        if unlike:
            raise NotConverted(
                f"{unlike[0]} of rope_scaling is {_told(part.rope[unlike[0]])}; Megatron has {_OF_LLAMA_3[unlike[0]]}"
            )
        yield ("--use-rope-scaling",)
        yield "--rope-scaling-factor", _shown(part.of_rope("factor", 8.0))
    elif scaling == "linear":
        yield "--rotary-seq-len-interpolation-factor", str(Part(part.rope).whole("factor"))
    elif scaling == "yarn" and family.latent:
        for flag, key in (
            ("--rotary-scaling-factor", "factor"),
            ("--mscale", "mscale"),
            ("--mscale-all-dim", "mscale_all_dim"),
        ):
            if part.rope.get(key) is not None:
                yield flag, _shown(Part(part.rope).number(key, default=1.0))
    elif scaling == "yarn":
        # The fused kernel for packed sequences leaves the factor for attention out.
        yield ("--no-rope-fusion",)
    elif scaling not in _NOT_SCALED:
        raise NotConverted(f"rope_scaling of type {_told(scaling)}: Megatron has no such scaling")


def _mixture(part: Part, family: Family) -> Iterator[Flag]:
    experts = family.experts
    if experts is None:
        return
    count, chosen = part.whole(*_EXPERTS), part.whole(*_CHOSEN)
    if chosen > count:
        raise NotConverted(f"{chosen} experts of a token ({' or '.join(_CHOSEN)}) are more than there are, {count}")
    yield "--num-experts", str(count)
    yield "--moe-layer-freq", _frequency(part)
    size = part.whole(experts.size)
    yield "--moe-ffn-hidden-size", str(size)
    yield "--moe-router-topk", str(chosen)
    shared = _none_or(part, "shared_expert_intermediate_size") or size * _none_or(part, "n_shared_experts")
    if shared:
        yield "--moe-shared-expert-intermediate-size", str(shared)
        if experts.shared_gate:
            yield ("--moe-shared-expert-gate",)
    yield from _router(part, experts)
    yield "--moe-token-dispatcher-type", "alltoall"
    yield ("--moe-grouped-gemm",)
    yield ("--moe-permute-fusion",)


def _none_or(part: Part, *keys: str) -> int:
    """A whole number, 0 when there is none."""
    return 0 if part.get(*keys) is None else part.whole(*keys, least=0)


def _router(part: Part, experts: Experts) -> Iterator[Flag]:
    scores = experts.scores or part.get("scoring_func") or "softmax"
    if scores not in ("softmax", "sigmoid"):
        raise NotConverted(f"scoring_func is {_told(scores)}; known are softmax and sigmoid")
    yield "--moe-router-score-function", scores
    before = experts.before_softmax
    if before or (before is None and not part.says("norm_topk_prob")):
        yield ("--moe-router-pre-softmax",)
    if experts.biased:
        yield ("--moe-router-enable-expert-bias",)
        yield "--moe-router-bias-update-rate", "0"
    if experts.balancing:
        yield "--moe-router-load-balancing-type", experts.balancing
    groups = _none_or(part, "n_group")
    if groups > 1:
        chosen = part.whole("topk_group")
        if chosen > groups:
            raise NotConverted(f"topk_group {chosen} is more than n_group, {groups}")
        yield "--moe-router-num-groups", str(groups)
        yield "--moe-router-group-topk", str(chosen)
    factor = part.number("routed_scaling_factor", default=1.0)
    if factor != 1.0:
        yield "--moe-router-topk-scaling-factor", _shown(factor)
    yield "--moe-aux-loss-coeff", "0"
    yield "--moe-router-dtype", "fp32"


def _frequency(part: Part) -> str:
    """Which layers have experts, as a pattern of Megatron's."""
    layers = _depth(part)
    first, only = _none_or(part, "first_k_dense_replace"), part.get("mlp_only_layers") or []
    if not isinstance(only, list):
        raise NotConverted(f"mlp_only_layers is {_told(only)}, which is no list")
    step = _none_or(part, "decoder_sparse_step", "moe_layer_freq") or 1
    offset = 1 if part.get("decoder_sparse_step") is not None else 0
    with_experts = [0 if index < first or index in only or (index + offset) % step else 1 for index in range(layers)]
    runs: list[tuple[int, int]] = []
    for kind in with_experts:
        if runs and runs[-1][0] == kind:
            runs[-1] = kind, runs[-1][1] + 1
        else:
            runs.append((kind, 1))
    return "+".join(f"[{kind}]*{count}" for kind, count in runs)
