"""The media of verl's data do not arrive: the converted file lacks them, or they are no lists.

## What

A converted file without any column of the images, videos or sounds that the verl file has which it was made from: one
with the same prompts, of the same name in a directory beside its own, or named by the launcher's comments or by the
conversion script. A conversion script, named in the launcher, that drops or never writes the media which it finds in
its source, while the launch passes `--multimodal-keys` or its model is one for media. Rows in which a column of
`--multimodal-keys` is no list.

## Why

Relax takes `list(row[column])`. Of a text these are its characters, of an object its keys, and the loading of the data
ends with "placeholder lost". Without the column the model is trained on pictures that it does not get, and nothing says
so.

## Source

Guide: preserve the image column, for example raw bytes from `preprocessed_images`, and name it by `--multimodal-keys`.

## Example

    {"prompt": "<image>What is this?", "label": "x", "image": "a.png"}    with --multimodal-keys '{"image": "image"}'

## Fix

By hand: have the conversion script write a list for each row, `"image": [image["bytes"] for image in row["images"]]`,
and convert the data again.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from relax_lint.converted_columns import MEDIA_COLUMNS, conversions_for
from relax_lint.data_paths import SUFFIXES
from relax_lint.data_prompts import in_words, placed_media
from relax_lint.datasets import datasets_of
from relax_lint.diagnostics import Finding, NotChecked, Related
from relax_lint.row_judges import Fault, RowJudge, judged
from relax_lint.rules import ERROR, Example, rule
from relax_lint.rules.data._examples import DATA, RUN, TOOL, TRAIN, converted, lines, script, tree
from relax_lint.shell.queries import place_of, start_of

if TYPE_CHECKING:
    from pathlib import Path

    from relax_lint.datasets import DatasetUse
    from relax_lint.project import Project
    from relax_lint.shell.launch import Launch
    from relax_lint.sources.dataset import DataFile, Row

MEDIA = "--multimodal-keys"
_ANSWERS = "reward_model"
"""The column that each file of verl's has, and that no other has."""
_OF_VERL = frozenset({"data_source", _ANSWERS})
_PLACEHOLDER = re.compile(r"<(?:image|video|audio)>")
_ROWS_COMPARED = 50
_MOST_BESIDE = 40
_LONGEST = 200

_KEYS = "--input-key prompt --label-key label --apply-chat-template"
_IMAGES = '--multimodal-keys \'{"image": "image"}\''
_VISION = "--hf-checkpoint models/Qwen3-VL-4B"
_PROMPT = [{"role": "user", "content": "<image>What is this?"}]
_VERL = {"data_source": "geo", "prompt": _PROMPT, "reward_model": {"ground_truth": "x"}, "images": [{"path": "a.png"}]}
_ROW = {"prompt": _PROMPT, "label": "x", "image": ["a.png"]}
_LOST = {"prompt": _PROMPT, "label": "x"}


_KEEPS = """\
import pandas as pd


def convert_row(row):
    result = {"prompt": row["prompt"], "label": row["reward_model"]["ground_truth"]}
    if "preprocessed_images" in row:
        result["image"] = [image["bytes"] for image in row["preprocessed_images"]]
    return result


frame = pd.read_parquet("verl/train.parquet")
pd.DataFrame([convert_row(row) for _, row in frame.iterrows()]).to_parquet("relax/train.parquet")
"""
_DROPS = """\
import datasets

data = datasets.load_dataset("parquet", data_files="verl/train.parquet")["train"]
data = data.map(lambda row: {"prompt": row["prompt"], "label": row["reward_model"]["ground_truth"]})
data.remove_columns(["images", "ability"]).to_parquet("relax/train.parquet")
"""

