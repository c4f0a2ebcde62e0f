"""RLX205: what the reward function returns."""

from __future__ import annotations

from tests.faults.cases.places import (
    DESK_REWARD,
    REWARD,
    answer,
    code,
    ending,
    flags,
)
from tests.faults.trees import Fault, Maker, swap, write

SCORED = "compute_score(sample.response, sample.label)"


def _bodies() -> list[Fault]:
    """Bodies of the entry point some way through which gives no reward."""
    made = Maker("RLX205", "text", REWARD, may=("RLX206", "RLX207", "RLX208"))

    def body(name: str, mark: str, text: str) -> None:
        made(name, mark, answer(text.replace("SCORED", SCORED)))

    body("nothing", "def reward_func(", "SCORED\n")
    body("bare-return", "        return\n", "if not sample.response:\n    return\nreturn SCORED\n")
    body("returns-none", "return None", "if not sample.response:\n    return None\nreturn SCORED\n")
    body("no-else", "def reward_func(", "if sample.response:\n    return SCORED\n")
    body(
        "elif-without-else",
        "def reward_func(",
        "if sample.label == '1':\n    return SCORED\nelif sample.label == '2':\n    return {'score': 0.0}\n",
    )
    body("ternary-none", "return compute_score(sample.response,", "return SCORED if sample.response else None\n")
    body("tuple", "return scored, scored['acc']", "scored = SCORED\nreturn scored, scored['acc']\n")
    body("trailing-comma", "return compute_score(sample.response, sample.label),", "return SCORED,\n")
    body("string", "return str(compute_score(sample.response,", "return str(SCORED['score'])\n")
    body("f-string", 'return f"{compute_score(sample.response,', "return f\"{SCORED['score']:.2f}\"\n")
    body("list", "return [compute_score(sample.response, sample.label)]", "return [SCORED]\n")
    body(
        "list-comprehension",
        "return [float(part",
        "return [float(part == sample.label) for part in sample.response.split()]\n",
    )
    body("list-call", "return list(compute_score(sample.response,", "return list(SCORED.values())\n")
    body("swallowed", "def reward_func(", "try:\n    return SCORED\nexcept ValueError:\n    print('no number')\n")
    body(
        "passed",
        "def reward_func(",
        "try:\n    scored = SCORED\nexcept ValueError:\n    pass\nelse:\n    return scored\n",
    )
    body(
        "none-in-except",
        "return scored",
        "try:\n    scored = SCORED\nexcept (ValueError, KeyError):\n    scored = None\nreturn scored\n",
    )
    body("finally", "return None", "scored = None\ntry:\n    scored = SCORED\nfinally:\n    return None\n")
    body(
        "loop-may-not-run",
        "def reward_func(",
        "for line in sample.response.splitlines():\n    return {'score': float(line == sample.label)}\n",
    )
    body(
        "loop-found-or-not",
        "def reward_func(",
        "for line in sample.response.splitlines():\n    if line == sample.label:\n        return {'score': 1.0}\n",
    )
    body(
        "while",
        "def reward_func(",
        "at = 0\nwhile at < len(sample.response):\n"
        "    if sample.response[at] == sample.label:\n        return {'score': 1.0}\n"
        "    at += 1\n",
    )
    body(
        "match",
        "def reward_func(",
        "match sample.label:\n    case '1':\n        return {'score': 1.0}\n    case '2':\n"
        "        return {'score': 0.5}\n",
    )
    body(
        "name-bound-before", "return scored", "scored = None\nif sample.response:\n    scored = SCORED\nreturn scored\n"
    )
    body("mixes-scalar-and-dict", "return 0.0", "if not sample.response:\n    return 0.0\nreturn SCORED\n")
    body("mixes-in-ternary", "return compute_score(sample.response,", "return SCORED if sample.response else 0\n")
    body("mixes-in-except", "return -1.0", "try:\n    return SCORED\nexcept Exception:\n    return -1.0\n")
    body("or-none", "return sample.response and None", "return sample.response and None\n")
    body(
        "json-text",
        "return json.dumps(compute_score(sample.response, sample.label))",
        "import json\n\nreturn json.dumps(SCORED)\n",
    )
    body("nested-def", "def reward_func(", "def inner():\n    return SCORED\n\ninner()\n")
    body("lambda-not-called", "return print('scored')", "return print('scored')\n")
    body(
        "with-suppress",
        "def reward_func(",
        "import contextlib\n\nwith contextlib.suppress(ValueError):\n    return SCORED\n",
    )
    body("walrus", "return (scored", "return (scored := (SCORED, 1.0))\n")
    body(
        "star-tuple", "return (*compute_score(sample.response, sample.label).values(),)", "return (*SCORED.values(),)\n"
    )
    body("sorted", "return sorted(compute_score(sample.response,", "return sorted(SCORED.values())\n")
    body("joined", "return ','.join(str(value)", "return ','.join(str(value) for value in SCORED.values())\n")
    body(
        "async-for",
        "def reward_func(",
        "async def parts():\n    yield 1.0\n\nasync for part in parts():\n    return {'score': part}\n",
    )
    return made.made


