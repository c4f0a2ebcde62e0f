"""The environment of {name}: it makes the calls of tools that a response holds, and answers with what they give.

Tools are async. They live on an event loop of their own, on a thread of its own, so that ``step`` may be called where
another event loop runs, as the rollout does.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import inspect
import json
import logging
import re
import threading
from collections.abc import Generator, Iterator
from typing import Any, NamedTuple
from uuid import uuid4

from relax_lint.migrate.environment.produced.base_env import BaseInteractionEnv
from relax_lint.migrate.environment.produced.tool_base import (
    AgentData,
    FunctionTool,
    ToolResponse,
    as_response,
    normalize_function_tool_return,
)

# <recipe>
PARALLEL_CALLS, LONGEST_RESPONSE, KEEPS = 1, 256, "both"
"""How many calls of a turn are made, how long a tool's answer may be, which end of a longer one is kept."""
FAILED, UNKNOWN = "Error when executing tool: {error}", "Error when executing tool: {key}"
"""What the model is told of a call that failed, and of one of a tool that is not there."""
KEEPS_RESPONSES = False
"""Whether tools find the model's responses among the messages; an interaction always does."""


def make_tools() -> Iterator[Any]:
    """The tools, in the order in which the model is told of them."""
    yield from ()


def make_interactions() -> dict[str, Any]:
    """The users that may answer, by name."""
    return {}


PARSER: Any = None
"""What finds the calls of a response that are not written as ``<tool_call>`` with JSON in it."""
# </recipe>
BETWEEN_RESPONSES = "\n</tool_response>\n<tool_response>\n"
"""Between the answers to several calls of a turn, which are one message here: as chat templates write several."""
_KEPT = "environment_messages"
"""Where the messages are kept for a response that is broken off and gone on with later."""
CALL = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)

logger = logging.getLogger(__name__)


class Call(NamedTuple):
    """A call as the model wrote it; ``problem`` is what is wrong with one that cannot be made."""

    name: str
    arguments: Any
    problem: str = ""


class Answer(NamedTuple):
    """What a call gave."""

    call: Call
    response: ToolResponse
    reward: Any
    metrics: Any


def read_calls(text: str) -> list[Call]:
    """The calls of a response in order, those that cannot be read among them."""
    return [_read_call(found) for found in CALL.findall(text)]


def _read_call(written: str) -> Call:
    try:
        call = json.loads(written)
        name, arguments = call["name"], call["arguments"]
    except (ValueError, RecursionError) as error:
        return Call("", None, f"the call of a tool is not valid JSON: {error}")
    except (KeyError, TypeError, IndexError):
        return Call("", None, 'the call of a tool must be a JSON object with "name" and "arguments"')
    if not isinstance(name, str):
        return Call("", None, "the name of a tool must be a string")
    return Call(name, _as_object(arguments))


def _as_object(arguments: Any) -> Any:
    """Arguments that are a JSON object written as a string are that object."""
    if isinstance(arguments, str):
        try:
            read = json.loads(arguments)
        except (ValueError, RecursionError):
            return arguments
        return read if isinstance(read, dict) else arguments
    return arguments


class Turn:
    """The result of a step that is under way: awaited, it lets others work meanwhile; taken apart, it is waited for."""

    def __init__(self, work: concurrent.futures.Future[tuple[dict[str, Any], bool, dict[str, Any]]]) -> None:
        self.work = work

    def __await__(self) -> Generator[Any, None, tuple[dict[str, Any], bool, dict[str, Any]]]:
        return asyncio.wrap_future(self.work).__await__()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.work.result())

    def __len__(self) -> int:
        return 3

    def __getitem__(self, index: Any) -> Any:
        return self.work.result()[index]


