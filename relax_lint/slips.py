"""Whether a name is another one, mistyped."""

from __future__ import annotations


def is_slip(name: str, meant: str) -> bool:
    """Whether one letter is missing, too many or another one, or two that are neighbours are swapped."""
    start = 0
    while start < min(len(name), len(meant)) and name[start] == meant[start]:
        start += 1
    end = 0
    while end < min(len(name), len(meant)) - start and name[-1 - end] == meant[-1 - end]:
        end += 1
    ours, theirs = name[start : len(name) - end], meant[start : len(meant) - end]
    if len(ours) == len(theirs) == 2:
        return ours == theirs[::-1]
    return max(len(ours), len(theirs)) == 1
