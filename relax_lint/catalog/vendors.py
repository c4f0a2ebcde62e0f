"""Choices that builds of SGLang for other accelerators add to the ones that SGLang itself has."""

from __future__ import annotations

VENDOR_CHOICES: dict[str, frozenset[str]] = {
    flag: frozenset({"kunlun"})
    for prefix in ("--sglang", "--teacher-sglang")
    for flag in (
        f"{prefix}-attention-backend",
        f"{prefix}-prefill-attention-backend",
        f"{prefix}-decode-attention-backend",
        f"{prefix}-mm-attention-backend",
    )
}
"""By flag. SGLang lets a platform register its own backends."""
