"""The recipe's code is configured by Hydra.

## What

A function under `@hydra.main`, and Hydra's compose and initialize functions; where neither is used, the import of
hydra itself. Imports of omegaconf are a warning.

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

None: what the configuration held goes to flags and to a YAML file.
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
    """\
import yaml


def load(path):
    with open(path) as file:
        return yaml.safe_load(file)
""",
    """\
# @hydra.main(config_path='config')
def main(args):
    return args.max_turns
""",
    """\
import argparse

parser = argparse.ArgumentParser(description='replaces hydra.main')
""",
    """\
from .hydra import compose

compose('a')
""",
    """\
import hydration


@hydration.main
def main():
    pass
""",
    """\
class Hydra:
    def compose(self):
        return 1


Hydra().compose()
""",
    """\
def reward_func(args, sample, **kwargs):
    return getattr(args, 'hydra_level', 0)
""",
    """\
from types import SimpleNamespace as DictConfig

config = DictConfig(max_turns=5)
""",
    """\
hydra = {'main': print}
hydra['main']('x')
""",
    "import omegaconf_free_settings\n",
    """\
def compose(parts):
    return ''.join(parts)


text = compose(['hydra', 'main'])
""",
]

INVALID = [
    Example(
        """\
import hydra


@hydra.main(config_path='config', config_name='ppo_trainer', version_base=None)
def main(config):
    run(config)
""",
        findings=((4, 2),),
    ),
    Example(
        """\
from hydra import main


@main(config_name='x')
def run(cfg):
    pass
""",
        findings=((4, 2),),
    ),
    Example(
        """\
import hydra as hy


@hy.main()
def run(cfg):
    pass
""",
        findings=((4, 2),),
    ),
    Example(
        """\
from hydra import main as entry


@entry
def run(cfg):
    pass
""",
        findings=((4, 2),),
    ),
    Example(
        """\
import hydra


def run(cfg):
    pass


run = hydra.main(config_name='x')(run)
""",
        findings=((8, 7),),
    ),
    Example(
        """\
from hydra import compose, initialize_config_dir

with initialize_config_dir(config_dir='/x'):
    config = compose(config_name='ppo_trainer')
""",
        findings=((3, 6), (4, 14)),
    ),
    Example(
        """\
def load():
    import hydra

    hydra.initialize(config_path='config')
    return hydra.compose('x')
""",
        findings=((4, 5), (5, 12)),
    ),
    Example("import hydra\n", findings=((1, 1),)),
    Example(
        """\
from hydra.utils import instantiate

model = instantiate({})
""",
        findings=((1, 1),),
    ),
    Example(
        """\
from omegaconf import DictConfig, OmegaConf


def run(config: DictConfig):
    return OmegaConf.to_container(config)
""",
        findings=((1, 1, WARNING),),
    ),
    Example(
        """\
def dump(config):
    import omegaconf

    return omegaconf.OmegaConf.to_yaml(config)
""",
        findings=((2, 5, WARNING),),
    ),
    Example(
        """\
import os, omegaconf as oc

config = oc.DictConfig({'a': os.getcwd()})
""",
        findings=((1, 12, WARNING),),
    ),
]


@rule("RLX103", "hydra-in-recipe", ERROR, on="python", valid=VALID, invalid=INVALID)
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
