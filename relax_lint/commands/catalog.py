"""What is known of a flag: `relax-lint catalog show --lr`.

Judged by the Relax checkout that the directory belongs to, or that --relax-root names; else by the embedded catalogue.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relax_lint.catalog.reward_types import BUILT_IN
from relax_lint.catalog.rewards import BOXED
from relax_lint.commands import USAGE_ERROR, absolute, complain, say_unread

if TYPE_CHECKING:
    from relax_lint.catalog.flags import Catalogue, Flag

EXAMPLES = (
    ("relax-lint catalog show --lr", "a flag"),
    ("relax-lint catalog show sglang-mem-fraction", "what may have been meant"),
)
EXIT_STATUS = {
    0: "all flags are known",
    2: "one is not, or wrong usage",
}

TAKES_UNKNOWN = True
"""Words that look like options and are none of this command's are flags to show: they join ``options.rest``."""

WIDTH = 80
_LABEL = 14
_OWNERS = {"pre": "relax", "teacher": "sglang"}
"""Whose version a flag's owner has."""
_PARSERS = {
    "pre": "read before all others",
    "sglang-tp": "with SGLang's flags, for a default; abbreviations taken",
    "sglang": "with SGLang's and the router's flags; abbreviations taken",
    "teacher": "with the teacher's flags; abbreviations taken",
    "main": "with Megatron's and Relax's flags",
}
_SHOWN_TYPES = {
    "bool-text": "a text; any but the empty one is true",
    "enum": "one of the choices",
    "json": "JSON",
    "str": "text",
}


def add_arguments(parser: ArgumentParser) -> None:
    """What `relax-lint catalog` takes."""
    parser.allow_abbrev = False
    parser.usage = "relax-lint catalog show FLAG... [OPTION...]"
    parser.add_argument("what", choices=("show",), metavar="show", help="print what is known of flags")
    parser.add_argument("flags", nargs="*", metavar="FLAG", help="flags, with or without their dashes")
    parser.add_argument("--relax-root", metavar="DIR", type=Path, help="the Relax checkout to judge by")
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="how it is written (default: %(default)s)"
    )


def run(options: Namespace) -> int:
    """Print it; the exit status."""
    words = [_spelled(word) for word in (*options.flags, *options.rest)]
    if not words:
        complain("name a flag")
        return USAGE_ERROR
    catalogue = _catalogue(options.relax_root)
    if catalogue is None:
        return USAGE_ERROR
    known = {word: flags for word in words if (flags := catalogue.flags(word) or catalogue.abbreviated(word))}
    unknown = [word for word in words if word not in known]
    if options.format == "json":
        print(_as_json(catalogue, known, unknown))
    else:
        shown = ((word, flag) for word, flags in known.items() for flag in distinct(flags))
        print("\n".join(_page(catalogue, word, flag) for word, flag in shown), end="")
        for word in unknown:
            complain(unknown_flag(catalogue, word))
    return USAGE_ERROR if unknown else 0


def _spelled(word: str) -> str:
    return "--" + word.partition("=")[0].lstrip("-")


def _catalogue(relax_root: Path | None) -> Catalogue | None:
    """The catalogue for the current directory; ``None`` after a complaint."""
    from relax_lint.config import ConfigError, Configuration, refuse_no_checkout
    from relax_lint.discovery import root_of
    from relax_lint.files import Files
    from relax_lint.project import Project
    from relax_lint.records import changed

    here, files = Path.cwd(), Files()
    try:
        settings = Configuration().settings_for(here)
        if relax_root is not None:
            settings = changed(settings, relax_root=absolute(relax_root), source=None)
        refuse_no_checkout(settings)
    except ConfigError as problem:
        complain(str(problem))
        return None
    project = Project(root_of(here, files) or here, settings, files)
    catalogue = project.catalogue
    say_unread([project])
    return catalogue


def distinct(flags: tuple[Flag, ...]) -> list[Flag]:
    """Each flag once, though several parsers may read it."""
    return list({flag.name: flag for flag in reversed(flags)}.values())[::-1]


