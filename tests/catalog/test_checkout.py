"""A Relax checkout around what is linted: its own flags count."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from relax_lint.catalog.flags import Catalogue, embedded
from relax_lint.project import MEMORY_ROOT, Project
from tests.cases import for_each
from tests.catalog.small_relax import RELAX

ARGUMENTS = "relax/utils/arguments.py"


@pytest.fixture(scope="module")
def flags() -> Catalogue:
    return Project.from_files({**RELAX, "examples/demo/run.sh": "true\n"}).catalogue


def test_without_a_checkout_the_embedded_flags_count() -> None:
    assert Project.from_files({"examples/demo/run.sh": "true\n"}).catalogue is embedded()


def test_flags_of_a_newer_relax_are_known_at_once(flags: Catalogue) -> None:
    flag = flags.flag("--only-relax")
    assert flag is not None
    assert (flag.owner, flag.type, flag.default) == ("relax", "int", 3)
    assert embedded().flag("--only-relax") is None


def test_flags_that_this_relax_has_not_are_told_to_be_in_another(flags: Catalogue) -> None:
    assert flags.flag("--rollout-batch-size") is None
    assert flags.earlier("--rollout-batch-size") == f"Relax {embedded().versions['relax']}"
    assert flags.earlier("--use-gated-attention") == embedded().earlier("--use-gated-attention")
    assert flags.versions["relax"] == "the checkout"
    assert flags.versions["sglang"] == embedded().versions["sglang"]


def test_megatron_is_as_it_was_but_for_what_this_relax_resets(flags: Catalogue) -> None:
    before = {flag.name: flag for flag in embedded() if flag.owner == "megatron" and flag.name != "--lr"}
    after = {flag.name: flag for flag in flags if flag.owner == "megatron"}
    lr = after.pop("--lr")
    assert (lr.type, lr.default) == ("float", 1e-6)
    changed = {name for name in before if before[name] != after[name]}
    assert after.keys() == before.keys()
    # What Relax resets and this small one does not has Megatron's own default again.
    assert "--micro-batch-size" in changed
    assert after["--micro-batch-size"].default is None
    assert len(changed) < 15


def test_what_this_relax_passes_on_of_the_servers_counts(flags: Catalogue) -> None:
    context, port = flags.flag("--sglang-context-length"), flags.flag("--sglang-port")
    assert context == embedded().flag("--sglang-context-length")
    assert port is not None
    assert embedded().flag("--sglang-port") is None
    assert flags.left_out("--sglang-model-path")
    assert not flags.left_out("--sglang-port")
    retries = flags.flag("--sglang-router-retry-max-retries")
    assert retries is not None
    assert retries.dest == "router_retry_max_retries"
    assert flags.flag("--router-policy") == embedded().flag("--router-policy")


def test_the_teacher_mirrors_what_the_server_has(flags: Catalogue) -> None:
    flag = flags.flag("--teacher-sglang-tp-size")
    assert flag is not None
    assert (flag.owner, flag.suppressed) == ("teacher", True)
    assert [found.name for found in flags.abbreviated("--teacher-sglang-mem-frac")] == [
        "--teacher-sglang-mem-fraction-static"
    ]


def test_what_people_know_of_a_flag_stays_with_it() -> None:
    path = {**RELAX, ARGUMENTS: RELAX[ARGUMENTS].replace('"--layout"', '"--resource"')}
    flag = Project.from_files(path).catalogue.flag("--resource")
    known = embedded().flag("--resource")
    assert flag is not None
    assert known is not None
    assert flag.json_shape == known.json_shape


SERVER_PATCH = """\
diff --git a/python/sglang/srt/server_args.py b/python/sglang/srt/server_args.py
@@ -5,2 +5,6 @@ class ServerArgs:
         a = 1
+        parser.add_argument(
+            "--brand-new", type=int, default=ServerArgs.brand_new, choices=[1, 2]
+        )
+        parser.add_argument("--context-length", type=str)
         b = 2
"""
MEGATRON_PATCH = """\
diff --git a/megatron/training/arguments.py b/megatron/training/arguments.py
@@ -5,1 +5,2 @@ def _add_network_size_args(parser):
     a = 1
