"""One tool: carried over, driven beside verl's own, and what differs."""

from __future__ import annotations

import importlib
import inspect
import json
import logging
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import yaml

from relax_lint.engine import lint
from relax_lint.migrate.carrying.sources import verl_sources
from relax_lint.migrate.environment.carry import Request, carry_tools
from relax_lint.project import Project
from relax_lint.rules import load_rules
from tools.environment_checking.cases import Case, responses
from tools.environment_checking.originals import Loop, make_tools, originals
from tools.environment_checking.servers import Servers

BETWEEN = "\n</tool_response>\n<tool_response>\n"
CALLS, LONGEST = 2, 256
_SHOWN = 300


@dataclass
class Outcome:
    """What came of one tool."""

    name: str
    responses: int = 0
    calls: int = 0
    images: int = 0
    findings: int = 0
    seconds: float = 0.0
    differences: list[str] = field(default_factory=list)

    @property
    def line(self) -> str:
        """All of it in one line."""
        verdict = f"{len(self.differences)} DIFFER" if self.differences else "equal"
        return (
            f"{self.name:15} {self.responses:5} responses {self.calls:5} calls {self.images:5} images "
            f"{self.findings} findings {self.seconds:6.1f} s  {verdict}"
        )

    @property
    def data(self) -> dict[str, Any]:
        """All of it for programs."""
        return asdict(self)


class NoVerl:
    """A finder that refuses verl: nothing of it is installed."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: object = None) -> None:
        """Nobody may import verl."""
        if name.partition(".")[0] == "verl":
            raise ImportError(f"{name} is not installed")


async def compare(case: Case, verl: Path, work: Path, servers: Servers, count: int, seed: int) -> Outcome:
    """The outcome of one tool."""
    outcome = Outcome(case.name)
    begun = time.monotonic()
    config = case.config(servers)
    module = _environment(case, config, verl, work, outcome)
    if module is None:
        return outcome
    ray = _ray(work) if case.ray else None
    try:
        with originals(verl):
            for entry in config["tools"]:
                importlib.import_module(entry["class_name"].rpartition(".")[0])
            if ray is not None:
                _by_value(ray)
            tools = await make_tools(config)
            await _drive(case, module, tools, responses(case, count, seed), outcome)
    except Exception as problem:
        outcome.differences.append(f"{type(problem).__name__}: {problem}")
    finally:
        if ray is not None:
            ray.shutdown()
    outcome.seconds = time.monotonic() - begun
    return outcome


def _environment(case: Case, config: dict[str, Any], verl: Path, work: Path, outcome: Outcome) -> ModuleType | None:
    """The migrated environment, imported where nothing of verl is."""
    work.mkdir()
    path = work / "tools.yaml"
    path.write_text(yaml.safe_dump(config, sort_keys=False))
    project = Project(work)
    package = f"examples_{case.name}.demo"
    carried = carry_tools(
        Request("demo", package, tools=path, calls=CALLS, longest=LONGEST), verl_sources(project, verl)
    )
    outcome.differences += [f"{each.path.name}:{each.line}: {each.message}" for each in carried.problems]
    for file in carried.files:
        target = work.joinpath(*package.split("."), file.name)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(file.text)
    outcome.findings = _findings({file.name: file.text.replace(package, "examples.demo") for file in carried.files})
    sys.path.insert(0, str(work))
    refusing = NoVerl()
    sys.meta_path.insert(0, refusing)
    try:
        return importlib.import_module(f"{package}.env_demo")
    except ImportError as problem:
        outcome.differences.append(f"the environment cannot be imported: {problem}")
        return None
    finally:
        sys.meta_path.remove(refusing)


def _findings(files: dict[str, str]) -> int:
    tree = {f"examples/demo/{name}": text for name, text in files.items()}
    tree["examples/demo/config.yaml"] = "max_turns: 3\nrollout_interaction_env_path: examples.demo.env_demo\n"
    tree["examples/demo/run_demo.sh"] = (
        "python3 relax/entrypoints/train.py --rm-type math --custom-config-path examples/demo/config.yaml "
        "--custom-generate-function-path examples.demo.rollout.generate\n"
    )
    judged = lint(Project.from_files(tree), load_rules())
    return sum(each.path.suffix == ".py" for each in judged.standing)


def _ray(work: Path) -> ModuleType:
    """A local Ray whose workers find the recipe, and nothing of verl."""
    import ray

    paths = [str(work), *(path for path in sys.path if path)]
    ray.init(
        num_cpus=8,
        include_dashboard=False,
        log_to_driver=False,
        logging_level=logging.ERROR,
        runtime_env={"env_vars": {"PYTHONPATH": ":".join(paths)}},
    )
    made: ModuleType = ray
    return made


def _by_value(ray: ModuleType) -> None:
    """Have verl's own modules sent to workers: there they cannot be imported."""
    for name, module in list(sys.modules.items()):
        if name.startswith("verl.") and getattr(module, "__file__", None):
            ray.cloudpickle.register_pickle_by_value(module)


async def _drive(case: Case, module: ModuleType, tools: dict[str, Any], said: Sequence[str], outcome: Outcome) -> None:
    kwargs = {case.tool: {"create_kwargs": case.create_kwargs()}}
    limits = {
        "max_parallel_calls": CALLS,
        "max_tool_response_length": LONGEST,
        "tool_response_truncate_side": "middle",
    }
    loop = Loop(tools, kwargs, limits)
    sample = SimpleNamespace(
        metadata={"tools_kwargs": kwargs}, prompt="?", multimodal_inputs=None, status=None, response_length=0
    )
    env = module.build_env(sample=sample, args=SimpleNamespace(max_turns=None))
    env.reset()
    for response in said:
        wanted = await loop.turn(response)
        result = env.step(response)
        observation, done, info = await result if inspect.isawaitable(result) else result
        outcome.responses += 1
        if wanted is None:
            if not done:
                outcome.differences.append(f"{_short(response)}: goes on without a call")
            continue
        outcome.calls += len(wanted)
        images = [image for _, shown, *_ in wanted for image in shown]
        outcome.images += len(images)
        pairs = {
            "text": (observation["obs_str"], BETWEEN.join(text or "" for text, *_ in wanted)),
            "images": (
                [_pixels(each) for each in (observation.get("multi_modal_data") or {}).get("image", [])],
                [_pixels(each) for each in images],
            ),
            "rewards": (info["tool_rewards"], [reward for _, _, reward, _ in wanted if reward is not None]),
            "metrics": (info["tool_metrics"], [metrics for *_, metrics in wanted]),
            "done": (done, False),
        }
        for what, (ours, theirs) in pairs.items():
            if ours != theirs:
                outcome.differences.append(f"{what} of {_short(response)}: {_short(ours)}, in verl {_short(theirs)}")
    env.close()
    if sample.metadata["tool_rewards"] != loop.rewards:
        outcome.differences.append("the rewards of the conversation differ")
    schemas = [tool.tool_schema.model_dump(exclude_unset=True, exclude_none=True) for tool in (await _made(module))]
    if json.dumps(schemas) != json.dumps(loop.schemas()):
        outcome.differences.append(f"schemas: {_short(schemas)}, in verl {_short(loop.schemas())}")


async def _made(module: ModuleType) -> list[Any]:
    import asyncio

    tools, _ = await asyncio.wrap_future(module.WORKSHOP.start(module.WORKSHOP.equipment()))
    return list(tools.values())


def _pixels(image: Any) -> tuple[object, bytes]:
    return image.size, image.tobytes()


def _short(value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
