"""A YAML file gives tools, interactions or classes of verl.

## What

A list `tools` whose entries have a `class_name` and a `tool_schema`, whoever's class it is, and any value that is the
name of one of verl's modules or classes: `verl.interactions.gsm8k_interaction.Gsm8kInteraction`, or, as a `class_name`
or `_target_` where the repository has no such package, `recipe.deepeyes.tool.Zoom`. A text that only mentions one is
fine. Configurations of verl's trainers have a rule of their own, RLX602.

## Why

Nothing in Relax builds tools from a file. `--custom-config-path` makes `args.tools` of the list, which nobody reads:
the model gets no tools, answers without them, and the run trains that.

## Source

Guide, step 2: tools become an environment, a class of `BaseInteractionEnv` with `reset`, `step` and `close`, and a
`build_env` beside it. What stood under `config` goes to the top of `<algo>_config.yaml`; it is read as `args.key`.

## Example

    tools:
      - class_name: verl.tools.search_tool.SearchTool
        config: {topk: 3}
        tool_schema: {type: function, function: {name: search}}

## Fix

None here: write the environment, and in the config

    max_turns: 5
    rollout_interaction_env_path: examples.demo.env_demo
"""

from __future__ import annotations

from collections.abc import Iterator

from relax_lint.diagnostics import Finding
from relax_lint.project import Project
from relax_lint.rules import ERROR, Example, rule
from relax_lint.sources.config_yaml import YamlSource

_SIGNS = ("verl", "tool_schema", "recipe.")
_SCHEMA = "{type: function, function: {name: search}}"

VALID: list[Example | str] = [
    "max_turns: 5\nrollout_interaction_env_path: examples.demo.env_demo\n",
    "tools: [search, python]\n",
    "tools:\n  - name: search\n    url: http://search\n",
    f"tools:\n  - type: function\n    tool_schema: {_SCHEMA}\n",
    "tools:\n  search:\n    class_name: examples.demo.env_demo.Search\n",
    "# tools:\n#   - class_name: verl.tools.search_tool.SearchTool\n#     tool_schema: {}\nmax_turns: 3\n",
    "note: ported from verl.tools.search_tool.SearchTool, see there\n",
    "project: verl\ngroup: verl.ai\ndata: /data/verl/tools/train.parquet\n",
    "verl.tools: gone\n",
    "log: verl.log\nconfig: verl.yaml\nbase: averl.tools.x\n",
    "prompt: |\n  tools:\n    - class_name: verl.tools.x.Y\n      tool_schema: {}\n",
    "tools: {{ tools }}\n",
    "source: recipe.of.the.day\n",
    Example({"recipe/zoom/__init__.py": "", "examples/demo/demo.yaml": "tool: {class_name: recipe.zoom.tool.Zoom}\n"}),
    "",
    "- class_name: examples.demo.env_demo.Search\n  tool_schema: {}\n",
]

INVALID: list[Example] = [
    Example(
        "tools:\n  - class_name: verl.tools.search_tool.SearchTool\n    config: {k: 3}\n    tool_schema: {}\n",
        findings=((1, 1),),
    ),
    Example(f"tools:\n- class_name: my_tools.Search\n  tool_schema: {_SCHEMA}\n", findings=((1, 1),)),
    Example(
        f'# ours\n"tools": [{{"class_name": "examples.demo.tools.Zoom", "tool_schema": {_SCHEMA}}}]\n',
        findings=((2, 1),),
    ),
    Example(f"rollout:\n  tools:\n    - tool_schema: {_SCHEMA}\n      class_name: a.B\n", findings=((2, 3),)),
    Example(
        f"base: &tool\n  class_name: a.B\n  tool_schema: {_SCHEMA}\ntools:\n  - <<: *tool\n    config: {{}}\n",
        findings=((4, 1),),
    ),
    Example("tools:\n  - class_name: verl.tools.mcp_search_tool.MCPSearchTool\n    mcp: {}\n", findings=((2, 17),)),
    Example(
        "interaction:\n  - name: gsm8k\n    class_name: 'verl.interactions.gsm8k_interaction.Gsm8kInteraction'\n",
        findings=((3, 17),),
    ),
    Example("- name: agent\n  _target_: verl.experimental.agent_loop.ToolAgentLoop\n", findings=((2, 13),)),
    Example("hydra:\nreward:\n  module: verl.utils.reward_score:compute\n", findings=((3, 11),)),
    Example("reward_path: ../verl/utils/reward_score/gsm8k.py\r\nmax_turns: 5\r\n", findings=((1, 14),)),
    Example("classes: [verl.tools.a.B, ok.C, verl.workers.d.E]\n", findings=((1, 11), (1, 33))),
    Example("- name: zoom\n  _target_: recipe.zoom.loop.ZoomLoop\n", findings=((2, 13),)),
    Example("tool: >-\n  verl.tools.search_tool.SearchTool\n", findings=((1, 7),)),
]


@rule("RLX601", "verl-tool-config", ERROR, on="yaml", valid=VALID, invalid=INVALID)
def verl_tool_config(source: YamlSource, project: Project) -> Iterator[Finding]:
    """Say which lists and values are verl's."""
    if not any(sign in source.text for sign in _SIGNS) or source.error is not None:
        return
    from relax_lint.verl_configs import tool_lists, trainer_sign, verl_names

    if trainer_sign(source) is not None:
        return
    for entry in tool_lists(source):
        message = "tools of verl's kind, which Relax does not read: write an environment, and name it with "
        yield Finding(source.key_place(entry), f"{message}rollout_interaction_env_path", subject="tools")
    for place, name in verl_names(source, has_recipes=project.exists(project.root / "recipe")):
        yield Finding(place, f"{name} is of verl: nothing in Relax builds it from a config", subject=name)
