"""What of a recipe Relax calls: the reward, the generate function, the environment; and what is reached from each."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Literal

from relax_lint.calls.bindings import Bindings
from relax_lint.calls.frames import Frame
from relax_lint.calls.graph import Graph, Readings
from relax_lint.calls.look import Look, Passed
from relax_lint.calls.members import member
from relax_lint.calls.reached import Reached
from relax_lint.calls.values import ARGS, NOTHING, SAMPLE, SAMPLES, Given, Kind, Object, Values, together
from relax_lint.environment_files import module_of_environment, named_in_text
from relax_lint.launch_config import CONFIG, setting
from relax_lint.patterns import pattern
from relax_lint.records import record
from relax_lint.rewards import GENERATE, reward_uses
from relax_lint.sources.python import literal_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from relax_lint.project import Project
    from relax_lint.rewards import RewardUse
    from relax_lint.shell.launch import Launch
    from relax_lint.sources.python import PythonSource

ENVIRONMENT = "--rollout-interaction-env-path"
"""No flag: the key of a config, in the form of one."""
DEFAULT_ENVIRONMENT = "DEFAULT_ENV_MODULE"
BUILD_ENVIRONMENT = "build_env"
METHODS = ("reset", "step", "format_observation", "close")
_SAMPLING = Given("sampling_params")
_RESPONSE = Given("response_text")

_TO_THREADS = ("to_thread", "run_in_executor", "submit", "run_sync")
_STEPS_IN_THREAD = pattern(
    rf"(?:{'|'.join(_TO_THREADS)})\((?:[^()]*[\s,])?[\w.]*\.step\b(?!\()", words=[f"{name}(" for name in _TO_THREADS]
)
"""A rollout that hands ``env.step`` to a thread."""

EntryKind = Literal["reward", "generate", "environment"]


@record
class Entry:
    """One thing that Relax calls: ``name`` of the module in ``source``; an environment's is its ``build_env``.

    ``given`` says what a reward's second parameter takes: a sample, samples, or either. ``in_threads`` when
    the rollout has the environment step in a thread.
    """

    kind: EntryKind
    source: PythonSource
    name: str
    given: Values = NOTHING
    in_threads: bool = False


def entries(launch: Launch, project: Project) -> list[Entry]:
    """What a launch has Relax call, as far as it says plainly what that is."""
    return project.once(("entries", launch), lambda: list(entries_in(launch, project, lambda _: True)))


def entries_in(launch: Launch, project: Project, wants: Callable[[Path], bool]) -> Iterator[Entry]:
    """What of it is named in some files."""
    for use in reward_uses(launch, project):
        reward = of_reward(use) if use.module is not None and wants(use.module.path) else None
        if reward is not None:
            yield reward
    generate = _named(launch, project, GENERATE)
    if generate is not None and wants(generate.source.path):
        yield generate
    if not _may_be_wanted(launch, project, generate, wants):
        return
    environment = environment_module(launch, project, generate)
    if environment is not None and wants(environment.path):
        threads = generate is not None and _steps_in_thread(generate.source, project)
        yield Entry("environment", environment, BUILD_ENVIRONMENT, in_threads=threads)


def _steps_in_thread(rollout: PythonSource, project: Project) -> bool:
    return project.once(("steps in a thread", rollout), lambda: _says_so(rollout.text))


def _says_so(text: str) -> bool:
    return ".step" in text and bool(_STEPS_IN_THREAD.search(text))


def of_reward(use: RewardUse) -> Entry | None:
    """The reward function that a launch names."""
    if use.module is None or use.status != "found":
        return None
    forms = {use.called_in(function) for function in use.functions}
    single, batch = frozenset({SAMPLE}), frozenset({SAMPLES})
    given = single if forms == {"single"} else batch if forms == {"batch"} else single | batch
    return Entry("reward", use.module, use.name, given)


def _named(launch: Launch, project: Project, flag: str) -> Entry | None:
    argument = launch.last(flag)
    given = setting(launch, project, flag)
    if given is not None:
        named = given.text if given.kind == "str" else ""
    else:
        named = (argument.value or "") if argument is not None else ""
    module, _, name = named.rpartition(".")
    source = project.module(module, launch.script.parent) if module else None
    return None if source is None or source.tree is None else Entry("generate", source, name)


def environment_module(launch: Launch, project: Project, generate: Entry | None) -> PythonSource | None:
    """The module of a launch's environment: the config names it, else the copied rollout does."""
    given = setting(launch, project, ENVIRONMENT)
    named = given.text if given is not None and given.kind == "str" else ""
    if given is None and generate is not None:
        named = default_environment(generate.source) or ""
    return module_of_environment(named, project, launch.script.parent)


