"""A tool that shows a part of an image."""

from uuid import uuid4

from verl.tools.base_tool import BaseTool
from verl.tools.schemas import ToolResponse


class CropTool(BaseTool):
    """Cuts a box out of a plan."""

    def __init__(self, config, tool_schema):
        super().__init__(config, tool_schema)
        self.images = {}

    async def create(self, instance_id=None, **kwargs):
        instance_id = instance_id or str(uuid4())
        self.images[instance_id] = kwargs.get("create_kwargs", {}).get("image")
        return instance_id, ToolResponse()

    async def execute(self, instance_id, parameters, **kwargs):
        image = self.images[instance_id]
        if image is None:
            return ToolResponse(text="there is no plan"), 0.0, {}
        part = image.crop(tuple(parameters["box"]))
        return ToolResponse(image=[part], text="the part"), 0.0, {"crops": 1}

    async def release(self, instance_id, **kwargs):
        self.images.pop(instance_id, None)
