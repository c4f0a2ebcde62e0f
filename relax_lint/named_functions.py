"""The functions that launches name by module path: where each is defined, and whether it is there at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, TypeVar

from relax_lint.kept import kept_property
from relax_lint.launch_config import dest_of
from relax_lint.shell.queries import why_unknown

if TYPE_CHECKING:
    import ast

    from relax_lint.diagnostics import Place
    from relax_lint.flow.interpreter import Interpreter
    from relax_lint.flow.shapes import Function, Shape
    from relax_lint.launch_config import Setting
    from relax_lint.project import Project
    from relax_lint.shell.launch import Argument, Launch
    from relax_lint.sources.python import PythonSource

ROLLOUT = "--rollout-function-path"

Answer = TypeVar("Answer")
Status = Literal["found", "no-module", "no-function", "unclear"]


def own_rollout(launch: Launch) -> str | None:
    """The rollout function of a launch, as it names it, where that is none of Relax's."""
    rollout = launch.last(ROLLOUT)
    if rollout is None or (rollout.value or "").startswith("relax."):
        return None
    return f"{ROLLOUT} {rollout.value or ''}".strip()


class NamedFunction:
    """A launch and a function that it names; an empty ``dotted`` is not known.

    ``argument`` is the flag, or the one that names a file which names the function: then ``given`` is what that says.
    """

    def __init__(
        self, launch: Launch, argument: Argument, project: Project, of_flag: str, given: Setting | None = None
    ) -> None:
        self.launch = launch
        self.argument = argument
        self.of_flag = of_flag
        self.given = given
        self.dotted = (argument.value or "") if given is None else (given.text if given.kind == "str" else "")
        self.project = project

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.dotted!r})"

    @property
    def place(self) -> Place:
        """Where the launcher names it."""
        word = self.argument.word if self.argument.inline or not self.argument.values else self.argument.values[-1]
        return word.place or self.argument.word.place or self.launch.site

    @property
    def flag(self) -> str:
        """What names it: the flag, or its key in the config."""
        return self.of_flag if self.given is None else dest_of(self.of_flag)

    def shown(self, place: Place) -> Place:
        """A place in Python, or in the launcher where that is no recipe's file."""
        return place if self.project.recipe_of(place.source.path) is not None else self.place

    @property
    def name(self) -> str:
        """The function's name in its module."""
        return self.dotted.rpartition(".")[2]

    @property
    def module_name(self) -> str:
        """The module path in front of it."""
        return self.dotted.rpartition(".")[0]

    @kept_property
    def module(self) -> PythonSource | None:
        """The file of the module that the launch names."""
        if not self.module_name:
            return None
        return self.project.module(self.module_name, self.launch.script.parent)

    @kept_property
    def status(self) -> Status:
        """Whether there is such a function."""
        if self.unclear:
            return "unclear"
        if self.module is None:
            return self._without_module()
        if self.module.tree is None:
            return "unclear"
        resolution = self.interpreter.resolver.resolve(self.module, self.name)
        return "no-function" if resolution.missing else "found"

    def _without_module(self) -> Status:
        top = self.dotted.partition(".")[0]
        root = self.project.root
        if not (self.project.is_dir(root / top) or self.project.exists(root / f"{top}.py")):
            return "unclear"
        if top == "relax" and self.project.relax_root is None:
            return "unclear"
        package = root.joinpath(*self.module_name.split("."))
        return "no-function" if self.module_name and self.project.is_dir(package) else "no-module"

    @property
    def hides(self) -> str | None:
        """What keeps the function from being judged, though it is named plainly."""
        return None

    @kept_property
    def unclear(self) -> str | None:
        """The word that hides which function it is, or how it is called."""
        if not self.dotted and self.given is not None:
            return self.given.named
        if not self.dotted:
            hidden = next((word for word in self.argument.values if not word.known), self.argument.word)
            return why_unknown(hidden)
        return self.hides

    @property
    def hidden(self) -> str | None:
        """What keeps the function from being judged, if something does."""
        if self.status == "unclear":
            return self.unclear or self.dotted
        return self.dotted if self.status == "found" and not self.shapes else None

    # ------------------------------------------------------------ what it is

    @kept_property
    def interpreter(self) -> Interpreter:
        """Follows the code of the project."""
        from relax_lint.flow.interpreter import interpreter_of

        return interpreter_of(self.project)

    @kept_property
    def shapes(self) -> tuple[Shape, ...]:
        """Everything that the name can be; empty when some of it is not known."""
        from relax_lint.flow.shapes import Library, Unknown, alternatives

        if self.status != "found" or self.module is None:
            return ()
        shapes = alternatives(self.interpreter.named(self.module, self.name))
        return () if any(isinstance(shape, (Unknown, Library)) for shape in shapes) else shapes

    @kept_property
    def functions(self) -> tuple[Function, ...]:
        """The functions that are called, ``__call__`` of objects included; empty unless all are known."""
        from relax_lint.flow.shapes import Function, Instance

        found: list[Function] = []
        for shape in self.shapes:
            called = self.interpreter.method(shape, "__call__") if isinstance(shape, Instance) else shape
            if not isinstance(called, Function):
                return ()
            found.append(called)
        return tuple(found)

    @property
    def function(self) -> ast.AST | None:
        """The definition, when there is one only."""
        return self.functions[0].node if len(self.functions) == 1 else None

    @property
    def source(self) -> PythonSource | None:
        """The file that really defines it."""
        return self.functions[0].source if len(self.functions) == 1 else None

    def lacks(self, shape: Shape, attribute: str) -> bool:
        """Whether an object certainly has no attribute of this name."""
        from relax_lint.flow.classes import lacks
        from relax_lint.flow.shapes import Instance

        return isinstance(shape, Instance) and lacks(self.interpreter, shape.cls, attribute)

    def once(self, question: object, answer: Callable[[], Answer]) -> Answer:
        """An answer that is the same for every launch of the project."""
        return self.interpreter.answers.ask(question, answer)
