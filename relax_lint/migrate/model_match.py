"""Which model file a launch of verl is to use: one of the checkout with the same architecture, or one to be written."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relax_lint.migrate.model_architecture import architecture, flags_of_file, numbers_of
from relax_lint.migrate.model_config import Model, NotConverted, Numbers, model_of, text_of
from relax_lint.migrate.plan import Refusal
from relax_lint.migrate.values import Template
from relax_lint.model_files import MODELS, OF_RELAX
from relax_lint.records import node, record

if TYPE_CHECKING:
    from relax_lint.migrate.model_architecture import Architecture
    from relax_lint.migrate.settings import Settings
    from relax_lint.project import Project

MODEL_PATH = "actor_rollout_ref.model.path"
_NAMING = ("trainer.experiment_name", "trainer.project_name")
"""Settings that may name the model when its path does not."""
_PUBLIC = Path(__file__).parent.parent / "catalog" / "public_models.json"
_UNFUSED = "--no-rope-fusion"
_NO_NAME = re.compile(r"[^a-z0-9.]")


@record
class ModelChoice:
    """The model file of a launch.

    ``stem`` is its name under ``scripts/models/``; ``text`` what is to be written there, ``None`` when the checkout has
    it (``exists``). ``numbers`` are ``None`` when nothing is known of the architecture: the file is then a form that
    asks for each number. ``unfused_rope`` says that the launcher has to pass ``--no-rope-fusion``, which Relax demands
    for checkpoints that see or hear. ``todo`` is what the user must do or look at.
    """

    stem: str
    exists: bool
    text: str | None
    numbers: Numbers | None
    unfused_rope: bool = False
    todo: str | None = None


@record
class Public:
    """A model with a public config: the names of its checkpoints, what else it is called, the numbers of the config."""

    stem: str
    names: tuple[str, ...]
    called: tuple[str, ...]
    config: Mapping[str, Any]


@cache
def public_models() -> tuple[Public, ...]:
    """The models that are known without a checkpoint."""
    known = json.loads(_PUBLIC.read_text("utf-8"))["models"]
    return tuple(
        Public(stem, tuple(one["names"]), tuple(one.get("called", ())), one["config"]) for stem, one in known.items()
    )


def model_for(settings: Settings, project: Project, hf_config: Path | None = None) -> ModelChoice:
    """The model file for a launch. Raises :class:`Refusal` only when ``hf_config`` cannot be read."""
    named = _text(settings.value(MODEL_PATH))
    hints = [_text(settings.value(key)) for key in _NAMING] + [settings.launch.script.stem]
    return _Search(project, named, hints).chosen(hf_config)


@node
class _Search:
    project: Project
    named: str
    hints: list[str]

    def chosen(self, hf_config: Path | None) -> ModelChoice:
        """What is the best that is known: the checkpoint's config, a public one, a file of that name, or a form."""
        config = self._config(hf_config)
        public, sure = self._public()
        stem = public.stem if public is not None else self._stem()
        todo = None
        if config is None and public is not None:
            config = public.config
            if not sure:
                todo = (
                    f"check that the model is like {public.names[0]}, which {self.named or 'the script'} was taken "
                    f"for; if it is not, `relax-lint model-config CONFIG.json` makes its scripts/models/NAME.sh"
                )
        if config is not None:
            try:
                return self._of(model_of(config), stem, todo)
            except NotConverted as why:
                return self._form(stem, f"the config.json of {self.named}: {why}")
        present = self._present()
        own = next((name for name in present if _plain(name) == _plain(stem)), None)
        if own is not None:
            return self._existing(own, present[own], vision=_sounds_like_vision(own), todo=None)
        return self._form(stem, f"the architecture of {self.named or 'the model'} is not known")

    def _of(self, model: Model, stem: str, todo: str | None) -> ModelChoice:
        """A file of the checkout with the same numbers, else one to be written."""
        wanted = architecture(model.flags)
        present = self._present()
        if not model.bridged:
            lacking = (
                f"the Megatron-Bridge that Relax is built with does not know {model.kind}: to load this checkpoint with "
                f"--megatron-to-hf-mode bridge you must add it there, or name a --custom-model-provider-path"
            )
            todo = f"{todo}; {lacking}" if todo else lacking
        alike = [
            name
            for name, said in present.items()
            if said is not None and said == wanted and (model.vision or not _sounds_like_vision(name))
        ]
        if alike:
            best = min(alike, key=lambda name: (name != stem, _distance(name, self.named), name))
            return self._existing(best, wanted, model.vision, todo)
        if not present and f"{stem}.sh" in OF_RELAX:
            numbers = numbers_of(wanted, model.vision) if wanted is not None else None
            return ModelChoice(stem, True, None, numbers, model.vision, todo)
        while stem in present:
            stem = f"{stem}-hf" if stem == self._stem() else self._stem()
        numbers = numbers_of(wanted, model.vision) if wanted is not None else None
        unfused = model.vision and _UNFUSED not in model.flags
        return ModelChoice(stem, False, text_of(model, self._name() or stem), numbers, unfused, todo)

    def _existing(self, stem: str, said: Architecture | None, vision: bool, todo: str | None) -> ModelChoice:
        flags = next((flags_of_file(path, self.project) for path in self._files() if path.stem == stem), None)
        numbers = numbers_of(said, vision) if said is not None else None
        return ModelChoice(stem, True, None, numbers, vision and _UNFUSED not in (flags or {}), todo)

    def _form(self, stem: str, why: str) -> ModelChoice:
        present = self._present()
        while stem in present:
            stem = f"{stem}-form"
        todo = (
            f"{why}: make scripts/models/{stem}.sh with `relax-lint model-config CONFIG.json --name {stem}` from the "
            f"config.json of the checkpoint, or fill in what the file asks for"
        )
        return ModelChoice(stem, False, _form_text(stem), None, False, todo)

    # ------------------------------------------------------------ what is at hand

    def _present(self) -> dict[str, Architecture | None]:
        """The model files of the checkout."""
        return self.project.once(
            "model files",
            lambda: {
                path.stem: architecture(flags_of_file(path, self.project) or {"--num-layers": ("unknown",)})
                for path in self._files()
            },
        )

    def _files(self) -> list[Path]:
        for root in dict.fromkeys((self.project.relax_root or self.project.root, self.project.root)):
            if self.project.is_dir(root / MODELS):
                entries = self.project.files.entries(root / MODELS)
                return [root / MODELS / one.name for one in entries if one.is_file and one.name.endswith(".sh")]
        return []

    def _config(self, hf_config: Path | None) -> Mapping[str, Any] | None:
        """The config of the checkpoint: the one that is given, or the one that is at hand."""
        if hf_config is not None:
            return read_config(hf_config, self.project.read(hf_config))
        for path in self._places():
            if self.project.is_file(path):
                return read_config(path, self.project.read(path))
        return None

    def _places(self) -> Iterator[Path]:
        """Where the config of the checkpoint may be."""
        if self.named and "$" not in self.named:
            yield self.project.root / self.named / "config.json"
        models = self.project.settings.env.get("MODEL_DIR") or os.environ.get("MODEL_DIR")
        parts = _parts(self.named)
        if models and parts:
            yield Path(models) / parts[-1] / "config.json"
            yield Path(models) / "/".join(parts[-2:]) / "config.json"

    def _public(self) -> tuple[Public | None, bool]:
        """The public model that is meant, and whether its name is said outright."""
        parts = [_plain(part) for part in reversed(_parts(self.named))]
        for part in parts:
            for model in public_models():
                if any(_plain(name.rpartition("/")[2]) == part for name in model.names):
                    return model, True
        texts = [*parts, *(_plain(re.sub(r"(?<=\d)_(?=\d)", ".", hint)) for hint in self.hints)]
        for text in texts:
            within = [
                (len(plain), model)
                for model in public_models()
                for name in (*model.names, *model.called)
                if (plain := _plain(name.rpartition("/")[2])) in text
            ]
            if within:
                return max(within, key=lambda found: found[0])[1], False
        return None, False

    def _name(self) -> str:
        """What the model is called."""
        parts = [part for part in _parts(self.named) if not part.startswith(("$", "<"))]
        return parts[-1] if parts else ""

    def _stem(self) -> str:
        return re.sub(r"[^\w.+-]+", "-", self._name()).strip("-.") or "model"


