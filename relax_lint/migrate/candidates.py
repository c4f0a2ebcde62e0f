"""A launch with one verl's defaults: how well they fit, and the settings that it has then."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from omegaconf import OmegaConf

from relax_lint.migrate.applying import apply, hidden_environment, resolved
from relax_lint.migrate.composing import Composed, Path, compose
from relax_lint.migrate.config_search import ConfigSearch
from relax_lint.migrate.known_keys import BOOKKEEPING, KnownKeys
from relax_lint.migrate.mains import Main, main_of, module_name
from relax_lint.migrate.overrides import MARKED, Command, Given
from relax_lint.migrate.plan import Refusal
from relax_lint.migrate.settings import Flavour, Setting, Settings
from relax_lint.migrate.verl_defaults import Verl, embedded
from relax_lint.records import node
from relax_lint.shell.launch import entry_name

if TYPE_CHECKING:
    from omegaconf import DictConfig

    from relax_lint.migrate.config_directories import ConfigDirectory
    from relax_lint.project import Project
    from relax_lint.shell.launch import Launch, Word

_OF_HYDRA = re.compile(r"hydra[./]")
_WITH_DEFAULT = re.compile(r"(?:\$\{)?([A-Za-z_]\w*)(?::?[-=].*)?\}?", re.DOTALL)
_STRATEGY = "actor_rollout_ref.actor.strategy"


@node
class Candidate:
    """A launch with one verl.

    ``chosen`` are the overrides that choose configuration files or say how Hydra itself runs; ``strangers`` counts
    those that Hydra would refuse with this verl.
    """

    launch: Launch
    main: Main
    verl: Verl
    command: Command
    composed: Composed
    config: DictConfig
    changed: dict[Path, Word]
    chosen: list[Given]
    strangers: int

    def settings(self) -> Settings:
        """The settings that the launch has with this verl."""
        keys = KnownKeys(self.composed)
        leaves: dict[str, Setting] = {}
        for path, value in resolved(self.config):
            if path[-1] != BOOKKEEPING and not (path[0] == "hydra" and self._is_verls(path)):
                setting = self._setting(path, value, keys)
                leaves[setting.key] = setting
        for given in self.chosen:
            key = self.command.hidden.shown(given.override.get_key_element().lstrip("+~"))
            value = self.command.hidden.data(given.override.value())
            leaves[key] = Setting(
                key, value, "command line", given.word.place, given.word.text, variable_of(given.word)
            )
        megatron = _STRATEGY in leaves and leaves[_STRATEGY].value == "megatron"
        flavour: Flavour = "megatron" if megatron else "fsdp"
        return Settings(self.launch, self.main.name, flavour, self.verl.version, leaves)

    def _is_verls(self, path: Path) -> bool:
        written = _nearest(self.composed.origins, path)
        return written is not None and written.file.of_verl

    def _setting(self, path: Path, value: Any, keys: KnownKeys) -> Setting:
        hidden = self.command.hidden
        key = hidden.shown(".".join(path))
        data = hidden.data(value)
        word = _nearest(self.changed, path)
        written = _nearest(self.composed.origins, path)
        by_default = word is None and (written is None or written.file.of_verl)
        known = by_default or keys.knows(path)
        meant = None if known else keys.meant(path)
        if word is not None:
            return Setting(key, data, "command line", word.place, word.text, variable_of(word), known, meant)
        if by_default:
            return Setting(key, data, "verl default")
        place = written.file.place(written.path)
        given = "" if place is None else place.source.text[place.start : place.end]
        return Setting(key, data, "recipe config", place, given, None, known, meant)


def _nearest(origins: Any, path: Path) -> Any:
    """What is said of a leaf, or of the nearest entry that holds it."""
    for length in range(len(path), 0, -1):
        found = origins.get(path[:length])
        if found is not None:
            return found
    return None


def variable_of(word: Word) -> str | None:
    """The variable that the whole value of an override comes from, where the script gives it a default."""
    value = word.text.partition("=")[2]
    if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
        value = value[1:-1]
    if word.unknowns or len(word.defaults) != 1 or not value or word.default_texts != (value,):
        return None
    found = _WITH_DEFAULT.fullmatch(word.defaults[0])
    return None if found is None else found[1]


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
    config = OmegaConf.create(hidden_environment(composed.tree, command.hidden))
    OmegaConf.set_struct(config, True)
    chosen = [given for given in command.overrides if given.override.is_hydra_override()]
    applied = {id(override) for override in composed.overrides}
    changed: dict[Path, Word] = {}
    strangers = 0
    for given in own:
        if id(given.override) not in applied:
            chosen.append(given)
            continue
        strangers += not apply(given, config, command.hidden)
        _note(given, changed)
    return Candidate(launch, main, verl, command, composed, config, changed, chosen, strangers)


def _note(given: Given, changed: dict[Path, Word]) -> None:
    """Remember what an override changes; earlier changes below it are gone unless it only adds to them."""
    path = tuple(given.override.key_or_group.split("."))
    value = given.override.value()
    if isinstance(value, dict) and value:
        for below in _paths(value, path):
            changed[below] = given.word
        return
    for earlier in [earlier for earlier in changed if earlier[: len(path)] == path]:
        del changed[earlier]
    changed[path] = given.word


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
            return Main(name, directory, known.name, PurePosixPath(known.directory).parent)
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
