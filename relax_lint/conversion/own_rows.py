"""What a recipe's own preprocessing does to its rows, taken out of its script and put into the conversion script."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.conversion.own_expressions import Entry, Stop
from relax_lint.conversion.own_needs import Needs, needs
from relax_lint.conversion.own_program import Program
from relax_lint.conversion.own_text import INDENT, Moved, inside_strings, is_heading, looks, shifted, spaced
from relax_lint.conversion.own_values import Arguments, Data, Load, Op, Part
from relax_lint.migrate.carrying.code import AtLine
from relax_lint.records import record

if TYPE_CHECKING:
    from relax_lint.migrate.carrying.sources import Origin, VerlSources


class NotUnderstood(AtLine):
    """A script whose rows cannot be had out of its text."""


@record
class OwnRows:
    """The text of the function ``own_rows`` for the conversion script, the splits that it knows, what is to be told
    of it, and what else was ``carried`` into it: files with the names that they define."""

    text: str
    splits: tuple[str, ...]
    told: tuple[str, ...] = ()
    carried: tuple[tuple[Path, tuple[str, ...]], ...] = ()


def is_preprocessing(text: str) -> bool:
    """Whether a script may be one that makes data for verl."""
    return "reward_model" in text and ".to_parquet(" in text


def own_rows(path: Path, text: str, shown: str, sources: VerlSources | None = None) -> OwnRows:
    """The rows of the files that a script writes. Raises :class:`NotUnderstood`."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError) as problem:
        raise NotUnderstood(path, getattr(problem, "lineno", None) or 1, "cannot be read as Python") from None
    try:
        return _Writer(path, text, Program(tree), sources).write(shown)
    except Stop as stop:
        raise NotUnderstood(path, stop.line, stop.reason) from None
    except RecursionError:
        raise NotUnderstood(path, 1, "is nested too deep to be followed") from None