def read_config(path: Path, data: bytes | None) -> Mapping[str, Any]:
    """A config.json. Raises :class:`Refusal` that says what is wrong with it."""
    if data is None:
        raise Refusal(f"{path} cannot be read")
    try:
        config = json.loads(data)
    except (ValueError, RecursionError) as problem:
        raise Refusal(f"{path} is no JSON: {problem}") from problem
    if not isinstance(config, dict):
        raise Refusal(f"{path} is no config of a model: it holds no mapping")
    return config


def _text(value: object) -> str:
    if isinstance(value, Template):
        return "".join(part if isinstance(part, str) else part.text for part in value.parts)
    return value if isinstance(value, str) else ""


def _parts(path: str) -> list[str]:
    """The parts of a path, out of defaults of variables, too: ``${MODEL:-"$HOME/models/Qwen3-8B"}``."""
    inner = re.sub(r"\$\{\w+:?[-=]([^}]*(?:\}[^}]*)*)\}", r"\1", path)
    return [part for part in re.split(r"[/\s\"']+", inner) if part.strip("{}")]


def _plain(name: str) -> str:
    return _NO_NAME.sub("", name.lower())


def _distance(stem: str, named: str) -> float:
    from difflib import SequenceMatcher

    return 1 - SequenceMatcher(None, _plain(stem), _plain(named.rpartition("/")[2])).ratio()


def _sounds_like_vision(stem: str) -> bool:
    return re.search(r"(?:\A|[-_.])(?:vl|omni|ocr\d*)(?:[-_.]|\Z)", stem.lower()) is not None


_ASKED = (
    ("--num-layers", "NUM_LAYERS", "num_hidden_layers"),
    ("--hidden-size", "HIDDEN_SIZE", "hidden_size"),
    ("--ffn-hidden-size", "FFN_HIDDEN_SIZE", "intermediate_size"),
    ("--num-attention-heads", "NUM_ATTENTION_HEADS", "num_attention_heads"),
    ("--num-query-groups", "NUM_QUERY_GROUPS", "num_key_value_heads"),
    ("--vocab-size", "VOCAB_SIZE", "vocab_size"),
    ("--rotary-base", "ROTARY_BASE", "rope_theta"),
    ("--norm-epsilon", "NORM_EPSILON", "rms_norm_eps"),
)


def _form_text(stem: str) -> str:
    """A model file that asks for the numbers: bash stops at the first that is not given, and says which key it is."""
    asked = [f'    {flag} "${{{name}:?{key} in the config.json of the checkpoint}}"' for flag, name, key in _ASKED]
    return "\n".join(
        [
            f"# {stem}: its architecture is not known to relax-lint. Write this file anew with",
            f"#     relax-lint model-config CONFIG.json --name {stem} --output scripts/models/{stem}.sh",
            "# or set each number here, or in the environment.",
            "MODEL_ARGS=(",
            *asked,
            "",
            "    --group-query-attention",
            "    --normalization RMSNorm",
            "    --swiglu",
            "    --disable-bias-linear",
            "    --position-embedding-type rope",
            "    --untie-embeddings-and-output-weights",
            ")",
            "",
        ]
    )
