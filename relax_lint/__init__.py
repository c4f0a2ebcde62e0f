"""relax-lint: checks, fixes and migrates verl recipes for Relax before a GPU is taken."""

__version__ = "0.1.0"
