"""What reaches the disk, and what never does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from relax_lint.writing import put, turns, write_all


def written(path: Path, data: bytes, *, root: Path, named: list[Path] | None = None) -> dict[Path, str]:
    before = path.read_bytes() if path.exists() else None
    return write_all({path: data}, {path: before}, root, named or [root])


def test_a_file_is_replaced_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "run.sh"
    path.write_bytes(b"a\r\n")
    path.chmod(0o750)
    assert written(path, b"b\r\n", root=tmp_path) == {}
    assert path.read_bytes() == b"b\r\n"
    assert path.stat().st_mode & 0o7777 == 0o750
    assert list(tmp_path.iterdir()) == [path], "nothing is left beside it"


def test_a_file_is_created_with_its_directories_and_a_plain_mode(tmp_path: Path) -> None:
    path = tmp_path / "examples/new/__init__.py"
    mask = os.umask(0o027)
    try:
        assert written(path, b"", root=tmp_path) == {}
    finally:
        os.umask(mask)
    assert path.read_bytes() == b""
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_file_that_was_changed_meanwhile_is_left(tmp_path: Path) -> None:
    one, two = tmp_path / "one.py", tmp_path / "two.py"
    one.write_bytes(b"mine\n")
    two.write_bytes(b"old\n")
    left = write_all({one: b"new\n", two: b"new\n"}, {one: b"old\n", two: b"old\n"}, tmp_path, [tmp_path])
    assert left == {one: "it was changed meanwhile; run again"}
    assert (one.read_bytes(), two.read_bytes()) == (b"mine\n", b"new\n")


def test_a_file_that_appeared_or_went_meanwhile_is_left(tmp_path: Path) -> None:
    new, gone = tmp_path / "new.py", tmp_path / "gone.py"
    new.write_bytes(b"mine\n")
    left = write_all({new: b"", gone: b"x"}, {new: None, gone: b"old\n"}, tmp_path, [tmp_path])
    assert set(left) == {new, gone}
    assert not gone.exists()


def test_a_link_within_the_given_paths_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "a/real.py", tmp_path / "b/link.py"
    real.parent.mkdir()
    link.parent.mkdir()
    real.write_bytes(b"old\n")
    link.symlink_to(real)
    assert written(link, b"new\n", root=tmp_path) == {}
    assert link.is_symlink()
    assert real.read_bytes() == b"new\n"


@pytest.mark.parametrize("named", [".", "link.py"])
def test_a_link_out_of_the_given_paths_is_not_followed(tmp_path: Path, named: str) -> None:
    outside, root = tmp_path / "outside", tmp_path / "root"
    outside.mkdir()
    root.mkdir()
    (outside / "real.py").write_bytes(b"old\n")
    (root / "link.py").symlink_to(outside / "real.py")
    (root / "sub").symlink_to(outside)
    left = written(root / "link.py", b"new\n", root=root, named=[root / named])
    assert "leads out of the given paths" in left[root / "link.py"]
    left = written(root / "sub/real.py", b"new\n", root=root)
    assert "leads out of the given paths" in left[root / "sub/real.py"]
    assert (outside / "real.py").read_bytes() == b"old\n"


def test_a_directory_behind_a_link_that_was_named_is_no_way_out(tmp_path: Path) -> None:
    outside, root = tmp_path / "outside", tmp_path / "root"
    outside.mkdir()
    root.mkdir()
    (outside / "real.py").write_bytes(b"old\n")
    (root / "sub").symlink_to(outside)
    assert written(root / "sub/real.py", b"new\n", root=root, named=[root / "sub"]) == {}
    assert (outside / "real.py").read_bytes() == b"new\n"


def test_a_root_that_is_itself_behind_a_link_is_no_obstacle(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (real / "x.py").write_bytes(b"old\n")
    (tmp_path / "root").symlink_to(real)
    assert written(tmp_path / "root/x.py", b"new\n", root=tmp_path / "root") == {}
    assert (real / "x.py").read_bytes() == b"new\n"


def test_what_cannot_be_written_is_said_and_nothing_is_left_behind(tmp_path: Path) -> None:
    path = tmp_path / "file/x.py"
    (tmp_path / "file").write_bytes(b"no directory\n")
    left = write_all({path: b"new\n"}, {path: None}, tmp_path, [tmp_path])
    assert set(left) == {path}
    assert [item.name for item in tmp_path.iterdir()] == ["file"]


def test_two_runs_on_one_tree_take_turns(tmp_path: Path) -> None:
    script = (
        "import sys, pathlib\nfrom relax_lint.writing import turns\n"
        "with turns([pathlib.Path(sys.argv[1])]):\n    print('in', flush=True)\n"
    )
    with turns([tmp_path]):
        other = subprocess.Popen([sys.executable, "-c", script, tmp_path], stdout=subprocess.PIPE, text=True)
        with pytest.raises(subprocess.TimeoutExpired):
            other.wait(0.5)
    output, _ = other.communicate(timeout=30)
    assert output == "in\n"
    assert list(tmp_path.iterdir()) == []


def test_the_owner_stays(tmp_path: Path) -> None:
    path = tmp_path / "run.sh"
    path.write_bytes(b"old\n")
    owner = (65534, 65534) if os.geteuid() == 0 else (os.geteuid(), os.getegid())
    os.chown(path, *owner)
    path.chmod(0o2750)
    assert written(path, b"new\n", root=tmp_path) == {}
    status = path.stat()
    assert (status.st_uid, status.st_gid, status.st_mode & 0o7777) == (*owner, 0o2750)


def test_the_other_name_of_a_hard_link_keeps_the_old_content(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "outside.py").write_bytes(b"old\n")
    (root / "x.py").hardlink_to(tmp_path / "outside.py")
    assert written(root / "x.py", b"new\n", root=root) == {}
    assert ((root / "x.py").read_bytes(), (tmp_path / "outside.py").read_bytes()) == (b"new\n", b"old\n")


def test_a_link_in_a_circle_is_left(tmp_path: Path) -> None:
    (tmp_path / "a.py").symlink_to("b.py")
    (tmp_path / "b.py").symlink_to("a.py")
    left = write_all({tmp_path / "a.py": b"x"}, {tmp_path / "a.py": None}, tmp_path, [tmp_path])
    assert set(left) == {tmp_path / "a.py"}
    assert (tmp_path / "a.py").is_symlink()


def test_a_link_that_leads_nowhere_is_not_made_to_lead_out(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "x.py").symlink_to(tmp_path / "elsewhere.py")
    left = write_all({root / "x.py": b"x"}, {root / "x.py": None}, root, [root])
    assert "leads out of the given paths" in left[root / "x.py"]
    assert not (tmp_path / "elsewhere.py").exists()


@pytest.mark.parametrize("target", ["/dev/null", "/dev/stdout", "pipe"])
def test_what_comes_of_a_run_may_go_into_what_is_no_file(target: str, tmp_path: Path) -> None:
    if target == "pipe":
        os.mkfifo(tmp_path / target)
        reader = subprocess.Popen(["cat", tmp_path / target], stdout=subprocess.PIPE)
    script = "import sys\nfrom pathlib import Path\nfrom relax_lint.writing import put\nput(Path(sys.argv[1]), b'x')\n"
    done = subprocess.run([sys.executable, "-c", script, target], cwd=tmp_path, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == (b"x" if target == "/dev/stdout" else b"")
    if target == "pipe":
        assert reader.communicate(timeout=30)[0] == b"x"


def test_what_comes_of_a_run_is_written_through_links_and_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    path, link = tmp_path / "real/report.json", tmp_path / "link.json"
    path.write_bytes(b"old")
    path.chmod(0o604)
    link.symlink_to(path)
    put(link, b"new")
    assert (link.is_symlink(), path.read_bytes(), path.stat().st_mode & 0o777) == (True, b"new", 0o604)
    assert [each.name for each in path.parent.iterdir()] == ["report.json"]
