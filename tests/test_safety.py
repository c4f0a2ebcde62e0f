"""What a run never does, whatever it is given: start programs, open sockets, run code of a recipe, write elsewhere."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from relax_lint import store
from tools.faults.scenarios import SCENARIOS

ROOT = Path(__file__).parents[1]
TRAP = "import pathlib\npathlib.Path({mark!r}).touch()\n"


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    """What comes to be when anything of the tree is run."""
    return tmp_path / "mark"


@pytest.fixture
def tree(tmp_path: Path, mark: Path) -> Path:
    """A recipe to be fixed, one of verl, data, and traps: code that leaves a mark when it is run in any way."""
    root = tmp_path / "tree"
    for name in ("migrate", "several files", "data"):
        root.mkdir(exist_ok=True)
        SCENARIOS[name].prepare(root)
    trap = TRAP.format(mark=str(mark))
    for name in ("yaml", "json", "libcst", "argparse", "tree_sitter", "sitecustomize", "hydra", "pyarrow", "conftest"):
        (root / f"{name}.py").write_text(trap)
    recipe = root / "examples/traps"
    recipe.mkdir()
    (recipe / "__init__.py").write_text(trap)
    (recipe / "reward_traps.py").write_text(f"{trap}async def reward_func(args, sample, **kwargs):\n    return 1\n")
    (recipe / "traps.yaml").write_text(f"a: !!python/object/apply:os.system ['touch {mark}']\nb: &b [*b, *b]\n")
    (recipe / "run_traps.sh").write_text(
        f"touch {mark}; X=$(touch {mark}); Y=`touch {mark}`; source <(touch {mark})\n"
        f'eval "touch {mark}"; cat < /dev/tcp/127.0.0.1/9\n'
        "python3 relax/entrypoints/train.py --custom-rm-path examples.traps.reward_traps.reward_func "
        "--custom-config-path examples/traps/traps.yaml --prompt-data of_verl/train.jsonl --lr $X\n"
    )
    return root


def watched(tree: Path, *words: str, modules: Path = ROOT, given: str = "") -> dict[str, Any]:
    """What a run there asks of the system."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PRE_COMMIT"))},
        "PYTHONPATH": os.pathsep.join(map(str, (ROOT, modules))),
        "PYTHONDONTWRITEBYTECODE": "1",
        "XDG_CACHE_HOME": str(tree.parent / "cache"),
    }
    command = [sys.executable, str(ROOT / "tools/watch.py"), *words]
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, input=given)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    assert "Traceback" not in told["err"], told["err"]
    assert told["status"] >= 0, told
    return told


def elsewhere(tree: Path, told: dict[str, Any]) -> list[str]:
    """The files that a run changes which are neither in the tree nor in the cache."""
    allowed = (str(tree), str(tree.parent / "cache"), "/proc/self/fd/")  # the last: a file that has no name yet
    return [path for path in told["changed"] if path.startswith("/") and not path.startswith(allowed)]


RUNS = {
    "check": ("check", "."),
    "check in processes": ("check", "-j", "2", "--no-cache", "."),
    "fix": ("check", "--fix", "--unsafe-fixes", "--no-migrate", "."),
    "suppressions": ("check", "--add-suppressions", "later", "."),
    "show": ("show", "examples/traps/run_traps.sh", "examples/countdown/run_countdown.sh"),
    "migrate": ("migrate", "verl/long_sums", "--name", "sums"),
    "data check": ("data", "check", "of_verl/train.jsonl", "--launcher", "examples/traps/run_traps.sh"),
    "data convert": ("data", "convert", "of_verl", "of_relax"),
    "report": ("report", "examples", "--output", "report.html"),
    "rule": ("rule", "--all"),
    "flake8": ("--program", "flake8", "-j", "1", "examples"),
}


@pytest.mark.parametrize("run", RUNS)
def test_a_run_starts_nothing_speaks_to_nobody_and_writes_nowhere_else(run: str, tree: Path, mark: Path) -> None:
    told = watched(tree, *RUNS[run])
    assert (told["started"], told["spoke"], told["passed_by"]) == ([], [], [])
    assert elsewhere(tree, told) == []
    assert not mark.exists(), "nothing of the tree was run"
    assert told["out"] + told["err"] or run == "data convert"


@pytest.mark.parametrize("words", [("check", "--since", "HEAD", "."), ("diff", "HEAD"), ("check", "--fix", ".")])
def test_git_is_the_only_program_that_is_ever_started(words: tuple[str, ...], tree: Path, mark: Path) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    shutil.rmtree(tree / "examples")
    SCENARIOS["recipe of verl"].prepare(tree / "inner")
    (tree / "inner/examples").rename(tree / "examples")
    for command in (("init", "-q"), ("add", "examples"), ("commit", "-q", "-m", "start")):
        subprocess.run(["git", *who, *command], cwd=tree, check=True)
    told = watched(tree, *words)
    assert {Path(path).name for path in told["started"]} == {"git"}
    assert (told["spoke"], told["passed_by"], elsewhere(tree, told)) == ([], [], ["/dev/null"])
    assert not mark.exists()


