"""The form that Relax calls: ``compute_score`` and ``reward_func`` around a function that scores."""

from __future__ import annotations

import json
import keyword
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from relax_lint.migrate.reward.request import BATCH, DAPO, LIMITED, PRIME
from relax_lint.records import record

if TYPE_CHECKING:
    from relax_lint.migrate.reward.entry import Entry, Given
    from relax_lint.migrate.reward.extra_info import ExtraInfo
    from relax_lint.migrate.reward.request import Argument, Manager
    from relax_lint.migrate.reward.where import Where

NAMES = frozenset({"compute_score", "reward_func", "Sample"})
"""What a reward defines by these names; carried code that has them, too, goes to a file of its own."""
OWN = frozenset(
    {"_as_result", "_data_source", "_ground_truth", "_penalized", "_at_once", "_AT_ONCE", "_extra_info"}
    | {"_sandbox_slots", "_SLOTS", "_response", "_tokenizer"}
)
"""Further names that it may define."""
_READ = {
    "solution_str": "sample.response",
    "ground_truth": "_ground_truth(sample)",
    "extra_info": "sample.metadata",
    "data_source": "_data_source(sample)",
}
_ONE_OF = {"solution_strs": "solution_str", "ground_truths": "ground_truth", "extra_infos": "extra_info"}
_ONE_OF["data_sources"] = "data_source"
SLOTS = "concurrent_semaphore"
"""What verl's own scoring calls the slots of its code sandbox."""
_WIDTH = 110


@record
class Form:
    """What decides how the reward looks. ``function`` is what the function that scores is called in the reward's file;
    ``extra`` is what has to be made of the metadata for it."""

    entry: Entry
    manager: Manager
    where: Where
    function: str
    extra: ExtraInfo | None = None
    turns: bool = False
    module: str = ""
    """The module that other processes take the function from by its name, where it is none that can be handed to them:
    an instance, a method, what a decorator made."""
    in_bare_thread: bool = False
    """Whether the thread that scores must have nothing of the state that the importing one has, as verl's have not."""

    @property
    def group(self) -> bool:
        """Whether all samples of a prompt are scored at once."""
        return self.manager.kind == BATCH


def imports(form: Form) -> Iterator[str]:
    """What the form needs beside the carried code."""
    waits = form.manager.timeout is not None or form.manager.at_once is not None
    if form.where == "thread" or waits:
        yield "import asyncio"
    if form.where == "process" or form.turns or form.in_bare_thread:
        yield "import functools"
    if _needs_label(form):
        yield "import json"
    if _has_slots(form):
        yield "import threading"
    yield "from relax.utils.types import Sample"


def definitions(form: Form) -> str:
    """The text of the functions, the entry point last."""
    parts = [_score(form), _as_result(form)]
    if _needs_label(form):
        parts.append(_GROUND_TRUTH)
    if any(value in ("data_source", "data_sources") for value in form.entry.values):
        parts.append(_DATA_SOURCE)
    if form.turns:
        parts.append(_RESPONSE)
    if form.extra is not None:
        parts.append(form.extra.text)
    if form.manager.overlong is not None:
        parts.append(_penalized(form))
    if form.manager.at_once is not None:
        parts.append(_AT_ONCE_TEXT)
    if _has_slots(form):
        parts.append(_SLOTS_TEXT)
    parts.append(_reward(form))
    return "\n\n\n".join(part.strip("\n") for part in parts) + "\n"


def workers(form: Form) -> str:
    """The text of the module with the processes that score."""
    if not form.module:
        return _WORKERS_TEXT
    return _WORKERS_TEXT.replace("import asyncio\n", "import asyncio\nimport importlib\n", 1) + _BY_NAME_TEXT


def _needs_label(form: Form) -> bool:
    return any(value in ("ground_truth", "ground_truths") for value in form.entry.values)


def _has_slots(form: Form) -> bool:
    """Whether there are slots of a sandbox to share; other processes cannot share them, and are few by themselves."""
    return form.where != "process" and any(each.name == SLOTS for each in form.entry.options)


# ------------------------------------------------------------ compute_score


def _score(form: Form) -> str:
    entry = form.entry
    parameters = [*entry.values]
    if entry.options or form.where == "process":
        parameters.append("*")
    parameters += [
        f"{each.parameter}={_literal(None if each.name == SLOTS else each.default)}" for each in entry.options
    ]
    if form.where == "process":
        parameters.append("processes=16")
    given = [_handed(each) for each in entry.given]
    function = ["call_by_name", _quoted(form.module), _quoted(entry.function)] if form.module else [form.function]
    if form.where == "process":
        call = f"functools.partial({', '.join([*function, *given])})"
        called = "await score_apart(call, processes)"
    else:
        called = f"{'await ' if entry.is_async else ''}{form.function}({', '.join(given)})"
        call = ""
    awaits = "async " if entry.is_async or form.where == "process" else ""
    result, about = ("list[dict]", "responses") if form.group else ("dict", "one response")
    lines = [
        *_call_lines(f"{awaits}def compute_score", parameters, f" -> {result}:"),
        f'    """Score {about} as verl does; "score" is what counts."""',
    ]
    if call:
        lines += _call_lines("    call = functools.partial", [*function, *given], "")
    if form.group:
        lines += [f"    scores = {called}", "    return [_as_result(score) for score in scores]"]
    elif call:
        lines.append(f"    return _as_result({called})")
    else:
        lines += _nested(f"    return _as_result({'await ' if entry.is_async else ''}{form.function}", given)
    return "\n".join(lines)


