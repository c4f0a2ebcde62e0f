"""Make parquet files of Relax out of those of verl: one, or all below a directory.

This is what the script scripts/tools/process_NAME.py of a migrated recipe does, with the columns as options.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path

from relax_lint.commands import USAGE_ERROR, complain
from relax_lint.conversion.recipe_data import DATA_SOURCE, MEDIA, PROMPT

EXAMPLES = (
    ("relax-lint data convert train.parquet new/train.parquet", "a file"),
    ("relax-lint data convert verl/ relax/ --keep difficulty", "a directory, and one column more"),
)
EXIT_STATUS = {
    0: "all is converted",
    1: "a file cannot be read, converted or written",
    2: "wrong usage, or the extra `data` (with --ray, `ray`) is not installed",
}
_KINDS = ("image", "video", "audio")


def add_arguments(parser: ArgumentParser) -> None:
    """What `relax-lint data convert` takes."""
    parser.add_argument("given", metavar="IN", type=Path, help="a .parquet or .jsonl file of verl, or a directory")
    parser.add_argument("made", metavar="OUT", type=Path, help="the file or directory to be made")
    parser.add_argument(
        "--prompt-key", metavar="COLUMN", default=PROMPT, help="where the prompt is (default: %(default)s)"
    )
    parser.add_argument(
        "--data-source-key", metavar="COLUMN", default=DATA_SOURCE, help="where a row is from (default: %(default)s)"
    )
    for kind in _KINDS:
        default = next(name for name, each in MEDIA.items() if each == kind)
        parser.add_argument(
            f"--{kind}-key", metavar="COLUMN", default=default, help=f"where the {kind}s are (default: %(default)s)"
        )
    parser.add_argument("--tools", metavar="FILE", type=Path, help="schemas of tools as JSON, for a column tools")
    parser.add_argument("--keep", metavar="COLUMN", action="append", default=[], help="keep this column, too")
    parser.add_argument(
        "--without-truth",
        choices=("refuse", "skip", "null"),
        default="refuse",
        help="rows without ground truth: name them and write nothing (default), leave them out, or make the label null",
    )
    parser.add_argument("--ray", action="store_true", help="on Ray Data; a file becomes a directory of files")


def run(options: Namespace) -> int:
    """Convert; the exit status."""
    from relax_lint.extras import is_there

    if not (is_there("ray", "--ray") if options.ray else is_there("data", "converting")):
        return USAGE_ERROR
    from relax_lint.conversion.columns import Wanted
    from relax_lint.conversion.program import run as convert

    for named in filter(None, (options.given, options.tools)):
        if named.exists() and not named.is_file() and not named.is_dir():
            complain(f"{named}: cannot be read: it is no regular file")
            return USAGE_ERROR
    media = {getattr(options, f"{kind}_key"): kind for kind in _KINDS}
    try:
        tools = "" if options.tools is None else json.dumps(json.loads(options.tools.read_text()), ensure_ascii=False)
    except (OSError, ValueError) as problem:
        complain(f"{options.tools}: {getattr(problem, 'strerror', None) or f'no JSON: {problem}'}")
        return USAGE_ERROR
    keep = tuple(options.keep)
    wanted = Wanted(options.prompt_key, options.data_source_key, media, keep, options.without_truth, tools)
    return convert(options.given, options.made, wanted, options.ray)
