"""Faults of the system while a program writes, and a watch over what it asks of the system."""
