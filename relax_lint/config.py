"""What the user asks for: the settings of a run, from configuration files and the command line."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from relax_lint import looks
from relax_lint.globs import single
from relax_lint.records import changed, field_names, record
from relax_lint.selection import Layer, UnknownRule, refuse_unknown

if TYPE_CHECKING:
    from relax_lint.constraints.schema import Constraint
    from relax_lint.rules import Rule

Profile = Literal["guide", "runtime"]
PROFILES: tuple[Profile, ...] = ("guide", "runtime")


_FLAG = re.compile(r"--?\w[\w.-]*")
_MENTION = re.compile(rb"""tool\s*\.\s*["']?relax-lint|^[^\S\n]*\[\s*tool\s*\]""", re.MULTILINE)
"""What a pyproject.toml that configures us cannot do without; reading the others as TOML would cost every start."""


_OPENED = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")
"""Where the files are that whoever starts the program has opened for it."""


class ConfigError(Exception):
    """A configuration that cannot be used; the message names the file and what is wrong."""


_NOTHING: Mapping[str, Any] = MappingProxyType({})


@record
class Settings:
    """Everything that changes what is found in a file, or what that means for the exit status.

    ``source`` is the configuration file and ``directory`` where it is: patterns are relative to it. ``env`` gives
    variables of a launcher's environment their values at this site.
    """

    source: Path | None = None
    directory: Path | None = None
    selection: tuple[Layer, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] = _NOTHING
    exclude: tuple[tuple[Path, str], ...] = ()
    force_exclude: bool = False
    profile: Profile = "guide"
    strict: bool = False
    env: Mapping[str, str] = _NOTHING
    extra_flags: tuple[str, ...] = ()
    constraint: tuple[Constraint, ...] = ()
    relax_root: Path | None = None
    verl_root: Path | None = None
    baseline: Path | None = None
    require_recipes: bool = False
    require_checked: bool = False
    require_reasons: bool = False
    show_fixes: bool = False
    cache: bool = True

    def matches(self, pattern: str, path: Path) -> bool:
        """Whether a pattern of the configuration means a file."""
        return covers(self.directory or Path.cwd(), pattern, path)

    def excludes(self, path: Path, is_dir: bool = False) -> bool:
        """Whether a file or directory that walking finds is left out."""
        return any(
            single(pattern).match(path.relative_to(base).as_posix(), is_dir)
            for base, pattern in self.exclude
            if path.is_relative_to(base)
        )

    def excludes_named(self, path: Path) -> bool:
        """Whether a file is left out though it was named: ``force-exclude``, by itself or a directory it is in."""
        return self.force_exclude and any(covers(base, pattern, path) for base, pattern in self.exclude)


RELAX_FILES = ("relax/entrypoints/train.py", "relax/utils/arguments.py")
"""What every Relax checkout has: what starts it, and its flags."""


def refuse_unusable(settings: Settings, layers: Iterable[Layer], rules: Callable[[], Mapping[str, Rule]]) -> None:
    """:class:`ConfigError` when a selector in the file, in ``layers``, fits no rule, or a checkout is none."""
    selectors = [selector for layer in layers for selector in layer.selectors]
    selectors += [selector for given in settings.per_file_ignores.values() for selector in given]
    try:
        if selectors:
            refuse_unknown(selectors, rules())
    except UnknownRule as problem:
        raise ConfigError(f"{settings.source}: {problem}") from problem
    refuse_no_checkout(settings)


def refuse_no_checkout(settings: Settings) -> None:
    """:class:`ConfigError` when what should be a checkout is none."""
    wanted = [("relax-root", settings.relax_root, path) for path in RELAX_FILES]
    for key, root, path in (*wanted, ("verl-root", settings.verl_root, "verl/")):
        if root is not None and looks.kind(str(root / path)) != ("directory" if path.endswith("/") else "file"):
            at = f"{settings.source}: " if settings.source is not None else ""
            raise ConfigError(f"{at}{key} must be a directory that holds {path}, and {root} is none")


def covers(base: Path, pattern: str, path: Path) -> bool:
    """Whether a pattern that is relative to ``base`` means a file, or a directory that the file is in."""
    relative = path.relative_to(base) if path.is_relative_to(base) else Path(*path.parts[1:])
    return single(pattern).covers(relative.as_posix())


# ---------------------------------------------------------------- files


