"""What leaves the GPU when it is not needed: Relax does so by itself, and the optimizer lies in the host's memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.migrate.plan import Fate, Passed, Step
from relax_lint.migrate.readings import REF, A, below, shown

if TYPE_CHECKING:
    from relax_lint.migrate.choices import Choices
    from relax_lint.migrate.settings import Settings

_ALWAYS = ("--optimizer-cpu-offload", "--overlap-cpu-optimizer-d2h-h2d", "--use-precision-aware-optimizer")
"""As the guide has them, whatever verl does; the second and third want the first."""
_NAMES = ("param_offload", "optimizer_offload", "grad_offload", "offload_policy")
_OVERRIDES = f"{A}.optim.override_optimizer_config"
_SAID = {flag[2:].replace("-", "_"): flag for flag in _ALWAYS}
_FRACTION = "optimizer_offload_fraction"


def steps(settings: Settings, choices: Choices) -> Iterator[Step]:
    """The flags and fates of offloading."""
    for flag in _ALWAYS:
        yield Passed(flag, (), "optimizer")
    for key in below(settings, A, REF):
        name = key.rpartition(".")[2]
        if name in _NAMES and ".optim." not in key:
            flags = (_ALWAYS[0],) if name == "optimizer_offload" else ()
            reason = "the guide keeps the optimizer in the host's memory" if flags else "Relax does so by itself"
            yield Fate(key, "derived" if flags else "dropped", flags, reason)
    for key in below(settings, _OVERRIDES):
        yield from _override(settings, key)


def _override(settings: Settings, key: str) -> Iterator[Step]:
    name = key.removeprefix(_OVERRIDES).lstrip(".")
    value = settings.value(key)
    if not name:
        yield Fate(key, "same", (), "nothing")
    elif name in _SAID:
        yield Fate(key, "derived", (_SAID[name],), "the guide wants it always")
    elif name == _FRACTION:
        yield Passed("--optimizer-offload-fraction", (shown(value),), "optimizer", (key,))
        yield Fate(key, "mapped", ("--optimizer-offload-fraction",))
    else:
        flag = f"--{name.replace('_', '-')}"
        yield Fate(key, "by hand", (), f"an option of Megatron's optimizer; see whether {flag} is what you need")
