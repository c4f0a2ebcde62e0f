"""Code copied out of verl, or out of a user's own modules, with all that it needs: into files of a recipe."""
