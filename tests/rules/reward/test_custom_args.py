"""Which attributes of args are set by what, and which keys of configs are read by whom."""

from __future__ import annotations

import pytest

from relax_lint.config import Settings
from relax_lint.engine import Report, lint
from relax_lint.project import MEMORY_ROOT, Project
from relax_lint.rules import load_rules
from relax_lint.selection import Layer
from tests.catalog.small_relax import RELAX

RULES = load_rules()
RUN, REWARD, CONFIG = "examples/demo/run_demo.sh", "examples/demo/reward_demo.py", "examples/demo/demo.yaml"
TRAIN = "python3 relax/entrypoints/train.py --custom-rm-path examples.demo.reward_demo.reward_func"
NAMED = f"--custom-config-path {CONFIG}"
HEAD = "async def reward_func(args, sample, **kwargs):\n"
READS = {REWARD: f"{HEAD}    return args.judge_url\n"}


def report(tree: dict[str, str], only: str | None = None, **settings: tuple[str, ...]) -> Report:
    made = Settings(selection=(Layer(select=("RLX213",)),), **settings)  # type: ignore[arg-type]
    result = lint(Project.from_files(tree, made), RULES, made, None if only is None else [MEMORY_ROOT / only])
    assert not result.failures
    return result


def found(tree: dict[str, str], only: str | None = None, **settings: tuple[str, ...]) -> list[tuple[str, int]]:
    return [(item.path.name, item.line) for item in report(tree, only, **settings).diagnostics]


def test_each_launch_has_its_own_config() -> None:
    both = {**READS, CONFIG: "judge_url: x\n"}
    assert found({**both, RUN: f"{TRAIN} {NAMED}\n"}) == []
    assert found({**both, RUN: f"{TRAIN}\n"}) == [("reward_demo.py", 2)]
    assert found({**both, RUN: f"{TRAIN} {NAMED}\n{TRAIN} --colocate\n"}) == [("reward_demo.py", 2)]
    assert found({**both, RUN: f"{TRAIN} {NAMED} --custom-config-path ''\n"}) == [("reward_demo.py", 2)]


@pytest.mark.parametrize(
    ("run", "because"),
    [
        (f'{TRAIN} --custom-config-path "$CONFIG"\n', "${CONFIG}"),
        (f"{TRAIN} --custom-config-path /data/judge.yaml\n", "/data/judge.yaml"),
        (f'{TRAIN} "$@"\n', "$@"),
    ],
)
def test_a_config_that_is_not_known_silences(run: str, because: str) -> None:
    result = report({**READS, RUN: run})
    assert result.diagnostics == []
    assert because in result.not_checked[0].because


def test_flags_that_the_configuration_adds_are_known() -> None:
    tree = {**READS, RUN: f"{TRAIN}\n"}
    assert found(tree, extra_flags=("--judge-url",)) == []
    assert found(tree, extra_flags=("--judge-uri",)) == [("reward_demo.py", 2)]


def test_what_relax_itself_sets_is_known_of_the_one_at_hand_too() -> None:
    tree = {**READS, RUN: f"{TRAIN}\n", "relax/entrypoints/train.py": ""}
    assert found({**tree, "relax/core/controller.py": "def run(config):\n    config.judge_url = 1\n"}) == []
    assert found({**tree, "relax/core/controller.py": "def run(config):\n    return config.judge_url == 1\n"}) != []


def test_functions_from_elsewhere_may_set_anything() -> None:
    assert found({**READS, RUN: f"{TRAIN} --custom-megatron-init-path elsewhere.setup.init\n"}) == []
    own = {"examples/demo/setup.py": "def init(args):\n    args.judge_url = 'x'\n"}
    assert found({**READS, **own, RUN: f"{TRAIN} --custom-megatron-init-path examples.demo.setup.init\n"}) == []


def test_a_file_asked_about_alone_is_judged_by_the_launches_of_its_recipe() -> None:
    run = f"{TRAIN} {NAMED}\n"
    assert found({**READS, CONFIG: "judge_url: x\n", RUN: run}, only=REWARD) == []
    assert found({**READS, CONFIG: "x: x\n", RUN: run}, only=REWARD) == [("reward_demo.py", 2)]
    assert found({**READS, CONFIG: "judge_url: x\nmine: 1\n", RUN: run}, only=CONFIG) == [("demo.yaml", 2)]


@pytest.mark.parametrize(
    ("code", "read"),
    [
        ("    return args.mine\n", True),
        ("    return getattr(args, 'mine', 0)\n", True),
        ("    return getattr(args, f'm{sample.index}', 0)\n", True),
        ("    return vars(args)['mine']\n", True),
        ("    return args.__dict__['m' + 'ine']\n", True),
        ("    return args.seed\n", False),
        ("    return 1.0  # nobody has min\n", False),
    ],
)
def test_keys_are_read_by_whatever_code_of_the_recipe_names_them(code: str, read: bool) -> None:
    tree = {REWARD: HEAD + code, CONFIG: "mine: 1\n", RUN: f"{TRAIN} {NAMED}\n"}
    assert found(tree) == ([] if read else [("demo.yaml", 1)])


def test_keys_of_a_config_that_another_recipe_lends_are_looked_for_in_both() -> None:
    lent = {"examples/other/other.yaml": "mine: 1\n", "examples/other/other.py": "def f(args):\n    return args.mine\n"}
    run = f"{TRAIN} --custom-config-path examples/other/other.yaml\n"
    assert found({REWARD: f"{HEAD}    return 1.0\n", RUN: run, **lent}) == []


def test_functions_from_elsewhere_may_read_any_key() -> None:
    tree = {REWARD: f"{HEAD}    return 1.0\n", CONFIG: "mine: 1\n"}
    assert found({**tree, RUN: f"{TRAIN} {NAMED}\n"}) == [("demo.yaml", 1)]
    assert found({**tree, RUN: f"{TRAIN} {NAMED} --dynamic-sampling-filter-path elsewhere.filters.keep\n"}) == []


def test_an_attribute_that_a_flag_of_the_checkout_may_set_is_not_missed() -> None:
    arguments = "relax/utils/arguments.py"
    registers = "        import plugins\n        plugins.register(parser)\n        return parser\n\n    return add_all"
    handed_on = RELAX[arguments].replace("        return parser\n\n    return add_all", registers)
    tree = {**READS, RUN: f"{TRAIN}\n", **RELAX}
    assert found(tree) == [("reward_demo.py", 2)]
    for text, because in (
        ("def (", "arguments.py of the Relax checkout cannot be read"),
        (handed_on, "cannot be told"),
    ):
        result = report({**tree, arguments: text})
        assert result.diagnostics == []
        assert because in result.not_checked[0].because
