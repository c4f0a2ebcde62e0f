"""What the rules about environments say of whole recipes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from relax_lint.config import Settings
from relax_lint.diagnostics import Diagnostic
from relax_lint.engine import Report, lint
from relax_lint.project import MEMORY_ROOT, Project
from relax_lint.rules import load_rules
from relax_lint.selection import Layer

RULES = load_rules()
LAUNCH = (
    "python3 relax/entrypoints/train.py --colocate --custom-generate-function-path examples.demo.rollout.generate "
    "--custom-config-path examples/demo/demo.yaml\n"
)
GENERATE = """\
async def generate(args, sample, sampling_params):
    env = build_env(sample=sample, args=args)
    env.reset()
    {step}
    message = env.format_observation(observation)
    return sample
"""
HEAD = "from examples.demo.base_env import BaseInteractionEnv\n\n\nclass Env(BaseInteractionEnv):\n"
GOOD = f"""\
{HEAD}    def reset(self):
        return {{}}, {{}}

    def step(self, response_text):
        return {{"obs_str": "."}}, False, {{}}


def build_env(sample=None, args=None, **_):
    return Env()
"""


def recipe(**changes: str) -> dict[str, str]:
    files = {
        "base_env.py": "class BaseInteractionEnv:\n    def reset(self):\n        raise NotImplementedError\n\n"
        "    def step(self, response_text):\n        raise NotImplementedError\n\n"
        "    def format_observation(self, observation):\n"
        "        return {'role': observation.get('role', 'user'), 'content': observation.get('obs_str', '')}\n",
        "env_demo.py": GOOD,
        "rollout.py": GENERATE.format(step="observation, done, info = env.step('x')"),
        "demo.yaml": "max_turns: 3\nrollout_interaction_env_path: examples.demo.env_demo\n",
        "run_demo.sh": LAUNCH,
    }
    named = {name.replace("__", "."): text for name, text in changes.items()}
    return {f"examples/demo/{path}": text for path, text in {**files, **named}.items()}


def report(files: dict[str, str], *codes: str, only: str | None = None) -> Report:
    project = Project.from_files(files)
    settings = Settings(selection=(Layer(select=codes or ("RLX3",)),))
    return lint(project, RULES, settings, None if only is None else [MEMORY_ROOT / only])


def found(files: dict[str, str], *codes: str, only: str | None = None) -> list[tuple[str, str, int]]:
    done = report(files, *codes, only=only)
    assert not done.failures
    return [(item.code, item.path.name, item.line) for item in done.diagnostics]


def unjudged(files: dict[str, str], code: str) -> list[tuple[str, str]]:
    return [(item.path.name, item.because) for item in report(files, code).not_checked]


ENVIRONMENT = ("RLX301", "RLX302", "RLX303", "RLX304", "RLX305", "RLX307", "RLX308")


def test_a_recipe_as_the_guide_wants_it_has_no_findings() -> None:
    assert found(recipe(), *ENVIRONMENT) == []
    assert report(recipe(), *ENVIRONMENT).not_checked == []


def test_the_rollout_decides_whether_a_step_may_be_async() -> None:
    files = recipe(env_demo__py=GOOD.replace("    def step", "    async def step"))
    assert found(files, "RLX302") == [("RLX302", "env_demo.py", 8)]
    awaiting = GENERATE.format(step="observation, done, info = await env.step('x')")
    assert found({**files, "examples/demo/rollout.py": awaiting}, "RLX302") == []


def test_a_file_alone_is_judged_as_among_all_others() -> None:
    files = recipe(env_demo__py=GOOD.replace("    def step", "    async def step"))
    assert found(files, "RLX302", only="examples/demo/env_demo.py") == [("RLX302", "env_demo.py", 8)]
    assert found(files, "RLX302", only="examples/demo/rollout.py") == []
    launched_elsewhere = {**files, "examples/demo/run_demo.sh": LAUNCH.replace("demo.rollout", "deepeyes.rollout")}
    assert found(launched_elsewhere, "RLX302") == []
    assert found(launched_elsewhere, "RLX302", only="examples/demo/env_demo.py") == []


def test_what_a_rollout_of_ones_own_takes_in_another_way_is_its_own_affair() -> None:
    four = GOOD.replace('"."}, False', '"."}, 0.5, False')
    assert [code for code, *_ in found(recipe(env_demo__py=four), "RLX303")] == ["RLX303"]
    own = "async def generate(args, sample, params):\n    observation, reward, done, info = env.step('x')\n"
    assert found(recipe(env_demo__py=four, rollout__py=own), "RLX303") == []


def test_observations_are_read_by_the_recipes_own_base() -> None:
    text = GOOD.replace('{"obs_str": "."}', '{"obs_str": ".", "hint": "look", "role": "bystander"}')
    assert found(recipe(env_demo__py=text), "RLX303") == [("RLX303", "env_demo.py", 9)] * 2
    base = recipe()["examples/demo/base_env.py"]
    reading = base.replace("observation.get('role', 'user')", "'user', 'hint': observation.get('hint')")
    assert found(recipe(env_demo__py=text, base_env__py=reading), "RLX303") == []
    without = base.partition("    def format_observation")[0]
    assert found(recipe(env_demo__py=text, base_env__py=without), "RLX303") == []


def test_a_rollout_that_makes_messages_itself_reads_what_it_likes() -> None:
    text = GOOD.replace("obs_str", "text")
    own = "async def generate(args, sample, params):\n    observation, done, info = env.step('x')\n"
    own += "    use(observation['text'])\n"
    assert found(recipe(env_demo__py=text, rollout__py=own), "RLX303") == []


def test_keys_that_the_rollout_takes_itself_are_looked_at() -> None:
    text = GOOD.replace('{"obs_str": "."}', '{"obs_str": ".", "score": 1.0, "hint": "x"}')
    own = GENERATE.format(step="observation, done, info = env.step('x')\n    total = observation['score']")
    assert found(recipe(env_demo__py=text, rollout__py=own), "RLX303") == [("RLX303", "env_demo.py", 9)]
    both = own.replace("observation['score']", "observation['score'] + len(observation.get('hint'))")
    assert found(recipe(env_demo__py=text, rollout__py=both), "RLX303") == []


def test_environments_of_tests_are_left_alone() -> None:
    assert found(recipe(test_env__py=f"{HEAD.replace('Env(', 'FakeEnv(')}    x = 1\n"), *ENVIRONMENT) == []


AGENT = """\
from .env_demo import Env


