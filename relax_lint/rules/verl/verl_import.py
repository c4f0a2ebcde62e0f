"""The recipe still imports verl.

## What

Any import of verl: plain, `from`, aliased, inside a function or a `try`, by `importlib.import_module` or
`__import__`; and imports of verl-recipe's `recipe.…` when the repository has no package of that name. An import that
only type checkers see is a warning. Packages whose names merely begin alike (`verlib`), relative imports and looking
whether verl is installed are left alone.

## Why

verl is not there where Relax runs: the module that imports it cannot be imported, and the launch ends when the reward
or the rollout is first needed, after the GPUs are taken. An import in a function fails even later, with the first
sample.

## Source

Guide: NEVER use verl imports in Relax code; ALWAYS copy scoring logic from verl's `reward_score/` rather than
importing it. The message names what the guide's import table puts in its place.

## Example

    from verl.utils.reward_score.gsm8k import compute_score

## Fix

`DataProto` that only annotations name, in code that reads none of its parts, becomes `Sample`; an import that nothing
uses is dropped. Everything else needs code to be copied or rewritten.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from relax_lint.catalog.verl_names import SAMPLE_IMPORT, replacement
from relax_lint.diagnostics import Edit, Finding, Fix, Severity
from relax_lint.fixers.python_edits import remove_statement
from relax_lint.patterns import pattern
from relax_lint.project import Project
from relax_lint.rules import ERROR, WARNING, Example, rule
from relax_lint.sources.python import PythonSource

_MAY_IMPORT = pattern(
    r"\b(?:from|import)\b(?:[\w \t\f.,]|\\\r?\n)*?\b(?:verl|recipe)\b|\bimport_module\b|__import__",
    words=("verl", "recipe", "import_module", "__import__"),
)
"""What every import of verl holds: comments and names of variables speak of it often."""
_ANNOTATED = """\
from verl import DataProto


def lengths(data: DataProto) -> list[int]:
    return [len(item) for item in data]
"""

VALID: list[str | Example] = [
    """\
import verlib
from verl_tools import parse
""",
    """\
import importlib.util

HAS_VERL = importlib.util.find_spec('verl') is not None
""",
    "from .verl import compute_score\n",
    "from . import verl\n",
    '"""Ported from verl/utils/reward_score/gsm8k.py: from verl import nothing."""\n',
    """\
# from verl.utils.reward_score import gsm8k
from relax.utils.types import Sample
""",
    """\
import recipe

recipe.run()
""",
    """\
import sys

if 'verl' in sys.modules:
    raise RuntimeError('verl has no place here')
""",
    """\
import importlib


def load(name):
    return importlib.import_module(name)
""",
    """\
import importlib

rollout = importlib.import_module('examples.verl_style.rollout')
""",
    Example({"examples/demo/reward_demo.py": "from recipe.tools import parse\n", "recipe/tools.py": "parse = str\n"}),
    Example({"examples/demo/reward_demo.py": "from recipe.tools import parse\n", "recipe/__init__.py": ""}),
    Example({"examples/demo/env_demo.py": "import recipe\n", "examples/demo/recipe.py": "steps = []\n"}),
    """\
recipe = {'steps': 3}
import json

recipe.update(json.loads('{}'))
""",
    """\
def import_module(name):
    return name


import_module('verl')
""",
    """\
import importlib

NAME = 'verl'
NAME = 'examples.demo.scores'
scores = importlib.import_module(NAME)
""",
]

INVALID = [
    Example(
        """\
from verl import DataProto


def texts(data: DataProto) -> list[str]:
    return [item.batch["responses"] for item in data]
""",
        findings=((1, 1),),
    ),
    Example(
        """\
import verl

print(verl.__version__)
""",
        findings=((1, 1),),
    ),
    Example(
        """\
import re, verl.utils.reward_score as scores

score = scores.default_compute_score
""",
        findings=((1, 12),),
    ),
    Example(
        """\
from verl.utils.reward_score.gsm8k import compute_score


def score(text, label):
    return compute_score(text, label)
