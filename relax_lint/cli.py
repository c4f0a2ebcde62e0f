"""The command line: which command, with which arguments. Everything else is imported when its command runs."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from relax_lint import __version__

COMMANDS = {
    "check": "check recipes and launchers, and fix them (the default)",
    "show": "what a launcher launches, and where each flag comes from",
    "diff": "how the arguments of launches changed since a git revision",
    "migrate": "make a recipe of Relax out of a launcher of verl",
    "report": "a page to look at: launches, GPUs, findings, settings",
    "model-config": "a model file of Relax out of a checkpoint's config.json",
    "data": "what data holds, and what is wrong with it for a launcher",
    "rule": "the manual page of a rule, or the table of all",
    "catalog": "what is known of a flag of Relax, Megatron, SGLang or its router",
    "lsp": "the language server, for editors",
    "completion": "completion for bash, zsh and fish",
}

_HELP = """\
usage: relax-lint [COMMAND] [OPTION...] [PATH...]

Checks and fixes recipes moved from verl to Relax, launchers included, before a
GPU is taken. `relax-lint PATH...` is `relax-lint check PATH...`.

commands:
{commands}

options:
  -h, --help     show this help; after a command, that of the command
  -V, --version  print the version and leave

examples:
  relax-lint examples/                what is wrong with all recipes
  relax-lint --fix examples/          apply the safe fixes
  relax-lint show run.sh              what a launcher really launches
  relax-lint migrate run.sh --name x  a recipe of Relax out of one of verl
  relax-lint rule RLX407              the manual page of a rule
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; its exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    # A run makes many objects that live to its end; looking for garbage among them takes a quarter of its time.
    gc.set_threshold(1_000_000, 20, 20)
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # Names and text of files may hold what the terminal's encoding does not.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        try:
            return _run(words)
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read the output has seen enough.
        _drop_output()
        return 1
    except OSError as problem:
        _drop_output()
        return _refuse(f"{problem.filename or _unnamed()}: {problem.strerror or problem}")
    except KeyboardInterrupt:
        return 130
    except MemoryError:
        pass  # only behind this clause the frames let go of what they hold
    return _refuse("out of memory; what was not reported is not known")


def program() -> NoReturn:
    """The program itself. It leaves its memory to the system: taking it apart object by object is a third of a run."""
    status = main()
    with contextlib.suppress(OSError):
        sys.stderr.flush()
    os._exit(status)


def _run(words: list[str]) -> int:
    if words[:1] in (["--help"], ["-h"]):
        print(_top_level_help(), end="")
        return 0
    if words[:1] in (["--version"], ["-V"]):
        print(f"relax-lint {__version__}")
        return 0
    meant = _command_meant(words[0]) if words else None
    if meant is not None:
        return _refuse(f"{words[0]} is no command, and no path either; did you mean {meant}?")
    name = words.pop(0) if words and words[0] in COMMANDS else "check"
    if name != "check":
        return _command(name, words)
    from relax_lint import runs

    return runs.run(words, lambda: _command(name, words))


def _command_meant(word: str) -> str | None:
    """The command that a word is, mistyped; a path is what there is."""
    if word in COMMANDS or not word.isalpha() or os.path.lexists(word):
        return None
    from relax_lint.slips import is_slip

    word = word.lower()
    return next((name for name in COMMANDS if word == name or is_slip(word, name)), None)


def _command(name: str, words: list[str]) -> int:
    from relax_lint.command_line import command_module, parser_for

    command, parser = command_module(name), parser_for(name)
    rest: list[str] = []
    if getattr(command, "TAKES_REST", False) and "--" in words:
        at = words.index("--")
        words, rest = words[:at], words[at + 1 :]
    if getattr(command, "TAKES_UNKNOWN", False):
        options, rest = parser.parse_known_args(words)
    else:
        options = parser.parse_args(words)
    options.rest = rest
    status: int = command.run(options)
    return status


def _open_closed_streams() -> None:
    """Give what the caller closed (``>&-``) somewhere to go: a file opened later must not become standard output."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: PTH123, SIM115 -- it stays open as long as the process


def _unnamed() -> str:
    """What a failure that names no file is about."""
    try:
        os.getcwd()  # noqa: PTH109 -- pathlib is not loaded for this
    except OSError:
        return "the working directory"
    return "the output"


def _drop_output() -> None:
    """Let what is still to be written go nowhere: Python must not complain about it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _refuse(why: str) -> int:
    from relax_lint.commands import USAGE_ERROR, complain

    complain(why)
    return USAGE_ERROR


def _top_level_help() -> str:
    width = max(map(len, COMMANDS))
    return _HELP.format(commands="\n".join(f"  {name:<{width}}  {what}" for name, what in COMMANDS.items()))
