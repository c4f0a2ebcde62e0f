"""Why no launch reaches some of the refusals, by their place in the sources that the tables of constraints were read
from."""

from __future__ import annotations

MEGATRON = "megatron/training/arguments.py"

REASONS: dict[str, tuple[str, ...]] = {
    "argparse always gives a list": ("relax/utils/arguments.py:2431",),
    "the only choice of the flag holds": ("relax/utils/arguments.py:2993", f"{MEGATRON}:1315"),
    "it holds for the Megatron that is used": ("relax/backends/megatron/arguments.py:30",),
    "the check of dynamic batches refuses before it": ("relax/backends/megatron/arguments.py:38",),
    "it holds right behind the call before it": (f"{MEGATRON}:120",),
    "only without torch_memory_saver, which SGLang brings": (f"{MEGATRON}:401", f"{MEGATRON}:429"),
    "the check of the same two flags at 408 refuses before it": (f"{MEGATRON}:418",),
    "Relax always sets the batch per step": (f"{MEGATRON}:626",),
    "Relax always sets the distributed optimizer": (*(f"{MEGATRON}:{line}" for line in (966, 1018, 1056)),),
    "984 refuses before it, since Relax always sets the distributed optimizer": (
        *(f"{MEGATRON}:{line}" for line in (987, 990, 994, 997, 998, 1628)),
    ),
    "1551 or 984 refuses before it: that format needs an FSDP that Relax rules out": (
        *(f"{MEGATRON}:{line}" for line in (1552, 1555)),
    ),
    "it holds for the versions in Relax's image": (
        *(f"{MEGATRON}:{line}" for line in (977, 1075, 1084, 1347, 1472, 1482, 1785, 1794, 1808)),
    ),
    "Relax trains either in bf16 or in fp16, never in both or neither": (
        *(f"{MEGATRON}:{line}" for line in (1138, 1149, 1299)),
    ),
    "1210 refuses before it": (f"{MEGATRON}:1225",),
    "Relax always sets the sequence length, and the positions to the same": (f"{MEGATRON}:1275", f"{MEGATRON}:1279"),
    "Relax pretends a GPU of capability 9.0 where it sees none": (f"{MEGATRON}:1305",),
    "asking for the attribute crashes: it is deleted by then": (f"{MEGATRON}:1375",),
    "326 refuses before it": (f"{MEGATRON}:1547",),
    "the flags have defaults, and cannot be unset": (f"{MEGATRON}:1584",),
    "1102 refuses before it": (f"{MEGATRON}:1629",),
    "the checks of each other format refuse before it": (f"{MEGATRON}:1632",),
    "319 refuses before it without nvidia_resiliency_ext, which is not in Relax's image": (f"{MEGATRON}:1766",),
    "815 and 818 refuse before them": (f"{MEGATRON}:1823", f"{MEGATRON}:1828"),
}


def why_unreachable(place: str) -> str | None:
    """Why no launch reaches a refusal."""
    return next((reason for reason, places in REASONS.items() if place in places), None)
