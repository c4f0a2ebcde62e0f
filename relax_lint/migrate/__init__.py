"""From a recipe of verl to one of Relax: what the run really uses, where each setting goes, and what is written."""
