"""No fix gives a launch a flag that it has, or gets by another fix of the same run, a second time."""

from __future__ import annotations

from collections import Counter

import pytest

from relax_lint.fixing import Fixed, fix
from relax_lint.project import Project
from relax_lint.rules import load_rules
from tests.half_migrated import GOOD, LAUNCHER, RECIPE, SHARED, Change, replaced, together

RULES = load_rules()
THREE = "    --optimizer-cpu-offload\n    --overlap-cpu-optimizer-d2h-h2d\n    --use-precision-aware-optimizer\n"
INLINE = " ".join(THREE.split())
AS_ONE_WORD = replaced('"${GRPO_ARGS[@]}"', '"${GRPO_ARGS[*]}"')
NOT_PASSED = together(replaced(' "${EVAL_ARGS[@]}"', ""), replaced("    --reward-key score\n", ""))


def without(flags: str) -> Change:
    return replaced(flags, "")


CASES = {
    "in the synchronous command only": together(
        without(THREE), replaced("        --colocate \\\n", f"        --colocate \\\n        {INLINE} \\\n")
    ),
    "in the asynchronous command only": together(
        without(THREE), replaced("        --fully-async \\\n", f"        --fully-async {INLINE} \\\n")
    ),
    "one of them in one command": together(
        without(THREE), replaced("        --colocate \\\n", "        --colocate --optimizer-cpu-offload \\\n")
    ),
    "in an array that is one word": AS_ONE_WORD,
    "optimizer flags in an array that is one word": replaced('"${OPTIMIZER_ARGS[@]}"', '"${OPTIMIZER_ARGS[*]}"'),
    "in an array that is not passed": together(
        NOT_PASSED, replaced("    --eval-interval 100\n", "    --eval-interval 100\n    --reward-key score\n")
    ),
}


def done(change: Change, *, unsafe: bool) -> Fixed:
    project = Project(RECIPE).with_changes({LAUNCHER: change(GOOD).encode()})
    return fix(project, RULES, targets=[LAUNCHER], unsafe=unsafe)


def given(project: Project) -> list[Counter[str]]:
    launcher = project.launcher(LAUNCHER)
    assert launcher is not None
    return [Counter(argument.flag for argument in launch.arguments) for launch in launcher.launches]


@pytest.mark.parametrize("unsafe", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_no_launch_gets_a_flag_twice(name: str, unsafe: bool) -> None:
    after = done(CASES[name], unsafe=unsafe)
    twice = [sorted(flag for flag, count in counts.items() if count > 1) for counts in given(after.project)]
    assert twice == [[]] * len(given(Project(RECIPE)))


@pytest.mark.parametrize("name", list(CASES)[:3])
def test_the_launch_that_has_not_the_optimizer_flags_gets_them(name: str) -> None:
    after = done(CASES[name], unsafe=False)
    codes = [found.code for found in after.report.standing]
    assert "RLX406" not in codes or name.startswith("one of them")


@pytest.mark.parametrize("name", list(CASES)[3:])
def test_what_an_array_holds_is_not_written_beside_it(name: str) -> None:
    assert given(done(CASES[name], unsafe=True).project) == given(Project(RECIPE))


def test_a_fix_that_alone_gives_a_flag_twice_is_dropped_with_a_word() -> None:
    from relax_lint.diagnostics import Edit, Finding, Fix, Place
    from tests.toy_rules import by_code, toy

    text = (
        f'ARGS=(--lr 1e-6)\npython3 relax/entrypoints/train.py --colocate --resource {SHARED} --seed 1 "${{ARGS[@]}}"\n'
    )
    at = text.index("1e-6") + len("1e-6")

    def check(source, project):  # type: ignore[no-untyped-def]
        if "--seed 1)" not in source.text:
            yield Finding(
                Place(source, 0, 4), "no seed", fix=Fix("add --seed", lambda: [Edit(source.path, at, at, " --seed 1")])
            )

    project = Project.from_files({"examples/demo/run_demo.sh": text})
    result = fix(project, by_code(toy("RLX499", "no-seed", check, on="launcher")))
    assert result.changes == {}
    assert [each.reason for each in result.dropped] == ["a launch that has --seed would get it a second time"]
