"""``grep``, and the simple uses of ``sed`` and ``awk`` that launchers make."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from relax_lint.patterns import pattern
from relax_lint.records import record
from relax_lint.shell.programs.regexes import compile_basic, compile_extended
from relax_lint.shell.programs.result import Call, Result, Unsupported, joined, lines_of, only_standard_input


def grep(call: Call) -> Result:
    """``grep`` of its standard input."""
    found, operands, text = call.filter_options(
        "EFGcvqioxnhse:m:",
        [
            "extended-regexp",
            "fixed-strings",
            "count",
            "invert-match",
            "quiet",
            "silent",
            "ignore-case",
            "only-matching",
        ],
    )
    names = {name: option for option, name in _GREP_LONG.items()}
    chosen = {names.get(option, option) for option in found}
    if "-e" not in found:
        if not operands:
            return Result("", 2)
        expression = operands.pop(0)
    else:
        expression = found["-e"]
    only_standard_input(operands)
    pattern = _grep_pattern(expression, chosen)
    invert, only, numbered = "-v" in chosen, "-o" in chosen, "-n" in chosen
    limit = int(found["-m"]) if found.get("-m", "0").isdigit() and "-m" in found else None
    shown: list[str] = []
    count = 0
    for number, line in enumerate(lines_of(text), 1):
        if limit is not None and count >= limit:
            break
        if bool(pattern.search(line)) == invert:
            continue
        count += 1
        prefix = f"{number}:" if numbered else ""
        if only:
            shown += [] if invert else [prefix + match[0] for match in pattern.finditer(line) if match[0]]
        else:
            shown.append(prefix + line)
    status = int(not count)
    if "-q" in chosen:
        return Result("", status)
    return Result(f"{count}\n" if "-c" in chosen else joined(shown), status)


_GREP_LONG = {
    "-E": "--extended-regexp", "-F": "--fixed-strings", "-c": "--count", "-v": "--invert-match", "-q": "--quiet",
    "-i": "--ignore-case", "-o": "--only-matching",
}  # fmt: skip


def _grep_pattern(expression: str, chosen: set[str]) -> re.Pattern[str]:
    ignore_case = "-i" in chosen
    if "-F" in chosen:
        choices = sorted(expression.split("\n"), key=len, reverse=True)
        pattern = re.compile("|".join(map(re.escape, choices)), re.IGNORECASE if ignore_case else 0)
    elif "\n" in expression:
        raise Unsupported(expression)
    else:
        pattern = (compile_extended if "-E" in chosen else compile_basic)(expression, ignore_case=ignore_case)
    if "-x" in chosen:
        return re.compile(rf"\A(?:{pattern.pattern})\Z", pattern.flags)
    return pattern


_Applies = Callable[[int, bool, str], bool]
_Compile = Callable[..., re.Pattern[str]]


@record
class _Edit:
    """One command of a ``sed`` script."""

    applies: _Applies
    letter: str
    pattern: re.Pattern[str] | None = None
    replacement: str = ""
    flags: str = ""


_SPECIAL = frozenset("|+?(){}.*^$[]&")
_ADDRESS = pattern(
    r"\s*(?:(?P<number>[0-9]+)(?:\s*,\s*(?P<until>[0-9]+|\$))?|(?P<last>\$)|/(?P<regex>(?:\\.|[^/\\])*)/)"
    r"\s*(?P<negated>!?)\s*"
)


def sed(call: Call) -> Result:
    """``sed`` with ``s``, ``p``, ``d`` and ``q`` at addresses that are a line number, ``$`` or an expression."""
    found, operands, text = call.filter_options("nEre:", ["quiet", "silent", "regexp-extended", "expression="])
    scripts = [value for option, value in found.items() if option in ("-e", "--expression")]
    if not scripts:
        if not operands:
            return Result("", 1)
        scripts = [operands.pop(0)]
    if sum(argument in ("-e", "--expression") for argument in call.arguments) > 1:
        raise Unsupported("several scripts")
    only_standard_input(operands)
    extended = bool({"-E", "-r", "--regexp-extended"} & found.keys())
    quiet = bool({"-n", "--quiet", "--silent"} & found.keys())
    edits = _edits(scripts[0], compile_extended if extended else compile_basic)
    made: list[str] = []
    lines = lines_of(text)
    for number, line in enumerate(lines, 1):
        last = number == len(lines)
        end = "\n" if not last or text.endswith("\n") else ""
        if not _edit_line(edits, number, last, line, end, quiet, made):
            break
    return Result("".join(made))


def _edit_line(edits: list[_Edit], number: int, last: bool, line: str, end: str, quiet: bool, made: list[str]) -> bool:
    """Run the script on a line; whether to go on with the next."""

    def emit(text: str) -> None:
        if made and not made[-1].endswith("\n"):
            made.append("\n")
        made.append(text)

    for edit in edits:
        if not edit.applies(number, last, line):
            continue
        if edit.letter == "d":
            return True
        if edit.letter == "p":
            emit(line + end)
        elif edit.letter == "q":
            if not quiet:
                emit(line + end)
            return False
        else:
            assert edit.pattern is not None
            changed = _substitute(edit.pattern, edit.replacement, edit.flags, line)
            if changed is not None:
                line = changed
                if "p" in edit.flags:
                    emit(line + end)
    if not quiet:
        emit(line + end)
    return True


def _edits(script: str, compile_regex: _Compile) -> list[_Edit]:
    edits: list[_Edit] = []
    at = 0
    while True:
        skipped = re.compile(r"[\s;]*").match(script, at)
        assert skipped is not None
        at = skipped.end()
        if at == len(script):
            return edits
        applies, at = _address(script, at, compile_regex)
        letter = script[at : at + 1]
        at += 1
        if letter in ("p", "d", "q"):
            edits.append(_Edit(applies, letter))
        elif letter == "s":
            edit, at = _substitution(script, at, applies, compile_regex)
            edits.append(edit)
        else:
            raise Unsupported(script)
        if not re.compile(r"\s*(?:[;\n]|\Z)").match(script, at):
            raise Unsupported(script)


def _address(script: str, at: int, compile_regex: _Compile) -> tuple[_Applies, int]:
    """What an address selects, and where the command behind it stands."""
    found = _ADDRESS.match(script, at)
    if found is None:
        return lambda number, last, line: True, at
    applies: _Applies
    first = int(found["number"] or "0")
    until = found["until"]
    if until == "$":
        applies = lambda number, last, line: number >= first  # noqa: E731
    elif until:
        stop = max(first, int(until))
        applies = lambda number, last, line: first <= number <= stop  # noqa: E731
    elif first:
        applies = lambda number, last, line: number == first  # noqa: E731
    elif found["last"]:
        applies = lambda number, last, line: last  # noqa: E731
    elif found["regex"]:
        pattern = compile_regex(found["regex"].replace("\\/", "/"))
        applies = lambda number, last, line: bool(pattern.search(line))  # noqa: E731
    else:
        raise Unsupported(script)
    if not found["negated"]:
        return applies, found.end()
    return lambda number, last, line: not applies(number, last, line), found.end()


def _substitution(script: str, at: int, applies: _Applies, compile_regex: _Compile) -> tuple[_Edit, int]:
    mark = re.escape(script[at : at + 1] or "/")
    found = re.compile(rf"{mark}((?:\\.|[^\\])*?){mark}((?:\\.|[^\\])*?){mark}([a-zA-Z0-9]*)", re.DOTALL).match(
        script, at
    )
    if found is None or not re.fullmatch(r"[gpiI]*|[0-9]+", found[3]) or not found[1]:
        raise Unsupported(script)
    plain = script[at]
    in_bracket = re.search(rf"\[[^]]*{mark}", found[1])
    if in_bracket or (plain in _SPECIAL and f"\\{plain}" in found[1] + found[2]):
        # The mark would mean something in the expression too.
        raise Unsupported(script)
    expression = found[1].replace("\\" + plain, plain)
    replacement = found[2].replace("\\" + plain, plain)
    if re.search(r"\\[ULEulcdox]", replacement):
        raise Unsupported(script)
    pattern = compile_regex(expression, ignore_case=bool(re.search("[iI]", found[3])))
    return _Edit(applies, "s", pattern, replacement, found[3]), found.end()


def _substitute(pattern: re.Pattern[str], replacement: str, flags: str, line: str) -> str | None:
    """The line after ``s``, ``None`` when nothing matched."""
    wanted = int(flags) if flags.isdigit() else 1
    parts: list[str] = []
    copied, seen, behind = 0, 0, -1
    for start, end, found in _found_in(pattern, line):
        if start == end == behind:
            # Directly behind a match there is no empty one.
            continue
        behind = end
        seen += 1
        if seen >= wanted:
            parts += line[copied:start], _filled(replacement, found)
            copied = end
            if "g" not in flags:
                break
    return "".join(parts) + line[copied:] if parts else None


def _found_in(pattern: re.Pattern[str], line: str) -> Iterator[tuple[int, int, re.Match[str]]]:
    at = 0
    while at <= len(line):
        found = pattern.search(line, at)
        if found is None:
            return
        start, end = found.span()
        yield start, end, found
        if start == end and not line[end : end + 1].isascii():
            # GNU sed may step into the middle of a character here.
            raise Unsupported(line)
        at = end + (start == end)


def _filled(replacement: str, found: re.Match[str]) -> str:
    def fill(piece: re.Match[str]) -> str:
        text = piece[0]
        if text == "&":
            return found[0]
        if text[1].isdigit():
            group = int(text[1])
            if group > (found.re.groups or 0):
                raise Unsupported(replacement)
            return found[group] or ""
        return {"n": "\n", "t": "\t"}.get(text[1], text[1])

    return re.sub(r"\\.|&", fill, replacement, flags=re.DOTALL)


_AWK = pattern(
    r"\s*(?:NR\s*==\s*(?P<row>[0-9]+)|/(?P<regex>(?:\\.|[^/\\])*)/)?\s*\{\s*print(?P<items>[^{};]*?);?\s*\}\s*"
)
_AWK_ITEM = pattern(r"\s*(?:\$(?P<field>[0-9]+|NF)|\"(?P<text>[^\"\\]*)\"|(?P<count>NF|NR)|(?P<comma>,))\s*")


def awk(call: Call) -> Result:
    """``awk [-F SEPARATOR] '[NR==N or /expression/] {print fields}'``."""
    found, operands, text = call.filter_options("F:")
    if len(operands) != 1:
        raise Unsupported("awk")
    program = _AWK.fullmatch(operands[0])
    if program is None:
        raise Unsupported(operands[0])
    pattern = compile_extended(program["regex"].replace("\\/", "/")) if program["regex"] is not None else None
    items = _awk_items(program["items"])
    split = _awk_splitter(found.get("-F", " "))
    lines = []
    for number, line in enumerate(lines_of(text), 1):
        if program["row"] and number != int(program["row"]):
            continue
        if pattern is None or pattern.search(line):
            fields = split(line)
            lines.append("".join(_awk_value(item, line, fields, number) for item in items))
    return Result(joined(lines))


def _awk_items(spelling: str) -> list[re.Match[str]]:
    items: list[re.Match[str]] = []
    at = 0
    while spelling.strip() and at < len(spelling):
        item = _AWK_ITEM.match(spelling, at)
        if item is None:
            raise Unsupported(spelling)
        items.append(item)
        at = item.end()
    if not items:
        whole = _AWK_ITEM.match("$0")
        return [whole] if whole else []
    return items


def _awk_splitter(separator: str) -> Callable[[str], list[str]]:
    separator = separator.replace("\\t", "\t")
    if separator == " ":
        return lambda line: re.findall(r"[^ \t\n]+", line)
    if len(separator) == 1 and separator != "\\":
        return lambda line: line.split(separator) if line else []
    pattern = compile_extended(separator)
    return lambda line: pattern.split(line) if line else []


def _awk_value(item: re.Match[str], line: str, fields: list[str], number: int) -> str:
    if item["comma"]:
        return " "
    if item["text"] is not None:
        return str(item["text"])
    if item["count"]:
        return str(len(fields) if item["count"] == "NF" else number)
    at = len(fields) if item["field"] == "NF" else int(item["field"])
    if at == 0:
        return line
    return fields[at - 1] if at <= len(fields) else ""
