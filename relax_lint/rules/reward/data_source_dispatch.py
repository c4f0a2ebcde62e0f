"""The reward asks where a sample comes from, and the answer is known, or one it has no answer to.

## What

A reward that chooses by `data_source` (conditions, `match`, a table of scorers, also where all but one source is
refused; a mere check that raises is no choice) in a recipe whose data provably has one source: by the conversion script
`scripts/tools/process_<algo>.py` or one in the recipe, or by the data itself where it is here.

An error is a source in the recipe's data that the choice does not know, and that makes it raise, or return nothing.

## Why

verl has one scoring function for all data sets and finds the way in it by their names; each example of Relax has a
reward of its own. A choice that can go one way only is dead code, and hides which score is used. A source that it does
not know ends the rollout with the first such sample, or scores it with None, which cannot be trained on.

## Source

Guide, step 1: remove the `data_source` dispatch; extract the scoring logic of your dataset.

## Example

    if data_source == "openai/gsm8k":
        return gsm8k(solution, truth)
    elif data_source in ["math_dapo", "math"]:
        return math_dapo(solution, truth)
    raise NotImplementedError(data_source)

## Fix

By hand: keep the one branch, and drop the others with what only they need. Where the data is really mixed, keep the
choice over `sample.metadata["data_source"]`, and let it know all sources.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Finding, Related
from relax_lint.rules import ERROR, WARNING, Example, rule

if TYPE_CHECKING:
    from relax_lint.calls.entries import Entry
    from relax_lint.project import Project, Recipe
    from relax_lint.recipe_sources import Written
    from relax_lint.rewards import RewardUse
    from relax_lint.source_dispatch import Dispatch
    from relax_lint.sources.python import PythonSource

_REWARD = "examples/demo/reward_demo.py"
_RUN = "python3 relax/entrypoints/train.py --custom-rm-path examples.demo.reward_demo.reward_func\n"
_GSM8K = """\
def convert(row):
    return {"prompt": row["question"], "label": row["answer"], "metadata": {"data_source": "openai/gsm8k"}}
"""


def _tree(reward: str, script: str = _GSM8K, **others: str) -> dict[str, str]:
    return {
        "examples/demo/run_demo.sh": _RUN,
        "scripts/tools/process_demo.py": script,
        _REWARD: reward,
        **others,
    }


_CHAIN = """\
def compute_score(data_source, text, truth):
    if data_source == "openai/gsm8k":
        return float(text == truth)
    elif data_source in ["math_dapo", "math"]:
        return float(text.strip() == truth)
    raise NotImplementedError(data_source)


async def reward_func(args, sample, **kwargs):
    return {"score": compute_score(sample.metadata["data_source"], sample.response, sample.label)}
"""
_TABLE = """\
def exact(text, truth):
    return float(text == truth)


def loose(text, truth):
    return float(truth in text)


SCORERS = {"openai/gsm8k": exact, "math": loose}


async def reward_func(args, sample, **kwargs):
    source = sample.metadata.get("data_source")
    return {"score": SCORERS[source](sample.response, sample.label)}
"""

VALID: list[str | Example] = [
    Example(
        _tree("async def reward_func(args, sample, **kwargs):\n    return float(sample.response == sample.label)\n")
    ),
    Example(_tree(_CHAIN, "def convert(row):\n    return {'prompt': row['q'], 'data_source': row['data_source']}\n")),
    Example({"examples/demo/run_demo.sh": _RUN, _REWARD: _CHAIN}),
    Example(_tree(_CHAIN, "ROWS = [{'data_source': 'openai/gsm8k'}, {'data_source': 'math'}]\n")),
    Example(_tree(_TABLE, "def convert(row, kind):\n    return {'data_source': 'math' if kind else 'openai/gsm8k'}\n")),
    Example(
        _tree("""\
async def reward_func(args, sample, **kwargs):
    if sample.metadata["data_source"] != "openai/gsm8k":
        raise ValueError(sample.metadata["data_source"])
    return {"score": float(sample.response == sample.label)}
""")
    ),
    Example(
        _tree("""\
async def reward_func(args, sample, **kwargs):
    data_source = sample.metadata["data_source"]
    score = float(sample.response == sample.label)
    return {"score": score, "source": data_source, "names": {"openai/gsm8k": 1}.get(sample.label, 0)}
""")
    ),
    Example(
        _tree(
            """\
