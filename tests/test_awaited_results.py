"""Whether what a function returns may be awaited."""

from __future__ import annotations

import pytest

from relax_lint.awaited_results import may_be_awaited
from relax_lint.project import Project

PATH = "examples/demo/rollout.py"


def awaited(text: str) -> bool:
    project = Project.from_files({PATH: text})
    source = project.python(project.root / PATH)
    assert source is not None
    return may_be_awaited("build", [source])


@pytest.mark.parametrize(
    "text",
    [
        "async def f():\n    env = await build(1)\n",
        "async def f():\n    env = envs.build(1)\n    env = await env\n",
        "async def f():\n    env: Env = build(1)\n    if inspect.isawaitable(env):\n        pass\n",
        "def f():\n    return asyncio.run(build(1))\n",
        "def make():\n    return build(1)\n\n\nasync def f():\n    env = await make()\n",
        "def f():\n    self.env = build(1)\n",
        "envs = [build(n) for n in range(3)]\n",
        "make = lambda: build(1)\n",
    ],
)
def test_it_may_be(text: str) -> None:
    assert awaited(text)


@pytest.mark.parametrize(
    "text",
    [
        "def f():\n    env = build(1)\n    env.reset()\n",
        "def f():\n    build(1).reset()\n",
        "def make():\n    return module.build(1)\n\n\nasync def f():\n    env = make()\n    await env.step()\n",
        "async def f():\n    env = build(1)\n    it = env.step()\n    if inspect.isawaitable(it):\n        await it\n",
        "def f():\n    return 1\n",
    ],
)
def test_it_is_not(text: str) -> None:
    assert not awaited(text)
