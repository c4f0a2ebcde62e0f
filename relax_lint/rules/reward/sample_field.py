"""Code reads something of a sample that no sample has.

## What

`sample.x`, in the reward, the generate function, the environment or what they call, where `x` is no field, method or
property of Relax's Sample, and no code of the recipe stores it; the same for `sample.status`, `sample.spec_info` and
`Sample.Status`. Where Relax is at hand its own class is read, so fields of a newer one are known. What is asked for by
`hasattr`, or read with a default, is fine. `sample["response"]`, which takes a sample for a dict. And `sample.prompt`
used as a text in a launch that makes it a list of messages (`--multimodal-keys` without `--apply-chat-template`, or
data of messages without both), or as a list where the template has made a text of it, or the data has texts.

## Why

It is an AttributeError, or for a key a TypeError, with the first sample, after the model is loaded and the first
responses are there.

## Source

Guide: use the Sample's fields: `sample.response`, `sample.label`, `sample.metadata`. Relax's `Sample` is a dataclass.

## Example

    async def reward_func(args, sample, **kwargs):
        return float(sample.response == sample.ground_truth)

## Fix

Writes what the guide maps verl's name to, or the one name that differs by a slip of the fingers (a letter missing, too
many, another, or two swapped), and for a key the attribute. Unsafe for a name that is only like it:
`sample.response_ids` may be the tokens.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.catalog.sample import CLASS, FIELD_KINDS, SampleClass, sample_class
from relax_lint.diagnostics import Finding, NotChecked
from relax_lint.patterns import pattern
from relax_lint.project import Project, Recipe
from relax_lint.rules import ERROR, Example, rule
from relax_lint.sample_names import MEANT, near, renamed

if TYPE_CHECKING:
    from relax_lint.calls.reached import ReachedFunction
    from relax_lint.prompt_kinds import PromptKind
    from relax_lint.recipe_readings import Read
    from relax_lint.shell.launch import Launch

_OF_DATA_PROTO = frozenset({"batch", "non_tensor_batch", "meta_info"})
"""What another rule says to be verl's."""
_OF_CLASSES = frozenset({"mro"})

_PROMPT = pattern("prompt")

_RUN = "examples/demo/run_demo.sh"
_REWARD = "examples/demo/reward_demo.py"
_TRAIN = "python3 relax/entrypoints/train.py --custom-rm-path examples.demo.reward_demo.reward_func"
_FILE, _DATA = "data/train.jsonl", "--prompt-data data/train.jsonl"
_ROW = '{"prompt": [{"role": "user", "content": "1 + 1?"}], "question": "1 + 1?", "label": "2"}\n'
_HEAD = "async def reward_func(args, sample, **kwargs):\n"


def _tree(body: str, flags: str = "", **more: str) -> dict[str, str]:
    text = body if "reward_func" in body else _HEAD + body
    return {
        _RUN: f"{_TRAIN} {flags}\n",
        _REWARD: text,
        **{f"examples/demo/{name}.py": content for name, content in more.items()},
    }