def score(data_source, text):
    if data_source.startswith("openai/"):
        return 1.0
    if "math" in data_source or data_source.endswith("aime"):
        return 0.5
    return 0.0


async def reward_func(args, sample, **kwargs):
    return {"score": score(sample.metadata["data_source"], sample.response)}
""",
            "A = {'data_source': 'openai/gsm8k'}\nB = {'data_source': 'unheard of'}\n",
        )
    ),
    Example(
        _tree(
            _CHAIN,
            "def row(source, text):\n    return {'data_source': source, 'prompt': text}\n\n\n"
            "ROWS = [row('openai/gsm8k', 'a'), row('math', 'b')]\n",
        )
    ),
    Example(
        _tree("""\
SCORERS = {}


def score(args, data_source):
    if data_source == "openai/gsm8k" and args.strict:
        return 1.0
    return 0.5 if data_source not in SCORERS else 0.0


async def reward_func(args, sample, **kwargs):
    return {"score": float(sample.response == sample.label)}
""")
    ),
    Example(
        _tree(
            _CHAIN,
            _GSM8K,
            **{
                "examples/demo/run_math.sh": f"# data: scripts/tools/process_math.py\n{_RUN}",
                "scripts/tools/process_math.py": "def convert(row):\n    return dict(data_source='math', **row)\n",
            },
        )
    ),
    Example(
        _tree(
            _TABLE.replace("SCORERS[source]", "SCORERS.get(source, exact)"),
            "A = {'data_source': 'other'}\nB = {'data_source': 'math'}\n",
        )
    ),
]

INVALID = [
    Example(_tree(_CHAIN), findings=((_REWARD, 2, 5),)),
    Example(
        _tree("""\
async def reward_func(args, sample, **kwargs):
    if sample.metadata["data_source"].startswith("openai/"):
        return {"score": float(sample.response == sample.label)}
    raise ValueError(f"no score for {sample.metadata['data_source']}")
"""),
        findings=((_REWARD, 2, 5),),
    ),
    Example(_tree(_TABLE), findings=((_REWARD, 14, 22),)),
    Example(
        _tree(
            """\
def score(data_source, text):
    match data_source:
        case "openai/gsm8k":
            return float(bool(text))
        case "math" | "aime":
            return 0.5
        case _:
            return 0.0


async def reward_func(args, sample, **kwargs):
    return {"score": score(sample.metadata.get("data_source"), sample.response)}
"""
        ),
        findings=((_REWARD, 2, 5),),
    ),
    Example(
        _tree(
            """\
async def reward_func(args, sample, **kwargs):
    if sample.metadata["data_source"] == "openai/gsm8k":
        return {"score": 1.0}
    else:
        return {"score": float(sample.response == sample.label)}
""",
            "SOURCE = 'openai/gsm8k'\n\n\ndef convert(row):\n    row['data_source'] = SOURCE\n    return row\n",
        ),
        findings=((_REWARD, 2, 5),),
    ),
    Example(
        _tree(_CHAIN, "A = {'data_source': 'openai/gsm8k'}\nB = {'data_source': 'aime24'}\n"),
        findings=((_REWARD, 2, 5, ERROR),),
    ),
    Example(
        _tree(
            _TABLE.replace("source = sample.metadata.get", "source = (sample.metadata or {}).get"),
            "def convert(row):\n    return {**row, 'data_source': 'gsm8k'}\n",
        ),
        findings=((_REWARD, 14, 22, ERROR),),
    ),
    Example(
        _tree(
            """\
def score(data_source, text):
    if data_source == "openai/gsm8k":
        return float(bool(text))
    if data_source == "math":
        return 0.5


async def reward_func(args, sample, **kwargs):
    return {"score": score(sample.metadata["data_source"], sample.response)}
""",
            "def convert(rows):\n    return rows.add_column('data_source', ['aime'] * len(rows))\n",
        ),
        findings=((_REWARD, 2, 5, ERROR),),
    ),
    Example(
        _tree(
            """\
KNOWN = ("openai/gsm8k", "math")


async def reward_func(args, sample, **kwargs):
    source = str(sample.metadata["data_source"]).lower()
    if source not in KNOWN:
        raise ValueError(source)
    return {"score": float(sample.response == sample.label)}
