"""A function that scores whose module cannot be imported before the user has put files beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from relax_lint.migrate.reward.form import Form


def imported_late(form: Form, module: str) -> str:
    """The text of the function that scores, for a module that may not be importable before the user has put files
    beside it: the reward's own module is, and says what is missing when it is called."""
    bound = form.entry.function
    return f'''def {form.function}(*args, **kwargs):
    """Score by {module}, which reads files that were not carried over: MIGRATION.md says which."""
    try:
        from {module} import {bound}
    except OSError as error:
        raise RuntimeError(f"{module} lacks a file that MIGRATION.md names: {{error}}") from error
    return {bound}(*args, **kwargs)'''