async def play(client):
    env = Env()
    await env.reset(client)
    observation, reward, done = await env.step(await client.chat(), client)
"""


def test_agents_drive_environments_as_they_like() -> None:
    text = GOOD.partition("\n\ndef build_env")[0].replace("    def reset(self)", "    async def reset(self, client)")
    text = text.replace("    def step(self, response_text)", "    async def step(self, reply, client)")
    launch = "python3 relax/entrypoints/train.py --colocate --use-agentic-rollout --agent-command 'bash app.sh'\n"
    files = recipe(env_demo__py=text, agent__py=AGENT, run_demo__sh=launch)
    del files["examples/demo/rollout.py"], files["examples/demo/demo.yaml"]
    assert found(files, *ENVIRONMENT) == []
    assert {code for code, *_ in found({**files, "examples/demo/run_demo.sh": LAUNCH}, *ENVIRONMENT)} == {"RLX302"}


def test_a_rollout_function_of_its_own_drives_them_as_it_likes() -> None:
    text = GOOD.replace('"."}, False, {}', '"."}, 1.0, False, {}')
    launch = "python3 relax/entrypoints/train.py --colocate --rollout-function-path examples.demo.own.rollout\n"
    own = "def rollout(args, rollout_id, source):\n    env = build_env(None, args)\n    a, b, c, d = env.step('x')\n"
    files = recipe(env_demo__py=text, run_demo__sh=launch, own__py=own)
    assert found(files, "RLX303") == []
    assert [code for code, *_ in found({**files, "examples/demo/own.py": own.replace("a, ", "")}, "RLX303")] == [
        "RLX303"
    ]


def test_what_is_handed_out_of_a_base_is_said_where_it_is_written_and_once() -> None:
    text = f"""\
{HEAD}    def reset(self):
        return {{}}, {{}}

    def step(self, response_text):
        return "text", False, {{}}


class Counting(Env):
    def step(self, response_text):
        self.turn += 1
        return super().step(response_text)


class Showing(Env):
    def step(self, response_text):
        observation, done, info = super().step(response_text)
        return observation, done, info


KINDS = [Env, Counting, Showing]


def build_env(sample=None, args=None, **_):
    return KINDS[args.kind]()
