"""The data that a launch names, as far as it is on this machine, and the columns that Relax takes from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakKeyDictionary

from relax_lint.catalog.hidden import UNKNOWN, is_hidden
from relax_lint.catalog.launches import namespace_of
from relax_lint.data_paths import ALL_ROWS, DataPath, DataPlan, Rows, plan_of
from relax_lint.launch_config import setting
from relax_lint.records import record
from relax_lint.shell.queries import place_of
from relax_lint.sources.columns import ColumnType, merged
from relax_lint.sources.dataset import DataFile, Row

if TYPE_CHECKING:
    from pathlib import Path

    from relax_lint.diagnostics import Place
    from relax_lint.project import Project
    from relax_lint.shell.launch import Launch, Word

TRAIN, EVAL, EVAL_CONFIG = "--prompt-data", "--eval-prompt-data", "--eval-config"
_OWN_SOURCE = "relax.engine.rollout.data_source."
"""Where the data sources of Relax itself are, which read ``--prompt-data``."""

Role = Literal["train", "eval"]


@record
class Keys:
    """What Relax takes from a row: names of columns, ``None`` where it takes nothing, hidden where it cannot be told.

    ``media`` maps kinds of media to columns.
    """

    input: Any
    label: Any
    metadata: Any
    tools: Any
    media: Any


class DatasetUse:
    """One dataset of a launch: the files of it that are here, and how they are read.

    ``flag`` names it at ``place``; ``spec`` is what stands there; ``name`` is that of an evaluation set. ``missing``
    are the files that are named and not here.
    """

    def __init__(self, launch: Launch, project: Project, role: Role, word: Word | None, spec: str, keys: Keys) -> None:
        self.launch = launch
        self.project = project
        self.role = role
        self.spec = spec
        self.keys = keys
        self.name = ""
        self.flag = TRAIN if role == "train" else EVAL
        self.place: Place = place_of(launch, word)
        self.sft = launch.mode == "sft"

    def __repr__(self) -> str:
        return f"DatasetUse({self.flag} {self.spec!r})"

    @cached_property
    def directory(self) -> Path:
        """The working directory that paths are seen from."""
        return directory_of(self.launch, self.project)

    @cached_property
    def plan(self) -> DataPlan:
        """The files and rows that it names."""
        return plan_of(self.spec, self.directory, self.project.files)

    @cached_property
    def files(self) -> list[DataFile]:
        """Its files that are here and that Relax can load, each with the rows of it that are used."""
        here = [
            file_of(named, self.project)
            for named in self.plan.paths
            if named.is_loadable and self.project.is_file(named.path)
        ]
        if self.plan.rows == ALL_ROWS:
            return here
        return [file_of(named, self.project) for named in _within(here, self.plan.rows)]

    @cached_property
    def missing(self) -> list[str]:
        """The files that are not here, as they are named."""
        return [named.text for named in self.plan.paths if not self.project.exists(named.path)]

    @property
    def readable(self) -> list[DataFile]:
        """Its files that can be read."""
        return [file for file in self.files if file.columns or file.problem is None]

    @cached_property
    def columns(self) -> dict[str, ColumnType]:
        """The types of its columns over all files that are here; empty when none can be read."""
        names = dict.fromkeys(name for file in self.readable for name in file.columns)
        return {
            name: merged(file.columns[name] for file in self.readable if name in file.columns) for name in names
        }  # fmt: skip

    def sample(self, *columns: str) -> list[Row]:
        """Some rows of each file, with these columns."""
        return [row for file in self.readable for row in file.sample(*columns)]


def _within(files: list[DataFile], rows: Rows) -> Iterator[DataPath]:
    """The parts of some files that a range of all their rows covers; to the end where a file's rows are not counted."""
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
        self.files: dict[DataPath, DataFile] = {}
        self.uses: dict[Launch, list[DatasetUse]] = {}


_KNOWN: WeakKeyDictionary[Project, _Known] = WeakKeyDictionary()


def _known(project: Project) -> _Known:
    return _KNOWN.setdefault(project, _Known())


def file_of(named: DataPath, project: Project) -> DataFile:
    """A data file, opened once a project."""
    known = _known(project).files
    if named not in known:
        known[named] = DataFile(named, project.files)
    return known[named]


def datasets_of(launch: Launch, project: Project) -> list[DatasetUse]:
    """The datasets that Relax's own loaders read in a launch, as far as it is known how they are named.

    Whether anything of them is on this machine, ``files`` and ``missing`` of each tell.
    """
    known = _known(project).uses
    if launch not in known:
        known[launch] = list(_uses(launch, project)) if launch.kind == "relax" else []
    return known[launch]


