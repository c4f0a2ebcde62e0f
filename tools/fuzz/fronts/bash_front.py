"""Launchers: parsed, evaluated, and judged by all rules."""

from __future__ import annotations

import re

from tools.fuzz.languages import Language
from tools.fuzz.trees import TreeFront

BASH = Language(
    "bash",
    re.compile(r"[ \t]+|\n|--?[\w.-]+|\w+|&&|\|\||;;&?|<<<|<<-?|>>|>&|\$\(\(|\)\)|\$[({]|[^\w\s]", re.ASCII),
)


def make() -> TreeFront:
    """The front end with its seeds."""
    return TreeFront(
        BASH, (".sh", ".bash"), "examples/demo/run_demo.sh",
        modules=("shell/", "sources/script.py", "sources/launcher.py", "rules/launcher/", "rules/flags/"),
    )  # fmt: skip