""",
        findings=((1, 1),),
    ),
    Example(
        _ANNOTATED,
        findings=((1, 1),),
        fixed=_ANNOTATED.replace("from verl import DataProto", SAMPLE_IMPORT).replace("DataProto", "Sample"),
    ),
    Example(
        """\
def reward(text):
    from verl.utils.reward_score import math_dapo as scorer

    return scorer.compute_score(text, '')
""",
        findings=((2, 5),),
    ),
    Example(
        """\
try:
    from verl.utils.reward_score.math_reward import last_boxed_only_string
except ImportError:
    last_boxed_only_string = None
print(last_boxed_only_string)
""",
        findings=((2, 5),),
    ),
    Example(
        """\
import importlib


module = importlib.import_module('verl.utils.reward_score.' + 'gsm8k')
other = importlib.import_module(f'verl.tools.{__name__}')
""",
        findings=((4, 10), (5, 9)),
    ),
    Example(
        """\
from importlib import import_module as load

score = load('verl.utils.reward_score').default
""",
        findings=((3, 9),),
    ),
    Example("tools = __import__('verl.tools', fromlist=['base_tool'])\n", findings=((1, 9),)),
    Example(
        """\
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from verl.protocol import DataProto


def first(data: 'DataProto'):
    return data[0]
""",
        findings=((4, 5, WARNING),),
    ),
    Example(
        """\
import re
from verl.tools.schemas import OpenAIFunctionToolSchema, ToolResponse  # schema

CALL = re.compile('<tool_call>')
""",
        findings=((2, 1),),
        fixed="""\
import re

CALL = re.compile('<tool_call>')
""",
    ),
    Example(
        """\
from verl.tools.base_tool import (
    BaseTool,
)


class Search(BaseTool):
    pass
""",
        findings=((1, 1),),
    ),
    Example("from verl.workers.reward_manager import *\n", findings=((1, 1),)),
    Example("if True: import verl.utils.fs; copy = verl.utils.fs.copy\n", findings=((1, 10),)),
    Example(
        """\
from recipe.dapo.main_dapo import main

main()
""",
        findings=((1, 1),),
    ),
    Example(
        """\
import recipe.deepeyes.deepeyes as deepeyes

print(deepeyes)
""",
        findings=((1, 1),),
    ),
    Example(
        """\
def unused():
    import verl


class Empty:
    def load(self):
        import verl.utils.fs

        return 1
""",
        findings=((2, 5), (7, 9)),
        fixed="""\
def unused():
    pass


class Empty:
    def load(self):

        return 1
""",
    ),
    Example(
        """\
import importlib

SCORES = 'verl.utils.reward_score'
KIND = f'{SCORES}.gsm8k'
gsm8k = importlib.import_module(KIND)
math = importlib.import_module(SCORES + '.math')
""",
        findings=((5, 9), (6, 8)),
    ),
    Example(
        f"from relax.utils.types import Sample\n{_ANNOTATED}\n\nempty: Sample\n",
        findings=((2, 1),),
        fixed="""\
from relax.utils.types import Sample


def lengths(data: Sample) -> list[int]:
    return [len(item) for item in data]


