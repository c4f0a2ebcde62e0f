"""relax-lint's verdict on a command line, from the same surroundings that Relax itself is given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from relax_lint.catalog.hidden import UNKNOWN
from relax_lint.catalog.namespace import Namespace, Parsers
from relax_lint.constraints.engine import Judgement, judge, mentioned
from relax_lint.constraints.facts import Facts
from relax_lint.constraints.schema import STOPS, Stage
from relax_lint.constraints.surroundings import Surroundings
from relax_lint.constraints.tables import builtin
from relax_lint.project import Project
from relax_lint.shell.launch import Launch, Word
from tools.validator.outside import Paths
from tools.validator.real import ENTRY, ENVIRONMENT
from tools.validator.requests import Request, Verdict

STAGES: tuple[Stage, ...] = ("resource", "validate", "late", "megatron", "sglang")
"""What ``parse_args`` covers; the controller and the workers come later."""


class Around(Surroundings):
    """What a request says, and the files of the checkout in which Relax runs."""

    def __init__(self, request: Request, root: Path) -> None:
        self.request = request
        self.root = root
        self.paths = Paths()
        self.paths.missing, self.paths.saved = request.missing, request.saved
        self.variables = {**ENVIRONMENT, **request.environment}

    def variable(self, name: str) -> object:
        """Unset unless the request sets it."""
        return self.variables.get(name)

    def exists(self, path: str) -> object:
        """Whether Relax is told that there is such a path."""
        return self.paths.holds(path)

    def is_directory(self, path: str) -> object:
        """Relax is told so of all paths that there are."""
        return self.paths.holds(path)

    def is_readable(self, path: str) -> object:
        """Files are really opened."""
        return (self.root / path).is_file()

    def document(self, path: str) -> object:
        """Read as Relax does."""
        try:
            return yaml.safe_load((self.root / path).read_text(encoding="utf-8"))
        except (OSError, ValueError, yaml.YAMLError):
            return UNKNOWN

    def checkpoint(self, path: str) -> object:
        """What the request says that every checkpoint has."""
        return UNKNOWN if self.request.config is None else self.request.config


class RelaxLint:
    """relax-lint in a checkout: its flags are those that it reads there."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.parsers = Parsers(Project(root).catalogue)
        self.table = builtin()

    def judge(self, request: Request) -> Verdict:
        """What relax-lint says of a command line; ``message`` names all reasons."""
        namespace, judgement = self.judgement(request)
        reasons = [f"{problem.option}: {problem.message}" for problem in namespace.problems]
        stops = [violation for violation in judgement.violations if violation.constraint.kind in STOPS]
        reasons += [f"{violation.constraint.id}: {violation.message}" for violation in stops]
        if not reasons:
            return Verdict(True)
        kind = "parse" if namespace.problems else stops[0].constraint.kind
        return Verdict(False, kind, "" if namespace.problems else stops[0].constraint.source, "; ".join(reasons[:3]))

    def judgement(self, request: Request) -> tuple[Namespace, Judgement]:
        """What argparse makes of a command line, and what the table says of that."""
        words: Any = map(Word, ("python3", ENTRY, *request.argv))
        namespace = Namespace(Launch("relax", tuple(words), None, self.root), self.parsers)  # type: ignore[arg-type]
        facts = Facts(namespace, Around(request, self.root))
        return namespace, judge(facts, self.table, stages=STAGES)

    def named(self) -> frozenset[str]:
        """The attributes and flags that constraints on launches name."""
        conditions = (constraint.when for constraint in self.table.constraints if constraint.stage in STAGES)
        return frozenset().union(*map(mentioned, conditions))

    def not_static(self) -> dict[str, str]:
        """Why the table cannot judge a refusal, by its place."""
        return {constraint.source: constraint.static or "" for constraint in self.table.not_static}
