"""Data of verl made data of Relax."""
