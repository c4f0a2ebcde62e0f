"""The conversion script of a recipe: all of this package's conversion as one file that needs nothing but pyarrow."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from relax_lint.records import record

_MODULES = (
    "refusals", "steps", "media", "columns", "unfit", "row_by_row", "reading", "writing", "jobs", "on_ray", "program",
)  # fmt: skip
_PACKAGE = __name__.rpartition(".")[0]
_PYARROW = """\
try:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq
except ModuleNotFoundError as missing:
    sys.exit(f"{missing.name} is not installed: pip install pyarrow")
"""
_HEAD = """\
{about}

from __future__ import annotations

{imports}

{pyarrow}
# What the data of this recipe is like.
PROMPT = {prompt}
DATA_SOURCE = {data_source}
MEDIA = {media}
KEEP: tuple[str, ...] = ()
TOOLS = {tools}
RAW_PROMPT = {raw_prompt}
PREPARED_BY = {prepared_by}


{own_rows}"""
_NO_ROWS = '''\
def own_rows() -> dict[str, OwnFile]:
    """The files that are made of raw data: none, verl's own are converted."""
    return {}
'''
_MAIN = """

if __name__ == "__main__":
    sys.exit(main())
"""


@record
class RecipeData:
    """What a recipe's data is like: its columns, media with their kinds, and the text of its own ``own_rows``.
    ``tools`` are schemas as JSON, ``raw_prompt`` says that extra_info has the prompt's messages, too, ``prepared_by``
    is the preprocessing that the data comes out of, where its rows could not be had."""

    name: str
    prompt: str = "prompt"
    data_source: str = "data_source"
    media: Mapping[str, str] | None = None
    own_rows: str = ""
    tools: str = ""
    raw_prompt: bool = False
    prepared_by: str = ""
    about: str = ""


def script(data: RecipeData) -> str:
    """The text of ``scripts/tools/process_NAME.py``."""
    from relax_lint.conversion import recipe_data

    media = recipe_data.MEDIA if data.media is None else data.media
    imports: dict[str, set[str]] = {}
    bodies = []
    for name in _MODULES:
        source = (Path(__file__).parent / f"{name}.py").read_text(encoding="utf-8")
        bodies.append(_body(source, imports))
    head = _HEAD.format(
        about=_about(data),
        imports="\n".join(_import_lines(imports)),
        pyarrow=_PYARROW,
        prompt=json.dumps(data.prompt),
        data_source=json.dumps(data.data_source),
        media=json.dumps(dict(media)),
        tools=_text(data.tools),
        raw_prompt=data.raw_prompt,
        prepared_by=json.dumps(data.prepared_by, ensure_ascii=False),
        own_rows=data.own_rows or _NO_ROWS,
    )
    return "\n\n".join([head, *bodies]) + _MAIN


def _text(schemas: str) -> str:
    """Schemas as they are read best: no JSON has three quotes in a row."""
    return f'r"""{json.dumps(json.loads(schemas), indent=2, ensure_ascii=False)}"""' if schemas else '""'


def _about(data: RecipeData) -> str:
    lines = [f"Convert the data of {data.name} from verl's form to Relax's; --help says more."]
    if data.about:
        lines += ["", data.about]
    return '"""' + "\n".join(lines) + ("\n" if data.about else "") + '"""'


def _body(source: str, imports: dict[str, set[str]]) -> str:
    """What follows the imports of a module; those are noted, but for what is of this package."""
    tree = ast.parse(source)
    last = 0
    for statement in tree.body[1:]:
        if not isinstance(statement, (ast.Import, ast.ImportFrom)):
            break
        last = statement.end_lineno or 0
        for module, name in _imported(statement):
            imports.setdefault(module, set()).add(name)
    return "\n".join(source.splitlines()[last:]).strip("\n") + "\n"


def _imported(statement: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    for alias in statement.names:
        module = statement.module or "" if isinstance(statement, ast.ImportFrom) else alias.name
        if not module.startswith((_PACKAGE, "pyarrow", "__future__")):
            yield module, alias.name if isinstance(statement, ast.ImportFrom) else ""


def _import_lines(imports: Mapping[str, set[str]]) -> Iterator[str]:
    plain = sorted(module for module, names in imports.items() if "" in names)
    yield from (f"import {module}" for module in plain)
    for module in sorted(imports):
        names = sorted(imports[module] - {""}, key=_import_order)
        if names:
            yield f"from {module} import {', '.join(names)}"


def _import_order(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions, as import sorters have it."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2), name
