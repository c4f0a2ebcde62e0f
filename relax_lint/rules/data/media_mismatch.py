"""Rows whose prompt has more or fewer places for media than the row has media.

## What

With `--multimodal-keys`, rows, of a sample or of all with `relax-lint data check`, in which the column of a kind of
media (`image`, `video`, `audio`) has more items than the prompt has placeholders (`<image>`, `<video>`, `<audio>`) and
parts of that type. A warning: more placeholders than items.

## Why

Relax puts the items where the placeholders are. An item that is left over ends the loading of the data with
"placeholder lost", or, with `--use-streaming-dataset`, the row is dropped. A placeholder without item is taken out of
the prompt: the model is asked about a picture that it does not get.

## Source

Guide: `--multimodal-keys` maps kinds of media to columns of lists. Relax's `build_messages` splits contents at the
placeholders, counts parts by their type, and compares the counts for each kind.

## Example

    {"prompt": "What differs?", "images": ["a.png", "b.png"]}    with --multimodal-keys '{"image": "images"}'

## Fix

By hand, in the conversion of the data: one placeholder for each item.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from relax_lint.data_prompts import PLACEHOLDERS, placed_media
from relax_lint.datasets import datasets_of
from relax_lint.diagnostics import Finding, NotChecked, Severity
from relax_lint.row_judges import Fault, RowJudge, judged
from relax_lint.rules import ERROR, WARNING, Example, rule
from relax_lint.rules.data._examples import DATA, RUN, TRAIN, lines, script, tree

if TYPE_CHECKING:
    from relax_lint.project import Project
    from relax_lint.shell.launch import Launch
    from relax_lint.sources.dataset import DataFile, Row

_KEYS = "--input-key prompt --label-key label --apply-chat-template"
_IMAGES = '--multimodal-keys \'{"image": "images"}\''


def _row(content: object, *images: object, **more: object) -> dict[str, object]:
    return {"prompt": [{"role": "user", "content": content}], "images": list(images), "label": "x", **more}


_ONE = _row("<image>What is this?", "a.png")

VALID: list[Example | str] = [
    Example(tree(f"{_KEYS} {_IMAGES}", _ONE)),
    Example(tree(f"{_KEYS} {_IMAGES}", {"prompt": "<image> and <image>?", "images": ["a.png", "b.png"], "label": "x"})),
    Example(tree(f"{_KEYS} {_IMAGES}", _row("How much is 1 + 1?"))),
    Example(tree(_KEYS, _row("What is this?", "a.png"))),
    Example(
        tree(
            f"{_KEYS} {_IMAGES}",
            _row([{"type": "image", "image": "a.png"}, {"type": "text", "text": "What is this?"}], "a.png"),
        )
    ),
    Example(tree(f"{_KEYS} {_IMAGES}", _row([{"type": "image", "image": "a.png"}, {"type": "text", "text": "What?"}]))),
    Example(tree(f"{_KEYS} --multimodal-keys \"$MEDIA\"", _row("What is this?", "a.png"))),
    Example(tree(f"{_KEYS} {_IMAGES} --custom-prompt-path examples.demo.ask.ask", _row("What is this?", "a.png"))),
    Example(
        tree(
            f'{_KEYS} --multimodal-keys \'{{"image": "images", "video": "videos"}}\'',
            _row("<video>then<image>", "a.png", videos=["a.mp4"]),
            {**_row("<image>", "b.png"), "videos": None},
        )
    ),
    Example(
        tree(
            f"{_KEYS} {_IMAGES}",
            {
                "prompt": [{"role": "system", "content": "Look."}, {"role": "user", "content": "<image>first"},
                           {"role": "assistant", "content": "a cat"}, {"role": "user", "content": "<image>second"}],
                "images": ["a.png", "b.png"],
                "label": "x",
            },
        )
    ),
    Example(tree(f"{_KEYS} --multimodal-keys '{{}}'", _row("What is this?", "a.png"))),
]  # fmt: skip

INVALID = [
    Example(tree(f"{_KEYS} {_IMAGES}", _ONE, _row("What is this?", "a.png")), findings=((RUN, 1, 126),)),
    Example(tree(f"{_KEYS} {_IMAGES}", _row("<image>What is this?")), findings=((RUN, 1, 126, Severity.WARNING),)),
    Example(
        script(
            f"ARGS=(\n    --prompt-data {DATA}\n    --input-key prompt\n    {_IMAGES}\n)\n"
            f'{TRAIN} --apply-chat-template "${{ARGS[@]}}"\n',
            {"prompt": "What differs?", "images": ["a.png", "b.png"], "label": "x"},
        ),
        findings=((RUN, 4, 5),),
    ),
    Example(
        tree(
            f"--input-key prompt {_IMAGES} --apply-chat-template",
            _row([{"type": "text", "text": "<image>What is this?"}], "a.png"),
        ),
        findings=((RUN, 1, 86),),
    ),
    Example(
        script(
            f'KEYS=\'{{"image": "images", "video": "videos"}}\'\n'
            f'{TRAIN} --prompt-data={DATA} --input-key=prompt --multimodal-keys="$KEYS" --apply-chat-template\n',
            _row("<image>", "a.png", videos=["a.mp4"]),
        ),
        findings=((RUN, 2, 86),),
    ),
    Example(
        script(
            f"{TRAIN} \\\n  --prompt-data {DATA} --input-key prompt --apply-chat-template \\\n"
            '  --multimodal-keys "{\\"audio\\": \\"sounds\\"}"\n',
            {"prompt": "<audio> or <audio>?", "sounds": ["a.wav"]},
        ),
        findings=((RUN, 3, 3, Severity.WARNING),),
    ),
    Example(
        tree(f"{_KEYS} {_IMAGES} --use-streaming-dataset", _row("<Image>What is this?", "a.png")),
        findings=((RUN, 1, 126),),
    ),
    Example(
        script(
            f'if [ -n "$IMAGES" ]; then\n  MEDIA=({_IMAGES})\nfi\n'
            f'{TRAIN} --prompt-data "[\'{DATA}\']" --input-key prompt --apply-chat-template "${{MEDIA[@]}}"\n',
            _row("<image><image>", "a.png", "b.png", "c.png"),
        ),
        findings=((RUN, 2, 10),),
    ),
    Example(
        tree(
            f"--loss-type sft --input-key messages {_IMAGES}",
            {
                "messages": [{"role": "user", "content": "look"}, {"role": "assistant", "content": "a cat"}],
                "images": ["a.png"],
            },
        ),
        findings=((RUN, 1, 104),),
    ),
    Example(
        tree(
            f"{_KEYS} {_IMAGES} --eval-interval 5 --eval-prompt-data t data/test.jsonl",
            _ONE,
            data__test_jsonl=lines(_ONE, _row("<image>", "a.png", "b.png")),
        ),
        findings=((RUN, 1, 126),),
    ),
    Example(
        tree(f"{_KEYS} {_IMAGES}", _row("<image>", "a.png", "b.png"), _row("<image><image>", "a.png")),
        findings=((RUN, 1, 126), (RUN, 1, 126, Severity.WARNING)),
    ),
]


@rule("RLX705", "media-mismatch", ERROR, on="launch", everywhere=True, valid=VALID, invalid=INVALID)
def check(launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    """Every dataset of the launch by itself."""
    for use in datasets_of(launch, project):
        yield from judged(use, MediaMismatch)


class MediaMismatch(RowJudge):
    """Counts media and the places for them."""

    needs: ClassVar[tuple[str, ...]] = ("input", "media")
    places: ClassVar[tuple[str, ...]] = ("media",)

    @property
    def applies(self) -> bool:
        """Where media are taken, and no function of the user makes the prompts."""
        rewritten = self.use.role == "train" and not self.use.sft and self.use.arguments.rewrites_prompts
        return not rewritten and self.use.keys.media not in (None, {})

    @property
    def columns(self) -> tuple[str, ...]:
        """The prompt and the media."""
        return (self.use.keys.input, *self._media.values())

    @property
    def counted(self) -> tuple[str, ...]:
        """The media: how many there are is enough."""
        return tuple(self._media.values())

    @property
    def _media(self) -> dict[str, str]:
        return {kind: column for kind, column in self.use.keys.media_columns.items() if kind in PLACEHOLDERS}

    def faults(self, row: Row, file: DataFile) -> Iterator[Fault]:
        """By kind of media."""
        counts = placed_media(row.get(self.use.keys.input), self._media)
        if counts is None:
            return
        room, brought = counts
        for kind, column in self._media.items():
            items = row.get(column) or []
            if not isinstance(items, list):
                continue  # RLX706 speaks of columns that are no lists
            have, mark = len(items), PLACEHOLDERS[kind]
            places = room[kind] + brought[kind]
            if have > places:
                fate = "the row is dropped" if self._drops else "Relax fails at it"
                yield (
                    f"{kind}-lost",
                    f"{_count(have, kind)} in {column}, {_count(places, 'place')} for them: {fate}",
                    ERROR,
                )
            elif room[kind] > have:
                yield (
                    f"{kind}-void",
                    f"{_count(room[kind], mark)} and {_count(have, kind)} in {column}: the rest is cut out",
                    WARNING,
                )

    @property
    def _drops(self) -> bool:
        return self.use.is_streamed and not self.use.sft


def _count(number: int, name: str) -> str:
    return f"{number} {name}" if number == 1 or name.startswith("<") else f"{number} {name}s"
