"""Builds the flag catalogue from local checkouts of Relax and of the programs that it takes flags from."""
