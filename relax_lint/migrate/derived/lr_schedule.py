"""How the learning rate goes: verl keeps it constant and counts rollouts, Relax lets it fall and counts updates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.migrate.batches import batches
from relax_lint.migrate.conversions import text_of
from relax_lint.migrate.plan import Fate, Passed, Step, Todo
from relax_lint.migrate.readings import A, carried, fates, given, is_on, real, shown, text, whole

if TYPE_CHECKING:
    from relax_lint.migrate.choices import Choices
    from relax_lint.migrate.settings import Settings

_OPTIM = f"{A}.optim"
_STYLE, _WARMUP, _FRACTION, _FLOOR = "--lr-decay-style", "--lr-warmup-iters", "--lr-warmup-fraction", "--min-lr"
_WARMUP_STEPS, _WARMUP_RATIO = f"{_OPTIM}.lr_warmup_steps", f"{_OPTIM}.lr_warmup_steps_ratio"
_TOTAL = f"{_OPTIM}.total_training_steps"
_PLAIN = {
    "lr_warmup_init": "--lr-warmup-init",
    "lr_wsd_decay_style": "--lr-wsd-decay-style",
    "weight_decay_incr_style": "--weight-decay-incr-style",
}
"""What Megatron's own optimizer is told in the same words."""
_PLAIN_DEFAULTS = {"lr_warmup_init": 0.0, "lr_wsd_decay_style": "exponential", "weight_decay_incr_style": "constant"}
_COUNTED = {"lr_decay_steps": "--lr-decay-iters", "lr_wsd_decay_steps": "--lr-wsd-decay-iters"}
_OF_OTHER_ENGINES = ("decay_type", "min_lr_factor", "lr_min", "lr_decay_ratio", "lr_start")
_STYLES = ("constant", "linear", "cosine", "inverse-square-root", "WSD")


def steps(settings: Settings, choices: Choices) -> Iterator[Step]:
    """The flags and fates of the schedule."""
    updates = batches(settings, choices).steps or 1
    yield from _style(settings)
    yield from _warmup(settings, updates)
    yield from fates(settings, (_TOTAL,), "no effect", "verl sets it itself when it starts; Relax, too")
    yield from _other_engines(settings)
    for name, flag in _COUNTED.items():
        key = f"{_OPTIM}.{name}"
        count = whole(settings, key)
        if key in settings.leaves and count is None:
            yield Fate(key, "same", (), "Relax takes the whole run, too")
        elif count is not None:
            yield Passed(flag, (str(count * updates),), "optimizer", (key,))
            yield Fate(key, "mapped", (flag,), _in_updates(updates))
    for name, flag in _PLAIN.items():
        key = f"{_OPTIM}.{name}"
        if key not in settings.leaves:
            continue
        if settings.value(key) in (None, _PLAIN_DEFAULTS[name]):
            yield Fate(key, "same", (), "Relax does so by itself")
        else:
            yield Passed(flag, (carried(settings, key),), "optimizer", (key,))
            yield Fate(key, "mapped", (flag,))


def _other_engines(settings: Settings) -> Iterator[Step]:
    """What only the optimizers of other engines read."""
    start = f"{_OPTIM}.zero_indexed_step"
    yield Fate(start, "same" if is_on(settings, start, default=True) else "dropped", (), "Relax counts steps from 0")
    for name in _OF_OTHER_ENGINES:
        key = f"{_OPTIM}.{name}"
        if not given(settings, key):
            yield Fate(key, "dropped", (), f"Relax keeps the rate as {_STYLE} says")
            continue
        todo = f"{key}={shown(settings.value(key))}: see {_STYLE} and {_FLOOR}, by which Relax lets the rate fall"
        yield Fate(key, "by hand", (), "the schedule of another engine", todo)
        yield Todo(todo, (key,))


def _in_updates(updates: int) -> str:
    return "" if updates == 1 else f"verl counts rollouts, Relax updates: {updates} each"


