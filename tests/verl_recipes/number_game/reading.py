"""What a response says."""

import re

_NUMBER = re.compile(r"-?\d+")


def last_number(text):
    """The last number in a text, if there is one."""
    found = _NUMBER.findall(text)
    return int(found[-1]) if found else None
