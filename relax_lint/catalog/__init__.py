"""What Relax, and later verl, accept and do: facts as data, kept apart from the code that uses them."""
