"""Recipes whose reward, or environment, may block."""

from __future__ import annotations

REWARD = "examples/demo/reward_demo.py"
RUN = {
    "examples/demo/run_demo.sh": (
        "python3 relax/entrypoints/train.py --custom-rm-path examples.demo.reward_demo.reward_func\n"
    )
}


def reward(text: str, **others: str) -> dict[str, str]:
    """A recipe with a reward, and more modules of it by their names."""
    return {**RUN, REWARD: text, **{f"examples/demo/{name}.py": other for name, other in others.items()}}


ENVIRONMENT = {
    "examples/demo/run_demo.sh": (
        "python3 relax/entrypoints/train.py --rm-type math --custom-config-path examples/demo/config.yaml"
        " --custom-generate-function-path examples.demo.rollout.generate\n"
    ),
    "examples/demo/config.yaml": "max_turns: 3\nrollout_interaction_env_path: examples.demo.env_demo\n",
    "examples/demo/rollout.py": """\
async def generate(args, sample, sampling_params):
    return sample
""",
}
