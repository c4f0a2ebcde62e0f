from __future__ import annotations

import shlex

from relax_lint.shell.associative import in_bash_order
from tests.shell.real_bash import outputs


def test_order_is_that_of_real_bash() -> None:
    tables = [["k", "key two", "a.b", "é", "z", "lr"], [str(number) for number in range(300)], ["b", "a"], []]
    snippets = [
        f"declare -A m; for k in {' '.join(map(shlex.quote, keys))}; do m[$k]=1; done; printf '%s|' \"${{!m[@]}}\""
        for keys in tables
    ]
    for keys, expected in zip(tables, outputs(snippets), strict=True):
        assert "|".join(in_bash_order(keys)) + "|" == expected
