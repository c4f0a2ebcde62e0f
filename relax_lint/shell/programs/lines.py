"""Programs that take and give lines: ``cat``, ``head``, ``tail``, ``wc``, ``sort``, ``uniq``, ``rev`` and the like."""

from __future__ import annotations

import re
from collections.abc import Callable

from relax_lint.patterns import pattern
from relax_lint.shell.programs.result import Call, Result, Unsupported, joined, lines_of, only_standard_input

_LEADING_NUMBER = pattern(r"[ \t]*(-?)([0-9]*)(?:\.([0-9]*))?")


def cat(call: Call) -> Result:
    """``cat`` of its standard input."""
    found, operands = call.options("u")
    if found or len(operands) > 1 or operands not in ([], ["-"]):
        raise Unsupported("cat")
    return Result(call.text)


def tee(call: Call) -> Result:
    """``tee`` hands on what it reads."""
    call.options("aip")
    return Result(call.text)


def head(call: Call) -> Result:
    """``head -n N``, ``-n -N``, ``-c N``."""
    unit, amount = _amount(call, "n:c:qv")
    if amount[0] == "+":
        amount = amount[1:]
    count = int(amount)
    parts = _parts(call.text, unit)
    return Result("".join(parts[:count] if amount[0] != "-" else parts[: len(parts) + count if count else None]))


def tail(call: Call) -> Result:
    """``tail -n N``, ``-n +N``, ``-c N``."""
    unit, amount = _amount(call, "n:c:qv")
    count = int(amount.lstrip("-+"))
    parts = _parts(call.text, unit)
    if amount[0] == "+":
        return Result("".join(parts[max(0, count - 1) :]))
    return Result("".join(parts[len(parts) - count if count < len(parts) else 0 :]))


def _amount(call: Call, short: str) -> tuple[str, str]:
    """What is counted, and how many as it was given."""
    arguments = list(call.arguments)
    if arguments and re.fullmatch(r"-[0-9]+", arguments[0]):
        arguments[0:1] = ["-n", arguments[0][1:]]
    old_style = Call(arguments, call.stdin, call.cwd, call.exists, call.resolve)
    found, operands, _ = old_style.filter_options(short, ["lines=", "bytes=", "quiet", "silent"])
    only_standard_input(operands)
    given = {"-n": "lines", "--lines": "lines", "-c": "bytes", "--bytes": "bytes"}
    chosen = [(given[option], value) for option, value in found.items() if option in given]
    unit, amount = chosen[-1] if chosen else ("lines", "10")
    if "-v" in found or not re.fullmatch(r"[-+]?[0-9]+", amount):
        raise Unsupported(amount)
    return unit, amount


def _parts(text: str, unit: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", text) if unit == "lines" else list(text)


def wc(call: Call) -> Result:
    """``wc`` with one of ``-l``, ``-w``, ``-c``; the columns of several depend on what the input is."""
    found, operands, text = call.filter_options("lwc", ["lines", "words", "bytes"])
    only_standard_input(operands)
    if len(found) != 1:
        raise Unsupported("wc")
    option = next(iter(found))
    counts = {"l": text.count("\n"), "w": len(re.findall(r"[^ \t\n\v\f\r]+", text)), "c": len(text)}
    letter = {"--lines": "l", "--words": "w", "--bytes": "c"}.get(option, option[-1])
    return Result(f"{counts[letter]}\n")


def sort(call: Call) -> Result:
    """``sort`` with ``-n``, ``-r``, ``-u``, ``-f``, in the order of bytes."""
    found, operands, text = call.filter_options("nruf", ["numeric-sort", "reverse", "unique", "ignore-case"])
    only_standard_input(operands)
    numeric, fold = _has(found, "-n", "--numeric-sort"), _has(found, "-f", "--ignore-case")
    reverse, unique = _has(found, "-r", "--reverse"), _has(found, "-u", "--unique")

    def key(line: str) -> object:
        return _number(line) if numeric else line.upper() if fold else line

    lines = lines_of(text)
    if unique:
        first: dict[object, str] = {}
        for line in lines:
            first.setdefault(key(line), line)
        return Result(joined([first[value] for value in sorted(first, reverse=reverse)]))  # type: ignore[type-var]
    return Result(joined(sorted(lines, key=lambda line: (key(line), line), reverse=reverse)))


def _number(line: str) -> tuple[int, int, str]:
    """A key that orders as the number at a line's start does, however long."""
    found = _LEADING_NUMBER.match(line)
    assert found is not None
    whole, fraction = int(found[2] or "0"), (found[3] or "").rstrip("0")
    if not found[1]:
        return 0, whole, fraction
    if not whole and not fraction:
        return 0, 0, ""
    # Of two negative numbers the longer fraction is the smaller one, so digits are turned round.
    return -1, -whole, "".join(chr(ord("9") - int(digit)) for digit in fraction) + "\x7f"


def _has(found: dict[str, str], *names: str) -> bool:
    return any(name in found for name in names)


def uniq(call: Call) -> Result:
    """``uniq`` with ``-c``, ``-d``, ``-u``, ``-i``."""
    found, operands, text = call.filter_options("cdui", ["count", "repeated", "unique", "ignore-case"])
    only_standard_input(operands)
    fold: Callable[[str], str] = str.lower if _has(found, "-i", "--ignore-case") else str
    groups: list[tuple[str, int]] = []
    for line in lines_of(text):
        if groups and fold(groups[-1][0]) == fold(line):
            groups[-1] = (groups[-1][0], groups[-1][1] + 1)
        else:
            groups.append((line, 1))
    if _has(found, "-d", "--repeated"):
        groups = [group for group in groups if group[1] > 1]
    if _has(found, "-u", "--unique"):
        groups = [group for group in groups if group[1] == 1]
    counted = _has(found, "-c", "--count")
    return Result(joined([f"{count:7d} {line}" if counted else line for line, count in groups]))


def rev(call: Call) -> Result:
    """``rev``: every line backwards, character by character."""
    _, operands, text = call.filter_options("")
    only_standard_input(operands)
    return Result("".join(part.removesuffix("\n")[::-1] + "\n" * part.endswith("\n") for part in _parts(text, "lines")))


def tac(call: Call) -> Result:
    """``tac``: the lines backwards."""
    _, operands, text = call.filter_options("")
    only_standard_input(operands)
    return Result("".join(reversed(_parts(text, "lines"))))


def paste(call: Call) -> Result:
    """``paste -s`` and ``paste - -``, with ``-d``."""
    found, operands = call.options("sd:", ["serial", "delimiters="])
    only_standard_input([operand for operand in operands if operand != "-"])
    delimiters = _delimiters(found.get("-d", found.get("--delimiters", "\t")))
    lines = lines_of(call.text)
    if _has(found, "-s", "--serial"):
        return Result(_pasted(lines, delimiters) + "\n")
    width = len(operands) or 1
    rows = [lines[at : at + width] for at in range(0, len(lines), width)]
    return Result(joined([_pasted(row + [""] * (width - len(row)), delimiters) for row in rows]))


def _delimiters(spelling: str) -> list[str]:
    escapes = {"\\n": "\n", "\\t": "\t", "\\\\": "\\", "\\0": ""}
    return [escapes.get(part, part[-1]) for part in re.findall(r"\\.|.", spelling, re.DOTALL)] or [""]


def _pasted(cells: list[str], delimiters: list[str]) -> str:
    glued = cells[:1]
    for index, cell in enumerate(cells[1:]):
        glued += delimiters[index % len(delimiters)], cell
    return "".join(glued)
