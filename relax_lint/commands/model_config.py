"""Make a model file of Relax, as `scripts/models/` has them, out of a checkpoint's config.json.

It is printed, or written to the --output. A config whose architecture is not known, or that lacks a number, is refused
by name.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from relax_lint.commands import USAGE_ERROR, absolute, complain

EXAMPLES = (
    ("relax-lint model-config Qwen3-8B/config.json", "print it"),
    ("relax-lint model-config Qwen3-8B --output qwen3.sh", "write it"),
)
EXIT_STATUS = {
    0: "it was made",
    2: "it could not be, or the output is there already",
}


def add_arguments(parser: ArgumentParser) -> None:
    """What `relax-lint model-config` takes."""
    parser.add_argument(
        "config", metavar="CONFIG.json", type=Path, help="in Hugging Face's form, or the directory of the checkpoint"
    )
    parser.add_argument(
        "--name", metavar="STEM", help="what the model is called (default: as the output, or its directory)"
    )
    parser.add_argument("--output", metavar="FILE", type=Path, help="the file to write (default: print it)")
    parser.add_argument("--force", action="store_true", help="replace the output")


def run(options: Namespace) -> int:
    """Make it; the exit status."""
    from relax_lint.files import Files, Unreadable
    from relax_lint.migrate.model_config import NotConverted, config_in, model_of, text_of

    path = absolute(options.config)
    files = Files()
    if files.is_dir(path):
        path /= "config.json"
    try:
        data = files.read(path)
        if data is None:
            complain(f"no such file: {options.config if path.name == options.config.name else path}")
            return USAGE_ERROR
        model = model_of(config_in(data))
    except (NotConverted, Unreadable) as why:
        complain(f"{options.config}: {why}")
        return USAGE_ERROR
    stem = options.name or (options.output.stem if options.output is not None else path.parent.name)
    text = text_of(model, stem)
    if not model.bridged:
        complain(
            f"the Megatron-Bridge of Relax's image does not know {model.kind}: --megatron-to-hf-mode bridge works once "
            "it is added there"
        )
    if options.output is None:
        sys.stdout.write(text)
        return 0
    return _written(options.output, text, options.force)


def _written(output: Path, text: str, force: bool) -> int:
    from relax_lint.files import Files, Unreadable
    from relax_lint.writing import NotWritten, turns, write

    path = absolute(output)
    try:
        with turns([path.parent]):
            before = Files().read(path)
            if before is not None and not force:
                complain(f"{output} is there already; --force replaces it")
                return USAGE_ERROR
            write(path, text.encode(), before, path.parent, [path])
    except (NotWritten, Unreadable) as why:
        complain(f"{output} was not written: {why}")
        return USAGE_ERROR
    return 0
