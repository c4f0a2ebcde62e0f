"""The reward of a recipe: verl's scoring, carried over and put into the form that Relax calls."""
