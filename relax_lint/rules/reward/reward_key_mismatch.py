"""The reward has no such key: `--reward-key` names one that is not there.

## What

`--reward-key K` or `--eval-reward-key K` where some way through the reward function returns a dict without `K`, or
where every way returns a number; and the same for the built-in rewards of `--rm-type`. Dicts that code elsewhere may
add keys to, and results that are not known, are left alone. Functions that return numbers on some ways and dicts on
others are `reward-return`'s.

## Why

Relax takes `sample.reward[K]` of every sample. A missing key is a KeyError, a number a TypeError, in the middle of a
training.

## Source

Guide: return a dict with a `"score"` key and pass `--reward-key score`; a plain float needs no `--reward-key`.

## Example

    --reward-key reward          # and reward_func returns {"score": …, "acc": …}

## Fix

Writes the key that there is when it is plain which: `score`, the only number, or the one that is spelt nearly so.
Takes the flag away where the reward is a number. Not where the flag goes to another launch, too, for which this would
be wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from relax_lint.catalog.rewards import BOXED, BUILT_IN_DICTS, BUILT_IN_SCALARS
from relax_lint.diagnostics import Edit, Finding, Fix, NotChecked, Place, Related
from relax_lint.fixers.launcher_edits import remove, replace_value
from relax_lint.launch_config import overridden_by_config
from relax_lint.project import Project
from relax_lint.rewards import (
    EVAL_KEY,
    FLAG,
    KEY,
    TYPE,
    RewardUse,
    exit_place,
    hidden_rewards,
    reward_uses,
    takes_rewards,
)
from relax_lint.rules import ERROR, Example, rule
from relax_lint.shell.launch import Argument, Launch
from relax_lint.shell.queries import is_own, is_written_at, launches_fed_from, place_of, start_of, why_unknown
from relax_lint.shell.quoting import as_word

if TYPE_CHECKING:
    from relax_lint.flow.shapes import Dictionary

_RUN = "examples/demo/run_demo.sh"
_REWARD = "examples/demo/reward_demo.py"
_NAMED = "--custom-rm-path examples.demo.reward_demo.reward_func"
_TRAIN = "python3 relax/entrypoints/train.py"


def _tree(key: str, body: str) -> dict[str, str]:
    reward = f"async def reward_func(args, sample, **kwargs):\n{body}"
    return {_RUN: f"{_TRAIN} {_NAMED} --reward-key {key}\n", _REWARD: reward}


def _launcher(flags: str) -> dict[str, str]:
    return {_RUN: f"{_TRAIN} {_NAMED}{flags}\n"}


VALID: list[str | Example] = [
    Example(_tree("score", "    return {'score': 1.0, 'acc': True}\n")),
    Example(_tree("acc", "    return {'score': 1.0, 'acc': True}\n")),
    Example(_tree("score", "    return await judge(sample)\n")),
    Example(
        {
            **_tree("reward --custom-config-path examples/demo/demo.yaml", "    return {'score': 1.0}\n"),
            "examples/demo/demo.yaml": "reward_key: score\n",
        }
    ),
    Example(
        _tree(
            "score",
            """\
    result = {'acc': 1.0}
    add_score(result, sample)
    return result
""",
        )
    ),
    Example(_tree("score", "    return {**base(sample), 'acc': 1.0}\n")),
    Example(_tree("score", "    return {name: 1.0 for name in args.metrics}\n")),
    Example(
        _tree(
            "score",
            """\
    result = {}
    for name in ('score', 'acc'):
        result[name] = 1.0
    return result
""",
        )
    ),
    Example(
        _tree(
            "score",
            """\
    result = {'acc': 1.0}
    result.setdefault('score', 0.0)
    return result
""",
        )
    ),
    Example(
        _tree(
            "score",
            """\
    result = {'acc': 1.0}
    if 'score' not in result:
        result['score'] = 0.0
    return result
""",
        )
    ),
    Example(_tree('"${KEY}"', "    return {'acc': 1.0}\n")),
    Example(
        _tree(
            "score",
            """\
    if sample.label:
        raise ValueError(sample.label)
    return {'score': 0.0}
