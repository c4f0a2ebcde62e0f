"""How the layers of a model are dealt out to the stages of a pipeline."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.migrate.gpus import gpus_of
from relax_lint.migrate.plan import Fate, Modes, Passed, Step
from relax_lint.migrate.readings import A, is_on, whole
from relax_lint.records import record

if TYPE_CHECKING:
    from relax_lint.migrate.choices import Choices
    from relax_lint.migrate.settings import Settings

_TRANSFORMER = f"{A}.megatron.override_transformer_config"
_FIRST_KEY, _LAST_KEY = (f"{_TRANSFORMER}.num_layers_in_{end}_pipeline_stage" for end in ("first", "last"))
_EMBEDDING, _LOSS = (f"{_TRANSFORMER}.account_for_{what}_in_pipeline_split" for what in ("embedding", "loss"))
_FIRST, _LAST = "--decoder-first-pipeline-num-layers", "--decoder-last-pipeline-num-layers"
_FEWEST_WITH_ENDS = 2


@record
class Ends:
    """The layers of the first and the last stage, where they are not those of the others."""

    first: int | None = None
    last: int | None = None


def steps(settings: Settings, choices: Choices) -> Iterator[Step]:
    """The flags and fates of stages; there is nothing to say where each has as many layers."""
    gpus = gpus_of(settings, choices)
    layers = None if choices.shape is None else choices.shape.layers
    verls = gpus.base.pipeline
    sync = _ends(settings, gpus.sync.pipeline, layers, verls)
    other = sync if gpus.split is None else _ends(settings, gpus.split.parallel.pipeline, layers, verls)
    for flag, end in ((_FIRST, "first"), (_LAST, "last")):
        numbers: tuple[int | None, int | None] = getattr(sync, end), getattr(other, end)
        yield from _passed(flag, *numbers)
    yield from _fates(settings, sync)


def _ends(settings: Settings, pipeline: int, layers: int | None, verls: int) -> Ends:
    """What verl says for as many stages as it has; else the layers are dealt out as evenly as can be."""
    first, last = whole(settings, _FIRST_KEY), whole(settings, _LAST_KEY)
    if pipeline < _FEWEST_WITH_ENDS:
        return Ends()
    if pipeline == verls and (first is not None or last is not None):
        return Ends(first, last)
    if layers is None:
        return Ends()
    embedding, loss = int(is_on(settings, _EMBEDDING)), int(is_on(settings, _LOSS))
    if not layers % pipeline and not (pipeline == verls and (embedding or loss)):
        return Ends()
    each = -(-(layers + embedding + loss) // pipeline)
    left = layers - each * (pipeline - _FEWEST_WITH_ENDS)
    half = left - left // 2 if embedding <= loss else left // 2
    return Ends(half, left - half) if left > 1 else Ends()


def _passed(flag: str, sync: int | None, other: int | None) -> Iterator[Step]:
    because = (_FIRST_KEY,) if flag == _FIRST else (_LAST_KEY,)
    numbers: list[tuple[int | None, Modes]] = [(sync, "both")] if sync == other else [(sync, "sync"), (other, "async")]
    for number, modes in numbers:
        if number is not None:
            yield Passed(flag, (str(number),), "perf", because, modes=modes)


def _fates(settings: Settings, ends: Ends) -> Iterator[Step]:
    for key, flag, number in ((_FIRST_KEY, _FIRST, ends.first), (_LAST_KEY, _LAST, ends.last)):
        if number is None:
            yield Fate(key, "same", (), "all stages have as many layers")
        else:
            yield Fate(key, "mapped", (flag,))
    flags = tuple(flag for flag, number in ((_FIRST, ends.first), (_LAST, ends.last)) if number is not None)
    for key in (_EMBEDDING, _LOSS):
        if is_on(settings, key) and flags:
            yield Fate(key, "derived", flags, "Relax's bridge counts layers only; the ends have fewer")
        else:
            yield Fate(key, "same", (), "layers are counted, nothing else")
