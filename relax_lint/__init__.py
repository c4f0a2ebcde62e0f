"""relax-lint: checks and fixes verl recipes for Relax before a GPU is taken."""

__version__ = "0.1.0"
