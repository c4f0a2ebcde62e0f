"""Turn verl's Countdown parquet into Relax's: the target becomes a plain ``label`` column."""

from __future__ import annotations

import argparse
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq


def convert_file(source: Path, target: Path) -> None:
    """Convert one file, a batch at a time."""
    schema = pa.schema([("prompt", pq.read_schema(source).field("prompt").type), ("label", pa.string())])
    with pq.ParquetWriter(target, schema) as writer:
        for batch in pq.ParquetFile(source).iter_batches():
            labels = [str(row["ground_truth"]["target"]) for row in batch.column("reward_model").to_pylist()]
            writer.write_batch(pa.RecordBatch.from_arrays([batch.column("prompt"), pa.array(labels)], schema=schema))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--input-dir", type=Path, required=True)
    parser.add_argument("--output-dir", type=Path, required=True)
    options = parser.parse_args()
    options.output_dir.mkdir(parents=True, exist_ok=True)
    for path in sorted(options.input_dir.glob("*.parquet")):
        convert_file(path, options.output_dir / path.name)
