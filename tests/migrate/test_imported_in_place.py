"""What `--fix` makes of a recipe is imported in a fresh process, and scores as before: nothing that was there is
imported in the place of a copy, whatever the packages, modules and directories of the recipe are called."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from relax_lint.cli import main
from tests.commands.test_migrate import MODEL
from tests.migrate.on_disk import write_relax
from tests.migrate.reward.originals import originals
from tests.migrate.reward.produced import SAMPLE
from tests.migrate.reward.test_recipes import LAUNCH

_HEAD = "def compute_score(data_source, solution_str, ground_truth, extra_info=None):\n    return "
_VERL = "from verl.utils.reward_score.gsm8k import extract_solution  # noqa: F401\n"
_KNOWN = "KNOWN = {}\n\n\ndef known(made):\n    KNOWN[made.__name__] = made\n    return made\n\n\n"
_SUM = f"{_HEAD}sum(each() * 10**place for place, (_, each) in enumerate(sorted(KNOWN.items())))\n"
_CASES = {
    "registry_in_the_package": {
        "rew.py": f"{_VERL}import graders\n\nKNOWN = graders.KNOWN\n\n\n{_SUM}",
        "graders/__init__.py": f"{_KNOWN}from . import exact, near  # noqa: E402, F401\n",
        "graders/exact.py": "from . import known\n\n\n@known\ndef exact():\n    return 1\n",
        "graders/near.py": "import graders.exact as other\nfrom graders import known\n\n\n@known\ndef near():\n"
        "    return 1 + other.exact()\n",
    },
    "nested_packages": {
        "rew.py": f"{_VERL}from a import KNOWN\n\n\n{_SUM}",
        "a/__init__.py": f"{_KNOWN}from .b import c  # noqa: E402, F401\n",
        "a/b/__init__.py": "from a import known\n\n\n@known\ndef b():\n    return 3\n",
        "a/b/c.py": "from .. import known\nfrom . import b\n\n\n@known\ndef c():\n    return 1 + b()\n",
    },
    "module_in_a_package_of_its_name": {
        "rew.py": f"{_VERL}from rules.rules import VALUE\nfrom rules import OTHER\n\n\n{_HEAD}VALUE + OTHER\n",
        "rules/__init__.py": "OTHER = 10\n",
        "rules/rules.py": "from . import OTHER\n\nVALUE = OTHER + 1\n",
    },
    "directory_of_data": {
        "rew.py": f"{_VERL}from lib.words import VALUE\n\n\n{_HEAD}VALUE\n",
        "lib/words.py": "from pathlib import Path\n\n"
        "VALUE = int((Path(__file__).parent / 'words' / 'w.txt').read_text())\n",
        "lib/words/w.txt": "7\n",
        "words/other.txt": "no\n",
    },
    "module_of_the_name_that_stays": {
        "rew.py": f"{_VERL}from lib.texts import VALUE\n\n\n{_HEAD}VALUE\n",
        "lib/__init__.py": "",
        "lib/texts.py": "VALUE = 5\n",
        "texts.py": "VALUE = 6\n",
        "plot.py": "import texts\n\nprint(texts)\n",
    },
    "package_that_is_used_elsewhere": {
        "rew.py": f"{_VERL}from lib import VALUE\n\n\n{_HEAD}VALUE()\n",
        "lib/__init__.py": f"{_VERL}from .texts import value\n\n\ndef VALUE():\n    return value() + 1\n",
        "lib/texts.py": "def value():\n    return 1\n",
        "plot.py": "import lib\n\nprint(lib)\n",
    },
    "reward_in_a_package": {
        "rew.py": f"{_VERL}from score.inner import VALUE\n\n\n{_HEAD}VALUE\n",
        "score/__init__.py": "import score.inner\n\nscore.inner.VALUE += 1\n",
        "score/inner.py": "VALUE = 1\n",
    },
}
_BEFORE = """
import importlib.util, sys
from verl_stand_in import stand_in
stand_in()
sys.path.insert(0, "examples/demo")
spec = importlib.util.spec_from_file_location("rew", "examples/demo/rew.py")
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
print(float(module.compute_score("d", "r", "l")))
"""
_AFTER = """
import asyncio
from types import SimpleNamespace
from examples.demo.reward_demo import reward_func
sample = SimpleNamespace(response="r", label="l", metadata={"data_source": "d"}, response_length=1)
print(asyncio.run(reward_func(SimpleNamespace(), sample))["score"])
"""


@pytest.mark.parametrize("case", _CASES)
def test_a_recipe_scores_as_before(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = _written(tmp_path, _CASES[case], monkeypatch)
    before = _printed(_BEFORE.replace("verl_stand_in", "tests.migrate.reward.originals"), root)
    main(["--fix", "examples/demo", "-q", "--no-cache", "--verl-root", str(originals())])
    assert not (root / "examples/demo/rew.py").exists()
    assert _printed(_AFTER, root) == before


def _written(parent: Path, recipe: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Relax checkout with a recipe of verl in it, where the test goes to."""
    root = write_relax(parent / "checkout")
    files = {f"examples/demo/{name}": text for name, text in recipe.items()}
    files["examples/demo/run.sh"] = LAUNCH.format("custom_reward_function.path=examples/demo/rew.py")
    files["scripts/models/qwen3-8B.sh"] = MODEL
    files["relax/utils/types.py"] = SAMPLE
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.chdir(root)
    return root


def _printed(program: str, root: Path) -> str:
    paths = f"import sys\nsys.path[:0] = ['.', {str(Path(__file__).parents[2])!r}]\n"
    done = subprocess.run(
        [sys.executable, "-B", "-c", paths + program], capture_output=True, text=True, cwd=root, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_was_not_carried_over_makes_the_status_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    read = f"import os\nHERE = os.path.dirname(__file__)\nopen(os.path.join(HERE, os.environ['X']))\n\n\n{_HEAD}1\n"
    root = _written(tmp_path, {"rew.py": read}, monkeypatch)
    assert main(["--fix", "examples/demo", "-q", "--no-cache", "--verl-root", str(originals())]) == 1
    assert "examples/demo/rew.py:3: not carried over: os.path.join(HERE, os.environ['X'])" in capsys.readouterr().err
    assert (root / "examples/demo/reward_demo.py").is_file()
