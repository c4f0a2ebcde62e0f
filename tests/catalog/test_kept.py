"""What was read of a Relax checkout is kept between runs, and only used while it holds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from multiprocessing import get_context
from pathlib import Path

import pytest

from relax_lint.catalog import checkout
from relax_lint.catalog.flags import Catalogue
from relax_lint.catalog.kept import MOST_ENTRIES
from relax_lint.cli import main
from relax_lint.config import Settings
from relax_lint.project import Project
from relax_lint.store import Store, directory
from tests.catalog.small_relax import RELAX

ARGUMENTS = "relax/utils/arguments.py"
TRAIN = "python3 relax/entrypoints/train.py"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache/relax-lint"


def written(root: Path, tree: Mapping[str, str]) -> Path:
    for name, text in tree.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.fixture
def relax(tmp_path: Path) -> Path:
    return written(tmp_path / "relax", RELAX)


def flags_of(root: Path, cache: bool = True) -> Catalogue:
    return Project(root, Settings(cache=cache)).catalogue


def entries(cache: Path) -> list[Path]:
    return sorted(cache.glob("flags-*"))


@pytest.fixture
def unreadable(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on nothing but what is kept gives the flags of a checkout."""

    def refuse(*_: object) -> None:
        raise AssertionError("the checkout is read again")

    monkeypatch.setattr(checkout, "_read_checkout", refuse)


def test_what_is_kept_is_what_was_read(relax: Path, cache: Path) -> None:
    first = flags_of(relax)
    assert len(entries(cache)) == 1
    second = flags_of(relax)
    assert second.text == first.text
    assert list(second) == list(first)
    assert second.earlier("--rollout-batch-size") == first.earlier("--rollout-batch-size")


def test_a_second_run_does_not_read_the_checkout(
    relax: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    flags_of(relax)
    request.getfixturevalue("unreadable")
    assert flags_of(relax).flag("--only-relax") is not None
    with pytest.raises(AssertionError, match="read again"):
        flags_of(relax, cache=False)


@pytest.mark.parametrize("changed", sorted(name for name in RELAX if name != "relax/entrypoints/train.py"))
def test_a_changed_file_is_read_again(changed: str, relax: Path) -> None:
    before = flags_of(relax)
    path = relax / changed
    old, new = {
        ARGUMENTS: ("--only-relax", "--only-now"),
        "relax/backends/sglang/arguments.py": ("--sglang-extra", "--sglang-more"),
        "relax/backends/megatron/arguments.py": ("ignore_unknown_args=True", "ignore_unknown_args=False"),
        "relax/utils/teacher.py": ("--teacher-sglang-", "--tutor-sglang-"),
    }[changed]
    path.write_text(path.read_text().replace(old, new))
    after = flags_of(relax)
    assert after.text == flags_of(relax, cache=False).text
    assert (after.text != before.text) == (changed != "relax/backends/megatron/arguments.py")


def test_a_file_that_comes_later_counts(relax: Path) -> None:
    assert flags_of(relax).flag("--newer") is None
    patch = (
        "diff --git a/megatron/training/arguments.py b/megatron/training/arguments.py\n"
        "@@ -5,1 +5,2 @@ def _add_network_size_args(parser):\n     a = 1\n"
        "+    group.add_argument('--newer', action='store_true')\n"
    )
    written(relax, {"docker/patch/latest/megatron.patch": patch})
    assert flags_of(relax).flag("--newer") is not None


@pytest.mark.parametrize(
    "broken",
    [b"", b"\n", b"nonsense", b"\xff\xfe\n{}\n", b"0" * 64 + b"\n{}\n{}"],
    ids=["empty", "line", "nonsense", "bytes", "checksum"],
)
def test_a_broken_entry_is_ignored_and_replaced(broken: bytes, relax: Path, cache: Path) -> None:
    whole = flags_of(relax)
    (entry,) = entries(cache)
    good = entry.read_bytes()
    entry.write_bytes(broken)
    assert flags_of(relax).text == whole.text
    assert entry.read_bytes() == good


@pytest.mark.parametrize("body", [b"", b"nonsense", b"{}\nnonsense", b"{}\n{}", b"[]\n{}", b"{}\n\xff"])
def test_an_entry_that_holds_no_flags_is_ignored_and_replaced(body: bytes, relax: Path, cache: Path) -> None:
    whole = flags_of(relax)
    (entry,) = entries(cache)
    good = entry.read_bytes()
    Store(str(cache), "flags", MOST_ENTRIES).keep(entry.stem.removeprefix("flags-"), body)
    assert flags_of(relax).text == whole.text
    assert entry.read_bytes() == good


@pytest.mark.parametrize("cut", [1, 100, 5_000])
def test_an_entry_that_was_cut_is_ignored(cut: int, relax: Path, cache: Path) -> None:
    whole = flags_of(relax)
    (entry,) = entries(cache)
    entry.write_bytes(entry.read_bytes()[:-cut])
    assert flags_of(relax).text == whole.text


def test_a_directory_that_cannot_be_written_is_no_obstacle(
    relax: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert flags_of(relax).flag("--only-relax") is not None


def test_few_entries_are_left(relax: Path, cache: Path) -> None:
    text = RELAX[ARGUMENTS]
    for number in range(MOST_ENTRIES + 3):
        (relax / ARGUMENTS).write_text(text.replace("--only-relax", f"--only-{number}"))
        assert flags_of(relax).flag(f"--only-{number}") is not None
    # All but the main files are the same, yet each content of these has its own entry.
    assert 1 <= len(entries(cache)) <= MOST_ENTRIES
    assert not [entry for entry in entries(cache) if entry.name.startswith(".")]


def _read_one(root: Path) -> int:
    return len(flags_of(root))


def test_runs_side_by_side_see_whole_entries(relax: Path, cache: Path) -> None:
    with get_context("fork").Pool(4) as pool:
        counts = set(pool.map(_read_one, [relax] * 8))
    assert counts == {len(flags_of(relax, cache=False))}
    assert len(entries(cache)) == 1


def test_where_nothing_names_a_place_it_is_below_the_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for relative in ("", "not/absolute"):
        monkeypatch.setenv("XDG_CACHE_HOME", relative)
        monkeypatch.setenv("HOME", str(tmp_path))
        assert directory() == str(tmp_path / ".cache/relax-lint")


def test_trees_in_memory_leave_nothing(cache: Path) -> None:
    assert Project.from_files(RELAX).catalogue.flag("--only-relax") is not None
    assert entries(cache) == []


def test_no_cache_leaves_nothing_and_finds_the_same(
    relax: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    written(relax, {"examples/demo/run_demo.sh": f"{TRAIN} --only-relax 3 --colour blue --rollout-batch-size 8\n"})
    monkeypatch.chdir(relax)
    options = ["check", "--select", "RLX501,RLX502", "--format", "json", "examples"]
    assert main([*options, "--no-cache"]) == 1
    without = json.loads(capsys.readouterr().out)
    assert entries(cache) == []
    for _ in range(2):
        assert main(options) == 1
        assert json.loads(capsys.readouterr().out) == without
    assert len(entries(cache)) == 1
    assert [found["code"] for found in without["diagnostics"]] == ["RLX502", "RLX501"]
    assert "relax the checkout, megatron core" in without["judged_by"]["catalogue"]
