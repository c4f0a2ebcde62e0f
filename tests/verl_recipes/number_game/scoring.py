"""How a game is scored."""

import re

from number_game.reading import last_number


def score_game(data_source, solution_str, ground_truth, extra_info=None):
    """One for the number, a tenth for any."""
    found = last_number(solution_str)
    if found is None:
        return 0.0
    return 1.0 if found == int(ground_truth) else 0.1


def plot(path):
    """For a notebook."""
    return re.sub("x", "y", path)
