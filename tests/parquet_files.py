"""Parquet files made by pyarrow, for tests that read them."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"


def image(width: int = 64, height: int = 64, size: int = 100) -> dict[str, Any]:
    """An image as datasets keep it: bytes and a path."""
    head = PNG + width.to_bytes(4, "big") + height.to_bytes(4, "big")
    return {"bytes": head + b"\0" * size, "path": None}


def parquet(rows: list[dict[str, Any]], schema: Any = None, **options: Any) -> bytes:
    """The bytes of a parquet file with these rows."""
    stream = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, schema=schema), stream, **options)
    return stream.getvalue()


def write_parquet(path: Path, rows: list[dict[str, Any]], schema: Any = None, **options: Any) -> Path:
    """A parquet file on disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(parquet(rows, schema, **options))
    return path


def asked(text: object) -> list[dict[str, object]]:
    """A prompt of one message."""
    return [{"role": "user", "content": text}]


def reads_nulls_in_lists_of_one_size() -> bool:
    """Whether the pyarrow that is installed can: 25, the last for Python 3.10, cannot read what it writes itself."""
    table = pyarrow.table({"a": pyarrow.array([None, [1, 2]], pyarrow.list_(pyarrow.int8(), 2))})
    written = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(table, written)
    try:
        return bool(pyarrow.parquet.read_table(written.getvalue()) == table)
    except pyarrow.ArrowInvalid:
        return False