class Workshop:
    """What all conversations of a process share: the event loop, and the tools and interactions on it."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._made: asyncio.Future[tuple[dict[str, Any], dict[str, Any]]] | None = None

    def start(self, work: Any) -> concurrent.futures.Future[Any]:
        """Have a coroutine run on the tools' loop."""
        with self._guard:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name=f"tools of {__name__}", daemon=True).start()
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def equipment(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The tools and the interactions, by name; made once, by whoever asks first."""
        if self._made is None or (self._made.done() and self._made.exception() is not None):
            self._made = asyncio.ensure_future(self._make())
        return await asyncio.shield(self._made)

    async def _make(self) -> tuple[dict[str, Any], dict[str, Any]]:
        made: dict[str, Any] = {}
        for each in make_tools():
            for tool in await each if inspect.isawaitable(each) else [each]:
                if tool.name in made:
                    raise ValueError(f"there are two tools {tool.name!r}: rename one of them")
                made[tool.name] = tool
        return made, make_interactions()


WORKSHOP = Workshop()


class Env(BaseInteractionEnv):
    """One conversation with the tools."""

    def __init__(self, sample: Any, args: Any) -> None:
        self.sample, self.args, self.turn = sample, args, 0
        self.max_turns: int | None = getattr(args, "max_turns", None)
        self.parallel_calls = getattr(args, "tool_parallel_calls", PARALLEL_CALLS)
        self.longest_response = getattr(args, "tool_response_length", LONGEST_RESPONSE)
        self.keeps = getattr(args, "tool_response_keeps", KEEPS)
        self.answers_broken_calls = getattr(args, "tool_answers_broken_calls", True)
        self.instance_per = getattr(args, "tool_instance_per", "call")
        self.instances: dict[str, str] = {}
        self.metadata: dict[str, Any] = {} if sample is None or sample.metadata is None else sample.metadata
        self.resumed = _is_resumed(sample)
        self.data = self._begin()

    def _begin(self) -> AgentData:
        media = getattr(self.sample, "multimodal_inputs", None) or {}
        images = media.get("images") or media.get("image")
        kept = self.metadata.get(_KEPT) if self.resumed else None
        data = AgentData(
            _messages(self.sample, self.metadata) if kept is None else list(kept),
            None if images is None else list(images),
            uuid4().hex,
            _mapping(self.metadata.get("tools_kwargs")),
            _mapping(self.metadata.get("interaction_kwargs")),
        )
        if self.resumed:
            data.tool_rewards = list(self.metadata.get("tool_rewards") or ())
            data.turn_scores = list(self.metadata.get("turn_scores") or ())
            data.user_turns = sum("env_step" in trace for trace in self.metadata.get("rollout_traces") or ())
        return data

    def reset(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin; the prompt has all that the model sees before it responds."""
        self.turn, self.instances, self.data = 0, {}, self._begin()
        self._tell()
        return {}, {}

    def step(self, response_text: str) -> Any:
        """Make the calls of a response: the observation, whether the conversation is over, and details.

        Where an event loop runs the result may be awaited; it is the same three when it is not.
        """
        self.turn += 1
        work = WORKSHOP.start(self._take_turn(response_text))
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return work.result()
        return Turn(work)

    def close(self) -> None:
        """Let go of the instances of tools that are left; nobody waits for that. An interaction finalizes itself."""
        self._tell(self.metadata.get("rollout_turns"))
        instances, self.instances = self.instances, {}
        if instances:
            WORKSHOP.start(self._let_go(instances))

    def format_observation(self, observation: dict[str, Any] | None) -> dict[str, Any]:
        """The message of an observation; the answers to several calls keep their media with them."""
        parts = (observation or {}).get("parts")
        if not parts:
            return super().format_observation(observation)
        content: list[dict[str, Any]] = []
        for number, (images, text) in enumerate(parts):
            content += [{"type": "image", "image": image} for image in images]
            text += BETWEEN_RESPONSES if number + 1 < len(parts) else ""
            content += [{"type": "text", "text": text}] if text else []
        return {"role": "tool", "content": content}

    # ------------------------------------------------------------ a turn, on the tools' loop

    async def _take_turn(self, text: str) -> tuple[dict[str, Any], bool, dict[str, Any]]:
        data = self.data
        data.assistant_turns = self.turn
        self._tell()
        if self.max_turns is not None and self.turn >= self.max_turns:
            return self._over("max_turns")
        tools, interactions = await WORKSHOP.equipment()
        if interactions and data.interaction is None:
            await self._greet(interactions)
        content, calls = await find_calls(text, tools)
        if KEEPS_RESPONSES:
            data.messages.append(_spoken(content, calls[: self.parallel_calls]))
        elif data.interaction is not None:
            data.messages.append({"role": "assistant", "content": text})
        data.tool_calls = [call for call in calls if not call.problem]
        if data.tool_calls or (calls and self.answers_broken_calls):
            return await self._use(tools, calls)
        if data.interaction is not None:
            return await self._interact()
        return self._over("no call of a tool")

    def _over(self, why: str) -> tuple[dict[str, Any], bool, dict[str, Any]]:
        return {"obs_str": "", "role": "user"}, True, {"turn": self.turn, "stop": why}

    async def _use(self, tools: dict[str, Any], calls: list[Call]) -> tuple[dict[str, Any], bool, dict[str, Any]]:
        """Make the calls that are allowed a turn, at once, and answer those that cannot be read."""
        selected = self.metadata.get("tool_selection")
        if selected:
            tools = {name: tools[name] for name in selected if name in tools}
        made = [call for call in calls if not call.problem][: self.parallel_calls]
        broken = [call for call in calls if call.problem][: self.parallel_calls if self.answers_broken_calls else 0]
        wanted = [call for call in calls if any(call is each for each in (*made, *broken))]
        answers = await asyncio.gather(*(self._call(call, tools) for call in wanted))
        return self._observed(answers), False, self._details(answers)

    def _observed(self, answers: list[Answer]) -> dict[str, Any]:
        parts: list[tuple[list[Any], str]] = []
        for answer in answers:
            response = answer.response
            if response.video:
                raise NotImplementedError(f"the tool {answer.call.name} answers with videos; images and text are shown")
            parts.append(([image for image in response.image or () if image is not None], response.text or ""))
            self.data.messages.append(_message(response))
        images = [image for shown, _ in parts for image in shown]
        observation: dict[str, Any] = {"obs_str": BETWEEN_RESPONSES.join(text for _, text in parts), "role": "tool"}
        if images:
            self.data.image_data = [*(self.data.image_data or ()), *images]
            observation["multi_modal_data"] = {"image": images}
            if len(parts) > 1:
                observation["parts"] = parts
        self.data.user_turns += 1
        return observation

    def _details(self, answers: list[Answer]) -> dict[str, Any]:
        rewards = [each.reward for each in answers if each.reward is not None]
        self.data.tool_rewards += rewards
        self._tell()
        made = [
            {
                "name": each.call.name,
                "arguments": each.call.arguments,
                "response": each.response.text,
                "reward": each.reward,
                "metrics": each.metrics,
            }
            for each in answers
        ]
        return {
            "turn": self.turn,
            "tool_calls": made,
            "tool_rewards": rewards,
            "tool_metrics": [each.metrics for each in answers],
            "reward": float(sum(rewards)),
        }

    async def _call(self, call: Call, tools: dict[str, Any]) -> Answer:
        """Make one call. What goes wrong is told the model."""
        if call.problem:
            return Answer(call, ToolResponse(text=FAILED.format(name="", error=call.problem)), None, {})
        tool = tools.get(call.name)
        if tool is None:
            text = UNKNOWN.format(name=call.name, key=repr(call.name), names=list(tools))
            return Answer(call, ToolResponse(text=text), 0.0, {})
        try:
            response, reward, metrics = await self._execute(tool, call)
        except Exception as error:
            logger.warning("the tool %s failed: %s", call.name, error)
            text = FAILED.format(name=call.name, error=error)
            return Answer(call, ToolResponse(text=text), 0.0, {})
        cut = shortened(response.text, self.longest_response, self.keeps)
        return Answer(call, ToolResponse(cut, response.image, response.video), reward, metrics)

    async def _execute(self, tool: Any, call: Call) -> tuple[ToolResponse, Any, Any]:
        if isinstance(tool, FunctionTool):
            return normalize_function_tool_return(await tool.call(call.arguments))
        instance = self.instances.get(call.name)
        try:
            if instance is None:
                kwargs = _mapping(self.data.tools_kwargs.get(call.name))
                instance, _ = await tool.create(create_kwargs=_mapping(kwargs.get("create_kwargs")))
            if self.instance_per == "conversation":
                self.instances[call.name] = instance
            response, reward, metrics = await tool.execute(instance, call.arguments, agent_data=self.data)
            if self.instance_per == "conversation":
                self.metadata.setdefault("rollout_reward_scores", {})[call.name] = await tool.calc_reward(instance)
        finally:
            if instance and call.name not in self.instances:
                await tool.release(instance)
        return as_response(response), reward, metrics

    # ------------------------------------------------------------ interactions

    async def _greet(self, interactions: dict[str, Any]) -> None:
        """Begin with the interaction that the row names."""
        kwargs = self.data.interaction_kwargs
        name = kwargs.get("name")
        if name not in interactions:
            raise ValueError(
                f"the row's extra_info has to name its interaction: interaction_kwargs.name is {name!r}, "
                f"there are {', '.join(interactions)}"
            )
        self.data.interaction = interactions[name]
        await self.data.interaction.start_interaction(self.data.request_id, **kwargs)

    async def _interact(self) -> tuple[dict[str, Any], bool, dict[str, Any]]:
        data = self.data
        done, text, score, metrics = await data.interaction.generate_response(
            data.request_id, data.messages, **data.interaction_kwargs
        )
        data.user_turns += 1
        data.messages.append({"role": "user", "content": text})
        if score is not None:
            data.turn_scores.append(score)
        self._tell()
        details = {"turn": self.turn, "turn_score": score, "reward": score, "metrics": metrics}
        if done:
            details["stop"] = "the interaction is over"
        return {"obs_str": text, "role": "user"}, bool(done), details

    # ------------------------------------------------------------ what is left

    def _tell(self, turns: int | None = None) -> None:
        """Put what the reward may ask for into the sample's metadata."""
        data = self.data
        turns = data.assistant_turns if turns is None else turns
        self.metadata.update(data.extra_fields)
        self.metadata["tool_rewards"], self.metadata["turn_scores"] = data.tool_rewards, data.turn_scores
        self.metadata["num_turns"] = data.user_turns + turns + 1
        if getattr(self.args, "partial_rollout", False):
            self.metadata[_KEPT] = data.messages

    async def _let_go(self, instances: dict[str, str]) -> None:
        tools, _ = await WORKSHOP.equipment()
        leaving = [tools[name].release(instance) for name, instance in instances.items()]
        for problem in await asyncio.gather(*leaving, return_exceptions=True):
            if problem is not None:
                logger.warning("a tool could not be let go of: %s", problem)


async def find_calls(text: str, tools: dict[str, Any]) -> tuple[str, list[Call]]:
    """The rest of a response, and its calls."""
    if PARSER is None:
        return CALL.sub("", text), read_calls(text)
    takes_schemas = "tools" in inspect.signature(PARSER.extract_tool_calls).parameters
    more = {"tools": [tool.tool_schema for tool in tools.values()]} if takes_schemas else {}
    content, found = await PARSER.extract_tool_calls(text, **more)
    return content, [_parsed(call.name, call.arguments) for call in found]


def _parsed(name: str, arguments: str) -> Call:
    try:
        return Call(name, json.loads(arguments))
    except (ValueError, RecursionError) as error:
        return Call(name, None, str(error))


def shortened(text: str | None, longest: int, keeps: str) -> str | None:
    """A text of at most so many characters, and a word about what was cut: of its start, its end or both kept."""
    if not text or len(text) <= longest:
        return text
    if keeps == "start":
        return f"{text[:longest]}...(truncated)"
    if keeps == "end":
        return f"(truncated)...{text[-longest:]}"
    half = longest // 2
    return f"{text[:half]}...(truncated)...{text[-half:]}"


def _spoken(content: str, calls: list[Call]) -> dict[str, Any]:
    """What the model said, as a message."""
    made = [
        {"type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for call in calls
        if not call.problem
    ]
    return {"role": "assistant", "content": content, **({"tool_calls": made} if made else {})}


def _message(response: ToolResponse) -> dict[str, Any]:
    if not response.image:
        return {"role": "tool", "content": response.text or ""}
    text = [{"type": "text", "text": response.text}] if response.text else []
    return {"role": "tool", "content": [{"type": "image"}, *text]}


def _messages(sample: Any, metadata: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages of the prompt; where only the text of the chat template is left, that as one."""
    prompt = metadata.get("raw_prompt")
    if isinstance(prompt, str):
        prompt = json.loads(prompt)
    if prompt is None:
        prompt = getattr(sample, "prompt", None) or []
    return [{"role": "user", "content": prompt}] if isinstance(prompt, str) else [dict(each) for each in prompt]


def _mapping(value: Any) -> dict[str, Any]:
    """A dict out of the data, which may be missing or written as JSON."""
    value = json.loads(value) if isinstance(value, str) and value else value
    return dict(value) if value else {}


def _is_resumed(sample: Any) -> bool:
    """Whether the rollout goes on with a response that was broken off."""
    status = getattr(getattr(sample, "status", None), "name", "")
    return status == "ABORTED" and getattr(sample, "response_length", 0) > 0


def tool_schemas() -> list[dict[str, Any]]:
    """What the model is told of the tools: the column ``tools`` of the data holds it, as JSON."""
    tools, _ = WORKSHOP.start(WORKSHOP.equipment()).result()
    return [tool.tool_schema.model_dump(exclude_unset=True, exclude_none=True) for tool in tools.values()]


def build_env(sample: Any = None, args: Any = None, **_: Any) -> Env:
    """The environment of one sample."""
    return Env(sample, args)
