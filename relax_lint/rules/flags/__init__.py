"""Flags that launches pass, against what Relax accepts."""
