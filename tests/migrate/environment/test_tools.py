"""Tools carried over answer, reward and measure as verl's agent loop has them do."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.migrate.environment.originals import FILES, NEWER, VERL, write
from tests.migrate.environment.recipes import args, environment, sample, settled, stepped
from tests.migrate.environment.reference import Loop, imported

__all__ = ["environment"]
KWARGS = {"sum": {"create_kwargs": {"wanted": "12"}}}
RESPONSES = [
    'Let me see.\n<tool_call>\n{"name": "sum", "arguments": {"answer": "12"}}\n</tool_call>',
    '<tool_call>{"name": "sum", "arguments": {"answer": 13}}</tool_call><|im_end|>',
    '<tool_call>{"name": "sum", "arguments": {"answer": 5000}}</tool_call>',
    '<tool_call>{"name": "sum", "arguments": {}}</tool_call>',
    '<tool_call>{"name": "sum", "arguments": null}</tool_call>',
    '<tool_call>{"name": "sum", "arguments": ["12"]}</tool_call>',
    '<tool_call>{"name": "sum", "arguments": "no JSON"}</tool_call>',
    '<tool_call>{"name": "nothing like it", "arguments": {}}</tool_call>',
    '<tool_call>{"name": "picture", "arguments": {"count": 1, "text": "look"}}</tool_call>',
    '<tool_call>{"name": "picture", "arguments": {"count": 2}}</tool_call>',
    '<tool_call>{"name": "picture", "arguments": {"count": "x"}}</tool_call>',
    '<tool_call>{"name": "long", "arguments": {"times": 2}}</tool_call>',
    '<tool_call>{"name": "long", "arguments": {"times": 9}}</tool_call>',
    (
        '<tool_call>{"name": "sum", "arguments": {"answer": "1 {2} 12"}}</tool_call> and '
        '<tool_call>{"name": "long", "arguments": {"times": 1}}</tool_call>'
    ),
]
BETWEEN = "\n</tool_response>\n<tool_response>\n"


def tools_of(module: ModuleType, schemas: Any) -> dict[str, Any]:
    """The original tools, as verl makes them."""
    made = {}
    configs = {"sum": {"type": "native", "unit": "calls"}, "picture": {"type": "native"}, "long": {"type": "native"}}
    for name, schema in schemas.items():
        tool = getattr(module, f"{name.capitalize()}Tool")(configs[name], schema)
        made[tool.name] = tool
    return made


def tree(root: Path, *, newer: bool) -> Path:
    return write(root / "checkout", {**VERL, **FILES, **(NEWER if newer else {})})


@pytest.mark.parametrize("newer", [False, True])
@pytest.mark.parametrize("calls", [1, 2])
@pytest.mark.parametrize("side", ["left", "middle", "right"])
def test_each_response_is_answered_as_verl_answers_it(
    tmp_path: Path, environment: Any, newer: bool, calls: int, side: str
) -> None:
    root = tree(tmp_path, newer=newer)
    with imported(root, "my_tools", "verl.tools.schemas") as (originals, schemas):
        described = schemas.OpenAIFunctionToolSchema.model_validate
        tools = tools_of(
            originals, {name: described({"function": {"name": name}}) for name in ("sum", "picture", "long")}
        )
    module, carried = environment(root, tools="tools.yaml", calls=calls, longest=50, side=side)
    assert not carried.problems
    subject = sample(metadata={"tools_kwargs": KWARGS})

    async def run() -> None:
        env = module.build_env(sample=subject, args=args())
        loop = Loop(tools, KWARGS, calls, 50, side, newer)
        env.reset()
        for response in RESPONSES:
            wanted = await loop.turn(response)
            assert wanted is not None
            observation, done, info = await stepped(env, response)
            assert not done
            assert observation["obs_str"] == BETWEEN.join(text or "" for text, *_ in wanted)
            assert observation["role"] == "tool"
            images = [image for _, shown, *_ in wanted for image in shown]
            assert (observation.get("multi_modal_data") or {"image": []})["image"] == images
            assert info["tool_rewards"] == [reward for _, _, reward, _ in wanted if reward is not None]
            assert info["tool_metrics"] == [metrics for *_, metrics in wanted]
            assert [call["response"] for call in info["tool_calls"]] == [text for text, *_ in wanted]
        assert subject.metadata["tool_rewards"] == loop.rewards
        assert subject.metadata["answers"] == loop.data.extra_fields["answers"]
        assert env.data.image_data == ["picture 0", "picture 0", "picture 1"]
        env.close()

    asyncio.run(run())


def test_a_step_lets_others_work_and_needs_nobody_to_await_it(tmp_path: Path, environment: Any) -> None:
    waiting = """\