""",
        )
    ),
    f"{_TRAIN} --rm-type dapo --reward-key acc\n",
    f"{_TRAIN} --rm-type dummy --reward-key score\n",
    f"{_TRAIN} --rm-type remote_rm --reward-key score\n",
    f"{_TRAIN} --rm-type math\n",
]

INVALID = [
    Example(
        _tree("reward", "    return {'score': 1.0, 'acc': True}\n"),
        findings=((_RUN, 1, 104),),
        fixed=_launcher(" --reward-key score"),
    ),
    Example(
        _tree("score", "    return {'accuracy': 1.0, 'why': 'exact'}\n"),
        findings=((_RUN, 1, 104),),
        fixed=_launcher(" --reward-key accuracy"),
    ),
    Example(_tree("score", "    return {'acc': 1.0, 'format': 0.5}\n"), findings=((_RUN, 1, 104),)),
    Example(
        _tree("final_scor", "    return {'final_score': 1.0, 'acc': 0.5}\n"),
        findings=((_RUN, 1, 104),),
        fixed=_launcher(" --reward-key final_score"),
    ),
    Example(
        _tree(
            "score",
            """\
    if not sample.response:
        return {'acc': 0.0}
    return {'score': 1.0, 'acc': 1.0}
""",
        ),
        findings=((_RUN, 1, 104),),
    ),
    Example(
        _tree(
            "score",
            """\
    result = {'acc': 1.0}
    if sample.label:
        result['score'] = 1.0
    return result
""",
        ),
        findings=((_RUN, 1, 104),),
    ),
    Example(
        _tree(
            "score",
            """\
    result = {'score': 1.0, 'acc': 1.0}
    result.pop('score')
    return result
""",
        ),
        findings=((_RUN, 1, 104),),
        fixed=_launcher(" --reward-key acc"),
    ),
    Example(
        _tree("score", "    return float(sample.response == sample.label)\n"),
        findings=((_RUN, 1, 104),),
        fixed=_launcher(""),
    ),
    Example(
        {
            _RUN: f'ARGS=(\n    {_NAMED}\n    --reward-key=Score\n)\n{_TRAIN} "${{ARGS[@]}}"\n',
            _REWARD: """\
from dataclasses import asdict, dataclass


@dataclass
class Result:
    score: float
    acc: float = 0.0


async def reward_func(args, sample, **kwargs):
    return asdict(Result(1.0))
""",
        },
        findings=((_RUN, 3, 5),),
        fixed={_RUN: f'ARGS=(\n    {_NAMED}\n    --reward-key=score\n)\n{_TRAIN} "${{ARGS[@]}}"\n'},
    ),
    Example(
        {
            **_tree("score", "    return {'score': 1.0}\n"),
            **_launcher(" --reward-key score --eval-reward-key accuracy"),
        },
        findings=((_RUN, 1, 128),),
        fixed=_launcher(" --reward-key score --eval-reward-key score"),
    ),
    Example(f"{_TRAIN} --rm-type math --reward-key score\n", findings=((1, 64),), fixed=f"{_TRAIN} --rm-type math\n"),
    Example(
        f"{_TRAIN} --rm-type dapo --reward-key reward\n",
        findings=((1, 64),),
        fixed=f"{_TRAIN} --rm-type dapo --reward-key score\n",
    ),
    Example(
        {
            _RUN: f"{_TRAIN} --group-rm {_NAMED} --reward-key score\n",
            _REWARD: """\
async def reward_func(args, samples, **kwargs):
    return [{'acc': 1.0} for sample in samples]
""",
        },
        findings=((_RUN, 1, 115),),
        fixed={_RUN: f"{_TRAIN} --group-rm {_NAMED} --reward-key acc\n"},
    ),
]


class _Rewards:
    """What the launch's reward gives: dicts without the key, where, and whether there is nothing but numbers."""

    def __init__(
        self, what: str, *, numbers: Iterable[Related] = (), candidate: str | None = None, faulty: bool = False
    ) -> None:  # fmt: skip
        self.what = what
        self.lacking: list[Related] = []
        self.numbers = list(numbers)
        self.candidate = candidate
        self.faulty = faulty

    @property
    def kind(self) -> tuple[bool, str | None]:
        """What is to be done about them."""
        return bool(self.numbers), self.candidate