def _style(settings: Settings) -> Iterator[Step]:
    megatron, fsdp, old = (f"{_OPTIM}.{name}" for name in ("lr_decay_style", "lr_scheduler_type", "warmup_style"))
    source = next((key for key in (old, megatron, fsdp) if settings.value(key) is not None), fsdp)
    if settings.flavour == "fsdp" and megatron in settings.leaves and source == megatron:
        source = fsdp if settings.value(fsdp) is not None else megatron
    named = (text(settings, source) or "constant").replace("_", "-")
    style = named if named in _STYLES else "constant"
    yield Passed(
        _STYLE,
        (style,),
        "optimizer",
        (source,),
        "" if style != "constant" else "as in verl; Relax would let it fall to 0",
    )
    if named == style:
        yield from fates(settings, (source,), "mapped", flags=(_STYLE,))
    else:
        todo = f"{source}={named}: Relax has {', '.join(_STYLES)}; it is kept constant"
        yield Fate(source, "unsupported", (_STYLE,), "Relax has no such schedule", todo)
        yield Todo(todo, (source,))
    reason = f"{source.rpartition('.')[2]} decides"
    yield from fates(settings, tuple({megatron, fsdp, old} - {source}), "no effect", reason)
    yield from _floor(settings, style)


def _floor(settings: Settings, style: str) -> Iterator[Step]:
    """The lowest learning rate: a number, or a part of the first one."""
    lowest, ratio, cycles = (f"{_OPTIM}.{name}" for name in ("min_lr", "min_lr_ratio", "num_cycles"))
    if style == "constant":
        yield from fates(settings, (lowest, ratio, cycles), "no effect", "a constant rate does not fall")
        return
    if lowest in settings.leaves:
        if real(settings, lowest) == 0:
            yield Fate(lowest, "same", (), "Relax lets it fall to 0, too")
        else:
            yield Passed(_FLOOR, (carried(settings, lowest),), "optimizer", (lowest,))
            yield Fate(lowest, "mapped", (_FLOOR,))
    part, rate = real(settings, ratio), real(settings, f"{_OPTIM}.lr")
    if part and rate is not None:
        yield Passed(_FLOOR, (text_of(float(f"{part * rate:.6g}")),), "optimizer", (ratio, f"{_OPTIM}.lr"))
        yield Fate(ratio, "derived", (_FLOOR,), f"{shown(settings.value(ratio))} of the learning rate")
    elif part:
        yield Fate(
            ratio, "by hand", (), "only bash knows the learning rate", f"pass {_FLOOR} {part} × the learning rate"
        )
        yield Todo(f"{ratio}={part}: pass {_FLOOR} with {part} × the learning rate", (ratio,))
    else:
        yield from fates(settings, (ratio,), "same", "Relax lets it fall to 0, too")
    if real(settings, cycles) in (None, 0.5):
        yield from fates(settings, (cycles,), "same", "half a wave")
    elif cycles in settings.leaves:
        yield Fate(cycles, "unsupported", (), "the cosine of Relax is half a wave", "run without it")
        yield Todo(f"{cycles}={shown(settings.value(cycles))}: the cosine of Relax is half a wave", (cycles,))


def _warmup(settings: Settings, updates: int) -> Iterator[Step]:
    count, part = whole(settings, _WARMUP_STEPS), real(settings, _WARMUP_RATIO)
    # FSDP's trainer takes 0 steps for none; Megatron's for what the ratio says.
    by_steps = count is not None and (count > 0 or (count == 0 and settings.flavour == "fsdp"))
    if by_steps and count:
        reason = _in_updates(updates)
        yield Passed(_WARMUP, (str(count * updates),), "optimizer", (_WARMUP_STEPS,))
        yield Fate(_WARMUP_STEPS, "mapped", (_WARMUP,), reason)
        yield from fates(settings, (_WARMUP_RATIO,), "no effect", "lr_warmup_steps counts")
        return
    if settings.value(_WARMUP_STEPS) is not None and count is None:
        yield Passed(_WARMUP, (carried(settings, _WARMUP_STEPS),), "optimizer", (_WARMUP_STEPS,))
        yield Fate(_WARMUP_STEPS, "mapped", (_WARMUP,), _in_updates(updates))
        yield from fates(settings, (_WARMUP_RATIO,), "no effect", "lr_warmup_steps counts")
        return
    if by_steps:
        yield from fates(settings, (_WARMUP_STEPS,), "same", "no warm-up")
        yield from fates(settings, (_WARMUP_RATIO,), "no effect", "lr_warmup_steps counts")
        return
    yield from fates(settings, (_WARMUP_STEPS,), "no effect", "lr_warmup_steps_ratio counts")
    if part == 0 or settings.value(_WARMUP_RATIO) is None:
        yield from fates(settings, (_WARMUP_RATIO,), "same", "no warm-up")
    else:
        yield Passed(_FRACTION, (carried(settings, _WARMUP_RATIO),), "optimizer", (_WARMUP_RATIO,))
        yield Fate(_WARMUP_RATIO, "mapped", (_FRACTION,), "a part of the whole run")
