"""The Python of the clean recipes."""

from __future__ import annotations

PROCESS_SUMS = '''\
"""Turns the rows of a verl data set into rows that Relax reads."""

import argparse

import pandas as pd


def convert_row(row):
    return {
        "prompt": row["prompt"],
        "label": row["reward_model"]["ground_truth"],
        "data_source": row["data_source"],
        "extra_info": row["extra_info"],
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--input-dir", required=True)
    parser.add_argument("--output-dir", required=True)
    options = parser.parse_args()
    rows = pd.read_parquet(options.input_dir)
    pd.DataFrame([convert_row(row) for _, row in rows.iterrows()]).to_parquet(options.output_dir, index=False)
'''

PROCESS_CHARTS = PROCESS_SUMS.replace(
    '        "data_source": row["data_source"],\n',
    '        "image": [picture["bytes"] for picture in row["images"]],\n',
)

REWARD_SUMS = '''\
"""Scores the last number of an answer."""

import re

from relax.utils.types import Sample

NUMBER = re.compile(r"-?\\d[\\d,]*")


def compute_score(predict_str: str, ground_truth: str, extra_info: dict | None = None) -> dict:
    found = NUMBER.findall(predict_str)
    if not found:
        return {"score": 0.0, "acc": 0.0}
    right = found[-1].replace(",", "") == ground_truth
    return {"score": 1.0 if right else 0.0, "acc": float(right)}


async def reward_func(args, sample: Sample, **kwargs):
    return compute_score(sample.response, sample.label, extra_info=sample.metadata)
'''

REWARD_CHARTS = '''\
"""Scores a one-word answer about a chart."""

from relax.utils.types import Sample


async def reward_func(args, sample: Sample, **kwargs):
    said = sample.response.strip().lower()
    return {"score": float(said.endswith(sample.label)), "length": len(said)}
'''

BASE_ENV = '''\
"""What every environment of this recipe has."""

ROLES = ("user", "assistant", "tool", "system")


class BaseInteractionEnv:
    def reset(self):
        raise NotImplementedError

    def step(self, response_text: str):
        raise NotImplementedError

    def close(self):
        return None

    def format_observation(self, observation: dict) -> dict:
        observation = observation or {}
        role = observation.get("role", "user")
        parts = []
        for pictures in (observation.get("multi_modal_data") or {}).values():
            parts += [{"type": "image", "image": picture} for picture in pictures]
        parts.append({"type": "text", "text": observation.get("obs_str", "")})
        return {"role": role if role in ROLES else "user", "content": parts}
'''

ENV_DESK = '''\
"""A desk with a calculator on it."""

import json
import re

from examples.desk.base_env import BaseInteractionEnv
from relax.utils.types import Sample

CALL = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)


class DeskEnv(BaseInteractionEnv):
    def __init__(self, *, max_turns: int):
        self.max_turns = max_turns
        self.turn = 0

    def reset(self):
        self.turn = 0
        return {"obs_str": "", "role": "user"}, {}

    def _add(self, text: str) -> str:
        try:
            call = json.loads(text)
            return str(sum(float(part) for part in call["arguments"]["numbers"]))
        except (ValueError, KeyError, TypeError):
            return "this is no call that the calculator knows"

    def step(self, response_text: str):
        self.turn += 1
        calls = CALL.findall(response_text)
        if not calls:
            return {}, True, {"reason": "answered"}
        told = self._add(calls[-1])
        observation = {"obs_str": f"<tool_response>{told}</tool_response>", "role": "tool"}
        return observation, self.turn >= self.max_turns, {"told": told}

    def close(self):
        self.turn = 0


def build_env(sample: Sample = None, args=None, **_) -> DeskEnv:
    return DeskEnv(max_turns=args.max_turns if args else 5)
'''

ROLLOUT = '''\
"""Lets the model and its environment take turns."""

import importlib
import inspect

from relax.engine.rollout.sglang_rollout import GenerateState
from relax.utils.http_utils import post
from relax.utils.types import Sample

DEFAULT_ENV_MODULE = "examples.desk.env_desk"


def _environment(args, sample):
    module = importlib.import_module(args.rollout_interaction_env_path or DEFAULT_ENV_MODULE)
    return module.build_env(sample=sample, args=args)


async def _ask(url, tokens, sampling_params):
    asked = {"input_ids": tokens, "sampling_params": sampling_params, "return_logprob": True}
    said = await post(url, asked)
    pairs = said["meta_info"]["output_token_logprobs"]
    return said["text"], [pair[1] for pair in pairs], [pair[0] for pair in pairs]


def _extend(sample, tokens, log_probs, learned):
    sample.tokens.extend(tokens)
    sample.loss_mask.extend([learned] * len(tokens))
    sample.rollout_log_probs.extend(log_probs)
    sample.response_length += len(tokens)


async def generate(args, sample: Sample, sampling_params) -> Sample:
    state = GenerateState(args)
    url = f"http://{args.sglang_router_ip}:{args.sglang_router_port}/generate"
    env = _environment(args, sample)
    sample.tokens = state.tokenizer.encode(sample.prompt)
    asked = len(sample.tokens)
    sample.loss_mask = []
    sample.rollout_log_probs = []
    sample.response_length = 0
    env.reset()
    try:
        for _ in range(args.max_turns):
            text, tokens, log_probs = await _ask(url, sample.tokens, sampling_params)
            _extend(sample, tokens, log_probs, 1)
            stepped = env.step(text)
            if inspect.isawaitable(stepped):
                stepped = await stepped
            observation, done, _info = stepped
            if done:
                break
            message = env.format_observation(observation)
            told = state.tokenizer.apply_chat_template([message], add_generation_prompt=True)
            _extend(sample, told, [0.0] * len(told), 0)
    finally:
        env.close()
    sample.response = state.tokenizer.decode(sample.tokens[asked:])
    sample.status = Sample.Status.COMPLETED
    return sample
'''

CONFIG_DESK = """\
max_turns: 5
rollout_interaction_env_path: examples.desk.env_desk
"""