@rule("RLX207", "reward-key-mismatch", ERROR, on="launch", valid=VALID, invalid=INVALID, fixable="safe")
def reward_key_mismatch(launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    """Say it at the key in the launcher."""
    if not takes_rewards(launch):
        return
    for flag in (KEY, EVAL_KEY):
        argument = launch.last(flag)
        if argument is None or not argument.values:
            continue
        word = argument.word if argument.inline else argument.values[-1]
        place = place_of(launch, word)
        config = overridden_by_config(launch, project, flag)
        if config is not None:
            yield NotChecked(place, config)
            continue
        if argument.value is None:
            yield NotChecked(place, why_unknown(argument.values[-1]))
            continue
        yield from hidden_rewards(launch, project)
        found = _rewards(launch, argument.value, project)
        if found is not None and found.faulty:
            yield _finding(launch, project, argument, place, found)


def _finding(launch: Launch, project: Project, argument: Argument, place: Place, found: _Rewards) -> Finding:
    title, edit = f"drop {argument.flag}", None
    if found.numbers:
        message = f"{found.what} is a number: {argument.flag} {argument.value} takes a key of it"
        edit = remove(argument)
    else:
        message = f"{found.what} has no key {argument.value}"
        if found.candidate is not None:
            message += f"; it has {found.candidate}"
            written = as_word(found.candidate)
            title, edit = f"{argument.flag} {written}", replace_value(argument, written)
    own = edit is not None and is_own(project, launch, place)
    harmed = _harmed(argument, found, launch, project) if own else None
    related = tuple((found.numbers or found.lacking)[:3])
    return Finding(
        place,
        message,
        fix=Fix(title, lambda: _edits(edit)) if own and harmed is None else None,
        related=related if harmed is None else (*related, harmed),
        launch=launch,
        subject=argument.flag,
    )


def _harmed(argument: Argument, found: _Rewards, launch: Launch, project: Project) -> Related | None:
    """Another launch to which the flag goes, too, and for which the edit would be wrong, or may be."""
    at = argument.word.place
    if at is None:
        return None
    for other in launches_fed_from(at, launch, project):
        given = other.last(argument.flag)
        if given is None or not is_written_at(given.word, at) or not takes_rewards(other):
            continue
        if overridden_by_config(other, project, argument.flag) is not None:
            continue
        wanted = _rewards(other, argument.value or "", project)
        if wanted is None or not wanted.faulty or wanted.kind != found.kind:
            said = f"no fix: {argument.flag} {argument.value} goes to this launch, too, which may want it"
            return Related(start_of(other), said)
    return None


def _edits(edit: Edit | None) -> list[Edit]:
    return [] if edit is None else [edit]


def _rewards(launch: Launch, key: str, project: Project) -> _Rewards | None:
    uses = reward_uses(launch, project)
    if uses:
        return _of_use(uses[0], key)
    if launch.has(FLAG) or overridden_by_config(launch, project, TYPE):
        return None
    argument = launch.last(TYPE)
    name = (argument.value or "").strip().removeprefix(BOXED) if argument is not None else ""
    what = f"the reward of {TYPE} {argument.value}" if argument is not None else ""
    if name in BUILT_IN_SCALARS and argument is not None:
        place = place_of(launch, argument.word)
        return _Rewards(what, numbers=[Related(place, "this reward is a number")], faulty=True)
    keys = BUILT_IN_DICTS.get(name)
    return None if keys is None or key in keys else _Rewards(what, candidate=_nearest(key, keys, keys[0]), faulty=True)


def _of_use(use: RewardUse, key: str) -> _Rewards:
    from relax_lint.flow.shapes import Dictionary, is_scalar
    from relax_lint.reward_values import key_to_learn_from

    result = _Rewards(f"what {use.name} returns")
    for function in use.functions:
        values = use.values(function)
        dicts = [(way, part) for way, part in values if isinstance(part, Dictionary)]
        lacking = [(way, part) for way, part in dicts if not part.open and not _has(part, key)]
        if values and all(is_scalar(part) for _, part in values):
            result.numbers += [Related(exit_place(way), "a number is returned here") for way, _ in values]
        elif lacking:
            result.lacking += [Related(exit_place(way), "this dict has no such key") for way, _ in lacking]
            known = [part for _, part in dicts]
            common = [entry.key for entry in known[0].entries if all(_has(part, str(entry.key)) for part in known)]
            # Where some ways have the key, it is the one that is meant.
            meant = any(part.open or part.get(key) for part in known)
            result.candidate = None if meant else _nearest(key, map(str, common), key_to_learn_from(known))
        else:
            return result
    result.faulty = bool(result.numbers) != bool(result.lacking)
    return result


def _has(part: Dictionary, key: str) -> bool:
    entry = part.get(key)
    return entry is not None and entry.sure


def _nearest(key: str, keys: Iterable[str], plain: str | None) -> str | None:
    """The key that is meant: one that is spelt nearly so, else the plain one."""
    import difflib

    by_lower = {candidate.lower(): candidate for candidate in keys}
    close = difflib.get_close_matches(key.lower(), by_lower, n=2, cutoff=0.8)
    return by_lower[close[0]] if len(close) == 1 else plain
