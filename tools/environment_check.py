"""Drive the migrated environments of verl's own tools beside verl's own code, and compare all that comes of it.

    python tools/environment_check.py VERL [--path DIR…] [--only NAME…] [--responses N] [--seed N] [--json FILE]

VERL is a local checkout. Each of its tools (gsm8k, geo3k, image zoom, search, sandbox fusion, MCP) is carried over by
``relax_lint.migrate.environment`` into a recipe that is imported while nothing of verl can be. The recipe's environment
and verl's own agent loop (its ``ToolAgentLoop._call_tool`` and its parser of calls, loaded by file with the heavy
packages around them stubbed) are given the same responses of a model, good and bad, inside a running event loop.
Compared are the text of each observation, its images pixel by pixel, rewards, metrics, and what a reward function finds
at the end. Network tools talk to servers on this machine; search, sandbox and zoom run on a real local Ray.

``--path`` names directories with packages that verl's tools import (pydantic, pillow, fastmcp, mathruler, regex,
requests, ray). A tool whose packages are missing is a failure. Exit status 1 when anything differs. Nothing of this
runs in CI: it needs the sources of others.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tools.environment_checking.cases import CASES
from tools.environment_checking.comparing import Outcome, compare
from tools.environment_checking.servers import Servers

_VISION = "def fetch_image(given):\n    return given['image'].convert('RGB')\n"
"""What of qwen_vl_utils, which brings torch, the zoom asks for: images stay as they are."""


def main() -> int:
    """Compare, print a line for each tool, and tell whether all is equal."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("verl", type=Path)
    parser.add_argument("--path", type=Path, nargs="*", default=[])
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--responses", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    sys.path[:0] = [str(path.resolve()) for path in options.path]
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory() as scratch, Servers(Path(scratch)) as servers:
        if find_spec("qwen_vl_utils") is None:
            (Path(scratch) / "qwen_vl_utils.py").write_text(_VISION)
            sys.path.insert(0, scratch)
        for case in CASES:
            if options.only and case.name not in options.only:
                continue
            work = Path(scratch) / case.name
            outcome = asyncio.run(compare(case, options.verl.resolve(), work, servers, options.responses, options.seed))
            outcomes.append(outcome)
            print(outcome.line, flush=True)
            for difference in outcome.differences[:5]:
                print(f"    {difference}")
    if options.json:
        options.json.write_text(json.dumps([outcome.data for outcome in outcomes], indent=2) + "\n")
    return int(not outcomes or any(outcome.differences for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