VALID: list[Example | str] = [
    Example(tree(f"{_KEYS} {_IMAGES}", _ROW)),
    Example(tree(f"{_KEYS} {_IMAGES}", _ROW, data__verl__train_jsonl=lines(_VERL))),
    Example(tree(_KEYS, _LOST, data__verl__train_jsonl=lines({**_VERL, "images": []}))),
    Example(tree(_KEYS, _LOST, data__verl__other_jsonl=lines(_VERL))),
    Example(tree(f"{_KEYS} --hf-checkpoint models/Qwen3-4B", _LOST, data__verl__train_jsonl=lines(_VERL))),
    Example(tree(_KEYS, {"prompt": "1 + 1?", "label": "2"}, data__geo3k__train_jsonl=lines(_VERL))),
    Example(tree(_KEYS, _LOST, data__verl__train_jsonl=lines({"question": "x", "images": ["a.png"]}))),
    Example(tree(f"{_KEYS} {_IMAGES}", {**_ROW, "image": None}, {**_ROW, "image": []})),
    Example(
        tree(
            _KEYS,
            {"prompt": [{"role": "user", "content": [{"type": "image", "image": "a.png"}]}], "label": "x"},
            data__verl__train_jsonl=lines(_VERL),
        )
    ),
    Example(tree(f'{_KEYS} --multimodal-keys "$MEDIA"', {**_ROW, "image": "a.png"})),
    Example(tree(_KEYS, {**_LOST, "image": "a.png"})),
    Example(converted(_KEEPS, f"{_KEYS} {_IMAGES} {_VISION}")),
    Example(converted(_DROPS, f"{_KEYS} --hf-checkpoint models/Qwen3-4B")),
    Example(converted(_DROPS, f"--loss-type sft --input-key messages {_VISION}")),
    Example(converted(_DROPS.replace('"images", ', ""), f"{_KEYS} {_VISION}")),
    Example(
        converted(
            _DROPS.replace('"label":', '"image": [one["bytes"] for one in row["images"]], "label":'),
            f"{_KEYS} {_VISION} {_IMAGES}",
        )
    ),
]

INVALID = [
    Example(tree(f"{_KEYS} {_IMAGES}", {**_ROW, "image": "a.png"}), findings=((RUN, 1, 126),)),
    Example(tree(f"{_KEYS} {_IMAGES}", _ROW, {**_ROW, "image": {"path": "a.png"}}), findings=((RUN, 1, 126),)),
    Example(
        script(
            f'MEDIA=\'{{"image": "image", "video": "clip"}}\'\n{TRAIN} --prompt-data={DATA} --input-key=prompt '
            '--multimodal-keys="$MEDIA"\n',
            {**_ROW, "clip": "a.mp4"},
        ),
        findings=((RUN, 2, 86),),
    ),
    Example(tree(_KEYS, _LOST, data__verl__train_jsonl=lines(_VERL)), findings=((RUN, 1, 36),)),
    Example(
        tree(
            _KEYS,
            _LOST,
            data__verl__train_jsonl=lines({key: value for key, value in _VERL.items() if key != "data_source"}),
        ),
        findings=((RUN, 1, 36),),
    ),
    Example(
        {
            RUN: f"{TRAIN} --prompt-data data/relax/train.jsonl {_KEYS} {_IMAGES}\n",
            "data/relax/train.jsonl": lines(_LOST),
            "data/verl/train.jsonl": lines(_VERL),
        },
        findings=((RUN, 1, 132),),
    ),
    Example(
        {
            RUN: "# Convert data: python3 scripts/tools/process_x.py --input raw/geo.jsonl\n"
            f"ARGS=(\n  --prompt-data {DATA}\n  --input-key prompt\n)\n{TRAIN} \"${{ARGS[@]}}\"\n",
            DATA: lines(_LOST),
            "raw/geo.jsonl": lines(_VERL),
        },
        findings=((RUN, 3, 3),),
    ),
    Example(tree(_KEYS, _LOST, data__train_jsonl=lines(_LOST), **{"data/train_verl.jsonl": lines(_VERL)}),
            findings=((RUN, 1, 36),)),
    Example(
        {
            RUN: f"# first: {TOOL}\n{TRAIN} --prompt-data data/out/geo.jsonl {_KEYS}\n",
            TOOL: _KEEPS.replace("verl/train.parquet", "raw/geo.jsonl"),
            "data/out/geo.jsonl": lines(_LOST),
            "raw/geo.jsonl": lines({**_VERL, "images": None, "preprocessed_images": [{"bytes": "x"}]}),
        },
        findings=((RUN, 2, 36),),
    ),
    Example(converted(_DROPS, f"{_KEYS} {_VISION}"), findings=((RUN, 2, 36),)),
    Example(converted(_DROPS, f"{_KEYS} {_IMAGES}"), findings=((RUN, 2, 133),)),
    Example(
        converted(
            'import json\n\nfor line in open("verl.jsonl"):\n    row = json.loads(line)\n'
            '    count = len(row["images"])\n    out = {"prompt": "<image>" * count + row["question"]}\n'
            '    out["label"] = row["reward_model"]["ground_truth"]\n    print(json.dumps(out))\n',
            f"{_KEYS} {_VISION}",
        ),
        findings=((RUN, 2, 36),),
    ),
    Example(
        converted(
            'import pandas as pd\n\nframe = pd.read_parquet("verl.parquet")\n'
            'frame["label"] = frame.reward_model.map(lambda one: one["ground_truth"])\n'
            'frame.drop(columns=["reward_model", "images"]).to_parquet("relax.parquet")\n',
            f"{_KEYS} {_VISION}",
        ),
        findings=((RUN, 2, 36),),
    ),
    Example(
        tree(
            f"{_KEYS} {_IMAGES} --eval-interval 5 --eval-prompt-data t data/test.jsonl",
            _ROW,
            data__test_jsonl=lines({**_ROW, "image": "b.png"}),
        ),
        findings=((RUN, 1, 126),),
    ),
]  # fmt: skip