VALID: list[Example | str] = [
    Example(_tree(f"{_HEAD}    sample = sample.to_dict()\n    return float(sample['response'] == sample['label'])\n")),
    Example(_tree(f"{_HEAD}    try:\n        return sample['x']\n    except TypeError:\n        return 0.0\n")),
    Example(_tree(f"{_HEAD}    if isinstance(sample, dict):\n        return sample['x']\n    return 0.0\n")),
    Example(_tree(f"{_HEAD}    return sample.metadata['x'] + sample.reward['y']\n")),
    Example(_tree("    return float(sample.response == sample.label)\n")),
    Example(_tree("    return sample.metadata['weight'] * sample.effective_response_length\n")),
    Example(_tree("    return 1.0 if hasattr(sample, 'turns') and sample.turns else 0.0\n")),
    Example(_tree("    return getattr(sample, 'turns', 0)\n")),
    Example(
        _tree(
            "    return sample.turns / 10\n",
            "--custom-generate-function-path examples.demo.rollout.generate",
            rollout="async def generate(args, sample, sampling_params):\n    sample.turns = 3\n    return sample\n",
        )
    ),
    Example(_tree("    setattr(sample, 'hits', 1)\n    return sample.hits\n")),
    Example(_tree("    try:\n        return sample.turns\n    except AttributeError:\n        return 0.0\n")),
    Example(
        _tree(
            "    mark(sample, 'hits')\n    return sample.hits\n\n\ndef mark(item, name):\n    setattr(item, name, 1)\n"
        )
    ),
    Example(
        _tree("""\
from relax.utils.types import Sample


async def reward_func(args, sample: Sample, **kwargs):
    if sample.status == Sample.Status.TRUNCATED or sample.status.value == 'failed':
        return 0.0
    return sample.spec_info.spec_accept_rate
""")
    ),
    Example(
        _tree("""\
class Item:
    def __init__(self, sample):
        self.text = sample.response


async def reward_func(args, sample, **kwargs):
    sample = Item(sample)
    return len(sample.text)
""")
    ),
    Example(
        _tree("""\
import json


def length(item):
    return len(item.words)


class Line:
    words = ()


async def reward_func(args, sample, **kwargs):
    return length(sample) if isinstance(sample, Line) else length(json.loads(sample.label))
""")
    ),
    Example(_tree("    return sample.batch['responses']\n")),
    Example(
        {
            **_tree("    return sample.difficulty\n"),
            "relax/entrypoints/train.py": "",
            "relax/utils/types.py": "class Sample:\n    response: str = ''\n    difficulty: float = 0.0\n",
        }
    ),
    Example(_tree("    return 'user' in sample.prompt.split()\n", "--apply-chat-template")),
    Example(_tree("    return sample.prompt[-1]['content']\n", '--multimodal-keys \'{"image": "images"}\'')),
    Example(
        _tree(
            "    text = sample.prompt if isinstance(sample.prompt, str) else sample.prompt[0]['content']\n"
            "    return text.strip() == 'x'\n",
            '--multimodal-keys \'{"image": "images"}\'',
        )
    ),
    Example(_tree("    return sample.prompt.split()[0] == 'x'\n")),
    Example(
        _tree("    return sample.prompt.split()[0] == 'x'\n", f"{_DATA} --input-key question") | {_FILE: _ROW},
    ),
    Example(_tree("    return sample.prompt[-1]['content'] == 'x'\n", f"{_DATA} --input-key prompt") | {_FILE: _ROW}),
    Example(
        _tree("    return sample.prompt.strip() == 'x'\n", f"{_DATA} --input-key prompt --custom-prompt-path tools.ask")
        | {_FILE: _ROW}
    ),
    Example(
        _tree(
            "    sample.turns += 1\n    return 1 / sample.turns\n",
            "--custom-generate-function-path examples.demo.rollout.generate",
            rollout="async def generate(args, sample, sampling_params):\n    sample.turns = 0\n    return sample\n",
        )
    ),
    Example(
        _tree(
            "    return float(S.Status.FAILED is sample.status or S.__name__ == 'x')\n".join(
                ("from relax.utils.types import Sample as S\n\n\n" + _HEAD, "")
            )
        )
    ),
]

