"""Runs what a page tells its reader to run, and holds what it says is printed against what is."""

from __future__ import annotations

import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tools.docs_builder.snippets import MORE, PROMPT, Block, Directory, Preparation, Step, blocks, steps

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
ELLIPSIS = "…"
"""A line of it stands for any lines that a page leaves out."""
PROGRAM = "relax_lint"
SEPARATOR = "\x1e"
SHOWN_LINES = 20
SECONDS = 120
HOME = "/home/you"
"""What pages call the directory above the one that they are run in, where a command prints its name."""
IDENTITY = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "You"), ("EMAIL", "you@example.test"), ("DATE", "2026-01-01T00:00:00Z"))
}


@dataclass(frozen=True)
class Command:
    """Something to run: where it stands, its text, and what it is said to print and to exit with."""

    block: Block | Preparation
    text: str
    printed: str | None = None
    status: int | None = None


@dataclass(frozen=True)
class Done:
    """What came of a command; its status is the greatest of all that it consists of."""

    command: Command
    output: str
    status: int

    @property
    def fault(self) -> str | None:
        """What is not as the page says, or ``None``."""
        if self.command.status is not None and self.status != self.command.status:
            end = "\n".join(self.output.splitlines()[-SHOWN_LINES:])
            return f"exit status {self.status}, not {self.command.status}: {self.command.text}\n{end}"
        if self.command.printed is not None and not fits(self.output, self.command.printed):
            shown, printed = _lines(self.command.printed), _lines(self.output)
            change = difflib.unified_diff(shown, printed, "shown", "printed", lineterm="")
            return "\n".join([f"$ {self.command.text}", *change])
        return None


@dataclass
class Section:
    """What is run in one directory, in order: files that are written there, and commands."""

    directory: Directory
    parts: list[Command | Block] = field(default_factory=list)


def fits(output: str, shown: str) -> bool:
    """Whether a page shows what is printed, lines left out where it says so."""
    pattern = "".join(r"(?:[^\n]*\n)*" if line == ELLIPSIS else re.escape(line) + r"\n" for line in _lines(shown))
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in _lines(output))) is not None


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip("\n").rstrip().splitlines()]


def sections(page: str) -> list[Section]:
    """What a page has run, by the directories that it is run in."""
    found: list[Section] = []
    for piece in blocks(page):
        if isinstance(piece, Directory):
            found.append(Section(piece))
        elif found and isinstance(piece, Preparation):
            found[-1].parts.append(Command(piece, piece.command, status=0))
        elif found and isinstance(piece, Block) and ("file" in piece.marks or not piece.reason_not_to_run):
            found[-1].parts += _parts_of(piece)
    return [section for section in found if section.parts]


def _parts_of(block: Block) -> list[Command | Block]:
    if "file" in block.marks:
        return [block]
    if block.is_session:
        return [Command(block, step.command, printed=step.printed) for step in steps(block.text)]
    if block.language == "bash":
        return [Command(block, block.text, status=int(block.marks.get("exits", "0")))]
    return []


def play(section: Section, programs: Path = BIN) -> list[Done]:
    """Run a section in a directory of its own; ``programs`` is where what it runs is looked for first."""
    with tempfile.TemporaryDirectory(prefix="relax-lint-docs-") as scratch:
        home = Path(scratch).resolve()
        place = home / "work"
        _prepare(place, section.directory)
        script = "".join(_bash(part, number) for number, part in enumerate(section.parts))
        run = subprocess.run(
            ["bash", "--norc", "--noprofile", "-c", script],
            cwd=place,
            env=_environment(home, programs),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=SECONDS,
        )
        return list(_outcomes(section, run.stdout.decode(errors="backslashreplace").replace(str(home), HOME)))


def _prepare(place: Path, directory: Directory) -> None:
    place.mkdir()
    wanted = [] if directory.source is None else [(directory.source, place)]
    for source, target in [*wanted, *((Path(source), place / target) for source, target in directory.beside)]:
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / source).is_file():
            shutil.copy(ROOT / source, target)
        else:
            # Of the program itself, what is compiled goes along: a copy has the times that it is known by.
            ignored = None if str(source) == PROGRAM else shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / source, target, ignore=ignored, dirs_exist_ok=True)
    if directory.is_repository:
        for arguments in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "As it was"]):
            subprocess.run(["git", *arguments], cwd=place, env=_environment(place.parent), check=True)


def _environment(home: Path, programs: Path = BIN) -> dict[str, str]:
    """A reader's environment: nothing of ours but the programs and the language."""
    return {
        **IDENTITY,
        "COLUMNS": "100",
        "GIT_CONFIG_NOSYSTEM": "1",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "NO_COLOR": "1",
        "PATH": os.pathsep.join([str(programs), str(BIN), os.environ["PATH"]]),
        "PYTHONPATH": str(ROOT),
        "TMPDIR": tempfile.gettempdir(),
    }


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _bash(part: Command | Block, number: int) -> str:
    if isinstance(part, Block):
        name = part.marks["file"]
        return f'mkdir -p "$(dirname {_quoted(name)})"; printf %s {_quoted(part.text)} > {_quoted(name)}\n'
    if part.printed is not None:
        # The next command may ask for $?.
        marked = f"printf '\\n{SEPARATOR}{number} %d\\n' \"$status\""
        return f'eval {_quoted(part.text)}\nstatus=$?; {marked}; (exit "$status")\n'
    return (
        'worst=0; trap \'status=$?; [ "$status" -le "$worst" ] || worst=$status\' ERR\n'
        f"eval {_quoted(part.text)}\n"
        f"trap - ERR; printf '\\n{SEPARATOR}{number} %d\\n' \"$worst\"\n"
    )


def _outcomes(section: Section, output: str) -> Iterator[Done]:
    for number, part in enumerate(section.parts):
        if isinstance(part, Block):
            continue
        printed, found, output = output.partition(f"\n{SEPARATOR}{number} ")
        status, _, output = output.partition("\n")
        yield Done(part, printed, int(status) if found else -1)


def faults(page: str, programs: Path = BIN) -> Iterator[str]:
    """What of a page is not as it says, each with its line."""
    for section in sections(page):
        for done in play(section, programs):
            if done.fault is not None:
                yield f"line {done.command.block.line}: {done.fault}"


def refreshed(page: str, programs: Path = BIN) -> str:
    """The page with what its commands print today. What lines are left out of stays, and has to be true."""
    printed: dict[int, list[Done]] = {}
    for section in sections(page):
        for done in play(section, programs):
            printed.setdefault(done.command.block.line, []).append(done)
    for block in reversed([piece for piece in blocks(page) if isinstance(piece, Block)]):
        if block.is_session and block.line in printed:
            shown = zip(steps(block.text), printed[block.line], strict=True)
            text = "".join(_shown(step, done) for step, done in shown)
            page = (
                page[: block.start] + _indented(text, block) + page[block.start + len(_indented(block.text, block)) :]
            )
    return page


def _indented(text: str, block: Block) -> str:
    return "".join(f"{block.indent}{line}" if line.strip() else line for line in text.splitlines(keepends=True))


def _shown(step: Step, done: Done) -> str:
    first, *rest = step.command.split("\n")
    command = f"{PROMPT}{first}\n" + "".join(f"{MORE}{line}\n" for line in rest)
    if ELLIPSIS in _lines(step.printed):
        return command + step.printed
    output = done.output.strip("\n")
    is_apart = step.printed.endswith("\n\n") or step.printed == "\n"
    return command + (f"{output}\n" if output else "") + ("\n" if is_apart else "")
