"""What the conditions of constraints can ask of a launch: its arguments, derived values, its environment, its files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

from relax_lint.catalog.flags import Catalogue, embedded
from relax_lint.catalog.hidden import UNKNOWN, Hidden, is_hidden
from relax_lint.catalog.namespace import Namespace, Parsers
from relax_lint.constraints.derived import DERIVED, compute
from relax_lint.constraints.expressions import ENVIRONMENT, FUNCTIONS, GIVEN, Expression, NotKnown, askers
from relax_lint.constraints.surroundings import Surroundings


class UnknownName(Exception):
    """A name that is neither an attribute of Relax's arguments nor a derived value."""


def unknown_names(condition: Expression, catalogue: Catalogue) -> list[str]:
    """What a condition asks for that is no argument, no flag and no derived value."""

    def is_known(name: str) -> bool:
        if name.startswith(GIVEN):
            return catalogue.flag(name[len(GIVEN) :]) is not None
        return name in DERIVED or name.startswith(ENVIRONMENT) or bool(catalogue.by_dest(name))

    return sorted(name.removeprefix(GIVEN) for name in condition.names if not is_known(name))


def in_another_relax(name: str) -> Any:
    """The value of an argument that this Relax has not, older or newer than the one whose flags are embedded: off or
    unset where that is its default there; else nothing can be told. Raises :class:`UnknownName`."""
    flag = next(iter(embedded().by_dest(name)), None)
    if flag is None:
        raise UnknownName(name)
    return flag.default if flag.default in (None, False) else UNKNOWN


def is_missing(name: str, parsers: Parsers) -> bool:
    """Whether a name is an argument of the Relax whose flags are embedded, and none of this one."""
    return embedded().sets(name) and not parsers.settings(name)


class _Values(dict[str, Any]):
    """Known values by name, for compiled conditions: what is not there yet is asked for. Raises :class:`NotKnown`."""

    def __init__(self, known: Mapping[str, Any], ask: Callable[[str], Any]) -> None:
        super().__init__(known)
        self._ask = ask

    def __missing__(self, name: str) -> Any:
        value = self._ask(name)
        if value.__class__ is Hidden:
            raise NotKnown(value)
        return value


STORED = {
    "rollout_groups": "rollout_batch_size", "step_batch": "global_batch_size", "true_on_policy": "true_on_policy_mode",
    "actor_total": "actor_total", "world_size": "world_size",
}  # fmt: skip
"""What Relax has derived and stored, in which attribute, before it reads ``--custom-config-path``."""
_PLAIN: WeakKeyDictionary[Parsers, dict[bool, dict[str, Any]]] = WeakKeyDictionary()
"""Of the parsers: what attributes are in a launch that does not set them, by whether engines are left out."""


class Facts:
    """The values of names in a launch, each worked out once.

    ``overlay`` holds the arguments that a file sets over what the flags have set; ``is_plain`` says that all flags of
    the launch are known, and taken.
    """

    def __init__(
        self,
        namespace: Namespace,
        around: Surroundings | None = None,
        overlay: Mapping[str, Any] | None = None,
    ) -> None:
        self.namespace = namespace
        self.around: Surroundings = around or Surroundings()
        self.overlay = overlay or {}
        self._hidden: dict[str, Hidden] = {}
        self.is_plain = not (namespace.launch.hides_flags or namespace.problems)
        self._plain = _PLAIN.setdefault(namespace.parsers, {}).setdefault(namespace.skips_engines, {})
        self.values = _Values(self._start(), self.get)

    def _start(self) -> dict[str, Any]:
        """What is known without asking."""
        known = {**FUNCTIONS, **askers(self)}
        if self.is_plain:
            known.update(self._plain)
            for dest in self.namespace.given_dests:
                known.pop(dest, None)
        for name, value in self.overlay.items():
            if is_hidden(value):
                self._hidden[name] = value
                known.pop(name, None)
            else:
                known[name] = value
        return known

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def get(self, name: str) -> Any:
        """The value of a name, or :class:`Hidden`."""
        if name in self.values:
            return self.values[name]
        if name not in self._hidden:
            self._hidden[name] = UNKNOWN  # what a value that depends on itself would see
            value = self._find(name)
            if value.__class__ is not Hidden:
                del self._hidden[name]
                self.values[name] = value
                return value
            self._hidden[name] = value
        return self._hidden[name]

    def _find(self, name: str) -> Any:
        if name in DERIVED:
            return compute(DERIVED[name], self)
        if name.startswith(GIVEN):
            return self.namespace.given(name[len(GIVEN) :])
        if name.startswith(ENVIRONMENT):
            return self.around.variable(name[len(ENVIRONMENT) :])
        namespace = self.namespace
        if name in namespace.given_dests:
            return namespace.value(name)
        if not namespace.knows(name):
            value = in_another_relax(name)
            return UNKNOWN if self._has_own_flags else value
        value = namespace.value(name)
        if self.is_plain:
            self._plain[name] = value
        return value

    @cached_property
    def _has_own_flags(self) -> bool:
        """Whether the launch passes flags that only this Relax has: one may stand for what another is called here."""
        return any(embedded().flag(option) is None for option in self.namespace.given_options)

    @property
    def knows_environment(self) -> bool:
        """Whether anything can be told of the environment's variables."""
        return type(self.around).variable is not Surroundings.variable

    @property
    def set_names(self) -> frozenset[str]:
        """The attributes and flags that the launch sets, itself or through a file, or tries to."""
        namespace = self.namespace
        refused = [problem.option for problem in namespace.problems]
        dests = [dest for option in refused if (dest := namespace.parsers.dest_of(option)) is not None]
        return (namespace.given_dests | namespace.given_options).union(self.overlay, refused, dests)

    def overlaid(self) -> Facts:
        """What holds once Relax has read ``--custom-config-path``, whose keys win over the flags."""
        path, document = self.get("custom_config_path"), self.get("custom_config")
        if not is_hidden(path) and not path:
            return self
        if is_hidden(document):
            set_there = self._perhaps_set(path)
        else:
            set_there = {str(key): value for key, value in document.items()} if isinstance(document, dict) else {}
        if not set_there:
            return self
        stored = {name: set_there.get(dest, self.get(name)) for name, dest in STORED.items()}
        return Facts(self.namespace, self.around, {**stored, **set_there})

    def _perhaps_set(self, path: object) -> dict[str, Any]:
        """What a file may set of which not all is known."""
        argument = self.namespace.argument("custom_config_path")
        hidden = Hidden(() if argument is None else argument.values)
        keys = self.around.possible_keys(path if isinstance(path, str) else None)
        return {key: hidden for key in keys if self.namespace.knows(key)}

    def asked(self, question: Callable[[str], object], dest: str) -> Any:
        """An answer of the surroundings about the path that an argument holds. Raises :class:`NotKnown`, with no words
        to blame where the path is hidden: a known one would mostly not help."""
        path = self.get(dest)
        return _told(question(path) if isinstance(path, str) else UNKNOWN)


def _told(value: Any) -> Any:
    if is_hidden(value):
        raise NotKnown(value)
    return value
