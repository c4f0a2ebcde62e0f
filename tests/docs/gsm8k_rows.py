"""``python -m tests.docs.gsm8k_rows FILE...`` writes rows of GSM8K in verl's form, ``--converted`` in Relax's."""

from __future__ import annotations

import argparse
from pathlib import Path

from tests.parquet_files import asked, write_parquet

DATA_SOURCE = "openai/gsm8k"


def row(index: int, *, converted: bool) -> dict[str, object]:
    """One row."""
    truth = str(index + 7)
    return {
        "data_source": DATA_SOURCE,
        "prompt": asked(f"Natalia has {index} clips and buys 7. How many has she now?"),
        "extra_info": {"split": "train", "index": index},
        **({"label": truth} if converted else {"reward_model": {"style": "rule", "ground_truth": truth}}),
    }


def main() -> None:
    """Write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--converted", action="store_true")
    parser.add_argument("--rows", type=int, default=3)
    options = parser.parse_args()
    for file in options.files:
        write_parquet(file, [row(index, converted=options.converted) for index in range(options.rows)])


if __name__ == "__main__":
    main()
