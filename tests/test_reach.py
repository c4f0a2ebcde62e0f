"""What a script may source or run, as its text tells it; and that a target's findings do not depend on it."""

from __future__ import annotations

import pytest

from relax_lint.config import Settings
from relax_lint.engine import lint
from relax_lint.project import Project
from relax_lint.rules import load_rules
from tests.cases import for_each

TRAIN = "python3 relax/entrypoints/train.py"
WANTED = "examples/demo/run_wanted.sh"
SCRIPT = "examples/demo/run_demo.sh"


def may_reach(text: str, others: dict[str, str] | None = None, settings: Settings | None = None) -> bool:
    project = Project.from_files({SCRIPT: text, WANTED: f"{TRAIN}\n", **(others or {})}, settings)
    return project.reach.may_reach(project.root / SCRIPT, [project.root / WANTED])


@for_each(
    "text",
    [
        'source "$(dirname "$0")/run_wanted.sh"\n',
        ". ./run_wanted.sh\n",
        "bash examples/demo/run_wanted.sh --colocate\n",
        "NEXT=run_wanted.sh\nbash $NEXT\n",
        'WHICH=wanted\nsource "run_${WHICH}.sh"\n',
        'WHICH="${1:-wanted}"; source "run_$WHICH.sh"\n',
        'WHICH=$(pick)\nsource "run_${WHICH}.sh"\n',
        'for WHICH in wanted other; do source "run_${WHICH}.sh"; done\n',
        'read -r WHICH <<< wanted; source "run_${WHICH}.sh"\n',
        'WHICH=other; WHICH+=wanted; source "run_${WHICH}.sh"\n',
        'declare WHICH=want; WHICH=${WHICH}ed; source "run_${WHICH}.sh"\n',
        "NAME=run_wanted\nbash $NAME.sh\n",
        'NAME=run_\nbash "$NAME"wanted.sh\n',
        "for each in examples/demo/run_*.sh; do bash $each; done\n",
        'for each in "$DIR"/*; do bash "$each"; done\n',
        "for each in *; do bash $each; done\n",
        "bash run_{wanted,other}.sh\n",
        "bash run_wante?.sh\n",
        'source "$COMMON"\n',
        "source setup\n",
        '# shellcheck source=run_wanted.sh\nsource "$DIR/common.sh"\n',
        'bash "${0%_demo.sh}_wanted.sh"\n',
    ],
)
def test_a_script_reaches_what_it_names_and_what_it_may_mean(text: str) -> None:
    assert may_reach(text)


@for_each(
    "text",
    [
        f"{TRAIN} --lr 1e-6\n",
        'source "$(dirname "$0")/common.sh"\n',
        'source "$(cd "$(dirname "$0")" && pwd)/common.sh"\n',
        "# bash run_wanted.sh\necho done\n",
        "bash $0\n",
        "source env.sh\n",
        "ps | grep -v '|.sh' | grep '\\.sh'\n",
        "case $1 in *) echo usage ;; esac\n",
        'source "run_${WHICH}.sh"\n',
        'WHICH=other; source "run_${WHICH}.sh"\n',
        'WHICH="${1:-other}"; bash "examples/demo/$WHICH.sh"\n',
        'bash "$(find examples -name "run_${WHICH}.sh" | head -1)"\n',
    ],
)
def test_a_script_does_not_reach_what_it_cannot_mean(text: str) -> None:
    assert not may_reach(text, {"examples/demo/common.sh": "LR=1e-6\n"})


def test_what_is_reached_reaches_further() -> None:
    assert may_reach("source common.sh\n", {"scripts/common.sh": "bash run_wanted.sh\n"})
    assert may_reach("bash scripts/start\n", {"scripts/start": "#!/bin/bash\nbash run_wanted.sh\n"})
    assert may_reach('bash "$NEXT"\n', settings=Settings(env={"NEXT": "run_wanted.sh"}))
    assert may_reach('bash "run_$WHICH.sh"\n', settings=Settings(env={"WHICH": "wanted"}))
    assert may_reach('bash "run_$WHICH.sh"\n', {"scripts/all.sh": "WHICH=wanted bash examples/demo/run_demo.sh\n"})


HERE = 'DIR="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"\n'
ELSEWHERE = "examples/other/common.sh"


@pytest.mark.parametrize(
    "text",
    [
        'source "$(dirname "$0")/common.sh"\n',
        'source "${0%/*}/common.sh"\n',
        f'{HERE}source "$DIR/common.sh"\n',
        f'export {HERE}source "${{DIR}}"/common.sh\n',
        f"{HERE}export DIR\n. $DIR/common.sh\n",
        "source demo/common.sh\n",
        'source "$ROOT/examples/demo/common.sh"\n',
        f'{HERE}[ -f "$DIR/env.sh" ] && source "$DIR/env.sh"\n',
    ],
)
def test_a_script_beside_or_in_a_named_directory_is_no_other_of_that_name(text: str) -> None:
    project = Project.from_files({SCRIPT: text, "examples/demo/common.sh": "", ELSEWHERE: ""})
    assert not project.reach.may_reach(project.root / SCRIPT, [project.root / ELSEWHERE])
    if "common" in text:
        assert project.reach.may_reach(project.root / SCRIPT, [project.root / "examples/demo/common.sh"])