""",
            "ROWS = [{'data_source': 'MATH'}, {'data_source': 'AIME'}]\n",
        ),
        findings=((_REWARD, 6, 5, ERROR),),
    ),
    Example(
        {
            "examples/demo/run_demo.sh": "# data: python3 scripts/tools/process_numbers.py --input-dir /v\n" + _RUN,
            "scripts/tools/process_numbers.py": "import pandas\n\nf = pandas.F().assign(data_source='math')\n",
            "examples/demo/scoring.py": """\
def exact(text, truth):
    return float(text == truth)


def by_source(source, text, truth):
    return {"math": exact, "code": exact}.get(source)(text, truth)
""",
            _REWARD: """\
from .scoring import by_source


async def reward_func(args, sample, **kwargs):
    metadata = sample.metadata
    return {"score": by_source(metadata["data_source"], sample.response, sample.label)}
""",
        },
        findings=(("examples/demo/scoring.py", 6, 12),),
    ),
    Example(
        {
            "examples/demo/run_demo.sh": _RUN,
            "examples/demo/prepare_data.py": "ROW = dict(prompt='1 + 1', data_source='arithmetic')\n",
            _REWARD: """\
def scorer(source):
    if source == "arithmetic":
        return lambda text, truth: float(text == truth)
    elif source == "geometry":
        return lambda text, truth: 0.0
    return None


async def reward_func(args, sample, **kwargs):
    return {"score": scorer(sample.metadata["data_source"])(sample.response, sample.label)}
""",
        },
        findings=((_REWARD, 2, 5),),
    ),
    Example(
        {
            "examples/demo/run_demo.sh": _RUN.replace("--custom", "--prompt-data data/train.jsonl --custom"),
            "data/train.jsonl": '{"prompt": "a", "data_source": "openai/gsm8k"}\n' * 3,
            _REWARD: _CHAIN,
        },
        findings=((_REWARD, 2, 5),),
    ),
]


@rule("RLX209", "data-source-dispatch", WARNING, on="reward", valid=VALID, invalid=INVALID)
def data_source_dispatch(use: RewardUse, project: Project) -> Iterator[Finding]:
    """Say it where the choice begins."""
    if use.module is None or not _may_choose(use.module, project):
        return
    from relax_lint.calls.entries import of_reward

    entry = of_reward(use)
    recipe = project.recipe_of(use.module.path) or project.recipe_of(use.launch.script)
    if entry is None or recipe is None:
        return
    for source, found in _dispatches(entry, project):
        finding = _judge(use, source, found, recipe, project)
        if finding is not None:
            yield finding


def _dispatches(entry: Entry, project: Project) -> list[tuple[PythonSource, Dispatch]]:
    """The choices that a reward comes to, found once for all launches that name it."""
    from relax_lint.calls.entries import reached
    from relax_lint.flow.interpreter import interpreter_of
    from relax_lint.source_dispatch import dispatches

    def answer() -> list[tuple[PythonSource, Dispatch]]:
        functions = reached(entry, project).functions
        return [(function.source, found) for function in functions for found in dispatches(function)]

    return interpreter_of(project).answers.ask(("dispatches", entry), answer)


def _may_choose(module: PythonSource, project: Project) -> bool:
    return any(b"data_source" in (project.read(path) or b"") for path in project.imports.reached(module.path))


def _judge(use: RewardUse, source: PythonSource, found: Dispatch, recipe: Recipe, project: Project) -> Finding | None:
    from relax_lint.recipe_sources import only_source, sources_of

    place = use.shown(source.place(found.place))
    unknown: list[Written] = []
    if found.otherwise in ("raises", "gives nothing"):
        written = project.once(("data sources", recipe.directory), lambda: sources_of(recipe, project))
        unknown = [one for one in written if not found.known.matches(one.name, folded=found.folded)]
    if unknown:
        names = ", ".join(sorted({one.name for one in unknown})[:3])
        does = "it raises" if found.otherwise == "raises" else "it gives nothing"
        message = f"the data of the recipe has the source {names}, which this does not know: {does}"
        related = tuple(Related(one.place, f"{one.name} is written here") for one in unknown[:3])
        return Finding(place, message, severity=ERROR, related=related, subject=use.name)
    if found.ways < 2:
        return None
    only = project.once(("only data source", recipe.directory), lambda: only_source(recipe, project))
    if only is None:
        return None
    message = f"all data of the recipe has the source {only.name}: score it so, without asking for data_source"
    return Finding(place, message, related=(Related(only.place, "the only source"),), subject=use.name)