def _uses(launch: Launch, project: Project) -> Iterator[DatasetUse]:
    values = _Values(launch, project)
    if values.flag("debug_train_only") is True or values.flag("load_debug_rollout_data"):
        return
    if launch.has(TRAIN) and values.reads_prompt_data:
        yield from _train(launch, project, values)
    if launch.has(EVAL) and not launch.may_have(EVAL_CONFIG):
        yield from _eval(launch, project, values)
    if launch.has(EVAL_CONFIG) and launch.mode != "sft":
        yield from _of_config(launch, project, values)


def _train(launch: Launch, project: Project, values: _Values) -> Iterator[DatasetUse]:
    argument = launch.last(TRAIN)
    if argument is None or argument.value is None:
        return
    keys = _keys(values, values.train)
    yield DatasetUse(launch, project, "train", argument.word, argument.value, keys)


def _eval(launch: Launch, project: Project, values: _Values) -> Iterator[DatasetUse]:
    argument = launch.last(EVAL)
    words = () if argument is None else argument.own_values
    if argument is None or any(word.open for word in words):
        return
    pairs = [(None, words[0])] if len(words) == 1 else list(zip(words[::2], words[1::2], strict=False))
    keys = _keys(values, values.train if launch.mode == "sft" else values.eval)
    for name, word in pairs:
        if word.known:
            use = DatasetUse(launch, project, "eval", argument.word, word.text, keys)
            use.name = "aime" if name is None else name.text
            yield use


def _of_config(launch: Launch, project: Project, values: _Values) -> Iterator[DatasetUse]:
    argument = launch.last(EVAL_CONFIG)
    if argument is None or argument.value is None:
        return
    for name, path, given in _entries(project, directory_of(launch, project) / argument.value):

        def taken(key: str, given: Mapping[str, Any] = given) -> Any:
            return _of_yaml(given[f"{key}_key"]) if f"{key}_key" in given else values.eval(key)

        keys = _keys(values, taken)
        use = DatasetUse(launch, project, "eval", argument.word, path, keys)
        use.flag, use.name = EVAL_CONFIG, name
        yield use


def _keys(values: _Values, taken: Callable[[str], Any]) -> Keys:
    return Keys(taken("input"), taken("label"), taken("metadata"), taken("tool"), values.media)


class _Values:
    """The arguments of a launch that say how data is read."""

    def __init__(self, launch: Launch, project: Project) -> None:
        self.launch = launch
        self.project = project
        self.namespace = namespace_of(launch, project)

    def flag(self, dest: str) -> Any:
        """What argparse makes of an argument."""
        return self.namespace.value(dest)

    def train(self, key: str) -> Any:
        """The name of a column for training: the config of the launch has the last word."""
        return self.final(f"{key}_key")

    def final(self, dest: str) -> Any:
        """An argument after the config of the launch has been read."""
        given = setting(self.launch, self.project, "--" + dest.replace("_", "-"))
        if given is None:
            return self.flag(dest)
        if given.kind in ("str", "null"):
            return given.text if given.kind == "str" else None
        return UNKNOWN

    def eval(self, key: str) -> Any:
        """The name of a column for evaluation, which is settled before the config is read."""
        own = None if key == "metadata" else self.flag(f"eval_{key}_key")
        return self.flag(f"{key}_key") if own is None else own

    @cached_property
    def media(self) -> Any:
        """The columns of media, by kind."""
        return self.final("multimodal_keys")

    @property
    def reads_prompt_data(self) -> bool:
        """Whether a data source of Relax itself reads ``--prompt-data``."""
        if self.launch.mode == "sft":
            return self.launch.value("--custom-dataset-class-path") is None
        source, reads = self.final("data_source_path"), self.flag("rollout_global_dataset")
        return isinstance(source, str) and source.startswith(_OWN_SOURCE) and reads is True


def _of_yaml(value: Any) -> Any:
    """A key of a config; an interpolation is not worked out."""
    if is_hidden(value) or value is None:
        return value
    return value if isinstance(value, str) and "${" not in value else UNKNOWN


def _entries(project: Project, path: Path) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """The datasets of an evaluation config: name, path and keys, the defaults included."""
    source = project.text(path)
    if source is None:
        return
    import yaml

    try:
        root = yaml.load(source.text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, ValueError, RecursionError, TypeError):
        return
    top = root.get("eval", root) if isinstance(root, dict) else None
    if not isinstance(top, dict):
        return
    defaults = top.get("defaults")
    datasets = top.get("datasets")
    named = datasets.items() if isinstance(datasets, dict) else ((None, entry) for entry in datasets or ())
    for name, entry in named if isinstance(datasets, (dict, list)) else ():
        if isinstance(entry, dict) and isinstance(entry.get("path"), str) and "${" not in entry["path"]:
            given = {**(defaults if isinstance(defaults, dict) else {}), **entry}
            yield str(entry.get("name", name)), entry["path"], given
