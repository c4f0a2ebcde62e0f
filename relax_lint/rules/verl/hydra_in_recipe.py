"""The recipe's code is configured by Hydra.

## What

A function under `@hydra.main`, and Hydra's compose and initialize functions; where neither is used, the import of hydra
itself. Imports of omegaconf are a warning.

## Why

Relax has no Hydra: importing it ends the launch. Where it is installed, `hydra.main` takes the command line for itself
and refuses Relax's flags. omegaconf is there, because Relax reads evaluation configurations with it, but a recipe's
arguments never are a DictConfig: they are attributes of `args`.

## Source

Guide: command line flags and one optional YAML file take the place of Hydra's configurations; keys of the file that
`--custom-config-path` names become attributes of `args`. Its import table drops DictConfig and OmegaConf.

## Example

    @hydra.main(config_path="config", config_name="ppo_trainer")
    def main(config): ...

## Fix

None by itself: what the configuration held goes to flags and to a YAML file, which `migrate` writes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from relax_lint.diagnostics import Finding
from relax_lint.project import Project
from relax_lint.rules import ERROR, WARNING, Example, rule
from relax_lint.sources.python import PythonSource

ENTRY = frozenset({"hydra.main"})
COMPOSING = frozenset(
    {
        *("hydra.compose", "hydra.initialize", "hydra.initialize_config_dir", "hydra.initialize_config_module"),
        *("hydra.experimental.compose", "hydra.experimental.initialize"),
    }
)

VALID = [
    "import yaml\n\n\ndef load(path):\n    with open(path) as file:\n        return yaml.safe_load(file)\n",
    "# @hydra.main(config_path='config')\ndef main(args):\n    return args.max_turns\n",
    "import argparse\n\nparser = argparse.ArgumentParser(description='replaces hydra.main')\n",
    "from .hydra import compose\n\ncompose('a')\n",
    "import hydration\n\n\n@hydration.main\ndef main():\n    pass\n",
    "class Hydra:\n    def compose(self):\n        return 1\n\n\nHydra().compose()\n",
    "def reward_func(args, sample, **kwargs):\n    return getattr(args, 'hydra_level', 0)\n",
    "from types import SimpleNamespace as DictConfig\n\nconfig = DictConfig(max_turns=5)\n",
    "hydra = {'main': print}\nhydra['main']('x')\n",
    "import omegaconf_free_settings\n",
    "def compose(parts):\n    return ''.join(parts)\n\n\ntext = compose(['hydra', 'main'])\n",
]

INVALID = [
    Example(
        "import hydra\n\n\n@hydra.main(config_path='config', config_name='ppo_trainer', version_base=None)\n"
        "def main(config):\n    run(config)\n",
        findings=((4, 2),),
    ),
    Example("from hydra import main\n\n\n@main(config_name='x')\ndef run(cfg):\n    pass\n", findings=((4, 2),)),
    Example("import hydra as hy\n\n\n@hy.main()\ndef run(cfg):\n    pass\n", findings=((4, 2),)),
    Example("from hydra import main as entry\n\n\n@entry\ndef run(cfg):\n    pass\n", findings=((4, 2),)),
    Example(
        "import hydra\n\n\ndef run(cfg):\n    pass\n\n\nrun = hydra.main(config_name='x')(run)\n", findings=((8, 7),)
    ),
    Example(
        "from hydra import compose, initialize_config_dir\n\nwith initialize_config_dir(config_dir='/x'):\n"
        "    config = compose(config_name='ppo_trainer')\n",
        findings=((3, 6), (4, 14)),
    ),
    Example(
        "def load():\n    import hydra\n\n    hydra.initialize(config_path='config')\n    return hydra.compose('x')\n",
        findings=((4, 5), (5, 12)),
    ),
    Example("import hydra\n", findings=((1, 1),)),
    Example("from hydra.utils import instantiate\n\nmodel = instantiate({})\n", findings=((1, 1),)),
    Example(
        "from omegaconf import DictConfig, OmegaConf\n\n\ndef run(config: DictConfig):\n"
        "    return OmegaConf.to_container(config)\n",
        findings=((1, 1, WARNING),),
    ),
    Example(
        "def dump(config):\n    import omegaconf\n\n    return omegaconf.OmegaConf.to_yaml(config)\n",
        findings=((2, 5, WARNING),),
    ),
    Example("import os, omegaconf as oc\n\nconfig = oc.DictConfig({'a': os.getcwd()})\n", findings=((1, 12, WARNING),)),
]


@rule("RLX103", "hydra-in-recipe", ERROR, on="python", valid=VALID, invalid=INVALID, fixable="migrate")
def hydra_in_recipe(source: PythonSource, project: Project) -> Iterator[Finding]:
    """Uses of Hydra, and imports of it and of omegaconf."""
    if "hydra" not in source.text and "omegaconf" not in source.text:
        return
    bound: dict[str, str] = {}
    imports: list[Finding] = []
    for node, name, module in _imports(source):
        bound[name] = module
        top = module.partition(".")[0]
        if top == "omegaconf":
            imports.append(_omegaconf(source, node))
        elif top == "hydra":
            message = "hydra is not there under Relax: configurations are command line flags and one YAML file"
            imports.append(Finding(source.place(node), message, subject="hydra"))
    uses = list(_uses(source, bound))
    yield from uses
    yield from {found.place: found for found in imports if found.subject != "hydra" or not uses}.values()


def _omegaconf(source: PythonSource, node: ast.AST) -> Finding:
    message = "arguments of Relax are no DictConfig: read them as attributes of args"
    return Finding(source.place(node), message, severity=WARNING, subject="omegaconf")


def _imports(source: PythonSource) -> Iterator[tuple[ast.AST, str, str]]:
    """Import statements of the two packages with each name bound and what it stands for."""
    for statement in source.nodes(ast.Import):
        for alias in statement.names:
            module = alias.name if alias.asname else alias.name.partition(".")[0]
            node = statement if len(statement.names) == 1 else alias
            yield node, alias.asname or module, module
    for origin in source.nodes(ast.ImportFrom):
        if not origin.level:
            for alias in origin.names:
                yield origin, alias.asname or alias.name, f"{origin.module}.{alias.name}"


def _uses(source: PythonSource, bound: dict[str, str]) -> Iterator[Finding]:
    reads: list[ast.Name | ast.Attribute] = [*source.nodes(ast.Name), *source.nodes(ast.Attribute)]
    for node in reads:
        name = _dotted(node, bound)
        if isinstance(node.ctx, ast.Store) or name not in ENTRY | COMPOSING:
            continue
        if name in ENTRY:
            message = (
                "hydra.main takes the command line that Relax's own parser reads: make it a plain function of args"
            )
        else:
            message = f"{name} builds a configuration that Relax never sees: use flags and --custom-config-path"
        yield Finding(source.place(node), message, subject=name)


def _dotted(node: ast.expr, bound: dict[str, str]) -> str:
    """What a name or attribute stands for, by the imports; empty when that is nothing imported."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in bound:
        return ""
    return ".".join([bound[node.id], *reversed(parts)])
