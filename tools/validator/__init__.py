"""The parts of ``tools/validator_check.py``."""
