"""How a launch of verl names its model: the path, with what the script itself says of its variables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from relax_lint.migrate.values import Template

if TYPE_CHECKING:
    from relax_lint.migrate.settings import Settings

MODEL_PATH = "actor_rollout_ref.model.path"
_NAMING = ("trainer.experiment_name", "trainer.project_name")
"""Settings that may name the model when its path does not."""
_VARIABLE = re.compile(r"\$(?:\{(?P<braced>\w+)\}|(?P<bare>\w+))")
_DEFAULT = re.compile(r"\$\{\w+:?[-=]((?:[^{}]|\{[^{}]*\})*)\}")
_UNDERSCORED_VERSION = re.compile(r"(?<=[a-zA-Z]\d)_(?=\d(?:[_-]|\Z))")
_DEPTH = 5
"""How often a variable may be made of others."""


def named_model(settings: Settings) -> str:
    """The model's path as it is written, with variables replaced by what the script assigns to them."""
    named = text_of_value(settings.value(MODEL_PATH))
    script = settings.launch.site.source.text
    for _ in range(_DEPTH):
        completed = _VARIABLE.sub(lambda match: _assigned(match["braced"] or match["bare"], script), named)
        if completed == named:
            break
        named = completed
    return named


def hints(settings: Settings) -> list[str]:
    """What else may name the model: names of the experiment, and the script's own."""
    texts = [*(text_of_value(settings.value(key)) for key in _NAMING), settings.launch.script.stem]
    return [_UNDERSCORED_VERSION.sub(".", _DEFAULT.sub(r"\1", text)) for text in texts]


def parts_of(path: str) -> list[str]:
    """The parts of a path, those of a variable's default, too: ``${MODEL:-"$HOME/models/Qwen3-8B"}``."""
    for _ in range(_DEPTH):
        path = _DEFAULT.sub(r"\1", path)
    return [part for part in re.split(r"[/\s\"']+", path) if part.strip("{}")]


def text_of_value(value: object) -> str:
    """A string, unknown parts as they are written."""
    if isinstance(value, Template):
        return "".join(part if isinstance(part, str) else part.text for part in value.parts)
    return value if isinstance(value, str) else ""


def _assigned(name: str, script: str) -> str:
    """The last value that a script gives a variable; the variable itself when it gives none, one made of itself, or
    an argument."""
    values = re.findall(rf"(?m)^[ \t]*(?:export[ \t]+)?{name}=(\S+)", script)
    own = rf"\$\{{?(?:{name}\b|[\d@*])(?!:?-)"
    others = [value for value in values if not re.match(own, value.strip("\"'"))]
    return str(others[-1]).strip("\"'") if others else f"${{{name}}}"
