from __future__ import annotations

from collections.abc import Sequence

from relax_lint.report.html.markdown import inline, markdown
from relax_lint.report.html.migrated import migrated

PAGE = """\
# demo: from verl to Relax

| launcher | made of |
| --- | --- |
| `run_demo.sh` | `<b>run.sh</b>` |

## To do by hand

1. convert the data (`data.train_files`)
2. look at --lr

### What the verl launch sets

**data**

| setting | value | fate | in Relax |
| --- | --- | --- | --- |
| `data.seed` | `1` | mapped | `--seed 1`<br>as it is |
| `data.sep` | `a\\|b` | no effect | <script> |

### Other defaults of verl

*same: Relax does so by itself*\\
`data.a` `1`, `data.b` `2`
"""


def test_manual_pages_are_drawn() -> None:
    page = "## What\n\nSome `code` and **stress**,\nwrapped.\n\n- one\n- two\n\n    if <x>:\n\n        y\n\nEnd."
    assert list(markdown(page)) == [
        "<h4>What</h4>",
        "<p>Some <code>code</code> and <strong>stress</strong>, wrapped.</p>",
        "<ul><li>one</li><li>two</li></ul>",
        '<div class="scroll" tabindex="0" role="group" aria-label="example"><pre>if &lt;x&gt;:\n\n    y</pre></div>',
        "<p>End.</p>",
    ]


def test_code_keeps_its_ticks_and_stars() -> None:
    assert inline("`` a`b `` and `**kwargs`") == "<code>a`b</code> and <code>**kwargs</code>"
    assert inline("2 * 3 * 4, a*b") == "2 * 3 * 4, a*b"


def test_tables_that_are_cut_off_are_drawn_as_far_as_they_go() -> None:
    assert "<th" in next(markdown("| a | b |"))
    assert "<td" not in next(markdown("| a | b |\n| --- | --- |"))


def test_rows_get_what_is_asked_for() -> None:
    def row(head: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
        return {"data_x": f"{head[0]} {cells[1]}"}

    assert '<tr data-x="a &lt;">' in next(markdown("| a | b |\n| - | - |\n| 1 | < |", row))


def test_a_migrated_recipe_has_its_settings_with_their_fate() -> None:
    drawn = migrated(PAGE, "1")
    assert "from verl to Relax" not in drawn
    assert "<td><code>&lt;b&gt;run.sh&lt;/b&gt;</code></td>" in drawn
    assert '<tr data-item="" data-fate="mapped"><td><code>data.seed</code></td>' in drawn
    assert '<td><span class="fate no-effect">no effect</span></td>' in drawn
    assert "<code>--seed 1</code><br>as it is" in drawn
    assert "<code>a|b</code>" in drawn
    assert "<script>" not in drawn
    assert "<ol><li>convert the data" in drawn
    assert "<details><summary>Other defaults of verl</summary><p><em>same: Relax does so by itself</em><br>" in drawn
    assert (
        drawn.index("To do by hand") < drawn.index('data-for="migration-1"') < drawn.index("What the verl launch sets")
    )


def test_a_page_without_settings_has_nothing_to_choose() -> None:
    assert (
        migrated("# x\n\nBy hand.\n", "1") == '<div class="migrated"><p>By hand.</p><div id="migration-1"></div></div>'
    )
