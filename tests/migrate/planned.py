"""Plans of launches that are written down as their overrides."""

from __future__ import annotations

from functools import cache

from relax_lint.migrate.choices import Choices, ModelShape
from relax_lint.migrate.effective import effective_settings
from relax_lint.migrate.plan import Fate, Plan
from relax_lint.migrate.planning import plan
from relax_lint.migrate.settings import Setting, Settings
from relax_lint.migrate.values import Data, Template
from relax_lint.project import Project
from relax_lint.records import changed

A, R, M = (f"actor_rollout_ref.{part}" for part in ("actor", "rollout", "model"))
GRPO = (
    "algorithm.adv_estimator=grpo",
    "actor_rollout_ref.rollout.name=sglang",
    "actor_rollout_ref.rollout.n=8",
    "actor_rollout_ref.model.path=Qwen/Qwen3-8B",
    "data.train_batch_size=64",
    "actor_rollout_ref.actor.ppo_mini_batch_size=64",
)
"""What every one of these launches says, unless it says otherwise later."""
QWEN3_8B = ModelShape(32, 8, 36, parameters=8.2)
QWEN3_30B = ModelShape(32, 4, 48, 128, 30.5, 29.0)
FOLLOWING = {
    "data.max_prompt_length": (f"{R}.prompt_length",),
    "data.max_response_length": (f"{R}.response_length",),
    f"{R}.multi_turn.tool_config_path": ("data.tool_config_path",),
}
"""Settings of verl's that are made of others."""
MEGATRON = ("--config-name=ppo_megatron_trainer",)


@cache
def composed(main: str = "verl.trainer.main_ppo", config: str = "", before: str = "", more: str = "") -> Settings:
    """The settings of a launch as Hydra puts them together."""
    words = " ".join((*GRPO, config, more))
    project = Project.from_files({"run.sh": f"{before}\npython3 -m {main} {words}\n"})
    launcher = project.launcher(project.root / "run.sh")
    assert launcher is not None
    return effective_settings(launcher.launches[0], project)


def settings_of(*overrides: str, main: str = "verl.trainer.main_ppo", version: str = "") -> Settings:
    """The settings of a launch with some overrides, put over those that were composed once: that takes its time."""
    config = next((word for word in overrides if word.startswith("--")), "")
    settings = composed(main, config)
    place = settings.leaves["algorithm.adv_estimator"].place
    leaves = dict(settings.leaves)
    for word in overrides:
        key, equals, text = word.partition("=")
        if word == config or not equals:
            continue
        for each in (key, *FOLLOWING.get(key, ())):
            leaves[each] = Setting(each, _value(text), "command line", place, word)
    return changed(settings, leaves=leaves, version=version or settings.version)


def _value(text: str) -> Data:
    import yaml

    value: Data = yaml.safe_load(text)
    try:
        return float(value) if isinstance(value, str) and value[:1].isdigit() else value
    except ValueError:
        return value


def planned(*overrides: str, choices: Choices | None = None, **more: str) -> Plan:
    """The plan of a launch."""
    return plan(settings_of(*overrides, **more), choices or Choices("demo", model="qwen3-8B", shape=QWEN3_8B))


def flags(made: Plan, mode: str = "sync") -> dict[str, str]:
    """What is passed in a mode, by flag; a switch has no text."""
    return {
        passed.flag: " ".join(value.quoted if isinstance(value, Template) else value for value in passed.values)
        for passed in made.passed
        if passed.modes in ("both", mode)
    }


def fate(made: Plan, key: str) -> Fate:
    """What becomes of one setting."""
    (found,) = [each for each in made.fates if each.key == key]
    return found


def todos(made: Plan) -> str:
    """What the user must do, as one text."""
    return "\n".join(todo.text for todo in made.todos)
