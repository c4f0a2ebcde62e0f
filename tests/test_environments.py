"""Which classes of a recipe are environments, and which modules rollouts load them from."""

from __future__ import annotations

import pytest

from relax_lint.environments import Environments, environments_of
from relax_lint.project import Project
from tests.cases import for_each

BASE = "class BaseInteractionEnv:\n    def reset(self):\n        raise NotImplementedError\n"
TRIED = """\
try:
    from .base_env import BaseInteractionEnv
except ImportError:
    from base_env import BaseInteractionEnv"""
IMPORT = "from examples.demo.base_env import BaseInteractionEnv\n"
_KEPT: list[Project] = []
"""What is worked out of a project lives as long as that."""


def environments(files: dict[str, str], recipe: str = "demo") -> Environments:
    project = Project.from_files({f"examples/{path}": text for path, text in files.items()})
    _KEPT.append(project)
    found = next(each for each in project.recipes if each.name == recipe)
    return environments_of(found, project)


def names(files: dict[str, str]) -> list[str]:
    return [cls.node.name for cls in environments(files).classes]


@for_each(
    ("imports", "base"),
    [
        ("from examples.demo.base_env import BaseInteractionEnv", "BaseInteractionEnv"),
        ("from .base_env import BaseInteractionEnv as Base", "Base"),
        ("from . import base_env", "base_env.BaseInteractionEnv"),
        ("import examples.demo.base_env as b", "b.BaseInteractionEnv"),
        ("from examples.deepeyes.base_env import BaseInteractionEnv", "BaseInteractionEnv"),
        ("from base_env import BaseInteractionEnv", "BaseInteractionEnv"),
        ("from .base_env import *", "BaseInteractionEnv"),
        ("from .base_env import BaseInteractionEnv\nBase = BaseInteractionEnv", "Base"),
        ("from .kinds import Middle", "Middle"),
        ("from .kinds import Again", "Again"),
        ("from examples.other.kinds import Far", "Far"),
        (
            "from .base_env import BaseInteractionEnv\nfrom typing import Generic, TypeVar\nT = TypeVar('T')",
            "BaseInteractionEnv, Generic[T]",
        ),
        (TRIED, "BaseInteractionEnv"),
    ],
)
def test_environments_are_found_wherever_the_base_comes_from(imports: str, base: str) -> None:
    files = {
        "demo/base_env.py": BASE,
        "demo/kinds.py": "from .base_env import BaseInteractionEnv\nfrom .base_env import BaseInteractionEnv as Again\n"
        "class Middle(BaseInteractionEnv):\n    pass\n",
        "other/kinds.py": "from examples.demo.kinds import Middle\nclass Far(Middle):\n    pass\n",
        "demo/env_demo.py": f"{imports}\nclass Env({base}):\n    pass\n",
    }
    assert "Env" in names(files)


@pytest.mark.parametrize(
    "text",
    [
        "class Env:\n    def step(self, action):\n        return action\n",
        "from gym import Env\nclass Zoom(Env):\n    pass\n",
        "class Env(object):\n    pass  # no BaseInteractionEnv\n",
        "from .base_env import BaseInteractionEnv\nclass Holder:\n    env: BaseInteractionEnv\n",
        "from .base_env import BaseInteractionEnv\ndef drive(env: BaseInteractionEnv):\n    return env\n",
    ],
)
def test_other_classes_are_none(text: str) -> None:
    assert names({"demo/base_env.py": BASE, "demo/env_demo.py": text}) == []


def test_classes_that_only_others_derive_from_are_not_concrete() -> None:
    found = environments(
        {
            "demo/base_env.py": BASE,
            "demo/env_demo.py": """\
from .base_env import BaseInteractionEnv
class ToolEnv(BaseInteractionEnv): ...
class Zoom(ToolEnv): ...
class Rotate(ToolEnv): ...
class Crop(Zoom): ...
def build_env(sample=None, args=None, **_) -> ToolEnv:
    kind = Zoom if args.zoom else Rotate
    assert not isinstance(kind, ToolEnv)
    return kind()
""",
        }
    )
    assert [cls.node.name for cls in found.classes] == ["ToolEnv", "Zoom", "Rotate", "Crop"]
    assert [cls.node.name for cls in found.concrete] == ["Zoom", "Rotate", "Crop"]


