"""RLX104, RLX105, RLX107: classes of verl, and other examples."""

from __future__ import annotations

from tests.faults.cases.places import (
    CONFIG,
    DESK_RUN,
    ENV,
    REWARD,
    RM_PATH,
    RUN,
    code,
)
from tests.faults.clean import code as clean_code
from tests.faults.trees import Edit, Fault, Maker, append, swap, write

MANAGER = "examples/arith/manager.py"
TOOL = "examples/desk/tool.py"
OTHER = "examples/other"


def _managers() -> list[Fault]:
    made = Maker("RLX104", "text", MANAGER, also=("RLX101",), may=("RLX102",))

    def manager(name: str, mark: str | tuple[str, ...], text: str) -> None:
        made(name, mark, write(MANAGER, code(text)), may=("RLX104",))

    manager(
        "naive",
        "class Mine",
        """
        from verl.workers.reward_manager.naive import NaiveRewardManager


        class Mine(NaiveRewardManager):
            def verify(self, text):
                return 1.0
        """,
    )
    manager(
        "batch-attribute",
        "class Mine",
        """
        from verl.workers import reward_manager


        class Mine(reward_manager.BatchRewardManager):
            pass
        """,
    )
    manager(
        "dapo-alias",
        "class Mine",
        """
        from verl.workers.reward_manager import DAPORewardManager as Base


        class Mine(Base):
            overlong = 1
        """,
    )
    manager(
        "prime",
        "class Mine",
        """
        import verl.workers.reward_manager.prime as prime


        class Mine(prime.PrimeRewardManager):
            pass
        """,
    )
    manager(
        "loop-base",
        "class Mine",
        """
        from verl.experimental.reward_loop.reward_manager.base import RewardManagerBase


        class Mine(RewardManagerBase):
            async def run_single(self, data):
                return {"reward_score": 0.0}
        """,
    )
    manager(
        "rate-limited",
        "class Mine",
        """
        from verl.experimental.reward_loop.reward_manager.limited import RateLimitedRewardManager


        class Mine(RateLimitedRewardManager):
            pass
        """,
    )
    manager(
        "remote-in-function",
        "class Mine",
        """
        def build():
            from verl.experimental.reward_loop.reward_manager.remote import RemoteRewardManager

            class Mine(RemoteRewardManager):
                pass

            return Mine
        """,
    )
    manager(
        "abstract",
        "class Mine",
        """
        from verl.workers.reward_manager.abstract import AbstractRewardManager


        class Mine(AbstractRewardManager):
            def __call__(self, data, return_dict=False):
                return 0.0
        """,
    )
    manager(
        "registered",
        ("@register", "class Mine"),
        """
        from verl.workers.reward_manager import register


        @register("arith")
        class Mine:
            def __call__(self, data):
                return 0.0
        """,
    )
    manager(
        "registered-attribute",
        ("@reward_manager.register", "class Mine"),
        """
        from verl.experimental.reward_loop import reward_manager


        @reward_manager.register("arith")
        class Mine:
            pass
        """,
    )
    manager(
        "several-bases",
        "class Mine",
        """
        from verl.workers.reward_manager.dapo import DAPORewardManager


        class Named:
            name = "mine"


        class Mine(Named, DAPORewardManager):
            pass
        """,
    )
    manager(
        "through-local-base",
        ("class Mine", "class Base"),
        """
        from verl.workers.reward_manager import NaiveRewardManager


        class Base(NaiveRewardManager):
            pass


        class Mine(Base):
            pass
        """,
    )
    return made.made


