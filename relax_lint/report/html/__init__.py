"""A report as one HTML file that needs nothing else: what is in it, and how it is drawn."""
