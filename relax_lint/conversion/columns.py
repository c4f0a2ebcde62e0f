"""The columns that Relax reads, out of those of verl."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from relax_lint.conversion.media import held, is_list, media
from relax_lint.conversion.recipe_data import DATA_SOURCE, KEEP, MEDIA, PREPARED_BY, PROMPT, RAW_PROMPT, TOOLS
from relax_lint.conversion.refusals import BadRows, Refused, counted_from

OF_TOOLS = ("need_tools_kwargs", "tools_kwargs", "interaction_kwargs")
ALSO_NAMED = {"images": "preprocessed_images"}
NO_TRUTH, ENCODED, SOURCE = "no ground truth", "relax_label_encoding", "verl_data_source"
"""The last two are keys of extra_info: how the label is encoded, and verl's source where extra_info has its own."""
RAW = "raw_prompt"


@dataclass(frozen=True)
class Wanted:
    """Which columns count, and what is done with rows that have no ground truth."""

    prompt: str = PROMPT
    data_source: str = DATA_SOURCE
    media: Mapping[str, str] = field(default_factory=lambda: dict(MEDIA))
    keep: tuple[str, ...] = KEEP
    without_truth: str = "refuse"
    tools: str = TOOLS
    raw_prompt: bool = RAW_PROMPT


def columns_of(wanted: Wanted) -> tuple[str, ...]:
    """The columns of verl's that are read, beside the ground truth."""
    also = (ALSO_NAMED[name] for name in wanted.media if name in ALSO_NAMED)
    return (wanted.prompt, wanted.data_source, "extra_info", *OF_TOOLS, *wanted.media, *also, *wanted.keep)


def readable(schema: Any, wanted: Wanted) -> list[str]:
    """The columns to read. Raises :class:`Refused` for a file that lacks what every row needs."""
    for name in ("reward_model", wanted.prompt):
        if name not in schema.names:
            only = f"there is no column {name}, only {', '.join(schema.names)}"
            raise Refused(f"{only}: {raw_rows()}" if name == "reward_model" else only)
    model = schema.field("reward_model").type
    if not pa.types.is_struct(model) or model.get_field_index("ground_truth") < 0:
        raise Refused(f"reward_model has the type {model}, and no ground_truth")
    return [name for name in columns_of(wanted) if name in schema.names] + ["reward_model.ground_truth"]


def raw_rows() -> str:
    """What is done with rows that verl does not read."""
    maker = PREPARED_BY or "the preprocessing that makes reward_model.ground_truth"
    return f"raw rows must go through {maker} first"


def convert_batch(batch: Any, wanted: Wanted, home: Path) -> Any:
    """A batch of verl's as Relax reads it."""
    truth = pc.struct_field(batch.column("reward_model"), "ground_truth")
    if wanted.without_truth == "skip" and truth.null_count:
        taken = pc.indices_nonzero(truth.is_valid())
        with counted_from(taken.to_pylist()):
            return convert_batch(batch.take(taken), wanted, home)
    label, encoding = labels(truth, wanted.without_truth)
    return assembled(dict(zip(batch.schema.names, batch.columns, strict=True)), wanted, home, label, encoding)


def assembled(columns: Mapping[str, Any], wanted: Wanted, home: Path, label: Any, encoding: Any) -> Any:
    """The batch that Relax reads."""
    made = {wanted.prompt: columns[wanted.prompt], "label": label}
    extra = metadata(columns, wanted, encoding)
    if extra is not None:
        made["extra_info"] = extra
    for name, kind in wanted.media.items():
        column = columns.get(name, columns.get(ALSO_NAMED.get(name, "")))
        if column is not None:
            made[name] = media(column, kind, home)
    if wanted.tools:
        made["tools"] = pa.repeat(wanted.tools, len(label))
    made.update((name, columns[name]) for name in wanted.keep if name in columns and name not in made)
    return pa.RecordBatch.from_arrays(list(made.values()), names=list(made))


def labels(truth: Any, without: str) -> tuple[Any, Any]:
    """The labels of a column of ground truths, and how they are encoded, if they are."""
    truth = truth.dictionary_decode() if pa.types.is_dictionary(truth.type) else truth
    if without == "refuse" and truth.null_count:
        raise BadRows(NO_TRUTH, pc.indices_nonzero(truth.is_null()).to_pylist())
    if is_text(truth.type):
        label, encoding = truth.cast(pa.string()), None
        if without == "null":
            encoding = pc.if_else(label.is_null(), "json", pa.scalar(None, pa.string()))
    else:
        if pa.types.is_integer(truth.type) or pa.types.is_boolean(truth.type):
            label = truth.cast(pa.string())
        else:
            label = pa.array([None if value is None else as_text(value) for value in truth.to_pylist()], pa.string())
        encoding = pa.repeat("json", len(label))
    return label.fill_null("null") if label.null_count else label, encoding


def as_text(value: object) -> str:
    """A ground truth that is no string, as JSON."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except TypeError:
        raise Refused(f"a ground truth of type {type(value).__name__} cannot be written as text") from None


def is_text(kind: Any) -> bool:
    """Whether a type is that of strings."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or str(kind) == "string_view")


def metadata(columns: Mapping[str, Any], wanted: Wanted, encoding: Any) -> Any:
    """The column extra_info, with what else rewards and tools ask for; None when there is nothing."""
    extra = columns.get("extra_info")
    fields: dict[str, Any] = {}
    if extra is not None and not pa.types.is_null(extra.type):
        if not pa.types.is_struct(extra.type):
            raise Refused(f"extra_info has the type {extra.type}, and is no struct")
        fields = dict(zip((part.name for part in extra.type), extra.flatten(), strict=True))
    taken = [name for name in (ENCODED, SOURCE, *((RAW,) if wanted.raw_prompt else ())) if name in fields]
    if taken:
        raise Refused(f"extra_info has {taken[0]}, which is what the conversion puts there: give yours another name")
    for name, column in (("data_source", wanted.data_source), *((name, name) for name in OF_TOOLS)):
        added = columns.get(column)
        if added is None:
            continue
        there = fields.get(name)
        if name == "data_source" and there is not None and not pa.types.is_null(there.type):
            fields[SOURCE] = added
            continue
        if there is None or pa.types.is_null(there.type):
            fields[name] = added
        elif there.null_count and there.type == added.type and is_text(added.type):
            fields[name] = pc.coalesce(there, added)
    if wanted.raw_prompt:
        fields[RAW] = pa.array([as_text(prompt) for prompt in columns[wanted.prompt].to_pylist()], pa.string())
    if encoding is not None:
        fields[ENCODED] = encoding
    return pa.StructArray.from_arrays(list(fields.values()), names=list(fields)) if fields else None


def all_held(batch: Any, wanted: Wanted) -> bool:
    """Whether no media lie in files of their own."""
    named = [batch.column(name) for name in (*wanted.media, *ALSO_NAMED.values()) if name in batch.schema.names]
    parts = [column.flatten() if is_list(column.type) else column.drop_null() for column in named]
    return all(held(part) is not None for part in parts)
