"""Which files are found, and which are left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from relax_lint.config import Configuration, Settings
from relax_lint.discovery import is_launcher, root_of, walk
from relax_lint.files import Files
from relax_lint.groups import find, take_named
from relax_lint.project import Project


def make(root: Path, *paths: str) -> None:
    for path in paths:
        write(root / path, "")


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def walked(root: Path) -> list[str]:
    return [path.relative_to(root).as_posix() for path in walk(root, Files())]


def found(*paths: Path, configuration: Configuration | None = None) -> list[Path]:
    groups = find(paths, configuration or Configuration(isolated=True))
    return sorted(path for group in groups for path in group.targets)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("run.sh", "", True),
        ("run.bash", "", True),
        ("run", "#!/bin/bash\n", True),
        ("run", "#!/usr/bin/env bash\n", True),
        ("run", "#! /usr/bin/env -S bash -e\n", True),
        ("run", "#!/usr/local/bin/bash -eu\n", True),
        ("run", "#!/bin/sh\n", True),
        ("run", "#!/usr/bin/env python3\n", False),
        ("run", "#!/usr/bin/python3 # bash\n", False),
        ("run", "#!/opt/sh/bin/python\n", False),
        ("run", "#!/usr/bin/fish\n", False),
        ("run", "echo #!/bin/bash\n", False),
        ("run.slurm", "#!/bin/bash -l\n#SBATCH --nodes=2\n", True),
        ("run.sbatch", "#!/bin/bash\n", True),
        ("run.slurm", "#!/usr/bin/env python3\n", False),
        ("run", "\ufeff#!/bin/bash\n", True),
        ("run.txt", "#!/bin/bash\n", False),
        ("run.py", "#!/bin/bash\n", False),
        ("run.sh.example", "#!/bin/bash\n", False),
    ],
)
def test_launchers_are_known_by_suffix_and_shebang(tmp_path: Path, name: str, text: str, expected: bool) -> None:
    (tmp_path / name).write_text(text)
    assert is_launcher(tmp_path / name, Files()) is expected


def test_a_named_script_is_a_launcher_by_its_shebang_whatever_its_suffix(tmp_path: Path) -> None:
    make(tmp_path, "examples/x/notes.txt")
    write(tmp_path / "examples/x/run.SH", "#!/bin/bash\n")
    named = [tmp_path / "examples/x/run.SH", tmp_path / "examples/x/notes.txt"]
    files = Files()
    assert find([tmp_path], Configuration(isolated=True), files) == []
    take_named(named, files)
    (group,) = find(named, Configuration(isolated=True), files)
    assert group.targets == named[:1]


def test_ignore_files_are_honoured_at_every_level(tmp_path: Path) -> None:
    make(tmp_path, "a.sh", "b.log", "sub/b.log", "sub/keep.log", "sub/deep/c.tmp", "out/x.sh", "sub/out/x.sh")
    write(tmp_path / ".gitignore", "*.log\n/out/\n")
    write(tmp_path / "sub/.gitignore", "!keep.log\n*.tmp\n")
    assert walked(tmp_path) == [".gitignore", "a.sh", "sub/.gitignore", "sub/keep.log", "sub/out/x.sh"]


def test_ignore_files_above_count_up_to_the_root_of_the_work_tree(tmp_path: Path) -> None:
    make(tmp_path, "repo/.git/config", "repo/examples/x/a.sh", "repo/examples/x/b.sh", "repo/examples/x/c.sh")
    write(tmp_path / ".gitignore", "a.sh\n")
    write(tmp_path / "repo/.gitignore", "/examples/x/b.sh\n")
    write(tmp_path / "repo/.git/info/exclude", "c.sh\n")
    assert walked(tmp_path / "repo/examples") == ["x/a.sh"]


def test_hidden_directories_and_environments_are_not_entered(tmp_path: Path) -> None:
    make(tmp_path, ".venv/x.sh", ".hidden.sh", "env/pyvenv.cfg", "env/lib/x.sh", "node_modules/x.sh", "a/x.sh")
    assert walked(tmp_path) == [".hidden.sh", "a/x.sh"]


def test_links_to_directories_are_not_followed_and_loops_end(tmp_path: Path) -> None:
    make(tmp_path, "a/x.sh")
    (tmp_path / "a/loop").symlink_to(tmp_path / "a")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    (tmp_path / "self").symlink_to(tmp_path / "self")
    (tmp_path / "y.sh").symlink_to(tmp_path / "a/x.sh")
    assert [path for path in walked(tmp_path) if path.endswith(".sh")] == ["a/x.sh", "y.sh"]


def test_a_named_path_is_taken_though_it_is_ignored_or_hidden(tmp_path: Path) -> None:
    make(tmp_path, "examples/x/a.py", ".hidden/examples/x/b.py", "skipped/examples/x/c.py")
    write(tmp_path / ".gitignore", "a.py\nskipped/\n")
    assert found(tmp_path) == []
    named = [tmp_path / "examples/x/a.py", tmp_path / ".hidden", tmp_path / "skipped"]
    assert [path.name for path in found(*named)] == ["b.py", "a.py", "c.py"]


def test_excludes_leave_out_what_is_walked_and_by_force_what_is_named(tmp_path: Path) -> None:
    make(tmp_path, "examples/x/a.py", "examples/x/b.py", "examples/old/c.py")
    write(tmp_path / "relax-lint.toml", 'exclude = ["old/", "b.py"]\n')
    everything = [tmp_path / "examples", tmp_path / "examples/x/b.py", tmp_path / "examples/old/c.py"]
    assert [path.name for path in found(tmp_path, configuration=Configuration())] == ["a.py"]
    assert len(found(*everything, configuration=Configuration())) == 3
    write(tmp_path / "relax-lint.toml", 'exclude = ["old/", "b.py"]\nforce-exclude = true\n')
    assert [path.name for path in found(*everything, configuration=Configuration())] == ["a.py"]


def test_only_kinds_that_rules_read_are_taken(tmp_path: Path) -> None:
    make(tmp_path, "examples/x/README.md", "examples/x/a.yaml", "tools/a.py", "tools/b.sh", "examples/top.py")
    assert [path.name for path in found(tmp_path)] == ["a.yaml", "b.sh"]


@pytest.mark.parametrize(
    ("directories", "path", "root"),
    [
        (("r/examples/x",), "r/examples/x/a.py", "r"),
        (("r/examples/x",), "r/examples", "r"),
        (("r/examples/x",), "r", "r"),
        (("r/relax", "r/scripts/training"), "r/scripts/training/a.sh", "r"),
        (("r/relax", "r/examples/x/examples/y"), "r/examples/x/examples/y/a.py", "r"),
        (("r/examples/x/examples/y",), "r/examples/x/examples/y/a.py", "r/examples/x"),
        (("r/relax", "r/tests/tree/examples/y"), "r/tests/tree/examples/y/a.py", "r/tests/tree"),
        (("examples/r/relax", "examples/r/scripts"), "examples/r/scripts/a.sh", "examples/r"),
        (("elsewhere",), "elsewhere/a.sh", None),
    ],
)
def test_the_root_is_the_nearest_repository(
    tmp_path: Path, directories: tuple[str, ...], path: str, root: str | None
) -> None:
    for directory in directories:
        (tmp_path / directory).mkdir(parents=True)
    assert root_of(tmp_path / path, Files()) == (None if root is None else tmp_path / root)


def test_recipes_are_the_directories_directly_under_examples() -> None:
    project = Project.from_files(
        {
            "examples/__init__.py": "",
            "examples/one/run_one.sh": "",
            "examples/group/math/run.sh": "",
            "examples/group/reward.py": "",
            "examples/configured/config.yaml": "",
            "examples/pictures/a.png": "",
            "examples/tested/test_reward.py": "",
            "scripts/training/run.sh": "",
        }
    )
    assert [recipe.name for recipe in project.recipes] == ["configured", "group", "one"]
    group = project.recipe_of(project.root / "examples/group/math/run.sh")
    assert group is not None
    assert group.directory == project.root / "examples/group"
    assert [launcher.path.name for launcher in group.launchers] == ["run.sh"]
    assert [source.path.name for source in group.python] == ["reward.py"]
    for path in ("examples/__init__.py", "scripts/training/run.sh", "examples/pictures/a.png"):
        assert project.recipe_of(project.root / path) is None


def test_modules_are_found_from_the_root_and_in_relaxs_checkout(tmp_path: Path) -> None:
    make(tmp_path, "own/examples/x/reward.py", "own/examples/x/pkg/__init__.py", "own/examples/x/pkg.py")
    make(tmp_path, "Relax/relax/entrypoints/train.py", "Relax/relax/utils/types.py", "own/examples/x/local.py")
    project = Project(tmp_path / "own", Settings(relax_root=tmp_path / "Relax"))

    def module(dotted: str, start: Path | None = None) -> str | None:
        source = project.module(dotted, start)
        return None if source is None else source.path.relative_to(tmp_path).as_posix()

    assert module("examples.x.reward") == "own/examples/x/reward.py"
    assert module("examples.x.pkg") == "own/examples/x/pkg/__init__.py"
    assert module("relax.utils.types") == "Relax/relax/utils/types.py"
    assert module("local") is None
    assert module("local", tmp_path / "own/examples/x") == "own/examples/x/local.py"
    for nothing in ("examples.x.nothing", "examples/x/reward", "", "examples..x", "examples.x.reward.py"):
        assert module(nothing) is None


def test_changes_hide_and_add_files_without_touching_the_rest(tmp_path: Path) -> None:
    make(tmp_path, "examples/x/a.py", "examples/x/b.py")
    project = Project(tmp_path)
    before = project.python(tmp_path / "examples/x/b.py")
    changed = project.with_changes({tmp_path / "examples/x/a.py": None, tmp_path / "examples/y/new/c.py": b"C = 1\n"})
    assert changed.python(tmp_path / "examples/x/a.py") is None
    assert changed.python(tmp_path / "examples/x/b.py") is before
    assert [recipe.name for recipe in changed.recipes] == ["x", "y"]
    assert changed.is_dir(tmp_path / "examples/y/new")
    assert [path.name for path in walk(tmp_path, changed.files)] == ["b.py", "c.py"]
