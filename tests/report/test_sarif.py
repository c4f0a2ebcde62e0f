"""`--format sarif`, held against the official schema and against what code scanning takes."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from relax_lint import checking
from relax_lint.cli import main
from relax_lint.diagnostics import Edit, Finding, Fix, Place
from relax_lint.project import Project
from relax_lint.report import sarif
from relax_lint.sources.text import SourceFile
from tests.commands.running import RULES, Run, running_in, write
from tests.toy_rules import LAUNCHER, PYTHON, by_code, toy

RECIPES = Path(__file__).resolve().parents[1] / "recipes"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return running_in(tmp_path, monkeypatch, capsys)


@cache
def schema() -> jsonschema.Draft4Validator:
    path = Path(__file__).with_name("schemas") / "sarif-2.1.0.json"
    return jsonschema.Draft4Validator(json.loads(path.read_text(encoding="utf-8")))


def valid(text: str) -> dict[str, Any]:
    """The one run of a log that fits the schema."""
    log = json.loads(text)
    schema().validate(log)
    (only,) = log["runs"]
    content: dict[str, Any] = only
    return content


def only_result(run: Run, *arguments: str) -> dict[str, Any]:
    (result,) = valid(run("--format", "sarif", *arguments).out)["results"]
    found: dict[str, Any] = result
    return found


def applied(change: dict[str, Any], data: bytes) -> bytes:
    """A file after the replacements of a fix, by their offsets."""
    for replacement in reversed(change["replacements"]):
        start = replacement["deletedRegion"]["byteOffset"]
        end = start + replacement["deletedRegion"]["byteLength"]
        data = data[:start] + replacement["insertedContent"]["text"].encode() + data[end:]
    return data


def test_a_real_recipe_has_rules_results_and_fixes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(RECIPES / "broken_countdown", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    assert main(["examples", "--format", "json"]) == 1
    findings = json.loads(capsys.readouterr().out)["diagnostics"]
    assert main(["examples", "--format", "sarif"]) == 1
    content = valid(capsys.readouterr().out)
    results, rules = content["results"], content["tool"]["driver"]["rules"]
    assert [result["ruleId"] for result in results] == [found["code"] for found in findings]
    assert [rules[result["ruleIndex"]]["id"] for result in results] == [found["code"] for found in findings]
    for result, found in zip(results, findings, strict=True):
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"] == {"uri": found["path"], "uriBaseId": "%SRCROOT%"}
        assert (place["region"]["startLine"], place["region"]["startColumn"]) == (found["line"], found["column"])
        assert result["partialFingerprints"]["relaxLintFingerprint/v1"] == found["fingerprint"]
        assert re.fullmatch(r"[0-9a-f]{1,16}:[1-9][0-9]*", result["partialFingerprints"]["primaryLocationLineHash"])
        assert len(result.get("fixes", [])) == (found["fix"] is not None and found["fix"]["safe"])
    rule = next(rule for rule in rules if rule["id"] == "RLX202")
    assert (rule["name"], rule["defaultConfiguration"]) == ("reward-not-async", {"level": "error"})
    assert rule["shortDescription"]["text"].startswith("The reward function is not async")
    assert "## Why" in rule["help"]["markdown"]
    assert rule["properties"]["tags"] == ["relax", "reward"]
    for rule in rules:
        assert max(len(rule[name]["text"]) for name in ("shortDescription", "fullDescription")) <= 1024
    assert content["properties"]["judgedBy"].keys() == {"relax", "catalogue"}


def test_levels_fixes_and_the_exit_status(run: Run) -> None:
    write(PYTHON, "é = bad, worse, plain\n")
    done = run("--format", "sarif")
    content = valid(done.out)
    bad, worse, plain = content["results"]
    assert [result["level"] for result in (bad, worse, plain)] == ["error", "warning", "note"]
    region = bad["locations"][0]["physicalLocation"]["region"]
    assert region == {
        "startLine": 1, "startColumn": 5, "endLine": 1, "endColumn": 8, "byteOffset": 5, "byteLength": 3,
    }  # fmt: skip
    assert content["columnKind"] == "unicodeCodePoints"
    (fix,) = bad["fixes"]
    assert fix["description"] == {"text": "write good"}
    assert applied(fix["artifactChanges"][0], Path(PYTHON).read_bytes()) == "é = good, worse, plain\n".encode()
    assert "fixes" not in worse
    (unsafe,) = [one for one in valid(run("--format", "sarif", "--unsafe-fixes").out)["results"] if "fixes" in one][1:]
    assert unsafe["ruleId"] == "RLX102"
    (invocation,) = content["invocations"]
    assert (invocation["exitCode"], invocation["executionSuccessful"], done.status) == (1, True, 1)
    assert valid(run("--format", "sarif", "--exit-zero").out)["invocations"][0]["exitCode"] == 0


def test_a_byte_order_mark_is_no_column_but_a_byte(run: Run) -> None:
    write(PYTHON, "\ufeffbad\n")
    region = only_result(run)["locations"][0]["physicalLocation"]["region"]
    assert (region["startColumn"], region["byteOffset"], region["byteLength"]) == (1, 3, 3)


def test_paths_are_relative_to_the_repository_and_percent_encoded(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path(".git").mkdir()
    root = Path.cwd()
    write("examples/50% ü?/a b.py", "bad\n")
    monkeypatch.chdir("examples")
    content = valid(run("--format", "sarif").out)
    place = content["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place == {"uri": "examples/50%25%20%C3%BC%3F/a%20b.py", "uriBaseId": "%SRCROOT%"}
    assert content["originalUriBaseIds"]["%SRCROOT%"]["uri"] == f"{root.as_uri()}/"
    monkeypatch.chdir(write(f"{root}/elsewhere/x", "").parent)
    Path(".git").mkdir()
    place = only_result(run, "../examples")["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place == {"uri": f"{root.as_uri()}/examples/50%25%20%C3%BC%3F/a%20b.py"}


def test_names_and_texts_that_are_no_text(run: Run) -> None:
    path = os.fsencode("examples/demo") + b"/\xff.py"
    write(PYTHON, "")
    Path(os.fsdecode(path)).write_bytes(b"bad  # \x1b\n")
    place = only_result(run)["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "examples/demo/%FF.py"
    assert place["contextRegion"]["snippet"]["text"] == "bad  # \x1b"


def test_a_fix_in_several_files_with_a_new_one(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def needs_package(source: SourceFile, project: Project) -> Iterator[Finding]:
        new = source.path.with_name("__init__.py")
        if not project.exists(new):
            edits = [Edit.at(Place(source, 0, 3), "good"), Edit.new_file(new, "# \udcff\n")]
            yield Finding(Place(source, 0, 3), "no package", fix=Fix("make one", lambda: edits))

    monkeypatch.setattr(checking, "load_rules", lambda: by_code(toy("RLX198", "package", needs_package)))
    write(PYTHON, "bad\n")
    (fix,) = only_result(run)["fixes"]
    edited, created = fix["artifactChanges"]
    assert applied(edited, b"bad\n") == b"good\n"
    assert created["artifactLocation"]["uri"] == "examples/demo/__init__.py"
    assert created["replacements"][0]["insertedContent"] == {"binary": "IyD/Cg=="}


def test_launches_conditions_and_other_places_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write(
        LAUNCHER,
        '#!/bin/bash\nif [ "$MODE" = async ]; then\npython3 relax/entrypoints/train.py --colocate --no-such-flag\nfi\n',
    )
    main(["--format", "sarif", "--select", "RLX501"])
    (result,) = valid(capsys.readouterr().out)["results"]
    assert result["properties"]["conditions"] == ['[ "$MODE" = async ]']
    (related,) = result["relatedLocations"]
    assert related["message"]["text"] == 'the launch, when [ "$MODE" = async ]'
    assert (related["id"], related["physicalLocation"]["region"]) == (1, {"startLine": 3})


def test_suppressions_with_their_reasons_and_the_baseline(run: Run) -> None:
    write(PYTHON, "bad  # noqa: RLX101 it is meant\nworse\n")
    write("relax-lint.toml", 'per-file-ignores = { "*.py" = ["RLX102"] }\n')
    assert valid(run("--format", "sarif").out)["results"] == []
    bad, worse = valid(run("--format", "sarif", "--show-suppressed").out)["results"]
    (in_source,), (external,) = bad["suppressions"], worse["suppressions"]
    assert (in_source["kind"], in_source["justification"]) == ("inSource", "it is meant")
    assert in_source["location"]["physicalLocation"]["region"] == {"startLine": 1}
    assert (external["kind"], external["justification"]) == ("external", "per-file-ignores: *.py")
    assert "baselineState" not in bad

    write(PYTHON, "bad\n")
    run("--write-baseline", "known.json")
    write(PYTHON, "bad\nbad, bad\n")
    arguments = ["--format", "sarif", "--baseline", "known.json"]
    assert [one["baselineState"] for one in valid(run(*arguments).out)["results"]] == ["new", "new"]
    known, new, _ = valid(run(*arguments, "--show-suppressed").out)["results"]
    assert (known["baselineState"], known["suppressions"][0]["kind"]) == ("unchanged", "external")
    assert (new["baselineState"], new["suppressions"]) == ("new", [])


def test_what_failed_and_what_was_not_judged_are_notifications(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(subject: object, project: object) -> list[object]:
        raise KeyError("boom")

    monkeypatch.setattr(checking, "load_rules", lambda: RULES | by_code(toy("RLX199", "fails", fails)))
    write(PYTHON, "x = 1\nunknown_bad\n")
    (invocation,) = valid(run("--format", "sarif").out)["invocations"]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (False, 2)
    failure, silence = invocation["toolExecutionNotifications"]
    assert (failure["level"], failure["descriptor"]["id"]) == ("error", "internal-error")
    assert "RLX199 fails failed on" in failure["message"]["text"]
    assert (silence["level"], silence["associatedRule"]) == ("note", {"id": "RLX101"})
    assert silence["locations"][0]["physicalLocation"]["region"] == {"startLine": 2}
    assert "unknown_bad" in silence["message"]["text"]


def test_of_more_results_than_are_taken_the_gravest_are_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sarif, "MOST_RESULTS", 2)
    write(PYTHON, "plain\nworse\nbad\n")
    content = valid(run("--format", "sarif").out)
    assert [result["ruleId"] for result in content["results"]] == ["RLX102", "RLX101"]
    (left_out,) = content["invocations"][0]["toolExecutionNotifications"]
    assert left_out["message"]["text"] == "1 result of the least severity are left out"


def test_nothing_found_is_a_log_all_the_same_and_goes_into_a_file(run: Run) -> None:
    write(PYTHON, "x = 1\n")
    done = run("--format", "sarif", "--output-file", "report.sarif")
    assert (done.status, done.out) == (0, "")
    content = valid(Path("report.sarif").read_text())
    assert (content["results"], content["tool"]["driver"]["rules"]) == ([], [])
