"""The order in which bash goes through an associative array: that of its hash table."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from relax_lint.shell.escapes import to_bytes

_BUCKETS = 1024


def in_bash_order(keys: Iterable[str]) -> list[str]:
    """Keys, given in the order in which they were added. Of two in one bucket the newer comes first."""
    return sorted(reversed(list(keys)), key=_bucket)


@lru_cache(maxsize=1024)
def _bucket(key: str) -> int:
    """The FNV-1 hash of a key as bash computes it, its bytes taken as signed."""
    number = 2166136261
    for byte in to_bytes(key):
        number = (number * 16777619) & 0xFFFFFFFF ^ (byte if byte < 128 else byte + 0xFFFFFF00)
    return number % _BUCKETS