def _handed(given: Given) -> str:
    """One argument of a call; what is no name in Python is given in a dict."""
    if not given.keyword:
        return given.expression
    if not given.keyword.isidentifier() or keyword.iskeyword(given.keyword):
        return f"**{{{_quoted(given.keyword)}: {given.expression}}}"
    return f"{given.keyword}={given.expression}"


def _as_result(form: Form) -> str:
    acc = ', "acc": float(result)' if form.manager.kind == DAPO else ""
    return f'''def _as_result(result) -> dict:
    """A score as a dict: what is none is a number, or begins with one."""
    if isinstance(result, dict):
        return {{**result, "score": float(result["score"])}}
    if isinstance(result, (tuple, list)):
        result = result[0]
    return {{"score": float(result){acc}}}'''


def _literal(value: object) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_literal(key)}: {_literal(each)}' for key, each in value.items())}}}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_literal, value))}]"
    return repr(value) if isinstance(value, (bool, int, float, str)) else "None"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


# ------------------------------------------------------------ reward_func


def _reward(form: Form) -> str:
    manager, entry = form.manager, form.entry
    given = [f"{each}={_source(form, each)}" for each in entry.values]
    given += [f"{each.parameter}={_option(each)}" for each in entry.options if each.name != SLOTS or _has_slots(form)]
    if form.where == "process":
        given.append('processes=getattr(args, "reward_num_workers", 16)')
    if form.group:
        head = "async def reward_func(args, samples: list[Sample], **kwargs):"
        about = "Score the responses to one prompt."
    else:
        head, about = "async def reward_func(args, sample: Sample, **kwargs):", "Score one response."
    lines = [head, f'    """{about}"""']
    threaded = form.where == "thread" and not entry.is_async
    name, first = ("asyncio.to_thread", ["compute_score"]) if threaded else ("compute_score", [])
    if threaded and form.in_bare_thread:
        lines += _call_lines("    call = functools.partial", ["compute_score", *given], "")
        lines.append("    # not by asyncio.to_thread: as in verl, what importing set for its own thread is not seen")
        name, first, given = "asyncio.get_running_loop().run_in_executor", ["None", "call"], []
    awaited = threaded or entry.is_async or form.where == "process"
    wait = "await " if awaited else ""
    guarded = manager.timeout is not None
    ends = manager.overlong is None and not guarded and manager.at_once is None
    if ends:
        return "\n".join([*lines, *_call_lines(f"    return {wait}{name}", [*first, *given], "")])
    indent = "    "
    if manager.at_once is not None:
        lines.append(f"{indent}async with _at_once({_option(manager.at_once)}):")
        indent += "    "
    if manager.timeout is not None:
        lines += [f"{indent}try:", *_call_lines(f"{indent}    scoring = {name}", [*first, *given], "")]
        lines += [
            f"{indent}    result = await asyncio.wait_for(scoring, {_option(manager.timeout)})",
            *_excepted(form, indent),
        ]
    else:
        lines += _call_lines(f"{indent}result = {wait}{name}", [*first, *given], "")
    if manager.overlong is not None:
        lines.append("    return _penalized(args, result, sample.response_length)")
    else:
        lines.append("    return result")
    return "\n".join(lines)


def _excepted(form: Form, indent: str) -> list[str]:
    """What verl's manager does when scoring fails or takes too long: it gives 0."""
    fails = form.manager.kind in (PRIME, LIMITED)
    caught = "Exception" if fails else "(TimeoutError, asyncio.TimeoutError)"
    what = "failed" if fails else "took too long"
    return [
        f"{indent}except {caught} as error:  # verl's reward manager goes on with 0, too",
        f'{indent}    print(f"scoring {what}: {{error!r}}")',
        f'{indent}    result = {{"score": 0.0}}',
    ]


def _source(form: Form, name: str) -> str:
    one = _ONE_OF.get(name, name)
    source = _READ[one]
    if one == "solution_str" and form.turns:
        source = "_response(args, sample)"
    if one == "extra_info" and form.extra is not None:
        source = "_extra_info(sample)"
    return f"[{source} for sample in samples]" if form.group else source


def _option(argument: Argument) -> str:
    read = f"getattr(args, {_quoted(argument.option)}, {_literal(argument.default)})"
    return f"_sandbox_slots({read})" if argument.name == SLOTS else read


