"""What the code of tools and interactions stands on: their base classes, responses and schemas.

Names and meaning are those that the code was written for.
"""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Callable, Mapping
from typing import Any, ClassVar
from uuid import uuid4


class ToolResponse:
    """What a call of a tool gave: text, images, videos, each of them or none."""

    def __init__(self, text: str | None = None, image: list[Any] | None = None, video: list[Any] | None = None) -> None:
        if text is not None and not isinstance(text, str):
            raise ValueError(f"the text of a ToolResponse must be a string, not {type(text).__name__}")
        for name, media in (("image", image), ("video", video)):
            if media is not None and not isinstance(media, list):
                raise ValueError(f"the {name} of a ToolResponse must be a list, not {type(media).__name__}: [{name}]")
        self.text, self.image, self.video = text, image, video

    def is_empty(self) -> bool:
        """Whether there is nothing in it."""
        return not self.text and not self.image and not self.video

    def is_text_only(self) -> bool:
        """Whether it is a text and nothing else."""
        return bool(self.text) and not self.image and not self.video

    def model_dump(self, **_: Any) -> dict[str, Any]:
        """The three as a dict."""
        return {"text": self.text, "image": self.image, "video": self.video}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ToolResponse) and self.model_dump() == other.model_dump()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"ToolResponse(text={self.text!r}, image={self.image!r}, video={self.video!r})"


class Schema:
    """A part of a tool's description in the form of OpenAI's function calls. Fields that are not of it are left out."""

    fields: ClassVar[Mapping[str, Any]] = {}
    """The fields in order: what is made of their values, None for what stays as it is."""
    required: ClassVar[tuple[str, ...]] = ()
    defaults: ClassVar[Mapping[str, Any]] = {}

    def __init__(self, **values: Any) -> None:
        missing = [name for name in self.required if name not in values]
        if missing:
            raise ValueError(f"{type(self).__name__} lacks {', '.join(missing)}")
        self.given = tuple(name for name in self.fields if name in values)
        for name, make in self.fields.items():
            value = values.get(name, self.defaults.get(name))
            setattr(self, name, value if make is None or value is None else make(value))

    @classmethod
    def model_validate(cls, values: Any) -> Any:
        """The schema that a dict describes; a schema is itself."""
        if isinstance(values, cls):
            return values
        if not isinstance(values, Mapping):
            raise ValueError(f"{cls.__name__} is described by a dict, not by {type(values).__name__}")
        return cls(**values)

    def model_dump(self, *, exclude_unset: bool = False, exclude_none: bool = False, **_: Any) -> dict[str, Any]:
        """The dict that the prompt shows."""
        names = self.given if exclude_unset else tuple(self.fields)
        options = {"exclude_unset": exclude_unset, "exclude_none": exclude_none}
        shown = {name: _dumped(getattr(self, name), options) for name in names}
        return {name: value for name, value in shown.items() if value is not None or not exclude_none}

    def model_dump_json(self, *, indent: int | None = None, **options: Any) -> str:
        """The same as JSON."""
        return json.dumps(self.model_dump(**options), indent=indent, ensure_ascii=False)


def _dumped(value: Any, options: dict[str, bool]) -> Any:
    if isinstance(value, Schema):
        return value.model_dump(**options)
    if isinstance(value, dict):
        return {name: _dumped(each, options) for name, each in value.items()}
    return value


class OpenAIFunctionPropertySchema(Schema):
    """A parameter."""

    fields: ClassVar[Mapping[str, Any]] = {"type": None, "description": None, "enum": None}
    required = ("type",)


def _properties(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: OpenAIFunctionPropertySchema.model_validate(value) for name, value in values.items()}


class OpenAIFunctionParametersSchema(Schema):
    """The parameters."""

    fields: ClassVar[Mapping[str, Any]] = {"type": None, "properties": _properties, "required": list}
    required = ("type", "properties")
    defaults: ClassVar[Mapping[str, Any]] = {"required": ()}


