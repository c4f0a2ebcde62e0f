"""What an evaluation may cost. Beyond, it stops, says so, and what was found still counts."""

from __future__ import annotations

MAXIMUM_WAYS = 48
"""Ways that are followed side by side."""
MAXIMUM_STEPS = 60_000
"""Commands evaluated; a long list of words counts as several."""
WORDS_A_STEP = 40
MAXIMUM_LAUNCHES = 200
"""Trainings that one script starts, a loop's rounds counted apart."""
MAXIMUM_TEXT = 1_000_000
"""Characters of one value."""
MAXIMUM_PARTS = 4_096
"""Pieces that one value is made of."""
MAXIMUM_WORDS = 20_000
"""Words that one word expands to, and elements of an array."""
MAXIMUM_REPLACED = 20_000_000
"""Characters of a text times those of what replaces its parts."""
MAXIMUM_MATCHED = 200_000_000
"""Steps of matching a pattern: places of the text that it is tried at, times the text behind each, times its parts."""
MAXIMUM_LOOKED_AT = 10_000_000
"""Characters of a word times the braces in it that may expand."""
MAXIMUM_BACKTRACKING = 2_000
"""Characters of a text that a regular expression is tried on."""
MAXIMUM_EXPLOSIVE = 20
"""The same for an expression whose ways to match double with every character."""


class TooComplex(Exception):
    """A bound is reached."""
