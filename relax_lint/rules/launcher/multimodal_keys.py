"""Images, videos or sounds that the launch does not take from its data, or takes wrongly.

## What

Data with columns of media (`image`, `images`, `video`, `audio`, …) for a launch without `--multimodal-keys`: files that
are here, in some row of which there is something, or columns that the conversion script named in the launcher always
writes. Keys that are none of Relax's media types. Columns of `--multimodal-keys` that the conversion script writes as
a single item instead of a list; a warning: that it does not write at all. (Of files that are here, RLX702 and RLX706
say so.)

## Why

Without the flag Relax leaves the media out: the model answers questions about pictures that it never sees. An unknown
media type is a ValueError at the first row, or, with `--use-streaming-dataset`, all rows are dropped. A single path is
taken apart into its letters.

## Source

Guide: if the dataset is multimodal, add `--multimodal-keys '{"image":"<column>"}'`. Relax's `MultimodalTypes` are
image, video and audio.

## Example

    --prompt-data data/train.parquet --input-key prompt      (the file has: prompt, label, images)

## Fix

`--multimodal-keys` is added where the columns show what it must be, and media types such as `images` are put right.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from relax_lint.catalog.hidden import is_hidden
from relax_lint.catalog.rewards import WITHOUT_REWARDS
from relax_lint.constraints.reporting import outcomes
from relax_lint.converted_columns import MEDIA_COLUMNS, conversions_for, is_no_list
from relax_lint.data_fixes import with_flag
from relax_lint.data_prompts import PLACEHOLDERS, placed_media
from relax_lint.diagnostics import Finding, Fix, NotChecked, Related
from relax_lint.fixers.constraint_fixes import may_change
from relax_lint.fixers.launcher_edits import replace_value
from relax_lint.rules import ERROR, WARNING, Example, rule
from relax_lint.rules.data._examples import DATA, NOTE, RUN, TOOL, TRAIN, converted, script, tree
from relax_lint.shell.queries import place_of, start_of

if TYPE_CHECKING:
    from relax_lint.constraints.engine import Violation
    from relax_lint.data_arguments import DataArguments
    from relax_lint.datasets import DatasetUse
    from relax_lint.project import Project
    from relax_lint.shell.launch import Launch

FLAG = "--multimodal-keys"
_ROWS = 50
"""Prompts that are looked at for media of their own."""

_KEYS = "--input-key prompt --label-key label --apply-chat-template"
_IMAGES = '--multimodal-keys \'{"image": "images"}\''
_VISION = "--hf-checkpoint models/Qwen3-VL-4B"
_ASKED = [{"role": "user", "content": "<image>What is this?"}]
_ROW = {"prompt": _ASKED, "label": "x", "images": ["a.png"]}
_MAKES = """\
import json


def convert(item):
    return {
        "prompt": [{"role": "user", "content": "<image>" + item["problem"]}],
        "image": [item["path"]],
        "label": item["solution"],
    }


for line in open("raw.jsonl"):
    print(json.dumps(convert(json.loads(line))))
"""
_MAY = """\
import pandas as pd


def convert_row(row):
    result = {"prompt": row["prompt"], "label": row["reward_model"]["ground_truth"]}
    if "preprocessed_images" in row:
        result["image"] = [image["bytes"] for image in row["preprocessed_images"]]
    return result


