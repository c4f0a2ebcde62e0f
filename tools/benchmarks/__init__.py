"""What relax-lint costs beside its peers and beside bare parsing, against the budgets."""
