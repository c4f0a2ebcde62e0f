"""``tr`` and ``cut``, which work on bytes: every character here stands for one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from relax_lint.shell.programs.result import Call, Result, Unsupported, joined, lines_of, only_standard_input

_EVERY = [chr(code) for code in range(256)]
_DIGITS, _LOWER = "0123456789", "abcdefghijklmnopqrstuvwxyz"
_UPPER = _LOWER.upper()
_CLASSES = {
    "alnum": _DIGITS + _UPPER + _LOWER,
    "alpha": _UPPER + _LOWER,
    "blank": "\t ",
    "cntrl": "".join(map(chr, [*range(32), 127])),
    "digit": _DIGITS,
    "graph": "".join(map(chr, range(33, 127))),
    "lower": _LOWER,
    "print": "".join(map(chr, range(32, 127))),
    "punct": "".join(sign for sign in map(chr, range(33, 127)) if not sign.isalnum()),
    "space": "\t\n\v\f\r ",
    "upper": _UPPER,
    "xdigit": "0123456789ABCDEFabcdef",
}
_MEMBER = re.compile(
    r"\[:(?P<name>\w+):\]|\[=(?P<equal>.)=\]|\[(?P<repeated>\\?.)\*(?P<count>[0-9]*)\]|(?P<char>\\[0-7]{1,3}|\\.|.)",
    re.DOTALL,
)
_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def tr(call: Call) -> Result:
    """``tr [-cdst] SET1 [SET2]``."""
    found, sets = call.options("cCdst", ["complement", "delete", "squeeze-repeats", "truncate-set1"], mixed=False)
    delete = bool({"-d", "--delete"} & found.keys())
    squeeze = bool({"-s", "--squeeze-repeats"} & found.keys())
    complement = bool({"-c", "-C", "--complement"} & found.keys())
    needed = 2 if delete == squeeze else 1
    if not needed <= len(sets) <= (1 if delete and not squeeze else 2):
        return Result("", 1)
    first = _members(sets[0], None)
    if complement:
        first = [char for char in _EVERY if char not in set(first)]
    text = call.text
    second = _members(sets[1], len(first)) if len(sets) == 2 else []
    if delete:
        text = "".join(char for char in text if char not in set(first))
    elif second:
        truncate = bool({"-t", "--truncate-set1"} & found.keys())
        table = dict(zip(first, second if truncate else second + second[-1:] * len(first), strict=False))
        text = "".join(table.get(char, char) for char in text)
    elif len(sets) == 2:
        return Result("", 1)
    if squeeze:
        text = _squeezed(text, set(second or first))
    return Result(text)


def _squeezed(text: str, members: set[str]) -> str:
    return "".join(char for index, char in enumerate(text) if char not in members or text[index - 1 : index] != char)


def _members(spelling: str, wanted: int | None) -> list[str]:
    """The characters of a set; ``[x*]`` fills up to the number that are wanted."""
    members: list[str] = []
    fill: tuple[int, str] | None = None
    at = 0
    while at < len(spelling):
        found = _MEMBER.match(spelling, at)
        assert found is not None
        at = found.end()
        if found["name"]:
            if found["name"] not in _CLASSES:
                raise Unsupported(found[0])
            members += _CLASSES[found["name"]]
        elif found["repeated"]:
            count = found["count"]
            char = _plain(found["repeated"])
            if wanted is None:
                raise Unsupported(spelling)
            if count in ("", "0"):
                fill = len(members), char
            else:
                members += char * int(count, 8 if count[0] == "0" else 10)
        else:
            low = found["equal"] or _plain(found["char"])
            end = re.compile(r"-(\\[0-7]{1,3}|\\.|.)", re.DOTALL).match(spelling, at) if found["char"] else None
            if end is None:
                members.append(low)
                continue
            at = end.end()
            high = _plain(end[1])
            if high < low:
                raise Unsupported(spelling)
            members += map(chr, range(ord(low), ord(high) + 1))
    if fill is not None and wanted is not None:
        place, char = fill
        members[place:place] = char * max(0, wanted - len(members))
    return members


def _plain(spelling: str) -> str:
    if len(spelling) == 1:
        return spelling
    if spelling[1] in "01234567":
        return chr(int(spelling[1:], 8) & 255)
    return _ESCAPES.get(spelling[1], spelling[1])


def cut(call: Call) -> Result:
    """``cut -f``, ``-c`` and ``-b``."""
    found, operands, text = call.filter_options(
        "b:c:f:d:sn",
        ["bytes=", "characters=", "fields=", "delimiter=", "only-delimited", "output-delimiter=", "complement"],
    )
    only_standard_input(operands)
    lists = [
        value for option, value in found.items() if option in ("-b", "-c", "-f", "--bytes", "--characters", "--fields")
    ]
    if len(lists) != 1:
        return Result("", 1)
    ranges = _ranges(lists[0])
    complement = "--complement" in found
    by_field = bool({"-f", "--fields"} & found.keys())
    if not by_field:
        glue = found.get("--output-delimiter")
        return Result(joined([_cut_characters(line, ranges, glue, complement) for line in lines_of(text)]))
    delimiter = found.get("-d", found.get("--delimiter", "\t"))
    if len(delimiter) != 1:
        return Result("", 1)
    glue = found.get("--output-delimiter", delimiter)
    only_delimited = bool({"-s", "--only-delimited"} & found.keys())
    lines = []
    for line in lines_of(text):
        if delimiter not in line:
            if not only_delimited:
                lines.append(line)
            continue
        fields = line.split(delimiter)
        lines.append(glue.join(field for at, field in enumerate(fields, 1) if _selected(at, ranges) != complement))
    return Result(joined(lines))


def _ranges(spelling: str) -> list[tuple[int, int]]:
    ranges = []
    for part in re.split(r"[, ]", spelling):
        found = re.fullmatch(r"([0-9]*)(-?)([0-9]*)", part)
        if found is None or not (found[1] or found[3]):
            raise Unsupported(spelling)
        low = int(found[1] or "1")
        high = int(found[3]) if found[3] else (1 << 62 if found[2] else low)
        if not 1 <= low <= high:
            raise Unsupported(spelling)
        ranges.append((low, high))
    return ranges


def _selected(at: int, ranges: Sequence[tuple[int, int]]) -> bool:
    return any(low <= at <= high for low, high in ranges)


def _cut_characters(line: str, ranges: list[tuple[int, int]], glue: str | None, complement: bool) -> str:
    chosen = [at for at in range(1, len(line) + 1) if _selected(at, ranges) != complement]
    if glue is None:
        return "".join(line[at - 1] for at in chosen)
    # A delimiter goes wherever one of the given ranges begins.
    starts = {low for low, _ in ranges} if not complement else {high + 1 for _, high in ranges}
    return "".join((glue if index and at in starts else "") + line[at - 1] for index, at in enumerate(chosen))
