"""A launch with one verl's defaults: how well they fit, and the settings that it has then."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from omegaconf import OmegaConf
from omegaconf._utils import split_key
from omegaconf.errors import OmegaConfBaseException

from relax_lint.migrate.applying import apply, hidden_environment, real_path, resolved
from relax_lint.migrate.composing import Composed, Path, compose
from relax_lint.migrate.config_search import ConfigSearch
from relax_lint.migrate.config_trees import each_text_parsed_once, tree_of
from relax_lint.migrate.engines import STRATEGY
from relax_lint.migrate.known_keys import KnownKeys
from relax_lint.migrate.mains import Main, main_of, module_name
from relax_lint.migrate.mapping import entries
from relax_lint.migrate.overrides import MARKED, Command, Given
from relax_lint.migrate.plan import Refusal
from relax_lint.migrate.settings import NOT_THERE, Flavour, Setting, Settings
from relax_lint.migrate.verl_defaults import Verl, embedded
from relax_lint.records import node
from relax_lint.shell.launch import entry_name

if TYPE_CHECKING:
    from omegaconf import DictConfig

    from relax_lint.migrate.config_directories import ConfigDirectory
    from relax_lint.project import Project
    from relax_lint.shell.launch import Launch, Word

_OF_HYDRA = re.compile(r"hydra[./]")


class Change(NamedTuple):
    """The word of the command line that a value comes from, and what Hydra has against it."""

    word: Word
    problem: str


@node
class Candidate:
    """A launch with one verl.

    ``chosen`` are the overrides that choose configuration files, take something away or say how Hydra itself runs;
    ``strangers`` counts those that Hydra would refuse with this verl.
    """

    launch: Launch
    main: Main
    verl: Verl
    command: Command
    composed: Composed
    config: DictConfig
    changed: dict[Path, Change]
    chosen: list[Given]
    strangers: int

    def settings(self) -> Settings:
        """The settings that the launch has with this verl."""
        keys = KnownKeys(self.composed)
        leaves: dict[str, Setting] = {}
        with each_text_parsed_once():
            values = list(resolved(self.config))
        for path, value in values:
            if not (path[0] == "hydra" and self._is_verls(path)):
                setting = self._setting(path, value, keys)
                leaves[setting.key] = setting
        for given in self.chosen:
            setting = self._chosen(given)
            leaves[setting.key] = setting
        megatron = STRATEGY in leaves and leaves[STRATEGY].value == "megatron"
        flavour: Flavour = "megatron" if megatron else "fsdp"
        return Settings(self.launch, self.main.name, flavour, self.verl.version, leaves)

    def _chosen(self, given: Given) -> Setting:
        """The setting of an override that chooses a file, ``group@package``, or takes something away, ``~key``."""
        override, word, hidden = given.override, given.word, self.command.hidden
        package = "" if override.package is None else f"@{override.package}"
        key = hidden.shown(f"{'~' if override.is_delete() else ''}{override.key_or_group}{package}")
        value, variable = hidden.data(override.value()), variable_of(word)
        return Setting(key, value, "command line", word.place, word.text, variable, problem=given.problem, acts=True)

    def _is_verls(self, path: Path) -> bool:
        written = _nearest(self.composed.origins, path)
        return written is not None and written.file.of_verl

    def _setting(self, path: Path, value: Any, keys: KnownKeys) -> Setting:
        hidden = self.command.hidden
        key = hidden.shown(".".join(path))
        data = hidden.data(value)
        change = _nearest(self.changed, path) or (isinstance(value, list) and _below(self.changed, path)) or None
        written = _nearest(self.composed.origins, path)
        own = None if entries(key) else self.composed.origins.get(path)
        declared = None if own is None else own.file.place(own.path)
        by_default = change is None and (written is None or written.file.of_verl)
        known = by_default or keys.knows(path) or (change is None and keys.knows(_nearest_path(self.composed, path)))
        added = change is None or change.word.text.startswith("+")
        meant = None if known else keys.meant(path, added=added)
        if change is not None:
            word, problem = change
            if problem == NOT_THERE and self.main.guessed:
                problem = ""
            variable = variable_of(word)
            said = (word.place, word.text, variable, known, meant, problem)
            return Setting(key, data, "command line", *said, declared=declared)
        if by_default:
            return Setting(key, data, "verl default", declared=declared)
        place = written.file.place(written.path)
        given = "" if place is None else place.source.text[place.start : place.end]
        return Setting(key, data, "recipe config", place, given, None, known, meant, declared=declared)


def _nearest(origins: Any, path: Path) -> Any:
    """What is said of a leaf, or of the nearest entry that holds it."""
    for length in range(len(path), 0, -1):
        found = origins.get(path[:length])
        if found is not None:
            return found
    return None


def _nearest_path(composed: Composed, path: Path) -> Path:
    """The entry of a file that a leaf comes from: what an interpolation brings stands below it."""
    return next((path[:length] for length in range(len(path), 0, -1) if path[:length] in composed.origins), path)


def _below(changed: Mapping[Path, Change], path: Path) -> Change | None:
    """The change of an item of a list."""
    return next((change for below, change in changed.items() if below[: len(path)] == path), None)


def variable_of(word: Word) -> str | None:
    """The variable that the whole value of an override comes from, where the script gives it a default."""
    value = word.text.partition("=")[2]
    if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
        value = value[1:-1]
    spans = word.spans
    whole = len(spans) == 1 and not word.unknowns and word.default_texts == (value,)
    return spans[0].variable if whole and value else None


def candidate(launch: Launch, project: Project, verl: Verl, command: Command) -> Candidate:
    """A launch with the defaults of a verl."""
    main = main_of(launch, project, verl) or _main_like_known(launch, verl)
    search = ConfigSearch(launch, project, verl, MARKED)
    directories = _directories(main, search, command)
    name = command.config_name or main.config
    if MARKED.search(name):
        shown = command.hidden.shown(name)
        raise Refusal(f"which configuration it uses is known only when it runs: {shown}", place=_place(command, "name"))
    own: list[Given] = []
    of_hydra: list[Given] = []
    for given in command.overrides:
        (of_hydra if given.override.is_hydra_override() else own).append(given)
    searched = [given.override for given in of_hydra if given.override.key_or_group == "hydra.searchpath"]
    try:
        composed = compose(
            name, directories, search.from_working_directory, [*searched, *(given.override for given in own)]
        )
    except Refusal as refusal:
        place = refusal.place or _place(command, "name") or launch.argv[launch.entry].place
        raise Refusal(command.hidden.shown(refusal.reason), refusal.key, place) from None
    return _applied(launch, main, verl, command, composed, own)


def _applied(
    launch: Launch, main: Main, verl: Verl, command: Command, composed: Composed, own: Sequence[Given]
) -> Candidate:
    try:
        config = tree_of(hidden_environment(composed.tree, command.hidden))
    except (OmegaConfBaseException, RecursionError) as error:
        said = str(error).partition("\n")[0]
        raise Refusal(f"its configuration cannot be read: {said}", place=launch.argv[launch.entry].place) from error
    OmegaConf.set_struct(config, True)
    chosen = [given for given in command.overrides if given.override.is_hydra_override()]
    applied = {id(override) for override in composed.overrides}
    changed: dict[Path, Change] = {}
    strangers = 0
    for given in own:
        if id(given.override) not in applied:
            chosen.append(given)
            continue
        path = real_path(config, tuple(split_key(given.override.key_or_group)))
        problem = apply(given, config, command.hidden)
        strangers += bool(problem)
        if given.override.is_delete():
            chosen.append(Given(given.override, given.word, problem))
        _note(path, given, problem, changed)
    return Candidate(launch, main, verl, command, composed, config, changed, chosen, strangers)


def _note(path: Path, given: Given, problem: str, changed: dict[Path, Change]) -> None:
    """Remember what an override changes; earlier changes below it are gone unless it only adds to them."""
    value = given.override.value()
    change = Change(given.word, problem)
    if isinstance(value, dict) and value:
        changed.update((below, change) for below in _paths(value, path))
        return
    for earlier in [earlier for earlier in changed if earlier[: len(path)] == path]:
        del changed[earlier]
    if not given.override.is_delete():
        changed[path] = change


def _paths(value: dict[Any, Any], inside: Path) -> Iterator[Path]:
    for key, item in value.items():
        if isinstance(item, dict) and item:
            yield from _paths(item, (*inside, str(key)))
        else:
            yield (*inside, str(key))


def _main_like_known(launch: Launch, verl: Verl) -> Main:
    """What a main uses whose code is not at hand: as that of the same name does in a verl known here."""
    name = entry_name(launch.argv[launch.entry])
    for version in embedded():
        known = version.main(module_name(name))
        if known is not None:
            directory = verl.directory(known.directory) or version.directory(known.directory)
            return Main(name, directory, known.name, PurePosixPath(known.directory).parent, known.guessed)
    raise AssertionError("every main is like one of verl's")


def _directories(main: Main, search: ConfigSearch, command: Command) -> list[ConfigDirectory]:
    """Where the configuration is looked up, in Hydra's order."""
    path, extra = command.config_path, command.config_dir
    primary = main.directory if path is None else search.of_main(path, main)
    if primary is None:
        where = command.hidden.shown(path if path is not None else str(main.beside))
        raise Refusal(f"the directory of its configuration is not there: {where}", place=_place(command, "path"))
    if extra is None:
        return [primary]
    more = search.from_working_directory(extra)
    if more is None:
        where = command.hidden.shown(extra)
        raise Refusal(f"the directory of its configuration is not there: {where}", place=_place(command, "dir"))
    return [primary, more]


def _place(command: Command, option: str) -> Any:
    word = command.words.get(f"--config-{option}")
    return None if word is None else word.place
