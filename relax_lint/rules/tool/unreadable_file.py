"""A file cannot be read or parsed, so nothing in it was checked.

## What

A Python, bash or YAML file of a recipe, or a launcher elsewhere, that is not there any more, may not be read, holds
bytes that are no text, or does not parse. YAML that is a template (`{{`, `{%`) is not parsed. One finding a file, at
the place where its parser gave up, or at the quote that is never closed. CRLF line ends of launchers are left to
RLX422. The other files are still checked. A file that a launcher sources and that is not here may be where the training
runs: it is told in `not_checked` of the JSON output, unless it is one of the machine's own (`activate`, `.bashrc`,
`conda`, `set_env.sh` and the like).

## Why

A recipe that Python or bash cannot parse fails as soon as it is started, after the GPUs were taken. And a file that was
skipped in silence would look like a file in which all is well.

## Source

Python, bash and YAML themselves.

## Example

    async def reward_func(args, sample, **kwargs)
        return 0.0

## Fix

None: what was meant is not known.
"""

from __future__ import annotations

from collections.abc import Iterator

from relax_lint.diagnostics import Finding
from relax_lint.project import Project
from relax_lint.rules import ERROR, Example, rule

_PYTHON = "examples/demo/tools.py"
_YAML = "examples/demo/demo_config.yaml"

VALID: list[Example | str] = [
    "async def reward_func(args, sample, **kwargs):\n    return 0.0\n",
    "# -*- coding: latin-1 -*-\nNAME = 'caf\u00e9'\n",
    "\ufeffSCORE = 1\n",
    "PATTERN = '\\0'\r\nSCORE = 1\r\n",
    "",
    "match 1:\n    case _:\n        pass\n",
    '#!/bin/bash\nARGS=(--lr 1e-6) # one\npython3 relax/entrypoints/train.py "${ARGS[@]}"\n',
    "#!/bin/bash\nif [ -f a ]; then\n    echo 'a {'\nfi\n",
    "#!/bin/bash\ncat <<'EOF'\nif while case (\nEOF\n",
    "#!/bin/bash\r\nif [ -f a ]; then\r\n    echo a\r\nfi\r\n",
    Example({_YAML: "a: &a [1, 2]\nb: [*a, *a]\n"}),
    Example({_YAML: "name: {{ name }}\n{% if x %}\nlr: 1\n{% endif %}\n"}),
    Example({"notes/broken.py": "def (\n", "examples/demo/run_demo.sh": "echo\n"}),
]

INVALID = [
    Example("def reward_func(args, sample)\n    return 0.0\n", findings=((1, 30),)),
    Example("def reward_func(args, sample):\nreturn 0.0\n", findings=((2, 1),)),
    Example("NAME = 'a\n", findings=((1, 8),)),
    Example("print 'score'\n", findings=((1, 1),)),
    Example("import os\nfrom os import\n", findings=((2, 15),)),
    Example("# -*- coding: klingon -*-\nSCORE = 1\n", findings=((1, 1),)),
    Example("SCORES = {'a': 1\n", findings=((1, 10),)),
    Example("def f():\n    x = 1\n   y = 2\n", findings=((3, 9),)),
    Example({_PYTHON: "x = (\n", "examples/demo/other.py": "x = 1\n"}, findings=((_PYTHON, 1, 5),)),
    Example({_YAML: "a: [1, 2\nb: 3\n"}, findings=((_YAML, 2, 2),)),
    Example({_YAML: "a: 1\n\tb: 2\n"}, findings=((_YAML, 2, 1),)),
    Example({_YAML: "a: 'b\n"}, findings=((_YAML, 2, 1),)),
    Example("#!/bin/bash\nif [ -f a ]; then\n    echo a\n", findings=((2, 1),)),
    Example("#!/bin/bash\necho 'a\n", findings=((2, 6),)),
    Example("#!/bin/bash\r\nif [ -f a ]; then\r\n    echo 'a\r\nfi\r\n", findings=((3, 10),)),
    Example("#!/bin/bash\necho $(date\n", findings=((2, 6),)),
    Example(
        '#!/bin/bash\nARGS=(\n    --prompt-data "/data/x\n    --lr 1e-6\n)\n'
        'python3 relax/entrypoints/train.py "${ARGS[@]}" 2>&1 | tee "x.log"\n',
        findings=((3, 19),),
    ),
    Example("#!/bin/bash\nNOTE='it''s\nlong'\necho \"it's\" 'a\necho \"b\" 'c'\n", findings=((4, 13),)),
    Example("#!/bin/bash\nARGS=(--lr 1e-6\npython3 train.py\n", findings=((2, 6),)),
    Example("#!/bin/bash\necho a )\n", findings=((2, 8),)),
    Example("#!/bin/bash\nfor x in a; do echo; fi\n", findings=((2, 22),)),
]


@rule("RLX001", "unreadable-file", ERROR, on="engine", everywhere=True, valid=VALID, invalid=INVALID)
def unreadable_file(nothing: None, project: Project) -> Iterator[Finding]:
    """Found by the engine, which is what reads files."""
    yield from ()
