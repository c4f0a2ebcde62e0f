"""Relax's own verdict: its ``parse_args`` run for one command line after the other, in one process.

``relax.utils.arguments`` of a checkout is imported with the Megatron, SGLang and router that are given, unchanged but
for what surrounds them (see ``outside.py``). Each run builds the parsers anew, as Relax does; environment, working
directory and the one switch that Megatron keeps in a class are put back behind it.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import gc
import importlib
import importlib.util
import io
import logging
import os
import sys
import traceback
import warnings
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tools.validator.mutations import Option
from tools.validator.outside import Checkpoints, Paths, stub
from tools.validator.requests import Request, Verdict

ENVIRONMENT = {"CUDA_DEVICE_MAX_CONNECTIONS": "1"}
"""The driver's variables that validation asks for, as Relax's own configuration of Ray has them."""
_QUIET = {"TRANSFORMERS_OFFLINE": "1", "HF_HUB_OFFLINE": "1", "LOG_LEVEL": "ERROR"}
IMAGE = {"_te_version": "2.14.1", "_torch_version": "2.11.0", "_flashinfer_version": "0.6.11.post1"}
"""Versions in Relax's image, as ``megatron.core.utils`` remembers them; this machine has none, or others."""
ENTRY = "relax/entrypoints/train.py"

_CALLERS = {"_pre_parse_mode": "pre", "teacher_sglang_parse_args": "teacher", "parse_args": "main"}
_KINDS = {"int": "int", "float": "float", "loads": "json"}


class NoRelax(Exception):
    """Relax's arguments cannot be imported; it carries why."""


class Parsers:
    """Watches the parsers that a run of Relax builds and uses."""

    def __init__(self) -> None:
        self.used: list[tuple[str, Any]] = []
        self.inside = False
        """Whether a parser is at work."""
        self._depth = 0

    def install(self, argparse: Any) -> None:
        """Watch every parser of this process."""
        really = argparse.ArgumentParser.parse_known_args

        def parse_known_args(parser: Any, args: Any = None, namespace: Any = None) -> Any:
            if self._depth:
                return really(parser, args, namespace)
            caller = sys._getframe(1).f_code.co_name
            self.used.append((_CALLERS.get(caller, "sglang"), parser))
            self._depth, self.inside = 1, True
            try:
                result = really(parser, args, namespace)
            finally:
                self._depth = 0
            self.inside = False
            return result

        argparse.ArgumentParser.parse_known_args = parse_known_args

    def options(self) -> Iterator[Option]:
        """The flags of the parsers that were used, but those that only print."""
        for name, parser in self.used:
            for action in parser._actions:
                if action.option_strings and type(action).__name__ not in ("_HelpAction", "_VersionAction"):
                    yield option_of(action, name)


def option_of(action: Any, parser: str) -> Option:
    """A flag of a real parser."""
    choices = tuple(str(getattr(choice, "name", choice)) for choice in action.choices or ())
    kind = _KINDS.get(getattr(action.type, "__name__", ""), "text")
    return Option(tuple(action.option_strings), action.dest, parser, action.nargs, choices, kind)


