"""`relax-lint diff` as a reviewer meets it, with a real git."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from relax_lint.cli import main
from tests.repositories import Git, git_in

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/schema/diff.schema.json").read_text())
RUN = "examples/demo/run_demo.sh"
COMMON = "examples/demo/common.sh"
TRAIN = "python3 relax/entrypoints/train.py"

Diff = Callable[..., tuple[int, str, str]]


def write(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)


def launcher(*lines: str, before: str = "") -> str:
    arguments = "".join(f"    {line}\n" for line in lines)
    return f'#!/bin/bash\n{before}ARGS=(\n{arguments})\n{TRAIN} "${{ARGS[@]}}"\n'


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    """A repository with one launcher, the working directory; returns a way to run git in it."""
    run = git_in(tmp_path, monkeypatch)
    write(RUN, launcher("--colocate", "--lr 1e-6", "--seed 42", "--kl-loss-coef 0.01"))
    run("init", "--quiet")
    commit(run)
    return run


def commit(git: Git) -> None:
    git("add", "--all")
    git("commit", "--quiet", "--message", "next")


@pytest.fixture
def diff(git: Git, capsys: pytest.CaptureFixture[str]) -> Diff:
    def run(*arguments: str) -> tuple[int, str, str]:
        try:
            status = main(["diff", *arguments])
        except SystemExit as refused:
            status = int(refused.code or 0)
        captured = capsys.readouterr()
        assert all(len(line) <= 80 for line in captured.out.splitlines()) or "json" in arguments
        return status, captured.out, captured.err

    return run


def content(diff: Diff, *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(diff(*arguments, "--format", "json")[1])
    jsonschema.validate(found, SCHEMA)
    return found


def told(diff: Diff, *arguments: str) -> dict[str, str]:
    """What became of each argument of the one launch that has changed."""
    (launch,) = content(diff, *arguments)["launches"]
    return {one["flag"]: one["status"] for one in launch["arguments"]}


def test_what_is_added_removed_and_changed(diff: Diff) -> None:
    write(RUN, launcher("--colocate", "--lr 5e-7", "--eps-clip-high 0.28", "--seed 42", "--use-kl-loss"))
    status, out, err = diff("HEAD")
    assert (status, err) == (0, "")
    assert out == (
        f"{RUN}:9: relax launch, colocate\n"
        "  ~ --lr             1e-6 → 5e-7                                              :4\n"
        "  + --eps-clip-high  0.28  (default unset)                                    :5\n"
        "  + --use-kl-loss                                                             :7\n"
        "  - --kl-loss-coef   0.01 → 0.0, its default                                  :6\n"
        "\n"
        "1 launch changed since HEAD.\n"
    )
    assert diff("HEAD", "--exit-code")[0] == 1


def test_what_means_the_same_is_no_change(diff: Diff) -> None:
    text = launcher("--seed=42", "--kl-loss-coef 0.010", "--lr 5e-7", "--colocate", "--lr 0.000001")
    write(RUN, text.replace("#!/bin/bash", "#!/bin/bash\n\n# a comment"))
    assert diff("HEAD", "--exit-code") == (0, "No launch has changed since HEAD.\n", "")


def test_variables_and_sourced_files_count(diff: Diff, git: Git) -> None:
    source = 'source "$(dirname "$0")/common.sh"\n'
    write(COMMON, "LR=1e-6\nMODEL_ARGS=(--num-layers 24)\n")
    write(RUN, launcher("--lr $LR", '"${MODEL_ARGS[@]}"', before=source))
    commit(git)
    write(COMMON, "LR=2e-6\nMODEL_ARGS=(--num-layers 36)\n")
    (launch,) = content(diff, "HEAD")["launches"]
    layers, rate = sorted(launch["arguments"], key=lambda one: str(one["flag"]), reverse=True)
    assert (rate["flag"], rate["old"]["values"], rate["new"]["values"]) == ("--lr", [["1e-6"]], [["2e-6"]])
    assert (layers["new"]["path"], layers["new"]["line"]) == (COMMON, 2)
    assert (layers["owner"], layers["default"]) == ("megatron", None)
    assert "common.sh:2" in diff("HEAD", RUN)[1]


def test_a_value_that_moves_is_told_with_both_places(diff: Diff, git: Git) -> None:
    source = 'source "$(dirname "$0")/common.sh"\n'
    write(COMMON, "COMMON=(--seed 42)\n")
    write(RUN, launcher("--colocate", "--lr 1e-6", "--kl-loss-coef 0.01", '"${COMMON[@]}"', before=source))
    assert told(diff, "HEAD") == {"--seed": "moved"}
    assert "  > --seed  42                                                  :5 → common.sh:1\n" in diff("HEAD")[1]


def test_a_default_that_can_be_overridden_is_a_change(diff: Diff) -> None:
    write(RUN, launcher("--colocate", "--lr ${LR:-1e-6}", "--seed 42", "--kl-loss-coef 0.01"))
    assert "  ~ --lr  1e-6 → 1e-6 unless LR is set" in diff("HEAD")[1]
    assert diff("HEAD", "--env", "LR=3e-6")[1].splitlines()[1].startswith("  ~ --lr  1e-6 → 3e-6  ")


def test_long_values_show_what_differs_in_them(diff: Diff, git: Git) -> None:
    def text(middle: str) -> str:
        return launcher(f"--eval-config {'a' * 100}{middle}{'b' * 100}", "--lr 1e-6")

    write(RUN, text("old"))
    commit(git)
    write(RUN, text("newer"))
    around = "a" * 20, "b" * 20
    assert f"      - …{'old'.join(around)}…\n      + …{'newer'.join(around)}…\n" in diff("HEAD")[1]


def test_outside_of_a_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert main(["diff", "HEAD"]) == 2
    assert "not a git repository" in capsys.readouterr().err


def test_launches_appear_and_vanish(diff: Diff, git: Git) -> None:
    new = "examples/demo/run_new.sh"
    write(new, f'if [ "$MODE" = async ]; then\n{TRAIN} --fully-async\nfi\n')
    Path(RUN).unlink()
    _, out, _ = diff("HEAD")
    assert out == (
        f"{RUN}:8: relax launch, colocate, gone\n"
        "  4 arguments\n"
        "\n"
        f"{new}:2: new relax launch, async\n"
        '  when      [ "$MODE" = async ]\n'
        "  1 argument; `relax-lint show` lists them\n"
        "\n"
        "1 launch new, 1 gone since HEAD.\n"
    )


@pytest.mark.parametrize("staged", [True, False])
def test_a_renamed_launcher_is_the_same(diff: Diff, git: Git, staged: bool) -> None:
    new = "examples/other/run_other.sh"
    text = Path(RUN).read_text().replace("--lr 1e-6", "--lr 2e-6")
    Path(RUN).unlink()
    write(new, text)
    if staged:
        git("add", "--all")
    for arguments in (["HEAD"], ["HEAD", "examples/other"]):
        out = diff(*arguments)[1]
        assert f"{new}:8: relax launch, colocate\n  was in    {RUN}\n  ~ --lr  1e-6 → 2e-6" in out


def test_the_launches_of_one_script_are_told_apart_by_their_conditions(diff: Diff, git: Git) -> None:
    def both(sync: str, other: str) -> str:
        return f'if [ "$1" = sync ]; then\n{TRAIN} --colocate {sync}\nelse\n{TRAIN} --fully-async {other}\nfi\n'

    write(RUN, both("--lr 1e-6", "--lr 1e-6"))
    commit(git)
    write(RUN, both("--lr 1e-6", "--lr 3e-6"))
    (launch,) = content(diff, "HEAD")["launches"]
    assert launch["new"]["mode"] == "async"
    assert launch["new"]["conditions"] == ['! [ "$1" = sync ]']
    write(RUN, both("--lr 1e-6", "--lr 1e-6").replace("= sync", "= local"))
    out = diff("HEAD")[1]
    assert '  was when  [ "$1" = sync ]\n  is when   [ "$1" = local ]\n' in out
    assert out.endswith("2 launches changed since HEAD.\n")


@pytest.mark.parametrize(
    "choice",
    [
        'MODE=${1:-${MODE:-"sync"}}\nif [ "${MODE}" = "async" ]; then\nASYNC\nelse\nSYNC\nfi\n',
        ": ${MODE:=sync}\ncase $MODE in\nsync) SYNC ;;\n*) ASYNC ;;\nesac\n",
        "if [[ ${MODE:-sync} != sync ]]; then\nASYNC\nelse\nSYNC\nfi\n",
        "MODE=sync\nwhile getopts m: one; do MODE=$OPTARG; done\n[[ $MODE == async ]] && { ASYNC; exit; }\nSYNC\n",
    ],
)
def test_what_is_launched_when_nothing_is_set_is_told(diff: Diff, git: Git, choice: str) -> None:
    text = choice.replace("ASYNC", f"{TRAIN} --fully-async").replace("SYNC", f"{TRAIN} --colocate")
    write(RUN, f"#!/bin/bash\n{text}")
    commit(git)
    assert diff("HEAD", "--exit-code")[0] == 0
    flipped = ("-sync}", "-async}"), ('-"sync"', '-"async"'), (":=sync}", ":=async}"), ("MODE=sync\n", "MODE=async\n")
    for old, new in flipped:
        text = text.replace(old, new)
    write(RUN, f"#!/bin/bash\n{text}")
    status, out, _ = diff("HEAD", "--exit-code")
    assert status == 1
    first, second = sorted(out.split("\n\n")[:2])
    blocks = {block.splitlines()[0].rpartition(" ")[2]: block for block in (first, second)}
    assert "  default   launched now when nothing is set and no argument is given" in blocks["async"]
    assert "  default   no longer launched when nothing is set and no argument is given" in blocks["colocate"]
    sides = {launch["new"]["mode"]: launch for launch in content(diff, "HEAD")["launches"]}
    assert [sides[mode][side]["by_default"] for mode in ("async", "colocate") for side in ("old", "new")] == [
        False, True, True, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("${LR:-1e-6}", "unless LR is set"),
        ("${1:-1e-6}", "unless $1 is given"),
        ('${1:-${LR:-"1e-6"}}', "unless $1 or LR says otherwise"),
        ("${1:-${LR:-${RATE:-1e-6}}}", "unless $1, LR or RATE says otherwise"),
    ],
)
def test_what_can_be_set_is_named_as_it_is_set(diff: Diff, value: str, said: str) -> None:
    write(RUN, launcher("--colocate", "--lr $RATE_OF", "--seed 42", "--kl-loss-coef 0.01", before=f"RATE_OF={value}\n"))
    assert f" 1e-6 {said} " in " ".join(diff("HEAD")[1].split())


def test_equal_changes_of_one_script_are_told_once(diff: Diff, git: Git) -> None:
    def text(rate: str) -> str:
        start = f'go() {{\n{TRAIN} --lr {rate} "$@"\n}}\n'
        return f'{start}case "$1" in\na) go --seed 1 ;;\nb) go --seed 2 ;;\nesac\n'

    write(RUN, text("1e-6"))
    commit(git)
    write(RUN, text("2e-6"))
    out = diff("HEAD")[1]
    assert out.count("--lr") == 1
    assert ": both relax launches, separate\n" in out
    assert len(content(diff, "HEAD")["launches"]) == 2


def test_the_mode_the_gpus_and_the_command_are_told(diff: Diff) -> None:
    resource = """--resource '{"actor": [1, 16], "rollout": [1, 8]}'"""
    write(RUN, launcher("--fully-async", "--lr 1e-6", "--seed 42", "--kl-loss-coef 0.01", resource))
    text = Path(RUN).read_text().replace("python3 relax", "ray job submit -- python3 relax")
    Path(RUN).write_text(text)
    out = diff("HEAD")[1]
    assert "  was       python3 relax/entrypoints/train.py\n" in out
    assert "  is        ray job submit -- python3 relax/entrypoints/train.py\n" in out
    assert "  mode      colocate → async\n" in out


def test_between_revisions_whatever_the_work_tree_has(diff: Diff, git: Git) -> None:
    write(RUN, launcher("--colocate", "--lr 2e-6"))
    commit(git)
    git("switch", "--quiet", "--create", "side", "HEAD~1")
    write(RUN, launcher("--colocate", "--lr 1e-6", "--seed 42", "--kl-loss-coef 0.01", "--clip-grad 0.5"))
    commit(git)
    main_branch = git("rev-parse", "@{-1}")
    Path(RUN).write_text("broken ((")
    write("examples/demo/untracked.sh", f"{TRAIN} --lr 9\n")
    assert told(diff, "HEAD~1..HEAD") == {"--clip-grad": "added"}
    assert told(diff, "HEAD~1..") == {"--clip-grad": "added"}
    assert told(diff, f"{main_branch}..HEAD") == {
        "--lr": "changed", "--seed": "added", "--kl-loss-coef": "added", "--clip-grad": "added",
    }  # fmt: skip
    assert told(diff, f"{main_branch}...HEAD") == {"--clip-grad": "added"}
    assert diff("HEAD~1..HEAD")[1].endswith("1 launch changed from HEAD~1 to HEAD.\n")
    found = content(diff, "HEAD~1..HEAD")
    assert found["old"] == {"revision": "HEAD~1", "commit": git("rev-parse", "HEAD~1")}


def test_a_sourced_file_that_was_not_there(diff: Diff, git: Git) -> None:
    source = 'LR=1e-6\nsource "$(dirname "$0")/common.sh" || true\n'
    write(RUN, launcher("--lr $LR", before=source))
    commit(git)
    write(COMMON, "LR=2e-6\n")
    (launch,) = content(diff, "HEAD")["launches"]
    assert launch["arguments"][0]["new"]["values"] == [["2e-6"]]
    assert launch["arguments"][0]["old"]["values"] == [["1e-6"]]


def test_a_recipe_that_is_carried_over_is_another_launch(diff: Diff, git: Git) -> None:
    write(RUN, "python3 -m verl.trainer.main_ppo trainer.nnodes=1 data.train_batch_size=32\n")
    commit(git)
    write(RUN, "python3 -m verl.trainer.main_ppo trainer.nnodes=2 +data.x=1 data.train_batch_size=32\n")
    assert told(diff, "HEAD") == {"trainer.nnodes": "changed", "+data.x": "added"}
    write(RUN, f"{TRAIN} --rollout-batch-size 32\n")
    assert content(diff, "HEAD")["summary"] == {"changed": 0, "added": 1, "removed": 1}


def test_nothing_is_written_and_no_filter_is_run(diff: Diff, git: Git, tmp_path: Path) -> None:
    git("config", "filter.evil.clean", "touch evil; cat")
    git("config", "filter.evil.smudge", "touch evil; cat")
    git("config", "core.fsmonitor", "touch evil")
    git("config", "diff.evil.textconv", "touch evil; cat")
    write(".gitattributes", "*.sh filter=evil diff=evil\n")
    write(RUN, launcher("--lr 2e-6"))
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    assert diff("HEAD")[0] == diff("HEAD..HEAD")[0] == 0
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_what_is_not_followed_is_said(diff: Diff) -> None:
    write(RUN, "if [\n")
    status, _, err = diff("HEAD")
    assert status == 0
    assert err.startswith(f"relax-lint: {RUN}, line 1: ")
    assert content(diff, "HEAD")["notes"] != []


def test_colour_is_for_terminals(diff: Diff, monkeypatch: pytest.MonkeyPatch) -> None:
    from relax_lint.launch_history import compare
    from relax_lint.report.diff_text import render

    write(RUN, launcher("--colocate", "--lr 5e-7", "--seed 42", "--kl-loss-coef 0.01"))
    found = compare("HEAD", [Path.cwd()], {}, None)
    painted = render(found, colour=True)
    assert painted.startswith(f"\033[1m{RUN}:8: relax launch, colocate\033[0m\n  \033[33m~\033[0m --lr")
    assert "\033" not in diff("HEAD")[1]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nothing"], "no such revision: nothing"),
        (["HEAD..nothing"], "no such revision: nothing"),
        (["--output=x"], "required: REV"),
        (["HEAD..-x"], "not a revision: '-x'"),
        ([""], "not a revision: ''"),
        (["HEAD", "nowhere"], "no such file or directory on either side: nowhere"),
        (["HEAD", "--env", "A"], "--env wants NAME=VALUE"),
        (["HEAD", "--relax-root", "nowhere"], "nowhere"),
    ],
)
def test_wrong_usage_is_refused(diff: Diff, arguments: list[str], complaint: str) -> None:
    status, out, err = diff(*arguments)
    assert (status, out) == (2, "")
    assert complaint in err
    assert "Traceback" not in err
    assert not Path("x").exists()


def test_a_submodule_that_has_changed_is_said(
    git: Git, diff: Diff, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outer = tmp_path_factory.mktemp("outer")
    git("clone", "--quiet", ".", str(outer / "rel"))
    monkeypatch.chdir(outer)
    git("init", "--quiet")
    commit(git)
    assert diff("HEAD", "--exit-code") == (0, "No launch has changed since HEAD.\n", "")
    was = git("-C", "rel", "rev-parse", "HEAD")
    write(f"rel/{RUN}", launcher("--colocate"))
    told = "relax-lint: rel is a submodule that has changed, and launches in it are not compared: "
    told += f"cd rel && relax-lint diff {was}"
    nothing = "No launch outside of submodules has changed"
    assert diff("HEAD", "--exit-code") == (1, f"{nothing} since HEAD.\n", f"{told}\n")
    git("-C", "rel", "commit", "--all", "--quiet", "--message", "next")
    assert diff("HEAD") == (0, f"{nothing} since HEAD.\n", f"{told}\n")
    commit(git)
    now = git("-C", "rel", "rev-parse", "HEAD")
    assert diff("HEAD~1..HEAD") == (0, f"{nothing} from HEAD~1 to HEAD.\n", f"{told}..{now}\n")
    assert diff("HEAD") == (0, "No launch has changed since HEAD.\n", "")
