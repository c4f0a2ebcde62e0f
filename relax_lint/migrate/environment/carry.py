"""Tools and interactions of verl carried over: into an environment, and modules for the code of their classes."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from relax_lint.migrate.carrying.closure import Copied, Problem, Requirement, closure
from relax_lint.migrate.carrying.code import Code, Unparsable
from relax_lint.migrate.carrying.imports import Alias, OfName, Resolver
from relax_lint.migrate.carrying.left_out import left_out
from relax_lint.migrate.carrying.naming import Names
from relax_lint.migrate.carrying.sources import Origin
from relax_lint.migrate.environment.configs import interaction_entries, tool_entries
from relax_lint.migrate.environment.functions import FunctionEntry, function_entries, own_schema
from relax_lint.migrate.environment.produced.tool_base import OpenAIFunctionToolSchema
from relax_lint.migrate.environment.writing import Parts, environment_text, produced_text
from relax_lint.migrate.plan import Piece, RecipeFile
from relax_lint.records import changed, node, record

if TYPE_CHECKING:
    from pathlib import Path

    from relax_lint.migrate.carrying.sources import VerlSources
    from relax_lint.migrate.environment.configs import InteractionEntry, ToolEntry

FOLDER = "tools"
"""The recipe's package for the code of tools: its names do not meet those of the reward's modules there."""
SCHEMAS = f"{FOLDER}/schemas.json"
"""What the prompt tells the model of its tools: the data's column ``tools``."""
HERMES = "hermes"
_MANAGER = "verl.tools.utils.mcp_clients.McpClientManager.ClientManager"
_PARSERS = "verl.experimental.agent_loop.tool_parser"
_NEWER = "verl.tools.function_tool"
"""A verl that has this module tells the model more of what failed, and means the other ends by left and right."""
_SUPPLIED = {
    "verl.tools.base_tool": ("BaseTool",),
    "verl.tools.schemas": (
        "ToolResponse",
        "OpenAIFunctionPropertySchema",
        "OpenAIFunctionParametersSchema",
        "OpenAIFunctionSchema",
        "OpenAIFunctionToolSchema",
    ),
    "verl.interactions.base": ("BaseInteraction",),
    "verl.tools.function_tool": (
        "FunctionTool",
        "function_tool",
        "FUNCTION_TOOL_REGISTRY",
        "normalize_function_tool_return",
    ),
    "verl.utils.rollout_trace": ("rollout_trace_op",),
    "verl.experimental.agent_loop.tool_agent_loop": ("AgentData",),
}


@record
class Request:
    """What a recipe's environment is made of: the files that the launch names, and verl's settings of its loop.

    ``package`` is the recipe's; ``calls``, ``longest`` and ``side`` say how many calls a turn makes, how long an
    answer may be, and which side is cut; ``style`` is the form of calls (verl's ``format``).
    """

    name: str
    package: str
    tools: Path | None = None
    interactions: Path | None = None
    functions: Path | None = None
    calls: int = 1
    longest: int = 256
    side: str = "middle"
    style: str = HERMES


@node
class CarriedEnvironment:
    """The files of an environment; ``schemas`` is what the prompt tells the model of its tools, ``unknown`` names those
    of which only running them says it, and ``notes`` says what was left out. ``empty`` is one that has neither tools
    nor interactions."""

    files: Sequence[RecipeFile]
    schemas: Sequence[dict[str, Any]]
    unknown: Sequence[str]
    requires: Sequence[Requirement]
    problems: Sequence[Problem]
    notes: Sequence[str]
    empty: bool


@record
class _Wanted:
    """A name that the environment imports: a class, a parser, a module of function tools."""

    module: str
    name: str
    problem: Problem

    @property
    def statement(self) -> str:
        """The import as verl would write it."""
        return f"from {self.module} import {self.name}\n"


def carry_tools(request: Request, sources: VerlSources) -> CarriedEnvironment:
    """The environment of a recipe. What cannot be carried over is left out, and is a problem."""
    return _Carrying(request, sources).run()


