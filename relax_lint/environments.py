"""The interaction environments of a recipe: the classes that derive from BaseInteractionEnv, wherever the base comes
from, and the modules that a rollout loads and asks for ``build_env``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Literal

from relax_lint.catalog.environments import OBSERVATION_KEYS, ROLE_KEY, TEXT_KEY
from relax_lint.class_bodies import (
    bindings,
    binds_unseen,
    is_named,
    is_nothing,
    is_set_outside,
    is_stub,
    is_taken,
    last_name,
    names_as_base,
    only_annotates,
)
from relax_lint.diagnostics import NotChecked
from relax_lint.flow.classes import is_plain, lineage
from relax_lint.flow.exits import innermost
from relax_lint.flow.interpreter import interpreter_of
from relax_lint.flow.names import dotted_name
from relax_lint.flow.shapes import (
    UNKNOWN,
    Arguments,
    Awaitable,
    Class,
    Constant,
    Exit,
    Function,
    Instance,
    Library,
    Thing,
    alternatives,
)
from relax_lint.flow.signals import NoReturn, TooMuch
from relax_lint.kept import Kept, kept_property
from relax_lint.launch_config import setting_in
from relax_lint.observations import STANDARD_READING, Reading
from relax_lint.records import changed, record
from relax_lint.sources.python import walk

if TYPE_CHECKING:
    from pathlib import Path

    from relax_lint.diagnostics import Finding, Place
    from relax_lint.flow.interpreter import Interpreter
    from relax_lint.flow.shapes import Misfit, Shape
    from relax_lint.project import Project, Recipe
    from relax_lint.sources.python import PythonSource

BASE = "BaseInteractionEnv"
ENV_PATH = "rollout_interaction_env_path"
MAX_TURNS = "max_turns"
DEFAULT_MODULE = "DEFAULT_ENV_MODULE"
BUILD = "build_env"
FORMAT = "format_observation"

_PLAIN_BASES = frozenset({"object", "abc.ABC", "typing.Generic", "typing.Protocol"})
_LOOKS_ABSTRACT = ("Base", "Abstract", "_")

Implementation = Literal["there", "missing", "unknown"]


@record
class EnvModule:
    """A module that a rollout loads an environment from; ``named`` says what names it."""

    source: PythonSource
    named: str


class Environments:
    """What the Python and YAML files of one recipe say of its environments; launches have no say in it."""

    def __init__(self, recipe: Recipe, interpreter: Interpreter) -> None:
        # No recipe is kept: it would keep the project, which keeps this.
        self.interpreter = interpreter
        self.directory = recipe.directory
        self._paths = tuple(path for path in recipe.files if path.suffix == ".py" and not _is_of_tests(path))
        self.yaml = tuple(recipe.yaml)
        self._answers = Kept()

    def once(
        self, question: object, answer: Callable[[], Iterable[Finding | NotChecked]]
    ) -> list[Finding | NotChecked]:
        """What a rule finds, worked out once: flake8 asks again for every file."""
        return self._answers.ask(question, lambda: list(answer()))

    # ------------------------------------------------------------ classes

    @kept_property
    def sources(self) -> tuple[PythonSource, ...]:
        """Its Python files, but for tests."""
        found = map(self.interpreter.project.python, self._paths)
        return tuple(source for source in found if source is not None)

    @property
    def classes(self) -> tuple[Class, ...]:
        """The classes that derive from BaseInteractionEnv, in the order of files and lines."""
        return self._answers.ask_firmly(("classes", self.directory), self._classes)

    def _classes(self) -> tuple[Class, ...]:
        if not self._may_hold_any:
            return ()
        found = (Class(source, node) for source in self.sources for node in source.nodes(ast.ClassDef))
        return tuple(cls for cls in found if cls.node.name != BASE and _derives(self.interpreter, cls))

    @kept_property
    def _may_hold_any(self) -> bool:
        """Whether a text names the base, here or in another example that something is taken from."""
        if any(BASE in source.text for source in self.sources):
            return True
        project = self.interpreter.project
        others = {
            path
            for source in self.sources
            if "class " in source.text and "examples" in source.text
            for path in project.imports.reached(source.path)
        }
        return any(BASE.encode() in (project.read(path) or b"") for path in others)

    @property
    def concrete(self) -> tuple[Class, ...]:
        """Those that are made objects of: not the ones that others derive from, or are plainly meant to."""
        return self._answers.ask_firmly(("concrete classes", self.directory), self._concrete)

    def _concrete(self) -> tuple[Class, ...]:
        return tuple(
            cls
            for cls in self.classes
            if self.is_called(cls) or not (self.is_abstract(cls) or self.is_derived_from(cls))
        )

    def with_bases_first(self) -> list[Class]:
        """The concrete ones, each behind those that it derives from."""
        return sorted(self.concrete, key=lambda cls: len(self.bases_of(cls)))

    def bases_of(self, cls: Class) -> list[ast.ClassDef]:
        """The classes of the repository that a class derives from."""
        bases = (base.node for base in lineage(self.interpreter, cls) if isinstance(base, Class))
        return [node for node in bases if node is not cls.node]

    def is_derived_from(self, cls: Class) -> bool:
        """Whether another class of the recipe, or of another that takes it from here, derives from a class."""
        own = {other.node for other in self.classes if other.node is not cls.node}
        for other in self.classes:
            if other.node in own and any(
                isinstance(base, Class) and base.node is cls.node for base in lineage(self.interpreter, other)
            ):
                return True
        return any(names_as_base(source, cls.node.name) for source in self._elsewhere(cls.node.name))

    def _elsewhere(self, name: str) -> Iterator[PythonSource]:
        """Files of other recipes that name a class."""
        for recipe in self.interpreter.project.recipes:
            if recipe.directory != self.directory:
                yield from (source for source in recipe.python if name in source.text)

    def is_called(self, cls: Class, *, outside: bool = False) -> bool:
        """Whether the recipe makes objects of a class, or may: it takes it as a value, in another file if so asked."""
        for source in self.sources:
            if cls.node.name in source.text and not (outside and source.path == cls.source.path):
                named = [*source.nodes(ast.Name), *source.nodes(ast.Attribute)]
                if any(last_name(node) == cls.node.name and is_taken(source, node) for node in named):
                    return True
        return False

    def method(self, cls: Class, name: str) -> Function | None:
        """A method as an object of a class has it; ``None`` where that cannot be told, or is BaseInteractionEnv's."""
        try:
            found = self.interpreter.method(Instance(cls), name)
        except (NoReturn, TooMuch, RecursionError):  # a decorator that is too much to follow
            return None
        if not isinstance(found, Function):
            return None
        return None if self.is_of_base(found) else found

    def reading(self, cls: Class) -> Reading | None:
        """How observations of an environment are read; ``None`` where a ``format_observation`` of its own does that."""
        for current in lineage(self.interpreter, cls):
            if isinstance(current, Library) and current.name.rpartition(".")[2] == BASE:
                return STANDARD_READING
            if isinstance(current, Library) and current.name in _PLAIN_BASES:
                continue
            if not isinstance(current, Class):
                return None
            bound = [part for part in bindings(current.node, FORMAT) if isinstance(part, ast.FunctionDef)]
            if bound:
                return _reading(bound[-1]) if current.node.name == BASE else None
        return None

    def ways_out(self, method: Function, arguments: Arguments, *, awaits: bool) -> list[Exit] | None:
        """The ways out of a method, each followed to where the value is really given, within the recipe; ``None`` when
        they cannot all be told. What is awaitable is awaited if the rollout does so."""
        interpreter = self.interpreter
        ways = interpreter.outcomes(method, arguments)
        if ways is None:
            made = interpreter.result(method, arguments)
            node = method.node
            return [Exit(method.source, node, node, made)] if isinstance(made, Thing) else None
        found: list[Exit] = []
        for way in ways:
            parts = way.shape.result if awaits and isinstance(way.shape, Awaitable) else way.shape
            for shape in alternatives(parts):
                inner = innermost(interpreter, changed(way, shape=shape))
                found.append(inner if self.owns(inner.source) else changed(way, shape=shape))
        return list(dict.fromkeys(found))

    def misfits(self, cls: Class) -> list[Misfit]:
        """Where methods of an environment take values apart that have more or fewer parts, as far as that has shown."""
        nodes = {cls.node, *self.bases_of(cls)}
        return [
            misfit
            for misfit in self.interpreter.misfits.values()
            if self.owns(misfit.at.source)
            and any(holder in nodes for holder in misfit.at.source.ancestors(misfit.at.node))
        ]

    @staticmethod
    def place_of(method: Function) -> Place:
        """The name of a method in its definition."""
        node = method.node
        return method.source.place(node) if isinstance(node, ast.Lambda) else method.source.name_place(node)

    @staticmethod
    def is_of_base(function: Function) -> bool:
        """Whether a method is BaseInteractionEnv's own."""
        return any(
            isinstance(holder, ast.ClassDef) and holder.name == BASE
            for holder in function.source.ancestors(function.node)
        )

    def implementation(self, cls: Class, name: str) -> Implementation:
        """Whether objects of a class have a method that does more than to say that it is not there."""
        for current in lineage(self.interpreter, cls):
            if not isinstance(current, Class):
                if _hides(current):
                    return "unknown"
                continue
            if not is_plain(current.node) or current.node.keywords or binds_unseen(current.node):
                return "unknown"
            bound = [part for part in bindings(current.node, name) if not only_annotates(current.source, part)]
            if any(not is_stub(part) and not is_nothing(current.source, part) for part in bound):
                return "there"
            if is_set_outside(current, name):
                return "there"
            if bound:
                return "missing"
        return "missing"

    def unseen(self, cls: Class, *names: str) -> NotChecked | None:
        """What keeps methods of an environment from being judged, where something does: a base or a decorator."""
        for name in names:
            state = self.implementation(cls, name)
            if state == "missing" or (state == "there" and self.method(cls, name) is not None):
                continue
            written = [*cls.node.bases, *cls.node.decorator_list, *(word.value for word in cls.node.keywords)]
            hidden = [part for part in written if last_name(part) != BASE]
            return NotChecked(cls.source.name_place(cls.node), cls.source.segment(hidden[0]) if hidden else name)
        return None

    def is_abstract(self, cls: Class) -> bool:
        """Whether a class is plainly meant to be derived from, by what is written in it."""
        node = cls.node
        if node.name.startswith(_LOOKS_ABSTRACT) or node.name.endswith(("Base", "Mixin")):
            return True
        if any(last_name(base) in ("ABC", "Protocol") for base in node.bases):
            return True
        return any(map(is_stub, node.body))

    # ------------------------------------------------------------ modules

    @kept_property
    def modules(self) -> tuple[EnvModule, ...]:
        """The modules that rollouts of the recipe load: named by a config, by a rollout's default, or holding
        ``build_env`` beside an environment."""
        found: dict[Path, EnvModule] = {}
        for text, named in self._named_modules:
            source = self._module(text)
            if source is not None:
                found.setdefault(source.path, EnvModule(source, named))
        holding = {cls.source.path for cls in self.classes}
        for source in self.sources:
            if source.path in holding and not self.interpreter.resolver.resolve(source, BUILD).missing:
                found.setdefault(source.path, EnvModule(source, BUILD))
        return tuple(found.values())

    @kept_property
    def _named_modules(self) -> tuple[tuple[str, str], ...]:
        project = self.interpreter.project
        found: list[tuple[str, str]] = []
        for path in self.yaml:
            given = setting_in(path, project, ENV_PATH, path.name)
            if given is not None and given.kind == "str" and given.text:
                found.append((given.text, path.name))
        for default in self.defaults:
            if default.value:
                found.append((default.value, DEFAULT_MODULE))
        return tuple(found)

    @kept_property
    def defaults(self) -> tuple[Default, ...]:
        """Where rollouts of the recipe say which module they load if the config does not."""
        return tuple(default for source in self.sources for default in _defaults(self.interpreter, source))

    def _module(self, text: str) -> PythonSource | None:
        project = self.interpreter.project
        if text.endswith(".py"):
            path = project.root / text
            return project.python(path) if project.is_file(path) else None
        return project.module(text)

    @property
    def needs_module(self) -> bool:
        """Whether the recipe has environments that only a rollout can make, and nothing says which module it is to
        load: not when other files of the recipe make them, or its own rollout asks for no ``build_env``."""
        if self._named_modules or any(self.is_called(cls, outside=True) for cls in self.classes):
            return False
        own = [source for source in self.sources if "def generate" in source.text and ".step" in source.text]
        return not own or any(BUILD in source.text for source in own)

    def factories(self, source: PythonSource) -> Iterator[tuple[Function | None, bool]]:
        """What a call of a module's ``build_env`` runs, and whether that is the ``__init__`` of a class; ``None`` where
        it cannot be told."""
        for shape in alternatives(self.interpreter.named(source, BUILD)):
            called: Shape | None = shape
            if isinstance(shape, Instance):
                called = self.interpreter.method(shape, "__call__")
            elif isinstance(shape, Class):
                called = self.interpreter.method(Instance(shape), "__init__")
            yield called if isinstance(called, Function) else None, isinstance(shape, Class)

    @kept_property
    def own_calls(self) -> tuple[Arguments, ...]:
        """How the recipe's own code calls ``build_env``."""
        found: list[Arguments] = []
        for source in self.sources:
            for call in source.nodes(ast.Call) if f"{BUILD}(" in source.text else ():
                if is_named(call.func, BUILD):
                    plain = all(not isinstance(part, ast.Starred) for part in call.args)
                    names = [word.arg for word in call.keywords if word.arg is not None]
                    complete = plain and len(names) == len(call.keywords)
                    given = (UNKNOWN,) * len(call.args) if complete else ()
                    found.append(Arguments(given, tuple((name, UNKNOWN) for name in names), complete))
        return tuple(found)

    @kept_property
    def awaits_what_is_built(self) -> bool:
        """Whether the recipe's own code may await what ``build_env`` returns."""
        from relax_lint.awaited_results import may_be_awaited

        return may_be_awaited(BUILD, self.sources)

    def owns(self, source: PythonSource) -> bool:
        """Whether a file belongs to the recipe."""
        return self.directory in source.path.parents

    def generate_functions(self) -> list[str]:
        """The functions of the recipe that can be a custom generate function and ask an environment, by module path."""
        root = self.interpreter.project.root
        found = []
        for source in self.sources:
            top = source.tree.body if source.tree is not None and "def generate" in source.text else []
            if any(isinstance(part, ast.AsyncFunctionDef) and part.name == "generate" for part in top):
                found.append(f"{dotted_name(source.path, root)}.generate")
        return found

    def configs(self) -> list[Path]:
        """The YAML files of the recipe that set what a multi-turn rollout reads."""
        project = self.interpreter.project
        return [
            path
            for path in self.yaml
            if any(setting_in(path, project, key, path.name) is not None for key in (ENV_PATH, MAX_TURNS))
        ]

    def own_modules(self) -> list[str]:
        """The recipe's own modules that have ``build_env``, by module path."""
        sources = {module.source.path for module in self.modules}
        sources.update(source.path for source in self.sources if f"def {BUILD}" in source.text)
        project = self.interpreter.project
        return [
            dotted_name(source.path, project.root)
            for source in self.sources
            if source.path in sources and not self.interpreter.resolver.resolve(source, BUILD).missing
        ]


