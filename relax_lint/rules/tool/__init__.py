"""What the tool says of itself and of what it was given."""
