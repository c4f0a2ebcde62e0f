"""Builtins that read: ``read``, ``mapfile``, ``getopts``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relax_lint.shell.nodes import SimpleCommand
from relax_lint.shell.state import State, Undecided, UnknownArguments
from relax_lint.shell.values import EMPTY, Root, Value, Variable, known, unknown

if TYPE_CHECKING:
    from relax_lint.shell.interpret import Shell

_WITH_VALUE = {"read": "adinNptu", "mapfile": "dnOsuCc"}


def _options(words: list[Value], state: State, with_value: str) -> tuple[dict[str, str], list[str]]:
    """Options by letter, and the operands."""
    texts = [state.resolve(word).likely or "" for word in words[1:]]
    found: dict[str, str] = {}
    at = 0
    while at < len(texts):
        text = texts[at]
        if not text.startswith("-") or text == "-":
            break
        at += 1
        if text == "--":
            break
        for index, letter in enumerate(text[1:], 1):
            if letter in with_value:
                rest = text[index + 1 :]
                if rest or at >= len(texts):
                    found[letter] = rest
                else:
                    found[letter] = texts[at]
                    at += 1
                break
            found[letter] = ""
    return found, texts[at:]


def read_line(shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> None:
    """``read``."""
    options, names = _options(words, state, _WITH_VALUE["read"])
    stdin = state.resolve(state.stdin) if state.stdin is not None and "u" not in options else None
    text = stdin.likely if stdin is not None else None
    if text is None:
        _read_unknown(shell, node, options, names, stdin, state)
        return
    delimiter = options["d"][:1] or "\0" if "d" in options else "\n"
    limit = options.get("n", options.get("N", ""))
    if "N" in options:
        delimiter = ""
    most = int(limit) if limit.isdigit() else None
    line, rest, ended = _take_line(text, delimiter, raw="r" in options, most=most)
    state.stdin = known(rest)
    separators = shell.expander.separators(state) if "N" not in options else ""
    if "a" in options:
        fields = _fields(line, separators, 0)
        state.store(state.resolve_name(options["a"]), Variable(None, dict(enumerate(known(each) for each in fields))))
    elif not names:
        state.set_text("REPLY", "".join(char for char, _ in line))
    else:
        fields = _fields(line, separators, len(names))
        for index, name in enumerate(names):
            _assign(shell, name, known(fields[index]) if index < len(fields) else EMPTY, state)
    state.status = 0 if ended else 1


def _assign(shell: Shell, name: str, value: Value, state: State) -> None:
    from relax_lint.shell.commands import converted
    from relax_lint.shell.printing import set_target

    variable = state.lookup(state.resolve_name(name))
    if variable is not None:
        value = converted(shell, value, None, variable.attributes, state, append=False)
    set_target(shell, name, value, state)


def _read_unknown(
    shell: Shell, node: SimpleCommand, options: dict[str, str], names: list[str], stdin: Value | None, state: State
) -> None:  # fmt: skip
    """Input that is not known: variables hold anything."""
    parents = stdin.roots if stdin is not None else ()
    if "a" in options:
        root = shell.expander.variable_root(f"read {shell.source.path}:{node.start}", f"${{{options['a']}[@]}}")
        root.many = True
        root.variable = None
        state.store(state.resolve_name(options["a"]), Variable(None, {0: unknown(root, many=True)}))
    for name in names or (["REPLY"] if "a" not in options else []):
        key = (shell.source, node.start, "read", name)
        roots = shell.expander.roots
        root = roots.setdefault(key, Root(f"${{{name}}}", None, parents))
        state.forget(root)
        state.set_value(name, unknown(root))
    state.status, state.undecided = None, Undecided()


def _take_line(
    text: str, delimiter: str, *, raw: bool, most: int | None = None
) -> tuple[list[tuple[str, bool]], str, bool]:
    """The characters of a line, escaped ones marked, the rest, and whether the line was ended."""
    line: list[tuple[str, bool]] = []
    at = 0
    while at < len(text):
        if len(line) == most:
            return line, text[at:], True
        char = text[at]
        if char == "\\" and not raw:
            if at + 1 < len(text) and text[at + 1] != "\n":
                line.append((text[at + 1], True))
            at += 2
            continue
        at += 1
        if char == delimiter:
            return line, text[at:], True
        line.append((char, False))
    return line, "", len(line) == most


def _fields(line: list[tuple[str, bool]], separators: str, count: int) -> list[str]:
    """Fields of a line; the last of ``count`` gets the rest, 0 means any number."""
    blank = {char for char in separators if char in " \t\n"}
    marks = set(separators) - blank

    def is_in(at: int, chars: set[str]) -> bool:
        return not line[at][1] and line[at][0] in chars

    end = len(line)
    while end and is_in(end - 1, blank):
        end -= 1
    at = 0
    while at < end and is_in(at, blank):
        at += 1
    fields: list[str] = []
    while at < end:
        if count and len(fields) == count - 1:
            fields.append(_rest(line, at, end, blank, marks))
            break
        start = at
        while at < end and not is_in(at, blank | marks):
            at += 1
        fields.append("".join(char for char, _ in line[start:at]))
        while at < end and is_in(at, blank):
            at += 1
        if at < end and is_in(at, marks):
            at += 1
            while at < end and is_in(at, blank):
                at += 1
    return fields


def _rest(line: list[tuple[str, bool]], at: int, end: int, blank: set[str], marks: set[str]) -> str:
    """What the last variable gets: all that is left, less one separator if it is all that follows a single field."""
    text = "".join(char for char, _ in line[at:end])
    if end > at and not line[end - 1][1] and line[end - 1][0] in marks:
        inner = line[at : end - 1]
        if not any(not quoted and (char in marks or char in blank) for char, quoted in inner):
            return text[:-1]
    return text


def read_lines(shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> None:
    """``mapfile``."""
    options, names = _options(words, state, _WITH_VALUE["mapfile"])
    name = state.resolve_name(names[0] if names else "MAPFILE")
    stdin = state.resolve(state.stdin) if state.stdin is not None and "u" not in options else None
    text = stdin.likely if stdin is not None else None
    if text is None:
        state.store(name, Variable(None, {0: unknown(shell.expander.parameters.many_root(name), many=True)}))
        return
    delimiter = (options["d"][:1] or "\0") if "d" in options else "\n"
    lines = [line + delimiter for line in text.split(delimiter)]
    lines[-1] = lines[-1].removesuffix(delimiter)
    if not lines[-1]:
        lines.pop()
    lines = lines[int(options.get("s", "0") or 0) :]
    count = int(options.get("n", "0") or 0)
    lines = lines[:count] if count else lines
    if "t" in options:
        lines = [line.removesuffix(delimiter) for line in lines]
    first = int(options.get("O", "0") or 0)
    old = state.lookup(name)
    elements: dict[int | str, Value] = dict(old.elements) if "O" in options and old and old.elements else {}
    elements.update({first + index: known(line) for index, line in enumerate(lines)})
    state.store(name, Variable(None, elements))
    state.stdin = EMPTY


def next_option(shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> None:
    """``getopts``."""
    if len(words) < 3:  # a specification, a name
        state.status = 2
        return
    texts = [state.resolve(word).likely for word in words]
    specification, name = texts[1] or "", texts[2] or "opt"
    shell.asks_arguments(state)
    given: tuple[Value, ...] | UnknownArguments = tuple(words[3:]) if len(words) > 3 else state.arguments
    position = shell.expander.parameters.scalar("OPTIND", state)
    number = state.resolve(position).text if position is not None else "1"
    if isinstance(given, UnknownArguments) or number is None:
        for target in (name, "OPTARG"):
            key = (shell.source, node.start, "getopts", target)
            root = shell.expander.roots.setdefault(key, Root(f"${{{target}}}"))
            state.forget(root)
            state.set_value(target, unknown(root))
        state.set_value("OPTIND", unknown(shell.expander.variable_root("OPTIND")))
        state.status, state.undecided = None, Undecided()
        return
    quiet = specification.startswith(":")
    index = max(int(number or 1), 1) - 1
    inside = state.lookup("__getopts_inside")
    offset = int(inside.value.text or 1) if inside is not None and inside.value is not None else 1
    state.frames[0].pop("__getopts_inside", None)
    arguments = [state.resolve(value).likely or "" for value in given]
    word = arguments[index] if index < len(arguments) else ""
    if not word.startswith("-") or word in ("-", "--"):
        state.set_text("OPTIND", str(index + (2 if word == "--" and index < len(arguments) else 1)))
        state.set_text(name, "?")
        state.remove("OPTARG")
        state.status = 1
        return
    letter = word[offset : offset + 1]
    rest = word[offset + 1 :]
    at = specification.find(letter) if letter != ":" else -1
    takes = at >= 0 and specification[at + 1 : at + 2] == ":"
    state.remove("OPTARG")
    following = index + 1
    if at < 0:
        state.set_text(name, "?")
        if quiet:
            state.set_text("OPTARG", letter)
    elif takes:
        if rest:
            state.set_text("OPTARG", rest)
            rest = ""
            state.set_text(name, letter)
        elif index + 1 < len(arguments):
            state.set_value("OPTARG", given[index + 1])
            following += 1
            state.set_text(name, letter)
        else:
            state.set_text(name, ":" if quiet else "?")
            if quiet:
                state.set_text("OPTARG", letter)
    else:
        state.set_text(name, letter)
    if rest:
        state.frames[0]["__getopts_inside"] = Variable(known(str(offset + 1)))
        following = index
    state.set_text("OPTIND", str(following + 1))
