"""`relax-lint report` as a user sees it, without a browser."""

from __future__ import annotations

import os
import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

from relax_lint.cli import main
from relax_lint.extras import EXTRAS
from tests.report.html.making import HOSTILE, TRAIN, VERL_RUN, copied, hostile, page_of, written


class Outline(HTMLParser):
    """The elements of a page, its ids, and where its links lead."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: dict[str, int] = {}
        self.ids: list[str] = []
        self.links: set[str] = set()
        self.sources: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] = self.tags.get(tag, 0) + 1
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            elif name == "href":
                self.links.add(value or "")
            elif name in ("src", "style", "srcset", "action", "data") or name.startswith("on"):
                self.sources.append(f"{tag} {name}")


def words(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_the_same_input_gives_the_same_bytes_wherever_it_lies(tmp_path: Path) -> None:
    first, second = (page_of(copied("broken_countdown", tmp_path / name)) for name in ("a", "elsewhere"))
    assert first == second
    assert str(tmp_path) not in first


def test_every_link_leads_somewhere_in_the_page_and_nothing_is_asked_for(tmp_path: Path) -> None:
    page = page_of(copied("broken_countdown", tmp_path / "tree"))
    outline = Outline(page)
    assert len(outline.ids) == len(set(outline.ids))
    assert {link for link in outline.links if not link.startswith("#")} == set()
    assert {link[1:] for link in outline.links} <= set(outline.ids)
    assert outline.sources == []
    assert outline.tags["script"] == outline.tags["style"] == 1
    head = unescape(page.split("<title>")[0])
    assert "default-src 'none'; style-src 'sha256-" in head
    assert "unsafe" not in head


def test_launches_stand_side_by_side(tmp_path: Path) -> None:
    page = words(page_of(copied("good_gsm8k", tmp_path / "tree")))
    assert "async MODE=async" in page
    assert "colocate MODE≠async" in page
    assert re.search(r"--fully-async on :\d+ – --", page)
    assert re.search(r"\d+ flags the same in both launches", page)


@pytest.mark.parametrize("cut_first", [True, False])
@pytest.mark.parametrize("end", [" \\ ", "", " \\\n    # --seed 1 \\", " \\\n"])
def test_what_a_launch_that_breaks_off_has_lost_is_neither_compared_nor_drawn(
    cut_first: bool, end: str, tmp_path: Path
) -> None:
    resource = """--resource '{"actor": [1, 8], "rollout": [1, 8]}'"""
    rest = f"{resource} --lr 1e-6 --tensor-model-parallel-size 4"
    cut = f"{TRAIN} --colocate --seed 1 {resource}{end}\n    --lr 1e-6 --tensor-model-parallel-size 4\n"
    ways = [cut, f"{TRAIN} --fully-async --seed 2 {rest}\n"][:: 1 if cut_first else -1]
    run = f'#!/bin/bash\nif [ "$MODE" = sync ]; then\n{ways[0]}else\n{ways[1]}fi\n'
    page = page_of(written({"examples/x/run_x.sh": run}, tmp_path))
    told = words(page)
    assert told.count("breaks off at :") == 3
    assert page.count("<figure") == 2
    differing = page.partition('class="sides"')[2].partition("</table>")[0]
    assert "--seed" in differing
    assert "--lr" not in differing
    assert "flags not compared: a launch breaks off before it could have them" in told
    drawn = [figure for figure in page.split("<figure")[1:] if "<svg" in figure]
    assert len(drawn) == 1
    assert not any("breaks off" in figure.partition("</figure>")[0] for figure in drawn)


def test_what_a_launch_has_without_a_flag_is_its_default_or_what_may_bring_it(tmp_path: Path) -> None:
    run = (
        'if [ "$MODE" = async ]; then\n'
        f'    {TRAIN} --fully-async --num-iters-per-train-update 8 --seed ${{SEED:-1}} --lr 1 "$@"\n'
        f"else\n    {TRAIN} --colocate ${{LR:+--lr $LR}}\nfi\n"
    )
    page = words(page_of(written({"examples/a/run_a.sh": run}, tmp_path))).replace(" ▲", "")
    assert "MODE=async and &quot;$@&quot; compare with this" in page
    assert "--num-iters-per-train-update 8 :2 – default 1" in page
    assert "--seed 1 :2 unless SEED is set – default 1234" in page
    assert re.search(r"--lr 1 :2 \? \$\{LR:\+--lr", page)


def test_the_batch_is_an_equation(tmp_path: Path) -> None:
    page = words(page_of(copied("broken_countdown", tmp_path / "tree")))
    assert "32 prompts × 8 samples = 256 = batch of 128 × 2 updates , 200 rollouts" in page


def test_findings_have_their_place_their_fix_and_their_rule(tmp_path: Path) -> None:
    page = page_of(copied("broken_countdown", tmp_path / "tree"))
    assert "<mark>--global-batch-size</mark> 128" in page
    assert re.search(r'class="line del">-    --global-batch-size 128\n', page)
    assert re.search(r'class="line add">\+    --global-batch-size 256\n', page)
    assert 'id="rule-RLX407"' in page
    assert "Not safe, because which of the numbers was meant is not known" in words(page)
    assert "new file examples/countdown/__init__.py" in words(page)


def test_what_could_not_be_judged_is_told_with_its_reason(tmp_path: Path) -> None:
    tree = {"examples/a/run_a.sh": f'{TRAIN} --colocate --global-batch-size "$GBS" --rollout-batch-size 8\n'}
    page = words(page_of(written(tree, tmp_path)))
    assert "could not be judged, and why" in page
    assert "${GBS} RLX407 on-policy-batch" in page


def test_silenced_findings_keep_their_reason(tmp_path: Path) -> None:
    tree = {
        "examples/a/run_a.sh": f"# relax-lint: file-ignore[RLX501] <we> know\n{TRAIN} --colocate --no-such-flag 1\n"
    }
    page = words(page_of(written(tree, tmp_path)))
    assert "1 finding silenced" in page
    assert "&lt;we&gt; know" in page


def test_a_hostile_recipe_stays_text(tmp_path: Path) -> None:
    page = page_of(hostile(tmp_path))
    outline = Outline(page)
    assert "img" not in outline.tags
    assert outline.tags["script"] == outline.tags["style"] == 1
    assert outline.sources == []
    assert "\0" not in page
    assert "\u202e" not in page
    assert "U+202E" in page
    assert "\\xfe" in page
    assert HOSTILE not in page


def test_a_tree_has_a_list_of_its_recipes(tmp_path: Path) -> None:
    copied("good_gsm8k", tmp_path / "tree")
    written({"examples/other/run_other.sh": f"{TRAIN} --colocate\n"}, tmp_path / "tree")
    page = page_of(tmp_path / "tree")
    assert '<a href="#part-1">examples/gsm8k</a>' in page
    assert '<a href="#part-2">examples/other</a>' in page


def test_a_launcher_of_verl_is_shown_as_what_it_would_become(tmp_path: Path) -> None:
    written({"run_qwen3.sh": VERL_RUN}, tmp_path / "verl")
    page = page_of(tmp_path / "verl", "run_qwen3.sh")
    told = words(page)
    assert "run_qwen3.sh → examples/qwen3" in told
    assert re.search(r"actor_rollout_ref\.\s*actor\.\s*optim\.\s*lr 1e-06 :10 mapped --lr 1e-6", told)
    assert 'data-fate="no effect"' in page
    assert "256 prompts × 8 samples = 2048 = batch of 2048 × 1 update" in told
    assert "To do by hand" in told
    assert "Files that would be written" in told
    assert not (tmp_path / "verl/examples").exists()
    assert Outline(page).links <= {f"#{one}" for one in Outline(page).ids}


def test_what_cannot_be_migrated_is_told_with_its_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    refused = VERL_RUN.replace("adv_estimator=grpo", "adv_estimator=optimal_token_baseline")
    written({"run_qwen3.sh": refused}, tmp_path / "verl")
    page = page_of(tmp_path / "verl", "run_qwen3.sh")
    assert "page.html: 1 launch of verl not migrated, 0 errors" in capsys.readouterr().out
    assert "0 advice 1 launch of verl not migrated" in words(page)
    assert re.search(r"Not migrated run_qwen3\.sh:\d+ : algorithm\.adv_estimator=optimal_token_baseline", words(page))
    assert "Files that would be written" not in page


@pytest.mark.parametrize(
    "names",
    [
        [f"examples/{name}/run_{name}.sh" for name in ("one", "two")],
        [f"examples/many/run_{number}.sh" for number in range(41)],
    ],
)
@pytest.mark.parametrize("has_extra", [True, False])
def test_a_tree_of_verl_names_what_can_be_migrated(
    names: list[str],
    has_extra: bool,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not has_extra:
        monkeypatch.setitem(EXTRAS, "migrate", ("no_such_package_for_verl",))
    written(dict.fromkeys(names, VERL_RUN), tmp_path)
    page = words(page_of(tmp_path))
    assert re.search(r"Still verl's: (run_\w+\.sh( , )?)+ ; relax-lint report on one of them", unescape(page))
    assert f"{len(names)} launches of verl" in page
    assert "To do by hand" not in page
    said = capsys.readouterr()
    assert f"page.html: {len(names)} launches of verl, " in said.out
    assert "name one recipe or launcher" in said.err
    assert ("relax-lint[migrate]" in said.err) is not has_extra


def test_a_migrated_recipe_shows_what_became_of_its_settings(tmp_path: Path) -> None:
    tree = copied("good_gsm8k", tmp_path / "tree")
    page = (
        "# gsm8k\n\n## Settings\n\n| setting | value | fate |\n| --- | --- | --- |\n| `data.seed` | `1` | dropped |\n"
    )
    written({"examples/gsm8k/MIGRATION.md": page}, tree)
    told = page_of(tree)
    assert '<a href="#migrated-1">Settings</a>' in told
    assert 'data-fate="dropped"' in told


def test_nothing_that_is_no_page_is_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tree = copied("good_gsm8k", tmp_path / "tree")
    launcher = tree / "examples/gsm8k/run_gsm8k.sh"
    before = launcher.read_bytes()
    assert main(["report", str(tree / "examples"), "--output", str(launcher)]) == 2
    assert launcher.read_bytes() == before
    assert "is there and is no HTML: it is left alone" in capsys.readouterr().err
    page = tmp_path / "page.html"
    for _ in range(2):
        assert main(["report", str(tree / "examples"), "--output", str(page)]) == 0


def test_it_goes_to_standard_output(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    tree = copied("good_gsm8k", tmp_path / "tree")
    assert main(["report", str(tree / "examples"), "-o", "-", "--title", "A <b>", "--note", "of today"]) == 0
    page = capfdbinary.readouterr().out.decode()
    assert page.startswith("<!doctype html>")
    assert "<title>A &lt;b&gt; · relax-lint</title>" in page
    assert "of today" in page


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["nowhere", "--output", "page.html"], "no such file or directory: nowhere"),
        ([".", "--output", "none/page.html"], "none/page.html"),
        ([".", "--output", "."], "is no regular file"),
        ([".", "--output", "p.html", "--env", "A"], "--env wants NAME=VALUE"),
        ([".", "--output", "p.html", "--isolated", "--config", "x"], "exclude each other"),
    ],
)
def test_wrong_usage_is_said(
    arguments: list[str],
    why: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(written({"examples/x/run_x.sh": f"{TRAIN} --colocate\n"}, tmp_path))
    assert main(["report", *arguments]) == 2
    assert why in capsys.readouterr().err


def test_where_there_is_no_recipe_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    copied("good_gsm8k", tmp_path / "tree")
    written({"empty/notes.md": "", "passwd": "root:x:0:0\n"}, tmp_path)
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)
    for name in ("empty", "passwd", "pipe", "", os.devnull, "empty/notes.md"):
        for others in ([], ["tree/examples"]) if name != "empty" else ([],):
            assert main(["report", *others, name, "-o", "page.html"]) == 2, name
            told = capsys.readouterr().err
            assert "is there" in told or "no such file or directory: ''" in told
            assert (name or "''") in told
    assert not Path("page.html").exists()


def test_giant_lines_and_files_are_cut(tmp_path: Path) -> None:
    run = f"{TRAIN} --colocate --no-such-flag 1 # {'x' * 300_000}\n" + "# line\n" * 20_000
    page = page_of(written({"examples/a/run_a.sh": run}, tmp_path))
    assert len(page) < 700_000
    assert "characters" in page
    assert "17001 lines more" in page
