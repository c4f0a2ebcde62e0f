"""Stand-ins for argparse's classes: they keep what is registered, as argparse would, whatever Python runs this."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

from relax_lint.catalog.reading.values import Finished, Unknown

SUPPRESS = "==SUPPRESS=="
_SWITCHES = ("store_true", "store_false", "store_const", "append_const", "count", "help", "version", "ignored")
_TYPELESS = ("store_true", "store_false", "store_const", "append_const", "count")

Where = Callable[[], "tuple[str, int]"]
"""Tells which module registers now, and at which line."""


class Option:
    """A registered flag, with the attributes that registering code may look at."""

    def __init__(
        self,
        option_strings: list[str],
        dest: str,
        nargs: Any = None,
        const: Any = None,
        default: Any = None,
        type: Any = None,
        choices: Any = None,
        required: bool = False,
        help: Any = None,
        metavar: Any = None,
        **more: Any,
    ) -> None:
        self.option_strings = option_strings
        self.dest = dest
        self.nargs = nargs
        self.const = const
        self.default = default
        self.type = type
        self.choices = choices
        self.required = required
        self.help = help
        self.metavar = metavar
        self.action = "store"
        self.registered_default = default
        self.module = ""
        self.line = 0
        self.more = more


class Parsers:
    """argparse for one reading: the module that the sources see, and the parsers that they made."""

    def __init__(self, where: Where, last_module: str) -> None:
        self.made: list[Any] = []
        self.possible: list[str] = []
        self._where = where
        self._last_module = last_module
        self.module = self._make_module()

    def _make_module(self) -> Mapping[str, Any]:
        keeper = self

        class Container:
            """What parsers and groups share: the options of their parser."""

            def __init__(self, parser: Any) -> None:
                self.parser = parser

            def add_argument(self, *names: Any, **given: Any) -> Option:
                return keeper._register(self.parser, names, given)

            def add_argument_group(self, *_: Any, **__: Any) -> Any:
                return Group(self.parser)

            def add_mutually_exclusive_group(self, *_: Any, **__: Any) -> Any:
                return Group(self.parser)

            def set_defaults(self, **values: Any) -> None:
                self.parser.defaults.update(values)
                for option in self.parser._actions:
                    if option.dest in values:
                        option.default = values[option.dest]

            def get_default(self, dest: str) -> Any:
                return next((o.default for o in self.parser._actions if o.dest == dest), self.parser.defaults.get(dest))

        class Group(Container):
            """A group of a parser."""

        class ArgumentParser(Container):
            """A parser."""

            def __init__(self, *_: Any, allow_abbrev: bool = True, add_help: bool = True, **__: Any) -> None:
                super().__init__(self)
                self.allow_abbrev = allow_abbrev
                self.module, self.line = keeper._where()
                self.defaults: dict[str, Any] = {}
                self._actions: list[Option] = []
                self._option_string_actions: dict[str, Option] = {}
                keeper.made.append(self)
                if add_help:
                    self.add_argument("-h", "--help", action="help", default=SUPPRESS)

            def parse_known_args(self, *_: Any, **__: Any) -> Any:
                if self.module == keeper._last_module:
                    raise Finished
                values = dict(self.defaults)
                values.update({o.dest: o.default for o in self._actions if o.default != SUPPRESS})
                return SimpleNamespace(**values), []

            def parse_args(self, *_: Any, **__: Any) -> Any:
                return self.parse_known_args()[0]

        return {
            "Action": Option,
            "ArgumentParser": ArgumentParser,
            "ArgumentDefaultsHelpFormatter": None,
            "ArgumentTypeError": type("ArgumentTypeError", (Exception,), {}),
            "BooleanOptionalAction": "boolean_optional",
            "FileType": lambda *_: Unknown("a file"),
            "Namespace": SimpleNamespace,
            "RawTextHelpFormatter": None,
            "SUPPRESS": SUPPRESS,
            "_ActionsContainer": Container,
            "_ArgumentGroup": Group,
        }

    def _register(self, parser: Any, names: tuple[Any, ...], given: dict[str, Any]) -> Option:
        strings = [name for name in names if isinstance(name, str)]
        self.possible += [name.shape for name in names if isinstance(name, Unknown)]
        if not strings:
            return Option([], "")
        given = {name: value for name, value in given.items() if value is not None or name not in ("action", "type")}
        kind = given.pop("action", "store")
        if "dest" not in given:
            given["dest"] = _dest(strings)
        dest = given["dest"]
        if dest in parser.defaults:
            given["default"] = parser.defaults[dest]
        if kind == "boolean_optional":
            strings = [part for name in strings for part in _with_negation(name)]
        if not isinstance(kind, str):
            option: Option = kind(strings, **given)
            option.action = kind.__name__
        else:
            if kind in _SWITCHES or kind == "boolean_optional":
                given.setdefault("nargs", 0)
            if kind in ("store_true", "store_false"):
                given.setdefault("default", kind == "store_false")
                given["const"] = kind == "store_true"
            if kind in _TYPELESS:
                given.pop("type", None)
            option = Option(strings, **given)
            option.action = kind
        option.registered_default = option.default
        option.module, option.line = self._where()
        parser._actions.append(option)
        parser._option_string_actions.update(dict.fromkeys(strings, option))
        return option


def _dest(strings: list[str]) -> str:
    long = [name for name in strings if name.startswith("--")]
    return (long or strings)[0].lstrip("-").replace("-", "_")


def _with_negation(name: str) -> tuple[str, ...]:
    return (name, f"--no-{name[2:]}") if name.startswith("--") else (name,)
