"""What is asked of a block that is not run, by its language."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import jsonschema
import yaml
from pre_commit import clientlib

from relax_lint.cli import COMMANDS
from relax_lint.config import ConfigError, read_settings
from relax_lint.rules import load_rules
from relax_lint.selection import UnknownRule, refuse_unknown
from tools.docs_builder.sessions import ROOT
from tools.docs_builder.snippets import Block, steps

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]

Fault = str
Check = Callable[[Block, Path], Iterator[Fault]]
BIN = Path(sys.executable).parent
HOOKS = {hook["id"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
INPUTS = yaml.safe_load((ROOT / "action.yml").read_text())["inputs"]
SHOWN_ONLY = ("text", "diff", "vim", "lua", "lisp")
"""Languages of which nothing is known here; a comment has to say what is shown."""


def faults_of(block: Block, scratch: Path, *, runs: bool) -> Iterator[Fault]:
    """What is wrong with a block; ``runs`` where it stands in a directory that its commands are run in."""
    if block.language in CHECKS:
        yield from CHECKS[block.language](block, scratch)
    elif block.language in SHOWN_ONLY:
        if not block.is_session and not {"shown", "not run"} & block.marks.keys():
            yield "a comment has to say what is shown: <!-- shown: ... -->"
    elif not block.is_session:
        yield f"no check is known for the language {block.language!r}"
    if (block.language == "bash" or block.is_session) and not (runs or block.reason_not_to_run):
        yield "it is not run: say where (<!-- in ... -->) or why not (<!-- not run: ... -->)"


def bash(block: Block, scratch: Path) -> Iterator[Fault]:
    """Bash parses it, and every option that it gives relax-lint exists."""
    parsed = subprocess.run(["bash", "-n"], input=block.text, capture_output=True, text=True)
    if parsed.returncode:
        yield parsed.stderr
    yield from usage_faults(block.text)


def console(block: Block, scratch: Path) -> Iterator[Fault]:
    """The same of the commands of a session."""
    if not block.is_session:
        yield "it begins with no command"
    for step in steps(block.text):
        yield from usage_faults(step.command)


def toml(block: Block, scratch: Path) -> Iterator[Fault]:
    """What it configures accepts it."""
    try:
        table = tomllib.loads(block.text)
    except tomllib.TOMLDecodeError as problem:
        yield str(problem)
        return
    if block.marks.get("file") == "relax-lint.toml" or "relax-lint" in table.get("tool", {}):
        path = scratch / block.marks.get("file", "pyproject.toml")
        path.write_text(block.text)
        try:
            settings = read_settings(path)
            selectors = [selector for layer in settings.selection for selector in layer.selectors]
            refuse_unknown(
                [*selectors, *(word for words in settings.per_file_ignores.values() for word in words)], load_rules()
            )
        except (ConfigError, UnknownRule) as problem:
            yield str(problem)
    elif "ruff" in table.get("tool", {}):
        (scratch / "pyproject.toml").write_text(block.text)
        done = subprocess.run(
            [BIN / "ruff", "check", "--show-settings", "--config", "pyproject.toml"],
            cwd=scratch,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            yield done.stderr
    elif "not run" not in block.marks:
        yield "a comment has to say why nothing reads it: <!-- not run: ... -->"


def yaml_(block: Block, scratch: Path) -> Iterator[Fault]:
    """What reads it accepts it: pre-commit, GitHub, GitLab; otherwise that it parses is all that is known."""
    try:
        tree = yaml.safe_load(block.text)
    except yaml.YAMLError as problem:
        yield str(problem)
        return
    path = scratch / "given.yaml"
    path.write_text(block.text)
    if isinstance(tree, dict) and "repos" in tree:
        try:
            clientlib.load_config(str(path))
        except clientlib.InvalidConfigError as problem:
            yield str(problem)
        ours = [repository for repository in tree["repos"] if repository["repo"].endswith("/relax-lint")]
        yield from (
            f"no such hook: {hook['id']}"
            for repository in ours
            for hook in repository["hooks"]
            if hook["id"] not in HOOKS
        )
    elif isinstance(tree, dict) and (service := _service(tree)):
        done = subprocess.run(
            [BIN / "check-jsonschema", "--builtin-schema", f"vendor.{service}", path], capture_output=True, text=True
        )
        if done.returncode:
            yield done.stdout + done.stderr
    yield from _wrong_inputs(tree)
    for command in _commands(tree):
        yield from usage_faults(command)


def _wrong_inputs(tree: object) -> Iterator[Fault]:
    """What a workflow gives our action that it does not take."""
    if isinstance(tree, dict):
        if re.search(r"/relax-lint@", str(tree.get("uses", ""))):
            yield from (f"no such input: {name}" for name in tree.get("with", {}) if name not in INPUTS)
        tree = list(tree.values())
    if isinstance(tree, list):
        for item in tree:
            yield from _wrong_inputs(item)


def _service(tree: dict[str, object]) -> str | None:
    if "jobs" in tree:
        return "github-workflows"
    if any(isinstance(job, dict) and "script" in job for job in tree.values()):
        return "gitlab-ci"
    return None


def _commands(tree: object) -> Iterator[str]:
    if isinstance(tree, dict):
        for key, value in tree.items():
            if key in ("run", "script", "entry"):
                yield from [value] if isinstance(value, str) else value
            else:
                yield from _commands(value)
    elif isinstance(tree, list):
        for item in tree:
            yield from _commands(item)


def json_(block: Block, scratch: Path) -> Iterator[Fault]:
    """It parses, and is of the schema that it is said to be of."""
    try:
        value = json.loads(block.text)
    except ValueError as problem:
        yield str(problem)
        return
    if "schema" in block.marks:
        schema = json.loads((ROOT / f"docs/schema/{block.marks['schema']}.schema.json").read_text())
        yield from (error.message for error in jsonschema.Draft202012Validator(schema).iter_errors(value))
    elif "not run" not in block.marks:
        yield "a comment has to name its schema, or say why there is none: <!-- not run: ... -->"


def python(block: Block, scratch: Path) -> Iterator[Fault]:
    """It compiles."""
    try:
        compile(block.text, "block", "exec")
    except SyntaxError as problem:
        yield str(problem)


CHECKS: dict[str, Check] = {
    "bash": bash,
    "console": console,
    "toml": toml,
    "yaml": yaml_,
    "json": json_,
    "python": python,
}


def usage_faults(script: str) -> Iterator[Fault]:
    """Where a script calls relax-lint in a way that the command line refuses."""
    for line in re.sub(r"\\\n", " ", script).splitlines():
        with contextlib.suppress(ValueError):  # quotes that close on another line
            words = shlex.split(line, comments=True)
            if "relax-lint" in words and (refused := _refused(words[words.index("relax-lint") + 1 :])):
                yield f"{line.strip()}: {refused}"


def _refused(words: list[str]) -> str | None:
    """What argparse says of a command, or ``None``."""
    ends = [at for at, word in enumerate(words) if word in ("|", ">", "<", "&&", "||", ";", "2>&1", "2>", "--")]
    words = words[: min(ends, default=len(words))]
    if words[:1] in (["--help"], ["--version"]):
        return None
    name = words.pop(0) if words and words[0] in COMMANDS else "check"
    command = import_module(f"relax_lint.commands.{name.replace('-', '_')}")
    parser = ArgumentParser(prog=f"relax-lint {name}", allow_abbrev=False)
    command.add_arguments(parser)
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
            parser.parse_known_args(words) if getattr(command, "TAKES_UNKNOWN", False) else parser.parse_args(words)
    except SystemExit as left:
        return said.getvalue() if left.code else None
    return None
