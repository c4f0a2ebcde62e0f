"""MIGRATION.md and the JSON: nothing is missing, and it can be read."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from relax_lint.diagnostics import Place
from relax_lint.migrate.exported import Left
from relax_lint.migrate.migrated import Migrated, Refused, SameAs, Written
from relax_lint.migrate.page import page
from relax_lint.migrate.plan import ModeRefused, Obstacle, Passed, Plan
from relax_lint.migrate.report import report
from relax_lint.project import MEMORY_ROOT, Project
from relax_lint.records import changed
from relax_lint.sources.launcher import LauncherSource
from tests.migrate.plans import COMMAND, LEAVES, PASSED, VERL, plan_of

SCRIPT = MEMORY_ROOT / "examples/math/run_math.sh"


def source_of(text: str = COMMAND) -> LauncherSource:
    source = Project.from_files({"examples/math/train.sh": text}).launcher(VERL)
    assert source is not None
    return source


def migrated(plans: Sequence[Plan], **others: object) -> Migrated:
    source = source_of()
    written = [Written(source.launches[0], plan, SCRIPT, "", source) for plan in plans]
    made = Migrated(source.path, SCRIPT.parent, {SCRIPT: "#!/bin/bash\n"}, written, [], [], [])
    return changed(made, **others)


def named(path: Path) -> str:
    return path.relative_to(MEMORY_ROOT).as_posix()


def cells(text: str) -> list[list[str]]:
    """The rows of all tables, as GitHub takes them apart."""
    rows = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in rows]


def test_every_setting_is_on_the_page_and_in_the_json() -> None:
    told = report(migrated([plan_of()]), named)
    text = page(told)
    keys = {setting.key for setting, _, _ in LEAVES}
    assert {setting["key"] for setting in told["launches"][0]["settings"]} == keys
    for key in keys:
        assert f"`{key}`" in text
    assert json.loads(json.dumps(told)) == told


def test_rows_have_as_many_cells_as_their_head_whatever_the_text() -> None:
    text = page(report(migrated([plan_of()]), named))
    width = 0
    for row in cells(text):
        if set(row) == {"---"}:
            assert len(row) == width
        width = len(row)
    tables = [block for block in text.split("\n\n") if "\n| ---" in f"\n{block.partition(chr(10))[2]}"]
    for table in tables:
        assert len({len(row) for row in cells(table)}) == 1
    assert "| `a\\|b c` |" in text


def test_what_is_left_to_do_comes_first() -> None:
    text = page(report(migrated([plan_of()]), named))
    assert text.index("Write scripts/tools/process_math.py. (`data.train_files`)") < text.index("## Batch sizes")
    assert "32 prompts × 8 samples = 256 samples a step." in text


def test_a_flag_is_shown_with_its_value_and_mode() -> None:
    told = report(migrated([plan_of()]), named)
    settings = {setting["key"]: setting for setting in told["launches"][0]["settings"]}
    assert settings["trainer.nnodes"]["becomes"] == [
        """--resource '{"actor": [1, 8], "rollout": [1, 8]}' (sync)""",
        next(f"--resource '{one.values[0]}' (async)" for one in PASSED if one.values and one.modes == "async"),
    ]
    assert settings["data.prompt_key"]["becomes"] == ["--input-key prompt"]


def test_a_refused_mode_a_refused_launch_and_what_is_left_are_named() -> None:
    source = source_of("pip install x\n" + COMMAND)
    place = Place(source, 0, 13)
    text = page(
        report(
            migrated(
                [plan_of(refused=[ModeRefused("async", "2 GPUs are too few")])],
                refused=[Refused("gae needs a critic", place, "algorithm.adv_estimator", ('[ "$A" = gae ]',))],
                same=[SameAs(('[ "$B" = 1 ]',), SCRIPT)],
                left=[Left("pip install x", place, "installing is not part of a launcher")],
            ),
            named,
        )
    )
    assert "- `async` is refused by the launcher: 2 GPUs are too few" in text
    assert 'the launch at `examples/math/train.sh:1` when `[ "$A" = gae ]`: gae needs a critic.' in text
    assert 'What verl runs when `[ "$B" = 1 ]` is the same to Relax' in text
    assert "| `pip install x` | `examples/math/train.sh:1` | installing is not part of a launcher |" in text


def test_a_second_launch_says_only_what_differs() -> None:
    other = plan_of()
    settings = dict(other.settings.leaves)
    settings["trainer.nnodes"] = changed(settings["trainer.nnodes"], value=2)
    other.settings = changed(other.settings, leaves=settings)
    text = page(report(migrated([plan_of(), other]), named))
    second = text.partition("## Launch 2")[2]
    assert "All as in the first launch, but:" in second
    assert "| `trainer.nnodes` | `2` |" in second
    assert "data.prompt_key" not in second
    told = report(migrated([plan_of(), other]), named)
    assert [len(launch["settings"]) for launch in told["launches"]] == [len(LEAVES)] * 2


def test_flags_of_the_launchers_own_are_listed() -> None:
    text = page(report(migrated([plan_of([*PASSED, Passed("--seed", ("1",), "misc", (), "a | b")])]), named))
    assert "| `--seed 1` | both | a \\| b |" in text


def test_what_is_refused_or_not_carried_over_at_several_places_stands_once() -> None:
    source = source_of("x\n" + COMMAND)
    refused = [Refused("gae needs a critic", Place(source, at, at + 1), "algorithm.adv_estimator") for at in (0, 2)]
    plan = plan_of()
    plan.obstacles = [Obstacle(VERL, line, "the agents") for line in (1, 2)]
    text = page(report(migrated([plan], refused=refused), named))
    script = "examples/math/train.sh"
    assert f"**Not migrated:** the launches at `{script}:1`, `{script}:2`: gae needs a critic." in text
    assert f"**Not carried over:**\n\n- the agents (`{script}:1`, `{script}:2`)" in text
    assert text.index("Not carried over") < text.index("## To do by hand")