class Configuration:
    """The configuration files of a run, each read once; ``override`` is what the command line says."""

    def __init__(
        self,
        override: Callable[[Settings], Settings] = lambda settings: settings,
        *,
        explicit: Path | None = None,
        isolated: bool = False,
    ) -> None:
        self._override = override
        self._known: dict[Path, Settings] = {}
        self._fixed: Settings | None = None
        if isolated:
            self._fixed = override(Settings())
        elif explicit is not None:
            self._fixed = override(read_settings(explicit, piped=True))

    def settings_for(self, path: Path) -> Settings:
        """The settings of a file or directory: those of the nearest configuration above it."""
        return self._fixed or self._of_directory(path if looks.is_dir(str(path)) else path.parent)

    def _of_directory(self, directory: Path) -> Settings:
        if directory not in self._known:
            own = _settings_in(directory)
            if own is None and directory.parent != directory:
                self._known[directory] = self._of_directory(directory.parent)
            else:
                self._known[directory] = self._override(own or Settings())
        return self._known[directory]


def _settings_in(directory: Path) -> Settings | None:
    own = directory / "relax-lint.toml"
    if looks.is_file(str(own)):
        return read_settings(own)
    shared = directory / "pyproject.toml"
    try:
        mentioned = looks.is_file(str(shared)) and _MENTION.search(_content(shared)) is not None
    except OSError as problem:
        raise ConfigError(f"{shared}: cannot be read: {problem.strerror}") from problem
    if mentioned and _table(shared) is not None:
        return read_settings(shared)
    return None


def read_named(path: Path, *, piped: bool = False) -> bytes:
    """The bytes of a file that the user or a configuration names; :class:`ConfigError` when it cannot be read, or may
    have no end. ``piped`` is whether it may be a pipe that the caller has opened, as ``<(…)`` is."""
    try:
        if path.exists() and (why := _why_not_read(path.stat(), path, piped)):
            raise ConfigError(f"{path}: cannot be read: {why}")
        return _content(path)
    except OSError as problem:
        raise ConfigError(f"{path}: cannot be read: {problem.strerror}") from problem


def _why_not_read(status: os.stat_result, path: Path, piped: bool) -> str:
    """Why a file might have no end, or keep waiting for somebody to write; empty when it does neither."""
    mode = status.st_mode
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode) or path.samefile(os.devnull):
        return ""
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        return "it is a device"
    if piped and stat.S_ISFIFO(mode) and str(path).startswith(_OPENED):
        return ""
    return "it is no regular file"


def _content(path: Path) -> bytes:
    looks.content(str(path))
    return path.read_bytes()


def read_settings(path: Path, *, piped: bool = False) -> Settings:
    """The settings that a configuration file gives."""
    return settings_from(TableReader(_table(path, piped=piped) or {}, path))


