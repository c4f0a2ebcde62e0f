"""What is to be done by hand for all launches of a recipe, as a list to work with: the same of several launches or
settings once, and what changes scores, actions or samples before what only changes where files lie."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from relax_lint.records import changed, record

_OF_SETTINGS = re.compile(r"(?P<head>(?P<key>[\w.]+).*?): (?P<rest>.+)", re.DOTALL)
_MOST_VALUES = 120
"""How long the values of one setting may be together to be named each."""
_PARTS = re.compile(r"(\s+)")
_VARIED = 1 / 4
"""Which part of the words of a sentence may differ between launches."""
_INFORMS = (": left out of ", " takes the raw data set, too")
"""Nothing is to be done where this is said."""
_RANKS: tuple[tuple[int, tuple[str, ...]], ...] = (
    (1, ("reward", "reward_model", "reward_manager", "custom_reward_function", "reward_models")),
    (2, ("actor_rollout_ref.rollout.multi_turn", "actor_rollout_ref.rollout.agent", "actor_rollout_ref.agent")),
    (3, ("data",)),
    (5, tuple(f"trainer.{name}" for name in (
        "default_local_dir", "default_hdfs_dir", "log_val_generations", "logger", "max_actor_ckpt_to_keep",
        "max_critic_ckpt_to_keep", "remove_previous_ckpt_in_save", "del_local_ckpt_after_load", "rollout_data_dir",
        "validation_data_dir", "project_name", "experiment_name",
    ))),
    (4, ("actor_rollout_ref", "algorithm", "trainer", "critic", "ray_kwargs", "global_profiler")),
)  # fmt: skip
"""The order of what is said of settings, by what they lie below; what lies below none of it is the user's own code."""
_OF_OWN_CODE, _LAST = 2, 6
_SAMPLES = ("actor_rollout_ref.rollout.n",)


@record
class Line:
    """One thing to do: the settings that it is about, and the numbers of the launches, from one."""

    text: str
    because: tuple[str, ...]
    launches: tuple[int, ...]


def todo_lines(launches: Sequence[Mapping[str, Any]]) -> list[Line]:
    """The list, from what is told of launches."""
    found: dict[str, Line] = {}
    for number, launch in enumerate(launches, 1):
        for todo in launch["todos"]:
            _add(found, todo["text"], Line(todo["text"], tuple(todo["because"]), (number,)))
    lines = _of_one_kind(_of_settings(found.values()))
    return sorted(lines, key=_rank)


def numbers(launches: Sequence[int]) -> str:
    """Numbers, those that follow one another as a range."""
    runs: list[list[int]] = []
    for number in sorted(launches):
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def _add(found: dict[Any, Line], key: object, line: Line) -> None:
    known = found.get(key)
    found[key] = line if known is None else _united(known.text, (known, line))


def _united(text: str, lines: Iterable[Line]) -> Line:
    lines = tuple(lines)
    because = dict.fromkeys(key for line in lines for key in line.because)
    return Line(text, tuple(because), tuple(sorted({number for line in lines for number in line.launches})))


def _rank(line: Line) -> int:
    if any(said in line.text for said in _INFORMS):
        return _LAST
    if not line.because or line.because == _SAMPLES:
        return 0
    return min(map(_rank_of, line.because))


def _rank_of(key: str) -> int:
    below = (rank for rank, names in _RANKS for name in names if key == name or key.startswith(f"{name}."))
    return next(below, _OF_OWN_CODE)


# ---------------------------------------------------------------- the same of several settings, or values


def _of_settings(lines: Iterable[Line]) -> Iterator[Line]:
    """Those that say the same of settings, or of several values of one, put together."""
    together: dict[str, list[tuple[str, Line]]] = {}
    for line in lines:
        found = _OF_SETTINGS.fullmatch(line.text)
        if found is None or found["key"] not in {*line.because, *_parts_of(line.because)}:
            together[line.text] = [("", line)]
        else:
            together.setdefault(found["rest"], []).append((found["head"], line))
    for rest, members in together.items():
        united = _united(rest, (line for _, line in members))
        head = _head([head for head, _ in members], [line for _, line in members], united)
        yield changed(united, text=f"{head}: {rest}" if head else rest)


def _parts_of(keys: Iterable[str]) -> Iterator[str]:
    """What keys lie in, as it stands before a brace."""
    return (f"{key.rpartition('.')[0]}." for key in keys)


def _head(heads: Sequence[str], lines: Sequence[Line], united: Line) -> str:
    distinct = list(dict.fromkeys(heads))
    if len(distinct) == 1:
        return distinct[0]
    whole = next((head for head, line in zip(heads, lines, strict=True) if set(line.because) == {*united.because}), "")
    if len({line.because for line in lines}) > 1:
        return whole or ", ".join(distinct)
    start = _cut(_shared(distinct), distinct)
    values = [head[len(start) :] for head in distinct]
    if len(", ".join(values)) <= _MOST_VALUES:
        return f"{start}{{{', '.join(values)}}}"
    return f"{distinct[0]} and {len(distinct) - 1} more"


# ---------------------------------------------------------------- the same but for numbers and names


def _of_one_kind(lines: Iterable[Line]) -> Iterator[Line]:
    """Sentences that differ in a few words, which are set in braces in the one that stands for all."""
    groups: list[list[Line]] = []
    for line in lines:
        group = next((each for each in groups if _is_alike(each[0], line)), None)
        if group is None:
            groups.append([line])
        else:
            group.append(line)
    for group in groups:
        yield group[0] if len(group) == 1 else _united(_varied([line.text for line in group]), group)


def _is_alike(one: Line, other: Line) -> bool:
    first, second = _PARTS.split(one.text), _PARTS.split(other.text)
    if one.because != other.because or len(first) != len(second) or not one.because:
        return False
    differing = [pair for pair in zip(first, second, strict=True) if pair[0] != pair[1]]
    return len(differing) <= max(1, len(first) // 2 * _VARIED) and all(map(_is_variable, differing))


def _is_variable(words: tuple[str, str]) -> bool:
    """Whether two words are numbers or names in one place of a sentence, and not words of it."""
    return all(re.search(r"[\d/=_]", word) is not None for word in words)


def _varied(texts: Sequence[str]) -> str:
    return "".join(map(_choice, zip(*map(_PARTS.split, texts), strict=True)))


def _choice(words: Sequence[str]) -> str:
    """The words in one place of several sentences, in the order of these."""
    if len(set(words)) == 1:
        return words[0]
    start = _cut(_shared(words), words)
    rests = [word[len(start) :] for word in words]
    turned = [rest[::-1] for rest in rests]
    end = _cut(_shared(turned), turned)[::-1]
    return f"{start}{{{','.join(rest[: len(rest) - len(end)] for rest in rests)}}}{end}"


def _shared(words: Sequence[str]) -> str:
    """What all words begin with."""
    length = next((at for at, each in enumerate(zip(*words, strict=False)) if len(set(each)) > 1), min(map(len, words)))
    return words[0][:length]


def _cut(shared: str, words: Sequence[str]) -> str:
    """As much of what words begin with as does not end amidst a name or a number."""
    length = len(shared)
    while length and any(word[length - 1].isalnum() and word[length : length + 1].isalnum() for word in words):
        length -= 1
    return shared[:length]
