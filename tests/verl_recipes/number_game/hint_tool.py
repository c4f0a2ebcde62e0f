"""A tool that knows the number."""

from typing import Any, Optional
from uuid import uuid4

from verl.tools.base_tool import BaseTool
from verl.tools.schemas import OpenAIFunctionToolSchema, ToolResponse
from verl.utils.rollout_trace import rollout_trace_op


class HintTool(BaseTool):
    """Compares guesses with the secret number."""

    def __init__(self, config: dict, tool_schema: OpenAIFunctionToolSchema):
        super().__init__(config, tool_schema)
        self.games = {}

    async def create(
        self, instance_id: Optional[str] = None, secret: Optional[int] = None, **kwargs
    ) -> tuple[str, ToolResponse]:
        instance_id = instance_id or str(uuid4())
        if secret is None:
            secret = kwargs.get("create_kwargs", {}).get("secret", 0)
        self.games[instance_id] = int(secret)
        return instance_id, ToolResponse()

    @rollout_trace_op
    async def execute(self, instance_id: str, parameters: dict[str, Any], **kwargs) -> tuple[ToolResponse, float, dict]:
        guess = int(parameters.get("guess", -1))
        secret = self.games[instance_id]
        if not 0 <= guess <= self.config["most"]:
            return ToolResponse(text="that is no number of the game"), -0.1, {"lost": 1}
        if guess == secret:
            return ToolResponse(text="that is it"), 0.0, {"lost": 0}
        # a hint costs nothing
        return ToolResponse(text="larger" if guess < secret else "smaller"), 0.0, {"lost": 0}

    async def release(self, instance_id: str, **kwargs) -> None:
        del self.games[instance_id]