class _Carrying:
    def __init__(self, request: Request, sources: VerlSources) -> None:
        self.request = request
        self.sources = sources
        self.package = f"{request.package}.{FOLDER}"
        self.problems: list[Problem] = []
        self.imports: dict[str, _Wanted] = {}
        """The imports that work, by the name that they bind."""
        self.schemas: list[dict[str, Any]] = []
        self.unknown: list[str] = []
        self.missing: list[str] = []
        self.newer = request.functions is not None or sources.origin(_NEWER) is not None

    def run(self) -> CarriedEnvironment:
        parts = Parts(
            self.request.name,
            self.request.package,
            self.package,
            self.request.calls,
            self.request.longest,
            self._keeps(),
            self.newer,
            [*self._tools(), *self._functions()],
            list(self._interactions()),
            self._parser(),
        )
        parts.missing = self.missing
        copied = self._copied(self.imports.values())
        parts.imports = _import_lines(copied)
        schemas = json.dumps(self.schemas, indent=2, ensure_ascii=False) + "\n"
        files = [
            RecipeFile("base_env.py", produced_text("base_env")),
            RecipeFile(f"{FOLDER}/__init__.py", ""),
            RecipeFile(f"{FOLDER}/base.py", produced_text("tool_base")),
            *([RecipeFile(SCHEMAS, schemas)] if self.schemas else []),
            *(changed(file, name=f"{FOLDER}/{file.name}") for file in _files(copied)),
            RecipeFile(f"env_{self.request.name}.py", environment_text(parts), pieces=tuple(self._described())),
        ]
        self.problems += copied.beside
        problems, empty = list(dict.fromkeys(self.problems)), not parts.tools and not parts.interactions
        notes = list(left_out(copied, f"{self._what()} do"))
        return CarriedEnvironment(files, self.schemas, self.unknown, copied.requires, problems, notes, empty)

    def _what(self) -> str:
        """What the environment is made of."""
        made = {"tools": self.request.tools or self.request.functions, "interactions": self.request.interactions}
        return f"the {' and '.join(name for name, path in made.items() if path)}"

    def _described(self) -> Iterator[Piece]:
        """The configurations of the tools and interactions, which the environment holds."""
        for path in (self.request.tools, self.request.interactions):
            if path is not None:
                yield Piece(path)

    def _keeps(self) -> str:
        """The end that is kept of a long answer: verl's older versions name it, the newer ones name what they cut."""
        start = "right" if self.newer else "left"
        return (
            "both" if self.request.side not in ("left", "right") else "start" if self.request.side == start else "end"
        )

    # ------------------------------------------------------------ tools

    def _tools(self) -> Iterator[str]:
        """The statements that make the tools."""
        from relax_lint.migrate.environment.writing import mcp_tool, native_tool

        if self.request.tools is None:
            return
        entries, problems = tool_entries(self.request.tools, self.sources.project)
        self.problems += problems
        for entry in entries:
            name = self._class(entry)
            if name is None:
                self.missing.append(f"{entry.class_name} ({entry.path.name}, line {entry.line})")
                continue
            if entry.mcp is None:
                self._describe(entry, name)
                yield native_tool(name, entry)
                continue
            manager = self._wanted(
                *_split(_MANAGER), Problem(entry.path, entry.line, "the code of MCP tools is missing")
            )
            if manager is not None:
                self.unknown.append(name)
                yield mcp_tool(name, manager, entry)

    def _class(self, entry: ToolEntry | InteractionEntry) -> str | None:
        """The name by which the environment has an entry's class."""
        module, name = _split(entry.class_name)
        problem = Problem(entry.path, entry.line, f"{entry.class_name} cannot be carried over: its code is not found")
        return self._wanted(module, name, problem)

    def _describe(self, entry: ToolEntry, name: str) -> None:
        written = entry.schema or self._own_schema(entry)
        if written is None:
            self.unknown.append(name)
            return
        try:
            schema = OpenAIFunctionToolSchema.model_validate(written)
            self.schemas.append(schema.model_dump(exclude_unset=True, exclude_none=True))
        except (ValueError, TypeError) as problem:
            self.problems.append(Problem(entry.path, entry.line, f"the tool_schema is not understood: {problem}"))

    def _own_schema(self, entry: ToolEntry) -> Any:
        """The schema that a class says itself, where that is written out in it."""
        module, name = _split(entry.class_name)
        target = Resolver(self.sources).target(self._start([]), Alias(module, 0, name, None, 1))
        found = self.sources.code(target.origin).definition(target.name) if isinstance(target, OfName) else None
        return own_schema(found) if isinstance(found, ast.ClassDef) else None

    def _functions(self) -> Iterator[str]:
        from relax_lint.migrate.environment.writing import function_tools

        path = self.request.functions
        if path is None:
            return
        code = self._own_code(path)
        entries = [] if code is None else list(function_entries(code))
        if code is not None and not entries:
            message = "there is no function decorated with function_tool of verl.tools.function_tool"
            self.problems.append(Problem(path, 1, message))
        found: list[FunctionEntry] = []
        for entry in entries:
            problem = Problem(path, entry.line, f"{entry.function} cannot be carried over")
            wanted = _Wanted(code.origin.dotted, entry.function, problem) if code is not None else None
            if wanted is not None and self._works(wanted):
                found.append(entry)
        if not found or code is None:
            return
        for entry in found:
            self.imports.setdefault(entry.function, _Wanted(code.origin.dotted, entry.function, Problem(path, 1, "")))
            if entry.schema is None:
                self.unknown.append(entry.name)
                self.problems.append(Problem(path, entry.line, f"{entry.function}: {entry.problem}"))
            else:
                schema = OpenAIFunctionToolSchema.model_validate(entry.schema)
                self.schemas.append(schema.model_dump(exclude_unset=True, exclude_none=True))
        yield function_tools(found)

    def _own_code(self, path: Path) -> Code | None:
        """A file of the user's that is named by its path."""
        root = self.sources.project.root
        inside = path.is_relative_to(root)
        dotted = ".".join(path.relative_to(root).with_suffix("").parts) if inside else path.stem
        try:
            return self.sources.code(Origin(dotted, path))
        except Unparsable as problem:
            self.problems.append(Problem(problem.path, problem.line, problem.reason))
            return None

    # ------------------------------------------------------------ interactions, parsers

    def _interactions(self) -> Iterator[str]:
        from relax_lint.migrate.environment.writing import interaction

        if self.request.interactions is None:
            return
        entries, problems = interaction_entries(self.request.interactions, self.sources.project)
        self.problems += problems
        for entry in entries:
            name = self._class(entry)
            if name is not None:
                yield interaction(name, entry)

    def _parser(self) -> str | None:
        """The class that finds calls which are not in the usual form."""
        style = self.request.style
        if style == HERMES:
            return None
        origin = self.sources.origin(_PARSERS)
        name = None if origin is None else _registered(self.sources.code(origin), style)
        at = self.request.tools or self.request.functions or self.sources.project.root
        problem = Problem(
            at,
            1,
            f"verl has no parser for calls in the form {style!r} (multi_turn.format): <tool_call> with JSON is read",
        )
        if name is None:
            self.problems.append(problem)
            return None
        return self._wanted(_PARSERS, name, problem)

    # ------------------------------------------------------------ code

    def _wanted(self, module: str, name: str, problem: Problem) -> str | None:
        """Have a name imported; the name that it has then, ``None`` if it cannot be carried over."""
        wanted = _Wanted(module, name, problem)
        known = self.imports.get(name)
        if known is not None and known.module != module:
            message = f"there are two classes {name}, of {known.module} and {module}: rename one"
            self.problems.append(Problem(problem.path, problem.line, message))
            return None
        if known is None and not self._works(wanted):
            return None
        self.imports[name] = wanted
        return name

    def _works(self, wanted: _Wanted) -> bool:
        """Whether something can be carried over; what stands in the way is noted."""
        start = self._start([wanted])
        target = Resolver(self.sources, self._supplied()).target(start, Alias(wanted.module, 0, wanted.name, None, 1))
        if not isinstance(target, OfName):
            reason = getattr(target, "reason", "")
            at = wanted.problem
            message = f"{wanted.module}.{wanted.name} cannot be carried over: {reason}" if reason else at.message
            self.problems.append(Problem(at.path, at.line, message))
            return False
        problems = self._copied([wanted]).problems
        self.problems += [wanted.problem if each.path == start.origin.path else each for each in problems]
        return not problems

    def _copied(self, wanted: Iterable[_Wanted]) -> Copied:
        wanted = list(wanted)
        names = Names(self.package, ("base",), self.sources)
        return closure(self._start(wanted), [each.name for each in wanted], self.sources, names, self._supplied())

    def _start(self, wanted: Sequence[_Wanted]) -> Code:
        """A module that imports what is wanted, as if it lay in the root of the project."""
        text = "".join(each.statement for each in wanted)
        return Code(Origin("", self.sources.project.root / "<tools>"), text)

    def _supplied(self) -> dict[str, str]:
        return {f"{module}.{name}": f"{self.package}.base" for module, names in _SUPPLIED.items() for name in names}


def _split(dotted: str) -> tuple[str, str]:
    module, _, name = dotted.rpartition(".")
    return module, name


def _import_lines(copied: Copied) -> list[str]:
    """The imports of the environment, as they are in the recipe."""
    from relax_lint.migrate.carrying.writing import carried_text

    return [line for line in carried_text(copied, copied.root).splitlines() if line.strip()]


def _files(copied: Copied) -> Iterator[RecipeFile]:
    from relax_lint.migrate.carrying.writing import files

    return files(copied)


def _registered(code: Code, style: str) -> str | None:
    """The class that a decorator registers by a name."""
    for each in code.tree.body:
        for decorator in each.decorator_list if isinstance(each, ast.ClassDef) else ():
            arguments = decorator.args if isinstance(decorator, ast.Call) else []
            if any(isinstance(argument, ast.Constant) and argument.value == style for argument in arguments):
                return each.name if isinstance(each, ast.ClassDef) else None
    return None
