"""The data that a launch names, as far as it is on this machine, and the columns that Relax takes from it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from relax_lint.attached import attached
from relax_lint.catalog.hidden import UNKNOWN, is_hidden
from relax_lint.kept import Kept, kept_property
from relax_lint.shell.queries import is_broken_off, place_of

if TYPE_CHECKING:
    from pathlib import Path

    from relax_lint.data_arguments import DataArguments, Keys
    from relax_lint.data_paths import DataPath, DataPlan, Rows
    from relax_lint.diagnostics import Place
    from relax_lint.project import Project
    from relax_lint.row_judges import RowJudge
    from relax_lint.shell.launch import Argument, Launch, Word
    from relax_lint.sources.columns import ColumnType
    from relax_lint.sources.dataset import DataFile, Row

# What reads data is imported when a launch names some that is here: most name none.

TRAIN, EVAL, EVAL_CONFIG = "--prompt-data", "--eval-prompt-data", "--eval-config"

_LOADED = re.compile(r"\.(?:parquet|jsonl)\b")
MOST_FILES = 16
"""Files of a dataset that are looked into; those of one directory are alike."""

Role = Literal["train", "eval"]


class DatasetUse:
    """One dataset of a launch: the files of it that are here, and how they are read.

    ``flag`` names it at ``place``; ``spec`` is what stands there; ``name`` is that of an evaluation set. ``missing``
    are the files that are named and not here.
    """

    def __init__(self, arguments: DataArguments, role: Role, argument: Argument | None, spec: str) -> None:
        self.arguments = arguments
        self.launch = arguments.launch
        self.project = arguments.project
        self.role = role
        self.argument = argument
        self.spec = spec
        self.flag = TRAIN if argument is None else argument.flag
        self.place: Place = place_of(self.launch, None if argument is None else argument.word)
        self.name = ""
        self.given: Mapping[str, Any] = {}
        """What an evaluation config says of this dataset."""
        self.judges: dict[type, RowJudge] = {}
        """What has looked at all of its rows."""
        self.sft = self.launch.mode == "sft"

    def __repr__(self) -> str:
        return f"DatasetUse({self.flag} {self.spec!r})"

    @kept_property
    def keys(self) -> Keys:
        """The columns that are taken."""
        arguments = self.arguments
        if self.role == "train" or self.sft:
            return arguments.keys(arguments.for_training)
        return arguments.keys(self._of_evaluation)

    def _of_evaluation(self, key: str) -> Any:
        given = self.given.get(f"{key}_key", self)
        return self.arguments.for_evaluation(key) if given is self else _of_yaml(given)

    def naming(self, key: str) -> Argument | None:
        """What names a column: its flag, or the config that does; ``None`` where Relax's default stands."""
        if f"{key}_key" in self.given:
            return self.argument
        return self.arguments.naming(key, evaluation=self.role == "eval" and not self.sft)

    def place_of(self, *keys: str) -> Place:
        """Where the first of some columns that is named is named, else where the data is."""
        found = (self.naming(key) for key in keys)
        argument = next((one for one in found if one is not None), self.argument)
        return self.place if argument is None else place_of(self.launch, argument.word)

    @kept_property
    def directory(self) -> Path:
        """The working directory that paths are seen from."""
        return directory_of(self.launch, self.project)

    @property
    def is_streamed(self) -> bool:
        """Whether rows are read when they are asked for, by a loader that drops those it cannot take, but for SFT."""
        return self.sft or (self.role == "train" and self.arguments.settled("use_streaming_dataset") is True)

    @kept_property
    def plan(self) -> DataPlan:
        """The files and rows that it names."""
        from relax_lint.data_paths import plan_of

        return plan_of(self.spec, self.directory, self.project.files)

    @kept_property
    def files(self) -> list[DataFile]:
        """The first of its files that are here and that Relax can load, each with the rows of it that are used."""
        return files_of(self.plan, self.project)[:MOST_FILES]

    @kept_property
    def missing(self) -> list[str]:
        """The files that are not here, as they are named."""
        return [named.text for named in self.plan.paths if not self.project.exists(named.path)]

    @property
    def readable(self) -> list[DataFile]:
        """Its files that can be read."""
        return [file for file in self.files if file.columns or file.problem is None]

    @kept_property
    def columns(self) -> dict[str, ColumnType]:
        """The types of its columns over all files that are here; empty when none can be read."""
        from relax_lint.sources.columns import merged

        names = dict.fromkeys(name for file in self.readable for name in file.columns)
        return {
            name: merged(file.columns[name] for file in self.readable if name in file.columns) for name in names
        }  # fmt: skip

    def sample(self, *columns: str) -> list[Row]:
        """Some rows of each file, with these columns."""
        return [row for file in self.readable for row in file.sample(*columns)]


