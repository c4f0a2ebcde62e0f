"""Build the flag catalogue from local checkouts.

    python tools/build_catalog.py RELAX MEGATRON SGLANG ROUTER [--check]

Each argument is the directory that holds the package: ``relax``, ``megatron``, ``sglang``, ``sglang_router``. Nothing
in them is imported. Relax's current patches are applied in memory when the sources do not have them already. Exit
status 1 when something about a flag is not to be found out, which leaves the committed files as they are, and with
``--check`` when those differ.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tools.catalog_builder.build import Checkouts, build

CATALOG = Path(__file__).resolve().parent.parent / "relax_lint/catalog"


def main(arguments: Sequence[str] | None = None) -> int:
    """Build or check; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in Checkouts._fields:
        parser.add_argument(name, type=Path, metavar=name.upper())
    parser.add_argument("--check", action="store_true", help="write nothing, compare with the committed files")
    parser.add_argument("--doubts", action="store_true", help="list the statements that were passed over")
    options = parser.parse_args(arguments)
    built = build(Checkouts(*(getattr(options, name) for name in Checkouts._fields)))
    for line in [*built.unknown, *(built.doubts if options.doubts else [])]:
        print(line, file=sys.stderr)
    files = {"flags.json": built.flags, "servers.json": built.servers}
    differing = [name for name, text in files.items() if not _holds(CATALOG / name, text)]
    writes = not options.check and not built.unknown
    for name in differing if writes else ():
        (CATALOG / name).write_text(files[name], encoding="utf-8")
    print(f"{len(built.rows)} flags; {', '.join(differing) or 'no file'} {'changed' if writes else 'differs'}")
    return int(bool(built.unknown) or (options.check and bool(differing)))


def _holds(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main())
