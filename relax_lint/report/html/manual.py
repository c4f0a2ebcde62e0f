"""The manual pages of the rules that a report names."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from relax_lint.commands.rule import any_of
from relax_lint.report.html.markdown import inline, markdown
from relax_lint.report.html.markup import Html, element, folded

if TYPE_CHECKING:
    from relax_lint.rules import Rule

_FIXES = {"safe": "--fix", "unsafe": "--unsafe-fixes", "": ""}


def summary_of(rule: Rule) -> str:
    """What a rule is about, in a sentence."""
    return " ".join(inspect.cleandoc(rule.doc).split("\n\n", 1)[0].split())


def manual(rule: Rule) -> Html:
    """The page of one rule, under an id that findings lead to."""
    name = element("span", element("span", f"{rule.code} {rule.name}", class_="rule"), " ", inline(summary_of(rule)))
    fixes = any_of([_FIXES[each] for each in rule.fixes])
    severities = any_of([severity.value for severity in rule.severities])
    kind = element("p", f"{severities} · {f'fixed by {fixes}' if fixes else 'no fix'}", class_="muted")
    _, _, rest = inspect.cleandoc(rule.doc).partition("\n\n")
    return folded(name, element("div", kind, *markdown(rest), id=f"rule-{rule.code}"), class_="manual")
