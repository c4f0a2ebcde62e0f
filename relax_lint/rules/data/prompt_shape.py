"""Prompts that are neither a text nor a list of messages, as the launch needs them.

## What

Rows, of a sample or of all with `relax-lint data check`, whose prompt is null, a number or an object; an empty list, or
a list of anything but objects with `role` and `content`; a content that is null or no text; a content of parts where
the checkpoint is a text model; parts in which parquet has given every text the key `image`; a plain text where the
checkpoint is a vision model and the launch has neither `--apply-chat-template` nor `--multimodal-keys`. For
fine-tuning: no list of messages without `--label-key`, no text with it, unknown roles, no assistant message. A warning:
a text that is a list of messages written as JSON. And `tools` beside the prompt that are null, an object or a text that
is no list written as JSON.

## Why

The chat template, the processor or the tokenizer fails on such a row when the data is loaded, or, with
`--use-streaming-dataset`, drops it. A text model's template turns a list of parts into nothing. A list that was
written as JSON reaches the model as JSON.

## Source

Guide: `prompt` holds chat messages or a string. Relax: strings are returned as they are or become one user message; the
processor asserts a list; fine-tuning takes `role` and `content` by name and refuses the first row that lacks them.

## Example

    {"prompt": [{"from": "human", "value": "1 + 1?"}], "label": "2"}

## Fix

By hand, in the conversion of the data: a text, or a list of `{"role": …, "content": …}`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from relax_lint.catalog.hidden import is_hidden
from relax_lint.data_prompts import Reading, in_words, prompt_faults, sft_faults
from relax_lint.datasets import datasets_of
from relax_lint.diagnostics import Finding, NotChecked, Severity
from relax_lint.kept import kept_property
from relax_lint.row_judges import Fault, RowJudge, judged
from relax_lint.rules import ERROR, Example, rule
from relax_lint.rules.data._examples import DATA, RUN, TRAIN, lines, script, tree

if TYPE_CHECKING:
    from relax_lint.project import Project
    from relax_lint.shell.launch import Launch
    from relax_lint.sources.dataset import DataFile, Row

_KEYS = "--input-key prompt --label-key label"
_CHAT = f"{_KEYS} --apply-chat-template"
_TEXT_MODEL = "--hf-checkpoint ${MODEL_DIR}/Qwen3-4B"
_VISION_MODEL = "--hf-checkpoint ${MODEL_DIR}/Qwen3-VL-4B-Instruct/"
_IMAGES = '--multimodal-keys \'{"image": "images"}\''


def _asked(content: object, role: str = "user") -> dict[str, object]:
    return {"prompt": [{"role": role, "content": content}], "label": "2"}


_TEXT = {"prompt": "1 + 1?", "label": "2"}
_CHATTED = _asked("1 + 1?")
_PARTS = [{"type": "image", "image": "a.png"}, {"type": "text", "text": "what?"}]

_TOOLS = "--input-key prompt --apply-chat-template"
_ASKED = {"prompt": [{"role": "user", "content": "1 + 1?"}], "label": "2"}

VALID: list[Example | str] = [
    Example(tree(_KEYS, _TEXT)),
    Example(tree(f"{_CHAT} {_TEXT_MODEL}", _TEXT, _CHATTED)),
    Example(tree(f"{_CHAT} {_VISION_MODEL}", _asked(_PARTS))),
    Example(tree(f"{_CHAT} {_VISION_MODEL} {_IMAGES}", {**_asked("<image>what?"), "images": ["a.png"]})),
    Example(tree(f"{_CHAT}", _asked([{"type": "text", "text": "what?"}]))),
    Example(
        tree(
            _CHAT,
            {
                "prompt": [
                    {"role": "user", "content": "go"},
                    {"role": "assistant", "content": None, "tool_calls": [{"type": "function"}]},
                    {"role": "tool", "content": "done"},
                ],
                "label": "2",
            },
        )
    ),
    Example(tree(f"{_KEYS} --custom-prompt-path examples.demo.prompts.ask", {"prompt": 7, "label": "2"})),
    Example(tree("--input-key $KEY", {"prompt": None, "label": "2"})),
    Example(tree(_KEYS, {"prompt": "[1, 2, 3] is a list. What is its sum?", "label": "6"})),
    Example(
        tree(
            "--loss-type sft --input-key messages",
            {"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]},
        )
    ),
    Example(
        tree(
            "--loss-type sft --input-key conversations --conversation-key-map "
            '\'{"from": "role", "value": "content", "human": "user", "gpt": "assistant"}\'',
            {"conversations": [{"from": "human", "value": "hi"}, {"from": "gpt", "value": "hello"}]},
        )
    ),
    Example(tree("--loss-type sft --input-key question --label-key answer", {"question": "hi", "answer": "hello"})),
    Example(tree(f"{_KEYS} --debug-train-only", {"prompt": None, "label": "2"})),
    Example(tree(f"{_KEYS} {_VISION_MODEL} {_IMAGES}", {**_TEXT, "images": []})),
    Example(tree(f"{_KEYS} {_VISION_MODEL} --multimodal-keys '{{}}'", _TEXT)),
    Example(tree(f'{_CHAT} {_TEXT_MODEL} --multimodal-keys "$MEDIA"', _asked([{"type": "text", "text": "what?"}]))),
    Example(
        tree(
            f"{_KEYS} {_TEXT_MODEL} --custom-generate-function-path examples.demo.rollout.generate",
            _asked([{"type": "text", "text": "what?"}]),
        )
    ),
    Example(tree(_TOOLS, {**_ASKED, "tools": [{"type": "function"}]}, _ASKED)),
    Example(tree(_TOOLS, {**_ASKED, "tools": '[{"type": "function"}]'})),
    Example(tree(f"{_TOOLS} --tool-key calls", {**_ASKED, "tools": None})),
]

INVALID = [
    Example(tree(_CHAT, _TEXT, {"prompt": None, "label": "2"}), findings=((RUN, 1, 67),)),
    Example(tree(_KEYS, {"prompt": 11, "label": "2"}), findings=((RUN, 1, 67),)),
    Example(tree(_CHAT, {"prompt": {"role": "user", "content": "hi"}, "label": "2"}), findings=((RUN, 1, 67),)),
    Example(tree(_CHAT, {"prompt": [{"from": "human", "value": "hi"}], "label": "2"}), findings=((RUN, 1, 67),)),
    Example(tree(_CHAT, {"prompt": ["hi", "there"], "label": "2"}), findings=((RUN, 1, 67),)),
    Example(
        script(
            f"KEYS=(\n    --prompt-data {DATA}\n    --input-key=prompt\n    --apply-chat-template\n)\n"
            f'{TRAIN} "${{KEYS[@]}}" {_TEXT_MODEL}\n',
            _asked([{"type": "text", "text": "what?"}]),
        ),
        findings=((RUN, 3, 5),),
    ),
    Example(
        script(
            f"CKPT=models/Qwen3-VL-4B\n{TRAIN} --hf-checkpoint $CKPT \\\n  --prompt-data {DATA} \\\n  {_KEYS}\n", _TEXT
        ),
        findings=((RUN, 4, 3),),
    ),
    Example(tree(f"{_CHAT} {_IMAGES}", {**_asked(None), "images": []}), findings=((RUN, 1, 67),)),
    Example(
        tree(
            f"{_CHAT} {_VISION_MODEL}",
            _asked([{"type": "text", "text": "what?", "image": None}, {"type": "image", "image": "a.png"}]),
        ),
        findings=((RUN, 1, 67),),
    ),
    Example(
        tree(_CHAT, {"prompt": '[{"role": "user", "content": "hi"}]', "label": "2"}),
        findings=((RUN, 1, 67, Severity.WARNING),),
    ),
    Example(
        script(
            f'train() {{\n  {TRAIN} --prompt-data {DATA} --input-key prompt \\\n    "$@"\n}}\n'
            "train --apply-chat-template --eval-interval 9 --eval-prompt-data t data/test.jsonl --eval-input-key ask\n",
            _CHATTED,
            data__test_jsonl=lines({"ask": []}),
        ),
        findings=((RUN, 5, 84),),
    ),
    Example(
        tree("--loss-type sft --input-key messages", {"messages": [{"role": "human", "content": "hi"}]}),
        findings=((RUN, 1, 83),),
    ),
    Example(
        tree("--loss-type sft --input-key messages", {"messages": [{"role": "user", "content": "hi"}]}),
        findings=((RUN, 1, 83),),
    ),
    Example(
        tree("--loss-type=sft --input-key messages --label-key answer", {"messages": [], "answer": "hello"}),
        findings=((RUN, 1, 83),),
    ),
    Example(tree(_TOOLS, {**_ASKED, "tools": None}), findings=((RUN, 1, 36),)),
    Example(tree(f"{_TOOLS} --tool-key tools", {**_ASKED, "tools": {"name": "add"}}), findings=((RUN, 1, 108),)),
    Example(tree(_TOOLS, {**_ASKED, "tools": "add, sub"}), findings=((RUN, 1, 36),)),
]


@rule("RLX704", "prompt-shape", ERROR, on="launch", everywhere=True, valid=VALID, invalid=INVALID)
def check(launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    """Every dataset of the launch by itself."""
    for use in datasets_of(launch, project):
        yield from judged(use, PromptShape)
        yield from judged(use, ToolsShape)


class PromptShape(RowJudge):
    """Looks at prompts."""

    needs: ClassVar[tuple[str, ...]] = ("input",)
    places: ClassVar[tuple[str, ...]] = ("input",)

    @property
    def applies(self) -> bool:
        """Unless a function of the user makes the prompts."""
        return self.use.sft or self.use.role == "eval" or not self.use.arguments.rewrites_prompts

    @property
    def columns(self) -> tuple[str, ...]:
        """The prompt."""
        return (self.use.keys.input,)

    @kept_property
    def _reading(self) -> Reading:
        media, arguments = self.use.keys.media, self.use.arguments
        template = arguments.template
        known = not is_hidden(media)
        as_messages = (
            True if template or (known and media is not None) else False if known and template is False else None
        )
        return Reading(template, bool(media) if known else None, arguments.sees_media, as_messages)

    def faults(self, row: Row, file: DataFile) -> Iterator[Fault]:
        """By what the loader of the launch takes."""
        column = self.use.keys.input
        if column not in row and column not in file.columns:
            return
        if not self.use.sft:
            yield from prompt_faults(row.get(column), self._reading)
            return
        label, names = self.use.keys.label, self.use.arguments.settled("conversation_key_map")
        if not is_hidden(label) and not is_hidden(names):
            renamed = names if isinstance(names, dict) else None
            yield from sft_faults(row.get(column), labelled=label is not None, renamed=renamed)


class ToolsShape(RowJudge):
    """Looks at the tools that are put into prompts."""

    needs: ClassVar[tuple[str, ...]] = ("tool",)
    places: ClassVar[tuple[str, ...]] = ("tool",)

    @property
    def applies(self) -> bool:
        """Where a column that is there is taken."""
        column = self.use.keys.tool
        return is_hidden(column) or column in self.use.columns

    @property
    def columns(self) -> tuple[str, ...]:
        """The tools."""
        return (self.use.keys.tool,)

    def faults(self, row: Row, file: DataFile) -> Iterator[Fault]:
        """A list, or one that is written as JSON; for fine-tuning nothing, too."""
        column = self.use.keys.tool
        if column not in row and not file.is_parquet:
            return
        value = row.get(column)
        if value is None and self.use.sft:
            return
        if isinstance(value, str):
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                yield "text", f"{column} is a text that is no JSON: Relax takes a list of tools", ERROR
                return
        if not isinstance(value, list):
            yield "kind", f"{column} is {in_words(value)}: Relax takes a list of tools", ERROR
