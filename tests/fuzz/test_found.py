"""What the fuzzer has found once, and the likes of it."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from relax_lint.fixing import fix
from relax_lint.project import MEMORY_ROOT, Project
from relax_lint.shell.mistakes import mistakes
from relax_lint.sources.footers import Footers, footer_of
from relax_lint.sources.parquet import ParquetTable, Unreadable
from relax_lint.suppression import directives
from tools.fuzz.judging import RULES, SETTINGS, judge
from tools.fuzz.outcome import Depth, Outcome

TRAIN = "python3 relax/entrypoints/train.py"
RECIPES = {
    "sizes that are no whole numbers": {
        "run_demo.sh": f"{TRAIN} --resource '{{\"actor\": [1, 2.5]}}' --tensor-model-parallel-size 2\n"
    },
    "flags behind a double dash": {
        "run_demo.sh": f"{TRAIN} -- --optimizer-cpu-offload --overlap-cpu-optimizer-d2h-h2d "
        "--use-precision-aware-optimizer\n"
    },
    "an environment of no name": {"demo_config.yaml": "max_turns: 5\nrollout_interaction_env_path: ./\n"},
    "a slash for an environment": {"demo_config.yaml": "max_turns: 5\nrollout_interaction_env_path: /\n"},
    "a launch behind a loop on its line": {"run_demo.sh": f"for x in a; do\n    X=$x\ndone; {TRAIN} | tee run.log\n"},
    "a launch behind a here-document's end": {"run_demo.sh": f"cat <<E\na\nE\n{TRAIN} | tee run.log\n"},
    "a set for a key": {
        "demo.yaml": "? !!set {a, b}\n: 1\n!!set c: 2\n!!binary AAAA: 3\n",
        "run_demo.sh": f"{TRAIN} --eval-config examples/demo/demo.yaml\n",
    },
    "twenty thousand commands in a list": {"run_demo.sh": "true " + "&& true " * 20_000 + f"\n{TRAIN}\n"},
}


@pytest.mark.parametrize("name", RECIPES)
def test_recipes(name: str) -> None:
    tree = {f"examples/demo/{path}": text.encode() for path, text in RECIPES[name].items()}
    outcome = Outcome("")
    judge(Project.from_files(tree, SETTINGS), tree, outcome, Depth.CLOSELY)
    assert outcome.troubles == []


@pytest.mark.parametrize("inner", ["`echo a`", "${X/a/`b`}", '"`echo \\`c\\``"', "$(`d`)"])
def test_the_mistakes_of_a_script_with_backquotes_are_told(inner: str) -> None:
    project = Project.from_files({"run.sh": f"X={inner}\nif true; then {inner}\n"})
    source = project.launcher(MEMORY_ROOT / "run.sh")
    assert source is not None
    assert len(mistakes(source)) >= 1


def test_a_line_above_a_launch_is_never_put_into_a_loop() -> None:
    text = f"set -e\nfor x in a; do\n    X=$x\ndone; {TRAIN} | tee run.log\n"
    done = fix(Project.from_files({"examples/demo/run_demo.sh": text}), {"RLX420": RULES["RLX420"]})
    assert not done.changes


def test_a_footer_that_contradicts_itself_ends_nothing(tmp_path: Path) -> None:
    """Each byte of a footer that has histograms of levels, which Arrow asks only once it is too late to say no."""
    stream = io.BytesIO()
    table = pyarrow.table({"prompt": [["a"], None, []]})
    pyarrow.parquet.write_table(table, stream)
    data = stream.getvalue()
    size = int.from_bytes(data[-8:-4], "little")
    path = tmp_path / "a.parquet"
    read = 0
    for at in range(len(data) - 8 - size, len(data) - 8, 3):
        path.write_bytes(data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :])
        try:
            opened = ParquetTable(lambda: path.open("rb"))
            rows = [row for batch in opened.batches(["prompt"], 10) for row in batch]
        except Unreadable:
            continue
        read += len(rows) <= 3 and opened.bytes_in_row(["prompt"]) is not None
    assert read


def test_no_footer_has_a_file_of_fewer_than_no_rows(tmp_path: Path) -> None:
    """The lowest bit of a number in a footer is its sign."""
    stream = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table({"prompt": ["a", "b", "c"]}), stream, write_statistics=False)
    data = stream.getvalue()
    size = int.from_bytes(data[-8:-4], "little")
    path = tmp_path / "a.parquet"
    counts, refused = set(), 0
    for at in range(len(data) - 8 - size, len(data) - 8):
        path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        try:
            counts.add(ParquetTable(lambda: path.open("rb")).row_count)
        except Unreadable:
            refused += 1
    assert counts == {3}
    assert refused


@pytest.mark.parametrize("suffix", [".sh", ".py", ".yaml"])
def test_comments_find_what_is_below_them(suffix: str) -> None:
    directive = "# relax-lint: ignore[RLX501] because"
    lines = {
        ".sh": "if a; then\n  «»\n  b\nfi\n«»\nc\n",
        ".py": "if a:\n  «»\n  b()\n«»\nc()\n",
        ".yaml": "a:\n  «»\n  b: 1\n«»\nc: 2\n",
    }
    text = lines[suffix].replace("«»", directive)
    source = Project.from_files({f"x{suffix}": text}).source(MEMORY_ROOT / f"x{suffix}")
    assert source is not None
    below = [text.splitlines()[found.lines[0] - 1].strip() for found in directives(source).suppressions if found.lines]
    assert [line[0] for line in below] == ["b", "c"]


def test_merged_mappings_double_nothing() -> None:
    merges = "a0: &a0 {k0: 1}\n" + "".join(f"a{n + 1}: &a{n + 1}\n  <<: [*a{n}, *a{n}]\n" for n in range(60))
    tree = {
        "examples/demo/demo.yaml": merges.encode(),
        "examples/demo/run_demo.sh": f"{TRAIN} --custom-config-path examples/demo/demo.yaml\n".encode(),
    }
    outcome = Outcome("")
    judge(Project.from_files(tree, SETTINGS), tree, outcome, Depth.JUDGE)
    assert outcome.troubles == []


@pytest.mark.parametrize(
    "flags", ["--use-tis --tis-clip 2\\", "--colocate\\", "--optimizer-cpu-offload \\\n  --colocate\\"]
)
def test_no_flag_is_written_behind_a_backslash_that_ends_the_file(flags: str) -> None:
    tree = {"examples/demo/run_demo.sh": f"{TRAIN} {flags}".encode()}
    outcome = Outcome("")
    judge(Project.from_files(tree, SETTINGS), tree, outcome, Depth.JUDGE)
    assert outcome.troubles == []


@pytest.mark.parametrize(
    ("given", "fixed"),
    [
        ("--multimodal-keys '{}'", '--multimodal-keys \'{"image":"images"}\''),
        ("--multimodal-keys={}", '--multimodal-keys=\'{"image":"images"}\''),
    ],
)
def test_a_flag_that_says_nothing_is_given_what_it_must_say(given: str, fixed: str) -> None:
    row = {"prompt": [{"role": "user", "content": "What?"}], "label": "x", "images": ["a.png"]}
    launch = f"{TRAIN} --prompt-data data/train.jsonl --input-key prompt --label-key label --apply-chat-template"
    tree = {"examples/demo/run_demo.sh": f"{launch} {given}\n", "data/train.jsonl": json.dumps(row) + "\n"}
    done = fix(Project.from_files(tree), {"RLX410": RULES["RLX410"]})
    assert done.changes == {MEMORY_ROOT / "examples/demo/run_demo.sh": f"{launch} {fixed}\n".encode()}


def test_many_footers_are_asked_though_some_end_the_process_that_asks() -> None:
    """In this process and in one that is forked from it, one after the other."""
    stream = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table({"prompt": [["a"], None, []]}), stream)
    good = footer_of(stream)
    bad = [good[:at] + bytes([good[at] ^ 4]) + good[at + 1 :] for at in range(0, len(good), 3)]
    footers = Footers()
    told = [(footers.are_sound(one), footers.are_sound(good)) for one in bad]
    child = os.fork()
    if child == 0:
        anew = [(Footers().are_sound(one), footers.are_sound(good[:])) for one in bad]
        os._exit(0 if anew == told else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert {sound for _, sound in told} == {True}
    assert {sound for sound, _ in told} == {True, False}


@pytest.mark.parametrize("around", ["X=$(«»)", "echo `«»`", 'echo "a\n$(«»)"'])
def test_no_option_is_set_above_a_substitution_that_does_without(around: str) -> None:
    text = around.replace("«»", f"{TRAIN} | tee run.log") + "\n"
    done = fix(Project.from_files({"examples/demo/run_demo.sh": text}), {"RLX420": RULES["RLX420"]})
    assert not done.changes


def test_a_value_that_a_loop_makes_longer_costs_no_more_each_round() -> None:
    text = f"for ((i = 0; i < 1900; i++)); do X+=grpo; done\n{TRAIN} --lr $X\n"
    project = Project.from_files({"examples/demo/run_demo.sh": text})
    launcher = project.launcher(MEMORY_ROOT / "examples/demo/run_demo.sh")
    assert launcher is not None
    value = launcher.launches[0].arguments[-1].values[0]
    assert value.text.endswith("grpo" * 1900)
    assert len(value.unknowns) == 1


KEYS = [
    "[",
    "  reward",
    "a b",
    "$x",
    "it's",
    "*",
    "#x",
    "~",
    "a;b",
    "a\tb",
    "{a,b}",
    "!",
    "é",
    "`id`",
    "a\\b",
    "<",
    "a=b",
]


@pytest.mark.parametrize("key", KEYS)
def test_names_of_the_recipe_are_written_so_that_bash_reads_them(key: str) -> None:
    """The key of a reward's dict (RLX206), in the place of one that it lacks (RLX207), and columns (RLX410)."""
    row = {"prompt": [{"role": "user", "content": "What?"}], "label": "x", "images": ["a.png"]}
    reward = f"async def reward_func(args, sample, **kwargs):\n    return {{{key!r}: 1.0}}\n"
    named = f"{TRAIN} --custom-rm-path examples.demo.reward_demo.reward_func --prompt-data data/train.jsonl"
    tree = {
        "examples/demo/reward_demo.py": reward,
        "examples/demo/run_a.sh": f'A=(\n    --colocate\n)\n{named} "${{A[@]}}" --input-key prompt\n',
        "examples/demo/run_b.sh": f"{named} --reward-key score --input-key prompt --label-key label\n",
        "data/train.jsonl": json.dumps(row) + "\n",
    }
    rules = {code: RULES[code] for code in ("RLX206", "RLX207", "RLX410")}
    fixed = fix(Project.from_files(tree), rules, unsafe=True).project
    for name in ("run_a.sh", "run_b.sh"):
        launcher = fixed.launcher(MEMORY_ROOT / "examples/demo" / name)
        assert launcher is not None
        assert [launch.value("--reward-key") for launch in launcher.launches] == [key]
        assert not launcher.script.problems