def test_a_class_that_another_recipe_derives_from_is_not_concrete() -> None:
    files = {
        "demo/env_demo.py": f"{IMPORT}class Env(BaseInteractionEnv): ...\n",
        "zoom/env_zoom.py": "from examples.demo.env_demo import Env\nclass Zoom(Env): ...\n",
    }
    assert environments(files).concrete == ()
    assert [cls.node.name for cls in environments(files, "zoom").concrete] == ["Zoom"]


@for_each(
    ("body", "expected"),
    [
        ("def step(self, text): ...", "there"),
        ("async def step(self, text): ...", "there"),
        ("step = other", "there"),
        ("step = lambda self, text: text", "there"),
        ("from elsewhere import step", "there"),
        ("if True:\n        def step(self, text): ...", "there"),
        ("step = None", "missing"),
        ("step: object", "missing"),
        ("def steps(self, text): ...", "missing"),
        ("def reset(self):\n        def step(text): ...", "missing"),
        ("def step(self, text):\n        '''Later.'''\n        raise NotImplementedError()", "missing"),
        ("@abstractmethod\n    def step(self, text): ...", "missing"),
        ("def __getattr__(self, name): ...", "unknown"),
        ("locals()['step'] = other", "unknown"),
    ],
)
def test_what_a_class_has_of_its_own(body: str, expected: str) -> None:
    text = f"from examples.deepeyes.base_env import BaseInteractionEnv\nclass Env(BaseInteractionEnv):\n    {body}\n"
    found = environments({"demo/env_demo.py": text})
    assert found.implementation(found.classes[0], "step") == expected


def test_what_two_bases_share_comes_behind_both() -> None:
    text = """\
from examples.demo.base_env import BaseInteractionEnv
class A(BaseInteractionEnv): ...
class B(BaseInteractionEnv):
    def step(self, text):
        return {}, True, {}
class C(A, B): ...
"""
    base = BASE + "\n    def step(self, response_text):\n        raise NotImplementedError\n"
    found = environments({"demo/base_env.py": base, "demo/env_demo.py": text})
    (cls,) = (cls for cls in found.classes if cls.node.name == "C")
    assert found.implementation(cls, "step") == "there"
    assert found.method(cls, "step") is not None


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"demo/demo.yaml": "rollout_interaction_env_path: examples.demo.one\n"}, {"one.py": "demo.yaml"}),
        ({"demo/demo.yaml": "rollout_interaction_env_path: examples/demo/one.py\n"}, {"one.py": "demo.yaml"}),
        ({"demo/demo.yaml": "rollout_interaction_env_path: examples.demo.gone\n"}, {}),
        ({"demo/demo.yaml": "rollout_interaction_env_path:\n"}, {}),
        ({"demo/rollout.py": "DEFAULT_ENV_MODULE = 'examples.demo.one'\n"}, {"one.py": "DEFAULT_ENV_MODULE"}),
        (
            {"demo/two.py": f"{IMPORT}class E(BaseInteractionEnv): ...\ndef build_env(): ...\n"},
            {"two.py": "build_env"},
        ),
        ({"demo/two.py": "def build_env(): ...\n"}, {}),
    ],
)
def test_modules_that_rollouts_load(files: dict[str, str], expected: dict[str, str]) -> None:
    found = environments({"demo/one.py": "X = 1\n", **files})
    assert {module.source.path.name: module.named for module in found.modules} == expected


def test_a_projects_environments_do_not_keep_it() -> None:
    import gc
    import weakref

    gc.freeze()  # what other tests have left need not be looked through
    project = Project.from_files({"examples/demo/env_demo.py": "from x import BaseInteractionEnv\n"})
    environments_of(project.recipes[0], project)
    kept = weakref.ref(project)
    del project
    gc.collect()
    gc.unfreeze()
    assert kept() is None
