"""The program around the server: its streams and its log."""

from __future__ import annotations

import gc
import logging
import sys

from relax_lint.kept import follow_changes
from relax_lint.lsp.server import Server

_COLLECT_AFTER = 50_000
"""Objects made between two looks for garbage. Other commands hardly look; this one lives for days."""


def serve() -> int:
    """Serve on standard input and output; the exit status: 1 where the editor went away without a word."""
    if sys.stdin.isatty():
        print("relax-lint lsp speaks to editors, which start it themselves; Ctrl-D ends it", file=sys.stderr)
    incoming, outgoing = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # whatever is printed by mistake must not be taken for the protocol's
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    logging.getLogger("pygls").setLevel(logging.ERROR)  # it warns of every notification that nobody here wants
    gc.set_threshold(_COLLECT_AFTER, 20, 20)
    server = Server()
    with follow_changes():
        server.start_io(incoming, outgoing)
    return 0 if server.is_shut_down else 1
