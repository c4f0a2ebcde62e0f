"""Rules about the data that a launcher names, where it is on this machine (RLX7)."""