import threading
from verl.tools.base_tool import BaseTool
from verl.tools.schemas import ToolResponse

OPEN = threading.Event()


class WaitTool(BaseTool):
    async def execute(self, instance_id, parameters, **kwargs):
        import asyncio
        await asyncio.to_thread(OPEN.wait)
        return ToolResponse(text="opened"), 0.0, {}
"""
    config = (
        "tools:\n  - class_name: wait_tool.WaitTool\n    config: {type: native}\n    tool_schema: {type: function, "
        "function: {name: wait, description: Wait., parameters: {type: object, properties: {}, required: []}}}\n"
    )
    root = write(tree(tmp_path, newer=False), {"wait_tool.py": waiting, "wait.yaml": config})
    module, _ = environment(root, tools="wait.yaml")
    opened = sys.modules[f"{module.__package__}.tools.wait_tool"].OPEN
    call = '<tool_call>{"name": "wait", "arguments": {}}</tool_call>'

    async def open_it() -> None:
        opened.set()

    async def run() -> None:
        first, second = (module.build_env(sample(), args()) for _ in range(2))
        results = await asyncio.gather(stepped(first, call), stepped(second, call), open_it())
        assert [result[0]["obs_str"] for result in results[:2]] == ["opened", "opened"]
        observation, done, info = first.step(call)
        assert (observation["obs_str"], done, info["turn"]) == ("opened", False, 2)
        turn = first.step(call)
        assert len(turn) == 3
        assert turn[1] is False

    asyncio.run(run())
    assert module.build_env(sample(), args()).step(call)[0]["obs_str"] == "opened"


def test_what_cannot_be_read_is_answered_and_the_conversation_goes_on(tmp_path: Path, environment: Any) -> None:
    module, _ = environment(tree(tmp_path, newer=False), tools="tools.yaml", calls=1)
    subject = sample(metadata={"tools_kwargs": json.dumps(KWARGS)})
    env = module.build_env(sample=subject, args=args())
    good = '<tool_call>{"name": "sum", "arguments": "{\\"answer\\": 12}"}</tool_call>'
    for broken in (
        "<tool_call>{'name': 1}</tool_call>",
        '<tool_call>{"name": "sum"}</tool_call>',
        '<tool_call>["sum", {}]</tool_call>',
        '<tool_call>{"name": 3, "arguments": {}}</tool_call>',
        f"<tool_call>{'[' * 100_000}</tool_call>",
    ):
        observation, done, info = env.step(broken)
        assert not done
        assert observation["obs_str"].startswith("Error when executing tool: the ")
        assert info["tool_rewards"] == []
        text, _, info = env.step(f"{broken}{good}")
        assert text["obs_str"].endswith(f"{BETWEEN}state['reward']=1.0 after 1 calls")
        assert info["tool_rewards"] == [0.5]
    dropping = module.build_env(sample=subject, args=args(tool_answers_broken_calls=False))
    assert dropping.step('<tool_call>{"name": "sum"}</tool_call>')[1] is True
    assert dropping.step(f"<tool_call>?</tool_call>{good}")[0]["obs_str"] == "state['reward']=1.0 after 1 calls"


def test_a_conversation_ends_without_a_call_and_with_its_last_turn(tmp_path: Path, environment: Any) -> None:
    module, _ = environment(tree(tmp_path, newer=False), tools="tools.yaml")
    subject = sample(metadata={"tools_kwargs": KWARGS})
    env = module.build_env(subject, args(max_turns=3))
    env.reset()
    call = RESPONSES[0]
    assert env.step(call)[1] is False
    assert subject.metadata["num_turns"] == 3
    assert env.step("<tool_call>never closed")[1] is True
    assert env.step(call)[1:] == (True, {"turn": 3, "stop": "max_turns"})
    assert subject.metadata["tool_rewards"] == [0.5]
    subject.metadata["rollout_turns"] = 4
    env.close()
    assert subject.metadata["num_turns"] == 1 + 4 + 1


def test_an_instance_may_last_for_a_conversation(tmp_path: Path, environment: Any) -> None:
    module, _ = environment(tree(tmp_path, newer=False), tools="tools.yaml")
    subject = sample(metadata={"tools_kwargs": KWARGS})
    env = module.build_env(subject, args(tool_instance_per="conversation"))
    assert env.step(RESPONSES[0])[0]["obs_str"].endswith("after 1 calls")
    assert env.step(RESPONSES[1])[0]["obs_str"].endswith("after 2 calls")
    assert subject.metadata["rollout_reward_scores"] == {"sum": 0.0}
    (tool,) = [
        tool for name, tool in module.WORKSHOP.start(module.WORKSHOP.equipment()).result()[0].items() if name == "sum"
    ]
    assert len(tool._instances) == 1
    env.close()
    module.WORKSHOP.start(settled()).result()
    assert tool._instances == {}


def test_what_is_broken_off_is_gone_on_with(tmp_path: Path, environment: Any) -> None:
    module, _ = environment(tree(tmp_path, newer=False), tools="tools.yaml")
    subject = sample(metadata={"tools_kwargs": KWARGS})
    first = module.build_env(subject, args(partial_rollout=True))
    first.step(RESPONSES[0])
    first.close()
    subject.metadata["rollout_traces"] = [{"env_step": {}}, {"inference": {}}]
    subject.status = type("Status", (), {"name": "ABORTED"})
    subject.response_length = 7
    second = module.build_env(subject, args(partial_rollout=True))
    subject.status = None
    second.reset()
    second.turn = 1
    second.step(RESPONSES[1])
    assert subject.metadata["tool_rewards"] == [0.5, -0.5]
    assert subject.metadata["num_turns"] == 2 + 2 + 1
    assert [message["role"] for message in second.data.messages] == ["user", "tool", "tool"]


def test_messages_are_what_chat_templates_take(tmp_path: Path, environment: Any) -> None:
    module, _ = environment(tree(tmp_path, newer=False), tools="tools.yaml", calls=2)
    env = module.build_env(sample(), args())
    text = env.format_observation(env.step('<tool_call>{"name": "long", "arguments": {"times": 1}}</tool_call>')[0])
    assert text == {"role": "tool", "content": "abcdefghij"}
    one = '<tool_call>{"name": "picture", "arguments": {"count": 1, "text": "look"}}</tool_call>'
    shown = env.format_observation(env.step(one)[0])
    assert shown["content"] == [{"type": "image", "image": "picture 0"}, {"type": "text", "text": "look"}]
    both = env.format_observation(env.step(one + one)[0])
    assert [part.get("image") or part["text"] for part in both["content"]] == [
        "picture 0", f"look{BETWEEN}", "picture 0", "look",
    ]  # fmt: skip
    assert env.format_observation({"obs_str": "x", "role": "nobody"}) == {"role": "user", "content": "x"}


def test_the_prompt_is_told_what_verl_tells(tmp_path: Path, environment: Any) -> None:
    module, carried = environment(tree(tmp_path, newer=False), tools="tools.yaml")
    assert carried.schemas[0] == {
        "type": "function",
        "function": {
            "name": "sum",
            "description": "Tool sum.",
            "parameters": {
                "type": "object",
                "properties": {"answer": {"type": "string", "description": "The sum."}},
                "required": [],
            },
        },
    }
    assert module.tool_schemas() == carried.schemas
    (written,) = [file.text for file in carried.files if file.name == "tools/schemas.json"]
    assert json.loads(written) == carried.schemas


def test_code_is_carried_with_its_comments_and_without_what_nobody_needs(
    tmp_path: Path, environment: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUM_HOME", "/somewhere")
    module, carried = environment(tree(tmp_path, newer=False), tools="tools.yaml")
    texts = {file.name: file.text for file in carried.files}
    assert "# The comment inside stays." in texts["tools/my_tools.py"]
    assert "# more is too much" in texts["tools/my_tools.py"]
    assert texts["tools/sums.py"].startswith("# Copyright of somebody's: it stays.\n")
    assert "UNUSED" not in texts["tools/sums.py"]
    assert not any("verl" in line for text in texts.values() for line in text.splitlines() if "import" in line)
    tools, _ = module.WORKSHOP.start(module.WORKSHOP.equipment()).result()
    assert tools["sum"].config == {"type": "native", "unit": "calls", "home": "/somewhere/x", "rate": 0.001}
