"""How a launch says that its data is read: which columns, as text or as messages, by which loader."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from relax_lint.catalog.hidden import UNKNOWN, is_hidden
from relax_lint.catalog.launches import namespace_of
from relax_lint.kept import kept_property
from relax_lint.launch_config import CONFIG, setting
from relax_lint.records import record

if TYPE_CHECKING:
    from relax_lint.project import Project
    from relax_lint.shell.launch import Argument, Launch

MEDIA = "--multimodal-keys"
OWN_SOURCE = "relax.engine.rollout.data_source."
"""Where the data sources of Relax itself are, which read ``--prompt-data``."""

_VISION = r"-vl\b|-vl-|qwen3\.?[56]-|kimi-k2\.[56]|omni|dots\.?\w*ocr|llava|internvl"
_TEXT = (
    r"qwen(?:2(?:\.5)?|3)-(?:math-|coder-)?\d[\w.]*b(?!\w)|qwq|deepseek-(?:r1|v3|math|llm)|glm-?(?:5|4\.[67])(?![\w.]*v)"
    r"|llama-?(?:2|3|3\.1)-|mistral-7b|phi-[34]-mini-instruct|olmo"
)
"""Names of checkpoints, whatever the case of their letters."""


@record
class Keys:
    """What Relax takes from a row: names of columns, ``None`` where it takes nothing, hidden where it cannot be told.

    ``media`` maps kinds of media to columns.
    """

    input: Any
    label: Any
    metadata: Any
    tool: Any
    media: Any

    @property
    def media_columns(self) -> dict[str, str]:
        """The columns of media by kind; none where that cannot be told."""
        known = self.media if isinstance(self.media, dict) else {}
        return {kind: column for kind, column in known.items() if isinstance(column, str)}


class DataArguments:
    """The arguments of a launch that its data is read by."""

    def __init__(self, launch: Launch, project: Project) -> None:
        self.launch = launch
        self.project = project
        self.namespace = namespace_of(launch, project)
        self._settled: dict[str, Any] = {}

    def parsed(self, dest: str) -> Any:
        """What argparse makes of an argument."""
        return self.namespace.value(dest)

    def settled(self, dest: str) -> Any:
        """An argument after the config of the launch has had the last word."""
        if dest not in self._settled:
            given = setting(self.launch, self.project, flag_of(dest))
            if given is None:
                self._settled[dest] = self.parsed(dest)
            elif given.kind == "null":
                self._settled[dest] = None
            else:
                self._settled[dest] = given.text if given.kind == "str" else UNKNOWN
        return self._settled[dest]

    def keys(self, taken: Callable[[str], Any]) -> Keys:
        """The columns, as one loader takes them."""
        return Keys(taken("input"), taken("label"), taken("metadata"), taken("tool"), self.settled("multimodal_keys"))

    def for_training(self, key: str) -> Any:
        """The column that training takes."""
        return self.settled(f"{key}_key")

    def for_evaluation(self, key: str) -> Any:
        """The column that evaluation takes, which is settled before the config is read."""
        own = None if key == "metadata" else self.parsed(f"eval_{key}_key")
        return self.parsed(f"{key}_key") if own is None else own

    def naming(self, key: str, *, evaluation: bool) -> Argument | None:
        """The flag that names a column, or the config in its place."""
        flag = MEDIA if key == "media" else f"--{key}-key"
        own = self.launch.last(f"--eval-{key}-key") if evaluation else None
        if own is not None:
            return own
        if not evaluation and setting(self.launch, self.project, flag) is not None:
            return self.launch.last(CONFIG)
        return self.launch.last(flag)

    @property
    def reads_prompt_data(self) -> bool:
        """Whether a data source of Relax itself reads ``--prompt-data``."""
        if self.launch.mode == "sft":
            return self.parsed("custom_dataset_class_path") is None
        source, reads = self.settled("data_source_path"), self.parsed("rollout_global_dataset")
        return isinstance(source, str) and source.startswith(OWN_SOURCE) and reads is True

    @property
    def reads_nothing(self) -> bool:
        """Whether the launch takes its samples from elsewhere."""
        return self.parsed("debug_train_only") is True or bool(self.launch.last("--load-debug-rollout-data"))

    @property
    def evaluates(self) -> bool:
        """Whether evaluation data may be read."""
        intervals = ("eval_interval", "sft_predict_interval") if self.launch.mode == "sft" else ("eval_interval",)
        return any(self.settled(dest) is not None for dest in intervals)

    @property
    def agentic(self) -> bool | None:
        """Whether agents write the prompts' rest themselves; ``None`` when that is not known."""
        given = self.parsed("use_agentic_rollout")
        return None if is_hidden(given) else bool(given)

    @kept_property
    def template(self) -> bool | None:
        """Whether prompts go through the chat template; ``None`` when that is not known."""
        if self.agentic:
            return False
        given = self.settled("apply_chat_template")
        return None if is_hidden(given) or self.agentic is None else bool(given)

    @kept_property
    def rewrites_prompts(self) -> bool:
        """Whether a function of the user may make the prompts of the training data."""
        return self.settled("custom_prompt_path") is not None

    @kept_property
    def generates_itself(self) -> bool:
        """Whether a function of the user may take the prompts instead of Relax's own rollout."""
        functions = ("custom_generate_function_path", "use_agentic_rollout")
        if any(self.settled(dest) not in (None, False) for dest in functions):
            return True
        rollout = self.settled("rollout_function_path")
        return not (isinstance(rollout, str) and rollout.startswith("relax."))

    @kept_property
    def sees_media(self) -> bool | None:
        """Whether the model is one for images, video or sound: by what lies in its checkpoint, by the name of that, or
        of the model file; ``None`` when nothing tells."""
        argument = self.launch.last("--hf-checkpoint")
        word = argument.own_values[0] if argument is not None and argument.own_values else None
        known: set[bool | None] = set()
        if word is not None:
            own = self._by_config(word.text) if word.known else None
            name = word.text.rstrip("/").rpartition("/")[2]
            hidden = any(unknown.text in name for unknown in word.unknowns)
            known = {own if own is not None or hidden else _by_name(name)}
        if known <= {None}:
            known = {_by_name(name) for name in self._model_files}
        return known.pop() if len(known) == 1 else None

    def _by_config(self, checkpoint: str) -> bool | None:
        import json

        from relax_lint.catalog.model_configs import perceives

        path = self.project.root / checkpoint / "config.json"
        try:
            config = json.loads(self.project.read(path) or b"null")
        except (ValueError, RecursionError):
            return None
        return perceives(config) if isinstance(config, dict) else None

    @property
    def _model_files(self) -> set[str]:
        """The names of the files from which the launcher has the architecture."""
        from relax_lint.model_files import sourced_models, unread_models

        launcher = self.project.launcher(self.launch.script)
        if launcher is None:
            return set()
        written = (place.source.text[place.start : place.end] for place in unread_models(launcher))
        return {
            *(source.path.stem for source in sourced_models(launcher, self.project)),
            *(name for text in written for name in re.findall(r"([\w.-]+)\.sh\b", text)),
        }


def _by_name(name: str) -> bool | None:
    """Whether a model is one for media, by its name."""
    if re.search(_VISION, name, re.IGNORECASE):
        return True
    return False if re.match(_TEXT, name, re.IGNORECASE) else None


def flag_of(dest: str) -> str:
    """The flag that sets an attribute, for those that are named alike."""
    return "--" + dest.replace("_", "-")
