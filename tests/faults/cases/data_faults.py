"""RLX701 to RLX708: rows that do not fit the launch."""

from __future__ import annotations

from typing import Any

import pyarrow

from tests.faults.cases.places import (
    CHARTS_RUN,
    CHARTS_TRAIN,
    DESK_RUN,
    DESK_TRAIN,
    ENTRY,
    REWARD,
    RM_PATH,
    RUN,
    SFT_RUN,
    TEST,
    TRAIN,
    answer,
    instead,
    rows,
    without,
)
from tests.faults.clean.shared import charts, parquet_of, sums
from tests.faults.trees import Edit, Fault, Maker, swap, write
from tests.parquet_files import asked, parquet

LABEL = "    --label-key label\n"
Row = dict[str, Any]


def each(**changes: Any) -> list[Row]:
    """The clean rows with these columns instead."""
    return [{**row, **changes} for row in sums()]


def old(kept: bool = True) -> list[Row]:
    """Rows as verl keeps them."""
    made = []
    for row in sums():
        truth = {"style": "rule", "ground_truth": row["label"]}
        left = {key: value for key, value in row.items() if key != "label"}
        made.append({**left, "ability": "math", "reward_model": truth} if kept else left)
    return made


def trained(held: list[Row]) -> Edit:
    """Other training rows of the text recipe."""
    return rows(TRAIN, *held)


def pictured(held: list[Row], schema: Any = None) -> Edit:
    """Other training rows of the multimodal recipe."""
    return write(CHARTS_TRAIN, parquet(held, schema))


def before(*lines: str) -> Edit:
    """Lines at the top of the entry point's body."""
    return swap(REWARD, ENTRY, ENTRY + "".join(f"    {line}\n" for line in lines))


def _verl() -> list[Fault]:
    made = Maker("RLX701", "text", RUN, "warning", may=("RLX703", "RLX702"))
    verl = instead("--label-key label", "--label-key reward_model")
    made("jsonl", "--label-key", verl, trained(old()), rows(TEST, *old()))
    made("only-train", "--label-key", verl, trained(old()), rows(TEST, *each(reward_model="4")))
    made(
        "equals",
        "--label-key=",
        instead("--label-key label", "--label-key=reward_model"),
        trained(old()),
        rows(TEST, *old()),
    )
    turns = Maker("RLX701", "turns", DESK_RUN, "warning", may=("RLX703", "RLX702"))
    turns(
        "parquet",
        "--label-key",
        swap(DESK_RUN, LABEL, "    --label-key reward_model\n"),
        write(DESK_TRAIN, parquet_of(old())),
        write("data/desk/test.parquet", parquet_of(old())),
    )
    return [*made.made, *turns.made]


def _columns() -> list[Fault]:
    made = Maker("RLX702", "text", RUN, may=("RLX704", "RLX703", "RLX214", "RLX707"))
    made("label", "--label-key", instead("--label-key label", "--label-key answer"))
    made("input", "--input-key", instead("--input-key prompt", "--input-key question"))
    made("label-only-in-test", "--label-key", rows(TEST, *old(False)))
    made(
        "label-renamed-in-data",
        "--label-key",
        trained([{("answer" if key == "label" else key): value for key, value in row.items()} for row in sums()]),
    )
    made("metadata", "--metadata-key", instead("--metadata-key extra_info", "--metadata-key meta"), severity="warning")
    made(
        "metadata-equals",
        "--metadata-key=",
        instead("--metadata-key extra_info", "--metadata-key=extra"),
        severity="warning",
    )
    made(
        "file-misspelt",
        '--prompt-data "${PROMPT_SET}"',
        swap(RUN, "arith/train.jsonl", "arith/trian.jsonl"),
        severity="warning",
    )
    made(
        "test-misspelt",
        "--eval-prompt-data arith ${TEST_FILES}",
        swap(RUN, "arith/test.jsonl", "arith/tests.jsonl"),
        severity="warning",
    )
    made(
        "json",
        '--prompt-data "${PROMPT_SET}"',
        write("data/arith/train.json", "[]"),
        swap(RUN, "arith/train.jsonl", "arith/train.json"),
    )
    made(
        "csv",
        '--prompt-data "${PROMPT_SET}"',
        write("data/arith/train.csv", "prompt,label\n"),
        swap(RUN, "arith/train.jsonl", "arith/train.csv"),
    )
    turns = Maker("RLX702", "turns", DESK_RUN, may=("RLX214", "RLX703"))
    turns("label-in-parquet", "--label-key", swap(DESK_RUN, LABEL, "    --label-key ground_truth\n"))
    turns("upper-case", "--label-key", swap(DESK_RUN, LABEL, "    --label-key Label\n"))
    vision = Maker("RLX702", "vision", CHARTS_RUN, "warning", may=("RLX705", "RLX410"))
    vision("media", "--multimodal-keys", swap(CHARTS_RUN, '{"image":"image"}', '{"image":"images"}'))
    sft = Maker("RLX702", "sft", SFT_RUN, may=("RLX704",))
    sft("input", "--input-key", swap(SFT_RUN, "--input-key messages", "--input-key conversations"))
    return [*made.made, *turns.made, *vision.made, *sft.made]