def _penalized(form: Form) -> str:
    overlong = form.manager.overlong
    assert overlong is not None
    longest = "args.rollout_max_response_len" if overlong.longest is None else _option(overlong.longest)
    log = '\n    result.update({"overlong_reward": penalty, "overlong": penalty < 0})' if overlong.log else ""
    return f'''def _penalized(args, result: dict, response_length: int) -> dict:
    """Take off what verl's DAPO manager does for a response that reaches into the buffer before the longest."""
    buffer = {_option(overlong.buffer)}
    exceeding = response_length - ({longest} - buffer)
    penalty = min(-exceeding / buffer * {_option(overlong.factor)}, 0)
    result = {{**result, "raw_score": result["score"], "score": result["score"] + penalty}}{log}
    return result'''


_RESPONSE = '''
@functools.cache
def _tokenizer(checkpoint: str):
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(checkpoint, trust_remote_code=True)


def _response(args, sample: Sample) -> str:
    """All turns of a response without special tokens, as verl's reward managers read them."""
    tokens = sample.tokens[len(sample.tokens) - sample.response_length :]
    return _tokenizer(args.hf_checkpoint).decode(tokens, skip_special_tokens=True)
'''
_GROUND_TRUTH = '''
def _ground_truth(sample: Sample):
    """The ground truth as verl had it: what is no text is converted to JSON, and its row says so."""
    if sample.metadata.get("relax_label_encoding") == "json":
        return json.loads(sample.label)
    return sample.label
'''
_DATA_SOURCE = '''
def _data_source(sample: Sample):
    """The source as verl has it: its column, which has another name beside a data_source of extra_info's own."""
    metadata = sample.metadata
    return metadata["verl_data_source" if "verl_data_source" in metadata else "data_source"]
'''
WORKERS = "workers"
"""The module with the processes that score."""
_WORKERS_TEXT = '''\
"""Processes that score: signals want a main thread, and only what has no threads can safely be forked again.

This module imports nothing of Relax, so that its processes start at once.
"""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

_POOLS: dict[int, ProcessPoolExecutor] = {}


async def score_apart(call: Callable, processes: int):
    """What a call gives in one of the processes. When it is no longer waited for, they are stopped, and others wait
    for new ones."""
    if processes not in _POOLS:
        _POOLS[processes] = _started(processes)
    try:
        return await _scored(call, _POOLS[processes])
    except BrokenProcessPool:  # by another call, or for want of memory: this one goes alone
        alone = _started(1)
        try:
            return await _scored(call, alone)
        finally:
            alone.shutdown(wait=False)


async def _scored(call: Callable, pool: ProcessPoolExecutor):
    job = None
    try:
        job = pool.submit(call)
        return await asyncio.wrap_future(job)
    except (asyncio.CancelledError, BrokenProcessPool):
        if job is None or not job.cancel():
            _stop(pool)
        raise


def _started(processes: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"), _fork_children)


def _fork_children() -> None:
    """What the scoring itself starts is forked, as it is in verl."""
    multiprocessing.set_start_method("fork", force=True)


def _stop(pool: ProcessPoolExecutor) -> None:
    for processes, known in list(_POOLS.items()):
        if known is pool:
            del _POOLS[processes]
    for process in list((pool._processes or {}).values()):
        process.kill()
'''
_BY_NAME_TEXT = '''

def call_by_name(module: str, name: str, *given, **named):
    """What something in a module gives that cannot be handed to another process: each has its own."""
    return getattr(importlib.import_module(module), name)(*given, **named)
'''
_SLOTS_TEXT = '''
_SLOTS: threading.Semaphore | None = None


def _sandbox_slots(count: int) -> threading.Semaphore:
    """As many calls of the sandbox at a time as verl allows."""
    global _SLOTS
    if _SLOTS is None:
        _SLOTS = threading.Semaphore(count)
    return _SLOTS
'''
_AT_ONCE_TEXT = '''
_AT_ONCE: asyncio.Semaphore | None = None


def _at_once(count: int) -> asyncio.Semaphore:
    """As many scorings at a time as verl's reward manager allows."""
    global _AT_ONCE
    if _AT_ONCE is None:
        _AT_ONCE = asyncio.Semaphore(count)
    return _AT_ONCE
'''


# ------------------------------------------------------------ lines


def _call_lines(head: str, given: Sequence[str], tail: str) -> list[str]:
    """A call, or the head of a function, on one line or with one argument a line."""
    line = f"{head}({', '.join(given)}){tail}"
    if len(line) <= _WIDTH:
        return [line]
    indent = head[: len(head) - len(head.lstrip())]
    inner = [f"{indent}    {each}," for each in given]
    return [f"{head}(", *inner, f"{indent}){tail}"]


def _nested(head: str, given: Sequence[str]) -> list[str]:
    """A call in a call that it is all of."""
    lines = _call_lines(head, given, ")")
    if len(lines) == 1:
        return lines
    outer, _, inner = head.rpartition("(")
    return [f"{outer}(", *_call_lines(f"        {inner}", given, ""), "    )"]