class Relax:
    """A checkout of Relax whose validation can be asked. ``path`` are directories with what it imports."""

    def __init__(self, root: Path, path: Sequence[Path], stubs: Iterable[str]) -> None:
        self.root = root
        self.roots = [f"{folder}/" for folder in (*path, root)]
        self.paths, self.checkpoints, self.parsers = Paths(), Checkpoints(), Parsers()
        warnings.simplefilter("ignore")
        logging.disable(logging.CRITICAL)
        os.environ.update({**_QUIET, **ENVIRONMENT})
        sys.path[:0] = [str(folder) for folder in (*path, root)]
        stub(stubs)
        self._parse_args = self._imported()
        self.paths.install()
        self.parsers.install(importlib.import_module("argparse"))
        builtins.exit = builtins.quit = _exit  # type: ignore[assignment]
        self.judge(Request("", "launch", ("--num-rollout", "1")))
        gc.collect()
        gc.freeze()

    def _imported(self) -> Any:
        try:
            with _silence():
                arguments = importlib.import_module("relax.utils.arguments")
                backend: Any = importlib.import_module("relax.backends.megatron.arguments")
                backend.AutoConfig = self.checkpoints
                self._switch = importlib.import_module("megatron.core.msc_utils").MultiStorageClientFeature
                _pretend_versions(importlib.import_module("megatron.core.utils"))
                _remember_docstrings(importlib.import_module("megatron.training.argument_utils"))
        except (ImportError, AttributeError) as error:
            raise NoRelax(f"{type(error).__name__}: {error}") from error
        return arguments.parse_args

    def options(self) -> list[Option]:
        """The flags of all parsers."""
        self.judge(Request("", "launch", ("--num-rollout", "1")))
        return list(self.parsers.options())

    def judge(self, request: Request) -> Verdict:
        """What Relax says of a command line."""
        self.parsers.used.clear()
        self.parsers.inside = False
        self.checkpoints.config = request.config
        self.paths.missing, self.paths.saved = request.missing, request.saved
        environment, argv, folder, switch = dict(os.environ), sys.argv, Path.cwd(), self._switch._enabled
        out = io.StringIO()
        try:
            for name, value in request.environment.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value
            sys.argv = [ENTRY, *request.argv]
            os.chdir(self.root)
            self.paths.asked = True
            with _silence(out):
                self._parse_args()
        except SystemExit as error:
            return self._left(error, out.getvalue())
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            return self._stopped(error)
        finally:
            self.paths.asked = False
            sys.argv, self._switch._enabled = argv, switch
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(environment)
        return Verdict(True)

    def _left(self, error: SystemExit, said: str) -> Verdict:
        """It left, which argparse does and Megatron once."""
        lines = [line for line in said.splitlines() if ": error: " in line] or said.strip().splitlines() or [""]
        place, _ = self._place(error)
        kind = "parse" if self.parsers.inside else "refusal"
        return Verdict(False, kind, place, lines[-1].rpartition(": error: ")[2])

    def _stopped(self, error: BaseException) -> Verdict:
        """It raised: of its own will, or because it stumbled."""
        place, statement = self._place(error)
        meant = statement == "Raise" or (statement == "Assert" and isinstance(error, AssertionError))
        message = f"{type(error).__name__}: {error}".partition("\n")[0]
        return Verdict(False, "refusal" if meant else "crash", place, message)

    def _place(self, error: BaseException) -> tuple[str, str]:
        """The innermost statement in the sources of Relax and what it imports, and its kind if it is where it ended."""
        frames = traceback.extract_tb(error.__traceback__)
        chosen = next((frame for frame in reversed(frames) if self._relative(frame.filename)), frames[-1])
        line, statement = statement_at(chosen.filename, chosen.lineno or 0)
        place = f"{self._relative(chosen.filename) or Path(chosen.filename).name}:{line}"
        return place, statement if chosen is frames[-1] else "call"

    def _relative(self, path: str) -> str | None:
        return next((path[len(root) :] for root in self.roots if path.startswith(root)), None)


def _exit(code: Any = None) -> None:
    """The interpreter's own closes standard input, too."""
    raise SystemExit(code)


@contextlib.contextmanager
def _silence(into: io.StringIO | None = None) -> Iterator[None]:
    sink = io.StringIO() if into is None else into
    with contextlib.redirect_stdout(sink), contextlib.redirect_stderr(sink):
        yield


def _pretend_versions(utils: Any) -> None:
    version = importlib.import_module("packaging.version").Version
    for name, text in IMAGE.items():
        setattr(utils, name, version(text))


def _remember_docstrings(utils: Any) -> None:
    """Megatron reads the sources of its configuration classes for help texts, each time it builds its parser."""
    factory = utils.ArgumentGroupFactory
    really = factory._get_field_docstrings
    kept: dict[tuple[type, type], dict[str, str]] = {}

    def field_docstrings(self: Any, config: type) -> dict[str, str]:
        key = (type(self), config)
        if key not in kept:
            kept[key] = really(self, config)
        return dict(kept[key])

    factory._get_field_docstrings = field_docstrings


@cache
def _statements(path: str) -> tuple[tuple[int, int, str], ...]:
    """First and last line and kind of each simple statement of a file."""
    try:
        tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError):
        return ()
    return tuple(
        (node.lineno, node.end_lineno or node.lineno, type(node).__name__)
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and not hasattr(node, "body")
    )


def statement_at(path: str, line: int) -> tuple[int, str]:
    """The first line of the innermost simple statement around a line, and its kind."""
    around = [found for found in _statements(path) if found[0] <= line <= found[1]]
    if not around:
        return line, ""
    first, _, kind = max(around)
    return first, kind


def use_argparse(path: Path) -> None:
    """Let everything that is imported from now on have another version of argparse. Raises :class:`NoRelax`."""
    spec = importlib.util.spec_from_file_location("argparse", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise NoRelax(f"{path} is no module")
    module = importlib.util.module_from_spec(spec)
    sys.modules["argparse"] = module
    spec.loader.exec_module(module)