def _helpers() -> list[Fault]:
    made = Maker("RLX205", "text", REWARD, may=("RLX206", "RLX207", "RLX208"))

    def through(name: str, mark: str, text: str) -> None:
        made(name, mark, ending(text))

    made(
        "helper-falls-off",
        "return None",
        swap(
            REWARD, '        return {"score": 0.0, "acc": 0.0}\n', "        print(predict_str)\n        return None\n"
        ),
    )
    made(
        "helper-lacks-return",
        "def compute_score(",
        swap(REWARD, '    return {"score": 1.0 if', '    result = {"score": 1.0 if'),
    )
    through(
        "not-awaited",
        "return graded(sample)",
        "async def graded(sample):\n    return {'score': 1.0}\n\n\n"
        "async def reward_func(args, sample, **kwargs):\n    return graded(sample)\n",
    )
    through(
        "not-awaited-name",
        "return scored",
        "async def graded(sample):\n    return {'score': 1.0}\n\n\n"
        "async def reward_func(args, sample, **kwargs):\n    scored = graded(sample)\n"
        "    return scored\n",
    )
    through(
        "helper-none-awaited",
        "def graded(",
        "async def graded(sample):\n    if sample.response:\n        return {'score': 1.0}\n\n"
        "\nasync def reward_func(args, sample, **kwargs):\n    return await graded(sample)\n",
    )
    through(
        "method",
        "def graded(",
        """
        class Scorer:
            def graded(self, sample):
                if sample.response:
                    return {"score": 1.0}


        SCORER = Scorer()


        async def reward_func(args, sample, **kwargs):
            return SCORER.graded(sample)
        """,
    )
    through(
        "object-with-call",
        "def __call__(",
        """
        class Scorer:
            async def __call__(self, args, sample, **kwargs):
                if sample.response:
                    return {"score": 1.0}


        reward_func = Scorer()
        """,
    )
    through(
        "two-calls-deep",
        "def _parsed(",
        """
        def _parsed(text):
            for part in text.split():
                if part.isdigit():
                    return {"score": float(part)}


        def _graded(sample):
            return _parsed(sample.response)


        async def reward_func(args, sample, **kwargs):
            return _graded(sample)
        """,
    )
    made(
        "helper-in-other-module",
        "examples/arith/rules.py|def graded(",
        write(
            "examples/arith/rules.py", "def graded(sample):\n    if sample.response:\n        return {'score': 1.0}\n"
        ),
        swap(REWARD, "import re\n", "import re\n\nfrom examples.arith import rules\n"),
        answer("return rules.graded(sample)\n"),
        may=("RLX205",),
    )
    through(
        "decorated",
        "def inner(",
        """
        def timed(function):
            @functools.wraps(function)
            async def inner(*args, **kwargs):
                await function(*args, **kwargs)

            return inner


        @timed
        async def reward_func(args, sample, **kwargs):
            return compute_score(sample.response, sample.label)
        """.replace("@functools.wraps(function)\n            ", ""),
    )
    through(
        "helper-tuple",
        "return 1.0, 'right'",
        "def graded(sample):\n    return 1.0, 'right'\n\n\n"
        "async def reward_func(args, sample, **kwargs):\n    return graded(sample)\n",
    )
    through(
        "gather",
        "return await asyncio.gather(graded(sample), graded(sample))",
        "import asyncio\n\n\nasync def graded(sample):\n    return 1.0\n\n\n"
        "async def reward_func(args, sample, **kwargs):\n"
        "    return await asyncio.gather(graded(sample), graded(sample))\n",
    )
    through(
        "to-thread-not-awaited",
        "return asyncio.to_thread(compute_score,",
        "import asyncio\n\n\nasync def reward_func(args, sample, **kwargs):\n"
        "    return asyncio.to_thread(compute_score, sample.response, sample.label)\n",
    )
    through(
        "default-none",
        "return other",
        "def graded(sample, other=None):\n    return other\n\n\n"
        "async def reward_func(args, sample, **kwargs):\n    return graded(sample)\n",
    )
    turns = Maker("RLX205", "turns", DESK_REWARD, may=("RLX206", "RLX207"))
    turns(
        "multi-turn",
        "def reward_func(",
        answer("if sample.response:\n    return compute_score(sample.response, sample.label)\n", DESK_REWARD),
    )
    return [*made.made, *turns.made]


