"""Turn verl's Countdown parquet into Relax's: the target becomes the label, the numbers go into ``extra_info``."""

from __future__ import annotations

import argparse
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq


def convert_row(row: dict) -> dict:
    """What Relax reads of one row."""
    truth = row["reward_model"]["ground_truth"]
    return {
        "prompt": row["prompt"],
        "label": str(truth["target"]),
        "extra_info": {"numbers": [int(number) for number in truth["numbers"]]},
    }


def convert_file(source: Path, target: Path) -> None:
    """Convert one file, a batch at a time."""
    read = pq.ParquetFile(source)
    schema = pa.schema(
        [
            read.schema_arrow.field("prompt"),
            pa.field("label", pa.string()),
            pa.field("extra_info", pa.struct([("numbers", pa.list_(pa.int64()))])),
        ]
    )
    with pq.ParquetWriter(target, schema) as writer:
        for batch in read.iter_batches():
            rows = [convert_row(row) for row in batch.to_pylist()]
            writer.write_batch(pa.RecordBatch.from_pylist(rows, schema=schema))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--input-dir", type=Path, required=True)
    parser.add_argument("--output-dir", type=Path, required=True)
    options = parser.parse_args()
    options.output_dir.mkdir(parents=True, exist_ok=True)
    for path in sorted(options.input_dir.glob("*.parquet")):
        convert_file(path, options.output_dir / path.name)
