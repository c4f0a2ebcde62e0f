"""Writes the pages of docs/ that come from the program: rules, options, flags, schemas, what commands print."""