def _labels() -> list[Fault]:
    made = Maker("RLX703", "text", RUN, may=("RLX209",))
    strip = answer("return {'score': float(sample.label.strip() == sample.response)}\n")
    made(
        "struct",
        "--label-key label",
        trained(each(label={"ground_truth": "4"})),
        rows(TEST, *each(label={"ground_truth": "4"})),
        strip,
    )
    made("list", "--label-key label", trained(each(label=["4", "four"])), strip)
    made(
        "struct-with-rm-type",
        "--label-key label",
        instead(RM_PATH, "--rm-type dapo"),
        trained(each(label={"value": "4"})),
    )
    made(
        "list-with-rm-type",
        "--label-key label",
        instead(RM_PATH, "--rm-type f1"),
        without("--reward-key score"),
        trained(each(label=["4"])),
    )
    made(
        "regular-expression",
        "--label-key label",
        trained(each(label=["4"])),
        answer("import re\n\nreturn {'score': float(bool(re.search(sample.label, sample.response)))}\n"),
    )
    made("number", "--label-key label", trained(each(label=4)), severity="warning|error")
    made("float", "--label-key label", trained(each(label=4.5)), severity="warning|error")
    made("null", "--label-key label", trained([*sums(3), *each(label=None)[:1]]), severity="warning|error")
    made(
        "struct-of-unknown-reward",
        "--label-key label",
        trained(each(label={"value": "4"})),
        answer("import unknown_scores\n\nreturn {'score': unknown_scores.compare(sample)}\n"),
        severity="warning",
    )
    turns = Maker("RLX703", "turns", DESK_RUN)
    turns(
        "parquet-struct",
        "--label-key label",
        write(DESK_TRAIN, parquet_of(each(label={"ground_truth": "4"}))),
        answer("return {'score': float(sample.label.lower() == sample.response)}\n", "examples/desk/reward_desk.py"),
    )
    turns("parquet-number", "--label-key label", write(DESK_TRAIN, parquet_of(each(label=4))), severity="warning|error")
    return [*made.made, *turns.made]


def _prompts() -> list[Fault]:
    made = Maker("RLX704", "text", RUN, may=("RLX214", "RLX505"))
    made("number", "--input-key prompt", trained(each(prompt=5)))
    made("null", "--input-key prompt", trained([*sums(3), *each(prompt=None)[:1]]))
    made("struct", "--input-key prompt", trained(each(prompt={"role": "user", "content": "1 + 1?"})))
    made("list-of-texts", "--input-key prompt", trained(each(prompt=["1 + 1?"])))
    made("no-role", "--input-key prompt", trained(each(prompt=[{"content": "1 + 1?"}])))
    made("sharegpt", "--input-key prompt", trained(each(prompt=[{"from": "human", "value": "1 + 1?"}])))
    made(
        "content-list-for-text",
        "--input-key prompt",
        trained(each(prompt=asked([{"type": "text", "text": "1 + 1?"}, {"type": "image", "image": "a.png"}]))),
    )
    made("in-test", "--input-key prompt", rows(TEST, *each(prompt=["1 + 1?"])))
    turns = Maker("RLX704", "turns", DESK_RUN)
    turns("parquet-texts", "--input-key prompt", write(DESK_TRAIN, parquet_of(each(prompt=["1 + 1?"]))))
    turns("parquet-null", "--input-key prompt", write(DESK_TRAIN, parquet_of([*sums(2), *each(prompt=None)[:1]])))
    vision = Maker("RLX704", "vision", CHARTS_RUN, may=("RLX214", "RLX705", "RLX410", "RLX505"))
    vision(
        "text-for-vision-without-template",
        "--input-key prompt",
        pictured([{**row, "prompt": "Which bar?"} for row in charts()]),
        write("data/charts/test.parquet", parquet_of([{**row, "prompt": "Which bar?"} for row in charts(2)])),
        swap(CHARTS_RUN, "    --apply-chat-template\n", ""),
        swap(CHARTS_RUN, '    --multimodal-keys \'{"image":"image"}\'\n', ""),
    )
    return [*made.made, *turns.made, *vision.made]


def _media() -> list[Fault]:
    made = Maker("RLX705", "vision", CHARTS_RUN)
    none = [{**row, "prompt": asked("Which bar?")} for row in charts()]
    made("no-placeholder", '--multimodal-keys \'{"image":"image"}\'', pictured(none))
    made("fewer-in-one-row", '--multimodal-keys \'{"image":"image"}\'', pictured([*charts(2), none[0]]))
    made(
        "two-pictures",
        '--multimodal-keys \'{"image":"image"}\'',
        pictured([{**row, "image": row["image"] * 2} for row in charts()]),
    )
    made("in-test", '--multimodal-keys \'{"image":"image"}\'', write("data/charts/test.parquet", parquet_of(none)))
    twice = [{**row, "prompt": asked("<image><image>Which bar?")} for row in charts()]
    made("more-placeholders", '--multimodal-keys \'{"image":"image"}\'', pictured(twice), severity="warning")
    made(
        "empty-list",
        '--multimodal-keys \'{"image":"image"}\'',
        pictured([*charts(2), {**charts(1)[0], "image": []}]),
        severity="warning",
    )
    made(
        "placeholder-in-second-message",
        '--multimodal-keys \'{"image":"image"}\'',
        pictured(
            [
                {
                    **row,
                    "prompt": [
                        {"role": "system", "content": "Look."},
                        {"role": "user", "content": "<image><image> Which?"},
                    ],
                }
                for row in charts()
            ]
        ),
        severity="warning",
    )
    return made.made


