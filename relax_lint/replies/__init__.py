"""What a recipe's code does with text that a model wrote: where one bad reply raises and nothing catches it.

`unguarded(interpreter, cls, method)` follows an environment's `step`, and the functions that it hands the text on to,
and gives the places that raise when the text is not as they expect it to be::

    json.loads(text)    float(match.group(1))    TOOLS[name]    re.search(pattern, text).group(1)    payload["name"]

A ``try`` that catches it, here or around the call that led here, is a guard; so is a condition that has looked.
"""

from __future__ import annotations

from relax_lint.replies.follow import unguarded
from relax_lint.replies.values import Risk

__all__ = ["Risk", "unguarded"]