class OpenAIFunctionSchema(Schema):
    """A function."""

    fields: ClassVar[Mapping[str, Any]] = {
        "name": None,
        "description": None,
        "parameters": OpenAIFunctionParametersSchema.model_validate,
        "strict": None,
    }
    required = ("name", "description")
    defaults: ClassVar[Mapping[str, Any]] = {
        "parameters": {"type": "object", "properties": {}, "required": []},
        "strict": False,
    }
    name: str


class OpenAIFunctionToolSchema(Schema):
    """A tool."""

    fields: ClassVar[Mapping[str, Any]] = {"type": None, "function": OpenAIFunctionSchema.model_validate}
    required = ("type", "function")
    function: OpenAIFunctionSchema


class BaseTool:
    """A tool that keeps state for each instance: ``create``, then ``execute``, then ``release``.

    ``execute`` gives the response, the reward of the step and its metrics; ``calc_reward`` judges the state.
    """

    def __init__(self, config: dict[str, Any], tool_schema: OpenAIFunctionToolSchema | None) -> None:
        self.config = config
        self.tool_schema: OpenAIFunctionToolSchema = tool_schema or self.get_openai_tool_schema()
        if self.tool_schema is None:
            raise ValueError(f"{type(self).__name__} has no schema: give it one in the configuration of the tools")
        self.name = self.tool_schema.function.name

    def get_openai_tool_schema(self) -> OpenAIFunctionToolSchema:
        """The schema, as the model is told of it."""
        return self.tool_schema

    async def create(self, instance_id: str | None = None, **kwargs: Any) -> tuple[str, ToolResponse]:
        """A new instance: its name, and what creating it gave."""
        return str(uuid4()) if instance_id is None else instance_id, ToolResponse()

    async def execute(self, instance_id: str, parameters: dict[str, Any], **kwargs: Any) -> Any:
        """The response, the reward of the step and its metrics."""
        return ToolResponse(text="Updated the tool state."), 0.0, {}

    async def calc_reward(self, instance_id: str, **kwargs: Any) -> Any:
        """The reward of an instance's state."""
        return 0.0

    async def release(self, instance_id: str, **kwargs: Any) -> None:
        """Forget an instance."""


class BaseInteraction:
    """A user that answers: ``start_interaction``, then ``generate_response`` after each response."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.config = config
        self.name: str = config.get("name", "interaction_agent")

    async def start_interaction(self, instance_id: str | None = None, **kwargs: Any) -> str:
        """A new conversation, by its name."""
        return str(uuid4()) if instance_id is None else instance_id

    async def generate_response(self, instance_id: str, messages: list[dict[str, Any]], **kwargs: Any) -> Any:
        """Whether the conversation is over, what is answered, the turn's score and details."""
        return False, "Your current result seems acceptable.", 0.8, {}

    async def calculate_score(self, *args: Any, **kwargs: Any) -> Any:
        """The score of a conversation's state."""
        return 0.0

    async def finalize_interaction(self, *args: Any, **kwargs: Any) -> None:
        """Forget a conversation."""


class AgentData:
    """A conversation as tools see it: ``execute`` gets it as ``agent_data``. ``extra_fields`` are theirs to fill."""

    def __init__(
        self,
        messages: list[dict[str, Any]],
        image_data: list[Any] | None,
        request_id: str,
        tools_kwargs: dict[str, Any],
        interaction_kwargs: dict[str, Any],
    ) -> None:
        self.messages, self.image_data, self.request_id = messages, image_data, request_id
        self.tools_kwargs, self.interaction_kwargs = tools_kwargs, interaction_kwargs
        self.video_data: list[Any] | None = None
        self.interaction: Any = None
        self.metrics: dict[str, Any] = {}
        self.turn_scores: list[Any] = []
        self.tool_rewards: list[Any] = []
        self.tool_calls: list[Any] = []
        self.user_turns = self.assistant_turns = 0
        self.extra_fields: dict[str, Any] = {}


