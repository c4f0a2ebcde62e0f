"""Images, videos and sounds as lists."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote, unquote_to_bytes

import pyarrow as pa
import pyarrow.compute as pc

from relax_lint.conversion.refusals import BadRows, said


def media(column: Any, kind: str, home: Path) -> Any:
    """A column as lists: of bytes; videos and sounds that lie in files stay names of them, which Relax opens."""
    if pa.types.is_null(column.type):
        return column.cast(pa.list_(pa.binary()))
    if is_list(column.type):
        counts, items = pc.list_value_length(column).cast(pa.int32()), column.flatten()
    else:
        counts, items = column.is_valid().cast(pa.int32()), column.drop_null()
    counts = pc.cumulative_sum(pc.coalesce(counts, zeros(len(counts))))
    offsets = pa.concat_arrays([zeros(1), counts])
    try:
        values = media_items(items, kind, home)
    except BadRows as bad:
        ends = counts.to_pylist()
        owners = sorted({next(row for row, end in enumerate(ends) if item < end) for item in bad.rows})
        raise BadRows(bad.reason, owners) from None
    return pa.ListArray.from_arrays(offsets, values, mask=column.is_null() if column.null_count else None)


def said_of_media(kind: Any, what: str) -> list[str]:
    """The fields of media that are neither they nor where they are: sizes, numbers of frames."""
    items = kind.value_type if is_list(kind) else kind
    known = {"bytes", "path", "base64", "type", "url", what, f"{what}_url"}
    fields = items if pa.types.is_struct(items) else ()
    return [field.name for field in fields if field.name not in known and not pa.types.is_null(field.type)]


def zeros(size: int) -> Any:
    """Zeros, made without what pyarrow loads pandas for where that is installed."""
    return pa.Array.from_buffers(pa.int32(), size, [None, pa.py_buffer(bytes(4 * size))])


def is_list(kind: Any) -> bool:
    """Whether a type is that of lists."""
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def held(items: Any) -> Any:
    """The bytes of media that are all in the data itself, else None."""
    if pa.types.is_struct(items.type) and items.type.get_field_index("bytes") >= 0:
        items = pc.struct_field(items, "bytes")
    is_binary = pa.types.is_binary(items.type) or pa.types.is_large_binary(items.type)
    return items.cast(pa.binary()) if is_binary and not items.null_count else None


def media_items(items: Any, kind: str, home: Path) -> Any:
    """The items of all lists as they are stored."""
    inside = held(items)
    if inside is not None:
        return inside
    found, bad, reason = [], [], ""
    for number, item in enumerate(items.to_pylist()):
        try:
            found.append(media_item(item, kind, home))
        except (OSError, ValueError, TypeError) as problem:
            bad.append(number)
            reason = reason or f"{kind}: {said(problem)}"
    if bad:
        raise BadRows(reason, bad)
    kinds = {type(item) for item in found}
    return pa.array(found, {bytes: pa.binary(), str: pa.string()}.get(kinds.pop()) if len(kinds) == 1 else pa.binary())


def media_item(item: Any, kind: str, home: Path) -> bytes | str:
    """One image, video or sound."""
    if isinstance(item, dict):
        item = {name: value for name, value in item.items() if value is not None}
        if isinstance(item.get("base64"), str):
            return decoded(item["base64"])
        named = (item[name] for name in ("bytes", kind, f"{kind}_url", "path", "url") if name in item)
        item = next(named, None)
        if isinstance(item, dict):
            return media_item(item, kind, home)
    if isinstance(item, (bytes, bytearray)):
        return bytes(item)
    if not isinstance(item, str):
        raise ValueError("an item is empty" if item is None else f"an item is a {type(item).__name__}")
    if item.startswith("data:"):
        head, _, body = item.partition(",")
        return decoded(body) if head.endswith(";base64") else unquote_to_bytes(body)
    path = unquote(item.removeprefix("file://")) if item.startswith("file://") else item
    if kind != "image":
        return path
    if re.match(r"[a-z][a-z0-9+.-]+://", path):
        raise ValueError(f"{path} is not on this machine")
    file = home / Path(path).expanduser()
    if file.exists() and not file.is_file():
        raise ValueError(f"{path} is no regular file")
    return file.read_bytes()


def decoded(text: str) -> bytes:
    """What is written in base64."""
    return base64.b64decode("".join(unquote(text).split()), validate=True)
