"""The manual page of a rule, or the table of all rules."""

from __future__ import annotations

import inspect
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from relax_lint.commands import USAGE_ERROR, complain
from relax_lint.rules import Example, Rule, load_rules
from relax_lint.selection import UnknownRule, matching

_FIXES = {"safe": "--fix", "unsafe": "--unsafe-fixes", "": "-"}

EXAMPLES = (
    ("relax-lint rule RLX407", "by its code"),
    ("relax-lint rule on-policy-batch", "by its name"),
    ("relax-lint rule --all", "the table of all rules"),
)
EXIT_STATUS = {
    0: "it is printed",
    2: "there is no such rule",
}


def add_arguments(parser: ArgumentParser) -> None:
    """What `relax-lint rule` takes."""
    parser.add_argument("rule", nargs="?", metavar="CODE-OR-NAME", help="a rule: RLX406, optimizer-flags")
    parser.add_argument("--all", action="store_true", help="the table of all rules")


def run(options: Namespace) -> int:
    """Print it; the exit status."""
    rules = load_rules()
    if options.all == (options.rule is not None):
        complain("name one rule, or say --all")
        return USAGE_ERROR
    if options.all:
        print(_table(list(rules.values())), end="")
        return 0
    found = [code for code in matching(options.rule, rules) if options.rule.lower() in (code.lower(), rules[code].name)]
    several = matching(options.rule, rules) if options.rule else []
    if not found and several:
        complain(f"{options.rule} is {len(several)} rules: {', '.join(several)}; name one")
        return USAGE_ERROR
    if not found:
        complain(str(UnknownRule(options.rule, rules)))
        return USAGE_ERROR
    print(page(rules[found[0]]), end="")
    return 0


def _table(rules: list[Rule]) -> str:
    rows = [("code", "name", "severity", "fix", "what")]
    rows += [(rule.code, rule.name, rule.severity.value, _FIXES[rule.fixable], _title(rule)) for rule in rules]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)
    return "".join(f"{line}\n" for line in lines)


def _title(rule: Rule) -> str:
    return " ".join(inspect.cleandoc(rule.doc).split("\n\n", 1)[0].split()).removesuffix(".")


def page(rule: Rule) -> str:
    """The manual page of a rule, in Markdown."""
    severities = any_of([severity.value for severity in rule.severities])
    heading = f"{rule.code} {rule.name} ({severities}; fix: {any_of([_FIXES[each] for each in rule.fixes]) or 'none'})"
    parts = [heading, "=" * len(heading), "", inspect.cleandoc(rule.doc), ""]
    if rule.invalid:
        parts += ["## Caught", "", *_shown(rule.invalid[0])]
    if rule.valid:
        parts += ["## Fine", "", *_shown(rule.valid[0])]
    return "\n".join(parts).rstrip() + "\n"


def any_of(words: Sequence[str]) -> str:
    """``a``, ``a or b``, ``a, b or c``."""
    return " or ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def _shown(example: Example | str) -> list[str]:
    files, changed = (example, ()) if isinstance(example, str) else (example.files, example.changed)
    named = {"": files} if isinstance(files, str) else files
    lines: list[str] = []
    for path, text in named.items():
        lines += [f"{path}:"] if path else []
        lines += [*(f"    {line}".rstrip() for line in text.splitlines()), ""]
    return [*lines, f"Changed: {', '.join(changed)}", ""] if changed else lines
