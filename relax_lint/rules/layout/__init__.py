"""Rules about which files a recipe has (RLX8)."""
