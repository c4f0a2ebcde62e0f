"""Parquet files: written by pyarrow, then damaged, mostly where the footer describes the rest."""

from __future__ import annotations

import io
import random
from typing import Any

import pyarrow
import pyarrow.parquet

from tools.fuzz.datasets import DataFront
from tools.fuzz.mutating import damaged, raw

_MARK = b"PAR1"


class ParquetFront(DataFront):
    """The front end with its seeds."""

    name = "data.parquet"
    modules = ("sources/parquet.py", "sources/dataset.py", "sources/columns.py", "rules/data/", "data_profile.py")

    def __init__(self) -> None:
        self.seeds = [_file(random.Random(number)) for number in range(1_500)]

    def data(self, chance: random.Random) -> bytes:
        """A file."""
        kind = chance.random()
        seed = chance.choice(self.seeds)
        if kind < 0.02:
            return raw(chance)
        if kind < 0.05:
            return _MARK + raw(chance) + chance.choice((_MARK, b"PARE", b""))
        if kind < 0.4:
            return seed
        if kind < 0.44:
            return damaged(chance, seed)
        size = int.from_bytes(seed[-8:-4], "little")
        start = len(seed) - 8 - size
        if kind < 0.47:
            claimed = chance.choice((0, 1, size - 1, size + 1, len(seed), 2**31 - 1, 2**31, 2**32 - 1))
            return seed[:-8] + claimed.to_bytes(4, "little") + _MARK
        if kind < 0.5:
            return seed[: chance.randrange(len(seed))]
        if kind < 0.72:
            return _touched(chance, seed[:start]) + seed[start:]
        footer = chance.choice((damaged, _touched))(chance, seed[start:-8])
        return seed[:start] + footer + len(footer).to_bytes(4, "little") + _MARK


def _touched(chance: random.Random, data: bytes) -> bytes:
    """The bytes with a few of them changed, none moved: what the footer says of places stays true."""
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 5))):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def _file(chance: random.Random) -> bytes:
    """A small file of some kind."""
    names = chance.sample(
        ["prompt", "label", "extra_info", "images", "metadata", "data_source", "a.b", "", "é", "text"],
        chance.randint(1, 5),
    )
    count = chance.choice((0, 1, 2, 5))
    columns = {name: _column(chance, count) for name in names}
    table = pyarrow.table(columns)
    if chance.random() < 0.1:
        table = table.replace_schema_metadata({"huggingface": "{}", "pandas": "no json"})
    stream = io.BytesIO()
    pyarrow.parquet.write_table(
        table,
        stream,
        compression=chance.choice(("none", "snappy", "zstd", "gzip")),
        use_dictionary=chance.random() < 0.5,
        row_group_size=chance.choice((1, 2, 100)),
        data_page_version=chance.choice(("1.0", "2.0")),
        write_statistics=chance.random() < 0.5,
        version=chance.choice(("1.0", "2.6")),
    )
    return stream.getvalue()


def _column(chance: random.Random, count: int) -> Any:
    kind = chance.choice(_KINDS)
    made = [None if chance.random() < 0.2 else _value(chance, kind) for _ in range(count)]
    return pyarrow.array(made, kind)


_MESSAGE = pyarrow.struct([("role", pyarrow.string()), ("content", pyarrow.string())])
_IMAGE = pyarrow.struct([("bytes", pyarrow.binary()), ("path", pyarrow.string())])
_KINDS = (
    pyarrow.string(),
    pyarrow.list_(_MESSAGE),
    pyarrow.int64(),
    pyarrow.float64(),
    pyarrow.binary(),
    pyarrow.bool_(),
    pyarrow.large_string(),
    _IMAGE,
    pyarrow.list_(_IMAGE),
    pyarrow.map_(pyarrow.string(), pyarrow.int32()),
    pyarrow.timestamp("us"),
    pyarrow.date32(),
    pyarrow.decimal128(10, 2),
    pyarrow.null(),
    pyarrow.struct([("index", pyarrow.int64()), ("data_source", pyarrow.string())]),
    pyarrow.list_(pyarrow.list_(pyarrow.int8())),
    pyarrow.time64("us"),
    pyarrow.dictionary(pyarrow.int32(), pyarrow.string()),
    pyarrow.uint64(),
    pyarrow.duration("s"),
    pyarrow.list_(pyarrow.string(), 2),
)


def _value(chance: random.Random, kind: Any) -> Any:
    import datetime
    import decimal

    types = pyarrow.types
    if types.is_string(kind) or types.is_large_string(kind) or types.is_dictionary(kind):
        return chance.choice(("", "a", "<image> b", "user", "é" * 9, "1"))
    if types.is_binary(kind):
        return chance.choice((b"", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x40\0\0\0\x40", chance.randbytes(9)))
    if types.is_boolean(kind):
        return chance.random() < 0.5
    if types.is_floating(kind):
        return chance.choice((0.0, float("nan"), float("inf"), 1e300))
    if types.is_timestamp(kind):
        return chance.choice((0, 2**62, -(2**62)))
    if types.is_date(kind):
        return datetime.date(2026, 1, 1)
    if types.is_time(kind):
        return datetime.time(1, 2)
    if types.is_duration(kind):
        return chance.choice((1, 2**62))
    if types.is_decimal(kind):
        return decimal.Decimal("1.25")
    if types.is_integer(kind):
        return chance.choice((0, 1, 100))
    if types.is_map(kind):
        return [("a", 1)]
    if types.is_fixed_size_list(kind):
        return [_value(chance, kind.value_type) for _ in range(kind.list_size)]
    if types.is_list(kind):
        return [_value(chance, kind.value_type) for _ in range(chance.randrange(3))]
    if types.is_struct(kind):
        return {field.name: _value(chance, field.type) for field in kind}
    return None


def make() -> ParquetFront:
    """The front end with its seeds."""
    return ParquetFront()
