from __future__ import annotations

from pathlib import Path

import pytest

from relax_lint.report.html.wording import conditions, relative


@pytest.mark.parametrize(
    ("needs", "said"),
    [
        (['[ "${MODE}" = "async" ]'], "MODE=async"),
        (['! [ "$MODE" = async ]'], "MODE≠async"),
        (["[[ ${1:-sync} == async ]]"], "1=async"),
        (["[ $MODE != sync ]"], "MODE≠sync"),
        (["! [ $MODE != sync ]"], "MODE=sync"),
        (['case "${MODE}" in async)'], "MODE=async"),
        (['! case "$M" in a)', '! case "$M" in b)', 'case "$M" in c)'], "M=c"),
        (['! case "$M" in a)', '! case "$M" in b)'], "M≠a, b"),
        (["command -v curl", "[ -n x ]"], "command -v curl</code> <code>[ -n x ]"),
        (["[ \"$A\" = '<b>' ]"], "[ &quot;$A&quot; = &#x27;&lt;b&gt;&#x27; ]"),
    ],
)
def test_conditions_are_said_shortly(needs: list[str], said: str) -> None:
    told = conditions(needs)
    assert told.replace(' class="whole"', "") == f"<code>{said}</code>"
    assert ('class="whole"' in told) is (("=" in said or "≠" in said) and "[" not in said)


def test_paths_below_the_root_are_told_from_where_one_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    root = tmp_path
    assert relative(f"{root}/examples/x/../../exps/M/", root) == "exps/M/"
    assert relative(f"A={root}/log B={root}", root) == "A=log B=."
    assert relative(f"{root}-other/x", root) == f"{root}-other/x"
    assert relative(f"/mnt{root}/x", root) == f"/mnt{root}/x"
