"""``python -m relax_lint``."""

import sys

from relax_lint.cli import main

sys.exit(main())
