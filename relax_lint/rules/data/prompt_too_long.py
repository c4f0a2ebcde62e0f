"""Most prompts are likely longer than the launch lets them be.

## What

Rows, of a sample or of all with `relax-lint data check`, of which more than half are likely over
`--rollout-max-prompt-len` (for evaluation `--eval-max-prompt-len`): by the length of their texts, counted low, and by
the sizes of their images, one token for 32 × 32 pixels up to `--image-max-token-num`.

## Why

Relax leaves out the rows that are too long, with one line in the log. A limit that was meant for texts leaves next to
nothing of a set with images; an epoch is then a few rows.

## Source

Guide: the prompt length limit of verl becomes `--rollout-max-prompt-len`. Relax filters by it when the data is
loaded, media tokens included. This is an estimate: no tokenizer is at hand.

## Example

    --rollout-max-prompt-len 512    with photos of 1920 × 1080 pixels: about 2,000 tokens each

## Fix

By hand: raise the limit, or cap the tokens of an image by `--image-max-token-num`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from relax_lint.catalog.hidden import is_hidden
from relax_lint.datasets import datasets_of
from relax_lint.diagnostics import Finding, NotChecked
from relax_lint.row_judges import RowJudge, judged
from relax_lint.rules import ADVICE, Example, rule
from relax_lint.rules.data._examples import DATA, RUN, TRAIN, lines, script, tree
from relax_lint.shell.queries import place_of, why_unknown

if TYPE_CHECKING:
    from relax_lint.diagnostics import Place
    from relax_lint.project import Project
    from relax_lint.shell.launch import Argument, Launch
    from relax_lint.sources.dataset import DataFile, Row

LETTERS_PER_TOKEN = 5
OTHERS_PER_TOKEN = 2
"""How many characters a token has at most, as a rule: of ASCII, and of other writing."""
PIXELS_PER_TOKEN = 32 * 32
MOST_IMAGE_TOKENS = 16384

_KEYS = "--input-key prompt --label-key label"
_LIMIT = "--rollout-max-prompt-len"
_IMAGES = '--apply-chat-template --multimodal-keys \'{"image": "images"}\''
_LONG, _SHORT = {"prompt": "word " * 1000, "label": "2"}, {"prompt": "1 + 1?", "label": "2"}


_PNG = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA"
_LARGE, _MEDIUM, _TINY = f"{_PNG}B4AAAAQ4", f"{_PNG}AyAAAAJY", f"{_PNG}AEAAAABA"
"""The first bytes of images of 1920 × 1080, 800 × 600 and 64 × 64 pixels."""
_PHOTO = {"prompt": "<image>What is this?", "images": [_LARGE], "label": "2"}
_ICON = {"prompt": "<image>What is this?", "images": [_TINY], "label": "2"}

VALID: list[Example | str] = [
    Example(tree(f"{_KEYS} {_LIMIT} 512", _SHORT)),
    Example(tree(f"{_KEYS} {_LIMIT} 2048", _LONG)),
    Example(tree(f"{_KEYS} {_LIMIT} 512", _SHORT, _LONG, _SHORT)),
    Example(tree(_KEYS, _LONG)),
    Example(tree(f"{_KEYS} {_LIMIT} $LIMIT", _LONG)),
    Example(tree(f"{_KEYS} {_LIMIT} 512 {_IMAGES}", _ICON)),
    Example(tree(f"{_KEYS} {_LIMIT} 4096 {_IMAGES}", _PHOTO)),
    Example(tree(f"{_KEYS} {_LIMIT} 512 {_IMAGES} --image-max-token-num 256", _PHOTO)),
    Example(tree(f"{_KEYS} {_LIMIT} 512 --custom-prompt-path examples.demo.ask.ask", _LONG)),
    Example(
        tree(
            f"{_KEYS} {_LIMIT} 100 --eval-interval 5 --eval-prompt-data t data/test.jsonl",
            _SHORT,
            data__test_jsonl=lines(_LONG),
        )
    ),
    Example(tree(f"--loss-type sft {_KEYS} {_LIMIT} 100", _LONG)),
    Example(tree(f"{_KEYS} {_LIMIT} 16 {_IMAGES}", {**_ICON, "images": ["https://example.org/photo.png"]})),
]

INVALID = [
    Example(tree(f"{_KEYS} {_LIMIT} 512", _LONG), findings=((RUN, 1, 104),)),
    Example(tree(f"{_KEYS} {_LIMIT}=100", _LONG, _LONG, _SHORT), findings=((RUN, 1, 104),)),
    Example(tree(f"{_KEYS} {_IMAGES} {_LIMIT} 1024", _PHOTO), findings=((RUN, 1, 166),)),
    Example(
        script(
            f"LEN=256\nARGS=(\n  --prompt-data {DATA}\n  --input-key prompt\n  {_LIMIT} ${{LEN}}\n)\n"
            f'{TRAIN} "${{ARGS[@]}}" --apply-chat-template\n',
            {"prompt": [{"role": "user", "content": "one " * 400}, {"role": "user", "content": "two " * 400}]},
        ),
        findings=((RUN, 5, 3),),
    ),
    Example(
        script(f"{TRAIN} \\\n  --prompt-data {DATA} --input-key prompt \\\n  --rollout-max-context-len 300\n", _LONG),
        findings=((RUN, 3, 3),),
    ),
    Example(
        tree(
            f"{_KEYS} --eval-max-prompt-len 64 --eval-interval 5 --eval-prompt-data t data/test.jsonl",
            _SHORT,
            data__test_jsonl=lines(_LONG),
        ),
        findings=((RUN, 1, 104),),
    ),
    Example(tree(f"{_KEYS} {_LIMIT} 200", {"prompt": "数" * 500, "label": "2"}), findings=((RUN, 1, 104),)),
    Example(
        tree(
            f"{_KEYS} {_IMAGES} {_LIMIT} 1000",
            {**_PHOTO, "prompt": "<image><image><image>", "images": [_MEDIUM] * 3},
        ),
        findings=((RUN, 1, 166),),
    ),
    Example(
        tree(
            f"{_KEYS} --apply-chat-template {_LIMIT} 128",
            {"prompt": [{"role": "user", "content": [{"type": "text", "text": "word " * 500}]}], "label": "2"},
        ),
        findings=((RUN, 1, 126),),
    ),
    Example(
        tree(
            f"{_KEYS} --apply-chat-template {_LIMIT} 128",
            {"prompt": [{"role": "user", "content": [{"type": "image", "image": _MEDIUM}]}], "label": "2"},
        ),
        findings=((RUN, 1, 126),),
    ),
    Example(
        script(
            f"case $1 in\n  long) LIMIT=({_LIMIT} 8192) ;;\n  *) LIMIT=({_LIMIT} 128) ;;\nesac\n"
            f'{TRAIN} --prompt-data {DATA} {_KEYS} "${{LIMIT[@]}}"\n',
            _LONG,
        ),
        findings=((RUN, 3, 13),),
    ),
]


@rule("RLX708", "prompt-too-long", ADVICE, on="launch", everywhere=True, valid=VALID, invalid=INVALID)
def check(launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    """Every dataset of the launch by itself."""
    for use in datasets_of(launch, project):
        yield from judged(use, PromptLength)


class PromptLength(RowJudge):
    """Estimates how many tokens prompts have."""

    needs: ClassVar[tuple[str, ...]] = ("input",)
    over = 0

    @property
    def _evaluation(self) -> bool:
        return self.use.role == "eval"

    @cached_property
    def _limit(self) -> Any:
        """The most tokens that a prompt may have."""
        if self._evaluation:
            return self.use.arguments.settled("eval_max_prompt_len")
        own, whole = (self.use.arguments.settled(f"rollout_max_{part}_len") for part in ("prompt", "context"))
        return whole - 1 if own is None and isinstance(whole, int) else own

    @property
    def _argument(self) -> Argument | None:
        flags = ("--eval-max-prompt-len",) if self._evaluation else (_LIMIT, "--rollout-max-context-len")
        return next((found for found in map(self.use.launch.last, flags) if found is not None), None)

    @property
    def applies(self) -> bool:
        """Where there is a limit, and no function of the user makes the prompts."""
        if self.use.sft or (not self._evaluation and self.use.arguments.rewrites_prompts):
            return False
        return isinstance(self._limit, int) or is_hidden(self._limit)

    @property
    def place(self) -> Place:
        """The flag of the limit."""
        argument = self._argument
        return self.use.place if argument is None else place_of(self.use.launch, argument.word)

    @property
    def columns(self) -> tuple[str, ...]:
        """The prompt and the images."""
        images = self.use.keys.media_columns.get("image")
        return (self.use.keys.input, *([] if images is None else [images]))

    def take(self, row: Row, file: DataFile, number: int) -> None:
        """Count the rows that are over the limit."""
        self.seen += 1
        if isinstance(self._limit, int) and self._tokens(row) > self._limit:
            self.over += 1

    def findings(self) -> Iterator[Finding | NotChecked]:
        """Where most are."""
        argument = self._argument
        if is_hidden(self._limit):
            words = self._limit.words
            if words:
                yield NotChecked(self.place, why_unknown(words[0]))
        elif self.over * 2 > self.seen:
            flag = self.use.flag if argument is None else argument.flag
            which = f"{self.over:,} of {self.seen:,}" if self.seen > 1 else "all"
            message = (
                f"{which} prompts read of {self.use.spec} are likely over {self._limit:,} tokens ({flag}), "
                "and Relax leaves them out"
            )
            yield Finding(self.place, message, launch=self.use.launch, subject=flag)

    # ------------------------------------------------------------ tokens

    def _tokens(self, row: Row) -> int:
        images = row.get(self.use.keys.media_columns.get("image", "")) or []
        texts, inline = _parts(row.get(self.use.keys.input))
        media = [*(images if isinstance(images, list) else ()), *inline]
        return sum(map(text_tokens, texts)) + sum(self._image_tokens(image) for image in media)

    def _image_tokens(self, image: Any) -> int:
        from relax_lint.image_sizes import size_at_hand

        size = size_at_hand(image, self.use.directory, self.use.project.files)
        if size is None:
            return 0
        return min(max(1, size[0] * size[1] // PIXELS_PER_TOKEN), self._most)

    @cached_property
    def _most(self) -> int:
        given = self.use.arguments.settled("image_max_token_num")
        return given if isinstance(given, int) else MOST_IMAGE_TOKENS


def text_tokens(text: str) -> int:
    """How many tokens a text has at least, about."""
    ascii_only = len(text) if text.isascii() else len(text.encode("ascii", "ignore"))
    return ascii_only // LETTERS_PER_TOKEN + (len(text) - ascii_only) // OTHERS_PER_TOKEN


def _parts(prompt: Any) -> tuple[list[str], list[Any]]:
    """The texts of a prompt, and the images that it brings itself."""
    texts: list[str] = []
    images: list[Any] = []
    if isinstance(prompt, str):
        texts.append(prompt)
    for message in prompt if isinstance(prompt, list) else ():
        content = message.get("content") if isinstance(message, dict) else None
        if isinstance(content, str):
            texts.append(content)
        for part in content if isinstance(content, list) else ():
            if isinstance(part, dict):
                texts += [part["text"]] if isinstance(part.get("text"), str) else []
                images += [part["image"]] if part.get("image") is not None else []
    return texts, images