def _may_be_wanted(launch: Launch, project: Project, generate: Entry | None, wants: Callable[[Path], bool]) -> bool:
    """Whether the module of a launch's environment may be wanted, as the texts tell that name one."""
    config = launch.last(CONFIG)
    if config is not None and config.value is None:
        return True
    named = set() if config is None else named_in_text(project.read(project.root / (config.value or "")) or b"")
    if named is None:
        return True
    named.add((default_environment(generate.source) if generate is not None else None) or "")
    found = (module_of_environment(one, project, launch.script.parent) for one in named)
    return any(source is not None and wants(source.path) for source in found)


def default_environment(rollout: PythonSource) -> str | None:
    """The module that a rollout takes the environment from where no config names one."""
    if DEFAULT_ENVIRONMENT not in rollout.text or rollout.tree is None:
        return None
    for statement in rollout.tree.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == DEFAULT_ENVIRONMENT for target in targets):
            return literal_text(getattr(statement, "value", None))
    return None


def reached(entry: Entry, project: Project) -> Reached:
    """What runs when Relax makes this call; worked out once a project."""
    from relax_lint.flow.interpreter import interpreter_of

    interpreter = interpreter_of(project)
    answers = interpreter.answers
    readings = answers.ask("readings", lambda: Readings(interpreter.project, interpreter.resolver))
    return answers.ask(("reached", entry), lambda: _reached(entry, Graph(readings)))


def _reached(entry: Entry, graph: Graph) -> Reached:
    if entry.source.tree is None:
        return Reached(graph)
    args, sample = frozenset({ARGS}), frozenset({SAMPLE})
    if entry.kind == "reward":
        _run(graph, entry, Passed((args, entry.given)))
    elif entry.kind == "generate":
        _run(graph, entry, Passed((args, sample, frozenset({_SAMPLING}))))
    else:
        made = _run(graph, entry, Passed((), (("sample", sample), ("args", args))))
        _run_methods(graph, entry, [value for value in made if isinstance(value, Object)])
    return Reached(graph)


def _run(graph: Graph, entry: Entry, passed: Passed) -> Values:
    """Follow a call from the event loop, and say what it gives."""
    look = _caller(graph, entry)
    module = look.at_module(entry.source)
    graph.run()  # what runs on import may register what the name holds
    for callee in module.name(entry.name):
        look.apply(callee, passed, None)
    graph.run()
    again = _caller(graph, entry)
    return together(again.apply(callee, passed, None) for callee in again.at_module(entry.source).name(entry.name))


def _run_methods(graph: Graph, entry: Entry, environments: list[Object]) -> None:
    look = _caller(graph, entry)
    for environment in environments or _environments(look, entry):
        for name in METHODS:
            passed = Passed((frozenset({_RESPONSE}),)) if name == "step" else Passed(complete=False)
            given = passed if name != "reset" else Passed()
            methods = member(look, environment, name)
            if name == "step" and entry.in_threads:
                look.start(methods, given, None)
                continue
            for method in methods:
                look.apply(method, given, None)
    graph.run()


def _environments(look: Look, entry: Entry) -> list[Object]:
    """The environments of a module whose ``build_env`` does not say which it makes."""
    classes = entry.source.nodes(ast.ClassDef)
    kinds = [Kind(entry.source, node) for node in classes if any(_is_step(part) for part in node.body)]
    for kind in kinds:
        look.apply(kind, Passed(complete=False), None)
    return [Object(kind) for kind in kinds]


def _is_step(node: ast.stmt) -> bool:
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == "step"


def _caller(graph: Graph, entry: Entry) -> Look:
    """The event loop that calls the recipe."""
    frame = Frame(entry.source, ast.Module([], []), "loop", None, Bindings(ast.Module([], []), ""))
    return Look(graph, frame, frame)
