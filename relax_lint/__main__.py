"""``python -m relax_lint``."""

from relax_lint.cli import program

program()
