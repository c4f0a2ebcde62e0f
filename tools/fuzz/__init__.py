"""Fuzzing of every front end of relax-lint: inputs made at random, and what must never come of them."""
