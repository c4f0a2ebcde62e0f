"""The tools of verl, and responses of a model that call them."""

from __future__ import annotations

import importlib
import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tools.environment_checking.servers import Servers

Arguments = Callable[[random.Random], Any]


@dataclass(frozen=True)
class Case:
    """A tool: its configuration as YAML, what a row has for it, and arguments that a model may give."""

    name: str
    tool: str
    config: Callable[[Servers], dict[str, Any]]
    create_kwargs: Callable[[], dict[str, Any]]
    arguments: Arguments
    ray: bool = False


def responses(case: Case, count: int, seed: int) -> list[str]:
    """What a model says: mostly one call, sometimes several, none, one of another tool or one that is broken."""
    random_ = random.Random(f"{case.name} {seed}")
    return [_response(case, random_) for _ in range(count)]


def _response(case: Case, random_: random.Random) -> str:
    kind = random_.random()
    calls = [{"name": case.tool, "arguments": case.arguments(random_)} for _ in range(random_.choice((1, 1, 1, 2, 3)))]
    if kind < 0.04:
        calls[0]["name"] = random_.choice(("", "unknown", case.tool.upper(), "ä"))
    if kind > 0.96:
        calls[0]["arguments"] = random_.choice((None, [], 3, "text", True))
    said = [
        f"{random_.choice(('', chr(10)))}{json.dumps(call, ensure_ascii=random_.random() < 0.5)}\n" for call in calls
    ]
    text = "so: ".join(f"<tool_call>{each}</tool_call>" for each in said)
    return f"<think>{random_.choice(('', 'a < b', 'é'))}</think>{text}{random_.choice(('', '<|im_end|>'))}"


def _schema(name: str, **properties: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": list(properties)[:1]}
    function = {"name": name, "description": f"The tool {name}.", "parameters": parameters}
    return {"type": "function", "function": function}


def _native(class_name: str, schema: dict[str, Any], **config: Any) -> dict[str, Any]:
    return {"tools": [{"class_name": class_name, "config": {"type": "native", **config}, "tool_schema": schema}]}


def _answer(random_: random.Random) -> Any:
    number = str(random_.randint(0, 99))
    answer = random_.choice(
        (
            "72",
            "#### 72",
            "72.0",
            "$72",
            "7,2",
            "",
            "\\boxed{72}",
            "\\frac{144}{2}",
            number,
            f"{number} or 72",
            72,
            [72],
            None,
        )
    )
    return random_.choice(({"answer": answer}, {"answer": answer}, {"answer": answer}, {}, {"reply": answer}))


def _box(random_: random.Random) -> Any:
    box: list[Any] = [random_.randint(-50, 700) for _ in range(random_.choice((4, 4, 4, 4, 3, 5)))]
    if random_.random() < 0.6:
        box = sorted(box[:2])[:1] + sorted(box[:2])[:1] + [random_.randint(200, 639), random_.randint(100, 479)]
    if random_.random() < 0.05:
        box[0] = random_.choice(("x", None, 1e9, -0.5))
    return random_.choice(({"bbox_2d": box}, {"bbox_2d": box, "label": "a thing"}, {"bbox_2d": tuple(box)}, {}))


def _queries(random_: random.Random) -> Any:
    words = ("Ulm", "a b", "ü", "refuse", "garble", "nothing", "odd", "x" * 300)
    queries = random_.choices(words, k=random_.choice((1, 1, 2)))
    return random_.choice(({"query_list": queries},) * 6 + ({"query_list": "Ulm"}, {"query_list": []}, {}))


def _code(random_: random.Random) -> Any:
    code = random_.choice(("print(1)", "é" * 200, "raise", "slow", "broken", "refuse", "", 3))
    more = random_.choice(({}, {}, {"timeout": 3}, {"language": "cpp"}, {"language": "klingon"}))
    return {"code": code, **more} if random_.random() < 0.95 else more


def _words(random_: random.Random) -> Any:
    what = random_.choice(("Ulm", "it's", "fail", "y" * 200))
    return random_.choice(({"what": what},) * 4 + ({"what": what, "count": 3}, {"what": what, "count": "x"}, {}))


def _picture() -> dict[str, Any]:
    pillow: Any = importlib.import_module("PIL.Image")
    image = pillow.new("RGB", (640, 480))
    image.putdata([(x % 256, y % 256, (x * y) % 256) for y in range(480) for x in range(640)])
    return {"image": image}


def _mcp(servers: Servers) -> dict[str, Any]:
    tool = {
        "class_name": "verl.tools.mcp_search_tool.MCPSearchTool",
        "config": {"rate_limit": 1000, "timeout": 20, "type": "mcp"},
        "mcp": {"mcp_servers_config_path": str(servers.mcp_config()), "tool_selected_list": ["tavily_search_tool"]},
    }
    return {"tools": [tool]}


def _truth() -> dict[str, Any]:
    return {"ground_truth": "72"}


_TEXT = {"type": "string", "description": "Some text."}
CASES = (
    Case(
        "gsm8k",
        "calc_gsm8k_reward",
        lambda _: _native("verl.tools.gsm8k_tool.Gsm8kTool", _schema("calc_gsm8k_reward", answer=_TEXT)),
        _truth,
        _answer,
    ),
    Case(
        "geo3k",
        "calc_geo3k_reward",
        lambda _: _native("verl.tools.geo3k_tool.Geo3kTool", _schema("calc_geo3k_reward", answer=_TEXT)),
        _truth,
        _answer,
    ),
    Case(
        "image_zoom",
        "image_zoom_in_tool",
        lambda _: _native(
            "verl.tools.image_zoom_in_tool.ImageZoomInTool",
            _schema("image_zoom_in_tool", bbox_2d={"type": "array", "description": "The box."}, label=_TEXT),
            num_workers=2,
            rate_limit=2,
            timeout=60,
        ),
        _picture,
        _box,
        ray=True,
    ),
    Case(
        "search",
        "search",
        lambda servers: _native(
            "verl.tools.search_tool.SearchTool",
            _schema("search", query_list={"type": "array", "description": "Queries."}),
            retrieval_service_url=f"{servers.url}/retrieve",
            num_workers=4,
            rate_limit=4,
            timeout=20,
        ),
        dict,
        _queries,
        ray=True,
    ),
    Case(
        "sandbox_fusion",
        "code_interpreter",
        lambda servers: _native(
            "verl.tools.sandbox_fusion_tools.SandboxFusionTool",
            _schema("code_interpreter", code=_TEXT),
            sandbox_fusion_url=f"{servers.url}/run_code",
            num_workers=4,
            rate_limit=4,
            default_timeout=5,
            default_language="python",
            memory_limit_mb=100,
        ),
        dict,
        _code,
        ray=True,
    ),
    Case("mcp", "tavily_search_tool", _mcp, dict, _words),
)
