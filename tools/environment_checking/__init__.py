"""What ``tools/environment_check.py`` is made of."""