@record
class Default:
    """An assignment of ``DEFAULT_ENV_MODULE``; ``value`` is the text it gives, ``None`` where that is not known."""

    source: PythonSource
    node: ast.expr
    value: str | None


def environments_of(recipe: Recipe, project: Project) -> Environments:
    """The environments of a recipe, worked out once for a project."""
    interpreter = interpreter_of(project)
    return interpreter.answers.ask(("environments", recipe.directory), lambda: Environments(recipe, interpreter))


def _is_of_tests(path: Path) -> bool:
    """Whether a file holds tests, whose classes stand in for others."""
    return path.stem == "conftest" or path.stem.startswith("test_") or path.stem.endswith("_test")


def _hides(base: Library | None) -> bool:
    """Whether a base may bring methods along that nobody sees."""
    return base is None or (base.name.rpartition(".")[2] != BASE and base.name not in _PLAIN_BASES)


def _defaults(interpreter: Interpreter, source: PythonSource) -> Iterator[Default]:
    if DEFAULT_MODULE not in source.text:
        return
    assignments: list[ast.Assign | ast.AnnAssign] = [*source.nodes(ast.Assign), *source.nodes(ast.AnnAssign)]
    for node in assignments:
        targets: Iterable[ast.expr] = node.targets if isinstance(node, ast.Assign) else (node.target,)
        if node.value is not None and any(is_named(target, DEFAULT_MODULE) for target in targets):
            shape = interpreter.in_module(source, node.value)
            known = isinstance(shape, Constant) and isinstance(shape.value, str)
            yield Default(source, node.value, str(shape.value) if isinstance(shape, Constant) and known else None)


def _reading(function: ast.FunctionDef) -> Reading | None:
    """Which keys a ``format_observation`` looks at."""
    texts = {part.value for part in walk(function) if isinstance(part, ast.Constant) and isinstance(part.value, str)}
    if TEXT_KEY not in texts:
        return None
    asked = (
        part for part in walk(function) if isinstance(part, ast.Call) and last_name(part.func) == "get" and part.args
    )
    keys = {str(call.args[0].value) for call in asked if isinstance(call.args[0], ast.Constant)}
    return Reading(OBSERVATION_KEYS | keys, ROLE_KEY in keys)


def _derives(interpreter: Interpreter, cls: Class, depth: int = 0) -> bool:
    for base in cls.node.bases if depth < 20 else ():
        expression = base.value if isinstance(base, ast.Subscript) else base
        if last_name(expression) == BASE:
            return True
        for shape in alternatives(interpreter.in_module(cls.source, expression)):
            if isinstance(shape, Library) and shape.name.rpartition(".")[2] == BASE:
                return True
            if isinstance(shape, Class) and (shape.node.name == BASE or _derives(interpreter, shape, depth + 1)):
                return True
    return False
