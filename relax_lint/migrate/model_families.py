"""What the flags of an architecture need beyond the numbers in a checkpoint's ``config.json``."""

from __future__ import annotations

from typing import Literal

from relax_lint.records import record


@record
class Experts:
    """How a family's experts are chosen.

    ``size`` is the key of an expert's hidden size; ``scores`` the function of the router, ``None``: as ``scoring_func``
    says; ``before_softmax`` whether the scores are those of all experts, ``None``: unless ``norm_topk_prob``.
    """

    size: str = "moe_intermediate_size"
    scores: Literal["softmax", "sigmoid"] | None = "softmax"
    before_softmax: bool | None = None
    balancing: str = ""
    biased: bool = False
    shared_gate: bool = False


@record
class Family:
    """One architecture of Hugging Face.

    ``qkv_bias`` and ``qk_norm`` of ``None``: as the config says. ``tied``: whether the embeddings are when the config
    is silent. ``gate``: the flag of the feed-forward layers' activation, empty when Megatron has none for it.
    ``latent``: multi-head latent attention. ``bridged``: whether the Megatron-Bridge of May 2026, which Relax is built
    with, makes the model out of the checkpoint. ``windows``: who knows of a sliding window: ``all`` layers have it by a
    flag, or those that ``flagged`` ones in ``more`` say, or the ``bridge`` knows. ``beyond`` is what no flag says.
    """

    qkv_bias: bool | None = False
    qk_norm: bool | None = False
    experts: Experts | None = None
    latent: bool = False
    tied: bool = False
    linear_bias: bool = False
    gate: str = "--swiglu"
    rotary_percent: float = 1.0
    more: tuple[tuple[str, ...], ...] = ()
    bridged: bool = True
    windows: Literal["", "all", "flagged", "bridge"] = ""
    beyond: str = ""


_ZERO_CENTRED = ("--apply-layernorm-1p",)
_GATED_ATTENTION = (_ZERO_CENTRED, ("--attention-output-gate",))
_UNFUSED_ROPE = ("--no-rope-fusion",)
_PRECISE_LATENT = (("--attention-softmax-in-fp32",), _UNFUSED_ROPE)
_SIGMOID = Experts(scores="sigmoid", before_softmax=True, balancing="seq_aux_loss", biased=True)
_LINEAR_LAYERS = "layers with linear attention"

_QWEN2 = Family(qkv_bias=True)
_QWEN3 = Family(qkv_bias=None, qk_norm=True)
_QWEN3_MOE = Family(qkv_bias=None, qk_norm=True, experts=Experts())
_QWEN35 = Family(qk_norm=True, rotary_percent=0.25, more=_GATED_ATTENTION, beyond=_LINEAR_LAYERS)
_QWEN35_MOE = Family(
    qk_norm=True,
    experts=Experts(before_softmax=False, shared_gate=True),
    rotary_percent=0.25,
    more=_GATED_ATTENTION,
    beyond=_LINEAR_LAYERS,
)
_DEEPSEEK_V3 = Family(qk_norm=True, experts=_SIGMOID, latent=True, more=_PRECISE_LATENT)
_GLM4_MOE = Family(qkv_bias=None, qk_norm=None, experts=_SIGMOID, rotary_percent=0.5)
_GLM4 = Family(
    qkv_bias=None,
    rotary_percent=0.5,
    more=(("--rotary-interleaved",), _UNFUSED_ROPE),
    bridged=False,
    beyond="norms behind attention and feed-forward layers",
)

FAMILIES: dict[str, Family] = {
    "llama": Family(),
    "mistral": Family(windows="all"),
    "qwen2": _QWEN2,
    "qwen2_vl": Family(qkv_bias=True, bridged=False),
    "qwen2_vl_text": Family(qkv_bias=True, bridged=False),
    "qwen2_5_vl": _QWEN2,
    "qwen2_5_vl_text": _QWEN2,
    "qwen3": _QWEN3,
    "qwen3_vl": _QWEN3,
    "qwen3_vl_text": _QWEN3,
    "qwen2_moe": Family(qkv_bias=True, experts=Experts(shared_gate=True), bridged=False),
    "qwen3_moe": _QWEN3_MOE,
    "qwen3_vl_moe": _QWEN3_MOE,
    "qwen3_vl_moe_text": _QWEN3_MOE,
    "qwen3_omni_moe_text": _QWEN3_MOE,
    "qwen3_next": _QWEN35_MOE,
    "qwen3_5": _QWEN35,
    "qwen3_5_text": _QWEN35,
    "qwen3_5_moe": _QWEN35_MOE,
    "qwen3_5_moe_text": _QWEN35_MOE,
    "mixtral": Family(experts=Experts(size="intermediate_size", before_softmax=False), bridged=False, windows="all"),
    "deepseek_v2": Family(
        qk_norm=True,
        experts=Experts(scores=None, balancing="seq_aux_loss"),
        latent=True,
        more=_PRECISE_LATENT,
    ),
    "deepseek_v3": _DEEPSEEK_V3,
    "kimi_k2": _DEEPSEEK_V3,
    "glm4": _GLM4,
    "glm4v": _GLM4,
    "glm4v_text": _GLM4,
    "glm4_moe": _GLM4_MOE,
    "glm4v_moe_text": _GLM4_MOE,
    "glm4_moe_lite": Family(qkv_bias=None, qk_norm=True, experts=_SIGMOID, latent=True, more=(_UNFUSED_ROPE,)),
    "glm_moe_dsa": Family(
        qk_norm=True,
        experts=_SIGMOID,
        latent=True,
        more=(("--enable-experimental",), ("--allgather-cp",)),
        beyond="the choice of what is attended to",
    ),
    "gpt_oss": Family(
        qkv_bias=True,
        experts=Experts(size="intermediate_size", before_softmax=False, balancing="none"),
        linear_bias=True,
        gate="--quick-geglu",
        windows="flagged",
        more=(
            ("--glu-linear-offset", "1.0"),
            ("--activation-func-clamp-value", "7.0"),
            ("--softmax-type", "learnable"),
            ("--window-attn-skip-freq", "2"),
            ("--no-bias-dropout-fusion",),
        ),
    ),
    "gemma": Family(tied=True, gate="", more=(_ZERO_CENTRED,), beyond="GeGLU and scaled embeddings"),
    "gemma2": Family(
        tied=True,
        gate="",
        more=(_ZERO_CENTRED,),
        windows="bridge",
        beyond="GeGLU, scaled embeddings, soft caps, sliding windows and more norms",
    ),
    "mimo": _QWEN2,
    "seed_oss": Family(qkv_bias=None, bridged=False),
    "minicpmo": Family(qkv_bias=True, bridged=False, beyond="the parts that see and hear"),
    "dots_ocr": _QWEN2,
    "dots_vlm": _QWEN2,
}
"""By ``model_type``, that of the language model where a config has several."""