def _batches() -> list[Fault]:
    made = Maker("RLX205", "text", REWARD, may=("RLX206", "RLX207", "RLX208", "RLX204"))

    def batch(name: str, mark: str, text: str) -> None:
        body = "".join(f"    {line}" for line in code(text).splitlines(keepends=True))
        made(
            name,
            mark,
            ending("async def reward_func(args, samples: list[Sample], **kwargs):\n" + body),
            flags("--group-rm"),
        )

    batch(
        "scalar",
        "return sum(float(one.response == one.label) for one in samples)",
        "return sum(float(one.response == one.label) for one in samples)\n",
    )
    batch("dict", "return {'score': float(len(samples))}", "return {'score': float(len(samples))}\n")
    batch(
        "filtered",
        "return [compute_score(one.response,",
        "return [compute_score(one.response, one.label) for one in samples if one.response]\n",
    )
    batch(
        "appended-under-condition",
        "return scores",
        "scores = []\nfor one in samples:\n    if one.response:\n"
        "        scores.append(compute_score(one.response, one.label))\nreturn scores\n",
    )
    batch(
        "continue",
        "return scores",
        "scores = []\nfor one in samples:\n    if not one.response:\n        continue\n"
        "    scores.append(1.0)\nreturn scores\n",
    )
    batch(
        "break",
        "return scores",
        "scores = []\nfor one in samples:\n    scores.append(1.0)\n    if one.label == '0':\n"
        "        break\nreturn scores\n",
    )
    batch(
        "twice",
        "return scores",
        "scores = []\nfor one in samples:\n    scores.append(1.0)\n    scores.append(0.0)\nreturn scores\n",
    )
    batch("sliced", "return [1.0 for one in samples[1:]]", "return [1.0 for one in samples[1:]]\n")
    batch(
        "empty-on-error",
        "return []",
        "try:\n    return [float(one.label) for one in samples]\nexcept ValueError:\n    return []\n",
    )
    batch("none", "def reward_func(", "scores = [1.0 for one in samples]\nprint(scores)\n")
    batch(
        "filter-call",
        "return [1.0 for one in filter(None, samples)]",
        "return [1.0 for one in filter(None, samples)]\n",
    )
    batch("pairs", "return [(1.0, one.label) for one in samples]", "return [(1.0, one.label) for one in samples]\n")
    batch(
        "mean",
        "return sum(scores) / len(scores)",
        "scores = [float(one.response == one.label) for one in samples]\nreturn sum(scores) / len(scores)\n",
    )
    return made.made


FAULTS = [*_bodies(), *_helpers(), *_batches()]