def test_the_language_server_speaks_to_its_editor_only(tree: Path, mark: Path) -> None:
    script = tree / "examples/traps/run_traps.sh"
    document = {"uri": script.as_uri(), "languageId": "shellscript", "version": 1, "text": script.read_text()}
    messages: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": {"capabilities": {}, "processId": None, "rootUri": tree.as_uri()}},
        {"method": "initialized", "params": {}},
        {"method": "textDocument/didOpen", "params": {"textDocument": document}},
        {"id": 2, "method": "shutdown"},
        {"method": "exit"},
    ]
    texts = [json.dumps({"jsonrpc": "2.0", **message}) for message in messages]
    told = watched(tree, "lsp", given="".join(f"Content-Length: {len(text)}\r\n\r\n{text}" for text in texts))
    assert "capabilities" in told["out"]
    # asyncio wakes itself through a pair of sockets that nobody else has.
    assert (told["started"], set(told["spoke"]), told["passed_by"]) == ([], {"socketpair", "sendto"}, [])
    assert elsewhere(tree, told) == []
    assert not mark.exists()


def test_the_watch_sees_what_it_is_for(tree: Path) -> None:
    modules = tree.parent / "modules"
    modules.mkdir()
    (modules / "careless.py").write_text(
        "import pathlib, socket, subprocess, sys\n"
        "subprocess.run(['true'])\n"
        "socket.socket().connect_ex(('127.0.0.1', 9))\n"
        "(pathlib.Path.cwd().parent / 'elsewhere').write_text('x')\n"
        "sys.exit(3)\n"
    )
    told = watched(tree, "--program", "careless", modules=modules)
    assert told["status"] == 3
    assert Path(told["started"][-1]).name == "true"
    assert told["spoke"] == ["socket", "connect"]
    assert elsewhere(tree, told) == [str(tree.parent / "elsewhere")]


@pytest.mark.parametrize("command", ["relax-lint", "-m"])
def test_modules_in_the_working_directory_are_not_taken_for_the_programs_own(
    command: str, tree: Path, mark: Path
) -> None:
    script = Path(sys.executable).with_name("relax-lint")
    program = [str(script)] if command == "relax-lint" else [sys.executable, "-m", "relax_lint"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([*program, "check", "."], cwd=tree, env=environment, capture_output=True, text=True)
    assert (done.returncode, mark.exists()) == (1, False), done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("check", "."),
        ("check", "--show-suppressed", "."),
        ("check", "--format", "github", "."),
        ("check", "no\x1b[2Jsuch\u202efile"),
        ("show", "examples/x\x1b[31m/run_x\u202e.sh"),
        ("data", "check", "x\x1b]0;title\x07.parquet"),
        ("check", "--fix", "--unsafe-fixes", "."),
    ],
)
def test_what_is_printed_can_do_nothing_to_a_terminal(words: tuple[str, ...], tmp_path: Path) -> None:
    recipe = tmp_path / "examples/x\x1b[31m"
    recipe.mkdir(parents=True)
    (tmp_path / "relax").mkdir()
    (recipe / "run_x\u202e.sh").write_text(
        "python3 relax/entrypoints/train.py --unknown\x1b[2J-flag 1 --lr '\x1b]0;owned\x07' --lr 2 \x9b31m "
        "--custom-rm-path examples.x\u2066.y # relax-lint: disable=RLX501 \x1b[5m\n"
    )
    (recipe / "reward_x.py").write_text("def reward_func(args, sample):\n    return '\x1b[2J\u202e' # verl \x1b[1m\n")
    (recipe / "bad\x1b.py").write_text("import verl\ndef f(:\n    '\u2067'\n")
    (recipe / "bad.yaml").write_text("a: [\x1b[2J\n")
    command = [sys.executable, "-m", "relax_lint", *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True)
    printed = (done.stdout + done.stderr).decode()
    assert printed
    assert {c for c in printed if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")} <= {"\n", "\t"}


def test_a_name_is_no_command_to_githubs_runners(tmp_path: Path) -> None:
    script = tmp_path / "::stop-commands::x.sh"
    script.write_text("python3 -m verl.trainer.main_ppo a=1 a=1\npython3 relax/entrypoints/train.py --no-such 1\n")
    command = [sys.executable, "-m", "relax_lint", "check", "."]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert "stop-commands" in done.stdout
    assert not any(line.lstrip().startswith("::") for line in (done.stdout + done.stderr).splitlines())


def test_what_is_kept_between_runs_is_for_the_user_alone(tmp_path: Path) -> None:
    place = tmp_path / "cache/relax-lint"
    kept = store.Store(str(place), "run", 4)
    mask = os.umask(0)
    try:
        kept.keep("name", b"body")
    finally:
        os.umask(mask)
    (entry,) = place.glob("run-*")
    assert (place.stat().st_mode & 0o777, entry.stat().st_mode & 0o777) == (0o700, 0o600)
    assert kept.find("name") == b"body"


def test_an_entry_that_others_may_write_is_none(tmp_path: Path) -> None:
    kept = store.Store(str(tmp_path), "run", 4)
    kept.keep("name", b"body")
    (entry,) = tmp_path.glob("run-*")
    entry.chmod(0o620)
    assert kept.find("name") is None
