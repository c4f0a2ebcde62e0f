"""What Relax makes of the prompt of a row, and what it stumbles over."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from relax_lint.diagnostics import Severity
from relax_lint.records import record
from relax_lint.row_judges import Fault

E, W = Severity.ERROR, Severity.WARNING

PLACEHOLDERS: dict[str, str] = {"image": "<image>", "video": "<video>", "audio": "<audio>"}
"""The kinds of media that Relax knows, with what stands for one in a text."""

MEDIA_KEYS = frozenset({"image", "image_url", "video", "audio"})
"""Keys, and types, that make a part of a content a medium."""

SFT_ROLES = frozenset({"system", "user", "assistant", "tool", "function_call"})
_LEARNT = frozenset({"assistant", "function_call"})


@record
class Reading:
    """How prompts are read: through the chat template or not, split at places for media or not, for which kind of model
    (``None``: not known). ``as_messages`` says whether texts become messages."""

    template: bool | None
    media: bool | None
    sees_media: bool | None
    as_messages: bool | None = None


def prompt_faults(prompt: Any, reading: Reading) -> Iterator[Fault]:
    """What is wrong with a prompt of a reinforcement-learning launch."""
    if prompt is None:
        yield "null", "a prompt is null", E
    elif isinstance(prompt, str):
        yield from _of_text(prompt, reading)
    elif not isinstance(prompt, list):
        what = "an object" if isinstance(prompt, dict) else in_words(prompt)
        yield "kind", f"a prompt is {what}: Relax takes a text or a list of messages", E
    elif not prompt:
        yield "empty", "a prompt is an empty list", E
    else:
        for message in prompt:
            yield from _of_message(message, reading)


def _of_text(prompt: str, reading: Reading) -> Iterator[Fault]:
    if reading.as_messages is False and reading.sees_media:
        yield "text", "a prompt is a text, and a model for media takes messages: add --apply-chat-template", E
    elif prompt.lstrip()[:1] == "[" and is_encoded(prompt):
        yield "encoded", "a prompt is a text that holds a list of messages as JSON: the model sees the JSON", W


def is_encoded(prompt: str) -> bool:
    """Whether a text is a list of messages, written as JSON."""
    try:
        value = json.loads(prompt)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) and "role" in one for one in value)


def _of_message(message: Any, reading: Reading) -> Iterator[Fault]:
    fault = message_fault(message)
    if fault is not None:
        yield fault
        return
    content, role = message["content"], message["role"]
    if content is None:
        if reading.media or (reading.template and role in ("system", "user")):
            yield "content", f"the content of a {role} message is null", E
    elif isinstance(content, list):
        yield from _of_parts(content, reading)
    elif not isinstance(content, str):
        yield "content", f"the content of a message is {in_words(content)}, neither a text nor a list of parts", E


def message_fault(message: Any) -> Fault | None:
    """Why something is no message at all."""
    if not isinstance(message, dict):
        return "message", f"a prompt is a list of {in_words(message, several=True)}, not of messages", E
    lacking = [key for key in ("role", "content") if key not in message]
    if not lacking:
        return None
    has = ", ".join(map(str, list(message)[:4])) or "nothing"
    return "message", f"a message has no {' and no '.join(lacking)} (it has {has})", E


def _of_parts(parts: list[Any], reading: Reading) -> Iterator[Fault]:
    odd = next((part for part in parts if not isinstance(part, dict)), None)
    if odd is not None:
        yield "parts", f"the content of a message is a list that holds {in_words(odd)}, not parts with a type", E
    elif reading.sees_media is False and reading.template and reading.media is False:
        yield (
            "parts",
            "the content of a message is a list of parts, which a text model's template does not take",
            E,
        )
    elif reading.sees_media and (key := unified_key(parts)) is not None:
        yield "unified", f"a text part has the key {key}, null there, and Relax takes what has that key for a medium", E


def unified_key(parts: list[Any]) -> str | None:
    """A key of media in a part that holds text: parquet gives every part of a list all keys."""
    for part in parts:
        if isinstance(part, dict) and part.get("type") == "text":
            found = next((key for key in sorted(MEDIA_KEYS) if key in part and part[key] is None), None)
            if found is not None:
                return found
    return None


def sft_faults(prompt: Any, *, labelled: bool, renamed: Mapping[str, str] | None) -> Iterator[Fault]:
    """What is wrong with the input column of a fine-tuning launch; ``renamed`` is its ``--conversation-key-map``."""
    if prompt is None:
        yield "null", "a prompt is null", E
    elif labelled:
        if not isinstance(prompt, str):
            yield "kind", f"with --label-key a prompt must be a text; it is {in_words(prompt)}", E
    elif not isinstance(prompt, list):
        yield "kind", f"without --label-key a prompt must be a list of messages; it is {in_words(prompt)}", E
    else:
        yield from _of_conversation([_renamed(message, renamed or {}) for message in prompt])


def _of_conversation(messages: list[Any]) -> Iterator[Fault]:
    for message in messages:
        fault = message_fault(message)
        if fault is not None:
            yield fault
            return
        if not isinstance(message["role"], str) or message["role"] not in SFT_ROLES:
            yield "role", f"a message has the role {message['role']!r}; Relax takes {', '.join(sorted(SFT_ROLES))}", E
            return
    if not any(message.get("learn", message["role"] in _LEARNT) for message in messages):
        yield "unlearnt", "a conversation has no assistant message to learn", E


def _renamed(message: Any, names: Mapping[str, str]) -> Any:
    if not isinstance(message, dict) or not names:
        return message
    changed = {names.get(key, key): value for key, value in message.items()}
    if isinstance(changed.get("role"), str):
        changed["role"] = names.get(changed["role"], changed["role"])
    return changed


_WORDS: dict[type, tuple[str, str]] = {
    str: ("a text", "texts"), bool: ("a boolean", "booleans"), int: ("a number", "numbers"),
    float: ("a number", "numbers"), bytes: ("bytes", "bytes"), list: ("a list", "lists"),
    dict: ("an object", "objects"), tuple: ("a pair", "pairs (a map)"), type(None): ("null", "nulls"),
}  # fmt: skip


def in_words(value: Any, *, several: bool = False) -> str:
    """What a value is, for people."""
    one, many = _WORDS.get(type(value)) or (f"a {type(value).__name__}", f"{type(value).__name__}s")
    return many if several else one


def placed_media(prompt: Any, kinds: Mapping[str, str]) -> tuple[dict[str, int], dict[str, int]] | None:
    """How many media of some kinds a prompt has room for, and how many it brings itself: placeholders in texts, and
    parts of contents. ``None`` where the prompt is no text and no list of messages."""
    messages = [{"content": prompt}] if isinstance(prompt, str) else prompt
    if not isinstance(messages, list):
        return None
    room, brought = dict.fromkeys(kinds, 0), dict.fromkeys(kinds, 0)
    for message in messages:
        content = message.get("content") if isinstance(message, dict) else None
        if isinstance(content, str):
            for kind in kinds:
                room[kind] += content.count(PLACEHOLDERS[kind])
        elif isinstance(content, list):
            for part in content:
                named = part.get("type") if isinstance(part, dict) else None
                if isinstance(named, str) and named in brought:
                    brought[named] += 1
        else:
            return None
    return room, brought