class FunctionTool:
    """A function as a tool; it keeps nothing between calls. One that is not async runs in a thread."""

    def __init__(self, name: str, fn: Callable[..., Any], tool_schema: Any, is_async: bool = False) -> None:
        self.name, self.fn, self.tool_schema, self.is_async = name, fn, tool_schema, is_async

    async def call(self, parameters: dict[str, Any]) -> Any:
        """What the function returns for what the model gave."""
        if self.is_async:
            return await self.fn(**parameters)
        return await asyncio.to_thread(self.fn, **parameters)


FUNCTION_TOOL_REGISTRY: dict[str, FunctionTool] = {}
"""The function tools, by name, of the modules that were imported."""


def function_tool(name: Any = None, *, schema: Any = None) -> Any:
    """A decorator that makes a function a tool, by its own name or another."""

    def decorate(fn: Callable[..., Any]) -> Callable[..., Any]:
        called = name if isinstance(name, str) and name else fn.__name__
        known = FUNCTION_TOOL_REGISTRY.get(called)
        if known is not None and known.fn is not fn:
            raise ValueError(f"there are two function tools {called!r}: {known.fn.__qualname__} and {fn.__qualname__}")
        described = None if schema is None else OpenAIFunctionToolSchema.model_validate(schema)
        FUNCTION_TOOL_REGISTRY[called] = FunctionTool(called, fn, described, inspect.iscoroutinefunction(fn))
        return fn

    return decorate(name) if callable(name) and schema is None else decorate


def function_tools(schemas: Mapping[str, Any]) -> list[FunctionTool]:
    """The function tools of these names, each with the schema that the model is told of it."""
    for name, schema in schemas.items():
        tool = FUNCTION_TOOL_REGISTRY[name]
        tool.tool_schema = tool.tool_schema or OpenAIFunctionToolSchema.model_validate(schema)
    return [FUNCTION_TOOL_REGISTRY[name] for name in schemas]


def normalize_function_tool_return(returned: Any) -> tuple[ToolResponse, float, dict[str, Any]]:
    """What a function returned as response, reward and metrics: one value, or a tuple of up to these three."""
    if not isinstance(returned, tuple):
        return as_response(returned), 0.0, {}
    if not 1 <= len(returned) <= 3:
        raise TypeError(f"a function tool returns up to three values in a tuple, not {len(returned)}: {returned!r}")
    reward, metrics = (*returned[1:], None, None)[:2]
    return as_response(returned[0]), 0.0 if reward is None else float(reward), {} if metrics is None else dict(metrics)


def as_response(value: Any) -> ToolResponse:
    """Any value as a tool's response."""
    if isinstance(value, ToolResponse):
        return value
    if isinstance(value, dict):
        return ToolResponse(text=json.dumps(value, ensure_ascii=False))
    return ToolResponse(text=value if isinstance(value, str) else str(value))


def rollout_trace_op(function: Any) -> Any:
    """Traces are the rollout's business here: the function stays as it is."""
    return function


class PlainText:
    """A tokenizer for parsers of calls: the rollout gives the environment texts already."""

    pad_token = eos_token = ""

    def decode(self, text: str, **_: Any) -> str:
        """The text itself."""
        return text

    def convert_tokens_to_ids(self, token: str) -> None:
        """There are no ids."""


async def mcp_tools(
    tool_class: Callable[..., Any], manager: Any, config: dict[str, Any], servers: str, selected: list[str] | None
) -> list[Any]:
    """The tools that MCP servers offer, of which some may be selected; servers may need a while to begin."""
    await manager.initialize(servers, config["rate_limit"])
    for attempt in range(10):
        schemas = await manager.fetch_tool_schemas(selected)
        if schemas:
            return [tool_class(config=config, tool_schema=OpenAIFunctionToolSchema.model_validate(s)) for s in schemas]
        if attempt < 9:
            await asyncio.sleep(2)
    raise RuntimeError(f"the MCP servers of {servers} offer no tool{f' named {selected}' if selected else ''}")
