"""Which model file a launch of verl is to use: one of the checkout with the same architecture, or one to be written."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relax_lint.catalog.public_models import plain, public_model
from relax_lint.migrate.model_architecture import architecture, flags_of_file, numbers_of
from relax_lint.migrate.model_config import Model, NotConverted, Numbers, config_in, model_of, text_of
from relax_lint.migrate.model_form import form_text, rewriting
from relax_lint.migrate.model_names import MODEL_PATH, hints, named_model, parts_of
from relax_lint.migrate.plan import Refusal
from relax_lint.model_files import MODELS, OF_RELAX
from relax_lint.records import node, record

if TYPE_CHECKING:
    from relax_lint.migrate.model_architecture import Flags
    from relax_lint.migrate.settings import Settings
    from relax_lint.project import Project

__all__ = ["MODEL_PATH", "ModelChoice", "model_for"]

_UNFUSED = "--no-rope-fusion"
_VARIABLE = re.compile(r"\$(?:\w+|\{[^{}]*\}|\(.*\))")
_VISION = re.compile(r"(?:\A|[-_.])(?:vl|omni|ocr\d*)(?:[-_.]|\Z)")


@record
class ModelChoice:
    """The model file of a launch.

    ``stem`` is its name under ``scripts/models/``; ``text`` what is to be written there, ``None`` when the checkout has
    it (``exists``). ``numbers`` and ``flags`` are ``None`` when nothing is known of the architecture: the file is then
    a form that asks for each number. ``unfused_rope`` says that the launcher has to pass ``--no-rope-fusion``, which
    Relax demands for checkpoints that see or hear. ``todo`` is what the user must do or look at.
    """

    stem: str
    exists: bool
    text: str | None
    numbers: Numbers | None
    flags: Flags | None = None
    unfused_rope: bool = False
    todo: str | None = None


def model_for(settings: Settings, project: Project, hf_config: Path | None = None) -> ModelChoice:
    """The model file for a launch. Raises :class:`Refusal` only when ``hf_config`` is no config."""
    return _Search(project, named_model(settings), hints(settings)).chosen(hf_config)


@node
class _Search:
    project: Project
    named: str
    hints: Sequence[str]

    def chosen(self, hf_config: Path | None) -> ModelChoice:
        """What is the best that is known: the checkpoint's config, a public one, a file of that name, or a form."""
        public, sure = public_model(parts_of(self.named), self.hints)
        stem = public.stem if public is not None else self._stem()
        try:
            config = self._config(hf_config)
            if config is not None:
                return self._of(model_of(config), stem)
        except NotConverted as why:
            return self._unknown(stem, f"the config.json of {self.named or 'the model'} says too little: {why}")
        if public is None:
            return self._unknown(stem, f"the architecture of {self.named or 'the model'} is not known")
        taken = (
            f"check that the model is like {public.names[0]}, which {self.named or 'the script'} was taken for; "
            "if it is not, `relax-lint model-config CONFIG.json --output scripts/models/NAME.sh` makes its own file"
        )
        return self._of(model_of(public.config), stem, None if sure else taken)

    def _of(self, model: Model, stem: str, todo: str | None = None) -> ModelChoice:
        """A file of the checkout with the same numbers, else one to be written."""
        wanted = architecture(model.flags)
        present = self._present()
        if not model.bridged:
            lacking = (
                f"the Megatron-Bridge of Relax's image does not know {model.kind}: for --megatron-to-hf-mode bridge "
                "it must be added there, or a --custom-model-provider-path be named"
            )
            todo = f"{todo}; {lacking}" if todo else lacking
        alike = [
            name
            for name, flags in present.items()
            if flags is not None and architecture(flags) == wanted and (model.vision or not _sees(name))
        ]
        if alike:
            best = min(alike, key=lambda name: (name != stem, _distance(name, self.named), name))
            return self._existing(best, model.vision, todo)
        numbers = None if wanted is None else numbers_of(wanted, model.vision)
        unfused = model.vision and _UNFUSED not in model.flags
        if not present and f"{stem}.sh" in OF_RELAX:
            return ModelChoice(stem, True, None, numbers, model.flags, unfused, todo)
        free = next(
            name
            for name in chain((stem, self._stem()), (f"{stem}-{number}" for number in count(2)))
            if name not in present
        )
        return ModelChoice(free, False, text_of(model, self._name() or stem), numbers, model.flags, unfused, todo)

    def _unknown(self, stem: str, why: str) -> ModelChoice:
        """A file of that name, else a form."""
        present = self._present()
        called = plain(stem).replace(".", "")
        own = [name for name in present if called.startswith(plain(name).replace(".", ""))]
        if own:
            best = max(own, key=len)
            same = plain(best).replace(".", "") == called
            guessed = f"{why}: check that it is that of scripts/models/{best}.sh, which its name speaks of"
            return self._existing(best, _sees(best), None if same else guessed)
        if "$" in self.named:
            why = f"{why}; a variable chooses the model, and the file describes one"
        todo = (
            f"{why}: make scripts/models/{stem}.sh from the config.json of the checkpoint with "
            f"`{rewriting(stem)}`, or fill in what the file asks for"
        )
        return ModelChoice(stem, False, form_text(stem), None, todo=todo)

    def _existing(self, stem: str, vision: bool, todo: str | None) -> ModelChoice:
        flags = self._present()[stem]
        said = None if flags is None else architecture(flags)
        if flags is None or said is None:
            return ModelChoice(stem, True, None, None, todo=todo)
        return ModelChoice(stem, True, None, numbers_of(said, vision), flags, vision and _UNFUSED not in flags, todo)

    # ------------------------------------------------------------ what is at hand

    def _present(self) -> dict[str, Flags | None]:
        """The model files of the checkout, with their flags."""
        return self.project.once(
            "model files", lambda: {path.stem: flags_of_file(path, self.project) for path in self._files()}
        )

    def _files(self) -> Iterator[Path]:
        """Those of Relax before those of the project: what is found last counts."""
        for root in dict.fromkeys((self.project.relax_root or self.project.root, self.project.root)):
            if self.project.is_dir(root / MODELS):
                entries = self.project.files.entries(root / MODELS)
                yield from (root / MODELS / one.name for one in entries if one.is_file and one.name.endswith(".sh"))

    def _config(self, hf_config: Path | None) -> Mapping[str, Any] | None:
        """The config of the checkpoint: the one that is given, or the one that is at hand."""
        if hf_config is not None:
            try:
                return config_in(self.project.read(hf_config))
            except NotConverted as why:
                raise Refusal(f"{hf_config}: {why}") from why
        found = next(filter(self.project.is_file, self._places()), None)
        return None if found is None else config_in(self.project.read(found))

    def _places(self) -> Iterator[Path]:
        """Where the config of the checkpoint may be."""
        env = {**os.environ, **self.project.settings.env}
        at = re.sub(r"\$(?:\{(\w+)\}|(\w+))", lambda match: env.get(match[1] or match[2], match[0]), self.named)
        if at and "$" not in at:
            yield self.project.root / at / "config.json"
        parts = parts_of(self.named)
        if env.get("MODEL_DIR") and parts:
            yield Path(env["MODEL_DIR"]) / parts[-1] / "config.json"
            yield Path(env["MODEL_DIR"]) / "/".join(parts[-2:]) / "config.json"

    def _name(self) -> str:
        """What the model is called: names of models have numbers, which placeholders have not."""
        known = (_VARIABLE.sub("", part).strip("-_.") for part in parts_of(self.named) if not part.startswith("<"))
        parts = [part for part in known if re.search(r"\d", part)]
        return next((part for part in reversed(parts) if not part.startswith("global_step")), "")

    def _stem(self) -> str:
        """A name for a file that nothing else names."""
        script = re.sub(r"\A(?:run|test)_", "", self.hints[-1]) if self.hints else ""
        return re.sub(r"[^\w.+-]+", "-", self._name() or f"{script}-model").strip("-.")


def _distance(stem: str, named: str) -> float:
    from difflib import SequenceMatcher

    return 1 - SequenceMatcher(None, plain(stem), plain(named.rpartition("/")[2])).ratio()


def _sees(stem: str) -> bool:
    """Whether a model file is by its name one of a model that sees or hears."""
    return _VISION.search(stem.lower()) is not None
