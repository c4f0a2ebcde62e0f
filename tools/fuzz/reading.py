"""The front ends alone: a file is read, and every place that comes of it is looked at; no rule judges it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from relax_lint.diagnostics import Place
from relax_lint.project import MEMORY_ROOT, Project
from relax_lint.shell.mistakes import mistakes
from relax_lint.sources.config_yaml import NotLoaded, YamlSource
from relax_lint.sources.launcher import LauncherSource
from relax_lint.sources.python import PythonSource, walk
from relax_lint.sources.text import SourceFile
from relax_lint.suppression import directives
from tools.fuzz.outcome import Outcome, Tree, Trouble

MOST_PLACES = 400


def read(project: Project, tree: Tree, suffixes: tuple[str, ...]) -> Outcome:
    """Read the files of a kind."""
    outcome = Outcome("")
    for name in tree:
        if not name.endswith(suffixes):
            continue
        source = project.source(MEMORY_ROOT / name)
        if isinstance(source, LauncherSource):
            said, places = _launcher(source)
        elif isinstance(source, PythonSource):
            said, places = _python(source)
        elif isinstance(source, YamlSource):
            said, places = _yaml(source)
        else:
            continue
        outcome.parses = outcome.parses and "cannot" not in said
        outcome.signature += said
        if b"noqa" in source.data or b"relax-lint" in source.data:
            found = directives(source).suppressions
            outcome.signature += f" {len(found)} comments"
            places += [Place(source, one.start, one.end) for one in found]
        outcome.troubles += _outside(name, places)
    return outcome


def _launcher(source: LauncherSource) -> tuple[str, list[Place]]:
    problems = source.script.problems
    found = source.evaluation
    places = [Place(source, one.start, one.end) for one in mistakes(source)] if problems else []
    places += [Place(source, *span) for span in source.script.comments]
    places += [place for place, _ in found.problems] + [place for place, _ in found.exits] + found.unresolved_sources
    places += [] if found.too_complex is None else [found.too_complex]
    for launch in found.launches[:20]:
        places.append(launch.site)
        places += [one.word.place for one in launch.arguments if one.word.place is not None]
    kinds = sorted({f"{launch.kind} {launch.mode}" for launch in found.launches})
    what = problems[0].message if problems else ""
    told = f"told: {min(len(problems), 3)} cannot {what} " if problems or found.too_complex is not None else ""
    shape = f"{min(len(found.launches), 8)} {len(found.problems)} {len(found.exits)} {len(found.unresolved_sources)}"
    return f"{told}{kinds} {shape}", places


def _python(source: PythonSource) -> tuple[str, list[Place]]:
    if source.tree is None:
        assert source.error is not None
        return f"told: cannot {source.error.message[:40]}", [Place(source, source.error.offset, source.error.offset)]
    nodes = list(islice(walk(source.tree), MOST_PLACES))
    kinds = sorted({type(node).__name__ for node in nodes})
    return f"{len(source.tree.body)} {' '.join(kinds)}", [source.place(node) for node in nodes]


def _yaml(source: YamlSource) -> tuple[str, list[Place]]:
    if source.error is not None:
        return f"told: cannot {source.error.message[:40]}", [source.place(source.error)]
    nodes = [node for document in source.documents for node in islice(document.walk(), MOST_PLACES)]
    tags = " ".join(sorted({node.tag for node in nodes}))
    said = f"{len(source.documents)} {len(source.top)} {min(len(nodes), 20)} {tags}"
    try:
        source.load()
    except NotLoaded as problem:
        said += f" {problem}"[:40]
    return said, [source.place(node) for node in nodes]


def _outside(name: str, places: list[Place]) -> Iterator[Trouble]:
    for place in places:
        inside: SourceFile = place.source
        if not 0 <= place.start <= place.end <= len(inside.text):
            yield Trouble(
                "outside of the file", name.rpartition(".")[2], f"{place.start}-{place.end} of {len(inside.text)}"
            )
            return
