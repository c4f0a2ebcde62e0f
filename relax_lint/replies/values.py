"""What comes of a model's text: matches, pieces, parsed values, and what may be raised by them."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from relax_lint.records import changed, record

if TYPE_CHECKING:
    from relax_lint.sources.python import PythonSource

Kind = Literal["text", "number", "match", "sure match", "parsed", "found", "split", "made"]
"""Text of the model; a number made of it; what ``re.search`` gives, with or without the chance that it is None; what a
parser gives; a list of what was found, that may be empty; the pieces of a text, of which there is one for sure; a dict,
list or tuple that the code itself puts together."""


@record
class Reply:
    """A value that comes from a model's text.

    ``pattern`` and ``group`` are those of a match; ``item`` is what a list holds, ``fields`` what a made value holds by
    key. ``reported``: what it comes from has been found to raise already.
    """

    kind: Kind
    pattern: str | None = None
    group: int | str | None = None
    item: Reply | None = None
    fields: tuple[tuple[object, Reply], ...] = ()
    reported: bool = False

    def field(self, key: object) -> Reply | None:
        """What is under a key of a made value."""
        return dict(self.fields).get(key)


TEXT = Reply("text")
PARSED = Reply("parsed")
NUMBER = Reply("number")


def either(values: Iterable[Reply | None]) -> Reply | None:
    """What a value can be that is one of several; whatever comes from the model counts."""
    found = [value for value in values if value is not None]
    if not found:
        return None
    made = [value for value in found if value.kind == "made"]
    if len(made) == len(found):
        keys = dict.fromkeys(key for value in made for key, _ in value.fields)
        fields = [(key, either(value.field(key) for value in made)) for key in keys]
        return changed(made[0], fields=tuple((key, value) for key, value in fields if value is not None))
    first = next(value for value in found if value.kind != "made")
    certain = all(value.kind == "sure match" for value in found)
    if first.kind == "sure match" and not certain:
        first = next(value for value in found if value.kind not in ("made", "sure match"))
    return changed(first, pattern=first.pattern if len(set(found)) == 1 else None)


@record
class Risk:
    """Where a bad reply raises: ``what`` says which code, ``catch`` the exceptions of which one has to be caught."""

    source: PythonSource
    node: ast.AST
    what: str
    catch: frozenset[str]


VALUE = frozenset({"ValueError"})
KEY = frozenset({"KeyError", "LookupError"})
INDEX = frozenset({"IndexError", "LookupError"})
ATTRIBUTE = frozenset({"AttributeError"})
STOP = frozenset({"StopIteration"})
JSON = frozenset({"ValueError", "JSONDecodeError"})

PARSERS: dict[str, frozenset[str]] = {
    **{f"{name}.loads": JSON for name in ("json", "orjson", "ujson", "simplejson", "json5", "rapidjson", "demjson3")},
    "json.JSONDecoder().decode": JSON,
    "json.JSONDecoder().raw_decode": JSON,
    "ast.literal_eval": frozenset({"ValueError", "SyntaxError"}),
    "ast.parse": frozenset({"SyntaxError", "ValueError"}),
    "eval": frozenset({"SyntaxError", "NameError"}),
    "yaml.safe_load": frozenset({"YAMLError"}),
    "yaml.load": frozenset({"YAMLError"}),
    "yaml.full_load": frozenset({"YAMLError"}),
    "tomllib.loads": frozenset({"ValueError", "TOMLDecodeError"}),
    "tomli.loads": frozenset({"ValueError", "TOMLDecodeError"}),
    "xml.etree.ElementTree.fromstring": frozenset({"ParseError", "SyntaxError"}),
}
"""Functions that take a text apart, and what they raise when it is not what they want."""

NUMBERS: dict[str, frozenset[str]] = {
    "int": VALUE,
    "float": VALUE,
    "complex": VALUE,
    "decimal.Decimal": frozenset({"InvalidOperation", "ArithmeticError", "DecimalException"}),
    "fractions.Fraction": VALUE,
}

PARSING_METHODS = frozenset({"model_validate_json", "parse_raw", "raw_decode"})
"""Methods of pydantic's models and of decoders that parse a text, whatever holds them."""

SEARCHES = frozenset({"search", "match", "fullmatch"})
OF_MATCH = frozenset({"group", "groups", "groupdict", "start", "end", "span", "expand"})
TEXT_TO_TEXT = frozenset(
    (
        *("strip", "lstrip", "rstrip", "lower", "upper", "title", "capitalize", "casefold", "replace", "removeprefix"),
        *("removesuffix", "expandtabs", "translate", "encode", "decode", "zfill", "swapcase"),
    )
)
DIGIT_TESTS = frozenset({"isdigit", "isdecimal", "isnumeric"})
