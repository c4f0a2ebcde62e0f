"""`--format junit`, held against the schema by which Jenkins judges it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest
import xmlschema

from relax_lint import checking
from tests.commands.running import RULES, Run, running_in, write
from tests.toy_rules import LAUNCHER, PYTHON, by_code, toy


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return running_in(tmp_path, monkeypatch, capsys)


@cache
def schema() -> xmlschema.XMLSchema:
    return xmlschema.XMLSchema(Path(__file__).with_name("schemas") / "junit-10.xsd")


def cases(text: str) -> dict[tuple[str, str], ElementTree.Element]:
    """The tests of a document that fits the schema, by class and name."""
    schema().validate(text)
    root = ElementTree.fromstring(text.encode())
    every = root.findall("testsuite/testcase")
    for element in (root, *root.findall("testsuite")):
        own = element.findall(".//testcase")
        assert element.get("tests") == str(len(own))
        assert element.get("failures") == str(sum(case.find("failure") is not None for case in own))
        assert element.get("errors") == str(sum(case.find("error") is not None for case in own))
    by_name = {(case.get("classname", ""), case.get("name", "")): case for case in every}
    assert len(by_name) == len(every), "GitLab takes tests of one class and name for one"
    return by_name


def outcomes(text: str) -> dict[tuple[str, str], list[str]]:
    return {name: [outcome.tag for outcome in case] for name, case in cases(text).items()}


RUN = ("relax-lint", "run")


def test_a_test_is_a_rule_in_a_file(run: Run) -> None:
    write(PYTHON, "bad\nx = bad, worse\nplain\nunknown_worse\n")
    write(LAUNCHER, "echo\n")
    text = run("--format", "junit").out
    assert outcomes(text) == {
        RUN: [],
        (PYTHON, "RLX101 no-bad"): ["failure"],
        (PYTHON, "RLX102 no-worse"): ["failure", "system-out"],
        (PYTHON, "RLX103 no-plain"): ["system-out"],
        (LAUNCHER, "relax-lint"): [],
    }
    failure = cases(text)[PYTHON, "RLX101 no-bad"][0]
    assert (failure.get("type"), failure.get("message")) == ("error", "2 findings")
    assert failure.text == f"\n{PYTHON}:1:1: error: bad is bad\n{PYTHON}:2:5: error: bad is bad\n"
    worse, told = cases(text)[PYTHON, "RLX102 no-worse"]
    assert (worse.get("type"), worse.get("message")) == ("warning", "worse is bad")
    assert told.text == f"\n{PYTHON}:4: not judged because of unknown_worse\n"
    assert outcomes(run("--format", "junit", "--strict").out)[PYTHON, "RLX103 no-plain"] == ["failure"]


def test_what_is_silenced_or_not_judged_is_skipped(run: Run) -> None:
    write(PYTHON, "bad  # noqa: RLX101 it is meant\nunknown_worse\n")
    assert outcomes(run("--format", "junit").out) == {RUN: [], (PYTHON, "RLX102 no-worse"): ["skipped"]}
    text = run("--format", "junit", "--show-suppressed").out
    skipped = cases(text)[PYTHON, "RLX101 no-bad"][0]
    assert (skipped.tag, skipped.get("message")) == ("skipped", "suppressed: it is meant")
    assert cases(text)[PYTHON, "RLX102 no-worse"][0].get("message") == "not judged because of unknown_worse"


def test_the_run_itself_is_a_test(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(subject: object, project: object) -> list[object]:
        raise KeyError("boom")

    assert outcomes(run("--format", "junit").out) == {RUN: []}
    (unmet,) = cases(run("--format", "junit", "--require-recipes").out)[RUN]
    assert (unmet.tag, unmet.get("message")) == ("failure", "required: a recipe, and there is none")
    monkeypatch.setattr(checking, "load_rules", lambda: RULES | by_code(toy("RLX199", "fails", fails)))
    write(PYTHON, "x = 1\n")
    (error,) = cases(run("--format", "junit").out)[RUN]
    assert (error.tag, error.get("message")) == ("error", "internal error")
    assert "KeyError: 'boom'" in (error.text or "")


def test_whatever_stands_in_names_and_texts(run: Run) -> None:
    path = 'examples/<a> & "b"\n\x1b\u2028/r\udcff.py'
    write(path, "bad\n")
    text = run("--format", "junit").out
    ((classname, _),) = outcomes(text).keys() - {RUN}
    assert classname == 'examples/<a> & "b"\n\\x1b\u2028/r\\udcff.py'


def test_it_goes_into_a_file(run: Run) -> None:
    write(PYTHON, "bad = 'é'\n")
    assert run("--format", "junit", "--output-file", "report.xml").out == ""
    assert (PYTHON, "RLX101 no-bad") in outcomes(Path("report.xml").read_text(encoding="utf-8"))