frame = pd.read_parquet("verl.parquet")
pd.DataFrame([convert_row(row) for _, row in frame.iterrows()]).to_parquet("relax.parquet")
"""


VALID: list[Example | str] = [
    Example(tree(f"{_KEYS} {_IMAGES}", _ROW)),
    Example(tree(_KEYS, {"prompt": "1 + 1?", "label": "2"})),
    Example(tree(_KEYS, {**_ROW, "images": []}, {**_ROW, "images": None})),
    Example(
        tree(
            _KEYS,
            {
                **_ROW,
                "prompt": [
                    {"role": "user", "content": [{"type": "image", "image": "a.png"}, {"type": "text", "text": "?"}]}
                ],
            },
        )
    ),
    Example(tree(f"{_KEYS} --custom-prompt-path examples.demo.prompts.ask", _ROW)),
    Example(tree(f"{_KEYS} --use-agentic-rollout", _ROW)),
    Example(tree("--loss-type sft --input-key messages", {"messages": [], "images": ["a.png"]})),
    Example(script(f'{TRAIN} --prompt-data {DATA} {_KEYS} "$@"\n', _ROW)),
    Example(converted(_MAKES, f'{_KEYS} --multimodal-keys \'{{"image":"image"}}\'')),
    Example(converted(_MAY, _KEYS)),
    Example(converted(_MAY, f'{_KEYS} --multimodal-keys \'{{"image":"image"}}\'')),
    Example(converted(_MAKES.replace('"image": [item["path"]],', '"level": 3,'), _KEYS)),
    Example(converted(_MAKES, f'{_KEYS} --multimodal-keys \'{{"image":"\'$COLUMN\'"}}\'')),
    Example(converted(_MAKES, f"{_KEYS} {_IMAGES} --hf-checkpoint models/Qwen3-8B")),
    Example(converted("def part(path):\n    return {'type': 'image', 'image': path}\n", _KEYS)),
    Example(converted(_MAKES.replace("item[\"solution\"],", "item[\"solution\"], **item"), f"{_KEYS} {_IMAGES}")),
    f'{TRAIN} --prompt-data /d/a.parquet {_KEYS} --multimodal-keys \'{{"image":"a","video":"b","audio":"c"}}\'\n',
]  # fmt: skip

INVALID = [
    Example(
        tree(f"{_KEYS} {_VISION}", _ROW),
        findings=((RUN, 1, 36),),
        fixed={RUN: tree(f"--input-key prompt --label-key label --multimodal-keys '{{\"image\":\"images\"}}' "
                         f"--apply-chat-template {_VISION}")[RUN]},
    ),
    Example(
        script(
            f"ROLLOUT_ARGS=(\n    --prompt-data {DATA}\n    --input-key prompt\n    --label-key label\n"
            f'    --apply-chat-template\n)\n{TRAIN} "${{ROLLOUT_ARGS[@]}}"\n',
            {"prompt": "<video>?", "label": "x", "video": ["a.mp4"]},
        ),
        findings=((RUN, 2, 5),),
        fixed={
            RUN: f"ROLLOUT_ARGS=(\n    --prompt-data {DATA}\n    --input-key prompt\n    --label-key label\n"
            '    --multimodal-keys \'{"video":"video"}\'\n    --apply-chat-template\n)\n'
            f'{TRAIN} "${{ROLLOUT_ARGS[@]}}"\n'
        },
    ),
    Example(tree(f"{_KEYS} --hf-checkpoint models/Qwen3-8B", _ROW), findings=((RUN, 1, 36, WARNING),)),
    Example(tree(f"{_KEYS} {_VISION}", {**_ROW, "images": {"path": "a.png"}}), findings=((RUN, 1, 36),)),
    Example(
        f'{TRAIN} --prompt-data /d/a.parquet {_KEYS} --multimodal-keys \'{{"images":"images"}}\'\n',
        findings=((1, 122),),
        fixed=f'{TRAIN} --prompt-data /d/a.parquet {_KEYS} --multimodal-keys \'{{"image":"images"}}\'\n',
    ),
    Example(
        f'{TRAIN} --prompt-data=/d/a.parquet {_KEYS} \\\n  --multimodal-keys=\'{{"picture":"images"}}\'\n',
        findings=((2, 3),),
    ),
    Example(
        converted(_MAKES, f"{_KEYS} {_VISION}"),
        findings=((RUN, 2, 36),),
        fixed={
            RUN: f"{NOTE}{TRAIN} --prompt-data $DATA_DIR/train.parquet --input-key prompt --label-key label "
            f"--multimodal-keys '{{\"image\":\"image\"}}' --apply-chat-template {_VISION}\n"
        },
    ),
    Example(
        converted(_MAKES.replace('[item["path"]]', 'item["path"].strip()'), f"{_KEYS} {_VISION}"),
        findings=((RUN, 2, 36),),
    ),
    Example(converted(_MAKES, f"{_KEYS} {_IMAGES}"), findings=((RUN, 2, 133, WARNING),)),
    Example(
        converted(
            _MAKES.replace("def convert(item):\n", "def convert(item):\n    path = '/data/' + item['path']\n"
                           "    image = f'file://{path}'\n").replace('[item["path"]]', "image"),
            f'{_KEYS} --multimodal-keys \'{{"image":"image"}}\'',
        ),
        findings=((RUN, 2, 133),),
    ),
    Example(
        converted(
            "import pandas as pd\n\nrows = []\nfor _, row in pd.read_parquet('verl.parquet').iterrows():\n"
            "    item = dict(prompt=row['prompt'], label=row['answer'])\n"
            "    item['audio'] = [row['sound']]\n    rows.append(item)\n"
            "pd.DataFrame(rows).to_parquet('relax.parquet')\n",
            f"{_KEYS} --hf-checkpoint models/Qwen3-Omni-30B",
        ),
        findings=((RUN, 2, 36),),
        fixed={
            RUN: f"{NOTE}{TRAIN} --prompt-data $DATA_DIR/train.parquet --input-key prompt --label-key label "
            "--multimodal-keys '{\"audio\":\"audio\"}' --apply-chat-template --hf-checkpoint models/Qwen3-Omni-30B\n"
        },
    ),
    Example(
        {
            "scripts/training/multimodal/run-demo.sh": f"{NOTE}train() {{\n  {TRAIN} --prompt-data /d/a.jsonl "
            f'--input-key prompt {_VISION} "$@"\n}}\ntrain --colocate\n',
            TOOL: _MAKES,
        },
        findings=(("scripts/training/multimodal/run-demo.sh", 3, 38),),
    ),
]  # fmt: skip


@rule("RLX410", "multimodal-keys", ERROR, on="launch", everywhere=True, valid=VALID, invalid=INVALID, fixable="safe")
def multimodal_keys(launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    """The keys by the table of constraints, the columns by the data or what makes it."""
    yield from outcomes(launch, project, "RLX410", fix=lambda violation: _renamed(violation, launch, project))
    if launch.kind != "relax" or launch.mode == "sft" or any(launch.has(flag) for flag in WITHOUT_REWARDS):
        return
    if launch.last("--prompt-data") is None:
        return
    from relax_lint.datasets import datasets_of

    trained = [use for use in datasets_of(launch, project) if use.role == "train" and use.columns]
    scripts = [] if trained else conversions_for(launch, project)
    if not trained and not scripts:
        return
    from relax_lint.data_arguments import DataArguments

    arguments = DataArguments(launch, project)
    media = arguments.settled("multimodal_keys")
    if not arguments.reads_prompt_data or arguments.rewrites_prompts or arguments.agentic is not False:
        return
    if not is_hidden(media) and not media:
        found = _in_data(trained[0]) if trained else _in_scripts(launch, project)
        if found:
            yield _left_out(found, arguments, launch.last("--prompt-data"))
    elif not trained and isinstance(media, dict):
        yield from _by_scripts(media, arguments)


class _Columns(dict[str, str]):
    """Columns of media by kind. ``where`` is what has them, ``lists`` whether they are lists."""

    where: str
    lists: bool


def _left_out(found: _Columns, arguments: DataArguments, data: Any) -> Finding:
    """Media that nothing takes."""
    launch, project = arguments.launch, arguments.project
    blind = arguments.sees_media is False
    keys = json.dumps(found, separators=(",", ":"))
    fix = None
    if found.lists and not blind and arguments.template:
        fix = with_flag(FLAG, keys, launch, project)
    message = f"{found.where} {', '.join(found.values())}, and without {FLAG} '{keys}' the model does not see it"
    if not found.lists:
        message += "; Relax takes lists, so write these"
    if blind:
        message = f"{found.where} {', '.join(found.values())}, and the model is one for text only"
    return Finding(
        start_of(launch) if data is None else place_of(launch, data.word),
        message,
        severity=WARNING if blind else None,
        fix=fix,
        launch=launch,
        subject=FLAG,
    )


def _in_data(use: DatasetUse) -> _Columns:
    """The columns of media that hold something, unless the prompts bring their media themselves."""
    found = _Columns()
    found.where, found.lists = f"{use.files[0].text} has", True
    for name, kind in MEDIA_COLUMNS.items():
        column = use.columns.get(name)
        if column is None or kind in found or not _holds_media(use, name):
            continue
        found[kind] = name
        found.lists = found.lists and column.kind == "list"
    prompt = use.keys.input
    if found and isinstance(prompt, str):
        placed = (placed_media(row.get(prompt), found) for row in use.sample(prompt)[:_ROWS])
        if any(one is not None and any(one[1].values()) for one in placed):
            found.clear()
    return found


def _holds_media(use: DatasetUse, name: str) -> bool:
    return any(
        row.get(name)
        for file in use.readable
        if name in file.columns
        for row in file.sample(name, counted=(name,) if file.columns[name].kind == "list" else ())
    )


def _in_scripts(launch: Launch, project: Project) -> _Columns:
    """The columns of media that the one script which makes the data always writes."""
    found = _Columns()
    scripts = conversions_for(launch, project)
    if len(scripts) != 1 or '"type": "' in scripts[0].source.text.replace("'", '"'):
        return found
    made = scripts[0]
    found.where, found.lists = f"{made.source.path.name} writes", True
    for column in made.media():
        if column.always:
            found[MEDIA_COLUMNS[column.name]] = column.name
            found.lists = found.lists and not is_no_list(made.source, column.value)
    return found


def _by_scripts(media: Mapping[str, Any], arguments: DataArguments) -> Iterator[Finding]:
    """The columns that are named, as the scripts write them; a model for text only takes no notice of them."""
    launch, project = arguments.launch, arguments.project
    if arguments.sees_media is False:
        return
    scripts, argument = conversions_for(launch, project), launch.last(FLAG)
    place = start_of(launch) if argument is None else place_of(launch, argument.word)
    for kind, column in media.items():
        if not isinstance(column, str) or kind not in PLACEHOLDERS:
            continue
        having = [made for made in scripts if column in made.columns]
        if not having and all(made.complete for made in scripts):
            names = ", ".join(scripts[0].columns)
            message = f"{FLAG} {column}: {scripts[0].source.path.name} writes no such column ({names})"
            yield Finding(
                place, f"{message}; every row has no {kind} then", severity=WARNING, launch=launch, subject=FLAG
            )
        for made in having:
            written = made.columns[column]
            if is_no_list(made.source, written.value):
                message = f"{FLAG} {column}: {made.source.path.name} writes one {kind} there, and Relax takes a list"
                related = (Related(written.place, f"write [{kind}]"),)
                yield Finding(place, message, launch=launch, subject=FLAG, related=related)


def _renamed(violation: Violation, launch: Launch, project: Project) -> Fix | None:
    """Media types put right, where it is plain which are meant."""
    argument = launch.last(FLAG)
    text = None if argument is None else argument.value
    if argument is None or text is None or "'" in text or not may_change(argument, violation, launch, project):
        return None
    for name in json.loads(text):
        kind = MEDIA_COLUMNS.get(name.lower())
        if name not in PLACEHOLDERS:
            if kind is None or f'"{kind}":' in text.replace(" ", "") or text.count(f'"{name}"') > 2:
                return None
            text = text.replace(f'"{name}"', f'"{kind}"', 1)
    edit = replace_value(argument, f"'{text}'")
    return None if edit is None else Fix("name the media type", lambda: [edit])
