"""Rewards as they are written, put into a directory with a Relax that has nothing but samples, and really run there."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from relax_lint.migrate.carrying.sources import VerlSources, verl_sources
from relax_lint.migrate.reward.carry import carry_reward
from relax_lint.migrate.reward.request import CarriedReward, Request
from relax_lint.project import Project
from tests.migrate.reward.originals import stand_in

SAMPLE = '''\
"""Samples, as Relax has them."""

from dataclasses import dataclass, field
from enum import Enum
from typing import Any


@dataclass
class Sample:
    group_index: int | None = None
    index: int | None = None
    prompt: str | list[dict[str, str]] = ""
    tokens: list[int] = field(default_factory=list)
    multimodal_inputs: dict[str, Any] | None = None
    response: str = ""
    response_length: int = 0
    label: str | None = None
    reward: float | dict[str, Any] | None = None
    loss_mask: list[int] | None = None
    remove_sample: bool = False

    class Status(Enum):
        PENDING = "pending"
        COMPLETED = "completed"
        TRUNCATED = "truncated"
        ABORTED = "aborted"

    status: Status = Status.PENDING
    metadata: dict = field(default_factory=dict)

    def get_reward_value(self, args) -> float:
        return self.reward if not args.reward_key else self.reward[args.reward_key]
'''


def write_relax(root: Path) -> Path:
    """A Relax to import samples from."""
    for package in ("relax", "relax/utils", "examples"):
        (root / package).mkdir(parents=True, exist_ok=True)
        (root / package / "__init__.py").write_text("")
    (root / "relax/utils/types.py").write_text(SAMPLE)
    return root


class Workshop:
    """A directory that rewards are written to and imported from."""

    def __init__(self, root: Path, verl: Path) -> None:
        self.root = write_relax(root / "relax_checkout")
        self.user = root / "user"
        self.user.mkdir()
        self.verl = verl
        sys.path.insert(0, str(self.root))

    def close(self) -> None:
        """Let go of all that was imported from here."""
        sys.path.remove(str(self.root))
        for name in [each for each in sys.modules if each.partition(".")[0] in ("relax", "examples")]:
            del sys.modules[name]

    def sources(self) -> VerlSources:
        """verl's code and the user's."""
        return verl_sources(Project(self.user), self.verl)

    def write(self, name: str, text: str) -> Path:
        """A file of the user's."""
        path = self.user / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def carry(self, name: str, **request: Any) -> CarriedReward:
        """A reward, and its files written."""
        carried = carry_reward(Request(name, f"examples.{name}", **request), self.sources())
        directory = self.root / "examples" / name
        directory.mkdir()
        (directory / "__init__.py").write_text("")
        for file in carried.files:
            (directory / file.name).parent.mkdir(parents=True, exist_ok=True)
            (directory / file.name).write_bytes(file.text.encode("utf-8", "surrogateescape"))
        return carried

    def module(self, name: str) -> Any:
        """The reward's module, imported."""
        importlib.invalidate_caches()
        return importlib.import_module(f"examples.{name}.reward_{name}")

    def reward(self, name: str) -> Callable[..., Any]:
        """The entry point of a reward."""
        found: Callable[..., Any] = self.module(name).reward_func
        return found

    def sample(self, response: str, label: object = None, **metadata: object) -> Any:
        """A sample as the conversion of data makes it."""
        import json

        kind = importlib.import_module("relax.utils.types").Sample
        if not isinstance(label, str):
            label, metadata = json.dumps(label, ensure_ascii=False), {**metadata, "relax_label_encoding": "json"}
        return kind(response=response, label=label, metadata=metadata)


def original(workshop: Workshop, monkeypatch: pytest.MonkeyPatch, **given: Any) -> Any:
    """What the user's own ``compute_score`` in ``main.py`` gives, imported as verl imports it."""
    before = dict(sys.modules)
    if "from verl import" in (workshop.user / "main.py").read_text():
        verl = ModuleType("verl")
        verl.__dict__["DataProto"] = object
        monkeypatch.setitem(sys.modules, "verl", verl)
    else:
        stand_in()
    monkeypatch.syspath_prepend(str(workshop.user))
    spec = importlib.util.spec_from_file_location("users_own", workshop.user / "main.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["users_own"] = module
    spec.loader.exec_module(module)
    found = module.compute_score(data_source="d", solution_str="r", ground_truth="l", extra_info={}, **given)
    for name in set(sys.modules) - set(before):
        del sys.modules[name]
    return found


def run(
    reward: Callable[..., Any], samples: Iterable[Any], args: Namespace | None = None, at_once: int = 8
) -> Sequence[Any]:
    """What a reward gives to samples in a running event loop, or the names of what it raises."""
    return asyncio.run(_run(reward, list(samples), args or Namespace(reward_num_workers=2), at_once))


async def _run(reward: Callable[..., Any], samples: list[Any], args: Namespace, at_once: int) -> list[Any]:
    free = asyncio.Semaphore(at_once)

    async def one(sample: Any) -> Any:
        async with free:
            try:
                return await reward(args, sample)
            except ImportError:
                raise
            except Exception as problem:
                return type(problem).__name__

    return await asyncio.gather(*map(one, samples))
