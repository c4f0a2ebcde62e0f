"""RLX201 to RLX204: how the reward function is found and called."""

from __future__ import annotations

from tests.faults.cases.places import (
    DESK_REWARD,
    REWARD,
    RM_PATH,
    RUN,
    ending,
    flags,
    plain_reward,
    reward,
    without,
)
from tests.faults.trees import Fault, Maker, append, swap, write

PACKAGE = "examples/arith/scoring/__init__.py"
DEFINED = "async def reward_func"


def _missing() -> list[Fault]:
    made = Maker("RLX201", "text", RUN)
    made("renamed", RM_PATH, swap(REWARD, DEFINED, "async def reward_function"))
    made("misspelt-in-launcher", "--custom-rm-path", swap(RUN, RM_PATH, RM_PATH + "s"))
    made("equals-form", "--custom-rm-path=", swap(RUN, RM_PATH, "--custom-rm-path=examples.arith.reward_arith.score"))
    made(
        "method-only",
        RM_PATH,
        ending(
            "class Scorer:\n    async def reward_func(self, args, sample, **kwargs):\n        return {'score': 1.0}\n"
        ),
    )
    made(
        "nested-only",
        RM_PATH,
        ending(
            "def make():\n    async def reward_func(args, sample, **kwargs):\n"
            "        return {'score': 1.0}\n\n    return reward_func\n"
        ),
    )
    made("deleted", RM_PATH, append(REWARD, "\n\ndel reward_func\n"))
    made(
        "re-export-lacks-it",
        RM_PATH,
        write("examples/arith/scores.py", "def other():\n    return 1\n"),
        reward("from examples.arith.scores import other\n\nNAMES = [other]\n"),
        may=("RLX802",),
    )
    made(
        "inline",
        "--custom-rm-path",
        without(RM_PATH),
        swap(
            RUN,
            "        --balance-data \\\n",
            "        --balance-data --custom-rm-path examples.arith.reward_arith.reward \\\n",
        ),
        swap(
            RUN,
            "        --fully-async \\\n",
            "        --fully-async --reward-key score \\\n        --rm-type math \\\n",
        ),
        without("--reward-key score"),
        may=("RLX207", "RLX502", "RLX208", "RLX508"),
    )
    made(
        "variable",
        ("--custom-rm-path", "REWARD_FN="),
        swap(RUN, RM_PATH, '--custom-rm-path "${REWARD_FN}"'),
        swap(RUN, "CKPT_ARGS=(", 'REWARD_FN="examples.arith.reward_arith.score_sample"\nCKPT_ARGS=('),
    )
    made(
        "package",
        "--custom-rm-path",
        write(PACKAGE, "WEIGHT = 1.0\n"),
        swap(RUN, RM_PATH, "--custom-rm-path examples.arith.scoring.reward_func"),
        may=("RLX201",),
    )
    made(
        "unnamed-reward-file",
        "def bonus(",
        write("examples/arith/reward_bonus.py", "async def bonus(args, sample, **kwargs):\n    return 1.0\n"),
        path="examples/arith/reward_bonus.py",
        severity="warning",
    )
    made(
        "unnamed-reward-file-of-verl",
        "def compute_score(",
        write(
            "examples/arith/reward_old.py",
            "def compute_score(data_source, solution_str, ground_truth, extra_info=None):\n    return 0.0\n",
        ),
        path="examples/arith/reward_old.py",
        severity="warning",
    )
    return made.made


