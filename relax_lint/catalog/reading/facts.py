"""What the sources do not tell, each with its reason. Everything else is read."""

from __future__ import annotations

from typing import Any

from relax_lint.catalog.reading.dataclass_fields import DOCS


def _field_texts(_: object, kind: Any) -> dict[str, str]:
    found: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        found.update(vars(base).get(DOCS, {}))
    return found


FACTS: dict[str, Any] = {
    # Asks the machine for its accelerator; the image that launchers run in is CUDA's.
    "relax.utils.device.get_dist_backend": "nccl",
    # Opens the class's source file; the texts under its fields are kept when the class is made.
    "megatron.training.argument_utils._get_field_docstrings": _field_texts,
    # Compiled from Rust: the parsers of sglang-router 0.3.2.
    "sglang_router.sglang_router_rs.get_available_tool_call_parsers": [
        "deepseek", "glm45_moe", "glm47_moe", "json", "kimik2", "llama", "minimax_m2", "mistral", "passthrough",
        "pythonic", "qwen", "qwen_coder", "step3",
    ],
}  # fmt: skip
"""Results of functions, by dotted name; a function here is called with the call's arguments."""

ABSENT = frozenset({"kitchen", "multistorageclient", "nvidia_kitchen", "nvidia_resiliency_ext"})
"""Packages that Relax's image has not got: it copies Megatron without its optional dependencies."""
