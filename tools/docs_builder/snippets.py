"""The code blocks of a page, with what is said of each in comments, and the directories that they are run in.

A reader sees none of the comments:

- ``<!-- in an empty directory -->``, ``<!-- in a copy of tests/recipes/x -->``, ``<!-- in a repository of
  tests/recipes/x -->``: what stands below, to the next such comment, is run there, in order. ``, with FILE at PLACE``
  puts another file or directory of the project at a place that is relative to it.
- ``<!-- first: COMMAND -->``: run there before what is below it, and shown to nobody.
- ``<!-- not run: WHY -->``: the block below it is held against the grammar of its language only.
- ``<!-- shown: WHAT -->``: the text below it is no command's, nor what one prints.
- ``<!-- exits 1 -->``: so does the script below it.
- ``<!-- file NAME -->``: the block below it is what that file holds.
- ``<!-- schema NAME -->``: the JSON below it is of ``docs/schema/NAME.schema.json``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PIECE = re.compile(
    r"^(?P<indent> *)(?P<fence>`{3,})(?P<info>[^\n`]*)\n(?P<text>.*?)^(?P=indent)(?P=fence) *$"
    r"|^ *<!-- (?P<comment>[^\n]*?) -->$"
    r"|^(?P<prose> *\S[^\n]*)$",
    re.DOTALL | re.MULTILINE,
)
DIRECTORY = re.compile(
    r"in (an empty directory|a copy of (?P<copy>[^\s,]+)|a repository of (?P<repository>[^\s,]+))"
    r"(?P<beside>(, with [^\s,]+ at [^\s,]+)*)"
)
BESIDE = re.compile(r", with (\S+) at ([^\s,]+)")
MARK = re.compile(r"(?P<name>not run|first|exits|file|schema|shown):? (?P<value>.+)")
GENERATED = re.compile(r"[a-z ]+: made by `make docs`|end of [a-z ]+")
SESSION = ("console", "text")
"""Languages whose blocks may be what a terminal shows, when they begin with a command."""
PROMPT, MORE = "$ ", "> "


@dataclass(frozen=True)
class Block:
    """A code block: where it begins in its page, its language, what its comments say of it, and its text's place."""

    line: int
    language: str
    marks: dict[str, str]
    text: str
    start: int
    indent: str

    @property
    def is_session(self) -> bool:
        """Whether it shows commands with what they print."""
        return self.language in SESSION and self.text.startswith(PROMPT)

    @property
    def reason_not_to_run(self) -> str | None:
        """Why it is not run, or ``None``."""
        return self.marks.get("not run")


@dataclass(frozen=True)
class Directory:
    """What the directory holds in which blocks are run: nothing, or the files of the project below ``source``; and what
    else is put where."""

    source: Path | None
    is_repository: bool
    beside: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Preparation:
    """A command that readers do not see."""

    line: int
    command: str


@dataclass(frozen=True)
class Step:
    """A command of a session, with what it is said to print."""

    command: str
    printed: str


def blocks(page: str) -> Iterator[Block | Directory | Preparation]:
    """The blocks of a page, and the comments that say where they are run, in order."""
    marks: dict[str, str] = {}
    for piece in PIECE.finditer(page):
        line = page.count("\n", 0, piece.start()) + 1
        if piece["prose"] is not None:
            marks = {}
        elif (comment := piece["comment"]) is None:
            indent = piece["indent"]
            text = re.sub(rf"^{indent}", "", piece["text"], flags=re.MULTILINE) if indent else piece["text"]
            yield Block(line, piece["info"].strip(), marks, text, piece.start("text"), indent)
            marks = {}
        elif directory := DIRECTORY.fullmatch(comment):
            source = directory["copy"] or directory["repository"]
            beside = tuple(BESIDE.findall(directory["beside"]))
            yield Directory(Path(source) if source else None, directory["repository"] is not None, beside)
        elif (mark := MARK.fullmatch(comment)) and mark["name"] == "first":
            yield Preparation(line, mark["value"])
        elif mark:
            marks = {**marks, mark["name"]: mark["value"]}


def unknown_comments(page: str) -> list[int]:
    """The lines of comments that are none of those above, nor of those between which generated text stands."""
    return [
        page.count("\n", 0, piece.start()) + 1
        for piece in PIECE.finditer(page)
        if (comment := piece["comment"]) is not None
        and not any(form.fullmatch(comment) for form in (DIRECTORY, MARK, GENERATED))
    ]


def steps(session: str) -> Iterator[Step]:
    """The commands of a session, each with the lines below it up to the next."""
    command: list[str] = []
    printed: list[str] = []
    for line in session.splitlines():
        if line.startswith(PROMPT) or line == PROMPT.rstrip():
            if command:
                yield Step("\n".join(command), "".join(f"{line}\n" for line in printed))
            command, printed = [line[len(PROMPT) :]], []
        elif command and not printed and line.startswith(MORE.rstrip()) and _is_open(command):
            command.append(line[len(MORE) :])
        else:
            printed.append(line)
    if command:
        yield Step("\n".join(command), "".join(f"{line}\n" for line in printed))


def _is_open(command: list[str]) -> bool:
    """Whether bash would ask for another line of a command: it ends in a backslash, or its here-document has no end."""
    if command[-1].endswith("\\"):
        return True
    ends = re.findall(r"<<-?\s*['\"]?(\w+)", command[0])
    return any(end not in command[1:] for end in ends)


def unfenced_code(page: str) -> list[int]:
    """The lines at which code stands that is only indented: it has no language, and cannot be checked."""
    return [
        page.count("\n", 0, piece.start()) + 1
        for piece in PIECE.finditer(page)
        if piece["prose"] is not None
        and piece["prose"].startswith("    ")
        and page[: piece.start()].endswith("\n\n")
        and not _in_list(page[: piece.start()])
    ]


def _in_list(before: str) -> bool:
    """Whether what is indented below continues an item of a list."""
    lines = [line for line in before.splitlines() if line.strip()]
    for line in reversed(lines):
        if re.match(r" *([-*]|\d+\.) ", line):
            return True
        if not line.startswith("    "):
            return False
    return False


def inline_commands(page: str) -> Iterator[tuple[int, str]]:
    """What a page calls relax-lint with in running text, each with its line."""
    for piece in PIECE.finditer(page):
        for command in re.findall(r"`(relax-lint [^`]+)`", piece["prose"] or ""):
            yield page.count("\n", 0, piece.start()) + 1, command