INVALID = [
    Example(
        _tree(f'{_HEAD}    return float(sample["response"] == sample["ground_truth"] == sample["answer"])\n'),
        findings=((_REWARD, 2, 18), (_REWARD, 2, 40), (_REWARD, 2, 66)),
        fixed={_REWARD: f'{_HEAD}    return float(sample.response == sample.label == sample["answer"])\n'},
    ),
    Example(
        _tree(
            "from relax.utils.types import Sample\n\n\ndef store(sample: Sample):\n    sample['reward'] = 1.0\n"
            f"\n\n{_HEAD}    return 1.0\n"
        ),
        findings=((_REWARD, 5, 5),),
        fixed={
            _REWARD: "from relax.utils.types import Sample\n\n\ndef store(sample: Sample):\n    sample.reward = 1.0\n"
            f"\n\n{_HEAD}    return 1.0\n"
        },
    ),
    Example(
        _tree("    return float(sample.response == sample.lable)\n"),
        findings=((_REWARD, 2, 37),),
        fixed={_REWARD: _HEAD + "    return float(sample.response == sample.label)\n"},
    ),
    Example(
        _tree("    return sample.ground_truth == sample.response\n"),
        findings=((_REWARD, 2, 12),),
        fixed={_REWARD: _HEAD + "    return sample.label == sample.response\n"},
    ),
    Example(
        _tree("    return len(sample.response_ids)\n"),
        findings=((_REWARD, 2, 16),),
        fixed={_REWARD: _HEAD + "    return len(sample.response)\n"},
        unsafe=True,
    ),
    Example(_tree("    return sample.group_id % 2\n"), findings=((_REWARD, 2, 12),)),
    Example(
        _tree("""\
def grade(item):
    text = item.respose
    return len(text)


async def reward_func(args, sample, **kwargs):
    s = sample
    return grade(s)
"""),
        findings=((_REWARD, 2, 12),),
        fixed={
            _REWARD: """\
def grade(item):
    text = item.response
    return len(text)


async def reward_func(args, sample, **kwargs):
    s = sample
    return grade(s)
"""
        },
    ),
    Example(
        {
            _RUN: f"{_TRAIN} --group-rm\n",
            _REWARD: """\
async def reward_func(args, samples, **kwargs):
    return [float(bool(s.solution_str)) for s in samples]
""",
        },
        findings=((_REWARD, 2, 24),),
        fixed={
            _REWARD: "async def reward_func(args, samples, **kwargs):\n"
            "    return [float(bool(s.response)) for s in samples]\n"
        },
    ),
    Example(
        _tree(
            "    from .scores import score\n    return score(sample)\n",
            scores="def score(sample):\n    return sample.extra_info['score']\n",
        ),
        findings=(("examples/demo/scores.py", 2, 12),),
        fixed={"examples/demo/scores.py": "def score(sample):\n    return sample.metadata['score']\n"},
    ),
    Example(_tree("    return getattr(sample, 'data_source') == 'gsm8k'\n"), findings=((_REWARD, 2, 12),)),
    Example(
        _tree("""\
from relax.utils.types import Sample


async def reward_func(args, sample, **kwargs):
    return float(sample.status == Sample.Status.COMPLETE)
"""),
        findings=((_REWARD, 5, 35),),
        fixed={
            _REWARD: """\
from relax.utils.types import Sample


async def reward_func(args, sample, **kwargs):
    return float(sample.status == Sample.Status.COMPLETED)
"""
        },
    ),
    Example(_tree("    return float(sample.status.finished)\n"), findings=((_REWARD, 2, 18),)),
    Example(
        _tree(
            "    return 1.0\n",
            "--custom-generate-function-path examples.demo.rollout.generate",
            rollout="""\
class Player:
    def __init__(self, sample):
        self.sample = sample

    async def play(self):
        return self.sample.input_ids


async def generate(args, sample, sampling_params):
    sample.tokens = await Player(sample).play()
    return sample
""",
        ),
        findings=(("examples/demo/rollout.py", 6, 16),),
    ),
    Example(
        {
            **_tree("    return 1.0\n", "--custom-config-path examples/demo/demo.yaml"),
            "examples/demo/demo.yaml": "rollout_interaction_env_path: examples.demo.env_demo\n",
            "examples/demo/env_demo.py": """\
class Env:
    def __init__(self, question):
        self.question = question

    def reset(self):
        return {}, {}

    def step(self, text):
        return {}, True, {}


def build_env(sample, args):
    return Env(sample.question)
""",
        },
        findings=(("examples/demo/env_demo.py", 13, 16),),
    ),
    Example(
        _tree(
            "    return 1.0\n",
            filters="""\
from relax.utils.types import Sample


def keep(item: Sample) -> bool:
    return item.scores > 0
""",
        ),
        findings=(("examples/demo/filters.py", 5, 12),),
    ),
    Example(
        {
            **_tree("    return sample.label == sample.answer\n"),
            "relax/entrypoints/train.py": "",
            "relax/utils/types.py": "class Sample:\n    answer: str = ''\n",
        },
        findings=((_REWARD, 2, 12),),
    ),
    Example(
        _tree("    return sample.prompt.split()[0] == 'x'\n", '--multimodal-keys \'{"image": "images"}\''),
        findings=((_REWARD, 2, 12),),
    ),
    Example(
        _tree("    prompt = sample.prompt\n    return prompt[0]['content'] == 'x'\n", "--apply-chat-template"),
        findings=((_REWARD, 3, 12),),
    ),
    Example(
        _tree("    return 'Question: ' + sample.prompt == sample.label\n", '--multimodal-keys=\'{"audio": "wav"}\''),
        findings=((_REWARD, 2, 12),),
    ),
    Example(
        _tree("    return sum(len(turn['content']) for turn in sample.prompt)\n", "--apply-chat-template"),
        findings=((_REWARD, 2, 49),),
    ),
    Example(
        _tree("    return float(sample.prompt.strip() == 'x')\n", f"{_DATA} --input-key prompt") | {_FILE: _ROW},
        findings=((_REWARD, 2, 18),),
    ),
    Example(
        _tree("    return sample.prompt[0]['content'] == 'x'\n", f"{_DATA} --input-key question") | {_FILE: _ROW},
        findings=((_REWARD, 2, 12),),
    ),
    Example(_tree("    sample.hits += 1\n    return 1.0\n"), findings=((_REWARD, 2, 5),)),
    Example(_tree("    del sample.hits\n    return 1.0\n"), findings=((_REWARD, 2, 9),)),
    Example(
        _tree(
            "from relax.utils.types import Sample\n\n\n"
            f"{_HEAD}    return float(sample.status == Sample.State.PENDING)\n"
        ),
        findings=((_REWARD, 5, 35),),
    ),
    Example(
        _tree(
            "import relax.utils.types as types\nfrom relax.utils.types import Sample as S\n\n\n"
            f"{_HEAD}    sample.status = S.DONE\n    return float(sample.status == types.Sample.Kind.PENDING)\n"
        ),
        findings=((_REWARD, 6, 21), (_REWARD, 7, 35)),
    ),
]


