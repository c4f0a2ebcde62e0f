"""A comment silences a finding that is not there.

## What

A code, prefix or name in a `# noqa: RLX…`, `# relax-lint: ignore[…]` or `# relax-lint: file-ignore[…]` comment that
silenced nothing, although every rule that it means ran on the file and could decide. Codes of other linters, bare
`# noqa` comments, rules that were not selected, and rules that kept silent about something are left alone, and so are
shared scripts outside of recipes: who sources them may not be among the files checked.

A comment that can silence nothing at all is found too: one that names a rule that there is not, as `# noqa: RLX999`
does, and a `# relax-lint:` comment in another form than the two, such as `# relax-lint: ignore` or
`# relax-lint: disable=RLX101`.

## Why

The comment says that something is wrong here and accepted. Once that is mended the comment misleads, and it would
silence the next real mistake on that line.

## Source

Habit of ruff (RUF100) and pylint (useless-suppression).

## Example

    from relax.utils.types import Sample  # noqa: RLX101

## Fix

Removes the code, or the whole comment when nothing else is left in it. A comment that was never right stays, as only
its author knows what it was to say.
"""

from __future__ import annotations

from collections.abc import Iterator

from relax_lint.diagnostics import Finding
from relax_lint.project import Project
from relax_lint.rules import WARNING, Example, rule

_SHARED = "scripts/training/common.sh"
_LAUNCH = "ray job submit --address=http://127.0.0.1:8265 -- python3 relax/entrypoints/train.py"

VALID: list[Example | str] = [
    "import verl  # noqa: RLX101\n",
    "import verl  # noqa\n",
    "import os  # noqa: F401\n",
    "import os  # noqa\n",
    "import verl  # noqa: F401, RLX101\n",
    "import verl  # relax-lint: ignore[RLX101] compared against below\n",
    "# relax-lint: ignore[verl-import] compared against below\nimport verl\n",
    "# relax-lint: file-ignore[RLX1] a bridge between the two\nimport verl\n",
    "TEXT = '''\n# noqa: RLX101\n'''\n",
    "TEXT = '# relax-lint: ignore[RLX101] no comment'\n",
    "# relax-lint: see the page on suppression\nimport os\n",
    "# as in `# relax-lint: ignore`\nimport os\n",
    "import os  # noqa: RL999\n",
    "def broken(:  # noqa: RLX101\n",
    f"#!/bin/bash\n{_LAUNCH} # noqa: RLX403\n",
    f"#!/bin/bash\n# relax-lint: ignore[entry-point] a proxy\n{_LAUNCH} \\\n    --lr 1e-6\n",
    f"#!/bin/bash\ncat <<'EOF'\n# noqa: RLX403\nEOF\n{_LAUNCH}  # noqa: RLX403\n",
    Example({_SHARED: "COMMON_ARGS=(\n    --lr 1e-6 # noqa: RLX422\n)\n"}),
]

INVALID = [
    Example("import os  # noqa: RLX101\n", findings=((1, 20),), fixed="import os\n"),
    Example("import os  # noqa: F401, RLX101\n", findings=((1, 26),), fixed="import os  # noqa: F401\n"),
    Example("import os  # noqa: RLX101,F401 kept\n", findings=((1, 20),), fixed="import os  # noqa: F401 kept\n"),
    Example("import os  # noqa: RLX101  # type: ignore\n", findings=((1, 20),), fixed="import os  # type: ignore\n"),
    Example("import os  # kept  # noqa: RLX101\n", findings=((1, 28),), fixed="import os  # kept\n"),
    Example("# relax-lint: ignore[RLX101] once needed\nimport os\n", findings=((1, 22),), fixed="import os\n"),
    Example("import os  # relax-lint: ignore[verl-import] x\n", findings=((1, 33),), fixed="import os\n"),
    Example("# relax-lint: file-ignore[RLX101] x\nimport os\n", findings=((1, 27),), fixed="import os\n"),
    Example("# noqa: RLX101\nimport verl  # noqa: RLX101\n", findings=((1, 9),), fixed="import verl  # noqa: RLX101\n"),
    Example(
        "import verl  # relax-lint: ignore[RLX101, hydra-in-recipe] x\n",
        findings=((1, 43),),
        fixed="import verl  # relax-lint: ignore[RLX101] x\n",
    ),
    Example(
        "def f():\n    # relax-lint: ignore[RLX101] x\n    # about os\n    import os\n",
        findings=((2, 26),),
        fixed="def f():\n    # about os\n    import os\n",
    ),
    Example(
        "#!/bin/bash\npython3 relax/entrypoints/train.py # noqa: RLX403\n",
        findings=((2, 44),),
        fixed="#!/bin/bash\npython3 relax/entrypoints/train.py\n",
    ),
    Example(
        "#!/bin/bash\n# relax-lint: ignore[entry-point] x\npython3 relax/entrypoints/train.py\n",
        findings=((2, 22),),
        fixed="#!/bin/bash\npython3 relax/entrypoints/train.py\n",
    ),
    Example(
        '#!/bin/bash\nA=(\n    --lr 1e-6 # noqa: RLX401\n)\npython3 relax/entrypoints/train.py "${A[@]}"\n',
        findings=((3, 23),),
        fixed='#!/bin/bash\nA=(\n    --lr 1e-6\n)\npython3 relax/entrypoints/train.py "${A[@]}"\n',
    ),
    Example("import os  # relax-lint: ignore[RLX999] x\n", findings=((1, 33),)),
    Example("import os  # noqa: E501, RLX999\n", findings=((1, 26),)),
    Example("import verl  # relax-lint: ignore[RLX101, verl-imprt] x\n", findings=((1, 43),)),
    Example("import os  # relax-lint: disable=RLX101\n", findings=((1, 12),)),
]


@rule(
    "RLX002", "unused-suppression", WARNING, on="engine", fixable="safe", everywhere=True, valid=VALID, invalid=INVALID
)
def unused_suppression(nothing: None, project: Project) -> Iterator[Finding]:
    """Found by the engine, which alone knows what a comment silenced."""
    yield from ()