@for_each(
    "text",
    [
        'source "$DIR/common.sh"\n',
        f'{HERE}DIR="$DIR/../other"\nsource "$DIR/common.sh"\n',
        f'{HERE}read -r DIR\nsource "$DIR/common.sh"\n',
        f'{HERE}: "${{OTHER:=$DIR}}" "${{DIR:=x}}"\nsource "$DIR/common.sh"\n',
        f'{HERE}for DIR in a b; do source "$DIR/common.sh"; done\n',
        f'{HERE}source set_dir.sh\nsource "$DIR/common.sh"\n',
        'source "$(dirname "$0")/../other/common.sh"\n',
        "source ../*/common.sh\n",
        "source \"../oth\"'er/common.sh'\n",
        "source o\\ther/common.sh\n",
        'source "${X}er/common.sh"\n',
        f'{HERE}source "$DIR/../common.sh"\n',
        "bash ../other/run.sh\n",
    ],
)
def test_a_script_in_a_directory_that_is_not_known_may_be_any_of_that_name(text: str) -> None:
    others = {
        "examples/demo/common.sh": "",
        ELSEWHERE: "",
        "examples/demo/set_dir.sh": "DIR=../other\n",
        "examples/other/run.sh": 'source "$(dirname "$0")/common.sh"\n',
    }
    project = Project.from_files({SCRIPT: text, **others})
    assert project.reach.may_reach(project.root / SCRIPT, [project.root / ELSEWHERE])


@pytest.mark.parametrize("text", ["source env.sh\n", "bash tools/env.sh\n", 'source "$ROOT/tools/common.sh"\n'])
def test_scripts_beside_examples_and_scripts_are_followed(text: str) -> None:
    others = {"tools/env.sh": "bash run_wanted.sh\n", "tools/common.sh": "bash run_wanted.sh\n", ELSEWHERE: ""}
    assert may_reach(text, others)


def test_the_entry_layer_runs_nothing_on_its_own() -> None:
    local = 'if [[ $1 == *.sh ]]; then bash "$1"; fi\n'
    assert not may_reach("source ../../scripts/entrypoint/local.sh\n", {"scripts/entrypoint/local.sh": local})


REWARD = "def reward_func(args, sample):\n    return 1.0\n"
CUSTOM = "--custom-rm-path examples.demo.reward_demo.reward_func"
TREES: list[dict[str, str]] = [
    {
        "examples/demo/reward_demo.py": REWARD,
        "examples/demo/run_a.sh": f"{TRAIN} --lr 1e-6 {CUSTOM}\n",
        "examples/demo/run_b.sh": f'NAME=examples.demo.reward_demo\n{TRAIN} --custom-rm-path "$NAME.reward_func"\n',
        "examples/demo/run_c.sh": 'bash "$(dirname "$0")/run_a.sh"\n',
    },
    {
        "examples/demo/reward_demo.py": "async def reward_func(args, sample, **kwargs):\n    return {'acc': 1.0}\n",
        "examples/demo/common.sh": f"ARGS=({CUSTOM} --lr 1e-6)\nEVAL_ARGS=(--eval-interval 10)\n",
        "examples/demo/run_a.sh": f'source "$(dirname "$0")/common.sh"\n{TRAIN} "${{ARGS[@]}}" $UNSET_FLAGS\n',
        "examples/demo/run_b.sh": f'source "$(dirname "$0")/common.sh"\n{TRAIN} "${{ARGS[@]}}" --group-rm\n',
        "examples/other/run_other.sh": f"{TRAIN} {CUSTOM} --colocate\n",
    },
    {
        "examples/demo/reward_demo.py": REWARD,
        "examples/demo/reward_unused.py": "def score(text):\n    return 1.0\n",
        "examples/demo/settings.sh": f'RM=custom-rm\n{TRAIN} "--$RM-path" examples.demo.reward_unused.score\n',
        "examples/demo/run_a.sh": 'for each in "$(dirname "$0")"/set*.sh; do source "$each"; done\n',
        "examples/demo/nested/run_b.sh": f"{TRAIN} --custom-rm-path examples.demo.nested.missing.reward_func\n",
    },
    {
        "examples/demo/reward_demo.py": REWARD + "# relax-lint: ignore[RLX205] why not\n",
        "examples/demo/run_a.sh": f"# relax-lint: ignore[RLX405] old\n{TRAIN} {CUSTOM} --lr 1e-6\n",
        "examples/demo/run_b.sh": f"{TRAIN} {CUSTOM} --lr 1e-6\n",
    },
]


@pytest.mark.parametrize("tree", TREES)
def test_a_target_alone_is_judged_as_among_the_others(tree: dict[str, str]) -> None:
    def found(*targets: str) -> set[tuple[object, ...]]:
        project = Project.from_files(tree)
        report = lint(project, load_rules(), None, [project.root / target for target in targets])
        assert report.failures == []
        said = {(item.path.name, item.code, item.start, item.message, item.suppressed) for item in report.diagnostics}
        unsaid = {(item.path.name, item.code, item.line, item.because) for item in report.not_checked}
        return {item for item in said | unsaid if any(target.endswith(f"/{item[0]}") for target in targets)}

    everything = found(*tree)
    for target in tree:
        assert found(target) == {item for item in everything if target.endswith(f"/{item[0]}")}, target
