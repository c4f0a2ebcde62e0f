"""The files of a recipe that uses tools, as they are written: modules of their own that know nothing of relax-lint."""
