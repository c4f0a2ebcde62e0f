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
    "OpenAIFunctionToolSchema": "drop it; environments of Relax take and return plain dicts",
    "ToolResponse": "drop it; environments of Relax take and return plain dicts",
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

REWARD_MANAGER_MODULES = ("verl.workers.reward_manager", "verl.experimental.reward_loop", "verl.experimental.reward")
"""Where verl's generations have them: the worker's managers, the reward loop, and what it was called at first."""

REWARD_MANAGER_ENDINGS = ("RewardManager", "RewardManagerBase", "RewardLoopManager", "RewardLoopManagerBase")
"""How they are called, wherever they are imported from."""

REGISTERING = frozenset({"register", "register_manager", "register_reward_manager"})
"""Decorators of those modules that make a class one of verl's managers."""

_SINGLE = "score one sample in `async def reward_func(args, sample, **kwargs)` and name it with --custom-rm-path"
_GROUP = "score all samples of a prompt in `async def reward_func(args, samples, **kwargs)`, with --group-rm"

_MANAGER_ADVICE: tuple[tuple[str, str], ...] = (
    ("BatchReward", _GROUP),
    ("PrimeReward", _GROUP),
    ("GDPOReward", "return a dict of the scores, and pass --reward-key"),
    ("DAPOReward", f"{_SINGLE}; the penalty for overlong answers belongs into it"),
    ("RateLimited", f"{_SINGLE}; an asyncio.Semaphore of the module limits the rate"),
    ("RemoteReward", "--rm-type remote_rm --rm-url asks a server, or an async client in the reward does"),
)


def manager_advice(base: str) -> str:
    """What takes the place of a reward manager that derives from this one."""
    name = base.rpartition(".")[2]
    return next((advice for part, advice in _MANAGER_ADVICE if name.startswith(part)), _SINGLE)


TOOL_MODULES = ("verl.tools", "verl.interactions", "verl.experimental.agent_loop")

_ENVIRONMENT = "an environment that derives from the recipe's own `base_env.BaseInteractionEnv`"
_TOOL_ADVICE: tuple[tuple[str, str], ...] = (
    ("verl.tools.schemas", "environments of Relax take and return plain dicts"),
    ("verl.tools.function_tool", f"call the function in `step` of {_ENVIRONMENT}"),
    ("verl.tools", f"parse and run its calls in `step` of {_ENVIRONMENT}"),
    ("verl.interactions", f"answer the model in `step` of {_ENVIRONMENT}"),
    ("verl.experimental.agent_loop", _BY_NAME["AgentLoopBase"]),
)


def tool_advice(name: str) -> str:
    """What takes the place of a tool, an interaction or an agent loop of verl."""
    return next(advice for module, advice in _TOOL_ADVICE if is_in(name, (module,)))


def is_in(name: str, modules: tuple[str, ...]) -> bool:
    """Whether a dotted name is one of these modules, or leads to something in one."""
    return any(name == module or name.startswith(f"{module}.") for module in modules)


_EXCHANGED = frozenset({"ToolResponse", "FunctionTool", "AgentLoopOutput", "AgentLoopMetrics"})


def is_exchanged(name: str) -> bool:
    """Whether this is what verl's tools and agent loops take and give, not what they derive from."""
    last = name.rpartition(".")[2]
    return last in _EXCHANGED or last.startswith("OpenAIFunction")


COPIED: dict[str, str] = {
    "base_tool.BaseTool": "verl.tools.base_tool.BaseTool",
    "function_tool.FunctionTool": "verl.tools.function_tool.FunctionTool",
    "function_tool.function_tool": "verl.tools.function_tool.function_tool",
    "schemas.ToolResponse": "verl.tools.schemas.ToolResponse",
    "schemas.OpenAIFunctionToolSchema": "verl.tools.schemas.OpenAIFunctionToolSchema",
    "base.BaseInteraction": "verl.interactions.base.BaseInteraction",
    "agent_loop.AgentLoopBase": "verl.experimental.agent_loop.AgentLoopBase",
    "abstract.AbstractRewardManager": "verl.workers.reward_manager.abstract.AbstractRewardManager",
    "base.RewardManagerBase": "verl.experimental.reward_loop.reward_manager.base.RewardManagerBase",
}
"""What files of verl take from beside themselves: a recipe that has such a file and not what it needs copied it."""
