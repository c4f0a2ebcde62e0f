"""The files of a recipe as they come together, of one launcher after another. Nothing is written here."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint.migrate.plan import Passed, Piece, Plan, RecipeFile, Todo
from relax_lint.migrate.report import plain
from relax_lint.records import changed

if TYPE_CHECKING:
    from relax_lint.migrate.choices import Choices
    from relax_lint.project import Project

_CONFIG = "--custom-config-path"
_OWN_ENVIRONMENT = re.compile(r"""^(DEFAULT_ENV_MODULE\s*=\s*["'])[\w.]+(["'])""", re.MULTILINE)


class RecipeFiles:
    """What a recipe consists of. Files of the ``project`` that are there already stay, and those that would have
    another text are noted as ``kept``. With ``spare``, scripts and configs never have the names of files that are
    there; ``replaced`` are files that may be written over, since what they hold was carried over."""

    def __init__(
        self, project: Project, target: Path, choices: Choices, *, spare: bool, made: Mapping[Path, str]
    ) -> None:
        self.project, self.target, self.choices, self.spare = project, target, choices, spare
        self.files: dict[Path, str] = {}
        self.kept: dict[Path, None] = {}
        self.carried: dict[Path, Sequence[Piece]] = {}
        self.parts: dict[tuple[tuple[Path, str], ...], str] = {}
        """The parts of the recipe, by what their files would be if they lay in the recipe itself."""
        self.made = made
        """Files that were made of launchers before, and lie in the project already."""

    # ------------------------------------------------------------ one plan

    def in_part(self, part: str) -> Choices:
        """The choices for a part of the recipe."""
        return changed(self.choices, part=part)

    def texts(self, made: Plan) -> Iterator[tuple[Path, str]]:
        """The files that a plan names, with what they are to hold; without those that are not at hand."""
        for file in made.files:
            text = self._text(file, made.part)
            if text is not None:
                path = self.path(file, made.part)
                own = any(piece.path == path for piece in file.pieces)
                yield path, self._whole(path, text) if own else text

    def clash(self, texts: Mapping[Path, str], more: Mapping[Path, str]) -> bool:
        """Whether one of these files is there with another text, of another launch."""
        known = {**self.made, **self.files, **more}
        return any(known.get(path, text) != text for path, text in texts.items())

    def add(self, made: Plan) -> None:
        """Take the files that a plan names; what is there already is somebody's work."""
        pieces = {self.path(file, made.part): file.pieces for file in made.files}
        for path, text in self.texts(made):
            if path in self.files:
                continue
            own = any(piece.path == path for piece in pieces[path])
            if own or not self.project.is_file(path):
                self.files[path] = text
                self.carried[path] = pieces[path]
            elif self.project.read(path) != text.encode("utf-8", "surrogateescape") and self.target in path.parents:
                self.kept[path] = None

    def configured(self, made: Plan) -> Plan:
        """The plan with the path of its config YAML, which is written; launches with the same entries share one."""
        if not made.config:
            return made
        text = _yaml({entry.key: plain(entry.value) for entry in made.config})
        name, number = self.choices.name, 1
        path = self.target / made.part / f"{name}_config.yaml"
        while self.clash({path: text}, {}) or self.is_anothers(path, text):
            number += 1
            path = self.target / made.part / f"{name}_{number}_config.yaml"
        self.files[path] = text
        shown = path.relative_to(self.project.root).as_posix()
        because = tuple(dict.fromkeys(key for entry in made.config for key in entry.because))
        others = [passed for passed in made.passed if passed.flag != _CONFIG]
        return changed(made, passed=[*others, Passed(_CONFIG, (shown,), "rollout", because)])

    def to_copy(self, made: Plan) -> Iterator[Todo]:
        """What to do about files of Relax that are not at hand."""
        own = self.in_part(made.part).module(f"env_{self.choices.name}")
        for file in made.files:
            path = self.path(file, made.part)
            there = (self.project.relax_root or self.project.root) / (file.copy_of or file.name)
            if file.copy_of and not self.project.is_file(there) and not self.project.is_file(path):
                yield Todo(
                    f"{path.relative_to(self.project.root).as_posix()} is {file.copy_of} of Relax, which is not at "
                    "hand: migrate with --relax-root, or copy it there and write "
                    f'DEFAULT_ENV_MODULE = "{own}" in it',
                    file.because,
                )

    # ------------------------------------------------------------ all

    def make_packages(self) -> None:
        """Directories with modules are packages, and so are those that module paths lead through to them."""
        modules = [path for path in self.files if path.suffix == ".py" and self.target in path.parents]
        directories = dict.fromkeys([self.target, *(path.parent for path in modules)])
        for directory in directories:
            for each in (directory, *directory.parents):
                init = each / "__init__.py"
                if self.project.root in each.parents and not self.project.is_file(init):
                    self.files.setdefault(init, "")

    def is_anothers(self, path: Path, text: str | None = None) -> bool:
        """Whether somebody's file has the name already, with another text than the one wanted."""
        there = self.project.text(path) if self.spare else None
        return there is not None and there.text != text

    def is_taken(self, script: Path) -> bool:
        """Whether a script of this name is there, or made already."""
        return script in self.files or script in self.made or self.is_anothers(script)

    def has_directory(self, name: str) -> bool:
        """Whether the recipe has a directory or a module of this name."""
        path = self.target / name
        made = (*self.files, *self.made)
        return any(path in each.parents or each == path.with_suffix(".py") for each in made) or self.project.exists(
            path
        )

    def path(self, file: RecipeFile, part: str) -> Path:
        """Where a file of a plan lies."""
        return self.project.root / file.name if file.from_root else self.target / part / file.name

    def _whole(self, path: Path, text: str) -> str:
        """A module that is carried over to where it lies stays as it is, when that has all of it and needs no verl:
        other code may use the rest."""
        there = self.project.read(path)
        original = "" if there is None else there.decode("utf-8", "surrogateescape")
        if path.suffix != ".py" or "verl" in original:
            return text
        try:
            statements = {ast.dump(each) for each in ast.parse(original).body}
            has_all = all(ast.dump(each) in statements for each in ast.parse(text).body)
        except (SyntaxError, ValueError):
            return text
        return original if has_all else text

    def _text(self, file: RecipeFile, part: str) -> str | None:
        if not file.copy_of:
            return file.text
        original = self.project.text((self.project.relax_root or self.project.root) / file.copy_of)
        if original is None:
            return None
        choices = self.in_part(part)
        own = rf"\g<1>{choices.module(f'env_{self.choices.name}')}\g<2>"
        base = f"{Path(file.copy_of).parent.as_posix().replace('/', '.')}.base_env"
        text = re.sub(rf"\b{re.escape(base)}\b", choices.module("base_env"), original.text)
        return _OWN_ENVIRONMENT.sub(own, text)


def _yaml(entries: Mapping[str, object]) -> str:
    import yaml

    text: str = yaml.safe_dump(dict(entries), sort_keys=False, allow_unicode=True)
    return text