def _tools() -> list[Fault]:
    made = Maker("RLX105", "turns", TOOL, also=("RLX101",), may=("RLX105",))

    def tool(name: str, mark: str | tuple[str, ...], text: str) -> None:
        made(name, mark, write(TOOL, code(text)))

    tool(
        "base-tool",
        "class Adder",
        """
        from verl.tools.base_tool import BaseTool


        class Adder(BaseTool):
            async def execute(self, instance_id, parameters, **kwargs):
                return "", 0.0, {}
        """,
    )
    tool(
        "base-tool-attribute",
        "class Adder",
        """
        from verl.tools import base_tool as tools


        class Adder(tools.BaseTool):
            pass
        """,
    )
    tool(
        "function-tool",
        "class Adder",
        """
        from verl.tools.function_tool import FunctionTool


        class Adder(FunctionTool):
            pass
        """,
    )
    tool(
        "interaction",
        "class Teacher",
        """
        from verl.interactions.base import BaseInteraction


        class Teacher(BaseInteraction):
            async def generate_response(self, instance_id, messages, **kwargs):
                return True, "", 0.0, {}
        """,
    )
    tool(
        "agent-loop",
        "class Loop",
        """
        from verl.experimental.agent_loop.agent_loop import AgentLoopBase, register


        @register("mine")
        class Loop(AgentLoopBase):
            async def run(self, sampling_params, **kwargs):
                return None
        """,
    )
    tool(
        "response",
        ("ToolResponse(", "import ToolResponse"),
        """
        from verl.tools.schemas import ToolResponse


        def told(text):
            return ToolResponse(text=text)
        """,
    )
    tool(
        "response-alias",
        ("Reply(", "import ToolResponse"),
        """
        from verl.tools.schemas import ToolResponse as Reply


        def told(text):
            return Reply(text=text)
        """,
    )
    tool(
        "schema",
        ("OpenAIFunctionToolSchema.model_validate", "import OpenAIFunctionToolSchema"),
        """
        from verl.tools.schemas import OpenAIFunctionToolSchema


        def schema(raw):
            return OpenAIFunctionToolSchema.model_validate(raw)
        """,
    )
    tool(
        "schema-annotation",
        ("def kept", "import schemas"),
        """
        from verl.tools import schemas


        def kept(schema: schemas.OpenAIFunctionToolSchema):
            return schema
        """,
    )
    tool(
        "nested-class",
        "class Adder",
        """
        def build():
            import verl.tools.base_tool as base

            class Adder(base.BaseTool):
                pass

            return Adder()
        """,
    )
    tool(
        "keyword-generic",
        "class Adder",
        """
        from abc import ABC

        from verl.tools.base_tool import BaseTool


        class Adder(ABC, BaseTool):
            pass
        """,
    )
    left = Maker("RLX105", "turns", ENV, also=("RLX101",), may=("RLX105", "RLX304", "RLX301", "RLX802"))
    left(
        "environment-is-a-tool",
        "class DeskEnv",
        swap(
            ENV,
            "from examples.desk.base_env import BaseInteractionEnv\n",
            "from verl.tools.base_tool import BaseTool\n",
        ),
        swap(ENV, "class DeskEnv(BaseInteractionEnv)", "class DeskEnv(BaseTool)"),
    )
    return [*made.made, *left.made]


def other(**files: str) -> tuple[Edit, ...]:
    """Another example beside this one, which is no recipe of its own."""
    return (
        write(f"{OTHER}/__init__.py", ""),
        *(write(f"{OTHER}/{name}.py", text) for name, text in files.items()),
    )


def _cross() -> list[Fault]:
    made = Maker("RLX107", "text", REWARD, "warning")
    tools = other(tools="def norm(text):\n    return text.strip()\n")
    made(
        "from",
        "from examples.other",
        *tools,
        swap(REWARD, "import re\n", "import re\n\nfrom examples.other.tools import norm\n"),
    )
    made(
        "import",
        "import examples.other",
        *tools,
        swap(REWARD, "import re\n", "import re\n\nimport examples.other.tools as tools\n"),
    )
    made("relative", "from ..other", *tools, swap(REWARD, "import re\n", "import re\n\nfrom ..other import tools\n"))
    made(
        "package",
        "from examples.other",
        *tools,
        swap(REWARD, "import re\n", "import re\n\nfrom examples.other import tools\n"),
    )
    made(
        "in-function",
        "from examples.other",
        *tools,
        append(
            REWARD,
            "\n\ndef norm(text):\n    from examples.other.tools import norm as inner\n\n    return inner(text)\n",
        ),
    )
    made(
        "importlib",
        "import_module(",
        *tools,
        append(REWARD, "\n\nimport importlib\n\nTOOLS = importlib.import_module('examples.other.tools')\n"),
    )
    made(
        "from-examples",
        "from examples import",
        *tools,
        swap(REWARD, "import re\n", "import re\n\nfrom examples import other\n"),
    )
    made(
        "reward-path",
        "--custom-rm-path",
        *other(scoring=clean_code.REWARD_SUMS),
        swap(RUN, RM_PATH, "--custom-rm-path examples.other.scoring.reward_func"),
        path=RUN,
        may=("RLX802", "RLX201"),
    )
    turns = Maker("RLX107", "turns", DESK_RUN, "warning")
    turns(
        "generate-path",
        "--custom-generate-function-path",
        *other(turns=clean_code.ROLLOUT),
        swap(DESK_RUN, "examples.desk.rollout.generate", "examples.other.turns.generate"),
        may=("RLX802", "RLX107", "RLX305"),
    )
    turns(
        "yaml",
        "rollout_interaction_env_path",
        *other(
            world=clean_code.ENV_DESK.replace("examples.desk.base_env", "examples.other.roots"),
            roots=clean_code.BASE_ENV,
        ),
        swap(CONFIG, "examples.desk.env_desk", "examples.other.world"),
        path=CONFIG,
        may=("RLX801", "RLX802"),
    )
    turns(
        "base-env",
        "from examples.other",
        *other(base=clean_code.BASE_ENV),
        swap(ENV, "from examples.desk.base_env", "from examples.other.base"),
        path=ENV,
        may=("RLX802",),
    )
    turns(
        "deepeyes-base-env",
        "from examples.deepeyes",
        write("examples/deepeyes/__init__.py", ""),
        write("examples/deepeyes/base_env.py", clean_code.BASE_ENV),
        swap(ENV, "from examples.desk.base_env", "from examples.deepeyes.base_env"),
        path=ENV,
        severity="advice",
        may=("RLX802",),
    )
    return [*made.made, *turns.made]


FAULTS = [*_managers(), *_tools(), *_cross()]
