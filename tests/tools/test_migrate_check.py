from __future__ import annotations

import json
from pathlib import Path

import pytest

from relax_lint.shell.launch import Launch
from tests.cases import for_each
from tests.migrate.on_disk import write_relax, write_verl
from tools import migrate_check
from tools.bash_oracle import Oracle
from tools.migrate_checking.composing import agrees
from tools.migrate_checking.launchers import launchers
from tools.migrate_checking.results import Result
from tools.migrate_checking.running import last_words, run_all
from tools.migrate_checking.trees import Trees


def test_launchers_are_migrated_and_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    verl, relax = write_verl(tmp_path / "verl"), write_relax(tmp_path / "relax")
    (verl / "examples" / "critic.sh").write_text("python3 -m verl.trainer.main_ppo data.train_batch_size=8\n")
    (verl / "examples" / "sft.sh").write_text("torchrun -m verl.trainer.sft_trainer data.train_batch_size=8\n")
    before = sorted(relax.rglob("*"))
    words = [
        str(verl),
        "examples/launchers/grpo_gsm8k.sh",
        "examples/critic.sh",
        "examples/sft.sh",
        "--relax",
        str(relax),
    ]
    status = migrate_check.main([*words, "--jobs", "1", "--json", str(tmp_path / "out.json")])
    printed = capsys.readouterr().out
    assert "2 launchers: 1 migrated, 1 refused, 0 crashed" in printed
    assert "failures: none" in printed
    assert "launchers without any: 2 of 2" in printed
    assert status == 0
    migrated, refused = json.loads((tmp_path / "out.json").read_text())
    assert {ran["mode"] for ran in migrated["ran"]} == {"default", "sync", "async"}
    assert (refused["end"], refused["ran"]) == ("refused", [])
    assert "gae" in refused["reason"]
    assert sorted(relax.rglob("*")) == before


def test_a_launcher_that_is_not_as_it_should_be(tmp_path: Path) -> None:
    launcher = tmp_path / "run.sh"
    launcher.write_text(
        'MODE=${1:-sync}\n[ "$MODE" = async ] && { echo "needs 4 GPUs" >&2; exit 1; }\n'
        'python3 relax/entrypoints/train.py --num-rollout 1 "${COUNT:?how many}"\n'
    )
    result = Result("x.sh", "x")
    with Oracle() as oracle:
        run_all(launcher, tmp_path, oracle, result)
    assert [ran.words for ran in result.ran] == [("--num-rollout", "1", "/x/COUNT")] * 2
    assert result.refused == {"async": "needs 4 GPUs"}
    assert [failure.text for failure in result.failures] == [
        "run.sh launches without --colocate",
        "run.sh sync launches without --colocate",
    ]


def test_trees_leave_the_checkout_alone(tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    (checkout / ".git").mkdir(parents=True)
    (checkout / "kept").write_text("a")
    (checkout / "replaced").write_text("b")
    trees = Trees(tmp_path, checkout)
    tree = trees.new("tree")
    (tree / "new").write_text("c")
    other = tree / "other"
    other.write_text("d")
    other.replace(tree / "replaced")
    assert trees.written(tree) == [Path("new"), Path("replaced")]
    assert (checkout / "replaced").read_text() == (trees.new("next") / "replaced").read_text() == "b"
    assert not (tree / ".git").exists()


def test_only_trainings_by_reinforcement_count(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_text(
        "python3 -m verl.trainer.main_ppo a=1\npython3 -m verl.trainer.main_generation b=2\n"
    )
    (tmp_path / "b.sh").write_text("torchrun -m verl.trainer.fsdp_sft_trainer a=1\n")
    found: list[tuple[Path, list[Launch]]] = list(launchers(tmp_path, [tmp_path]))
    assert [(script.name, len(launches)) for script, launches in found] == [("a.sh", 1)]


@for_each(
    ("hydra", "ours", "same"),
    [
        (1, 1, True), (1, 1.0, True), (1, True, False), ("a", "b", False), ("???", None, True), ([1], [1, 2], False),
        ([1, "x"], [1, "x"], True), ({"a": [1]}, {"a": [1]}, True), ({1: "a"}, {"1": "a"}, True), ({"a": 1}, {}, False),
        ("Unknown0Part/data", "$HOME/data", True), ("Unknown0Part/data", "$HOME/date", False),
    ],
)  # fmt: skip
def test_values_agree_as_far_as_they_are_known(hydra: object, ours: object, same: bool) -> None:
    assert agrees(hydra, ours) is same


def test_the_last_words_are_the_scripts_own() -> None:
    assert last_words("a: unset\n+ exit 1\n++ echo\n\n") == "a: unset"
    assert last_words("") == ""
