"""Data that is made to cost: many columns, deep types, long lines, footers that lie."""

from __future__ import annotations

import base64
import io
import json
import re
from typing import Any

import pyarrow
import pyarrow.parquet

from tests.parquet_files import parquet, reads_nulls_in_lists_of_one_size

_ROWS = [{"prompt": "a", "label": "1"}] * 3


def _written(table: Any, **options: Any) -> bytes:
    stream = io.BytesIO()
    pyarrow.parquet.write_table(table, stream, **options)
    return stream.getvalue()


def _deep(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = [value]
    return pyarrow.table({"prompt": ["a"], "deep": [value]})


def _nulls(kind: Any, rows: int = 1) -> bytes:
    """Values that are not there, of a type of which each takes memory."""
    table = pyarrow.table({"prompt": pyarrow.array([None], kind)})
    small = _written(table, compression="none")
    return small if rows == 1 else _written(pyarrow.concat_tables([table] * rows), compression="none")


def _claiming(size: int) -> bytes:
    """A list without a value, of which Arrow's schema in the footer says that it has so many elements."""
    small = _nulls(pyarrow.list_(pyarrow.string(), 97))
    schema = base64.b64decode(re.search(rb"/////[\w+/]+=*", small)[0])  # type: ignore[index]
    claimed = schema.replace((97).to_bytes(4, "little"), size.to_bytes(4, "little"))
    assert claimed != schema
    return small.replace(base64.b64encode(schema), base64.b64encode(claimed))


def parquet_files() -> dict[str, bytes]:
    """By name; those with ``broken`` in it cannot be read."""
    good = parquet(_ROWS)
    size = int.from_bytes(good[-8:-4], "little")
    footer = good[-8 - size : -8]
    columns = pyarrow.table({f"c{number}": [1] for number in range(5_000)})
    text = pyarrow.array(["a" * 1_000_000])
    return {
        "empty_broken": b"",
        "magic_broken": b"PAR1",
        "magic_twice_broken": b"PAR1PAR1",
        "cut_broken": good[: len(good) // 2],
        "no_end_broken": good[:-4],
        "other_end_broken": good[:-4] + b"PARE",
        "length_broken": good[:-8] + (2**31 - 1).to_bytes(4, "little") + b"PAR1",
        "length_zero_broken": good[:-8] + (0).to_bytes(4, "little") + b"PAR1",
        "lists_broken": b"PAR1" + b"\x19\xfc" + b"\xff" * 8 + b"\x0f" * 50 + (60).to_bytes(4, "little") + b"PAR1",
        "deep_broken": b"PAR1" + b"\x1c" * 100_000 + (100_000).to_bytes(4, "little") + b"PAR1",
        "footer_broken": good[: -8 - size] + bytes(255 - byte for byte in footer) + good[-8:],
        "data_broken": b"PAR1" + b"\xff" * (len(good) - size - 12) + good[-8 - size :],
        "text_broken": b"prompt,label\n" * 1_000,
        "many_columns": _written(columns),
        "deep": _written(_deep(30)),
        "many_groups": _written(pyarrow.table({"prompt": ["a"] * 3_000}), row_group_size=1),
        "long_text": _written(pyarrow.table({"prompt": pyarrow.chunked_array([text] * 40)})),
        "claimed_list_broken": _claiming(2**31 - 1),
        "claimed_list_2_broken": _claiming(1 << 25),
        f"null_lists{'' if reads_nulls_in_lists_of_one_size() else '_broken'}": _nulls(
            pyarrow.list_(pyarrow.list_(pyarrow.int8(), 1 << 10), 1 << 13), 300
        ),
        "null_bytes": _nulls(pyarrow.struct([("a", pyarrow.list_(pyarrow.binary(1 << 24)))]), 3),
        "many_null_bytes": _nulls(pyarrow.binary(1 << 24), 150),
        "null_bytes_broken": _nulls(pyarrow.binary((64 << 20) + 1)),
        "no_rows": _written(pyarrow.table({"prompt": pyarrow.array([], pyarrow.string())})),
        "no_columns": _written(pyarrow.table({})),
        "repeated": _written(pyarrow.table({"prompt": pyarrow.array(["a"] * 300_000).dictionary_encode()})),
    }


def json_lines() -> dict[str, bytes]:
    """By name; those with ``broken`` in it cannot be read."""
    row = json.dumps(_ROWS[0]).encode()
    return {
        "deep_broken": b"[" * 50_000,
        "deep_objects_broken": b'{"a":' * 50_000,
        "digits_broken": b'{"prompt": ' + b"9" * 100_000 + b"}",
        "bytes_broken": b"\xff\xfe" * 1_000,
        "long": b'{"prompt": "' + b"a" * 10_000_000 + b'"}\n',
        "keys": b"{" + b", ".join(b'"k%d": 1' % number for number in range(20_000)) + b"}\n",
        "columns": b"\n".join(b'{"k%d": 1}' % number for number in range(20_000)),
        "empty_lines": b"\n" * 200_000 + row,
        "no_objects": b"[]\n" * 50_000 + row,
        "bad_lines": b"{\n" * 50_000 + row,
        "nul": b"\0" * 1_000_000 + b"\n" + row,
        "numbers": b'{"prompt": "a", "label": 1e999}\n{"prompt": "a", "label": NaN}\n' + row,
    }
