"""Small trees for the examples of rules about data."""

from __future__ import annotations

import json

RUN, DATA = "examples/demo/run_demo.sh", "data/train.jsonl"
TRAIN = "python3 relax/entrypoints/train.py"


def lines(*rows: object) -> str:
    """Rows as a JSON lines file has them; a text stands for itself."""
    return "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows)


def tree(flags: str, *rows: object, path: str = DATA, **more: str) -> dict[str, str]:
    """A launch with these flags, whose training data has these rows; more files by names with __ for slashes."""
    return {RUN: f"{TRAIN} --prompt-data {path} {flags}\n", DATA: lines(*rows), **named(more)}


TOOL = "scripts/tools/process_demo.py"
NOTE = f"# Convert data: python3 {TOOL} --input-dir /verl --output-dir /relax\n"


def converted(code: str, flags: str) -> dict[str, str]:
    """A launcher whose header names the script that converts its data."""
    return {RUN: f"{NOTE}{TRAIN} --prompt-data $DATA_DIR/train.parquet {flags}\n", TOOL: code}


def script(text: str, *rows: object, **more: str) -> dict[str, str]:
    """A whole launcher and the rows of its training data."""
    return {RUN: text, DATA: lines(*rows), **named(more)}


def named(files: dict[str, str]) -> dict[str, str]:
    """Files whose names are written as Python names: ``data__test_jsonl``."""
    return {"/".join(name.split("__")).replace("_", "."): text for name, text in files.items()}
