"""Clients for HTTP and for models behind it, by their names in the call graph."""

from __future__ import annotations

import re

from relax_lint.patterns import pattern

_CLIENT = re.compile(
    r"httpx\.(?:Async)?Client"
    r"|openai\.(?:\w+\.)*(?:Async)?(?:Azure)?OpenAI"
    r"|anthropic\.(?:\w+\.)*(?:Async)?Anthropic"
    r"|aiohttp\.(?:client\.)?ClientSession"
    r"|requests\.(?:sessions\.)?[Ss]ession"
)
_SENT = re.compile(
    r"(?:get|post|put|patch|delete|head|options|request|send|stream|create|parse|generate|ws_connect|retrieve|complete)"
)
_SENT_BY_MODELS = re.compile(
    r"(?:list|edit|upload|content|cancel|poll|create_and_\w+|count_tokens|compact|validate|run)"
)

_LIBRARIES = ("httpx", "openai", "anthropic", "aiohttp", "requests")
MENTIONS = pattern(rf"\b(?:{'|'.join(_LIBRARIES)})\b", words=_LIBRARIES)
"""What a file that makes such a client holds."""


def is_client(name: str) -> bool:
    """Whether calling this makes a client."""
    return _CLIENT.fullmatch(name) is not None


def client_behind(name: str) -> str | None:
    """The client that this comes from: for ``httpx.Client().post`` that is ``httpx.Client``."""
    made, separator, _ = name.partition("()")
    return made if separator and is_client(made) else None


def sends(name: str) -> bool:
    """Whether calling this method of a client asks the server."""
    client, method = client_behind(name), name.rpartition(".")[2]
    if client is None:
        return False
    asks_models = client.startswith(("openai.", "anthropic.")) and _SENT_BY_MODELS.fullmatch(method) is not None
    return asks_models or _SENT.fullmatch(method) is not None
