"""Check the packages in a directory: their files and metadata, that building them again gives the same, and that they
work where nothing else is installed, by pip, uv, uvx and pipx, every extra alone.

What checks and installs is itself installed under ``.bench/``.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
from collections.abc import Iterator
from pathlib import Path

from tools.package_checking.contents import STEM, problems
from tools.package_checking.environments import Failed, Workshop, checks

ROOT = Path(__file__).resolve().parents[1]
INSTALLERS = ROOT / ".bench/packages"
PROGRAMS = ("check-wheel-contents", "pipx", "twine", "uv")


def installers() -> Path:
    """Where the programs are that check and install."""
    done = INSTALLERS / ".installed"
    if not done.exists():
        venv.create(INSTALLERS, clear=True, with_pip=True)
        install = ["-m", "pip", "install", "--quiet", "--constraint", "constraints.txt", *PROGRAMS]
        subprocess.run([INSTALLERS / "bin/python", *install], cwd=ROOT, check=True)
        done.touch()
    return INSTALLERS / "bin"


def checked_by_others(bins: Path, dist: Path) -> Iterator[str]:
    """What the checkers of packages say."""
    packages = sorted(dist.iterdir())
    commands: list[list[str | Path]] = [
        [bins / "twine", "check", "--strict", *packages],
        [bins / "check-wheel-contents", *(path for path in packages if path.suffix == ".whl")],
    ]
    for command in commands:
        done = subprocess.run(command, cwd=dist, capture_output=True, text=True)
        if done.returncode:
            yield done.stdout + done.stderr


def built_again(dist: Path, scratch: Path) -> Iterator[str]:
    """Whether the wheel is the same, byte for byte, out of the tree and out of the source distribution; and whether
    that has tests which can be run."""
    with tarfile.open(dist / f"{STEM}.tar.gz") as bundle:
        bundle.extractall(scratch, filter="data")
    environ = {**os.environ, "SOURCE_DATE_EPOCH": "1767225600"}
    made = []
    for number, source in enumerate((ROOT, scratch / STEM)):
        outdir = scratch / f"again{number}"
        command: list[str | Path] = [
            sys.executable,
            "-m",
            "build",
            "--wheel",
            "--no-isolation",
            "--outdir",
            outdir,
            source,
        ]
        subprocess.run(command, check=True, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        made.append(next(outdir.iterdir()).read_bytes())
    if made[0] != made[1]:
        yield "the wheel of the source distribution is not that of the tree"
    collect = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(collect, cwd=scratch / STEM, capture_output=True, text=True)
    if done.returncode:
        yield f"the tests of the source distribution cannot be collected:\n{done.stdout[-2000:]}"


def furnished(scratch: Path) -> None:
    """What commands are tried on: two recipes, one of verl, and rows."""
    import pyarrow
    import pyarrow.parquet

    for name in ("good_gsm8k", "broken_countdown"):
        shutil.copytree(ROOT / "tests/recipes" / name, scratch / name)
    shutil.copytree(ROOT / "tests/verl_recipes/gsm8k", scratch / "gsm8k")
    row = {
        "data_source": "demo",
        "prompt": [{"role": "user", "content": "1 + 1?"}],
        "reward_model": {"style": "rule", "ground_truth": "2"},
    }
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([row] * 4), scratch / "rows.parquet")


def main() -> int:
    """Check; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dist", type=Path, help="where the wheel and the source distribution are")
    parser.add_argument("--without-ray", action="store_true", help="leave Ray out, which is large")
    options = parser.parse_args()
    dist = options.dist.resolve()
    with tempfile.TemporaryDirectory(prefix="relax-lint-packages-") as name:
        scratch = Path(name)
        found = [*problems(dist, ROOT), *checked_by_others(installers(), dist), *built_again(dist, scratch)]
        if found:
            print("\n".join(found), file=sys.stderr)
            return 1
        print("files, metadata, the same when built again", flush=True)
        furnished(scratch)
        workshop = Workshop(dist / f"{STEM}-py3-none-any.whl", ROOT / "constraints.txt", INSTALLERS / "bin", scratch)
        for what, check in checks(workshop, ray=not options.without_ray):
            began = time.monotonic()
            try:
                check()
            except Failed as failed:
                print(f"{what}: {failed}", file=sys.stderr)
                return 1
            print(f"{what} ({time.monotonic() - began:.0f} s)", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
