"""What leaves the GPU when it is not needed: Relax does so by itself, and the optimizer lies in the host's memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.migrate.plan import Fate, Passed, Step
from relax_lint.migrate.readings import REF, A, below, carried

if TYPE_CHECKING:
    from relax_lint.migrate.choices import Choices
    from relax_lint.migrate.settings import Settings

_ALWAYS = ("--optimizer-cpu-offload", "--overlap-cpu-optimizer-d2h-h2d", "--use-precision-aware-optimizer")
"""As the guide has them, whatever verl does; the second and third want the first."""
_NAMES = ("param_offload", "optimizer_offload", "grad_offload", "offload_policy")
_MOVED = (
    "Relax has no switch for it alone: in sync mode the trainer leaves the GPUs while it generates, whatever verl does "
    "(--offload-train comes with --colocate), in async mode it has GPUs of its own"
)
_OVERRIDES, _FRACTION = f"{A}.optim.override_optimizer_config", "optimizer_offload_fraction"
_SAID = {flag[2:].replace("-", "_"): flag for flag in _ALWAYS}


def steps(settings: Settings, choices: Choices) -> Iterator[Step]:
    """The flags and fates of offloading."""
    for flag in _ALWAYS:
        yield Passed(flag, (), "optimizer")
    for key in below(settings, A, REF):
        name = key.rpartition(".")[2]
        if key.startswith(f"{A}.optim."):
            yield from _of_optimizer(key, name, settings)
        elif name == "optimizer_offload" and key.startswith(A):
            yield Fate(key, "derived", _ALWAYS[:1], "the guide keeps the optimizer in the host's memory")
        elif name in _NAMES:
            yield Fate(key, "dropped", (), _MOVED)


def _of_optimizer(key: str, name: str, settings: Settings) -> Iterator[Step]:
    if name in _SAID:
        yield Fate(key, "derived", (_SAID[name],), "the guide wants it always")
    elif name == _FRACTION:
        yield Passed("--optimizer-offload-fraction", (carried(settings, key),), "optimizer", (key,))
        yield Fate(key, "mapped", ("--optimizer-offload-fraction",))
    elif key == _OVERRIDES:
        yield Fate(key, "same", (), "nothing is overridden")