@rule("RLX212", "sample-field", ERROR, on="recipe", only_python=True, valid=VALID, invalid=INVALID, fixable="safe")
def sample_field(recipe: Recipe, project: Project) -> Iterator[Finding | NotChecked]:
    """Say it where it is read."""
    from relax_lint.prompt_kinds import prompt_kinds
    from relax_lint.recipe_readings import called, calls_outside, functions_of, of_annotated
    from relax_lint.sample_subscripts import as_findings, subscripts_of_annotated

    known = sample_class(project)
    if not known.closed:
        return
    seen: set[object] = set()
    for launch, entry in called(recipe, project):
        if calls_outside(launch, project):
            continue  # who knows what is put on samples there
        functions = functions_of(entry, recipe, project)
        if entry not in seen:
            seen.add(entry)
            for function in functions:
                yield from _of_function(function, known, launch, project)
        asking = [function for function in functions if function.source.says(_PROMPT)]
        for kind in prompt_kinds(launch, project) if asking else ():
            if (entry, kind) not in seen:
                seen.add((entry, kind))
                for function in asking:
                    yield from _of_prompt(function, kind, launch, project)
    for source in filter(lambda source: recipe.wants(source.path), recipe.python):
        yield from as_findings(subscripts_of_annotated(source, project), known, None, project)
        for read in of_annotated(source, project):
            if read.name not in known.names:
                yield from _unknown(read, known.names, "a Sample", None, project)


def _of_function(function: ReachedFunction, known: SampleClass, launch: Launch, project: Project) -> Iterator[Finding]:
    from relax_lint.sample_subscripts import as_findings, subscripts

    for read, names, holder in project.once(("astray", function), lambda: list(_astray(function, known))):
        yield from _unknown(read, names, holder, launch, project)
    yield from as_findings(project.once(("keys", function), lambda: subscripts(function)), known, launch, project)


def _astray(function: ReachedFunction, known: SampleClass) -> Iterator[tuple[Read, frozenset[str], str]]:
    """What a function reads that is not there: what it reads, what there is, and of what."""
    from relax_lint.calls.values import SAMPLE, Given
    from relax_lint.recipe_readings import Read, is_sample_class, reads

    for read in reads(function, SAMPLE):
        if read.name not in known.names:
            yield read, known.names, "a Sample"
    for field in FIELD_KINDS:
        names = known.of_field(field)
        if names is not None and f".{field}" in function.source.text:
            for read in reads(function, Given("sample", (field,))):
                if read.name not in names:
                    yield read, names, f"sample.{field}"
    if f"{CLASS}." not in function.source.text and f"{CLASS} as " not in function.source.text:
        return
    for node in function.attributes:
        inner = node.value
        if isinstance(inner, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load):
            if node.attr not in known.names | _OF_CLASSES and is_sample_class(function, inner):
                read = Read(function.source, node, inner, node.attr)
                yield read, known.names, f"the class {CLASS}"
        if isinstance(inner, ast.Attribute) and inner.attr in known.nested and is_sample_class(function, inner.value):
            if node.attr not in known.nested[inner.attr]:
                read = Read(function.source, node, inner, node.attr)
                yield read, known.nested[inner.attr], f"{CLASS}.{inner.attr}"


def _unknown(
    read: Read, names: frozenset[str], holder: str, launch: Launch | None, project: Project
) -> Iterator[Finding]:
    from relax_lint.recipe_readings import is_guarded, stored_names

    name = read.name
    if name in _OF_DATA_PROTO or (name.startswith("__") and name.endswith("__")) or is_guarded(read):
        return
    stored = stored_names(read.source, project)
    if stored is None or name in stored:
        return
    alike = near(name, names)
    meant = f": it is {MEANT[name]}" if name in MEANT and holder == "a Sample" else ""
    hint = f"; did you mean {' or '.join(alike)}?" if alike else meant
    yield Finding(
        read.source.place(read.node),
        f"{holder} has no {name}, and nothing in the recipe stores one{hint}",
        fix=renamed(read, alike, of_sample=holder == "a Sample") if isinstance(read.node, ast.Attribute) else None,
        launch=launch,
        subject=name,
    )


def _of_prompt(function: ReachedFunction, kind: PromptKind, launch: Launch, project: Project) -> Iterator[Finding]:
    from relax_lint.prompt_kinds import misuses
    from relax_lint.recipe_readings import stored_names

    uses = project.once(("misuses", function, kind), lambda: list(misuses(function, kind)))
    if not uses:
        return
    text = function.source.segment(function.node)
    stored = stored_names(function.source, project)
    if "isinstance" in text or "type(" in text or stored is None or "prompt" in stored:
        return
    for node, use in uses:
        place = function.source.place(node)
        yield Finding(place, f"sample.prompt is {kind.why}: {use}", launch=launch, subject="prompt")