@rule("RLX706", "image-lost", ERROR, on="launch", everywhere=True, valid=VALID, invalid=INVALID)
def image_lost(launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    """By rows, then by the source of each file, else by the script that makes it."""
    uses = datasets_of(launch, project)
    for use in uses:
        yield from judged(use, MediaInLists)
        if not use.sft:
            yield from _lost(use)
    if not any(use.columns for use in uses):
        yield from _not_written(launch, project)


class MediaInLists(RowJudge):
    """Looks at the columns of media."""

    needs: ClassVar[tuple[str, ...]] = ("media",)
    places: ClassVar[tuple[str, ...]] = ("media",)

    @property
    def applies(self) -> bool:
        """Where media are taken."""
        return self.use.keys.media not in (None, {})

    @property
    def columns(self) -> tuple[str, ...]:
        """The media."""
        return tuple(self.use.keys.media_columns.values())

    @property
    def counted(self) -> tuple[str, ...]:
        """Of lists no items are needed."""
        columns = self.use.columns
        return tuple(name for name in self.columns if name in columns and columns[name].kind == "list")

    def faults(self, row: Row, file: DataFile) -> Iterator[Fault]:
        """A value that is no list."""
        for kind, column in self.use.keys.media_columns.items():
            value = row.get(column)
            if value and not isinstance(value, (list, tuple)):
                what = f"the {kind} column {column} holds {in_words(value)}, and Relax takes a list"
                yield f"{kind}-list", f"{what}: write [{kind}]", ERROR


# ---------------------------------------------------------------- the file it was made from


def _lost(use: DatasetUse) -> Iterator[Finding]:
    """The kinds of media that the source has and the converted data has not."""
    if not use.columns or set(use.columns) >= _OF_VERL or use.arguments.sees_media is False:
        return
    for source in _sources(use):
        if _ANSWERS not in source.columns or not _asks_the_same(source, use):
            continue
        had = {kind: name for name, kind in _media_of(source)}
        lost = {kind: name for kind, name in had.items() if not _has(use, kind)}
        for kind, name in lost.items():
            message = f"{use.files[0].text} has no {kind} column, and {source.text}, which it was made from, has {name}"
            yield Finding(use.place_of("media"), message, launch=use.launch, subject=MEDIA)
        if had:
            return


def _asks_the_same(source: DataFile, use: DatasetUse) -> bool:
    """Whether a prompt of a file is found in the data, so that this is no other dataset of the same name."""
    prompt = use.keys.input
    if not isinstance(prompt, str) or "prompt" not in source.columns:
        return False
    made = "\n".join(text for row in use.sample(prompt) for text in _texts(row.get(prompt)))
    return any(text in made for row in source.sample("prompt")[:_ROWS_COMPARED] for text in _texts(row["prompt"]))


def _texts(prompt: object) -> Iterator[str]:
    """What a user says in a prompt, without placeholders."""
    messages = prompt if isinstance(prompt, list) else [{"role": "user", "content": prompt}]
    for message in messages:
        if not isinstance(message, dict) or message.get("role") != "user":
            continue
        content = message.get("content")
        parts = content if isinstance(content, list) else [{"text": content}]
        for part in parts:
            said = part.get("text") if isinstance(part, dict) else None
            text = _PLACEHOLDER.sub("", said).strip() if isinstance(said, str) else ""
            if text:
                yield text


def _media_of(source: DataFile) -> Iterator[tuple[str, str]]:
    """The columns of a file that hold media in some row, with their kind."""
    for name in source.columns:
        kind = "image" if name == "preprocessed_images" else MEDIA_COLUMNS.get(name)
        if kind is not None and any(row.get(name) for row in source.sample(name, counted=_lists(source, name))):
            yield name, kind


def _lists(file: DataFile, name: str) -> tuple[str, ...]:
    return (name,) if file.columns[name].kind == "list" else ()


def _has(use: DatasetUse, kind: str) -> bool:
    """Whether converted data has media of a kind: a column that is called so or taken for it, or prompts with media."""
    named = use.keys.media_columns.get(kind)
    if named in use.columns or any(MEDIA_COLUMNS.get(name) == kind for name in use.columns):
        return True
    prompt = use.keys.input
    if not isinstance(prompt, str) or prompt not in use.columns:
        return True
    placed = (placed_media(row.get(prompt), {kind: kind}) for row in use.sample(prompt)[:_ROWS_COMPARED])
    return any(one is not None and one[1][kind] for one in placed)


def _sources(use: DatasetUse) -> Iterator[DataFile]:
    """The files that the data may have been made from: what the launcher's comments or the conversion script name, and
    those of the same name around."""
    from relax_lint.data_paths import DataPath
    from relax_lint.datasets import file_of

    project, own = use.project, {named.path for named in use.plan.paths}
    for path in dict.fromkeys([*_named_sources(use), *_beside(use)]):
        if path not in own and project.is_file(path):
            text = str(path).removeprefix(f"{use.directory}/").removeprefix(f"{project.root}/")
            yield file_of(DataPath(text, path), project)


def _named_sources(use: DatasetUse) -> Iterator[Path]:
    """Files, and the file of the data's name in directories."""
    project = use.project
    launcher = project.launcher(use.launch.script)
    words: list[str] = []
    if launcher is not None:
        comments = (line for line in launcher.text.splitlines() if line.lstrip().startswith("#"))
        words += (word.strip("\"'`,") for line in comments for word in line.split() if "/" in word)
    for made in conversions_for(use.launch, project):
        constants = (node.value for node in made.source.nodes(ast.Constant) if isinstance(node.value, str))
        words += (text for text in constants if "/" in text and "\n" not in text)
    for word in dict.fromkeys(words):
        path = use.directory / word
        if word.endswith(SUFFIXES):
            yield path
        elif word and len(word) < _LONGEST and "\0" not in word and project.is_dir(path):
            yield from (path / name for name in _names(use))


def _beside(use: DatasetUse) -> Iterator[Path]:
    """Files of the data's name in directories beside its own, or in it with a word more in their names."""
    folder = use.plan.paths[0].path.parent
    stem = use.plan.paths[0].path.stem
    for home in (folder, folder.parent):
        for entry in use.project.files.entries(home)[:_MOST_BESIDE]:
            if entry.is_dir and home / entry.name != folder:
                yield from (home / entry.name / name for name in _names(use))
            elif home == folder and entry.name.endswith(SUFFIXES) and _adds_verl(stem, entry.name):
                yield home / entry.name


def _names(use: DatasetUse) -> list[str]:
    """The name of the data, with each of the endings that Relax loads."""
    return [use.plan.paths[0].path.stem + suffix for suffix in SUFFIXES]


def _adds_verl(stem: str, name: str) -> bool:
    """Whether two files of a directory have names that differ by what says that one is verl's, or the other Relax's."""
    words = [part for part in re.split(r"[._-]", name.rpartition(".")[0].lower()) if part]
    own = [part for part in re.split(r"[._-]", stem.lower()) if part]
    extra = {"verl", "raw", "orig", "original", "source"}
    added = {"relax", "converted", "processed"}
    return words != own and [part for part in words if part not in extra] == [part for part in own if part not in added]


# ---------------------------------------------------------------- the script that makes it


def _not_written(launch: Launch, project: Project) -> Iterator[Finding]:
    """A script that takes media from its source, or drops them, and writes none, for a launch that wants media."""
    if launch.kind != "relax" or launch.mode == "sft":
        return
    scripts = conversions_for(launch, project)
    if not scripts or any(one.media() for one in scripts):
        return
    from relax_lint.data_arguments import DataArguments

    media = launch.last(MEDIA)
    if media is None and not DataArguments(launch, project).sees_media:
        return
    for made in scripts:
        for name, place in made.drops.items():
            message = f"{made.source.path.name} drops {name} of its source, and writes no media for this launch"
            yield _at(launch, message, Related(place, f"{name} is dropped here"))
        if not made.drops and made.complete and made.reads:
            names = ", ".join(sorted(made.reads))
            yield _at(launch, f"{made.source.path.name} takes {names} from its source and writes no media column")


def _at(launch: Launch, message: str, *related: Related) -> Finding:
    argument = launch.last(MEDIA) or launch.last("--prompt-data")
    place = start_of(launch) if argument is None else place_of(launch, argument.word)
    return Finding(place, message, launch=launch, subject=MEDIA, related=related)
