"""Where checkpoints lie, what is in them, and where the run goes on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.migrate.derived.intervals import SAVE, saves
from relax_lint.migrate.plan import Fate, Passed, Step, Todo
from relax_lint.migrate.readings import A, below, carried, fates, given, shown, text
from relax_lint.migrate.values import Template
from relax_lint.shell.launch import Unknown

if TYPE_CHECKING:
    from relax_lint.migrate.choices import Choices
    from relax_lint.migrate.settings import Settings

PLACE, _RESUME, _FROM = "trainer.default_local_dir", "trainer.resume_mode", "trainer.resume_from_path"
_KEPT = "trainer.max_actor_ckpt_to_keep"
_CONTENTS = f"{A}.checkpoint"
_SAVE_FLAG, _LOAD, _HF = "--save", "--load", "--save-hf"
_SAVE_DIR = Unknown("${SAVE_DIR:-checkpoints}", "SAVE_DIR")


def steps(settings: Settings, choices: Choices) -> Iterator[Step]:
    """The flags and fates of checkpoints."""
    place = _place(settings)
    if saves(settings):
        yield Passed(_SAVE_FLAG, (place,), "ckpt", (PLACE, SAVE))
        yield Fate(PLACE, "mapped", (_SAVE_FLAG,))
    else:
        yield from fates(settings, (PLACE,), "no effect", "no checkpoints are written")
    yield from _resumed(settings, place)
    yield from _contents(settings, place)
    kept = settings.value(_KEPT)
    if kept is None or not saves(settings):
        yield from fates(settings, (_KEPT,), "same", "all checkpoints are kept")
        return
    todo = (
        f"{_KEPT}={shown(kept)}: old checkpoints are kept; to drop them pass --rotate-ckpt --async-save "
        f"--max-actor-ckpt-to-keep {shown(kept)}"
    )
    yield Fate(_KEPT, "by hand", (), "Relax drops checkpoints only when it writes them beside the training", todo)
    yield Todo(todo, (_KEPT,))


def _place(settings: Settings) -> str | Template:
    """verl's own directory as it is given, else one of the recipe's below SAVE_DIR."""
    if given(settings, PLACE):
        return carried(settings, PLACE)
    parts: list[str | Unknown] = [_SAVE_DIR]
    for key in ("trainer.project_name", "trainer.experiment_name"):
        value = settings.value(key)
        if value is not None:
            name = carried(settings, key)
            parts += ["/", *(name.parts if isinstance(name, Template) else (name,))]
    return Template(tuple(parts))


def _resumed(settings: Settings, place: str | Template) -> Iterator[Step]:
    mode = text(settings, _RESUME) or "auto"
    if mode == "auto" and saves(settings):
        note = "goes on from the last checkpoint there, if there is one"
        yield Passed(_LOAD, (place,), "ckpt", (_RESUME, PLACE), note)
        yield from fates(settings, (_RESUME,), "mapped", flags=(_LOAD,))
        if given(settings, PLACE):
            yield Todo(
                f"{PLACE}={shown(settings.value(PLACE))}: let no checkpoint of verl's lie there, or change "
                f"{_SAVE_FLAG} and {_LOAD}: by its latest_checkpointed_iteration.txt Relax takes it for one of its own",
                (PLACE,),
            )
    elif mode == "resume_path" and settings.value(_FROM) is not None:
        path = shown(settings.value(_FROM))
        todo = (
            f"{_FROM}={path}: Relax cannot read a checkpoint of verl's; convert it to Hugging Face's form (verl's "
            "model merger) and give it as --hf-checkpoint and --ref-load"
        )
        yield Fate(_RESUME, "by hand", (), "a checkpoint of verl's is no checkpoint of Relax's", todo)
        yield Fate(_FROM, "by hand", (), "a checkpoint of verl's is no checkpoint of Relax's", todo)
        yield Todo(todo, (_RESUME, _FROM))
        return
    elif mode == "disable":
        yield from fates(settings, (_RESUME,), "same", "without --load the run starts anew")
    else:
        yield from fates(settings, (_RESUME,), "no effect", "there is no checkpoint that it could go on from")
    yield from fates(settings, (_FROM,), "no effect", "verl reads it with resume_mode=resume_path only")


def _contents(settings: Settings, place: str | Template) -> Iterator[Step]:
    keys = {key.rpartition(".")[2]: key for key in below(settings, _CONTENTS)}
    saved = settings.value(keys.get("save_contents", ""))
    names = saved if isinstance(saved, list) else []
    flags = []
    if saves(settings) and names:
        if "hf_model" in names:
            parts = place.parts if isinstance(place, Template) else (place,)
            path = (*parts, "/hf/{rollout_id}")
            whole = Template(path) if isinstance(place, Template) else "".join(map(str, path))
            yield Passed(_HF, (whole,), "ckpt", (keys["save_contents"],))
            flags.append(_HF)
        if "optimizer" not in names:
            yield Passed("--no-save-optim", (), "ckpt", (keys["save_contents"],))
            flags.append("--no-save-optim")
    for name, key in keys.items():
        if name == "save_contents":
            yield Fate(key, "mapped" if flags else "same", tuple(flags), "" if flags else "all of it")
        elif name == "async_save" and settings.value(key) is True and saves(settings):
            yield Passed("--async-save", (), "ckpt", (key,))
            yield Fate(key, "mapped", ("--async-save",))
        elif name == "async_save":
            yield Fate(key, "same", (), "checkpoints are waited for")
        elif name == "load_contents":
            yield Fate(key, "dropped", (), "Relax loads what it saved")
        else:
            yield Fate(key, "dropped", (), "Relax writes checkpoints in Megatron's form")
