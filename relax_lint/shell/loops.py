"""Loops: exact while everything that decides them is known; once round, and then any number of times, where not."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from relax_lint.diagnostics import Place
from relax_lint.shell.calls import failed_expansion, unwritable
from relax_lint.shell.nodes import ArithmeticFor, Command, For, Loop, Word
from relax_lint.shell.refusals import Abort, Discard, ReadOnly
from relax_lint.shell.scans import has_work
from relax_lint.shell.state import Flow, State, merge, widen
from relax_lint.shell.values import Known, Root, Value, known, unknown

if TYPE_CHECKING:
    from relax_lint.shell.interpret import Shell

MAXIMUM_ROUNDS = 2_000
RETRIES = 2
"""After as many rounds of waiting for something, starting no training, what is left of a loop is no longer counted."""
MAXIMUM_WAYS = 6
"""As many ways as go through a loop side by side; beyond, what differs between them counts as unknown."""


def run_loop(shell: Shell, node: Loop | For | ArithmeticFor, state: State) -> list[State]:
    """A loop of any kind, which ``break`` in its own function can leave."""
    frame = shell.calls[-1]
    frame.loops += 1
    try:
        if isinstance(node, For):
            return _run_for(shell, node, state)
        return _run_while(shell, node, state) if isinstance(node, Loop) else _run_arithmetic_for(shell, node, state)
    finally:
        frame.loops -= 1


def _run_while(shell: Shell, node: Loop, state: State) -> list[State]:
    """``while`` and ``until``."""

    def ask(current: State) -> list[tuple[State, bool]]:
        answers = []
        for each in shell.run_condition(node.condition, [current]):
            if each.flow is not None:
                answers.append((each, True))
                continue
            yes, no = shell.branch(each, node.condition[-1] if node.condition else node)
            for branch, outcome in ((yes, True), (no, False)):
                if branch is not None:
                    answers.append((branch, outcome != node.until))
        return answers

    return _rounds(shell, node, node.body, state, ask, None)


def _run_arithmetic_for(shell: Shell, node: ArithmeticFor, state: State) -> list[State]:
    """``for ((…; …; …))``."""

    def compute(word: Word, current: State) -> Value:
        shell.command = node
        if not word.parts:
            return known("1")
        return current.resolve(shell.expander.arithmetic_value(word, current, word))

    def ask(current: State) -> list[tuple[State, bool]]:
        from relax_lint.shell.conditions import numeric

        value = compute(node.condition, current)
        if value.text is not None:
            return [(current, value.text != "0")]
        shell.set_outcome(current, numeric("-ne", value, known("0"), current))
        yes, no = shell.branch(current, shell.source.text[node.condition.start : node.condition.end].strip())
        return [(branch, outcome) for branch, outcome in ((yes, True), (no, False)) if branch is not None]

    def step(current: State) -> None:
        compute(node.step, current)

    try:
        compute(node.initial, state)
        return _rounds(shell, node, node.body, state, ask, step)
    except ReadOnly:
        return unwritable(shell, state, 1)
    except (Abort, Discard) as error:
        return failed_expansion(shell, state, error)


def _run_for(shell: Shell, node: For, state: State) -> list[State]:
    """``for name in words``, and ``select`` read as choosing any."""
    shell.command = node
    try:
        if node.words is None:
            values = shell.expander.parameters.arguments(state)
        else:
            values = [field for word in node.words for field in shell.expander.fields(word, state)]
    except (Abort, Discard) as error:
        return failed_expansion(shell, state, error)
    if not values:
        state.status, state.undecided = 0, None
        return [state]
    going, left = [state], list[State]()
    launched = shell.recorder.launched(shell.reading)
    escapes = 0
    works = has_work(node, state)
    for number, value in enumerate(values):
        if works is not None and number < len(values) - 1 and (text := value.text) is not None and not works(text):
            continue  # and leaves nothing behind that the next round does not set anew
        if escapes >= RETRIES and shell.recorder.launched(shell.reading) == launched:
            alike = [each for each in left if each.flow is None]
            ended = [each for each in left if each.flow is not None]
            return [
                *ended,
                widen(
                    [*alike, *going], lambda name: _loop_root(shell, node, name), keep_defaults=not shell.reading.clean
                ),
            ]
        skipping: list[State] = []
        refused = [each for each in going if each.is_read_only(node.name)]
        if refused:
            left.extend(end for each in refused for end in unwritable(shell, each, 1))
            going = [each for each in going if each not in refused]
        for each in going:
            resolved = each.resolve(value)
            if node.select or (resolved.many and not _is_one_word(shell, resolved)):
                skipping.append(each.copy())
                resolved = _one_of_many(shell, node, resolved, number)
            each.set_value(node.name, resolved.unplaced)
        counted = not (skipping or _is_glob(value))
        going, gone = _sort_out(shell.run_round(number, node, node.body, going, counted=counted))
        if skipping:
            going = [
                widen(
                    [*skipping, *going],
                    lambda name: _loop_root(shell, node, name),
                    keep_defaults=not shell.reading.clean,
                )
            ]
        escapes += bool(gone) and bool(going)
        going = _narrowed(shell, node, going)
        left = _narrowed(shell, node, left + gone)
        if not going:
            break
    return merge(left + going)


def _is_one_word(shell: Shell, value: Value) -> bool:
    """Whether an unquoted word with unknown parts is meant to be one, as ``$DIR/model`` is."""
    return not shell.reading.clean and any(isinstance(chunk, Known) and chunk.text.strip() for chunk in value.chunks)


def _is_glob(value: Value) -> bool:
    """Whether a word stands for files, of which there may be any number."""
    return any(isinstance(chunk, Known) and ("*" in chunk.text or "?" in chunk.text) for chunk in value.chunks)


def _one_of_many(shell: Shell, node: For, value: Value, number: int) -> Value:
    """One word of an unknown number of them."""
    alternatives = {root.alternative for root in value.roots}
    if len(value.chunks) == 1 and None not in alternatives and len(alternatives) == 1:
        only = alternatives.pop() or ""
        if only.split() == [only]:
            return known(only)
    key = (shell.source, node.start, "round", number, value.roots)
    roots = shell.expander.roots
    if key not in roots:
        roots[key] = Root(f"${node.name}", None, value.roots)
    return unknown(roots[key])


def _narrowed(shell: Shell, node: Command, states: list[State]) -> list[State]:
    """Few enough ways, one of them standing for those that differ too much."""
    alike = [state for state in states if state.flow is None]
    if len(alike) <= MAXIMUM_WAYS:
        return states
    rest = [state for state in states if state.flow is not None]
    return [*rest, widen(alike, lambda name: _loop_root(shell, node, name), keep_defaults=not shell.reading.clean)]


def _loop_root(shell: Shell, node: Command, name: str) -> Root:
    """The root of what a variable may hold after a loop."""
    key = (shell.source, node.start, "loop", name)
    roots = shell.expander.roots
    if key not in roots:
        roots[key] = Root(f"${{{name}}}", None)
    return roots[key]


def _sort_out(states: list[State]) -> tuple[list[State], list[State]]:
    """States that go on with the next round, and those that left the loop, ``break`` and ``continue`` dealt with."""
    going, left = [], []
    for state in states:
        flow = state.flow
        if flow is None:
            going.append(state)
        elif flow.kind in ("break", "continue"):
            if flow.levels > 1:
                state.flow = Flow(flow.kind, flow.levels - 1)
                left.append(state)
            else:
                state.flow = None
                (going if flow.kind == "continue" else left).append(state)
        else:
            left.append(state)
    return merge(going), left


def _rounds(
    shell: Shell, node: Loop | ArithmeticFor, body: tuple[Command, ...], state: State,
    ask: Callable[[State], list[tuple[State, bool]]], step: Callable[[State], None] | None,
) -> list[State]:  # fmt: skip
    """Round after round, until the condition fails, something leaves, or the rest can no longer be counted."""
    origin = state.copy()
    going = [state]
    left: list[State] = []
    first = True
    previous: State | None = None
    for number in range(MAXIMUM_ROUNDS):
        entering: list[State] = []
        failed: list[State] = []
        undecided = False
        for each in going:
            last = 0 if first else each.status
            answers = ask(each)
            outcomes = {outcome for _, outcome in answers}
            undecided = undecided or len(outcomes) > 1
            for branch, outcome in answers:
                (entering if outcome else failed).append(branch)
                if not outcome:
                    branch.status, branch.undecided = last, None
        if not entering:
            return merge(left + failed)
        before = [each.copy() for each in failed]
        if previous is not None and not (undecided or failed) and all(each.same(previous) for each in entering):
            return merge([*left, *(_stopped(each) for each in entering)])
        previous = entering[0].copy()
        going, gone = _sort_out(shell.run_round(number, node, body, entering, counted=not undecided))
        escaped = bool(gone) and bool(going)
        first = False
        if step is not None:
            for each in going:
                step(each)
        if undecided or escaped:
            ended = [each for each in (*left, *gone) if each.flow is not None]
            stopped = [each for each in (*left, *gone) if each.flow is None]
            rounds = before + stopped + going
            if not rounds:
                return merge(ended)
            return [
                *merge(ended),
                widen(rounds, lambda name: _loop_root(shell, node, name), keep_defaults=not shell.reading.clean),
            ]
        left = _narrowed(shell, node, [*left, *gone, *failed])
        going = _narrowed(shell, node, going)
        if not going:
            return merge(left)
    shell.recorder.too_complex(Place(shell.source, node.start, node.end))
    uncounted = widen([origin, *going], lambda name: _loop_root(shell, node, name), keep_defaults=False)
    return merge([*left, uncounted])


def _stopped(state: State) -> State:
    """A way that never came out of its loop launches nothing after it."""
    state.flow = Flow("exit")
    state.status = 1
    return state
