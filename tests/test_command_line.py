"""Help: it reads well on 80 columns, tells of every option, and its examples can be typed."""

from __future__ import annotations

import argparse
import contextlib
import shlex
from collections.abc import Iterator

import pytest

from relax_lint.cli import COMMANDS, main
from relax_lint.command_line import command_module, parser_for

PARSERS = [*COMMANDS, "data check", "data convert"]


def parser_of(words: str) -> argparse.ArgumentParser:
    name, *inner = words.split()
    parser: argparse.ArgumentParser = parser_for(name)
    for word in inner:
        (nested,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
        parser = nested.choices[word]
    return parser


def shown(capsys: pytest.CaptureFixture[str], words: str) -> list[str]:
    with contextlib.suppress(SystemExit):
        main([*words.split(), "--help"])
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("words", ["", *PARSERS])
@pytest.mark.parametrize("columns", [80, 100, 200])
def test_no_line_of_help_is_wider_than_the_terminal(
    words: str, columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert [line for line in shown(capsys, words) if len(line) > min(columns, 100)] == []


@pytest.mark.parametrize("columns", ["", "0", "many"])
def test_help_in_a_pipe_is_for_80_columns(
    columns: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert 70 < max(map(len, shown(capsys, "check"))) <= 80


@pytest.mark.parametrize("words", PARSERS)
def test_every_option_is_documented(words: str) -> None:
    assert [action.dest for action in parser_of(words)._actions if not action.help] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_examples_and_tells_how_it_ends(name: str) -> None:
    module = command_module(name)
    assert getattr(module, "EXAMPLES", ())
    assert 0 in getattr(module, "EXIT_STATUS", {0: "in the help of its own commands"})
    assert {0, 2} <= set(getattr(module, "EXIT_STATUS", {0: "", 2: ""}))


def examples() -> Iterator[str]:
    for name in COMMANDS:
        yield from (command for command, _ in getattr(command_module(name), "EXAMPLES", ()))
    told = parser_of("data check").epilog or ""
    yield from (line.split("  ")[1] for line in told.splitlines() if "  relax-lint" in line)


@pytest.mark.parametrize("command", [*examples()])
def test_every_example_can_be_typed(command: str) -> None:
    program, *words = shlex.split(command.removeprefix('eval "$(').removesuffix(')"'))
    assert program == "relax-lint"
    name = words.pop(0) if words[0] in COMMANDS else "check"
    ours = words[: words.index("--")] if "--" in words else words
    parser_for(name).parse_known_args(ours)


def test_paragraphs_are_filled_and_lists_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    text = (
        "A paragraph that is\nwritten on lines of its own.\n\nexit status:\n  0  nothing is left of all that was found"
    )
    parser = argparse.ArgumentParser(description=text, formatter_class=type(parser_for("rule")._get_formatter()))
    assert parser.format_help().split("options:")[0].splitlines()[2:] == [
        "A paragraph that is written on lines",
        "of its own.",
        "",
        "exit status:",
        "  0  nothing is left of all that was",
        "     found",
        "",
    ]
