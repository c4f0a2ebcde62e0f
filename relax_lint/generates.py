"""The functions that launches give to generate samples: which they are, and what Relax calls them with."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from relax_lint.catalog.rewards import WITHOUT_REWARDS
from relax_lint.kept import kept_property
from relax_lint.launch_config import CONFIG, Setting, dest_of, setting
from relax_lint.named_functions import NamedFunction, own_rollout

if TYPE_CHECKING:
    from relax_lint.diagnostics import Place
    from relax_lint.flow.shapes import Arguments, Function
    from relax_lint.project import Project
    from relax_lint.shell.launch import Argument, Launch
    from relax_lint.sources.config_yaml import Entry, Node, YamlSource

GENERATE = "--custom-generate-function-path"
EVAL = "--eval-config"
AGENTIC = "--use-agentic-rollout"
ROLLOUT_ONLY = "--debug-rollout-only"


class GenerateUse(NamedFunction):
    """A launch and the function that generates its samples, or those of one of its evaluations."""

    def __init__(self, launch: Launch, argument: Argument, project: Project, given: Setting | None = None) -> None:
        super().__init__(launch, argument, project, GENERATE, given)
        self.evaluates = argument.flag == EVAL

    @property
    def hides(self) -> str | None:
        """A rollout of one's own decides how samples are generated."""
        return own_rollout(self.launch)

    @property
    def place(self) -> Place:
        """Where it is named: in the launcher, or in the file that the launcher names."""
        if self.given is not None and self.given.place is not None:
            return self.given.place
        return super().place

    @property
    def trains(self) -> bool:
        """Whether what it generates is trained on."""
        return not self.evaluates and not self.launch.has(ROLLOUT_ONLY)

    @staticmethod
    def arguments(function: Function) -> Arguments:
        """What Relax calls it with: ``evaluation`` too where it has such a parameter."""
        from relax_lint.flow.shapes import SCALAR, UNKNOWN, Arguments, Sample

        spec = function.node.args
        names = [parameter.arg for parameter in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)]
        keywords = (("evaluation", SCALAR),) if "evaluation" in names[len(function.bound) :] else ()
        return Arguments((UNKNOWN, Sample(), UNKNOWN), keywords)

    @staticmethod
    def _by_name(function: Function) -> Arguments:
        """What a function that takes something else wants, by the names of its parameters."""
        from relax_lint.flow.shapes import UNKNOWN, Arguments, Sample

        spec = function.node.args
        positional = [*spec.posonlyargs, *spec.args][len(function.bound) :]
        given = [(each.arg, Sample() if each.arg == "sample" else UNKNOWN) for each in (*positional, *spec.kwonlyargs)]
        shapes = tuple(shape for _, shape in given[: len(positional)])
        return Arguments(shapes, tuple(given[len(positional) :]))

    def can_be_called(self, function: Function) -> bool:
        """Whether it takes what Relax passes."""
        return self.interpreter.bind(function, self.arguments(function)) is not None

    @kept_property
    def is_sync(self) -> bool:
        """Whether calling it certainly gives nothing that can be awaited."""
        return bool(self.functions) and all(
            self.once(("sync", one), partial(self._is_sync, one)) for one in self.functions
        )

    def _is_sync(self, function: Function) -> bool:
        from relax_lint.flow.shapes import Awaitable, Instance, Library, Unknown, alternatives

        if isinstance(function.node, ast.AsyncFunctionDef):
            return self.interpreter.facts.scope(function.node).generator
        arguments = self.arguments(function) if self.can_be_called(function) else self._by_name(function)
        result = self.interpreter.result(function, arguments)
        return not any(isinstance(part, (Awaitable, Unknown, Library, Instance)) for part in alternatives(result))


def generate_uses(launch: Launch, project: Project) -> list[GenerateUse]:
    """The function that generates a launch's samples, then those of its evaluations."""
    return project.once(("generate uses", launch), lambda: list(_generate_uses(launch, project)))


def _generate_uses(launch: Launch, project: Project) -> Iterator[GenerateUse]:
    if launch.kind != "relax" or launch.mode == "sft" or any(launch.has(flag) for flag in (*WITHOUT_REWARDS, AGENTIC)):
        return
    config, given = launch.last(CONFIG), setting(launch, project, GENERATE)
    argument = launch.last(GENERATE)
    if config is not None and given is not None:
        if given.kind != "null" and (given.kind != "str" or given.text):
            yield GenerateUse(launch, config, project, given)
    elif argument is not None:
        yield GenerateUse(launch, argument, project)
    if launch.has(EVAL):
        from relax_lint.named_configs import named_config
        from relax_lint.shell.queries import NotKnown

        try:
            evaluation = named_config(launch, project, EVAL)
        except NotKnown:
            return
        if evaluation is not None and evaluation.source is not None:
            for of_dataset in _of_datasets(evaluation.text, evaluation.source):
                yield GenerateUse(launch, evaluation.argument, project, of_dataset)


def _of_datasets(named: str, source: YamlSource) -> Iterator[Setting]:
    """What the datasets of an evaluation config say of their generate functions."""
    if source.root is None:
        return
    root = source.root.get("eval")
    datasets = (source.root if root is None else root.value).get("datasets")
    for dataset in _datasets(datasets):
        entry = dataset.get(dest_of(GENERATE))
        if entry is not None and not entry.value.is_null:
            plain = entry.value.kind == "scalar" and entry.value.tag == "str" and "${" not in entry.value.text
            text = entry.value.text if plain else ""
            yield Setting(f"{EVAL} {named}", "str" if plain else "", text, source.place(entry))


def _datasets(datasets: Entry | None) -> Iterator[Node]:
    if datasets is None:
        return
    if datasets.value.kind == "sequence":
        yield from (item.value for item in datasets.value.items)
    elif datasets.value.kind == "mapping":
        yield from (entry.value for entry in datasets.value.effective.values())
