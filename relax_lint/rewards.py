"""The reward functions that launches name: where each is defined, how Relax calls it, what it returns."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Literal

from relax_lint.catalog.rewards import OWN_TRAINING_VALUES, WITHOUT_REWARDS
from relax_lint.diagnostics import NotChecked
from relax_lint.kept import kept_property
from relax_lint.launch_config import CONFIG, overridden_by_config, setting
from relax_lint.named_functions import NamedFunction, own_rollout
from relax_lint.shell.queries import place_of, why_unknown

if TYPE_CHECKING:
    from relax_lint.diagnostics import Finding, Place
    from relax_lint.flow.shapes import Arguments, Exit, Function, Shape
    from relax_lint.launch_config import Setting
    from relax_lint.project import Project
    from relax_lint.shell.launch import Argument, Launch

FLAG = "--custom-rm-path"
TYPE = "--rm-type"
GROUP = "--group-rm"
KEY = "--reward-key"
EVAL_KEY = "--eval-reward-key"
GENERATE = "--custom-generate-function-path"

Form = Literal["single", "batch", "both"]


class RewardUse(NamedFunction):
    """A launch and the reward function that it names, by its module path; an empty one is not known.

    ``argument`` names it, or the config that sets it: then ``given`` is what that says.
    """

    def __init__(self, launch: Launch, argument: Argument, project: Project, given: Setting | None = None) -> None:
        super().__init__(launch, argument, project, FLAG, given)

    @property
    def hides(self) -> str | None:
        """A rollout of one's own decides how rewards are called."""
        return own_rollout(self.launch)

    # ------------------------------------------------------------ how it is called

    @property
    def batch(self) -> bool | None:
        """Whether the launch calls it with all samples of a prompt; ``None`` when that is not known."""
        if overridden_by_config(self.launch, self.project, GROUP):
            return None
        if self.launch.has(GROUP):
            return True
        return None if self.launch.may_have(GROUP) else False

    @kept_property
    def key(self) -> str | None:
        """The key under which the launch looks for the number in a dict; ``None`` when it does not, or is not known."""
        if any(map(self.launch.has, OWN_TRAINING_VALUES)) or overridden_by_config(self.launch, self.project, KEY):
            return None
        return self.launch.value(KEY)

    @kept_property
    def generates_lists(self) -> bool | None:
        """Whether the launch's generate function returns several samples, which are then scored as a batch."""
        argument = self.launch.last(GENERATE)
        if argument is None:
            return None if self.launch.may_have(GENERATE) else False
        named = argument.value or ""
        return self.once(("lists", named, self.launch.script.parent), lambda: self._returns_lists(named))

    def _returns_lists(self, named: str) -> bool | None:
        from relax_lint.flow.shapes import UNKNOWN, Arguments, Sample, Sequence

        module, _, name = named.rpartition(".")
        source = self.project.module(module, self.launch.script.parent) if module else None
        if source is None:
            return None
        generate = self.interpreter.named(source, name)
        exits = self.interpreter.outcomes(generate, Arguments((UNKNOWN, Sample(), UNKNOWN)))
        if not exits:
            return None
        if any(isinstance(way.shape, Sequence) for way in exits):
            return True
        return False if all(isinstance(way.shape, Sample) for way in exits) else None

    def form(self, function: Function) -> Form | None:
        """Which of the two a function is written for, by its second parameter."""
        from relax_lint.reward_forms import form_of

        def answer() -> Form | None:
            try:
                return form_of(function)
            except RecursionError:
                return None

        return self.once(("form", function), answer)

    def called_in(self, function: Function) -> Literal["single", "batch"] | None:
        """The form to judge a function's results by: its own, else the launch's."""
        form = self.form(function)
        if form == "single" or form == "batch":
            return form
        if self.batch is None or (not self.batch and self.generates_lists is not False):
            return None
        return "batch" if self.batch else "single"

    # ------------------------------------------------------------ what it returns

    def arguments(self, form: Literal["single", "batch"]) -> Arguments:
        """What Relax calls it with."""
        from relax_lint.flow.shapes import SAMPLES_LENGTH, UNKNOWN, Arguments, Sample, Sequence

        return Arguments((UNKNOWN, Sequence(Sample(), SAMPLES_LENGTH) if form == "batch" else Sample()))

    def result(self, shape: Shape, form: Literal["single", "batch"]) -> Shape:
        """What calling it gives; with any arguments when it cannot be called with those of Relax."""
        from relax_lint.flow.shapes import Arguments, Function

        arguments = self.arguments(form)
        if isinstance(shape, Function) and self.interpreter.bind(shape, arguments) is None:
            arguments = Arguments(complete=False)
        return self.interpreter.result(shape, arguments)

    def takes_two(self, function: Function) -> bool:
        """Whether it can be called with two arguments."""
        return self.interpreter.bind(function, self.arguments("single")) is not None

    def plainly_gives(self, key: str, function: Function, *, number: bool = False) -> bool:
        """Whether every way out of a function that scores one sample is a dict that is written with a key, and with a
        number under it where that is asked for."""
        from relax_lint.plain_results import always_gives

        def answer() -> bool:
            return always_gives(key, function.node, function.source, self.interpreter.resolver, number=number)

        return self.called_in(function) == "single" and self.once(("gives", key, number, function), answer)

    def exits(self, function: Function) -> list[Exit]:
        """The ways out of a reward function, each followed to the function that really gives the value: what a
        sync function returns for Relax to await, and what ``return score(…)`` hands on."""
        form = self.called_in(function)
        if form is None:
            return []
        return self.once(("exits", function, form), lambda: self._exits(function, form))

    def _exits(self, function: Function, form: Literal["single", "batch"]) -> list[Exit]:
        from relax_lint.flow.exits import innermost
        from relax_lint.flow.shapes import Awaitable, alternatives

        found: list[Exit] = []
        for way in self.interpreter.outcomes(function, self.arguments(form)) or ():
            if isinstance(way.shape, Awaitable) and not isinstance(function.node, ast.AsyncFunctionDef):
                parts = alternatives(way.shape.result)
                found.extend(innermost(self.interpreter, _with_shape(way, part)) for part in parts)
            else:
                found.append(innermost(self.interpreter, way))
        return list(dict.fromkeys(found))

    def values(self, function: Function) -> list[tuple[Exit, Shape]]:
        """What one sample can get from a reward function, with the way out that gives it."""
        from relax_lint.reward_values import of_one_sample

        form = self.called_in(function)
        if form is None:
            return []
        return [(way, part) for way in self.exits(function) for part in of_one_sample(way.shape, form)]