def _not_async() -> list[Fault]:
    made = Maker("RLX202", "text", REWARD)
    made("def", "def reward_func", swap(REWARD, DEFINED, "def reward_func"))
    made(
        "lambda",
        "reward_func = lambda",
        ending("reward_func = lambda args, sample, **kwargs: compute_score(sample.response, sample.label)\n"),
    )
    made(
        "partial-of-sync",
        ("reward_func = ", "def _score("),
        ending(
            """
            def _score(args, sample, *, scale, **kwargs):
                return compute_score(sample.response, sample.label)


            reward_func = functools.partial(_score, scale=1.0)
            """
        ),
        swap(REWARD, "import re\n", "import functools\nimport re\n"),
    )
    made(
        "object-with-sync-call",
        ("reward_func = ", "def __call__", "class Scorer"),
        ending(
            """
            class Scorer:
                def __call__(self, args, sample, **kwargs):
                    return compute_score(sample.response, sample.label)


            reward_func = Scorer()
            """
        ),
    )
    made(
        "generator",
        DEFINED,
        ending(
            "async def reward_func(args, sample, **kwargs):\n    yield compute_score(sample.response, sample.label)\n"
        ),
    )
    made(
        "re-export",
        "def reward_func",
        write(
            "examples/arith/scores.py",
            "def reward_func(args, sample, **kwargs):\n    return {'score': float(sample.response == sample.label)}\n",
        ),
        write(REWARD, "from examples.arith.scores import reward_func\n\n__all__ = ['reward_func']\n"),
        path="examples/arith/scores.py",
    )
    made(
        "renamed-on-the-way",
        "def graded",
        write(
            "examples/arith/scores.py",
            "def graded(args, sample, **kwargs):\n    return {'score': float(sample.response == sample.label)}\n",
        ),
        write(REWARD, "from .scores import graded as reward_func\n\n__all__ = ['reward_func']\n"),
        path="examples/arith/scores.py",
    )
    made(
        "assigned",
        ("def _score", "reward_func = _score"),
        ending(
            "def _score(args, sample, **kwargs):\n"
            "    return compute_score(sample.response, sample.label)\n\n\nreward_func = _score\n"
        ),
    )
    made(
        "sync-wrapper",
        ("@plainly", DEFINED, "def inner"),
        ending(
            """
            def plainly(function):
                def inner(args, sample, **kwargs):
                    return {"score": 1.0}

                return inner


            @plainly
            async def reward_func(args, sample, **kwargs):
                return compute_score(sample.response, sample.label)
            """
        ),
    )
    made(
        "later-definition-wins",
        "def reward_func(args, sample, **kwargs):  # again",
        append(REWARD, "\n\ndef reward_func(args, sample, **kwargs):  # again\n    return {'score': 0.0}\n"),
    )
    made(
        "in-try",
        "def reward_func",
        ending(
            "try:\n    def reward_func(args, sample, **kwargs):\n        return {'score': 0.0}\n"
            "finally:\n    READY = True\n"
        ),
    )
    made(
        "static-method",
        ("def graded", "reward_func = "),
        ending(
            """
            class Scorer:
                @staticmethod
                def graded(args, sample, **kwargs):
                    return {"score": 0.0}


            reward_func = Scorer.graded
            """
        ),
    )
    made(
        "class-itself",
        ("class reward_func", "def __init__"),
        ending("class reward_func:\n    def __init__(self, args, sample, **kwargs):\n        self.score = 0.0\n"),
        may=("RLX203", "RLX205"),
    )
    turns = Maker("RLX202", "turns", DESK_REWARD)
    turns("multi-turn", "def reward_func", swap(DESK_REWARD, DEFINED, "def reward_func"))
    made(
        "batch",
        "def reward_func",
        ending(
            "def reward_func(args, samples: list[Sample], **kwargs):\n"
            "    return [compute_score(sample.response, sample.label) for sample in samples]\n"
        ),
        flags("--group-rm"),
    )
    return [*made.made, *turns.made]


def _signature() -> list[Fault]:
    made = Maker("RLX203", "text", REWARD)

    def signed(name: str, parameters: str, severity: str = "error", body: str = "return {'score': 1.0}") -> None:
        made(
            name,
            DEFINED,
            ending(f"async def reward_func({parameters}):\n    {body}\n"),
            severity=severity,
            may=("RLX209",),
        )

    signed("one-positional", "sample, **kwargs")
    signed("three-required", "args, sample, extra, **kwargs")
    signed("keyword-only", "*, args, sample, **kwargs")
    signed("keyword-only-sample", "args, *, sample, **kwargs")
    signed("nothing", "")
    signed("only-kwargs", "**kwargs")
    signed(
        "verl",
        "data_source, solution_str, ground_truth, extra_info=None, **kwargs",
        body="return {'score': float(solution_str == ground_truth)}",
    )
    signed(
        "verl-with-defaults",
        "data_source=None, solution_str='', ground_truth='', extra_info=None",
        body="return {'score': float(solution_str == ground_truth)}",
    )
    signed("required-keyword", "args, sample, *, scale, **kwargs")
    signed("no-kwargs", "args, sample: Sample", "warning")
    signed("no-kwargs-but-default", "args, sample, scale=1.0", "warning")
    signed("other-names", "config, item, **kwargs", "warning")
    signed("swapped", "sample, args, **kwargs", "warning")
    signed("positional-only-names", "cfg, s, /, **kwargs", "warning")
    made(
        "object-without-self-place",
        ("def __call__", "reward_func = "),
        ending(
            "class Scorer:\n    async def __call__(self, sample):\n        return {'score': 1.0}\n"
            "\n\nreward_func = Scorer()\n"
        ),
    )
    made(
        "partial-takes-one",
        ("async def _score", "reward_func = "),
        ending(
            "async def _score(args, sample):\n    return {'score': 1.0}\n\n\n"
            "reward_func = functools.partial(_score, None)\n"
        ),
        swap(REWARD, "import re\n", "import functools\nimport re\n"),
    )
    made(
        "imported",
        "async def graded",
        write("examples/arith/scores.py", "async def graded(sample):\n    return {'score': 1.0}\n"),
        write(REWARD, "from examples.arith.scores import graded as reward_func\n\n__all__ = ['reward_func']\n"),
        path="examples/arith/scores.py",
    )
    made(
        "batch-without-kwargs",
        DEFINED,
        ending("async def reward_func(args, samples: list[Sample]):\n    return [{'score': 1.0} for _ in samples]\n"),
        flags("--group-rm"),
        severity="warning",
    )
    return made.made


