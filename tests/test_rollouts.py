"""What rollouts do with environments, read from their code."""

from __future__ import annotations

import pytest

from relax_lint.flow.shapes import TEXT, UNKNOWN, Arguments
from relax_lint.project import Project
from relax_lint.rollouts import STANDARD, Rollout, rollouts_of
from tests.cases import for_each

LAUNCH = "python3 relax/entrypoints/train.py --custom-generate-function-path examples.demo.rollout.generate\n"


def rollouts(files: dict[str, str]) -> tuple[Rollout, ...]:
    project = Project.from_files({f"examples/demo/{path}": text for path, text in files.items()})
    return rollouts_of(project.recipes[0], project)


def generate(body: str, **others: str) -> Rollout:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    text = f"async def generate(args, sample, sampling_params):\n    env = build(args)\n{lines}    return sample\n"
    more = {f"{name}.py": other for name, other in others.items()}
    (found,) = rollouts({"rollout.py": text, "run_demo.sh": LAUNCH, **more})
    return found


@for_each(
    ("body", "awaits"),
    [
        ("a, b, c = env.step(text)", False),
        ("a, b, c = await env.step(text)", True),
        ("result = env.step(text)\na, b, c = result", False),
        ("result = env.step(text)\nif inspect.isawaitable(result):\n    result = await result\na, b, c = result", True),
        ("result = env.step(text)\nprint(result)\nlog.info(result)\na = result[0]", False),
        ("a, b, c = await maybe(env.step(text))", True),
        ("a, b, c = await asyncio.wait_for(env.step(text), 10)", True),
        ("a, b, c = await asyncio.to_thread(env.step, text)", False),
        ("a, b, c = await loop.run_in_executor(None, env.step, text)", False),
        (
            "task = await asyncio.to_thread(env.step, text)\nif asyncio.iscoroutine(task):\n    task = await task",
            True,
        ),
        (
            "if inspect.iscoroutinefunction(env.step):\n    a = await env.step(text)\nelse:\n    a = env.step(text)",
            True,
        ),
        ("task = asyncio.create_task(env.step(text))\na, b, c = await task", True),
        ("self.env.step(text)", False),
        ("results = [env.step(text) for env in envs]", True),
    ],
)
def test_whether_steps_are_awaited(body: str, awaits: bool) -> None:
    assert generate(body).step.awaits is awaits


@pytest.mark.parametrize(
    ("body", "parts"),
    [
        ("a, b, c = env.step(text)", {3}),
        ("a, b, c, d = await env.step(text)", {4}),
        ("result = env.step(text)\n(a, b, c, d, e) = result", {5}),
        ("a, *rest = env.step(text)", set()),
        ("turn = env.step(text)\ndone = turn.done", set()),
    ],
)
def test_into_how_many_parts_a_step_is_taken(body: str, parts: set[int]) -> None:
    assert generate(body).step.parts == parts


@pytest.mark.parametrize(
    ("body", "arguments"),
    [
        ("a, b, c = env.step(text)", Arguments((TEXT,))),
        ("a, b, c = env.step(text, tokens)", Arguments((TEXT, UNKNOWN))),
        ("a, b, c = env.step(response_text=text)", Arguments((), (("response_text", TEXT),))),
        ("a, b, c = env.step(*given)", Arguments(complete=False)),
    ],
)
def test_what_a_step_is_called_with(body: str, arguments: Arguments) -> None:
    assert generate(body).step.arguments == (arguments,)


@pytest.mark.parametrize(
    ("body", "catches"),
    [
        ("a, b, c = env.step(text)", False),
        ("try:\n    a, b, c = env.step(text)\nexcept Exception:\n    done = True", True),
        ("try:\n    a, b, c = env.step(text)\nexcept ValueError:\n    done = True", False),
        ("try:\n    a, b, c = env.step(text)\nexcept Exception:\n    raise", False),
        ("try:\n    a, b, c = env.step(text)\nfinally:\n    env.close()", False),
        ("try:\n    pass\nexcept Exception:\n    a, b, c = env.step(text)", False),
    ],
)
def test_whether_what_a_step_raises_is_caught(body: str, catches: bool) -> None:
    assert generate(body).catches is catches


def test_steps_of_optimizers_and_of_wrapping_environments_do_not_count() -> None:
    body = "optimizer.step(loss)\nobservation, done, info = await env.step(text)"
    wrapper = "class Env:\n    def step(self, text):\n        return self.env.step(text, 1)\n"
    found = generate(f"from .wrapper import Env\n{body}", wrapper=wrapper)
    assert found.step.awaits
    assert found.step.arguments == (Arguments((TEXT,)),)


def test_steps_may_be_taken_in_another_file_of_the_recipe() -> None:
    turns = "async def turn(env, text):\n    a, b = env.step(text)\n"
    found = generate("from .turns import turn\nawait turn(env, 'x')", turns=turns)
    assert found.step.parts == {2}


def test_the_function_that_a_module_takes_from_elsewhere_is_read_there() -> None:
    files = {
        "rollout.py": "from .inner import generate\n",
        "inner.py": "async def generate(args, sample, params):\n    a, b = env.step('x')\n    return sample\n",
        "run_demo.sh": LAUNCH,
    }
    (found,) = rollouts(files)
    assert found.name == "examples/demo/inner.py"
    assert found.step.parts == {2}


def test_a_rollout_that_is_not_at_hand_is_the_standard_one() -> None:
    launch = LAUNCH.replace("examples.demo", "examples.deepeyes")
    assert rollouts({"env_demo.py": "x = 1\n", "run_demo.sh": launch}) == (STANDARD,)


def test_without_launches_it_is_the_recipes_own() -> None:
    text = "async def generate(args, sample, params):\n    a, b = env.step('x')\n    return sample\n"
    assert [found.step.parts for found in rollouts({"rollout.py": text})] == [{2}]
    assert rollouts({"env_demo.py": "x = 1\n"}) == (STANDARD,)


def test_a_rollout_that_does_not_say_how_it_calls_an_environment_may_call_it_in_any_way() -> None:
    found = generate("await drive(env)")
    assert found.step.awaits
    assert not found.formats
    assert found.step.parts == frozenset()
