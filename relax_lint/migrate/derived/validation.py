"""Evaluation: on which data, and how responses are drawn there. verl takes the likeliest tokens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.migrate.batches import trainer_of
from relax_lint.migrate.data_files import files_in, named
from relax_lint.migrate.derived.intervals import BEFORE, evaluates
from relax_lint.migrate.derived.sampling import ALL_TOKENS
from relax_lint.migrate.plan import Fate, Passed, Step, Todo
from relax_lint.migrate.readings import R, below, carried, fates, is_on, real, refusal, shown, whole
from relax_lint.migrate.values import Template, is_known

if TYPE_CHECKING:
    from relax_lint.migrate.choices import Choices
    from relax_lint.migrate.settings import Settings

_FILES, _MOST, _ONLY = "data.val_files", "data.val_max_samples", "trainer.val_only"
_FILTERED, _LONGEST, _MAX_PROMPT = "data.filter_overlong_prompts", "data.max_prompt_length", "--eval-max-prompt-len"
_OF_VALIDATION = f"{R}.val_kwargs"
_DATA, _COUNT = "--eval-prompt-data", "--n-samples-per-eval-prompt"
_FLAGS = {"temperature": "--eval-temperature", "top_p": "--eval-top-p", "top_k": "--eval-top-k"}
_DEFAULTS = {"temperature": "0", "top_p": "1.0", "top_k": ALL_TOKENS}
"""verl's own."""


def steps(settings: Settings, choices: Choices) -> Iterator[Step]:
    """The flags and fates of evaluation."""
    yield from _only(settings)
    if not evaluates(settings):
        yield from fates(settings, (_FILES, _MOST), "no effect", "nothing is evaluated as it trains")
        rest = tuple(below(settings, _OF_VALIDATION))
        yield from fates(settings, rest, "no effect", "nothing is evaluated as it trains")
        return
    yield from _data(settings, choices)
    for name, flag in _FLAGS.items():
        key = f"{_OF_VALIDATION}.{name}"
        value = carried(settings, key) if settings.value(key) is not None else _DEFAULTS[name]
        if name == "top_k" and real(settings, key) == 0:
            value = ALL_TOKENS
        note = "Relax evaluates as it trains unless told otherwise" if name == "temperature" else ""
        yield Passed(flag, (value,), "eval", (key,), note)
        yield Fate(key, "mapped", (flag,))
    yield from _counted(settings)
    if is_on(settings, _FILTERED) and settings.value(_LONGEST) is not None:
        yield Passed(_MAX_PROMPT, (carried(settings, _LONGEST),), "eval", (_FILTERED, _LONGEST))
    reason = "the temperature decides"
    yield from fates(settings, (f"{_OF_VALIDATION}.do_sample",), "no effect", reason)


def _only(settings: Settings) -> Iterator[Step]:
    """verl reads it behind the evaluation before training, and its fully asynchronous trainer not at all."""
    value = settings.value(_ONLY)
    if trainer_of(settings) == "fully async":
        yield from fates(settings, (_ONLY,), "no effect", "this trainer of verl's does not read it")
    elif not is_on(settings, BEFORE, default=True):
        yield from fates(settings, (_ONLY,), "no effect", f"verl reads it with {BEFORE} only")
    elif is_on(settings, _ONLY):
        raise refusal(
            settings,
            _ONLY,
            f"{_ONLY}={shown(value)}: verl ends after the evaluation and trains nothing; Relax has no run that only "
            "evaluates. Nearest is the evaluation before the training of a launch that trains (--eval-interval "
            "and --eval-prompt-data)",
        )
    elif not is_known(value):
        todo = f"{_ONLY}={shown(value)}: where this is true, verl only evaluates; Relax trains in any case"
        yield Fate(_ONLY, "unsupported", (), "Relax has no run that only evaluates", todo)
        yield Todo(todo, (_ONLY,))
    else:
        yield from fates(settings, (_ONLY,), "same", "it trains")


def _data(settings: Settings, choices: Choices) -> Iterator[Step]:
    files = files_in(settings, _FILES, choices)
    most = whole(settings, _MOST)
    words: list[str | Template] = []
    for name, path in named(files):
        words += [name, _cut(path, most)]
    yield Passed(_DATA, tuple(words), "eval", (_FILES,))
    yield Fate(_FILES, "mapped", (_DATA,), "converted, each with a name")
    unknown = [file.path for file in files if isinstance(file.path, Template) and file.path.variables - {"DATA_DIR"}]
    for path in unknown:
        yield Todo(f"convert {shown(path)} for Relax; the launcher reads the converted file by this name", (_FILES,))
    if most is not None and most > 0:
        yield Fate(_MOST, "derived", (_DATA,), f"the first {most} rows of each file")
    else:
        yield from fates(settings, (_MOST,), "same", "all rows")


def _cut(path: str | Template, most: int | None) -> str | Template:
    if most is None or most <= 0:
        return path
    return Template((*path.parts, f"@[0:{most}]")) if isinstance(path, Template) else f"{path}@[0:{most}]"


def _counted(settings: Settings) -> Iterator[Step]:
    key = f"{_OF_VALIDATION}.n"
    if real(settings, key) in (None, 1) and not isinstance(settings.value(key), Template):
        yield from fates(settings, (key,), "same", "one response to a prompt")
    else:
        yield Passed(_COUNT, (carried(settings, key),), "eval", (key,))
        yield Fate(key, "mapped", (_COUNT,))
