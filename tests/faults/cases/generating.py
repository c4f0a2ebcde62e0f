"""RLX305 to RLX307: rollouts, and how launches come to them."""

from __future__ import annotations

from tests.faults.cases.places import DESK_RUN, ROLLOUT
from tests.faults.trees import Fault, Maker, swap, write

RESET = '    def reset(self):\n        self.turn = 0\n        return {"obs_str": "", "role": "user"}, {}\n\n'
STEP_HEAD = "    def step(self, response_text: str):\n"
LAST = '        return observation, self.turn >= self.max_turns, {"told": told}\n'
OBSERVED = '        observation = {"obs_str": f"<tool_response>{told}</tool_response>", "role": "tool"}\n'
BUILD = (
    "def build_env(sample: Sample = None, args=None, **_) -> DeskEnv:\n"
    "    return DeskEnv(max_turns=args.max_turns if args else 5)\n"
)


def _default() -> list[Fault]:
    made = Maker("RLX305", "turns", ROLLOUT, "warning", may=("RLX107",))
    line = 'DEFAULT_ENV_MODULE = "examples.desk.env_desk"'
    made(
        "deepeyes",
        "DEFAULT_ENV_MODULE = ",
        swap(ROLLOUT, line, 'DEFAULT_ENV_MODULE = "examples.deepeyes.env_deepeyes"'),
    )
    made(
        "annotated",
        "DEFAULT_ENV_MODULE: str",
        swap(ROLLOUT, line, 'DEFAULT_ENV_MODULE: str = "examples.deepeyes.env_deepeyes"'),
    )
    made(
        "several-lines",
        '"examples.deepeyes.env_deepeyes"',
        swap(ROLLOUT, line, 'DEFAULT_ENV_MODULE = (\n    "examples.deepeyes.env_deepeyes"\n)'),
    )
    made(
        "joined",
        'DEFAULT_ENV_MODULE = "examples.deepeyes" ".env_deepeyes"',
        swap(ROLLOUT, line, 'DEFAULT_ENV_MODULE = "examples.deepeyes" ".env_deepeyes"'),
    )
    return made.made


def _generate() -> list[Fault]:
    made = Maker("RLX306", "turns", ROLLOUT, may=("RLX507",))
    head = "async def generate(args, sample: Sample, sampling_params) -> Sample:"
    made(
        "missing",
        "examples/desk/run_desk.sh|--custom-generate-function-path examples.desk.rollout.generate",
        swap(ROLLOUT, head, "async def generate_turns(args, sample: Sample, sampling_params) -> Sample:"),
    )
    made(
        "not-async",
        "def generate",
        swap(ROLLOUT, "async def generate", "def generate"),
        swap(ROLLOUT, "stepped = await stepped", "stepped = stepped"),
        swap(ROLLOUT, "await _ask(", "_ask("),
    )
    made(
        "two-parameters",
        "def generate",
        swap(ROLLOUT, "args, sample: Sample, sampling_params) ->", "sample: Sample, sampling_params, *, args=None) ->"),
        may=("RLX213",),
    )
    made(
        "four-required",
        "def generate",
        swap(ROLLOUT, "sample: Sample, sampling_params) ->", "sample: Sample, sampling_params, tools) ->"),
    )
    made(
        "returns-nothing",
        "def generate(",
        swap(
            ROLLOUT,
            "    sample.status = Sample.Status.COMPLETED\n    return sample\n",
            "    sample.status = Sample.Status.COMPLETED\n",
        ),
    )
    made(
        "bare-return",
        "                return\n",
        swap(
            ROLLOUT, "            if done:\n                break\n", "            if done:\n                return\n"
        ),
    )
    made(
        "none-in-except",
        "return None",
        swap(
            ROLLOUT,
            "    finally:\n        env.close()\n",
            "    except ValueError:\n        return None\n    finally:\n        env.close()\n",
        ),
    )
    made(
        "no-log-probs",
        "def generate(",
        swap(ROLLOUT, "    sample.rollout_log_probs = []\n", ""),
        swap(ROLLOUT, "    sample.rollout_log_probs.extend(log_probs)\n", ""),
    )
    made(
        "no-reward-at-all",
        "return sample",
        swap(DESK_RUN, "    --custom-rm-path examples.desk.reward_desk.reward_func\n", ""),
        swap(DESK_RUN, "    --reward-key score\n", ""),
        may=("RLX408", "RLX201", "RLX802"),
    )
    made(
        "re-exported-not-async",
        "examples/desk/turns.py|def generate(",
        write("examples/desk/turns.py", "def generate(args, sample, sampling_params):\n    return sample\n"),
        write(
            ROLLOUT,
            "from examples.desk.turns import generate\n\n"
            'DEFAULT_ENV_MODULE = "examples.desk.env_desk"\n__all__ = ["generate"]\n',
        ),
        may=("RLX306", "RLX213"),
    )
    made(
        "eval-config-lacks-it",
        "examples/desk/eval.yaml|custom_generate_function_path",
        write(
            "examples/desk/eval.yaml",
            "eval:\n  datasets:\n    - name: desk\n      path: /data/desk/test.parquet\n"
            "      custom_generate_function_path: examples.desk.rollout.generate_once\n",
        ),
        swap(DESK_RUN, "    --eval-prompt-data desk ${TEST_FILES}\n", "    --eval-config examples/desk/eval.yaml\n"),
        path="examples/desk/eval.yaml",
    )
    soft = Maker("RLX306", "turns", ROLLOUT, "warning")
    soft(
        "mask-does-not-grow",
        "sample.tokens.extend(tokens)",
        swap(ROLLOUT, "    sample.loss_mask.extend([learned] * len(tokens))\n", ""),
    )
    soft(
        "mask-never-set",
        "sample.tokens.extend(tokens)",
        swap(ROLLOUT, "    sample.loss_mask.extend([learned] * len(tokens))\n", ""),
        swap(ROLLOUT, "    sample.loss_mask = []\n", ""),
    )
    return [*made.made, *soft.made]


def _multi_turn() -> list[Fault]:
    made = Maker("RLX307", "turns", DESK_RUN, may=("RLX802", "RLX305", "RLX213", "RLX605"))
    path = "    --custom-generate-function-path examples.desk.rollout.generate\n"
    config = "    --custom-config-path examples/desk/desk_config.yaml\n"
    made("no-generate", "--custom-config-path examples/desk/desk_config.yaml", swap(DESK_RUN, path, ""))
    made("no-config", "--custom-generate-function-path examples.desk.rollout.generate", swap(DESK_RUN, config, ""))
    made("neither", "--custom-rm-path", swap(DESK_RUN, path + config, ""))
    made(
        "generate-commented-out",
        "--custom-config-path examples/desk/desk_config.yaml",
        swap(DESK_RUN, path, "    # " + path.strip() + "\n"),
    )
    made(
        "only-in-sync",
        "--custom-config-path examples/desk/desk_config.yaml",
        swap(DESK_RUN, path, ""),
        swap(DESK_RUN, "        --balance-data \\\n", "        --balance-data \\\n    " + path.rstrip() + " \\\n"),
    )
    made(
        "array-not-passed",
        "--custom-rm-path",
        swap(DESK_RUN, path + config, ""),
        swap(DESK_RUN, "mkdir -p logs\n", "TURN_ARGS=(\n" + path + config + ")\nmkdir -p logs\n"),
        also=("RLX421",),
    )
    return made.made


FAULTS = [*_default(), *_generate(), *_multi_turn()]
