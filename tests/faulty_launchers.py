"""Generated launchers with the faults that safe fixes repair, each beside the same launcher without broken lines."""

from __future__ import annotations

import random

REWARDS = """\
async def scored(args, sample, **kwargs):
    return {"score": 1.0, "acc": 0.0}


async def only_acc(args, sample, **kwargs):
    return {"acc": 1.0}


async def plain(args, sample, **kwargs):
    return 1.0


async def of_all(args, samples, **kwargs):
    return [1.0 for sample in samples]
"""
"""What the launchers name, as ``examples/demo/rewards.py``."""

_TRAIN = "relax/entrypoints/train.py"
_MODULE = "relax.entrypoints.train"
_FRONTS = (
    f"python3 {_TRAIN}",
    f"python3 ./{_TRAIN}",
    f"python3 -m {_MODULE}",
    f"python3 -u -m{_MODULE}",
    f"nohup python3 -um {_MODULE}",
    f'ray job submit --address="http://127.0.0.1:8265" -- python3 {_TRAIN}',
    f"ray job submit --address auto -- python3 -m {_MODULE}",
    f'ray job submit ${{NO_WAIT:+--no-wait}} --address=localhost --runtime-env-json="$ENV_JSON" -- python3 {_TRAIN}',
    f'ray job submit --working-dir . --address localhost:8265 --runtime-env-json "$ENV_JSON" -- python3 {_TRAIN}',
    f"RAY_ADDRESS=http://127.0.0.1:8265 ray job submit -- env A=1 python3 {_TRAIN}",
    f"ray job submit --no-wait --address=http://127.0.0.1:8265 -- python3 {_TRAIN}",
    f'ray job submit --address="${{RAY_ADDRESS:-http://127.0.0.1:8265}}" -- python3 {_TRAIN}',
    f"ray job submit --address=http://10.0.0.7:8265 --runtime-env-json='{{}}' -- python3 -m {_MODULE}",
    f"bash -c 'exec python3 -m {_MODULE} \"$@\"' launch",
)
_OPTIMIZER = ("--optimizer-cpu-offload", "--overlap-cpu-optimizer-d2h-h2d", "--use-precision-aware-optimizer")
_FORWARD = '{"actor": [1, 4], "rollout": [1, 2], "reference": [1, 1], "actor_fwd": [1, 1], "advantages": [1, 0]}'
_MODES = {
    "async": (
        f"--fully-async --max-staleness 2 --resource '{_FORWARD}'",
        f"--resource='{_FORWARD}' --fully-async --ref-actor-config {{'tensor_model_parallel_size':1}}",
    ),
    "sync": (
        "--colocate",
        '--colocate --resource \'{"actor": [1, 8], "rollout": [1, 8]}\'',
        "--colocate --resource \"{'actor': [1, 8], 'rollout': [1, 8]}\"",
        '--resource {"actor": [1, 8], "rollout": [1, 8]} --colocate',
        '--resource \'{"actor": [1, 8], "rollout": [1, 8]}\'',
    ),
}