def _page(catalogue: Catalogue, word: str, flag: Flag) -> str:
    lines = [flag.name, "-" * len(flag.name)]
    for label, text in facts(catalogue, word, flag):
        lines += _wrapped(label, text)
    return "\n".join(lines) + "\n"


def facts(catalogue: Catalogue, word: str, flag: Flag) -> Iterator[tuple[str, str]]:
    """What is known of a flag, each with a label."""
    if word not in flag.names:
        yield "abbreviated", f"{word}, which its parser accepts as long as no other flag begins so"
    others = [name for name in flag.names if name != flag.name]
    if others:
        yield "also", ", ".join(others)
    yield "takes", takes(flag)
    if flag.json_shape is not None:
        yield "JSON", flag.json_shape
    if flag.choices is not None:
        yield "choices", ", ".join(map(str, flag.choices))
    elif flag.dest == "rm_type":
        yield "known", ", ".join(sorted(BUILT_IN)) + f"; also with {BOXED} in front"
    yield "default", "unset" if flag.suppressed else "none" if flag.default is None else str(flag.default)
    if flag.required:
        yield "required", "yes"
    if flag.deprecated is not None:
        yield "deprecated", flag.deprecated
    if flag.deprecated_values:
        yield "deprecated", ", ".join(f"{old} (use {new})" for old, new in flag.deprecated_values.items())
    yield "sets", f"args.{flag.dest}"
    version = catalogue.versions.get(_OWNERS.get(flag.owner, flag.owner), "")
    yield "owner", f"{flag.owner}, {version}" if version else flag.owner
    yield "parsed", _PARSERS.get(flag.parser, flag.parser)


def takes(flag: Flag) -> str:
    """What a flag takes as its value, in words."""
    if flag.action == "ignored":
        return "no value; it does nothing any more"
    if flag.is_switch:
        return "no value"
    kind = _SHOWN_TYPES.get(flag.type or "", flag.type or "")
    counts: dict[int | str | None, str] = {
        None: "",
        "?": "an optional value: ",
        "*": "any number of values: ",
        "+": "one or more values: ",
    }
    repeated = "; may be repeated" if flag.action == "append" else ""
    return f"{counts.get(flag.nargs, f'{flag.nargs} values: ')}{kind}{repeated}"


def _wrapped(label: str, text: str) -> list[str]:
    from textwrap import wrap

    room = WIDTH - _LABEL
    first, *others = wrap(text, room, break_on_hyphens=False) or [""]
    return [f"  {label:<{_LABEL - 2}}{first}", *(" " * _LABEL + line for line in others)]


def unknown_flag(catalogue: Catalogue, word: str) -> str:
    """That there is no such flag, and which may be meant."""
    from relax_lint.catalog.unknown import relax_of, where_else

    parts = [f"no flag {word} in {relax_of(catalogue)}"]
    elsewhere = where_else(catalogue, word)
    if elsewhere is not None:
        parts.append(elsewhere)
    elif candidates := _candidates(catalogue, word):
        parts.append(f"did you mean {' or '.join(candidates)}?")
    return "; ".join(parts)


def _candidates(catalogue: Catalogue, word: str) -> list[str]:
    from relax_lint.catalog.unknown import holding, meant

    return meant(catalogue, word) or holding(catalogue, word)


def _as_json(catalogue: Catalogue, known: dict[str, tuple[Flag, ...]], unknown: list[str]) -> str:
    import json

    from relax_lint.records import field_names

    def plain(flag: Flag) -> dict[str, Any]:
        return {name: getattr(flag, name) for name in field_names(flag)}

    shown = {
        "schema": 1,
        "versions": dict(catalogue.versions),
        "flags": [{"word": word, **plain(flag)} for word, flags in known.items() for flag in flags],
        "unknown": [
            {
                "word": word,
                "near": _candidates(catalogue, word),
                "earlier": catalogue.earlier(word),
                "left_out": catalogue.left_out(word),
            }
            for word in unknown
        ],
    }
    return json.dumps(shown, indent=2)
