"""What scripts seem to launch, told by their texts, where launchers are not worked out."""

from __future__ import annotations

from relax_lint.project import Project
from relax_lint.supposed_launches import is_supposed, launches_of

TRAIN = "python3 relax/entrypoints/train.py"
RUN, CODE = "examples/demo/run_demo.sh", "examples/demo/code.py"
TEXT = "async def f(args, sample, more=None):\n    return sample\n"


def supposed(tree: dict[str, str], *, partial: bool = True) -> list[tuple[str, str]]:
    """Flag and function of each supposed launch of the demo."""
    project = Project.from_files({CODE: TEXT, **tree})
    (recipe,) = (recipe for recipe in project.recipes if recipe.name == "demo")
    subject = recipe.with_launchers(()) if partial else recipe
    assert subject.is_partial == partial
    found = [launch for launch in launches_of(subject, project) if is_supposed(launch)]
    return sorted({(launch.arguments[0].flag, launch.arguments[0].value or "") for launch in found})


def test_the_flag_in_front_tells_what_a_function_is_for() -> None:
    reward, generate = "--custom-rm-path", "--custom-generate-function-path"
    assert supposed({RUN: f"{TRAIN} {reward} examples.demo.code.f\n"}) == [(reward, "examples.demo.code.f")]
    assert supposed({RUN: f'{TRAIN} {generate}="examples.demo.code.f"\n'}) == [(generate, "examples.demo.code.f")]
    assert supposed({RUN: f"{TRAIN} --dynamic-sampling-filter-path examples.demo.code.f\n"}) == []
    config = {RUN: f"{TRAIN}\n", "examples/demo/demo.yaml": "custom_rm_path: examples.demo.code.f\n"}
    assert supposed(config) == [(reward, "examples.demo.code.f")]
    assert supposed({**config, "examples/demo/demo.yaml": "rollout_interaction_env_path: examples.demo.code\n"}) == []


def test_a_name_without_a_flag_may_be_for_either() -> None:
    named = {RUN: f'FN=examples.demo.code.f\n{TRAIN} --custom-rm-path "$FN"\n'}
    assert [flag for flag, _ in supposed(named)] == ["--custom-generate-function-path", "--custom-rm-path"]


def test_with_all_launchers_only_those_of_others_are_supposed() -> None:
    own = {RUN: f"{TRAIN} --custom-rm-path examples.demo.code.f\n"}
    other = {"examples/other/run.sh": f"{TRAIN} --custom-rm-path examples.demo.code.f\n"}
    unclear = {"examples/other/run.sh": f"FN=examples.demo.code.f\n{TRAIN}\n"}
    assert supposed(own, partial=False) == []
    assert supposed({**own, **other}, partial=False) == [("--custom-rm-path", "examples.demo.code.f")]
    assert supposed({**own, **unclear}, partial=False) == []