+    group.add_argument('--newer', action='store_true')
"""


def test_flags_that_its_patches_add_to_the_servers_and_megatron_are_known() -> None:
    patches = {
        "docker/patch/latest/sglang.patch": SERVER_PATCH,
        "docker/patch/latest/megatron.patch": MEGATRON_PATCH,
    }
    flags = Project.from_files({**RELAX, **patches}).catalogue
    for word, owner in (("--sglang-brand-new", "sglang"), ("--teacher-sglang-brand-new", "teacher")):
        flag = flags.flag(word)
        assert flag is not None
        assert (flag.owner, flag.type, flag.choices) == (owner, "int", (1, 2))
    newer = flags.flag("--newer")
    assert newer is not None
    assert (newer.owner, newer.action, newer.default) == ("megatron", "store_true", False)
    assert flags.flag("--sglang-context-length") == embedded().flag("--sglang-context-length")


BROKEN = {
    "syntax": "def parse_args(:\n",
    "empty": "",
    "no function": "parse_args = 3\n",
    "fails": "def parse_args():\n    return 1 / 0\n",
    "nul": "\0",
    "return": "return\n",
    "continue": "continue\n",
    "break": "def parse_args():\n    break\n",
    "return in a class": "class A:\n    return 3\n",
    "yield": "x = yield\n",
    "await": "await x\n",
    "itself": "from . import *\nparse_args()\n",
    "one name twice": "def parse_args(x, x):\n    pass\n",
    "wants an argument": "def parse_args(argv):\n    pass\n",
    "class": "class parse_args:\n    def __init__(self):\n        self.x = 1 / 0\n",
}


@for_each("broken", BROKEN.values(), ids=BROKEN)
def test_a_checkout_that_cannot_be_followed_leaves_the_embedded_flags(broken: str) -> None:
    project = Project.from_files({**RELAX, ARGUMENTS: broken})
    assert project.catalogue is embedded()
    assert project.unread_flags == project.root / ARGUMENTS


def test_flags_that_are_read_or_of_no_file_are_not_unread() -> None:
    assert Project.from_files(RELAX).unread_flags is None
    assert Project.from_files({"relax/entrypoints/train.py": ""}).unread_flags is None


def test_no_flag_is_called_unknown_by_flags_that_were_not_read() -> None:
    from relax_lint.engine import lint
    from relax_lint.rules import load_rules

    run = "examples/demo/run_demo.sh"
    launcher = {run: "python3 relax/entrypoints/train.py --brand-new-flag\n"}
    rules = {code: rule for code, rule in load_rules().items() if code == "RLX501"}

    def judged(arguments: str) -> tuple[list[str], list[str]]:
        report = lint(Project.from_files({**RELAX, ARGUMENTS: arguments, **launcher}), rules)
        return [found.code for found in report.diagnostics], [one.because for one in report.not_checked]

    assert judged(RELAX[ARGUMENTS]) == (["RLX501"], [])
    assert judged("def (") == ([], ["arguments.py of the Relax checkout cannot be read"])


def test_the_catalogue_is_read_once_for_a_project_and_its_fixes() -> None:
    project = Project.from_files({**RELAX, "examples/demo/run.sh": "true\n"})
    before = project.catalogue
    fixed = project.with_changes({MEMORY_ROOT / "examples/demo/run.sh": b"false\n"})
    assert fixed.catalogue is before
    arguments = RELAX[ARGUMENTS].replace("--only-relax", "--only-now").encode()
    edited = project.with_changes({MEMORY_ROOT / Path(ARGUMENTS): arguments})
    assert edited.catalogue.flag("--only-now") is not None


# ---------------------------------------------------------------- flags of which the sources do not tell all

_RETURN = "        return parser\n\n    return add_all"


def _with(statements: str, *, above: str = "") -> dict[str, str]:
    """The small Relax, whose parser these statements register more flags of."""
    text = RELAX[ARGUMENTS]
    assert text.count(_RETURN) == 1
    return {**RELAX, ARGUMENTS: above + text.replace(_RETURN, indent(statements, " " * 8) + _RETURN)}


_ADDED = 'parser.add_argument("--brand-new", type=int)\n'
_FOUND = "import plugins\nfor name in plugins.found():\n    "
MAY_BE_REGISTERED = {
    "variable": f'import os\nif os.environ.get("BRAND"):\n    {_ADDED}',
    "variable with a default": f'import os\nif os.getenv("BRAND", "0") == "1":\n    {_ADDED}',
    "variable kept": f'import os\nbrand = int(os.environ.get("BRAND", "0")) > 0\nif brand:\n    {_ADDED}',
    "variable there": f'from os import environ\nif "BRAND" in environ:\n    {_ADDED}',
    "variable in a function": "import os\ndef on(name):\n    return bool(os.getenv(name))\n"
    f'if on("A") and not on("B"):\n    {_ADDED}',
    "variable that is asked for twice": 'import os\nif not os.environ.get("PLAIN", "yes"):\n    pass\n'
    f'elif os.environ.get("PLAIN") == "no":\n    {_ADDED}',
    "machine": f"import torch\nif torch.cuda.is_available():\n    {_ADDED}",
    "loop over the unknown": f"{_FOUND}{_ADDED}    break\n",
    "names in a file": 'import json\nfor name in json.load(open("flags.json")):\n    parser.add_argument(name)\n',
    "names of plugins": f"{_FOUND}parser.add_argument(name, type=int)\n",
    "names that begin so": f'{_FOUND}parser.add_argument(f"--brand-{{name}}")\n',
    "names with dashes": f'{_FOUND}parser.add_argument("--" + name.text)\n',
    "names of the environment": 'import os\nfor name in os.environ.get("FLAGS", "").split():\n'
    "    parser.add_argument(name)\n",
    "names in a comprehension": "import plugins\n[parser.add_argument(name) for name in plugins.found()]\n",
    "names in a while loop": "import plugins\nwhile plugins.more():\n    parser.add_argument(plugins.next())\n",
    "a parser handed on": "import plugins\nplugins.register(parser)\n",
    "a parser handed on by name": "from plugins import register\nregister(parser=parser)\n",
    "a group handed on": 'import plugins\nplugins.Plugins(parser.add_argument_group("plugins")).register()\n',
    "a module of its own that is not there": "from relax.utils.gone import register\nregister()\n",
}


@pytest.mark.parametrize("how", MAY_BE_REGISTERED)
def test_a_flag_that_may_be_registered_is_not_called_unknown(how: str) -> None:
    findings, _ = _judged_unknown(_with(MAY_BE_REGISTERED[how]), "--brand-new 3")
    assert findings == []


@pytest.mark.parametrize(
    "how", ["variable", "variable kept", "machine", "loop over the unknown", "names that begin so"]
)
def test_what_else_may_be_registered_does_not_hide_a_typo(how: str) -> None:
    findings, silent = _judged_unknown(_with(MAY_BE_REGISTERED[how]), "--offlaod --brand-new 3")
    assert len(findings) == 1
    assert "--offlaod" in findings[0]
    assert len(silent) == ("begin" in how)


def test_where_names_cannot_be_told_it_is_said() -> None:
    findings, silent = _judged_unknown(_with(MAY_BE_REGISTERED["names in a file"]), "--offlaod --brand-new 3 --lr 1")
    assert findings == []
    assert len(silent) == 1
    assert "names cannot be told" in silent[0]


def test_a_module_with_a_part_of_the_flags_that_cannot_be_parsed_silences() -> None:
    findings, silent = _judged_unknown({**RELAX, "relax/utils/teacher.py": "def ("}, "--teacher-sglang-brand-new 3")
    assert findings == []
    assert len(silent) == 1


def test_what_the_environment_decides_leaves_other_defaults_alone() -> None:
    above = "import os\nHOW_MANY = int(os.environ.get('HOW_MANY', '3'))\n"
    tree = _with('parser.add_argument("--how-many", type=int, default=HOW_MANY)\n', above=above)
    flag = Project.from_files(tree).catalogue.flag("--how-many")
    assert flag is not None
    assert flag.default == 3


def _judged_unknown(tree: dict[str, str], flags: str) -> tuple[list[str], list[str]]:
    """What RLX501 finds in a launch with such flags, and why it is silent."""
    from relax_lint.engine import lint
    from relax_lint.rules import load_rules

    launcher = {"examples/demo/run_demo.sh": f"python3 relax/entrypoints/train.py {flags}\n"}
    rules = {code: rule for code, rule in load_rules().items() if code == "RLX501"}
    report = lint(Project.from_files({**tree, **launcher}), rules)
    return [found.message for found in report.diagnostics], [one.because for one in report.not_checked]
