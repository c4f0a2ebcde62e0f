"""What the flags of a model file say, whatever their order and their spelling: two files of one model are equal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from relax_lint.catalog.conversions import BadValue, converted
from relax_lint.migrate.model_config import Numbers

if TYPE_CHECKING:
    from relax_lint.project import Project

Flags: TypeAlias = "Mapping[str, Sequence[str]]"

_DEFAULTS: dict[str, float] = {
    "--num-layers": 0,
    "--hidden-size": 0,
    "--ffn-hidden-size": 0,
    "--num-attention-heads": 0,
    "--vocab-size": 0,
    "--norm-epsilon": 1e-5,
    "--rotary-base": 10000,
    "--rotary-percent": 1,
    "--rotary-scaling-factor": 1,
    "--q-lora-rank": 0,
    "--kv-lora-rank": 32,
    "--qk-head-dim": 128,
    "--qk-pos-emb-head-dim": 64,
    "--v-head-dim": 128,
    "--num-experts": 0,
}
"""Megatron's defaults; 0 where it has none."""
_DEFAULTS_WITH_EXPERTS: dict[str, float] = {
    "--moe-ffn-hidden-size": 0,
    "--moe-router-topk": 2,
    "--moe-router-topk-scaling-factor": 1,
    "--moe-router-num-groups": 1,
    "--moe-shared-expert-intermediate-size": 0,
}
_SWITCHES = (
    "--swiglu",
    "--quick-geglu",
    "--disable-bias-linear",
    "--add-qkv-bias",
    "--qk-layernorm",
    "--untie-embeddings-and-output-weights",
    "--apply-layernorm-1p",
    "--attention-output-gate",
    "--multi-latent-attention",
    "--use-rope-scaling",
    "--rotary-interleaved",
)
_SWITCHES_WITH_EXPERTS = ("--moe-router-enable-expert-bias", "--moe-shared-expert-gate")

Architecture: TypeAlias = "dict[str, object]"


def architecture(flags: Flags) -> Architecture | None:
    """What Megatron builds of these flags; ``None`` when a number is not known."""
    numbers = {**_DEFAULTS, **(_DEFAULTS_WITH_EXPERTS if "--num-experts" in flags else {})}
    try:
        said: Architecture = {name: _number(flags, name, default) for name, default in numbers.items()}
        heads, hidden = _number(flags, "--num-attention-heads", 0), _number(flags, "--hidden-size", 0)
        if "--multi-latent-attention" not in flags:
            of_latent = ("--q-lora-rank", "--kv-lora-rank", "--qk-head-dim", "--qk-pos-emb-head-dim", "--v-head-dim")
            said = {name: value for name, value in said.items() if name not in of_latent}
            grouped = "--group-query-attention" in flags
            said["--num-query-groups"] = _number(flags, "--num-query-groups", heads) if grouped else heads
            said["--kv-channels"] = _number(flags, "--kv-channels", hidden // heads if heads else 0)
        if "--num-experts" in flags:
            said.update(_mixture(flags))
            if 0 not in said["--moe-layer-freq"]:  # type: ignore[operator]
                del said["--ffn-hidden-size"]  # no layer has it
    except (BadValue, ValueError):
        return None
    said.update({name: name in flags for name in _SWITCHES})
    if "--multi-latent-attention" in flags:
        del said["--add-qkv-bias"]  # there is no such projection
    return said


def numbers_of(said: Architecture, vision: bool) -> Numbers:
    """The numbers that the rest of a migration asks for."""
    heads = int(said["--num-attention-heads"])  # type: ignore[call-overload]
    return Numbers(
        layers=int(said["--num-layers"]),  # type: ignore[call-overload]
        hidden=int(said["--hidden-size"]),  # type: ignore[call-overload]
        heads=heads,
        query_groups=int(said.get("--num-query-groups", heads)),  # type: ignore[call-overload]
        experts=int(said["--num-experts"]),  # type: ignore[call-overload]
        vision=vision,
    )


def flags_of_file(path: Path, project: Project) -> Flags | None:
    """The flags that a model file puts into ``MODEL_ARGS``, with the defaults that it gives itself."""
    from relax_lint.sources.launcher import LauncherSource

    probe = f'source "{path}"\npython3 relax/entrypoints/train.py "${{MODEL_ARGS[@]}}"\n'
    launches = LauncherSource(path.parent / ".model", probe.encode(), project).launches
    if len(launches) != 1:
        return None
    return {argument.flag: tuple(word.text for word in argument.values) for argument in launches[0].arguments}


def _number(flags: Flags, name: str, default: float) -> float:
    return float(flags[name][0]) if flags.get(name) else default


def _mixture(flags: Flags) -> Architecture:
    """What experts add; a router of sigmoid scores has no softmax to come before."""
    layers = int(_number(flags, "--num-layers", 0))
    frequency = converted((flags.get("--moe-layer-freq") or ("1",))[0].replace(" ", ""), "moe_freq_type", None)
    if isinstance(frequency, int):
        frequency = [0 if index % frequency else 1 for index in range(layers)]
    scores = (flags.get("--moe-router-score-function") or ("softmax",))[0]
    said: Architecture = {name: name in flags for name in _SWITCHES_WITH_EXPERTS}
    said["--moe-layer-freq"] = list(frequency)
    said["--moe-router-score-function"] = scores
    said["--moe-router-pre-softmax"] = scores == "softmax" and "--moe-router-pre-softmax" in flags
    return said
