"""Turn verl's pairwise parquet into Relax's: the ground truth becomes a plain ``label`` column, the rest is kept.

Files are read and written a batch at a time, so memory does not grow with the data.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

KEPT = ("prompt", "data_source", "extra_info")


def convert_batch(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Columns that Relax reads, taken from a batch of verl's."""
    columns = {name: batch.column(name) for name in KEPT if name in batch.schema.names}
    columns["label"] = pc.struct_field(batch.column("reward_model"), "ground_truth").cast(pa.string())
    return pa.RecordBatch.from_pydict(columns)


def convert_file(source: Path, target: Path) -> None:
    """Convert one file."""
    target.parent.mkdir(parents=True, exist_ok=True)
    writer = None
    for batch in pq.ParquetFile(source).iter_batches():
        converted = convert_batch(batch)
        if writer is None:
            writer = pq.ParquetWriter(target, converted.schema)
        writer.write_batch(converted)
    if writer is not None:
        writer.close()


def main() -> None:
    """Convert every split of a directory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--input-dir", type=Path, required=True)
    parser.add_argument("--output-dir", type=Path, required=True)
    options = parser.parse_args()
    for source in sorted(options.input_dir.glob("*.parquet")):
        convert_file(source, options.output_dir / source.name)


if __name__ == "__main__":
    main()
