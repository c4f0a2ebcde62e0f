"""What an editor shows of the word under the pointer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from relax_lint.comments import comments
from relax_lint.lsp import help as texts
from relax_lint.lsp.spots import spot_at
from relax_lint.rules import load_rules
from relax_lint.selection import matching
from relax_lint.shell.launch import Argument
from relax_lint.sources.config_yaml import Node, YamlSource
from relax_lint.sources.launcher import LauncherSource
from relax_lint.verl_configs import trainer_sign

if TYPE_CHECKING:
    from relax_lint.project import Project
    from relax_lint.sources.text import SourceFile

_RULE = re.compile(r"RLX\d{3}|(?<=[\[, ])[a-z]+(?:-[a-z]+)+(?=[\], ])")
_OVERRIDE = re.compile(r"[+~]*[A-Za-z_]\w*(?:[./]\w+)*(?==|\Z)")


class Help(NamedTuple):
    """What is to be shown, and of which stretch of the text."""

    text: str
    start: int
    end: int


def help_at(source: SourceFile, offset: int, project: Project) -> Help | None:
    """What is known of what stands at an offset."""
    found = _of_rule(source, offset)
    if found is not None:
        return found
    if isinstance(source, LauncherSource):
        return _in_launcher(source, offset, project)
    return _in_yaml(source, offset) if isinstance(source, YamlSource) else None


def _of_rule(source: SourceFile, offset: int) -> Help | None:
    comment = next((each for each in comments(source) if each.start <= offset <= each.end), None)
    if comment is None:
        return None
    for match in _RULE.finditer(source.text, comment.start, comment.end):
        if match.start() <= offset <= match.end():
            rules = load_rules()
            codes = matching(match[0], rules)
            return Help(texts.of_rule(rules[codes[0]]), *match.span()) if len(codes) == 1 else None
    return None


def _in_launcher(source: LauncherSource, offset: int, project: Project) -> Help | None:
    spot = spot_at(source, offset)
    if spot is None:
        return None
    override = _OVERRIDE.match(spot.text.strip("\"'"))
    if override is not None and ("." in override[0] or spot.text.startswith(("+", "~"))):
        text = texts.of_verl(override[0])
        if text is not None:
            return Help(text, spot.word.start, spot.word.end)
    flag = spot.flag()
    if flag is None or not (spot.takes_flags or spot.array):
        return None
    text = texts.of_flag(project.catalogue, flag[0])
    if text is None:
        return _unknown(flag[0], spot.word.start, spot.word.end, project) if flag[1] == 0 else None
    passed = _passed(source, [*spot.before, spot.word][-1 - flag[1]].start)
    return Help("\n\n".join(filter(None, (text, passed))), spot.word.start, spot.word.end)


def _unknown(word: str, start: int, end: int, project: Project) -> Help | None:
    from relax_lint.commands.catalog import unknown_flag

    told = texts.of_verl(word.removeprefix("--"))
    return Help("\n\n".join(filter(None, (unknown_flag(project.catalogue, word), told))), start, end)


def _passed(source: LauncherSource, start: int) -> str:
    """What the launches of a script really pass for a flag that is written at an offset, if that says more."""
    told: dict[str, dict[int, None]] = {}
    for launch in source.launches:
        for argument in launch.arguments:
            place = argument.word.place
            if place is not None and place.source is source and place.start == start and argument.values:
                line, _ = launch.site.source.position(launch.site.start)
                told.setdefault(_shown(argument), {})[line] = None
    return "\n\n".join(
        f"`{words}` in the launch{'es at lines' if len(lines) > 1 else ' at line'} {', '.join(map(str, lines))}"
        for words, lines in told.items()
    )


def _shown(argument: Argument) -> str:
    return " ".join([argument.flag, *(value.text for value in argument.own_values)])


def _in_yaml(source: YamlSource, offset: int) -> Help | None:
    """A setting in a configuration of verl's trainers."""
    if source.error is not None or source.root is None or trainer_sign(source) is None:
        return None
    keys: list[str] = []
    node: Node | None = source.root
    while node is not None:
        entry = next((each for each in node.entries if each.key.start <= offset <= max(each.end, each.key.end)), None)
        if entry is None:
            return None
        keys.append(entry.name)
        if offset <= entry.key.end or entry.value.kind != "mapping":
            text = texts.of_verl(".".join(keys))
            return None if text is None else Help(text, entry.key.start, entry.key.end)
        node = entry.value
    return None
