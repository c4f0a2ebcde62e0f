"""What the code needs of the data does not reach it, because no flag names the column.

## What

A reward, generate function or environment that reads `sample.label`, or a built-in `--rm-type` that needs a label, in a
launch without `--label-key`. A reward that reads keys of `sample.metadata` in a launch without `--metadata-key`, where
the data, or the conversion script that the launcher names, has no column `metadata`; a warning: where that is not
known, or the code puts nothing in place of the key itself (`metadata.get(key, "")`). A launch without `--input-key`
whose data has no column `input`. Prompts that are lists of messages, without `--apply-chat-template`, for Relax's own
generate function. Silent where the code also goes without: `sample.label or …`, `metadata.get(key, default)`, values
that the recipe sets itself.

## Why

Without `--label-key` every `sample.label` is `None`: scores are 0 or the reward fails, hours into a run. Metadata is
empty, and its keys are missing. Without an input column every prompt is `None`; the default generate function cannot
encode a list.

## Source

Guide: column mapping by `--input-key`, `--label-key`, `--metadata-key` and `--apply-chat-template`. Relax's defaults
are `input`, none, `metadata` and off. Prompts for `--multimodal-keys` are lists, too: RLX505 speaks of these.

## Example

    --prompt-data data/train.parquet --input-key prompt     with   return float(sample.response == sample.label)

## Fix

The flag is added where the columns of the data show which it must be.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.catalog.hidden import Hidden, is_hidden
from relax_lint.catalog.labels import OBJECT_FAILS, OBJECTS_WITH
from relax_lint.catalog.rewards import BOXED, WITHOUT_REWARDS
from relax_lint.data_fixes import with_flag
from relax_lint.diagnostics import Finding, NotChecked, Place, Related
from relax_lint.known_columns import KnownColumns
from relax_lint.rules import ERROR, WARNING, Example, rule
from relax_lint.rules.data._examples import DATA, RUN, TRAIN, script, tree
from relax_lint.shell.queries import is_broken_off, place_of, start_of, why_unknown

if TYPE_CHECKING:
    from relax_lint.data_arguments import DataArguments
    from relax_lint.project import Project
    from relax_lint.sample_readings import KeyReading
    from relax_lint.shell.launch import Launch

_PROMPTS = ("prompt", "messages", "question", "problem", "query", "instruction")
_OTHERS = ("extra_info", "meta", "info")
_DATA_SOURCE = "data_source"
_SOURCE = "--data-source-path"
_READERS = {"reward": "reward", "generate": "generate function", "environment": "environment"}

_REWARD = "examples/demo/reward_demo.py"
_PATH = "--custom-rm-path examples.demo.reward_demo.reward_func"
_HEAD = "async def reward_func(args, sample, **kwargs):\n"
_COMPARES = "    return {'score': float(sample.response == sample.label)}\n"
_ROW = {"prompt": "1 + 1?", "label": "2", "extra_info": {"index": "0"}}
_CHAT = {"prompt": [{"role": "user", "content": "1 + 1?"}], "label": "2"}
_KEYS = "--input-key prompt --label-key label"
_ELSEWHERE = f"{TRAIN} --prompt-data $DATA_DIR/train.parquet"
_TOOL = "scripts/tools/process_demo.py"
_NOTE = f"# Convert data: python3 {_TOOL} --input-dir /verl --output-dir /relax\n"
_ROW_MADE = '{"prompt": row["question"], "label": row["answer"], "extra_info": row["more"]}'
_MAKES = f"def convert(row):\n    return {_ROW_MADE}\n"


def _scored(body: str, launch: str, *rows: object, **more: str) -> dict[str, str]:
    files = script(launch, *rows) if rows else {RUN: launch}
    code = body if "def reward_func" in body else _HEAD + body
    return {**files, _REWARD: code, "examples/demo/__init__.py": "", **more}


def _run(flags: str) -> str:
    return f"{TRAIN} --prompt-data {DATA} {flags}\n"


VALID: list[Example | str] = [
    Example(_scored(_COMPARES, f"{_ELSEWHERE} {_KEYS} {_PATH}\n")),
    Example(_scored(_COMPARES, f'{_ELSEWHERE} --input-key prompt {_PATH} "$@"\n')),
    Example(
        _scored(
            "    truth = sample.label or sample.metadata.get('answer')\n    return float(truth in sample.response)\n",
            f"{_ELSEWHERE} --input-key prompt --metadata-key extra_info {_PATH}\n",
        )
    ),
    Example(
        _scored(
            "    if sample.label is not None:\n        return float(sample.label in sample.response)\n"
            "    return float(len(sample.response) < 100)\n",
            f"{_ELSEWHERE} --input-key prompt {_PATH}\n",
        )
    ),
    Example(
        _scored(
            "    truth = sample.metadata.get('answer', sample.label)\n    return float(truth in sample.response)\n",
            f"{_ELSEWHERE} --input-key prompt --metadata-key extra_info {_PATH}\n",
        )
    ),
    Example(_scored("    print(sample.label)\n    return 1.0\n", f"{_ELSEWHERE} --input-key prompt {_PATH}\n")),
    Example(_scored(_COMPARES, f"{_ELSEWHERE} --data-source-path examples.demo.games.Games {_PATH}\n")),
    Example(
        _scored(
            _COMPARES,
            f"{_ELSEWHERE} --input-key prompt {_PATH} --custom-generate-function-path examples.demo.rollout.generate\n",
            **{
                "examples/demo/rollout.py": "async def generate(args, sample, sampling_params):\n"
                "    sample.label = 'x'\n    return sample\n"
            },
        )
    ),
    Example(
        _scored(
            _COMPARES,
            f"{_ELSEWHERE} --input-key prompt {_PATH} --custom-config-path examples/demo/config.yaml\n",
            **{"examples/demo/config.yaml": "label_key: label\n"},
        )
    ),
    Example(
        _scored(
            "    return float(sample.metadata['index'] in sample.response)\n",
            _run(f"{_KEYS} {_PATH}"),
            {**_ROW, "metadata": {"index": "0"}},
        )
    ),
    Example(
        _scored(
            "    return float(sample.metadata.get('style', '') in sample.response)\n", f"{_ELSEWHERE} {_KEYS} {_PATH}\n"
        )
    ),
    Example(
        _scored(
            "    metadata = sample.metadata\n"
            "    truth = metadata.get('answer', sample.label if hasattr(sample, 'label') else '')\n"
            "    return float(truth in sample.response)\n",
            f"{_ELSEWHERE} --input-key prompt --metadata-key extra_info {_PATH}\n",
        )
    ),
    Example(
        _scored(
            "    return {'score': 1.0}\n",
            f"{_ELSEWHERE} {_KEYS} {_PATH} --custom-generate-function-path examples.demo.rollout.generate\n",
            **{
                "examples/demo/rollout.py": "async def generate(args, sample, sampling_params):\n"
                "    image = sample.metadata.get('image')\n    sample.response = str(image)\n    return sample\n"
            },
        )
    ),
    Example(
        _scored(
            "    return float(sample.metadata['data_source'] in sample.response)\n",
            _run(f"{_KEYS} {_PATH}"),
            {**_ROW, "data_source": "gsm8k"},
        )
    ),
    Example(
        _scored(
            "    sample.metadata['seen'] = 1\n    return float(sample.metadata['seen'])\n",
            _run(f"{_KEYS} {_PATH}"),
            _ROW,
        )
    ),
    Example(tree("--label-key label --rm-type math", {"input": "1 + 1?", "label": "2"})),
    Example(tree("--label-key label --rm-type math --custom-prompt-path examples.demo.prompts.ask", _ROW)),
    Example(tree(f"{_KEYS} --rm-type math --apply-chat-template", _CHAT)),
    Example(tree(f"{_KEYS} --rm-type math --custom-generate-function-path examples.demo.rollout.generate", _CHAT)),
    Example(tree("--input-key prompt --rm-type random", _ROW)),
    Example(tree("--input-key prompt --rm-type math --use-opd --opd-type sglang --opd-kl-coef 1.0", _ROW)),
    Example(tree("--input-key prompt --rm-type $KIND", _ROW)),
    Example(tree("--loss-type sft --input-key prompt", _CHAT)),
    f"{_ELSEWHERE} --rm-type math --load-debug-rollout-data /tmp/rollout.pt\n",
]

INVALID = [
    Example(
        _scored(_COMPARES, f"{_ELSEWHERE} --input-key prompt {_PATH}\n"),
        findings=((RUN, 1, 36),),
    ),
    Example(
        _scored(_COMPARES, f"{_NOTE}{_ELSEWHERE} --input-key prompt {_PATH}\n", **{_TOOL: _MAKES}),
        findings=((RUN, 2, 36),),
        fixed={RUN: f"{_NOTE}{_ELSEWHERE} --input-key prompt --label-key label {_PATH}\n"},
    ),
    Example(
        _scored(_COMPARES, _run(f"--input-key prompt {_PATH}"), _ROW),
        findings=((RUN, 1, 36),),
        fixed={RUN: _run(f"--input-key prompt --label-key label {_PATH}")},
    ),
    Example(
        _scored(
            "def compute_score(text, ground_truth):\n    return float(ground_truth.strip() in text)\n\n\n"
            "async def reward_func(args, sample, **kwargs):\n    ground_truth = sample.label\n"
            "    return {'score': compute_score(sample.response, ground_truth)}\n",
            f"ROLLOUT_ARGS=(\n  --prompt-data /d/train.parquet\n  --input-key prompt\n)\n"
            f'{TRAIN} "${{ROLLOUT_ARGS[@]}}" {_PATH}\n',
        ),
        findings=((RUN, 2, 3),),
    ),
    Example(
        _scored(
            "    if not sample.label:\n        raise ValueError('no label')\n"
            "    return {'score': float((sample.label or '').strip() in sample.response)}\n",
            f"{_ELSEWHERE} --input-key=prompt {_PATH} --colocate\n",
        ),
        findings=((RUN, 1, 36),),
    ),
    Example(
        _scored(
            "import asyncio\n\n\nasync def one(args, sample):\n    truth = getattr(sample, 'label')\n"
            "    return float(truth in sample.response)\n\n\n"
            "async def reward_func(args, samples: list, **kwargs):\n"
            "    return await asyncio.gather(*[one(args, sample) for sample in samples])\n",
            f"{_ELSEWHERE} --input-key prompt {_PATH} --group-rm\n",
        ),
        findings=((RUN, 1, 36),),
    ),
    Example(
        tree("--input-key prompt --rm-type math", _ROW),
        findings=((RUN, 1, 36),),
        fixed={RUN: _run("--input-key prompt --label-key label --rm-type math")},
    ),
    Example(
        f'run() {{\n  {TRAIN} --prompt-data /d/train.jsonl --input-key prompt \\\n    --rm-type=boxed_deepscaler "$1"\n'
        "}\nrun --colocate\n",
        findings=((2, 38),),
    ),
    Example(
        _scored(
            "    return {'score': float(sample.metadata['index'] in sample.response)}\n",
            _run(f"{_KEYS} {_PATH}"),
            _ROW,
        ),
        findings=((RUN, 1, 36),),
        fixed={RUN: _run(f"{_KEYS} --metadata-key extra_info {_PATH}")},
    ),
    Example(
        _scored(
            "    return {'score': float(sample.metadata['answer'] in sample.response)}\n",
            f"{_ELSEWHERE} {_KEYS} {_PATH}\n",
        ),
        findings=((RUN, 1, 36, WARNING),),
    ),
    Example(
        _scored(
            "    question = sample.metadata.get('question')\n"
            "    return {'score': float(question in sample.response)}\n",
            f"{_ELSEWHERE} {_KEYS} {_PATH}\n",
        ),
        findings=((RUN, 1, 36, WARNING),),
    ),
    Example(
        _scored(
            "    return {'score': float(sample.response == 'x')}\n",
            f"{_ELSEWHERE} --input-key prompt {_PATH} --custom-generate-function-path examples.demo.rollout.generate\n",
            **{
                "examples/demo/rollout.py": "async def generate(args, sample, sampling_params):\n"
                "    sample.response = sample.label.strip()\n    return sample\n"
            },
        ),
        findings=((RUN, 1, 36),),
    ),
    Example(
        _scored(
            "    more = sample.metadata or {}\n    return {'score': float(more['answer'] in sample.response)}\n",
            f"{_NOTE}{_ELSEWHERE} {_KEYS} {_PATH}\n",
            **{_TOOL: _MAKES},
        ),
        findings=((RUN, 2, 36),),
    ),
    Example(
        _scored(
            "    return {'score': float(sample.metadata.get('style') == 'plain')}\n",
            _run(f"{_KEYS} {_PATH}"),
            {"prompt": "1 + 1?", "label": "2"},
        ),
        findings=((RUN, 1, 36),),
    ),
    Example(
        _scored(
            "    return {'score': float(sample.metadata.get('style', '') == 'plain')}\n",
            _run(f"{_KEYS} {_PATH}"),
            {"prompt": "1 + 1?", "label": "2"},
        ),
        findings=((RUN, 1, 36, WARNING),),
    ),
    Example(
        tree("--label-key label --rm-type math", _ROW),
        findings=((RUN, 1, 36),),
        fixed={RUN: _run("--label-key label --input-key prompt --rm-type math")},
    ),
    Example(
        script(
            f'if [ "$1" = a ]; then\n  KEYS=(--label-key answer)\nelse\n  KEYS=(--label-key answer --colocate)\nfi\n'
            f'{TRAIN} --prompt-data {DATA} "${{KEYS[@]}}" --rm-type math\n',
            {"text": "1 + 1?", "answer": "2"},
        ),
        findings=((RUN, 6, 36),),
    ),
    Example(
        tree(f"{_KEYS} --rm-type math", _CHAT),
        findings=((RUN, 1, 67),),
        fixed={RUN: _run("--input-key prompt --apply-chat-template --label-key label --rm-type math")},
    ),
    Example(
        {
            RUN: f"{_NOTE}{_ELSEWHERE} \\\n  --input-key prompt \\\n  --label-key label \\\n  --rm-type math\n",
            _TOOL: 'def convert(row):\n    prompt = [{"role": "user", "content": row["question"]}]\n'
            '    return {"prompt": prompt, "label": row["answer"]}\n',
        },
        findings=((RUN, 3, 3),),
        fixed={
            RUN: f"{_NOTE}{_ELSEWHERE} \\\n  --input-key prompt \\\n  --apply-chat-template \\\n"
            "  --label-key label \\\n  --rm-type math\n"
        },
    ),
    Example(
        {
            RUN: f"{_NOTE}{_ELSEWHERE} --label-key label --rm-type math\n",
            _TOOL: _MAKES,
        },
        findings=((RUN, 2, 36),),
        fixed={RUN: f"{_NOTE}{_ELSEWHERE} --label-key label --input-key prompt --rm-type math\n"},
    ),
]


@rule("RLX214", "data-not-wired", ERROR, on="launch", valid=VALID, invalid=INVALID, fixable="safe")
def data_not_wired(launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    """Label, metadata, prompt and its form, one after the other."""
    if launch.kind != "relax" or launch.mode == "sft" or launch.last("--prompt-data") is None:
        return
    if any(launch.has(flag) for flag in WITHOUT_REWARDS) or is_broken_off(launch):
        return
    from relax_lint.data_arguments import DataArguments

    arguments = DataArguments(launch, project)
    if not arguments.reads_prompt_data and (
        launch.has(_SOURCE) or not is_hidden(arguments.settled("data_source_path"))
    ):
        return
    wiring = _Wiring(arguments)
    yield from wiring.label()
    yield from wiring.metadata()
    yield from wiring.prompt()


class _Wiring:
    """The training data of a launch and the flags that say how it is read."""

    def __init__(self, arguments: DataArguments) -> None:
        self.arguments = arguments
        self.launch = arguments.launch
        self.project = arguments.project
        self.columns = KnownColumns(arguments.launch, arguments.project)

    def _place(self, *flags: str) -> Place:
        named = (self.launch.last(flag) for flag in (*flags, "--prompt-data"))
        argument = next((one for one in named if one is not None), None)
        return start_of(self.launch) if argument is None else place_of(self.launch, argument.word)

    def _unknown(self, flag: str, value: Hidden) -> NotChecked:
        return NotChecked(self._place(flag), why_unknown(value.words[0]) if value.words else flag)

    # ------------------------------------------------------------ label

    def label(self) -> Iterator[Finding | NotChecked]:
        """A label that is read and that nothing gives."""
        key = self.arguments.settled("label_key")
        if not is_hidden(key) and key is not None:
            return
        needed = self._label_needed()
        if needed is None:
            return
        if is_hidden(key):
            yield self._unknown("--label-key", key)
            return
        reader, related = needed
        texts = self.columns.answers
        fix = None
        if len(texts) == 1:
            fix = with_flag("--label-key", texts[0], self.launch, self.project, ("--input-key", "--prompt-data"))
        message = f"{reader} the label, and without --label-key every label is None: name the column with the answer"
        yield Finding(self._place(), message, fix=fix, launch=self.launch, subject="--label-key", related=related)

    def _label_needed(self) -> tuple[str, tuple[Related, ...]] | None:
        from relax_lint.rewards import reward_uses
        from relax_lint.sample_readings import sample_readings

        if reward_uses(self.launch, self.project):
            found = sample_readings(self.launch, self.project)
            if found is None or found.label is None:
                return None
            kind, place = found.label
            return f"the {_READERS[kind]} reads", (Related(place, "the label is read here"),)
        if self.arguments.generates_itself:
            return None
        named = self.arguments.settled("rm_type")
        name = named.strip().removeprefix(BOXED) if isinstance(named, str) else ""
        if name not in OBJECT_FAILS and name not in OBJECTS_WITH:
            return None
        fails = OBJECT_FAILS.get(name, "").startswith("fails")
        if not fails and self.arguments.settled("use_opd") is not False:
            return None  # what is distilled needs no score
        return f"--rm-type {named} needs", ()

    # ------------------------------------------------------------ metadata

    def metadata(self) -> Iterator[Finding | NotChecked]:
        """Keys of the metadata that are read, of a column that is not there."""
        from relax_lint.rewards import reward_uses

        if self.arguments.naming("metadata", evaluation=False) is not None:
            return
        if not reward_uses(self.launch, self.project):
            return
        from relax_lint.sample_readings import SET_BY_RELAX, sample_readings

        found = sample_readings(self.launch, self.project)
        if found is None or not found.keys:
            return
        key = self.arguments.settled("metadata_key")
        if is_hidden(key):
            yield self._unknown("--metadata-key", key)
            return
        known = self.columns.names
        if known is not None and key in known:
            return
        given = SET_BY_RELAX if known is None or _DATA_SOURCE in known else SET_BY_RELAX - {_DATA_SOURCE}
        read = {
            name: reading
            for name, reading in found.keys.items()
            if name not in given and (reading.needed or reading.reader == "reward")
        }
        needed = [reading for reading in read.values() if reading.needed]
        plain = [reading for reading in read.values() if reading.plain]
        if needed or plain or (read and known is not None):
            yield self._metadata(list(read.values()), needed or plain)

    def _metadata(self, read: list[KeyReading], first: list[KeyReading]) -> Finding:
        names = ", ".join(reading.key for reading in read[:4])
        known, columns = self.columns.names is not None, self.columns.types
        lacks = f": {self.columns.where} has no column metadata" if known else ", unless the data has a column metadata"
        fitting = [
            name for name in _OTHERS if name in columns and columns[name].names >= {reading.key for reading in read}
        ]
        fix = None
        if len(fitting) == 1:
            fix = with_flag("--metadata-key", fitting[0], self.launch, self.project)
        one = (first or read)[0]
        return Finding(
            self._place(),
            f"the {_READERS[one.reader]} reads {names} of the metadata, which is empty without --metadata-key{lacks}",
            severity=ERROR if (one.needed or one.plain) and known else WARNING,
            fix=fix,
            launch=self.launch,
            subject="--metadata-key",
            related=(Related(one.place, f"{one.key} is read here"),),
        )

    # ------------------------------------------------------------ prompts

    def prompt(self) -> Iterator[Finding | NotChecked]:
        """A column of prompts that is not there, or prompts that are lists and stay so."""
        if self.arguments.rewrites_prompts:
            return
        key = self.arguments.settled("input_key")
        if is_hidden(key) or not isinstance(key, str):
            return
        if self.arguments.naming("input", evaluation=False) is None:
            names = self.columns.names
            if names is not None and key not in names:
                near = [name for name in _PROMPTS if name in names]
                fix = None
                if near and (len(near) == 1 or near[0] == _PROMPTS[0]):
                    fix = with_flag("--input-key", near[0], self.launch, self.project)
                has = ", ".join(sorted(names)[:6])
                where = self.columns.where
                message = f"without --input-key Relax takes the column {key}, and {where} has none (it has {has})"
                yield Finding(self._place(), message, fix=fix, launch=self.launch, subject="--input-key")
                return
        yield from self._form(key)

    def _form(self, key: str) -> Iterator[Finding]:
        """Lists without a template, which only a generate function of one's own takes."""
        arguments = self.arguments
        media = arguments.settled("multimodal_keys")
        if arguments.template is not False or arguments.generates_itself or is_hidden(media) or media:
            return
        if self.columns.holds_conversations(key):
            fix = with_flag("--apply-chat-template", None, self.launch, self.project, ("--input-key", "--prompt-data"))
            message = f"the prompts are lists of messages in {self.columns.where}, which need --apply-chat-template"
            yield Finding(
                self._place("--input-key"), message, fix=fix, launch=self.launch, subject="--apply-chat-template"
            )
