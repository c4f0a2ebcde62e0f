"""Function tools, MCP servers, interactions and other forms of calls, carried over."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.migrate.environment.originals import FILES, NEWER, VERL, write
from tests.migrate.environment.recipes import args, environment, sample, settled, stepped
from tests.migrate.environment.reference import Loop, imported

__all__ = ["environment"]


@pytest.fixture
def newer(tmp_path: Path) -> Path:
    """A checkout with a newer verl."""
    return write(tmp_path / "checkout", {**VERL, **FILES, **NEWER})


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """A checkout with an older verl."""
    return write(tmp_path / "checkout", {**VERL, **FILES})


def call(name: str, **arguments: Any) -> str:
    """A response with one call."""
    return f"<tool_call>{json.dumps({'name': name, 'arguments': arguments})}</tool_call>"


def test_functions_are_tools(newer: Path, environment: Any) -> None:
    with imported(newer, "my_functions", "verl.tools.function_tool") as (_, registry):
        functions = dict(registry.FUNCTION_TOOL_REGISTRY)
    module, carried = environment(newer, functions="my_functions.py", tools="tools.yaml", calls=2)
    assert not carried.problems
    assert [schema["function"]["name"] for schema in carried.schemas] == [
        "sum", "picture", "long", "count", "odd", "weather",
    ]  # fmt: skip
    responses = [
        call("weather", city="Ulm"),
        call("weather", city="Ulm", days=2, unit="F") + call("count", text="letters"),
        call("count", text="letters", of="t"),
        call("count", letters="x"),
        call("odd", values=[1]),
        call("helper"),
        '<tool_call>{"name": "count", "arguments": "x"}</tool_call>',
    ]

    async def run() -> None:
        env, loop = module.build_env(sample(), args()), Loop(functions, newer=True, calls=2)
        for response in responses:
            wanted = await loop.turn(response)
            assert wanted is not None
            observation, _, info = await stepped(env, response)
            texts = [call["response"] for call in info["tool_calls"]]
            if "helper" in response:
                assert texts[0].startswith("Unknown function 'helper'. Available tools: ['sum', 'picture', 'long'")
            elif '"arguments": "x"' in response:
                assert texts[0].startswith("Error executing tool 'count': ")
            else:
                assert texts == [text for text, *_ in wanted]
            assert info["tool_rewards"] == [reward for _, _, reward, _ in wanted]
            assert info["tool_metrics"] == [metrics for *_, metrics in wanted]
            assert observation["obs_str"].startswith(texts[0])

    asyncio.run(run())


def test_the_schema_of_a_function_is_read_off(newer: Path, environment: Any) -> None:
    module, carried = environment(newer, functions="my_functions.py")
    count, odd, weather = (schema["function"] for schema in carried.schemas)
    assert weather == {
        "name": "weather",
        "description": "Tell the weather of a city.\n\nIt is always the same.",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "The city, by its name."},
                "days": {"type": "integer", "description": "How many days."},
                "unit": {"type": "string", "description": "What it is measured in.", "enum": ["C", "F"]},
            },
            "required": ["city"],
        },
    }
    assert count["parameters"]["properties"]["of"] == {"type": "string", "description": "Which one."}
    assert odd["parameters"]["properties"]["values"] == {"type": "array", "description": "Numbers."}
    assert module.tool_schemas() == carried.schemas


def test_a_sample_may_select_its_tools(newer: Path, environment: Any) -> None:
    module, _ = environment(newer, functions="my_functions.py")
    env = module.build_env(sample(metadata={"tool_selection": ["count", "gone"]}), args())
    assert env.step(call("count", text="abc"))[0]["obs_str"] == "3"
    assert env.step(call("weather", city="Ulm"))[0]["obs_str"] == (
        "Unknown function 'weather'. Available tools: ['count']"
    )
    said = [message for message in env.data.messages if message["role"] == "assistant"]
    assert said[0]["tool_calls"][0]["function"] == {"name": "count", "arguments": {"text": "abc"}}


def test_mcp_servers_offer_tools(older: Path, environment: Any) -> None:
    module, carried = environment(older, tools="mcp.yaml")
    assert not carried.problems
    assert (carried.schemas, carried.unknown) == ([], ["LoudTool"])
    assert [schema["function"]["name"] for schema in module.tool_schemas()] == ["echo"]

    async def run() -> None:
        env = module.build_env(sample(), args())
        observation, _, info = await stepped(env, call("echo", text="hello"))
        assert observation["obs_str"] == "YOU SAID HELLO"
        assert info["tool_metrics"] == [{"status": "success"}]
        assert (await stepped(env, call("other", text="x")))[0]["obs_str"] == "Error when executing tool: 'other'"

    asyncio.run(run())


def test_an_interaction_answers_what_calls_nothing(older: Path, environment: Any) -> None:
    with imported(older, "my_interaction") as (originals,):
        original = originals.SumInteraction({"praise": "well done", "name": "sum"})
    module, carried = environment(older, interactions="interaction.yaml", tools="tools.yaml")
    assert not carried.problems
    kwargs = {"name": "sum", "wanted": "12", "hint": "think"}
    prompt = [{"role": "system", "content": "s"}, {"role": "user", "content": "5 + 7?"}]
    subject = sample(metadata={"interaction_kwargs": kwargs, "raw_prompt": json.dumps(prompt)})

    async def run() -> None:
        await original.start_interaction("it", **kwargs)
        env, messages = module.build_env(subject, args()), [*prompt]
        env.reset()
        scores = []
        for response in ("It is 11", "It is 13, no: 12"):
            messages.append({"role": "assistant", "content": response})
            over, text, score, metrics = await original.generate_response("it", messages, **kwargs)
            messages.append({"role": "user", "content": text})
            scores.append(score)
            observation, done, info = await stepped(env, response)
            assert (observation, done) == ({"obs_str": text, "role": "user"}, over)
            assert (info["turn_score"], info["metrics"]) == (score, metrics)
        assert env.data.messages == messages
        assert subject.metadata["turn_scores"] == scores == [0.0, 1.0]
        assert subject.metadata["num_turns"] == 2 + 2 + 1
        env.close()
        await asyncio.wrap_future(module.WORKSHOP.start(settled()))
        assert len(env.data.interaction.open) == len(original.open) == 1  # verl's loop does not finalize it
        called, _, _ = await stepped(env, call("long", times=1))
        assert called["obs_str"] == "abcdefghij"

    asyncio.run(run())
    nobody = module.build_env(sample(metadata={"interaction_kwargs": {"name": "nobody"}}), args())
    with pytest.raises(ValueError, match=r"interaction_kwargs\.name is 'nobody', there are sum"):
        nobody.step("hello")


def test_other_forms_of_calls_are_read_by_verls_own_parser(older: Path, environment: Any) -> None:
    parsers = """\