def files_of(plan: DataPlan, project: Project) -> list[DataFile]:
    """The files of a plan that are here and that Relax can load, each with the rows of it that are used."""
    from relax_lint.data_paths import ALL_ROWS

    here = [file_of(named, project) for named in plan.paths if named.is_loadable and project.is_file(named.path)]
    if plan.rows == ALL_ROWS:
        return here
    return [file_of(named, project) for named in _within(here, plan.rows)]


def _within(files: list[DataFile], rows: Rows) -> Iterator[DataPath]:
    """The parts of some files that a range of all their rows covers; to the end where a file's rows are not counted."""
    from relax_lint.data_paths import DataPath, Rows

    start, stop = rows.start or 0, rows.stop
    if rows.is_negative:
        total = [file.count for file in files]
        if None in total:
            yield from (DataPath(file.text, file.path, file.rows_used) for file in files)
            return
        start, stop, _ = slice(start, stop).indices(sum(count or 0 for count in total))
    passed = 0
    for file in files:
        first, last = file.bounds
        count = file.count if len(files) > 1 or last is not None else None
        begin = first + max(0, start - passed)
        end = last if stop is None else first + stop - passed
        if last is not None and end is not None:
            end = min(end, last)
        if (end is None or begin < end) and (count is None or begin < first + count):
            yield DataPath(file.text, file.path, Rows(begin, end))
        if count is None:
            start, stop = 0, None
        else:
            passed += count


def directory_of(launch: Launch, project: Project) -> Path:
    """Where a launch runs: where its script has gone, else the root of the repository."""
    return project.root if launch.directory is None else project.root / launch.directory


class _Known:
    """What is worked out once for a project."""

    def __init__(self) -> None:
        self.files = Kept()
        self.uses = Kept()


@attached
def _known(project: Project) -> _Known:
    return _Known()


def file_of(named: DataPath, project: Project) -> DataFile:
    """A data file, opened once a project."""
    from relax_lint.sources.dataset import DataFile

    return _known(project).files.ask(named, lambda: DataFile(named, project.files))


def datasets_of(launch: Launch, project: Project) -> list[DatasetUse]:
    """The datasets that Relax's own loaders read in a launch, as far as it is known how they are named.

    Whether anything of them is on this machine, ``files`` and ``missing`` of each tell.
    """

    def answer() -> list[DatasetUse]:
        return list(_uses(launch, project)) if launch.kind == "relax" else []

    return _known(project).uses.ask(launch, answer)


def partly_named(launch: Launch, project: Project) -> Iterator[tuple[Argument, Word]]:
    """The words for data that Relax's own loaders would read, known in part only and not of the two formats that all
    have, with their flags."""
    train, evaluation = launch.last(TRAIN), launch.last(EVAL)
    words = [] if train is None else [(train, word) for word in train.own_values[:1]]
    if evaluation is not None and not any(word.open for word in evaluation.own_values):
        words += [(evaluation, word) for word in evaluation.own_values[1::2]]
    hidden = [(argument, word) for argument, word in words if word.unknowns and not _LOADED.search(word.text)]
    if not hidden or launch.kind != "relax" or is_broken_off(launch):
        return
    from relax_lint.data_arguments import DataArguments

    arguments = DataArguments(launch, project)
    for argument, word in hidden:
        read = arguments.reads_prompt_data if argument is train else arguments.evaluates
        if read and not arguments.reads_nothing:
            yield argument, word


