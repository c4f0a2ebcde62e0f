"""Where what verl gives a recipe is found in Relax: its modules, and the fields of its DataProto."""

from __future__ import annotations

SAMPLE_IMPORT = "from relax.utils.types import Sample"

_BY_NAME: dict[str, str] = {
    "DataProto": f"use `{SAMPLE_IMPORT}`",
    "DataProtoItem": f"use `{SAMPLE_IMPORT}`",
    "default_compute_score": "copy the scoring of this data set into reward_<algo>.py",
    "BaseTool": "derive an environment from the recipe's own `base_env.BaseInteractionEnv`",
    "FunctionTool": "derive an environment from the recipe's own `base_env.BaseInteractionEnv`",
    "BaseInteraction": "derive an environment from the recipe's own `base_env.BaseInteractionEnv`",
    "OpenAIFunctionToolSchema": "drop it; environments of Relax take plain dicts",
    "ToolResponse": "drop it; environments of Relax return plain dicts",
    "RLHFDataset": "Relax reads parquet by itself: convert offline, then `--prompt-data` and `--input-key`",
    "load_extern_object": "drop it; Relax loads functions by module path",
    "AgentLoopBase": "write `async def generate(args, sample, sampling_params)` and name it with "
    "`--custom-generate-function-path`",
}
_BY_MODULE: tuple[tuple[str, str], ...] = (
    ("verl.utils.reward_score", "copy the scoring logic into reward_<algo>.py"),
    ("verl.workers.reward_manager", "drop it; `--custom-rm-path` names the reward function"),
    ("verl.experimental.reward_loop", "drop it; `--custom-rm-path` names the reward function"),
    ("verl.experimental.agent_loop", _BY_NAME["AgentLoopBase"]),
    ("verl.tools", _BY_NAME["BaseTool"]),
    ("verl.interactions", _BY_NAME["BaseInteraction"]),
    ("verl.trainer", "run `python3 relax/entrypoints/train.py` with command line flags"),
    ("verl.utils.dataset", _BY_NAME["RLHFDataset"]),
    ("verl.utils.import_utils", _BY_NAME["load_extern_object"]),
    ("verl.protocol", _BY_NAME["DataProto"]),
    ("verl.utils.hdfs_io", "use shutil and pathlib"),
    ("verl.utils.tokenizer", "use transformers.AutoTokenizer"),
)


def replacement(module: str, name: str = "") -> str:
    """What to do instead of importing ``name`` from a module of verl."""
    if name in _BY_NAME:
        return _BY_NAME[name]
    whole = f"{module}.{name}" if name else module
    for prefix, advice in _BY_MODULE:
        if whole == prefix or whole.startswith(f"{prefix}."):
            return advice
    return "copy what is needed into the recipe"


GROUND_TRUTH = ("reward_model", "ground_truth")

NON_TENSOR_FIELDS: dict[str, str] = {
    "reward_model": "label",
    "data_source": 'metadata["data_source"]',
    "extra_info": "metadata",
    "multi_modal_data": "multimodal_inputs",
    "multi_modal_inputs": "multimodal_train_inputs",
    "raw_prompt": "prompt",
    "index": "index",
    "uid": "group_index",
}
"""Keys of ``non_tensor_batch`` and where a sample holds the same."""

EXACT_FIELDS = frozenset({"data_source", "extra_info", "multi_modal_data"})
"""Those whose value is the same, not only about the same thing; ``ground_truth`` is the label's."""

NON_TENSOR_ADVICE: dict[str, str] = {
    "__num_turns__": "the environment's info in the rollout counts turns",
    "reward_scores": "the reward function returns it",
}

TENSOR_FIELDS: dict[str, str] = {
    "prompts": "prompt",
    "responses": "response",
    "input_ids": "tokens",
    "attention_mask": "loss_mask",
    "response_mask": "loss_mask",
    "rollout_log_probs": "rollout_log_probs",
    "old_log_probs": "rollout_log_probs",
    "ref_log_prob": "teacher_log_probs",
    "rm_scores": "reward",
    "token_level_scores": "reward",
    "token_level_rewards": "reward",
}
"""Keys of ``batch`` and the field of a sample about the same thing."""

ONLY_VERL_KEYS = frozenset(
    {"prompts", "responses", "response_mask", "rm_scores", "token_level_scores", "token_level_rewards", "old_log_probs"}
)
"""Keys that say by themselves that a ``batch`` is verl's."""