"""
    assert found(recipe(env_demo__py=text), "RLX303") == [("RLX303", "env_demo.py", 9)]


def test_a_module_that_the_config_names_needs_no_environment_in_it() -> None:
    files = recipe(factories__py="from .env_demo import Env\n\n\ndef make(sample, args):\n    return Env()\n")
    files["examples/demo/demo.yaml"] = files["examples/demo/demo.yaml"].replace("env_demo", "factories")
    assert found(files, "RLX304") == [("RLX304", "factories.py", 1)]


def test_a_recipe_that_calls_build_env_itself_says_how() -> None:
    text = GOOD.replace("sample=None, args=None, **_", "args, tokenizer")
    own = "from .env_demo import build_env\n\n\nasync def generate(args, sample, params):\n"
    own += "    env = build_env(args, params)\n    observation, done, info = env.step('x')\n"
    assert [code for code, *_ in found(recipe(env_demo__py=text), "RLX304")] == ["RLX304"]
    assert found(recipe(env_demo__py=text, rollout__py=own), "RLX304") == []


def test_an_environment_in_another_recipe_is_that_recipes() -> None:
    files = recipe(env_demo__py="from examples.zoom.env_zoom import ZoomEnv, build_env\n")
    files["examples/zoom/env_zoom.py"] = f"{HEAD.replace('Env(', 'ZoomEnv(')}    x = 1\n"
    assert {path for _, path, _ in found(files, "RLX301")} == {"env_zoom.py"}


@pytest.mark.parametrize(
    ("code", "text", "because"),
    [
        ("RLX301", HEAD.replace("(Base", "(Mixin, Base") + "    x = 1\n", "Mixin"),
        ("RLX302", GOOD.replace("    def step", "    @site.logged\n    def step"), "step"),
        ("RLX303", GOOD.replace("    def step", "    @site.logged\n    def step"), "step"),
        ("RLX308", GOOD.replace("    def step", "    @site.logged\n    def step"), "step"),
        ("RLX304", GOOD.replace("def build_env", "@site.logged\ndef build_env"), "build_env"),
    ],
)
def test_what_cannot_be_told_is_said(code: str, text: str, because: str) -> None:
    files = recipe(env_demo__py=f"import site_tools as site\nfrom site_tools import Mixin\n{text}")
    assert found(files, code) == []
    assert unjudged(files, code) == [("env_demo.py", because)]


def test_a_launch_with_words_that_may_hold_the_flags_is_not_judged() -> None:
    files = recipe(run_demo__sh='python3 relax/entrypoints/train.py --colocate "$@"\n')
    assert found(files, "RLX307") == []
    assert unjudged(files, "RLX307") == [("run_demo.sh", '"$@"')]


def test_suppressions_hold() -> None:
    text = GOOD.replace("    def reset(self):", "    def reset(self, sample):  # noqa: RLX302")
    assert found(recipe(env_demo__py=text), "RLX302", "RLX002") == [("RLX302", "env_demo.py", 5)]
    assert report(recipe(env_demo__py=text), "RLX302").standing == []


def test_flake8_shows_what_is_wrong_with_an_environment(tmp_path: Path) -> None:
    files = recipe(
        env_demo__py=GOOD.replace("    def step", "    async def step").replace("reset(self)", "reset(self, x)")
    )
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    command = [sys.executable, "-m", "flake8", "--isolated", "--select=RLX302", "examples"]
    lines = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stdout.splitlines()
    assert [line.partition(": ")[2].partition(" ")[0] for line in lines] == ["RLX302", "RLX302"]
    assert {line.partition(":")[0].removeprefix("./") for line in lines} == {"examples/demo/env_demo.py"}


def test_what_is_missing_for_several_turns_is_said_with_what_comes_of_it() -> None:
    train = "python3 relax/entrypoints/train.py --colocate"
    without_config = f"{train} --custom-generate-function-path examples.demo.rollout.generate\n"
    messages = {one.subject: one.message for text in (without_config, f"{train}\n") for one in told(text)}
    assert messages == {
        "--custom-generate-function-path": "--custom-generate-function-path and --custom-config-path are missing: the "
        "recipe has an environment, Env, and no rollout that asks it: every sample stays a single turn",
        "--custom-config-path": "--custom-config-path is missing: the file that it names has max_turns, which the "
        "rollout of the environment Env reads from args",
    }


def told(launcher: str) -> list[Diagnostic]:
    tree = {**recipe(), "examples/demo/run_demo.sh": launcher}
    tree["examples/demo/rollout.py"] += "\n\ndef turns(args):\n    return args.max_turns\n"
    return report(tree, "RLX307").standing
