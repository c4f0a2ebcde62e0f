"""What is offered at TAB is what the program takes."""

from __future__ import annotations

import argparse

import pytest

from relax_lint.cli import COMMANDS
from relax_lint.command_line import parser_for
from relax_lint.completion import VALUES, Answer, answer
from relax_lint.rules import load_rules


def words(*typed: str) -> list[str]:
    return [word for word, _ in answer(typed).words]


def test_the_first_word_is_a_command_or_a_path() -> None:
    found = answer([""])
    assert [word for word, _ in found.words] == list(COMMANDS)
    assert found.files == "files"
    assert answer(["mig"]) == Answer((("migrate", COMMANDS["migrate"]),), "files")


def test_options_are_those_of_the_command_and_of_check_without_one() -> None:
    assert words("--fi") == ["--fix"]
    assert words("check", "--fi") == ["--fix"]
    assert words("show", "--fi") == []
    assert words("show", "--c") == ["--clean-env", "--cwd"]
    assert {"--help", "--version", "--fix"} <= set(words("--"))
    assert "-q" in words("check", "-")
    assert words("completion", "bash", "--a") == []  # between the shell and us


@pytest.mark.parametrize("typed", [("check", "--format", "j"), ("--format", "j"), ("examples", "--format", "=", "j")])
def test_values_of_options(typed: tuple[str, ...]) -> None:
    found = words(*typed)
    assert [word.removeprefix("--format=") for word in found] == ["json", "junit"]


def test_a_value_is_not_taken_for_an_argument() -> None:
    assert words("data", "check", "--launcher", "check", "--str") == ["--strict"]
    assert words("completion", "") == ["bash", "zsh", "fish"]
    assert words("data", "") == ["check", "convert"]
    assert words("data", "convert", "--without-truth", "s") == ["skip"]
    assert answer(["data", "nonsense", ""]) == Answer()


def test_rules_by_code_and_name_one_or_several() -> None:
    rules = load_rules()
    assert words("rule", "") == [*rules, *(rule.name for rule in rules.values())]
    assert words("rule", "on-p") == ["on-policy-batch"]
    assert answer(["rule", "RLX407"]).words == (("RLX407", "on-policy-batch"),)
    assert words("--select", "AL") == ["ALL"]
    assert words("--select=RLX4,RLX80") == ["--select=RLX4,RLX801", "--select=RLX4,RLX802", "--select=RLX4,RLX803"]
    assert words("--ignore", "RLX801,RLX80") == ["RLX801,RLX802", "RLX801,RLX803"]


def test_flags_of_relax_with_and_without_their_dashes() -> None:
    assert answer(["catalog", "show", "--sglang-mem"]).words == (("--sglang-mem-fraction-static", "sglang"),)
    assert words("catalog", "show", "sglang-mem") == ["sglang-mem-fraction-static"]
    assert "--relax-root" in words("catalog", "show", "--relax-r")
    assert len(words("catalog", "show", "--")) > 2000


@pytest.mark.parametrize(
    ("typed", "files"),
    [
        (("check", "--config", ""), "files"),
        (("check", "--config="), "files"),
        (("check", "--relax-root", ""), "directories"),
        (("show", ""), "files"),
        (("show", "run.sh", ""), "files"),
        (("show", "run.sh", "--", "--any"), "files"),
        (("model-config", "x", ""), "none"),
        (("rule", ""), "none"),
        (("check", "--add-suppressions", ""), "none"),
        (("check", "--no-such-option="), "none"),
    ],
)
def test_paths(typed: tuple[str, ...], files: str) -> None:
    assert answer(typed).files == files


def metavars(parser: argparse.ArgumentParser) -> set[str]:
    found = set()
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for nested in action.choices.values():
                found |= metavars(nested)
        elif action.nargs != 0 and action.choices is None:
            found.add(str(action.metavar))
    return found


def test_it_is_known_what_every_option_and_argument_stands_for() -> None:
    found = set().union(*(metavars(parser_for(name)) for name in COMMANDS))
    assert found - set(VALUES) == set()
