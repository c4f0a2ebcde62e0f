"""How many words behind a flag are its values, as far as reading a launch needs it: by the flags known to this program.

A launch is read before it is known which Relax it is for; of flags that only another one has, their names tell.
"""

from __future__ import annotations

from relax_lint.patterns import pattern

_NAMED_LIKE_SWITCHES = pattern(r"--(?:(?:teacher-)?sglang-(?:disable|enable|profile)|use|no|disable|enable|overlap)-")


def is_switch(word: str) -> bool:
    """Whether a flag takes no value."""
    from relax_lint.catalog.flags import embedded

    flag = embedded().flag(word)
    return _NAMED_LIKE_SWITCHES.match(word) is not None if flag is None else flag.is_switch


def takes_several(word: str) -> bool:
    """Whether a flag takes every word up to the next flag, or a few."""
    from relax_lint.catalog.flags import embedded

    flag = embedded().flag(word)
    return flag is not None and flag.nargs not in (None, "?", 1)
