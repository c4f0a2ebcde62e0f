"""``python -m relax_lint``: Python looks for modules in the working directory first, which may be a stranger's."""

import os
import sys

_HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 -- nothing more is imported yet
if sys.path[0] != _HOME and os.path.isdir(sys.path[0]) and os.path.samefile(sys.path[0], "."):  # noqa: PTH112, PTH121
    del sys.path[0]

from relax_lint.cli import program  # noqa: E402

program()
