"""``find -exec`` and GNU ``parallel``: a command for each of several things."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import TYPE_CHECKING, TypeAlias

from relax_lint.records import record
from relax_lint.shell.commands import run_program, unknown_program
from relax_lint.shell.state import State, merge
from relax_lint.shell.values import EMPTY, Chunk, Known, Root, Sym, Value, join, known
from relax_lint.shell.xargs import may_launch, replaced

if TYPE_CHECKING:
    from relax_lint.shell.interpret import Shell
    from relax_lint.shell.nodes import SimpleCommand

Texts = Sequence["str | None"]
_Source: TypeAlias = "list[tuple[Value, ...]] | None"
"""Arguments, those together that are linked; ``None`` when they are not known."""

_EXECUTES = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_MOST_RUNS = 64
_WITH_VALUE = "jPSaNnLICdsE"
_LONG_WITH_VALUE = frozenset(
    {
        "--jobs", "--max-procs", "--sshlogin", "--sshloginfile", "--slf", "--joblog", "--results", "--delay",
        "--timeout", "--retries", "--arg-file", "--colsep", "--delimiter", "--max-args", "--max-replace-args",
        "--max-lines", "--tmpdir", "--workdir", "--wd", "--env", "--load", "--memfree", "--halt", "--halt-on-error",
        "--nice", "--tagstring", "--profile", "--basefile", "--return", "--transferfile", "--trc", "--limit", "--rpl",
    }
)  # fmt: skip
_GROUPING = frozenset("aNnLXmCdI0") | {"--arg-file", "--max-args", "--max-replace-args", "--max-lines", "--colsep"}
"""Options with which an argument is not simply what is given."""
_MARK = re.compile(r"\{(?P<position>-?\d+)?(?P<part>//?|/?\.)?\}|\{[#%]\}")


def run_find(shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> list[State]:
    """What ``find`` runs for what it finds, which is not known."""
    texts = [state.resolve(word).likely for word in words]
    states = [state]
    for at in (at for at, text in enumerate(texts) if text in _EXECUTES):
        end = next((end for end in range(at, len(words)) if texts[end] in (";", "+")), len(words))
        command = words[at + 1 : end]
        if not command or not may_launch(command[0], state):
            continue
        root = shell.expander.root(node.words[0])
        root.text = "{}"
        many = texts[end : end + 1] == ["+"]
        run = [Value((Sym(root),), None, many) if text == "{}" else replaced(word, "{}", Sym(root))
               for word, text in zip(command, texts[at + 1 : end], strict=True)]  # fmt: skip
        states = merge([end for each in states for end in run_program(shell, node, run, each)])
    return [end for each in states for end in unknown_program(shell, node, each)]


@record
class _Plan:
    """``template``: the command; ``sources``: what it runs for, ``None`` for what is not known; ``quoted``: its words
    are not read again by a shell."""

    template: list[Value]
    sources: list[_Source]
    quoted: bool


def run_parallel(shell: Shell, node: SimpleCommand, words: list[Value], state: State) -> list[State]:
    """Every run of the command; one with unknown words when the arguments are not known."""
    plan = _plan(words, state)
    root = shell.expander.root(node.words[0])
    root.text = "{}"
    states = [state]
    state.stdin = EMPTY
    for number, arguments in enumerate(_combinations(plan.sources, root), 1):
        command = _filled(plan, arguments, number, root, state)
        shell.spend(len(plan.template) + len(arguments))
        run = [known("bash"), known("-c"), command]
        states = merge([end for each in states for end in run_program(shell, node, run, each)])
    return [end for each in states for end in unknown_program(shell, node, each)]


def _plan(words: list[Value], state: State) -> _Plan:
    texts = [state.resolve(word).likely for word in words]
    at, options = _options(texts)
    end = next((end for end in range(at, len(words)) if _separates(texts[end])), len(words))
    grouped = bool(options & _GROUPING)
    sources: list[_Source] = []
    for separator, given in _sources(words, texts, end):
        known_here = separator.startswith(":::") and not separator.startswith("::::") and not grouped
        source: _Source = [(word,) for word in given] if known_here and not any(word.many for word in given) else None
        if separator.endswith("+") and sources:
            sources[-1] = _linked(sources[-1], source)
        else:
            sources.append(source)
    if not sources:
        text = state.resolve(state.stdin).likely if state.stdin is not None and not grouped else None
        sources = [None if text is None else [(known(line),) for line in text.splitlines()]]
    return _Plan(words[at:end], sources, bool(options & {"q", "--quote"}))


def _options(texts: Texts) -> tuple[int, frozenset[str]]:
    """Where the command begins, and the options before it."""
    options: set[str] = set()
    at = 1
    while at < len(texts):
        text = texts[at]
        if text is None or not text.startswith("-") or text == "-":
            break
        at += 1
        if text == "--":
            break
        name, equals, _ = text.partition("=")
        if text.startswith("--"):
            options.add(name)
            at += name in _LONG_WITH_VALUE and not equals
            continue
        for index, letter in enumerate(text[1:], 1):
            options.add(letter)
            if letter in _WITH_VALUE:
                at += index == len(text) - 1
                break
    return at, frozenset(options)


def _separates(text: str | None) -> bool:
    return text in (":::", ":::+", "::::", "::::+")


def _sources(words: list[Value], texts: Texts, at: int) -> Iterator[tuple[str, list[Value]]]:
    while at < len(words):
        end = next((end for end in range(at + 1, len(words)) if _separates(texts[end])), len(words))
        yield texts[at] or "", words[at + 1 : end]
        at = end


def _linked(before: _Source, given: _Source) -> _Source:
    """``::: a b :::+ c d``: the arguments in pairs."""
    if before is None or given is None:
        return None
    return [(*first, *second) for first, second in zip(before, given, strict=False)]


def _combinations(sources: list[_Source], root: Root) -> Iterator[tuple[Value, ...]]:
    hidden = [(Value((Sym(root),)),)]
    if prod(len(source) for source in sources if source is not None) > _MOST_RUNS:
        sources = [None for _ in sources]
    for chosen in product(*(hidden if source is None else source for source in sources)):
        yield tuple([argument for arguments in chosen for argument in arguments])


def _filled(plan: _Plan, arguments: tuple[Value, ...], number: int, root: Root, state: State) -> Value:
    """The command line of one run."""
    template = plan.template
    if not template:
        return arguments[0]
    if not any(_MARK.search(state.resolve(word).shown) for word in template):
        template = [*template, known("{}")]
    filled = [_put_in(state.resolve(word), arguments, number, root, quoted=plan.quoted) for word in template]
    return join(filled, " ")


def _put_in(word: Value, arguments: tuple[Value, ...], number: int, root: Root, *, quoted: bool) -> Value:
    """A word of the template with the arguments in place of the marks."""
    chunks: list[Chunk] = []
    for chunk in word.chunks:
        if not isinstance(chunk, Known):
            chunks += [Known('"'), chunk, Known('"')] if quoted else [chunk]
            continue
        at = 0
        for mark in _MARK.finditer(chunk.text):
            between = chunk.text[at : mark.start()]
            chunks.append(Known(shlex.quote(between) if quoted and between else between))
            chunks += _for_mark(mark, arguments, number, root)
            at = mark.end()
        rest = chunk.text[at:]
        chunks.append(Known(shlex.quote(rest) if quoted and rest else rest))
    return Value(tuple(chunks), None, word.many)


def _for_mark(mark: re.Match[str], arguments: tuple[Value, ...], number: int, root: Root) -> list[Chunk]:
    if mark.group() == "{#}":
        return [Known(str(number))]
    if mark.group() == "{%}":
        return [Sym(root)]
    position = mark["position"]
    given = arguments
    if position is not None:
        index = int(position)
        given = arguments[index - 1 :][:1] if index > 0 else arguments[index:][:1]
    if not given and any(argument.likely is None for argument in arguments):
        return [Known('"'), Sym(root), Known('"')]
    chunks: list[Chunk] = []
    for argument in given:
        chunks += [Known(" ")] if chunks else []
        text = argument.likely
        if text is not None:
            chunks.append(Known(shlex.quote(_part(text, mark["part"] or ""))))
        else:
            chunks += [Known('"'), *argument.chunks, Known('"')]
    return chunks


def _part(path: str, part: str) -> str:
    """``{.}``, ``{/}``, ``{//}``, ``{/.}``."""
    folder, _, name = path.rpartition("/")
    if part == "//":
        return folder or ("/" if path.startswith("/") else ".")
    text = name if part.startswith("/") else path
    return re.sub(r"\.[^/.]*\Z", "", text) if part.endswith(".") else text