class _Writer:
    def __init__(self, path: Path, text: str, program: Program, sources: VerlSources | None) -> None:
        self._path, self._text, self._program, self._sources = path, text, program, sources
        self._moved = Moved(text)
        self._copied: dict[Origin, dict[str, str]] = {}
        self._needs: dict[Op, Needs] = {}

    def write(self, shown: str) -> OwnRows:
        files = self._program.files
        if not files:
            raise Stop(1, "nothing is written to parquet, as far as the text says")
        for data, _ in files.values():
            for op in _ops(data):
                if op not in self._needs and op.function is not None:
                    self._needs[op] = needs(self._program, op)
        self._are_apart(files)
        labels = _labels([part for data, _ in files.values() for part in data.parts])
        turning = self._turning()
        used = sorted({number for each in self._needs.values() for number in each.entries})
        common = [part for number in used if number not in turning for part in self._part(number)]
        own = [
            (op, [number for number in sorted(each.entries) if number in turning]) for op, each in self._needs.items()
        ]
        steps = {op: self._step(op, numbers, place) for place, (op, numbers) in enumerate(own, 1)}
        parts = [*self._copies(), *common, *(("definition", text) for _, text in steps.values() if text)]
        lines = ["def own_rows() -> dict[str, OwnFile]:"]
        lines += [f'{INDENT}"""The files of raw data, with the rows that {shown} makes."""', ""]
        lines += [*spaced(parts), ""] if parts else []
        lines += [f"{INDENT}return {{"]
        calls = {op: call for op, (call, _) in steps.items()}
        for name, (data, _) in files.items():
            lines.append(f'{INDENT * 2}"{name}": {_file(data, labels, calls)},')
        splits = tuple(dict.fromkeys(labels.values()))
        carried = tuple((origin.path, tuple(sorted(set(names.values())))) for origin, names in self._copied.items())
        return OwnRows("\n".join([*lines, f"{INDENT}}}"]) + "\n", splits, tuple(self._told(labels)), carried)

    def _told(self, labels: Mapping[tuple[Load, str], str]) -> Iterator[str]:
        for name, (data, _) in self._program.files.items():
            if data.shuffled:
                yield f"line {data.shuffled} shuffles the rows of {name}, which the conversion leaves in their order"
        others = [label for (_, split), label in labels.items() if label != split]
        if others:
            yield f"its raw files are known by their names and those of their directories: {', '.join(others)}"
        options = {name: value for each in self._needs.values() for name, value in each.options.items()}
        for name, value in options.items():
            yield f"the option --{name} counts as {value!r}, its default, in the conversion"

    def _are_apart(self, files: Mapping[str, tuple[Data, int]]) -> None:
        """See that no file depends on what was kept of the rows of another."""
        keeping: dict[tuple[str, int, int], str] = {}
        for file, (data, line) in files.items():
            for op in _ops(data):
                found = self._needs.get(op)
                for name in found.keeps if found is not None else ():
                    if found is not None and name in found.last:
                        if keeping.setdefault((name, *found.last[name]), file) != file:
                            raise Stop(line, f"{name} is kept from the rows of one file to those of the next")

    def _turning(self) -> set[int]:
        """The entries that are not the same for all steps."""
        last: dict[str, set[tuple[int, int]]] = {}
        for each in self._needs.values():
            for name, where in each.last.items():
                last.setdefault(name, set()).add(where)
        names = {name for name, found in last.items() if len(found) > 1}
        used = {number for each in self._needs.values() for number in each.entries}
        turning = set[int]()
        while True:
            more = {
                number
                for number in used - turning
                if names & {*self._program.entries[number].names, *_reads(self._program.entries[number])}
            }
            if not more:
                return turning
            turning |= more
            names |= {name for number in more for name in self._program.entries[number].names}

    # ------------------------------------------------------------ texts

    def _part(self, number: int) -> Iterator[tuple[str, str]]:
        """The text of an entry, and what it looks like."""
        entry = self._program.entries[number]
        if entry.expression is not None:
            text = ast.get_source_segment(self._text, entry.expression) or ""
            yield "other", f"{INDENT}{entry.names[0]} = {text}"
        elif entry.statement is None:
            yield from self._constants(entry)
        elif entry.is_new:
            text = ast.unparse(entry.statement)
            yield "definition", shifted(text, len(INDENT), inside_strings(text))
        elif not self._is_copied(entry.statement):
            yield looks(entry.statement), self._moved.text(entry.statement)

    def _constants(self, entry: Entry) -> Iterator[tuple[str, str]]:
        (name,) = entry.names
        if not isinstance(entry.value, Arguments):
            yield "other", f"{INDENT}{name} = {entry.value!r}"
            return
        options = {option: value for each in self._needs.values() for option, value in each.options.items()}
        given = {option: value for option, value in entry.value.options.items() if option in options}
        if entry.value.as_dict:
            yield "other", f"{INDENT}{name} = {given!r}"
            return
        yield "import", f"{INDENT}from types import SimpleNamespace"
        words = ", ".join(f"{option}={value!r}" for option, value in given.items())
        yield "other", f"{INDENT}{name} = SimpleNamespace({words})"

    def _step(self, op: Op, numbers: Sequence[int], place: int) -> tuple[str, str]:
        """What makes a step, and the text that has to stand before it."""
        call = self._call(op, {})
        if not numbers:
            return call, ""
        entries = [self._program.entries[number] for number in numbers]
        values = {
            entry.names[0]: entry.value for entry in entries if entry.statement is None and entry.expression is None
        }
        if len(values) == len(entries) and not any(isinstance(part, ast.Lambda) for part in ast.walk(_whole(op))):
            return self._call(op, values), ""
        parts = [part for number in numbers for part in self._part(number)]
        lines = [f"{INDENT}def step_{place}() -> Step:"]
        lines += [shifted(text, len(INDENT), inside_strings_of(text)) for text in spaced(parts)]
        lines += [f"{INDENT * 2}return {call}"]
        return f"step_{place}()", "\n".join(lines)

    def _call(self, op: Op, values: Mapping[str, object]) -> str:
        def text(part: ast.expr) -> str:
            if not values and hasattr(part, "lineno"):
                return ast.get_source_segment(self._text, part) or ""
            return ast.unparse(_Set(values).visit(ast.parse(ast.unparse(part), mode="eval").body))

        given = [text(op.function)] if op.function is not None else []
        given += op.literal
        if op.given is not None:
            given.append(f"given={text(op.given)}")
        found = self._needs.get(op)
        if found is not None and found.keeps:
            given.append("order=True")
        return f"{op.name}({', '.join(given)})"

    # ------------------------------------------------------------ other modules

    def _is_copied(self, statement: ast.stmt) -> bool:
        """Whether an import is of verl, or of another file of the user's, whose definitions are copied."""
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                if alias.name.split(".")[0] == "verl":
                    raise Stop(statement.lineno, "the rows need a module of verl")
                if self._sources is not None and self._sources.origin(alias.name, self._path) is not None:
                    raise Stop(
                        statement.lineno, f"the rows need {alias.name} as a whole: import what they need by name"
                    )
            return False
        if not isinstance(statement, ast.ImportFrom):
            return False
        module = statement.module or ""
        origin = self._sources.origin(module, self._path) if self._sources is not None and module else None
        if origin is None or statement.level > 1:
            if module.split(".")[0] == "verl" or statement.level:
                raise Stop(statement.lineno, f"the rows need {'.' * statement.level}{module}, which is not at hand")
            return False
        names = {name for each in self._needs.values() for name in each.last}
        known = {alias.asname or alias.name: alias.name for alias in statement.names}
        self._copied.setdefault(origin, {}).update((name, known[name]) for name in known if name in names)
        return True

    def _copies(self) -> Iterator[tuple[str, str]]:
        """Definitions of other modules."""
        from relax_lint.migrate.carrying.closure import closure
        from relax_lint.migrate.carrying.naming import Names
        from relax_lint.migrate.carrying.writing import carried_text

        for origin, names in self._copied.items():
            assert self._sources is not None
            copied = closure(self._sources.code(origin), sorted(set(names.values())), self._sources, Names(""))
            if copied.problems or len(copied.parts) > 1:
                where = copied.problems[0] if copied.problems else None
                why = where.message if where else f"{origin.dotted} needs other modules in turn"
                raise NotUnderstood(where.path if where else self._path, where.line if where else 1, why)
            text = carried_text(copied, copied.root)
            tree = ast.parse(text)
            first = next(each for each in tree.body if not is_heading(each))
            kept = "".join(
                text.splitlines(keepends=True)[first.lineno - 1 - len(getattr(first, "decorator_list", ())) :]
            )
            yield "definition", shifted(kept.rstrip("\n"), len(INDENT), inside_strings(kept))
            for name, known in names.items():
                if name != known:
                    yield "other", f"{INDENT}{name} = {known}"


