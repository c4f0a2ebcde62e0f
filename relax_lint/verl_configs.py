"""How YAML files that were written for verl can be told."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from relax_lint.diagnostics import Place
    from relax_lint.sources.config_yaml import Entry, Node, YamlSource

_PACKAGES = (
    "base_config|checkpoint_engine|experimental|interactions|model_merger|models|protocol|single_controller|third_party"
    "|tools|trainer|utils|workers"
)
_MODULE = re.compile(
    rf"(?:(?:pkg|file)://(?:[^\s:]*/)?)?(?:verl\.(?:{_PACKAGES})(?:\.\w+)*(?::\w+)?"
    rf"|(?:[\w./-]*/)?verl/(?:{_PACKAGES})(?:/[\w.-]+)*)"
)
_NO_MODULE = re.compile(r"\.(?:parquet|jsonl?|ya?ml|txt|log|csv|md|sh|png|jpg)\Z")

_TRAINER_OF_VERL = re.compile(
    r"(?:.*/)?_?(?:generated_)?(?:ppo|sft|dapo|prime|rm|diffusion)\w*_trainer\w*|.*@actor_rollout_ref\b.*"
)
_TRAINER_KEYS = frozenset(
    {
        "total_epochs", "total_training_steps", "project_name", "experiment_name", "n_gpus_per_node", "nnodes",
        "save_freq", "test_freq", "val_before_train", "val_only", "critic_warmup", "default_local_dir",
        "default_hdfs_dir", "resume_mode", "resume_from_path", "balance_batch", "max_actor_ckpt_to_keep",
    }
)  # fmt: skip
_BESIDE_TRAINER = {
    "data": ("train_files", "val_files", "train_batch_size", "max_prompt_length", "micro_batch_size_per_gpu"),
    "algorithm": ("adv_estimator", "use_kl_in_reward", "kl_ctrl", "gamma", "lam"),
    "critic": ("ppo_mini_batch_size", "ppo_micro_batch_size_per_gpu", "optim", "model"),
    "reward_model": ("reward_manager", "enable", "micro_batch_size_per_gpu"),
    "model": ("partial_pretrain", "fsdp_config", "external_lib"),
    "custom_reward_function": ("path", "name", "reward_kwargs"),
}
_ENOUGH_KEYS = 2


def names_verl(text: str) -> bool:
    """Whether a text is nothing but the name of one of verl's modules, classes or files of code."""
    return "verl" in text and bool(_MODULE.fullmatch(text)) and not _NO_MODULE.search(text)


def trainer_sign(source: YamlSource) -> Entry | None:
    """The key that shows that a file is a configuration of verl's trainers."""
    top = source.top
    rollout = top.get("actor_rollout_ref")
    if rollout is not None and rollout.value.kind == "mapping":
        return rollout
    defaults, hydra, trainer = top.get("defaults"), top.get("hydra"), top.get("trainer")
    if defaults is not None and any(_is_verls_default(item.value) for item in defaults.value.items):
        return defaults
    if hydra is not None and any(names_verl(node.text) for node in hydra.value.walk()):
        return hydra
    if trainer is not None and len(_TRAINER_KEYS & trainer.value.effective.keys()) >= _ENOUGH_KEYS:
        for name, keys in _BESIDE_TRAINER.items():
            beside = top.get(name)
            if beside is not None and any(key in beside.value.effective for key in keys):
                return trainer
    return None


def _is_verls_default(item: Node) -> bool:
    """Whether an entry of Hydra's defaults list is a group of verl's."""
    texts = [item.text] if item.kind == "scalar" else [f"{entry.name}:{entry.value.text}" for entry in item.entries]
    return any(_TRAINER_OF_VERL.fullmatch(text) for text in texts)


def tool_lists(source: YamlSource) -> Iterator[Entry]:
    """The entries ``tools`` whose items are verl's tools."""
    for node in source.root.walk() if source.root is not None else ():
        for entry in node.all("tools"):
            keys = [item.value.effective for item in entry.value.items]
            if any("class_name" in found and "tool_schema" in found for found in keys):
                yield entry


def verl_names(source: YamlSource) -> Iterator[tuple[Place, str]]:
    """The values that name something of verl's, outside of its tools."""
    nodes = [] if source.root is None else list(source.root.walk())
    left_out = {id(entry.key) for node in nodes for entry in node.entries}
    left_out.update(id(node) for entry in tool_lists(source) for node in entry.value.walk())
    for node in nodes:
        if node.tag == "str" and id(node) not in left_out and names_verl(node.text):
            yield source.place(node), node.text
