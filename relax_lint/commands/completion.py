"""Completion of commands, options, rules, flags and files in a shell.

What is printed makes the shell ask relax-lint at every TAB, so it never has to be made anew.
"""

from __future__ import annotations

import argparse
import sys

EXAMPLES = (
    ('eval "$(relax-lint completion bash)"', "in ~/.bashrc"),
    ('eval "$(relax-lint completion zsh)"', "in ~/.zshrc, behind compinit"),
    ("relax-lint completion fish | source", "in ~/.config/fish/config.fish"),
)
EXIT_STATUS = {
    0: "it is printed",
    2: "wrong usage",
}
TAKES_REST = True


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `relax-lint completion` takes."""
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), metavar="SHELL", help="bash, zsh or fish")
    parser.add_argument("--answer", action="store_true", help=argparse.SUPPRESS)  # behind `--`: the words so far


def run(options: argparse.Namespace) -> int:
    """Print the script, or answer it; the exit status."""
    from relax_lint.completion import answer, shells

    text = shells.told(options.shell, answer(options.rest)) if options.answer else shells.SCRIPTS[options.shell]
    sys.stdout.write(text)
    return 0
