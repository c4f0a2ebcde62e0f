"""Plans written by hand, for what is made of them."""

from __future__ import annotations

from collections.abc import Sequence

from relax_lint.migrate.plan import Fate, ModeRefused, Passed, Plan, Todo, YamlEntry
from relax_lint.migrate.settings import Setting, Settings
from relax_lint.migrate.values import Template
from relax_lint.project import MEMORY_ROOT, Project
from relax_lint.shell.launch import Launch, Unknown

VERL = MEMORY_ROOT / "examples/math/train.sh"
COMMAND = "python3 -m verl.trainer.main_ppo data.train_files=$HOME/data/gsm8k/train.parquet trainer.nnodes=1\n"

ASYNC = '{"actor": [1, 4], "rollout": [1, 2], "reference": [1, 1], "actor_fwd": [1, 1], "advantages": [1, 0]}'


def launches_of(script: str) -> list[Launch]:
    """What a script of verl launches."""
    source = Project.from_files({"examples/math/train.sh": script}).launcher(VERL)
    assert source is not None
    return source.launches


def template(text: str) -> Template:
    """A string with ``$NAME`` and ``${NAME}`` and ``$(…)`` as parts that bash completes."""
    import re

    pieces = re.split(r"(\$\w+|\$\{[^}]*\}|\$\([^)]*\))", text)
    return Template(tuple(Unknown(piece) if piece.startswith("$") else piece for piece in pieces if piece))


REFERENCE = '{"tensor_model_parallel_size": 1, "expert_tensor_parallel_size": 1}'

PASSED = (
    Passed("--hf-checkpoint", (template("${MODEL_DIR}/Qwen3-8B"),), "ckpt", ("actor_rollout_ref.model.path",)),
    Passed("--ref-load", (template("${MODEL_DIR}/Qwen3-8B"),), "ckpt", ("actor_rollout_ref.model.path",)),
    Passed("--megatron-to-hf-mode", ("bridge",), "ckpt"),
    Passed("--prompt-data", (template("['${DATA_DIR}/gsm8k/train.parquet']"),), "rollout", ("data.train_files",)),
    Passed("--input-key", ("prompt",), "rollout", ("data.prompt_key",)),
    Passed("--label-key", ("label",), "rollout"),
    Passed("--apply-chat-template", (), "rollout"),
    Passed("--rm-type", ("math",), "rollout"),
    Passed("--num-epoch", ("15",), "rollout", ("trainer.total_epochs",)),
    Passed("--rollout-batch-size", ("32",), "rollout", ("data.train_batch_size",)),
    Passed("--n-samples-per-prompt", ("8",), "rollout", ("actor_rollout_ref.rollout.n",)),
    Passed("--global-batch-size", ("256",), "rollout", (), "one update a rollout: 32 prompts × 8 samples"),
    Passed("--rollout-max-prompt-len", ("512",), "rollout"),
    Passed("--rollout-max-response-len", ("1024",), "rollout"),
    Passed("--rollout-shuffle", (), "rollout"),
    Passed("--eval-interval", ("5",), "eval", ("trainer.test_freq",)),
    Passed("--eval-prompt-data", ("gsm8k", template("${DATA_DIR}/gsm8k/test.parquet")), "eval", ("data.val_files",)),
    Passed("--advantage-estimator", ("grpo",), "algorithm", ("algorithm.adv_estimator",)),
    Passed("--use-kl-loss", (), "algorithm"),
    Passed("--kl-loss-coef", ("0.001",), "algorithm"),
    Passed("--kl-loss-type", ("low_var_kl",), "algorithm"),
    Passed("--lr", (template("${LR:-1e-6}"),), "optimizer", ("actor_rollout_ref.actor.optim.lr",)),
    Passed("--lr-decay-style", ("constant",), "optimizer"),
    Passed("--optimizer-cpu-offload", (), "optimizer"),
    Passed("--overlap-cpu-optimizer-d2h-h2d", (), "optimizer"),
    Passed("--use-precision-aware-optimizer", (), "optimizer"),
    Passed("--tensor-model-parallel-size", ("2",), "perf"),
    Passed("--use-dynamic-batch-size", (), "perf"),
    Passed("--max-tokens-per-gpu", ("9216",), "perf"),
    Passed("--sglang-mem-fraction-static", ("0.6",), "sglang"),
    Passed("--use-tensorboard", (), "log"),
    Passed("--tb-experiment-name", ("it's a test",), "log", ("trainer.experiment_name",)),
    Passed("--resource", ('{"actor": [1, 8], "rollout": [1, 8]}',), "launch", ("trainer.nnodes",), modes="sync"),
    Passed("--max-staleness", ("0",), "launch", modes="sync"),
    Passed("--colocate", (), "launch", modes="sync"),
    Passed("--resource", (ASYNC,), "launch", ("trainer.nnodes",), modes="async"),
    Passed("--max-staleness", ("2",), "launch", modes="async"),
    Passed("--num-iters-per-train-update", ("8",), "launch", modes="async"),
    Passed("--ref-actor-config", (REFERENCE,), "launch", modes="async"),
    Passed("--fully-async", (), "launch", modes="async"),
    Passed("--num-data-storage-units", ("1",), "launch"),
)
"""A whole launch."""

LEAVES = (
    (
        Setting("data.train_files", template("$HOME/data/gsm8k/train.parquet"), "command line"),
        "mapped",
        ("--prompt-data",),
    ),
    (Setting("trainer.nnodes", 1, "command line"), "derived", ("--resource",)),
    (Setting("trainer.experiment_name", "a|b\nc", "command line"), "mapped", ("--tb-experiment-name",)),
    (Setting("data.prompt_key", "prompt", "verl default"), "mapped", ("--input-key",)),
    (Setting("trainer.balance_batch", True, "verl default"), "same", ()),
    (Setting("trainer.ray_wait_register_center_timeout", 300, "verl default"), "dropped", ()),
    (Setting("ray_kwargs.timeline|file", None, "verl default"), "dropped", ()),
)


def plan_of(
    passed: Sequence[Passed] = PASSED,
    launch: Launch | None = None,
    *,
    model: str = "qwen3-8B",
    refused: Sequence[ModeRefused] = (),
    config: Sequence[YamlEntry] = (),
) -> Plan:
    """A plan with a few settings."""
    settings = Settings(
        launch or launches_of(COMMAND)[0],
        "verl.trainer.main_ppo",
        "fsdp",
        "0.9.1",
        {setting.key: setting for setting, _, _ in LEAVES},
    )
    fates = [
        Fate(setting.key, kind, flags, "Relax has\nno such | thing" if kind == "dropped" else "")  # type: ignore[arg-type]
        for setting, kind, flags in LEAVES
    ]
    todos = [Todo("Write scripts/tools/process_math.py.", ("data.train_files",))]
    return Plan(settings, passed, fates, config, todos, refused, model, "32 prompts × 8 samples = 256 samples a step.")
