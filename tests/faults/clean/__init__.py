"""Recipes without a fault, as trees of files."""
