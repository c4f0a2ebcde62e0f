"""RLX206 to RLX208: the key of what the reward function returns."""

from __future__ import annotations

from tests.faults.cases.places import (
    DESK_RUN,
    KEY_LINE,
    REWARD,
    RM_PATH,
    RUN,
    SYNC_END,
    answer,
    ending,
    flags,
    instead,
    reward,
    without,
)
from tests.faults.trees import Fault, Maker, swap

SCORED = "compute_score(sample.response, sample.label)"


def _key_missing() -> list[Fault]:
    made = Maker("RLX206", "text", RUN)
    where = (RM_PATH, "ROLLOUT_ARGS=(")
    made("dropped", where, without("--reward-key score"))
    made("commented-out", where, instead("--reward-key score", "# --reward-key score"))
    made(
        "only-in-sync",
        (*where, "--fully-async", '{"actor": [1, 4]'),
        without("--reward-key score"),
        swap(RUN, SYNC_END, SYNC_END + "        --reward-key score \\\n"),
    )
    made(
        "only-in-async",
        (*where, "--colocate", '{"actor": [1, 8]'),
        without("--reward-key score"),
        swap(RUN, "        --fully-async \\\n", "        --fully-async \\\n        --reward-key=score \\\n"),
    )
    made(
        "dict-call",
        where,
        without("--reward-key score"),
        answer("return dict(score=1.0, length=len(sample.response))\n"),
    )
    made(
        "built-key-by-key",
        where,
        without("--reward-key score"),
        answer("scored = {}\nscored['score'] = 1.0\nscored['acc'] = 0.0\nreturn scored\n"),
    )
    made(
        "merged",
        where,
        without("--reward-key score"),
        answer("return {**compute_score(sample.response, sample.label), 'length': 1}\n"),
    )
    made(
        "union",
        where,
        without("--reward-key score"),
        answer("return compute_score(sample.response, sample.label) | {'length': 1}\n"),
    )
    made(
        "asdict",
        where,
        without("--reward-key score"),
        swap(REWARD, "import re\n", "import re\nfrom dataclasses import asdict, dataclass\n"),
        ending(
            """
            @dataclass
            class Scored:
                score: float
                acc: float


            async def reward_func(args, sample, **kwargs):
                return asdict(Scored(score=1.0, acc=0.0))
            """
        ),
    )
    made(
        "awaited",
        where,
        without("--reward-key score"),
        ending(
            "async def graded(sample):\n    return {'score': 1.0}\n\n\n"
            "async def reward_func(args, sample, **kwargs):\n    scored = await graded(sample)\n"
            "    return scored\n"
        ),
    )
    made(
        "built-in-dapo",
        ("--rm-type dapo", "ROLLOUT_ARGS=("),
        instead(RM_PATH, "--rm-type dapo"),
        without("--reward-key score"),
    )
    made(
        "built-in-in-variable",
        ("--rm-type", "ROLLOUT_ARGS=(", "RM=dapo"),
        instead(RM_PATH, '--rm-type "${RM}"'),
        without("--reward-key score"),
        swap(RUN, "ROLLOUT_ARGS=(", "RM=dapo\nROLLOUT_ARGS=("),
    )
    made(
        "batch",
        where,
        without("--reward-key score"),
        ending(
            "async def reward_func(args, samples: list[Sample], **kwargs):\n"
            "    return [compute_score(one.response, one.label) for one in samples]\n"
        ),
        flags("--group-rm", below="    --apply-chat-template\n"),
    )
    turns = Maker("RLX206", "turns", DESK_RUN)
    turns("multi-turn", ("--custom-rm-path", "ROLLOUT_ARGS=("), swap(DESK_RUN, KEY_LINE, ""))
    return [*made.made, *turns.made]


