"""The packages as they are built: what is in them, and whether they work where nothing else is installed."""