empty: Sample
""",
    ),
]


@rule("RLX101", "verl-import", ERROR, on="python", valid=VALID, invalid=INVALID, fixable="safe")
def verl_import(source: PythonSource, project: Project) -> Iterator[Finding]:
    """Every import of verl, however it is written."""
    if not _MAY_IMPORT.search(source.text):
        return
    for statement in source.nodes(ast.Import):
        for alias in statement.names:
            if alias.name != "recipe" and _is_foreign(alias.name, source, project):
                node = statement if len(statement.names) == 1 else alias
                yield _finding(source, node, alias.name, None, _fix(source, statement))
    for origin in source.nodes(ast.ImportFrom):
        if origin.level or origin.module is None or not _is_foreign(origin.module, source, project):
            continue
        names = [alias.name for alias in origin.names]
        yield _finding(source, origin, origin.module, names, _fix(source, origin))
    from relax_lint.flow.dynamic_imports import imported_by

    for call in source.nodes(ast.Call):
        module = imported_by(call, source)
        if module is not None and (module == "verl" or module.startswith("verl.")):
            yield _finding(source, call, module, None, None)


def _finding(source: PythonSource, node: ast.AST, module: str, names: list[str] | None, fix: Fix | None) -> Finding:
    advice = dict.fromkeys(replacement(module, name) for name in names or ("",))
    whole = module if not names else f"{', '.join(names)} of {module}"
    return Finding(
        source.place(node),
        f"{whole} is verl's and not there under Relax: {'; '.join(advice)}",
        severity=_severity(source, node),
        fix=fix,
        subject=module,
    )


def _severity(source: PythonSource, node: ast.AST) -> Severity:
    from relax_lint.flow.names import is_type_checking

    previous: ast.AST = node
    for holder in source.ancestors(node):
        if isinstance(holder, ast.If) and previous in holder.body and is_type_checking(holder.test):
            return WARNING
        previous = holder
    return ERROR


def _is_foreign(module: str, source: PythonSource, project: Project) -> bool:
    """Whether a module is verl's, or a module of verl-recipe that neither the repository nor this file's place has."""
    top = module.partition(".")[0]
    if top == "verl":
        return True
    if top != "recipe":
        return False
    nearby = (project.root, source.path.parent)
    return not any(project.is_dir(place / "recipe") or project.exists(place / "recipe.py") for place in nearby)


def _fix(source: PythonSource, statement: ast.Import | ast.ImportFrom) -> Fix | None:
    if source.path.name == "__init__.py" or "__all__" in source.text or _is_guarded(source, statement):
        return None
    names = {alias.asname or alias.name.partition(".")[0] for alias in statement.names}
    if "*" in names or any(not _is_foreign_alias(alias, statement) for alias in statement.names):
        return None
    uses = [node for node in source.nodes(ast.Name) if node.id in names]
    texts = [
        node for node in source.nodes(ast.Constant) if isinstance(node.value, str) and _mentions(node.value, names)
    ]
    if not uses and not texts:
        edit = remove_statement(source, statement)
        return None if edit is None else Fix("drop the import, which nothing uses", lambda: [edit])
    if names == {"DataProto"} and not texts and _is_annotation_only(source, uses):
        instead = Edit.at(source.place(statement), SAMPLE_IMPORT)
        if _has_sample(source):
            removed = remove_statement(source, statement)
            if removed is None:
                return None
            instead = removed

        def edits() -> list[Edit]:
            return [instead, *(Edit.at(source.place(node), "Sample") for node in uses)]

        return Fix("annotate with relax.utils.types.Sample", edits)
    return None


def _has_sample(source: PythonSource) -> bool:
    """Whether the module imports Sample by itself."""
    return any(
        origin.module == "relax.utils.types"
        and any(alias.name == "Sample" and not alias.asname for alias in origin.names)
        for origin in source.nodes(ast.ImportFrom)
        if source.parent(origin) is source.tree
    )


def _is_foreign_alias(alias: ast.alias, statement: ast.Import | ast.ImportFrom) -> bool:
    return isinstance(statement, ast.ImportFrom) or alias.name.partition(".")[0] in ("verl", "recipe")


def _mentions(text: str, names: set[str]) -> bool:
    """Whether a string may be an annotation, or a reference, that names one of these."""
    return len(text) < 200 and any(name in text for name in names)


def _is_guarded(source: PythonSource, statement: ast.stmt) -> bool:
    """Whether the import stands in a ``try``, which is written for it."""
    return any(hasattr(holder, "handlers") for holder in source.ancestors(statement))


def _is_annotation_only(source: PythonSource, uses: list[ast.Name]) -> bool:
    """Whether the code names DataProto in annotations, and reads nothing that only a DataProto has."""
    if any(node.attr in ("batch", "non_tensor_batch", "meta_info") for node in source.nodes(ast.Attribute)):
        return False
    return all(_is_annotation(source, node) for node in uses)


def _is_annotation(source: PythonSource, node: ast.AST) -> bool:
    inner: ast.AST = node
    for holder in source.ancestors(node):
        if isinstance(holder, ast.arg):
            return True
        if isinstance(holder, ast.AnnAssign):
            return holder.annotation is inner
        if isinstance(holder, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return holder.returns is inner
        if isinstance(holder, ast.stmt):
            return False
        inner = holder
    return False
