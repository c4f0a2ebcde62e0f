"""The language server, for editors: it speaks the Language Server Protocol on standard input and output.

Findings appear as files are typed, with fixes, help on flags, completion and links. docs/editors.md says how to set up
Visual Studio Code, Neovim and Helix.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from relax_lint.commands import USAGE_ERROR
from relax_lint.extras import is_there

EXAMPLES = (("relax-lint lsp", "what an editor starts"),)
EXIT_STATUS = {
    0: "the editor has had enough, and said so",
    1: "the editor went away without a word",
    2: "the extra `lsp` is not installed",
}


def add_arguments(parser: ArgumentParser) -> None:
    """What `relax-lint lsp` takes."""
    parser.add_argument(
        "--stdio", action="store_true", help="standard input and output (the default, and the only way)"
    )


def run(options: Namespace) -> int:
    """Serve until the editor has had enough; the exit status."""
    if not is_there("lsp", "relax-lint lsp"):
        return USAGE_ERROR
    from relax_lint.lsp.serve import serve

    return serve()
