"""What stops bash in the middle of a command."""

from __future__ import annotations


class Abort(Exception):
    """An expansion that makes bash leave the shell."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class Discard(Exception):
    """An expansion that makes bash give up the line at hand, with status 1; it goes on with the next one."""


class Refused(Discard):
    """The same for what is no expansion at all: under ``set -e`` that ends the shell, whatever guards the command."""


class ReadOnly(Refused):
    """A write to a variable that is read-only."""