def _key_wrong() -> list[Fault]:
    made = Maker("RLX207", "text", RUN)
    made("misspelt", "--reward-key scores", instead("--reward-key score", "--reward-key scores"))
    made("other-case", "--reward-key Score", instead("--reward-key score", "--reward-key Score"))
    made("equals-form", "--reward-key=reward", instead("--reward-key score", "--reward-key=reward"))
    made("scalar", "--reward-key score", answer("return float(sample.response == sample.label)\n"))
    made("scalar-bool", "--reward-key score", answer("return sample.response == sample.label\n"))
    made(
        "scalar-through-helper",
        "--reward-key score",
        answer("return compute_score(sample.response, sample.label)['score']\n"),
    )
    made("scalar-int-ternary", "--reward-key score", answer("return 1 if sample.response == sample.label else 0\n"))
    made(
        "variable",
        ("--reward-key", "KEY=points"),
        instead("--reward-key score", "--reward-key ${KEY}"),
        swap(RUN, "ROLLOUT_ARGS=(", "KEY=points\nROLLOUT_ARGS=("),
    )
    made(
        "one-way-lacks-it",
        "--reward-key score",
        answer(
            "if not sample.response:\n    return {'acc': 0.0}\nreturn compute_score(sample.response, sample.label)\n"
        ),
        may=("RLX208",),
    )
    made("dict-call", "--reward-key score", answer("return dict(reward=1.0)\n"), may=("RLX208",))
    made(
        "built-key-by-key",
        "--reward-key score",
        answer("scored = {}\nscored['points'] = 1.0\nreturn scored\n"),
        may=("RLX208",),
    )
    made(
        "batch-scalars",
        "--reward-key score",
        ending(
            "async def reward_func(args, samples: list[Sample], **kwargs):\n"
            "    return [float(one.response == one.label) for one in samples]\n"
        ),
        flags("--group-rm"),
    )
    made(
        "popped",
        "--reward-key score",
        answer("scored = compute_score(sample.response, sample.label)\nscored.pop('score')\nreturn scored\n"),
        may=("RLX208",),
    )
    made(
        "built-in",
        "--reward-key points",
        instead(RM_PATH, "--rm-type dapo"),
        instead("--reward-key score", "--reward-key points"),
    )
    made("built-in-scalar", "--reward-key score", instead(RM_PATH, "--rm-type math"))
    return made.made


def _score_key() -> list[Fault]:
    made = Maker("RLX208", "text", REWARD, "warning")
    acc = instead("--reward-key score", "--reward-key acc")
    made("literal", "return {'acc': 1.0}", acc, answer("return {'acc': 1.0}\n"))
    made("dict-call", "return dict(acc=1.0, length=2)", acc, answer("return dict(acc=1.0, length=2)\n"))
    made(
        "helper",
        'return {"acc": 0.0}',
        acc,
        swap(REWARD, '{"score": 0.0, "acc": 0.0}', '{"acc": 0.0}'),
        swap(REWARD, '{"score": 1.0 if right else 0.0, "acc": float(right)}', '{"acc": float(right)}'),
    )
    made("built-key-by-key", "return scored", acc, answer("scored = {}\nscored['acc'] = 1.0\nreturn scored\n"))
    made(
        "batch",
        "return [{'acc': 1.0} for _ in samples]",
        acc,
        ending(
            "async def reward_func(args, samples: list[Sample], **kwargs):\n"
            "    return [{'acc': 1.0} for _ in samples]\n"
        ),
        flags("--group-rm", below="    --apply-chat-template\n"),
    )
    made(
        "whole-file",
        "return result",
        acc,
        reward(
            "async def reward_func(args, sample: Sample, **kwargs):\n"
            "    result = {'acc': float(sample.response == sample.label)}\n    return result\n"
        ),
    )
    made(
        "one-way",
        "return {'acc': 0.0}",
        acc,
        answer(
            "if not sample.response:\n    return {'acc': 0.0}\nreturn compute_score(sample.response, sample.label)\n"
        ),
    )
    return made.made


FAULTS = [*_key_missing(), *_key_wrong(), *_score_key()]
