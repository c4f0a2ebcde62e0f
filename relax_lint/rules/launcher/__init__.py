"""Rules about what a launcher launches, and how (RLX4)."""
