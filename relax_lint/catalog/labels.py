"""What Relax's own rewards (July 2026) make of labels that are no text, by their ``--rm-type``."""

from __future__ import annotations

OBJECT_FAILS: dict[str, str] = {
    "deepscaler": "fails (AssertionError)",
    "openr1mm": "scores 0 always",
    "multiple_choice": "fails (TypeError)",
    "dapo": "never finds an answer right",
    "math": "scores 0 always",
    "f1": "fails (AttributeError)",
}
"""What comes of a label that is an object or a list, where a text is needed."""

NUMBER_FAILS: dict[str, str] = {
    "openr1mm": "scores 0 always",
    "multiple_choice": "fails (TypeError)",
    "f1": "fails (AttributeError)",
}
"""What comes of a label that is a number."""

OBJECTS_WITH: dict[str, tuple[str, ...]] = {"geo3k": ("ground_truth", "answer"), "mopd": ("ground_truth", "answer")}
"""Rewards that take an object too, and under which keys they look for the answer."""

UNUSED = frozenset({"random", "dummy", "ifbench"})
"""Rewards that never look at the label."""
