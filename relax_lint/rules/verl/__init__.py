"""What is left of verl in a recipe's Python files."""
