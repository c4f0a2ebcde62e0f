"""Where metrics go."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.migrate.plan import Fate, Passed, Step, Todo
from relax_lint.migrate.readings import carried, fates

if TYPE_CHECKING:
    from relax_lint.migrate.choices import Choices
    from relax_lint.migrate.settings import Settings

_LOGGER, _PROJECT, _EXPERIMENT = "trainer.logger", "trainer.project_name", "trainer.experiment_name"
_KNOWN = ("console", "wandb", "tensorboard", "clearml")


def steps(settings: Settings, choices: Choices) -> Iterator[Step]:
    """The flags and fates of loggers."""
    named = _named(settings)
    names = {_PROJECT: "--tb-project-name", _EXPERIMENT: "--tb-experiment-name"}
    used = {_PROJECT: [names[_PROJECT]], _EXPERIMENT: [names[_EXPERIMENT]]}
    switches = []
    if "tensorboard" in named or not {"wandb", "clearml"} & set(named):
        switches.append("--use-tensorboard")
    else:
        switches.append("--no-use-tensorboard")
    if "clearml" in named:
        switches.append("--use-clearml")
    for switch in switches:
        yield Passed(switch, (), "log", (_LOGGER,))
    yield from _wandb(settings, named, used)
    for key, flag in names.items():
        if settings.value(key) is not None:
            yield Passed(flag, (carried(settings, key),), "log", (key,))
    for key, flags in used.items():
        yield Fate(key, "mapped", tuple(flags))
    yield from _fates(settings, named, (*switches, *(("--use-wandb",) if "wandb" in named else ())))


def _named(settings: Settings) -> list[str]:
    value = settings.value(_LOGGER)
    return [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)]


def _wandb(settings: Settings, named: list[str], used: dict[str, list[str]]) -> Iterator[Step]:
    if "wandb" not in named:
        return
    yield Passed("--use-wandb", (), "log", (_LOGGER,))
    for key, flag in ((_PROJECT, "--wandb-project"), (_EXPERIMENT, "--wandb-group")):
        value = carried(settings, key) if settings.value(key) is not None else key.rpartition(".")[2]
        note = "the run's name in W&B; Relax cannot do without" if flag == "--wandb-group" else ""
        yield Passed(flag, (value,), "log", (key,), note)
        used[key].append(flag)


def _fates(settings: Settings, named: list[str], flags: tuple[str, ...]) -> Iterator[Step]:
    missing = [name for name in named if name not in _KNOWN]
    if not missing:
        yield from fates(settings, (_LOGGER,), "mapped", "the console always", flags)
        return
    reason = f"Relax does not log to {' or '.join(missing)}; it knows TensorBoard, W&B and ClearML"
    yield Fate(_LOGGER, "unsupported", flags, reason, "read the metrics in TensorBoard, W&B or ClearML")
    yield Todo(f"{_LOGGER}: {reason}.", (_LOGGER,))