class FaultyLauncher:
    """One launcher; the same seed gives the same one. ``text`` has broken lines, ``whole`` has none."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        crlf = self.random.random() < 0.1
        self.breaks = not crlf and self.random.random() < 0.5
        head = [self._one("", "set -x", "set -e", "set -ex\nset -o pipefail"), "MODE=${1:-${MODE:-sync}}"]
        head += [self._one("ENV_JSON='{}'", 'ENV_JSON=\'{"env_vars": {"PYTHONUNBUFFERED": "1"}}\'')]
        head += [self._one("", "", "export RAY_ADDRESS=auto", "export RAY_ADDRESS=http://127.0.0.1:8265")]
        arrays = [self._array(name, items) for name, items in self._arrays().items()]
        broken, whole = self._launches()
        start = "\n".join(["#!/bin/bash", *head, *arrays, ""])
        self.text = (start + broken).replace("\n", "\r\n" if crlf else "\n")
        self.whole = start + whole

    def _one(self, *choices: str) -> str:
        return self.random.choice(choices)

    def _some(self, *choices: str) -> list[str]:
        return [choice for choice in choices if self.random.random() < 0.5]

    def _arrays(self) -> dict[str, list[str]]:
        reward = self._one("scored", "only_acc", "plain", "of_all")
        size = self.random.choice((8, 16, 32))
        rollout = [f"--custom-rm-path examples.demo.rewards.{reward}", f"--rollout-batch-size {size}"]
        rollout += ["--n-samples-per-prompt 8", f"--global-batch-size {self.random.choice((size * 8, size * 4, 48))}"]
        rollout += self._some("--num-steps-per-rollout 1", "--group-rm", "--prompt-data '/d/a b.parquet'")
        rollout += [self._one("--reward-key score", "--reward-key acc", "--reward-key nothing", "", "")]
        optimizer = [self._one("--optimizer adam", "--lr 1e-6", "--lr=1e-6"), *self._some(*_OPTIMIZER)]
        performance = ["--tensor-model-parallel-size 4", *self._some("--sequence-parallel", "--micro-batch-size 1")]
        performance += self._some("--runtime-env-json '{}'")
        performance += self._some("--skip-eval-before-train true", "--sglang-mem-frac 0.8", "--enable-cuda-graph")
        performance += self._some("--dynamic-sampling-filter-path examples/demo/rewards.py:plain")
        performance += self._some("--kl-loss-type kl", "--kl-loss-type=mse", "--balance-data")
        return {"ROLLOUT_ARGS": rollout, "OPTIMIZER_ARGS": optimizer, "PERF_ARGS": performance}

    def _array(self, name: str, items: list[str]) -> str:
        items = [item for item in items if item]
        if self.random.random() < 0.2:
            return f"{name}=({' '.join(items)})"
        lines = [f"    {item}{self._one('', '', '  # why')}" for item in items]
        if self.random.random() < 0.2:
            lines.insert(self.random.randrange(len(lines)), "    # --use-tis")
        return "\n".join([f"{name}=(", *lines, ")"])

    def _launches(self) -> tuple[str, str]:
        fronts = [self._one(*_FRONTS), self._one(*_FRONTS)]
        commands = [self._command(front, mode) for front, mode in zip(fronts, ("async", "sync"), strict=True)]
        broken, whole = zip(*commands, strict=True)
        shape = self._one("if", "if", "case", "function")
        return _either(shape, *broken), _either(shape, *whole)

    def _command(self, front: str, mode: str) -> tuple[str, str]:
        """The command as it is written, with broken lines and without."""
        groups = [front, *self._one(*_MODES[mode]).replace(" --", "\0--").split("\0")]
        groups += [f'"${{{name}[@]}}"' for name in ("ROLLOUT_ARGS", "OPTIMIZER_ARGS", "PERF_ARGS")]
        groups += [self._one("--lr-decay-style constant", "--eps-clip 0.2", "--seed 1")]
        tail = self._one("", "2>&1 | tee logs/run.log", "| tee run.log", "> run.log 2>&1")
        lines = [*groups[:-1], f"{groups[-1]} {tail}".strip()]
        broken = lines[0]
        fault_at = self.random.randrange(1, len(lines)) if self.breaks else 0
        for number, line in enumerate(lines[1:], 1):
            broken += self._break() if number == fault_at else " \\\n    "
            broken += line
        return broken, " \\\n    ".join(lines)

    def _break(self) -> str:
        return self._one(
            " \\  \n    ", " \\\t\n    ", " \\\n    # --use-tis \\\n    ", " \\\n\n    ", " \\\n    # why\n    "
        )


def _either(shape: str, first: str, second: str) -> str:
    if shape == "case":
        return f'case "$MODE" in\nasync)\n    {first}\n    ;;\n*)\n    {second}\n    ;;\nesac\n'
    if shape == "function":
        return f'in_async() {{\n    {first}\n}}\nif [ "$MODE" = async ]; then\n    in_async\nelse\n    {second}\nfi\n'
    return f'if [[ "${{MODE}}" == async ]]; then\n    {first}\nelse\n    {second}\nfi\n'