def _with_shape(way: Exit, shape: Shape) -> Exit:
    from relax_lint.records import changed

    return changed(way, shape=shape)


def takes_rewards(launch: Launch) -> bool:
    """Whether a launch of Relax has its samples scored."""
    return launch.kind == "relax" and launch.mode != "sft" and not any(map(launch.has, WITHOUT_REWARDS))


def reward_uses(launch: Launch, project: Project) -> list[RewardUse]:
    """The reward function that a launch names, or its config in place of that, if it is one that scores samples."""
    return project.once(("reward uses", launch), lambda: _reward_uses(launch, project))


def _reward_uses(launch: Launch, project: Project) -> list[RewardUse]:
    if not takes_rewards(launch):
        return []
    config = launch.last(CONFIG)
    given = setting(launch, project, FLAG)
    if config is not None and given is not None:
        names_none = given.kind == "null" or (given.kind == "str" and not given.text)
        return [] if names_none else [RewardUse(launch, config, project, given)]
    argument = launch.last(FLAG)
    return [] if argument is None else [RewardUse(launch, argument, project)]


def hidden_rewards(launch: Launch, project: Project) -> Iterator[NotChecked]:
    """The reward of a launch, where it cannot be told what it is."""
    uses = reward_uses(launch, project)
    for use in uses:
        if use.hidden is not None:
            yield NotChecked(use.place, use.hidden)
    argument = launch.last(TYPE)
    if argument is not None and argument.values and argument.value is None and not uses:
        yield NotChecked(place_of(launch, argument.word), why_unknown(argument.values[-1]))


def on_every(use: NamedFunction, judge: Callable[[Function], Iterable[Finding]]) -> Iterator[Finding]:
    """What is found in a reward function; where the name can be one of several, only if each of them has a fault."""
    found = [list(judge(function)) for function in use.functions]
    if all(found):
        yield from (finding for findings in found for finding in findings)


def exit_place(way: Exit) -> Place:
    """Where a way out is written: the ``return``, or the name of the function whose end is reached."""
    if way.falls_off and isinstance(way.function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return way.source.name_place(way.function)
    return way.source.place(way.node)


def function_place(function: Function) -> Place:
    """The name of a function's definition; a lambda as a whole."""
    if isinstance(function.node, ast.Lambda):
        return function.source.place(function.node)
    return function.source.name_place(function.node)
