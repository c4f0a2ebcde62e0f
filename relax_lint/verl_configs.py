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
    rf"(?:(?:pkg|file)://(?:\S*/)?)?(?:verl\.(?:{_PACKAGES})(?:\.\w+)*(?::\w+)?"
    rf"|(?:[\w./-]*/)?verl/(?:{_PACKAGES})(?:/[\w.-]+)*)"
)
_OF_RECIPES = re.compile(r"recipe(?:\.\w+){2,}")
_NO_MODULE = re.compile(r"\.(?:parquet|jsonl?|ya?ml|txt|log|csv|md|sh|png|jpg)\Z")

_TRAINER_OF_VERL = re.compile(
    r"(?:.*/)?_?(?:generated_)?(?:ppo|sft|dapo|prime|rm|diffusion)\w*_trainer\w*|.*@actor_rollout_ref\b.*"
)
_OF_CONFIG = re.compile(r"verl\.(?:workers\.config|trainer\.config|utils\.profiler)\b")
_STRONG = ("actor_rollout_ref", "custom_reward_function")
"""Keys that nobody else has."""
_SECTIONS = {
    "trainer": (
        "total_epochs", "total_training_steps", "project_name", "experiment_name", "n_gpus_per_node", "nnodes",
        "save_freq", "test_freq", "val_before_train", "val_only", "critic_warmup", "default_local_dir",
        "default_hdfs_dir", "resume_mode", "resume_from_path", "balance_batch", "max_actor_ckpt_to_keep",
    ),
    "data": (
        "train_files", "val_files", "train_batch_size", "val_batch_size", "max_prompt_length", "max_response_length",
        "filter_overlong_prompts", "reward_fn_key", "micro_batch_size_per_gpu", "prompt_key", "output_path",
    ),
    "rollout": ("gpu_memory_utilization", "tensor_model_parallel_size", "log_prob_micro_batch_size"),
    "algorithm": ("adv_estimator", "use_kl_in_reward", "kl_ctrl", "norm_adv_by_std_in_grpo"),
    "critic": ("ppo_mini_batch_size", "ppo_micro_batch_size_per_gpu", "cliprange_value", "optim"),
    "reward_model": ("reward_manager", "micro_batch_size_per_gpu", "launch_reward_fn_async"),
    "model": ("partial_pretrain", "fsdp_config"),
}  # fmt: skip
_ENOUGH_SECTIONS = 2


def names_verl(text: str) -> bool:
    """Whether a text is nothing but the name of one of verl's modules, classes or files of code."""
    return "verl" in text and bool(_MODULE.fullmatch(text)) and not _NO_MODULE.search(text)


def trainer_sign(source: YamlSource) -> Entry | None:
    """The key that shows that a file is a configuration of verl's trainers."""
    top = source.top
    for name in _STRONG:
        if name in top and top[name].value.kind == "mapping":
            return top[name]
    defaults, hydra = top.get("defaults"), top.get("hydra")
    if defaults is not None and any(_is_verls_default(item.value) for item in defaults.value.items):
        return defaults
    if hydra is not None and any(names_verl(node.text) for node in hydra.value.walk()):
        return hydra
    part = _part_of_trainer(source)
    if part is not None:
        return part
    sections = [
        top[name]
        for name, keys in _SECTIONS.items()
        if name in top and any(key in top[name].value.effective for key in keys)
    ]
    return sections[0] if len(sections) >= _ENOUGH_SECTIONS else None


def _part_of_trainer(source: YamlSource) -> Entry | None:
    """The first place where a class of verl's own configuration is named: the file is of one of its groups."""
    if "_target_" not in source.text or source.root is None:
        return None
    targets = (entry for node in source.root.walk() for entry in node.all("_target_"))
    return next((entry for entry in targets if _OF_CONFIG.match(entry.value.text)), None)


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


def verl_names(source: YamlSource, *, has_recipes: bool) -> Iterator[tuple[Place, str]]:
    """The values that name something of verl's, or of the recipes beside it unless the repository has such a package;
    outside of its tools."""
    nodes = [] if source.root is None else list(source.root.walk())
    left_out = {id(entry.key) for node in nodes for entry in node.entries}
    left_out.update(id(node) for entry in tool_lists(source) for node in entry.value.walk())
    classes = {id(entry.value) for node in nodes for key in ("class_name", "_target_") for entry in node.all(key)}
    for node in nodes:
        if node.tag != "str" or id(node) in left_out:
            continue
        if names_verl(node.text) or (not has_recipes and id(node) in classes and _OF_RECIPES.fullmatch(node.text)):
            yield source.place(node), node.text
