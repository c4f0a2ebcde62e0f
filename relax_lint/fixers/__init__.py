"""Rewrites that are more than the replacement of a word."""
