"""The model: its checkpoint, and what Megatron has to be told so that it computes what Hugging Face's model does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.migrate.plan import Fate, Passed, Step
from relax_lint.migrate.readings import M, carried
from relax_lint.migrate.values import Template
from relax_lint.shell.launch import Unknown

if TYPE_CHECKING:
    from relax_lint.migrate.choices import Choices
    from relax_lint.migrate.settings import Settings

PATH = f"{M}.path"
_CHECKPOINT, _REFERENCE = "--hf-checkpoint", "--ref-load"
_HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")
_MODEL_DIR = Unknown("${MODEL_DIR}", "MODEL_DIR")
_MEGATRON = {
    "--attention-dropout": ("0.0",),
    "--hidden-dropout": ("0.0",),
    "--accumulate-allreduce-grads-in-fp32": (),
    "--attention-softmax-in-fp32": (),
    "--attention-backend": ("flash",),
}
"""As the guide has them; Megatron's own dropout is 0.1."""


def checkpoint_of(settings: Settings) -> str | Template:
    """Where the model lies: an id of the hub below MODEL_DIR, a path of the shell as it is."""
    value = settings.value(PATH)
    if isinstance(value, str) and _HUB_ID.fullmatch(value):
        return Template((_MODEL_DIR, f"/{value.rpartition('/')[2]}"))
    if isinstance(value, str) and value.startswith("~/"):
        return Template((Unknown("${HOME}", "HOME"), value[1:]))
    return carried(settings, PATH)


def steps(settings: Settings, choices: Choices) -> Iterator[Step]:
    """The flags and fates of the model."""
    checkpoint = checkpoint_of(settings)
    yield Passed(_CHECKPOINT, (checkpoint,), "ckpt", (PATH,))
    yield Passed(_REFERENCE, (checkpoint,), "ckpt", (PATH,), "has to be a directory on this machine")
    yield Passed("--megatron-to-hf-mode", ("bridge",), "ckpt")
    yield Fate(PATH, "mapped", (_CHECKPOINT, _REFERENCE))
    for flag, values in _MEGATRON.items():
        yield Passed(flag, values, "misc")