class _Set(ast.NodeTransformer):
    """Puts values in the place of names."""

    def __init__(self, values: Mapping[str, object]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self._values:
            return node
        return ast.parse(repr(self._values[node.id]), mode="eval").body


def _ops(data: Data) -> Iterator[Op]:
    for part in data.parts:
        yield from part.ops
    yield from data.then


def _reads(entry: Entry) -> Iterator[str]:
    from relax_lint.conversion.own_names import reads

    part = entry.expression or entry.statement
    if part is not None:
        yield from reads(part)


def _whole(op: Op) -> ast.AST:
    return ast.Tuple([part for part in (op.function, op.given) if part is not None], ast.Load())


def inside_strings_of(text: str) -> frozenset[int]:
    """The lines of an indented text that begin inside a string."""
    return frozenset(line - 1 for line in inside_strings("if 1:\n" + text))


def _labels(parts: Sequence[Part]) -> dict[tuple[Load, str], str]:
    """What the raw files of each split are known by: the split, or the data set where there are several of them."""
    ways: dict[tuple[str | Load, ...], tuple[str, ...]] = {}
    for part in parts:
        load = part.load
        is_named = load.is_file and re.fullmatch(r"[\w.-]+", load.name) is not None
        ways[_key(part)] = (load.name if is_named else part.split, load.name, load.config)
    known: dict[tuple[str | Load, ...], str] = {}
    for part in parts:
        key, split, load = _key(part), part.split, part.load
        stems = (load.splits or {}).get(split, ())
        others = [other for one, other in ways.items() if one != key]
        own = [name for kind, name in enumerate(ways[key]) if name and all(other[kind] != name for other in others)]
        label = next(iter(own), "")
        if len(stems) == 1 and split not in stems[0]:
            label = stems[0]
        elif label and label != split and not load.is_file:
            label = f"{label}/{split}"
        if not label or label in (other for one, other in known.items() if one != key):
            raise Stop(load.line, "which of the data sets a raw file is of could not be told by a name")
        known[key] = label
    return {(part.load, part.split): known[_key(part)] for part in parts}


def _key(part: Part) -> tuple[str | Load, ...]:
    """What is the same of parts that are the same split of the same data set."""
    load = part.load
    return (load.source or load, load.config, part.split)


def _file(data: Data, labels: Mapping[tuple[Load, str], str], calls: Mapping[Op, str]) -> str:
    """What makes the rows of a file."""

    def steps(ops: Sequence[Op]) -> str:
        return "[" + ", ".join(calls.get(op) or f"{op.name}({', '.join(op.literal)})" for op in ops) + "]"

    runs: list[tuple[str, int]] = []
    for part in data.parts:
        text = f'("{labels[part.load, part.split]}", {steps(part.ops)})'
        times = runs.pop()[1] if runs and runs[-1][0] == text else 0
        runs.append((text, times + 1))
    if all(times == 1 for _, times in runs):
        parts = "[" + ", ".join(text for text, _ in runs) + "]"
    else:
        parts = " + ".join(f"[{text}] * {times}" if times > 1 else f"[{text}]" for text, times in runs)
    return f"OwnFile({parts}, {steps(data.then)})" if data.then else f"OwnFile({parts})"