def use_instead(launch: Launch, project: Project, uses: list[DatasetUse]) -> None:
    """Take these for the datasets of a launch."""
    _known(project).uses[launch] = uses


class _Named(NamedTuple):
    """A dataset as a launch names it; ``given`` is what an evaluation config says of it."""

    role: Role
    argument: Argument
    spec: str
    name: str = ""
    given: Mapping[str, Any] = MappingProxyType({})


def _uses(launch: Launch, project: Project) -> Iterator[DatasetUse]:
    here = [named for named in _named(launch, project) if _may_be_here(named.spec, launch, project)]
    if not here or is_broken_off(launch):
        return  # most launches name data of another machine, and nothing more is worked out for them
    from relax_lint.data_arguments import DataArguments

    arguments = DataArguments(launch, project)
    if arguments.reads_nothing:
        return
    for named in here:
        if arguments.reads_prompt_data if named.role == "train" else arguments.evaluates:
            use = DatasetUse(arguments, named.role, named.argument, named.spec)
            use.name, use.given = named.name, named.given
            yield use


def _may_be_here(spec: str, launch: Launch, project: Project) -> bool:
    """Whether data is on this machine, or the directory that it would be in, or its name alone says enough."""
    from relax_lint.data_paths import plan_of

    plan = plan_of(spec, directory_of(launch, project), project.files)
    return not plan.paths or any(
        not named.is_loadable or project.is_file(named.path) or project.is_dir(named.path.parent)
        for named in plan.paths
    )  # fmt: skip


def _named(launch: Launch, project: Project) -> Iterator[_Named]:
    """The datasets that a launch names, where it is known how."""
    train, evaluation, config = map(launch.last, (TRAIN, EVAL, EVAL_CONFIG))
    if train is not None and train.value is not None:
        yield _Named("train", train, train.value)
    if evaluation is not None and not launch.may_have(EVAL_CONFIG):
        yield from _pairs(evaluation)
    if config is not None and config.value is not None and launch.mode != "sft":
        for name, path, given in _entries(project, directory_of(launch, project) / config.value):
            yield _Named("eval", config, path, name, given)


def _pairs(argument: Argument) -> Iterator[_Named]:
    """The names and paths behind ``--eval-prompt-data``."""
    words = argument.own_values
    if any(word.open for word in words):
        return
    pairs = [(None, words[0])] if len(words) == 1 else list(zip(words[::2], words[1::2], strict=False))
    for name, word in pairs:
        if word.known:
            yield _Named("eval", argument, word.text, "aime" if name is None else name.text)


def _of_yaml(value: Any) -> Any:
    """A key of a config; an interpolation is not worked out."""
    if is_hidden(value) or value is None:
        return value
    return value if isinstance(value, str) and "${" not in value else UNKNOWN


def _entries(project: Project, path: Path) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """The datasets of an evaluation config: name, path and keys, the defaults included."""
    source = project.yaml(path)
    if source is None or source.error is not None:
        return
    from relax_lint.sources.config_yaml import NotLoaded

    try:
        root = source.load()
    except NotLoaded:
        return
    top = root.get("eval", root) if isinstance(root, dict) else None
    if not isinstance(top, dict):
        return
    defaults = top.get("defaults")
    datasets = top.get("datasets")
    named: list[tuple[Any, Any]] = []
    if isinstance(datasets, dict):
        named = list(datasets.items())
    elif isinstance(datasets, list):
        named = [(None, entry) for entry in datasets]
    for name, entry in named:
        if isinstance(entry, dict) and isinstance(entry.get("path"), str) and "${" not in entry["path"]:
            given = {**(defaults if isinstance(defaults, dict) else {}), **entry}
            yield str(entry.get("name", name)), entry["path"], given
