"""The YAML files of a recipe, and the launches that name them."""
