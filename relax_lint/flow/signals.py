"""How following a function comes to an early end."""


class NoReturn(Exception):
    """What is evaluated raises or leaves the process on every way."""


class TooMuch(Exception):
    """More has been followed than an answer is worth."""
