"""What functions of Python's own library, and the few others that rewards use, give."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from relax_lint.flow.classes import fields_of
from relax_lint.flow.loops import element_of, items_of
from relax_lint.flow.scopes import is_logging
from relax_lint.flow.shapes import (
    IMAGE,
    NONE,
    NONE_TYPE,
    SAMPLES_LENGTH,
    SCALAR,
    TEXT,
    UNKNOWN,
    UNKNOWN_LENGTH,
    Arguments,
    Awaitable,
    Constant,
    Dictionary,
    Entry,
    Function,
    Instance,
    Library,
    NoneValue,
    SampleCount,
    Sequence,
    Shape,
    TupleClass,
    alternatives,
    each,
    is_scalar,
    truth,
)
from relax_lint.flow.signals import NoReturn
from relax_lint.records import changed as replace

if TYPE_CHECKING:
    from relax_lint.flow.interpreter import Interpreter

IDENTITY_DECORATORS = frozenset(
    (
        *("functools.lru_cache", "functools.cache", "functools.lru_cache()", "functools.wraps()", "typing.final"),
        *("typing.no_type_check", "typing.overload", "torch.no_grad()", "torch.inference_mode()"),
        *("torch.no_grad", "torch.inference_mode", "typing_extensions.deprecated()", "warnings.deprecated()"),
        *("typing.override", "typing_extensions.override"),
    )
)
"""Decorators that leave what a function returns, and whether it is awaited."""

EXECUTOR_METHODS = frozenset({"run_in_executor", "run_until_complete"})
"""Methods that are told by their name, whatever the loop comes from."""

_KEPT_RESULTS = frozenset(
    (
        *("contextlib.suppress", "asyncio.get_event_loop", "asyncio.get_running_loop", "asyncio.new_event_loop"),
        *("functools.lru_cache", "functools.wraps", "torch.no_grad", "torch.inference_mode"),
        *("typing_extensions.deprecated", "warnings.deprecated", "itertools.count", "logging.getLogger"),
        *("types.SimpleNamespace", "argparse.Namespace"),
    )
)
"""Calls whose result is told by what was called."""

_NEVER_RETURN = frozenset(
    {"sys.exit", "os._exit", "exit", "quit", "os.abort", "typing.assert_never", "typing_extensions.assert_never"}
)
_SCALARS = frozenset(
    (
        *("float", "int", "bool", "len", "hash", "ord", "isinstance", "issubclass", "callable", "hasattr"),
        *("any", "all", "id", "random.random", "random.randint", "random.uniform", "random.gauss", "random.randrange"),
        *("time.time", "time.perf_counter", "time.monotonic", "difflib.SequenceMatcher().ratio"),
        *("statistics.mean", "statistics.fmean", "statistics.median", "statistics.stdev", "statistics.pstdev"),
        *("os.path.exists", "os.path.isfile", "os.path.isdir", "os.getpid", "os.path.getsize", "sys.getsizeof"),
        *(f"numpy.{name}" for name in ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "bool_")),
    )
)
_TEXTS = frozenset(
    (
        *("str", "repr", "format", "chr", "ascii", "hex", "bin", "oct", "json.dumps", "re.sub", "re.escape"),
        *("os.path.join", "os.path.basename", "os.path.dirname", "textwrap.dedent", "pprint.pformat"),
    )
)
_NONES = frozenset(
    (
        *("print", "time.sleep", "random.seed", "random.shuffle", "setattr", "delattr", "warnings.warn"),
        *("pprint.pprint", "traceback.print_exc", "json.dump", "pickle.dump", "os.makedirs", "os.mkdir", "os.remove"),
        *("logging.basicConfig", "numpy.random.seed", "numpy.random.shuffle", "shutil.rmtree"),
    )
)
_NUMPY_REDUCTIONS = frozenset(
    f"numpy.{name}" for name in ("mean", "sum", "max", "min", "median", "std", "var", "prod", "any", "all")
)


def call_library(interpreter: Interpreter, name: str, arguments: Arguments) -> Shape:
    """What calling something from elsewhere gives."""
    if name in _NEVER_RETURN:
        raise NoReturn
    if name == "len" and arguments.positional:
        return _length(arguments.positional[0])
    if name in _TRUTHS and len(arguments.positional) == 1 and arguments.complete:
        return _TRUTHS[name](arguments.positional[0])
    if name in _SCALARS or (name.startswith("math.") and name.count(".") == 1):
        return SCALAR
    if name in _TEXTS:
        return TEXT
    if name in _NONES or is_logging(name):
        return NONE
    if name in _NUMPY_REDUCTIONS and len(arguments.positional) == 1 and not arguments.keywords and arguments.complete:
        return SCALAR
    if name in _KEPT_RESULTS:
        return Library(f"{name}()")
    handler = _HANDLERS.get(name) or _HANDLERS.get(f".{name.rpartition('.')[2]}" if "()" in name else name)
    return handler(interpreter, arguments) if handler is not None else UNKNOWN


def _length(shape: Shape) -> Shape:
    if isinstance(shape, Sequence):
        if shape.length == SAMPLES_LENGTH:
            return SampleCount()
        if shape.length.kind == "exact":
            return Constant(shape.length.count)
    if isinstance(shape, Dictionary) and not shape.open and all(entry.sure for entry in shape.entries):
        return Constant(len(shape.entries))
    return SCALAR


def _truth(shape: Shape) -> Shape:
    """``bool``."""
    value = truth(shape)
    return SCALAR if value is None else Constant(value)


def _all_true(shape: Shape) -> Shape:
    return _of_truths(shape, decisive=False)


def _any_true(shape: Shape) -> Shape:
    return _of_truths(shape, decisive=True)


def _of_truths(shape: Shape, *, decisive: bool) -> Shape:
    """``any`` and ``all``: one item of the decisive kind is enough."""
    items = shape.items if isinstance(shape, Sequence) else None
    truths = [truth(item) for item in items] if items is not None else [None]
    if decisive in truths:
        return Constant(decisive)
    return SCALAR if None in truths else Constant(not decisive)


_TRUTHS: dict[str, Callable[[Shape], Shape]] = {"bool": _truth, "all": _all_true, "any": _any_true}


def _type(interpreter: Interpreter, arguments: Arguments) -> Shape:
    return Library(NONE_TYPE) if arguments.positional == (NONE,) else UNKNOWN


def _islice(interpreter: Interpreter, arguments: Arguments) -> Shape:
    """``itertools.islice`` between known places."""
    items = arguments.at(0)
    if not isinstance(items, Sequence):
        return Sequence(UNKNOWN, UNKNOWN_LENGTH, kind="iterator")
    known = all(isinstance(end, (Constant, NoneValue)) for end in arguments.positional[1:])
    return Sequence(items.element, items.length.at_most() if known else UNKNOWN_LENGTH, kind="iterator")


# ------------------------------------------------------------ numbers


def _extreme(interpreter: Interpreter, arguments: Arguments) -> Shape:
    """``min`` and ``max``."""
    if len(arguments.positional) == 1:
        return each(element_of(arguments.positional[0]), lambda part: SCALAR if is_scalar(part) else UNKNOWN)
    return SCALAR if all(map(is_scalar, arguments.positional)) else UNKNOWN


def _sum(interpreter: Interpreter, arguments: Arguments) -> Shape:
    items = arguments.at(0)
    parts = alternatives(element_of(items)) if items is not None else ()
    return SCALAR if len(arguments.positional) == 1 and all(map(is_scalar, parts)) else UNKNOWN


def _rounded(interpreter: Interpreter, arguments: Arguments) -> Shape:
    """``round``, ``abs`` and functions of numpy that work on numbers one by one."""
    first = arguments.at(0)
    return SCALAR if first is not None and all(map(is_scalar, alternatives(first))) else UNKNOWN


# ------------------------------------------------------------ containers


def _dict(interpreter: Interpreter, arguments: Arguments) -> Shape:
    result = Dictionary(open=not arguments.complete)
    for other in arguments.positional[:1]:
        result = result.merged(other)
    for name, value in arguments.keywords:
        result = result.put(name, value)
    return result


def _from_keys(interpreter: Interpreter, arguments: Arguments) -> Shape:
    """``dict.fromkeys``."""
    keys = items_of(arguments.positional[0]) if arguments.positional else None
    result = Dictionary(open=keys is None)
    for key in keys or ():
        if not isinstance(key, Constant):
            return Dictionary(open=True)
        result = result.put(key.value, arguments.at(1, "value") or NONE)
    return result


def _open_dict(interpreter: Interpreter, arguments: Arguments) -> Shape:
    return Dictionary(open=True)


def _sequence_maker(kind: str) -> Callable[[Interpreter, Arguments], Shape]:
    def make(interpreter: Interpreter, arguments: Arguments) -> Shape:
        items = arguments.at(0)
        if items is None:
            return Sequence.of((), kind)  # type: ignore[arg-type]
        if not isinstance(items, Sequence):
            return Sequence(UNKNOWN, UNKNOWN_LENGTH, kind=kind)  # type: ignore[arg-type]
        known = items.items
        length = items.length
        if kind == "set":
            known, length = None, length.at_most()
        return Sequence(items.element, length, known, kind=kind)  # type: ignore[arg-type]

    return make


def _reordered(interpreter: Interpreter, arguments: Arguments) -> Shape:
    """``sorted``, ``reversed``, ``iter``."""
    items = arguments.at(0)
    if isinstance(items, Sequence):
        return Sequence(items.element, items.length)
    return Sequence(UNKNOWN, UNKNOWN_LENGTH)


def _enumerate(interpreter: Interpreter, arguments: Arguments) -> Shape:
    items = arguments.at(0)
    element = element_of(items) if items is not None else UNKNOWN
    length = items.length if isinstance(items, Sequence) else UNKNOWN_LENGTH
    known = None
    if isinstance(items, Sequence) and items.items is not None and len(arguments.positional) == 1:
        known = tuple(Sequence.of((Constant(index), item), "tuple") for index, item in enumerate(items.items))
    return Sequence(Sequence.of((SCALAR, element), "tuple"), length, known, kind="iterator")


def _zip(interpreter: Interpreter, arguments: Arguments) -> Shape:
    elements = [element_of(items) for items in arguments.positional]
    lengths = {items.length if isinstance(items, Sequence) else UNKNOWN_LENGTH for items in arguments.positional}
    length = lengths.pop() if len(lengths) == 1 and arguments.complete else UNKNOWN_LENGTH
    runs = [items.items for items in arguments.positional if isinstance(items, Sequence) and items.items is not None]
    if runs and len(runs) == len(arguments.positional) and arguments.complete:
        return Sequence.of((Sequence.of(row, "tuple") for row in zip(*runs, strict=False)), "iterator")
    return Sequence(Sequence.of(elements, "tuple") if arguments.complete else UNKNOWN, length, kind="iterator")


def _map(interpreter: Interpreter, arguments: Arguments) -> Shape:
    if len(arguments.positional) < 2:
        return UNKNOWN
    function, items = arguments.positional[0], arguments.positional[1]
    try:
        result = interpreter.call(function, Arguments(tuple(map(element_of, arguments.positional[1:]))))
    except NoReturn:
        result = UNKNOWN
    alone = len(arguments.positional) == 2 and isinstance(items, Sequence)
    length = items.length if alone and isinstance(items, Sequence) else UNKNOWN_LENGTH
    return Sequence(result, length, kind="iterator")


def _filter(interpreter: Interpreter, arguments: Arguments) -> Shape:
    items = arguments.at(1)
    if not isinstance(items, Sequence):
        return Sequence(UNKNOWN, UNKNOWN_LENGTH, kind="iterator")
    return Sequence(items.element, items.length.at_most(), kind="iterator")


def _range(interpreter: Interpreter, arguments: Arguments) -> Shape:
    ends = arguments.positional
    if len(ends) == 1 and isinstance(ends[0], SampleCount):
        return Sequence(SCALAR, SAMPLES_LENGTH, kind="iterator")
    numbers = [end.value for end in ends if isinstance(end, Constant) and type(end.value) is int]
    if ends and len(numbers) == len(ends) and (len(ends) < 3 or numbers[2]):
        found = range(*numbers)
        if len(found) <= 64:
            return Sequence.of(map(Constant, found), "iterator")
    return Sequence(SCALAR, UNKNOWN_LENGTH, kind="iterator")


def _same(interpreter: Interpreter, arguments: Arguments) -> Shape:
    """``copy.deepcopy``: another object that is like the first."""
    first = arguments.at(0)
    return UNKNOWN if first is None else each(first, replace)


def _image(interpreter: Interpreter, arguments: Arguments) -> Shape:
    """What opens or makes an image with Pillow."""
    return IMAGE


def _named_tuple(interpreter: Interpreter, arguments: Arguments) -> Shape:
    """``collections.namedtuple``: a class."""
    names = arguments.at(1, "field_names")
    if isinstance(names, Constant) and isinstance(names.value, str):
        fields = tuple(names.value.replace(",", " ").split())
    elif isinstance(names, Sequence) and names.items is not None:
        fields = tuple(str(item.value) for item in names.items if isinstance(item, Constant))
        if len(fields) < len(names.items):
            return UNKNOWN
    else:
        return UNKNOWN
    given = dict(arguments.keywords).get("defaults", Sequence.of((), "tuple"))
    known = isinstance(given, Sequence) and given.items is not None
    return TupleClass(fields, given.items or () if isinstance(given, Sequence) and known else (UNKNOWN,) * len(fields))


def _cast(interpreter: Interpreter, arguments: Arguments) -> Shape:
    return arguments.at(1) or UNKNOWN


def _as_dictionary(interpreter: Interpreter, arguments: Arguments) -> Shape:
    """``dataclasses.asdict``: one key a field."""
    first = arguments.at(0)
    make = fields_of(interpreter, first.cls) if isinstance(first, Instance) else None
    if make is None or not make.is_dataclass:
        return Dictionary(open=True)
    return Dictionary(tuple(Entry(name, UNKNOWN) for name in make.fields))


def _tensor(interpreter: Interpreter, arguments: Arguments) -> Shape:
    first = arguments.at(0)
    return SCALAR if first is not None and is_scalar(first) else UNKNOWN


# ------------------------------------------------------------ functions and coroutines


def _partial(interpreter: Interpreter, arguments: Arguments) -> Shape:
    first = arguments.at(0)
    if not isinstance(first, Function) or not arguments.complete:
        return UNKNOWN
    keywords = {**dict(first.keywords), **dict(arguments.keywords)}
    return replace(first, bound=(*first.bound, *arguments.positional[1:]), keywords=tuple(keywords.items()))


def _call_later(interpreter: Interpreter, arguments: Arguments, skip: int) -> Shape:
    if len(arguments.positional) <= skip:
        return Awaitable(UNKNOWN)
    function = arguments.positional[skip]
    try:
        result = interpreter.call(function, replace(arguments, positional=arguments.positional[skip + 1 :]))
    except NoReturn:
        result = UNKNOWN
    return Awaitable(result)


def _to_thread(interpreter: Interpreter, arguments: Arguments) -> Shape:
    return _call_later(interpreter, arguments, 0)


def _in_executor(interpreter: Interpreter, arguments: Arguments) -> Shape:
    return _call_later(interpreter, arguments, 1)


def _result_of(shape: Shape) -> Shape:
    return each(shape, lambda part: part.result if isinstance(part, Awaitable) else UNKNOWN)


def _gather(interpreter: Interpreter, arguments: Arguments) -> Shape:
    given = arguments.positional
    if not arguments.complete and len(given) == 1 and isinstance(given[0], Sequence):
        return Awaitable(Sequence(_result_of(given[0].element), given[0].length))
    if not arguments.complete:
        return Awaitable(Sequence(UNKNOWN, UNKNOWN_LENGTH))
    items = tuple(map(_result_of, given))
    return Awaitable(Sequence.of(items))


def _as_completed(interpreter: Interpreter, arguments: Arguments) -> Shape:
    """``as_completed``: each of what it was given, in some order."""
    items = arguments.at(0, "fs")
    if not isinstance(items, Sequence):
        return Sequence(UNKNOWN, UNKNOWN_LENGTH, kind="iterator")
    return Sequence(Awaitable(_result_of(items.element)), items.length, kind="iterator")


def _futures_completed(interpreter: Interpreter, arguments: Arguments) -> Shape:
    items = arguments.at(0, "fs")
    return Sequence(UNKNOWN, items.length if isinstance(items, Sequence) else UNKNOWN_LENGTH, kind="iterator")


def _awaiting(interpreter: Interpreter, arguments: Arguments) -> Shape:
    """``wait_for``, ``shield``, ``create_task``: gives what it was given, when awaited."""
    first = arguments.at(0)
    return Awaitable(UNKNOWN if first is None else _result_of(first))


def _run(interpreter: Interpreter, arguments: Arguments) -> Shape:
    first = arguments.at(0)
    return UNKNOWN if first is None else _result_of(first)


def _sleep(interpreter: Interpreter, arguments: Arguments) -> Shape:
    return Awaitable(arguments.at(1, "result") or NONE)


_HANDLERS: dict[str, Callable[[Interpreter, Arguments], Shape]] = {
    "min": _extreme,
    "max": _extreme,
    "sum": _sum,
    "round": _rounded,
    "abs": _rounded,
    "numpy.clip": _rounded,
    "numpy.round": _rounded,
    "dict": _dict,
    "dict.fromkeys": _from_keys,
    "collections.OrderedDict": _dict,
    "collections.defaultdict": _open_dict,
    "collections.Counter": _open_dict,
    "vars": _open_dict,
    "list": _sequence_maker("list"),
    "tuple": _sequence_maker("tuple"),
    "set": _sequence_maker("set"),
    "frozenset": _sequence_maker("set"),
    "sorted": _reordered,
    "reversed": _reordered,
    "iter": _reordered,
    "enumerate": _enumerate,
    "zip": _zip,
    "map": _map,
    "filter": _filter,
    "range": _range,
    "itertools.islice": _islice,
    "type": _type,
    "copy.copy": _same,
    "copy.deepcopy": _same,
    "typing.cast": _cast,
    "collections.namedtuple": _named_tuple,
    "PIL.Image.open": _image,
    "PIL.Image.new": _image,
    "PIL.Image.fromarray": _image,
    "PIL.Image.frombytes": _image,
    "dataclasses.asdict": _as_dictionary,
    "torch.tensor": _tensor,
    "functools.partial": _partial,
    "asyncio.to_thread": _to_thread,
    ".run_in_executor": _in_executor,
    "asyncio.gather": _gather,
    "asyncio.wait_for": _awaiting,
    "asyncio.shield": _awaiting,
    "asyncio.as_completed": _as_completed,
    "concurrent.futures.as_completed": _futures_completed,
    "asyncio.create_task": _awaiting,
    "asyncio.ensure_future": _awaiting,
    ".create_task": _awaiting,
    "asyncio.run": _run,
    ".run_until_complete": _run,
    "asyncio.sleep": _sleep,
    "re.findall": lambda interpreter, arguments: Sequence(UNKNOWN, UNKNOWN_LENGTH),
    "re.split": lambda interpreter, arguments: Sequence(UNKNOWN, UNKNOWN_LENGTH),
}