import re

from verl.utils.rollout_trace import rollout_trace_op


class FunctionCall:
    def __init__(self, name, arguments):
        self.name, self.arguments = name, arguments


class ToolParser:
    registry = {}

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    @classmethod
    def register(cls, name):
        def decorate(subclass):
            cls.registry[name] = subclass
            return subclass

        return decorate


@ToolParser.register("angular")
class AngularParser(ToolParser):
    @rollout_trace_op
    async def extract_tool_calls(self, responses_ids):
        text = self.tokenizer.decode(responses_ids, skip_special_tokens=False)
        return "", [FunctionCall(*found) for found in re.findall(r"<(\\w+)>(.*?)</\\1>", text)]
"""
    write(older, {"verl/experimental/agent_loop/tool_parser.py": parsers})
    for name in ("verl/experimental", "verl/experimental/agent_loop"):
        write(older, {f"{name}/__init__.py": ""})
    module, carried = environment(older, tools="tools.yaml", style="angular")
    assert not carried.problems
    env = module.build_env(sample(), args())
    assert env.step('<long>{"times": 1}</long>')[0]["obs_str"] == "abcdefghij"
    assert env.step("<long>{]</long>")[0]["obs_str"].startswith("Error when executing tool: ")
    assert env.step(call("long", times=1))[1] is False
    _, unknown = environment(older, tools="tools.yaml", style="qwen")
    assert [problem.message for problem in unknown.problems] == [
        "verl has no parser for calls in the form 'qwen' (multi_turn.format): <tool_call> with JSON is read"
    ]
