"""Tools and interactions of verl as the environment of a recipe: their YAML, their classes, what is written."""