def _batch() -> list[Fault]:
    made = Maker("RLX204", "text", REWARD, may=("RLX203", "RLX205", "RLX206", "RLX207", "RLX212"))
    where = (DEFINED, f"{RUN}|{RM_PATH}")

    def batch(name: str, text: str) -> None:
        made(name, where, ending(text))

    batch(
        "annotated-list",
        "async def reward_func(args, samples: list[Sample], **kwargs):\n"
        "    return [compute_score(one.response, one.label) for one in samples]\n",
    )
    batch(
        "annotated-other-name",
        "async def reward_func(args, sample: list[Sample], **kwargs):\n"
        "    return [compute_score(one.response, one.label) for one in sample]\n",
    )
    batch(
        "annotated-text",
        "async def reward_func(args, group: 'list[Sample]', **kwargs):\n"
        "    return [compute_score(one.response, one.label) for one in group]\n",
    )
    made(
        "sequence",
        where,
        swap(REWARD, "import re\n", "import re\nfrom collections.abc import Sequence\n"),
        ending(
            "async def reward_func(args, group: Sequence[Sample], **kwargs):\n"
            "    return [compute_score(one.response, one.label) for one in group]\n"
        ),
    )
    made(
        "typing-list",
        where,
        swap(REWARD, "import re\n", "import re\nimport typing as t\n"),
        ending(
            "async def reward_func(args, group: t.List[Sample], **kwargs):\n"
            "    return [compute_score(one.response, one.label) for one in group]\n"
        ),
    )
    batch(
        "named",
        "async def reward_func(args, samples, **kwargs):\n"
        "    return [compute_score(one.response, one.label) for one in samples]\n",
    )
    batch(
        "iterated",
        "async def reward_func(args, sample, **kwargs):\n    scores = []\n"
        "    for one in sample:\n"
        "        scores.append(compute_score(one.response, one.label))\n    return scores\n",
    )
    batch(
        "comprehension",
        "async def reward_func(args, sample, **kwargs):\n"
        "    return [compute_score(one.response, one.label) for one in sample]\n",
    )
    batch(
        "enumerate",
        "async def reward_func(args, sample, **kwargs):\n    scores = [None] * len(sample)\n"
        "    for at, one in enumerate(sample):\n"
        "        scores[at] = compute_score(one.response, one.label)\n    return scores\n",
    )
    flagged = Maker("RLX204", "text", REWARD, may=("RLX205", "RLX206", "RLX207"))
    flagged("single-with-group-rm", (DEFINED, f"{RUN}|--group-rm"), flags("--group-rm"))
    flagged(
        "single-with-inline-group-rm",
        (DEFINED, f"{RUN}|--group-rm"),
        swap(RUN, "        --balance-data \\\n", "        --balance-data --group-rm \\\n"),
    )
    flagged(
        "single-in-one-mode",
        (DEFINED, f"{RUN}|GROUP_ARGS=(--group-rm)", f"{RUN}|--fully-async"),
        swap(
            RUN,
            "mkdir -p logs\n",
            'GROUP_ARGS=()\nif [ "${MODE}" = "async" ]; then\n    GROUP_ARGS=(--group-rm)\nfi\nmkdir -p logs\n',
        ),
        swap(RUN, '"${MODEL_ARGS[@]}"', '"${GROUP_ARGS[@]}" "${MODEL_ARGS[@]}"', 2),
    )
    flagged(
        "plain-number-with-group-rm",
        (DEFINED, f"{RUN}|--group-rm"),
        *plain_reward(),
        flags("--group-rm", below="    --apply-chat-template\n"),
    )
    return [*made.made, *flagged.made]


FAULTS = [*_missing(), *_not_async(), *_signature(), *_batch()]
