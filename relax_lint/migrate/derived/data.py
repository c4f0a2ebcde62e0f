"""The training data: which files, which columns, in which order."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.migrate.data_files import DATA_DIR, DataFile, files_in, files_of
from relax_lint.migrate.plan import Fate, Passed, Step, Todo
from relax_lint.migrate.readings import M, below, fates, given, shown, text, whole
from relax_lint.migrate.values import Template, is_known

if TYPE_CHECKING:
    from relax_lint.migrate.choices import Choices
    from relax_lint.migrate.settings import Settings

FILES = "data.train_files"
_MOST, _PROMPT, _SOURCE = (f"data.{name}" for name in ("train_max_samples", "prompt_key", "reward_fn_key"))
_TEMPLATE = "data.apply_chat_template_kwargs"
_IMAGE, _VIDEO, _AUDIO = (f"data.{name}_key" for name in ("image", "video", "audio"))
_DATA, _MEDIA = "--prompt-data", "--multimodal-keys"
_SEES = re.compile(
    r"(?:\A|[-_/.\d])(?:vl|vlm?|vision|omni|minicpm-?[ov]|internvl|llava|glm-?4\.\dv)(?:\Z|[-_/.\d])", re.I
)
_SEEN = re.compile(r"geo(?:metry)?3k|image|vision|visual|mm_|multimodal|deepeyes|video", re.I)
_OWN = {
    "data.custom_cls": "what this data set class does to a row has to be done when the data is converted",
}
"""Code of the user's, named by a path or class."""


def steps(settings: Settings, choices: Choices) -> Iterator[Step]:
    """The flags and fates of the data."""
    yield from _read(settings, choices)
    yield from _columns(settings)
    yield from _media(settings, choices)
    yield from _template(settings)
    for prefix, todo in _OWN.items():
        yield from _by_hand(settings, prefix, todo)


def _read(settings: Settings, choices: Choices) -> Iterator[Step]:
    files = files_in(settings, FILES, choices)
    if not files:
        files = [DataFile(Template((DATA_DIR, "/train.parquet")), "train", "")]
        yield Todo(f"{FILES} is empty: name the converted training data after {_DATA}", (FILES,))
    most = whole(settings, _MOST)
    cut = f"@[0:{most}]" if most is not None and most > 0 else ""
    yield Passed(_DATA, (_listed(files, cut),), "rollout", (FILES,))
    yield Fate(FILES, "mapped", (_DATA,), "converted")
    for file in files:
        if isinstance(file.path, Template) and file.path.variables - {"DATA_DIR"}:
            yield Todo(
                f"convert {shown(file.path)} for Relax; the launcher reads the converted file by this name", (FILES,)
            )
    if cut:
        yield Fate(_MOST, "derived", (_DATA,), f"the first {most} rows; verl draws them when it shuffles")
    else:
        yield from fates(settings, (_MOST,), "same", "all rows")


def _listed(files: list[DataFile], cut: str) -> str | Template:
    """One path, or a list of them in brackets."""
    parts: list[object] = []
    for number, file in enumerate(files):
        parts += [", "] if number else []
        parts += file.path.parts if isinstance(file.path, Template) else [file.path]
    if len(files) > 1:
        parts = ["[", *parts, "]"]
    parts += [cut] if cut else []
    return Template(tuple(parts)) if any(not isinstance(part, str) for part in parts) else "".join(map(str, parts))  # type: ignore[arg-type]


def _columns(settings: Settings) -> Iterator[Step]:
    key = text(settings, _PROMPT) or "prompt"
    yield Passed("--input-key", (key,), "rollout", (_PROMPT,))
    yield from fates(settings, (_PROMPT,), "mapped", flags=("--input-key",))
    note = "the conversion puts the ground truth of reward_model there"
    yield Passed("--label-key", ("label",), "rollout", (), note)
    yield Passed("--metadata-key", ("extra_info",), "rollout")
    reason = "a column data_source comes to the reward in sample.metadata"
    yield Fate(_SOURCE, "derived", ("--metadata-key",), reason)


def _media(settings: Settings, choices: Choices) -> Iterator[Step]:
    sees = _model_sees(settings, choices)
    files = " ".join(file.known for file in files_of(settings.value(FILES)))
    keys = {}
    if sees and (given(settings, _IMAGE) or _SEEN.search(files) or _names_vision(settings)):
        keys["image"] = _IMAGE
    keys |= {kind: key for kind, key in (("video", _VIDEO), ("audio", _AUDIO)) if sees and given(settings, key)}
    columns = {kind: text(settings, key) or f"{kind}s" for kind, key in keys.items()}
    if columns:
        yield Passed(_MEDIA, (json.dumps(columns, separators=(",", ":")),), "rollout", tuple(keys.values()))
    for key in (_IMAGE, _VIDEO, _AUDIO):
        if key in keys.values():
            yield from fates(settings, (key,), "mapped", flags=(_MEDIA,))
        elif sees and given(settings, key):
            yield from fates(settings, (key,), "dropped", "no column of the data is known to hold it")
        else:
            yield from fates(settings, (key,), "no effect", "the data has no such column" if sees else "text only")


def _model_sees(settings: Settings, choices: Choices) -> bool:
    return (choices.shape is not None and choices.shape.vision) or _names_vision(settings)


def _names_vision(settings: Settings) -> bool:
    value = settings.value(f"{M}.path")
    return bool(_SEES.search(shown(value))) if value is not None else False


def _template(settings: Settings) -> Iterator[Step]:
    yield Passed("--apply-chat-template", (), "rollout", (), "as verl always does")
    keys = tuple(key for key in below(settings, _TEMPLATE) if key != _TEMPLATE)
    words = {key.removeprefix(f"{_TEMPLATE}."): settings.value(key) for key in keys}
    if not words:
        return
    if all(map(is_known, words.values())):
        flag = "--apply-chat-template-kwargs"
        yield Passed(flag, (json.dumps(words),), "rollout", keys)
        yield from fates(settings, keys, "mapped", flags=(flag,))
    else:
        todo = f"pass --apply-chat-template-kwargs with {', '.join(keys)}, which only bash knows"
        for key in keys:
            yield Fate(key, "by hand", (), "only bash knows it", todo)
        yield Todo(todo, keys)


def _by_hand(settings: Settings, prefix: str, todo: str) -> Iterator[Step]:
    keys = tuple(below(settings, prefix))
    used = [key for key in keys if key.endswith(("path", "class_path")) and settings.value(key) is not None]
    if not used:
        yield from fates(settings, keys, "same", "none")
        return
    said = f"{used[0]}={shown(settings.value(used[0]))}: {todo}"
    for key in keys:
        yield Fate(key, "by hand", (), todo, said)
    yield Todo(said, keys)