def bare() -> list[Row]:
    """Rows of the multimodal recipe that lost their pictures."""
    return [{key: value for key, value in row.items() if key != "image"} for row in charts()]


def _lost() -> list[Fault]:
    made = Maker("RLX706", "vision", CHARTS_RUN, may=("RLX702", "RLX705", "RLX410", "RLX704"))
    source = [
        {
            **row,
            "images": [{"bytes": row["image"][0], "path": None}],
            "reward_model": {"style": "rule", "ground_truth": "red"},
        }
        for row in charts()
    ]
    for row in source:
        del row["image"], row["label"]
    made(
        "column-of-bytes",
        '--multimodal-keys \'{"image":"image"}\'',
        pictured([{**row, "image": row["image"][0]} for row in charts()]),
    )
    made(
        "column-of-text",
        '--multimodal-keys \'{"image":"image"}\'',
        pictured([{**row, "image": "a.png"} for row in charts()]),
    )
    made(
        "column-of-struct",
        '--multimodal-keys \'{"image":"image"}\'',
        pictured([{**row, "image": {"bytes": row["image"][0], "path": None}} for row in charts()]),
    )
    made(
        "dropped-by-conversion",
        '--multimodal-keys \'{"image":"image"}\'',
        pictured(bare()),
        write("data/charts/test.parquet", parquet_of(bare())),
        write("data/charts/verl/train.parquet", parquet_of(source)),
        write("data/charts/verl/test.parquet", parquet_of(source)),
        swap(
            CHARTS_RUN,
            "--input-dir /path/to/verl/data --output-dir /path/to/relax/data",
            "--input-dir ${DATA_DIR}/charts/verl --output-dir ${DATA_DIR}/charts",
        ),
        swap(
            "scripts/tools/process_charts.py", '        "image": [picture["bytes"] for picture in row["images"]],\n', ""
        ),
    )
    return made.made


def _metadata() -> list[Fault]:
    made = Maker("RLX707", "text", RUN, may=("RLX209",))
    plain = [{key: value for key, value in row.items() if key != "data_source"} for row in sums()]
    made("text", "--metadata-key extra_info", trained([{**row, "extra_info": '{"split": "train"}'} for row in plain]))
    made("text-in-test", "--metadata-key extra_info", rows(TEST, *({**row, "extra_info": "train"} for row in plain)))
    # Which of the two is wrong, the column or the key, nothing tells.
    either = ("--metadata-key extra_info", f"{REWARD}|assert sample.metadata[")
    made(
        "key-nobody-has",
        either,
        before("assert sample.metadata['difficulty']"),
        severity="warning",
    )
    made(
        "key-misspelt",
        either,
        before("assert sample.metadata['spilt']"),
        severity="warning",
    )
    turns = Maker("RLX707", "turns", DESK_RUN)
    turns(
        "parquet-text",
        "--metadata-key extra_info",
        write(DESK_TRAIN, parquet_of([{**row, "extra_info": "train"} for row in plain])),
    )
    schema = pyarrow.schema(
        [
            ("prompt", pyarrow.list_(pyarrow.struct([("role", pyarrow.string()), ("content", pyarrow.string())]))),
            ("label", pyarrow.string()),
            ("extra_info", pyarrow.map_(pyarrow.string(), pyarrow.string())),
        ]
    )
    mapped = [{"prompt": row["prompt"], "label": row["label"], "extra_info": [("split", "train")]} for row in sums()]
    turns("parquet-map", "--metadata-key extra_info", write(DESK_TRAIN, parquet(mapped, schema)), severity="warning")
    turns(
        "parquet-map-in-test",
        "--metadata-key extra_info",
        write("data/desk/test.parquet", parquet(mapped, schema)),
        severity="warning",
    )
    return [*made.made, *turns.made]


def _long() -> list[Fault]:
    made = Maker("RLX708", "text", RUN, "advice")
    made("words", "--rollout-max-prompt-len 512", trained(each(prompt=asked("What is one and one and one? " * 900))))
    made(
        "short-limit",
        "--rollout-max-prompt-len 8",
        instead("--rollout-max-prompt-len 512", "--rollout-max-prompt-len 8"),
        trained(each(prompt=asked("What is one and one and one? " * 20))),
        rows(TEST, *each(prompt=asked("What is one and one and one? " * 20))),
    )
    return made.made


FAULTS = [*_verl(), *_columns(), *_labels(), *_prompts(), *_media(), *_lost(), *_metadata(), *_long()]
