"""What the user of a migration decides, and what is known of the model beside the settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from relax_lint.records import record

if TYPE_CHECKING:
    from relax_lint.migrate.carrying.sources import VerlSources
    from relax_lint.migrate.values import Template

BatchUnit = Literal["prompts", "samples"]

_EMBEDDINGS_UNTIED = "--untie-embeddings-and-output-weights"
_GATED = ("--swiglu", "--geglu", "--quick-geglu")


@record
class ModelShape:
    """The numbers of a model that decide how it can be divided.

    ``parameters`` counts all, in billions; ``expert_parameters`` those of them that lie in experts. ``vision`` says
    that it takes images, video or sound.
    """

    heads: int
    query_groups: int
    layers: int
    experts: int = 0
    parameters: float = 0.0
    expert_parameters: float = 0.0
    vision: bool = False


@record
class Choices:
    """The options of a migration.

    ``name`` is the recipe's; ``unit`` what verl's ``train_batch_size`` is taken for; ``keep_updates`` keeps several
    updates of a rollout; ``model`` is the stem of the model's file under ``scripts/models/`` and ``shape`` what it
    says, ``None`` when it is not known. ``package`` is that of the recipes, empty at the root; ``part`` is a package in
    the recipe for what is another thing under the same name there. ``verl`` has the code that may be carried over,
    ``data`` are verl's paths of the data of all launches of the recipe.
    """

    name: str
    unit: BatchUnit = "prompts"
    keep_updates: bool = False
    model: str = ""
    shape: ModelShape | None = None
    package: str = "examples"
    part: str = ""
    verl: VerlSources | None = None
    data: tuple[str | Template, ...] = ()

    def module(self, name: str) -> str:
        """The module path of a file of the recipe."""
        return ".".join(filter(None, (self.package, self.name, self.part, name)))


def shape_of(flags: Mapping[str, Sequence[str]], *, vision: bool = False) -> ModelShape:
    """The shape that the flags of a model file describe; the sizes are near enough to decide how to divide it."""

    def number(flag: str, default: int = 0) -> int:
        values = flags.get(flag, ())
        return int(float(values[0])) if values and values[0].replace(".", "", 1).isdigit() else default

    layers, hidden = number("--num-layers"), number("--hidden-size")
    heads = number("--num-attention-heads", 1)
    groups = number("--num-query-groups", heads)
    channels = number("--kv-channels", hidden // heads if heads else 0)
    matrices = 3 if any(gate in flags for gate in _GATED) else 2
    attention = layers * hidden * channels * (2 * heads + 2 * groups)
    experts = number("--num-experts")
    sparse = _layers_with_experts(flags, layers) if experts else 0
    of_experts = sparse * experts * matrices * hidden * number("--moe-ffn-hidden-size")
    shared = sparse * matrices * hidden * number("--moe-shared-expert-intermediate-size")
    dense = (layers - sparse) * matrices * hidden * number("--ffn-hidden-size")
    tables = number("--vocab-size") * hidden * (2 if _EMBEDDINGS_UNTIED in flags else 1)
    total = attention + dense + shared + of_experts + tables
    return ModelShape(heads, groups, layers, experts, total / 1e9, of_experts / 1e9, vision)


def _layers_with_experts(flags: Mapping[str, Sequence[str]], layers: int) -> int:
    """``--moe-layer-freq`` is a step, or a pattern such as ``[0]*1+[1]*47``."""
    values = flags.get("--moe-layer-freq", ())
    if not values:
        return layers
    pattern = values[0]
    if pattern.isdigit():
        return layers // max(1, int(pattern))
    count = 0
    for part in pattern.split("+"):
        listed, _, times = part.partition("*")
        count += listed.count("1") * (int(times) if times.isdigit() else 1)
    return min(layers, count)