def _table(path: Path, *, piped: bool = False) -> dict[str, Any] | None:
    """The table that is ours: all of relax-lint.toml, ``[tool.relax-lint]`` of any other file."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]
    try:
        content: dict[str, Any] = tomllib.loads(read_named(path, piped=piped).decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise ConfigError(f"{path}: not valid TOML: {problem}") from problem
    tool = content.get("tool", {})
    table = tool.get("relax-lint") if isinstance(tool, dict) else None
    if table is None and path.name != "pyproject.toml" and "tool" not in content:
        return content
    if table is not None and not isinstance(table, dict):
        raise ConfigError(f"{path}: tool.relax-lint is no table")
    return table


def settings_from(reader: TableReader) -> Settings:
    """The settings that a table gives."""
    path = reader.file
    select = reader.strings("select")
    settings = Settings(
        source=path,
        directory=path.parent,
        selection=(
            Layer(
                select=select if "select" in reader.values else None,
                ignore=(*reader.strings("ignore"), *reader.strings("extend-ignore")),
                extend_select=reader.strings("extend-select"),
            ),
        ),
        per_file_ignores=reader.table("per-file-ignores", reader.strings_of),
        exclude=tuple((path.parent, pattern) for pattern in reader.strings("exclude")),
        force_exclude=reader.switch("force-exclude"),
        profile=reader.profile("profile"),
        strict=reader.switch("strict"),
        env=reader.table("env", reader.string_of),
        extra_flags=reader.flags("extra-flags"),
        constraint=reader.constraints("constraint"),
        relax_root=reader.path("relax-root"),
        verl_root=reader.path("verl-root"),
        baseline=reader.path("baseline"),
        require_recipes=reader.switch("require-recipes"),
        require_checked=reader.switch("require-checked"),
        require_reasons=reader.switch("require-reasons"),
        show_fixes=reader.switch("show-fixes"),
        cache=reader.switch("cache", True),
    )
    reader.refuse_unknown()
    return settings


class TableReader:
    """Takes values out of a table, each of its type, and knows which keys were asked for."""

    def __init__(self, table: Mapping[str, Any], path: Path) -> None:
        self.values = table
        self.file = path
        self.known: set[str] = set()

    def refuse_unknown(self) -> None:
        """A key that nobody asked for is an error."""
        for key in self.values:
            if key not in self.known:
                raise ConfigError(f"{self.file}: unknown key {key!r}{hint(key, self.known)}")

    def get(self, key: str, default: Any) -> Any:
        """A value as it stands there."""
        self.known.add(key)
        return self.values.get(key, default)

    def refuse(self, key: str, wanted: str, value: object) -> ConfigError:
        """The error that a value is not what is wanted."""
        return ConfigError(f"{self.file}: {key} must be {wanted}, not {value!r}")

    def strings_of(self, key: str, value: object) -> tuple[str, ...]:
        """A value that is a list of strings."""
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.refuse(key, "a list of strings", value)
        return tuple(value)

    def string_of(self, key: str, value: object) -> str:
        """A value that is a string."""
        if not isinstance(value, str):
            raise self.refuse(key, "a string", value)
        return value

    def strings(self, key: str) -> tuple[str, ...]:
        """A list of strings, empty by default."""
        return self.strings_of(key, self.get(key, []))

    def flags(self, key: str) -> tuple[str, ...]:
        """A list of flags, dashes included."""
        found = self.strings(key)
        if not all(map(_FLAG.fullmatch, found)):
            raise self.refuse(key, "a list of flags with their dashes, each a whole name and no value", list(found))
        return found

    def switch(self, key: str, default: bool = False) -> bool:
        """True or false."""
        value = self.get(key, default)
        if not isinstance(value, bool):
            raise self.refuse(key, "true or false", value)
        return value

    def profile(self, key: str) -> Profile:
        """One of the profiles, the first by default."""
        value = self.get(key, PROFILES[0])
        for profile in PROFILES:
            if value == profile:
                return profile
        raise self.refuse(key, " or ".join(map(repr, PROFILES)), value)

    def path(self, key: str) -> Path | None:
        """A path, relative to the file."""
        value = self.get(key, None)
        if value is None:
            return None
        return self.file.parent / looks.from_home(self.string_of(key, value))

    def constraints(self, key: str) -> tuple[Constraint, ...]:
        """A team's own constraints, each with an id of its own."""
        value = self.get(key, [])
        if not value:
            return ()
        from relax_lint.constraints.schema import SchemaError, from_table

        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self.refuse(key, "an array of tables", value)
        made = []
        for number, item in enumerate(value, start=1):
            try:
                made.append(from_table(item))
            except SchemaError as problem:
                named = item.get("id", f"number {number}")
                at = "" if problem.offset is None else f" (character {problem.offset + 1})"
                raise ConfigError(f"{self.file}: {key} {named}: {problem}{at}") from problem
            if made[-1].id in {one.id for one in made[:-1]}:
                raise ConfigError(f"{self.file}: {key} {made[-1].id}: id: another one has it")
        return tuple(made)

    def table(self, key: str, read: Callable[[str, object], Any]) -> dict[str, Any]:
        """A table, each of its values as ``read`` takes it."""
        value = self.get(key, {})
        if not isinstance(value, dict):
            raise self.refuse(key, "a table", value)
        return {name: read(f"{key}.{name}", item) for name, item in value.items()}


def hint(name: str, known: Iterable[str]) -> str:
    """``; did you mean …?`` when something known is near."""
    from difflib import get_close_matches

    near = get_close_matches(name.replace("_", "-"), list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def with_options(settings: Settings, **given: Any) -> Settings:
    """The settings under what the command line gives; ``None`` leaves a setting as it is."""
    return changed(settings, **{name: value for name, value in given.items() if value is not None})


def as_table(settings: Settings) -> dict[str, object]:
    """Every setting by name, for ``--show-settings``."""
    return {name.replace("_", "-"): getattr(settings, name) for name in field_names(settings)}
