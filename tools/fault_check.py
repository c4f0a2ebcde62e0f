"""Breaks the launchers of a local Relax checkout, one thing at a time, and counts what relax-lint finds.

``python tools/fault_check.py CHECKOUT [-v] [KIND ...]`` copies examples/ and scripts/ to a temporary directory. For
each kind of fault it breaks every launcher that the fault fits, runs the tool on all of them, and compares with what it
says of the launchers as they are: found where the code is new in that launcher, and besides whatever else is new.
Nothing is run but the tool itself, and the checkout stays as it is.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from relax_lint.cli import main as relax_lint

Change = Callable[[str], "str | None"]
"""A launcher's text broken, or nothing where the fault does not fit."""
Key = tuple[str, str, str]
"""Code, path and message of a finding: lines move, these do not."""

ENTRY = re.compile(r"entrypoints[./]train")
NAMED_LINE = re.compile(r" of line \d+|:\d+")


def replaced(pattern: str, new: str, unless: str = "", where: str = "") -> Change:
    """Replace the first match that stands in no comment."""

    def change(text: str) -> str | None:
        if (unless and re.search(unless, text)) or (where and not re.search(where, text)):
            return None
        for found in re.finditer(pattern, text, re.MULTILINE):
            line = text[text.rfind("\n", 0, found.start()) + 1 : found.end()]
            if not line.lstrip().startswith("#"):
                return text[: found.start()] + found.expand(new) + text[found.end() :]
        return None

    return change


def dropped_line(pattern: str, unless: str = "", where: str = "") -> Change:
    """Leave out the first line that has nothing but what matches."""
    return replaced(rf"^[ \t]*(?:{pattern})[ \t]*\n", "", unless, where)


def in_launch(new: Callable[[str], str]) -> Change:
    """Change a continued line between the one that starts Relax and its last."""

    def change(text: str) -> str | None:
        lines = text.splitlines(keepends=True)
        for number, line in enumerate(lines):
            if ENTRY.search(line) and not line.lstrip().startswith("#") and line.endswith("\\\n"):
                at = number + 2
                if at < len(lines) and lines[at].endswith("\\\n"):
                    lines[at] = new(lines[at])
                    return "".join(lines)
        return None

    return change


@dataclass(frozen=True)
class Kind:
    """A fault, the codes one of which must be said of it, and those that may come along."""

    name: str
    codes: tuple[str, ...]
    change: Change
    may: tuple[str, ...] = ()
    everywhere: bool = True
    """Whether the rules hold for launchers outside recipes too."""


CUT = tuple(f"RLX{code}" for code in (*range(401, 424), 201, 214, 306, 307, 501, 502, 503, 505, 508, 606, 213))
RL = r"--advantage-estimator"
SIZES = ("RLX407", "RLX412", "RLX415", "RLX416", "RLX505")

KINDS = (
    Kind("misspelt-rollout-batch", ("RLX501",), replaced(r"--rollout-batch-size\b", "--rollout-bach-size"), SIZES),
    Kind("misspelt-checkpoint", ("RLX501",), replaced(r"--hf-checkpoint\b", "--hf-chekpoint"), ("RLX505", "RLX418")),
    Kind("underscores", ("RLX501",), replaced(r"--rollout-shuffle\b", "--rollout_shuffle")),
    Kind(
        "abbreviated", ("RLX501",), replaced(r"--recompute-granularity\b", "--recompute-granular"), ("RLX505", "RLX508")
    ),
    Kind("abbreviated-sglang", ("RLX504",), replaced(r"--sglang-mem-fraction-static\b", "--sglang-mem-fraction-st")),
    Kind(
        "tensor-parallel",
        ("RLX416",),
        replaced(r"--tensor-model-parallel-size +\d+", "--tensor-model-parallel-size 7"),
        ("RLX505", "RLX407"),
    ),
    Kind(
        "pipeline-parallel",
        ("RLX416",),
        replaced(r"--pipeline-model-parallel-size +\d+", "--pipeline-model-parallel-size 7"),
        ("RLX505", "RLX407"),
    ),
    Kind(
        "engine",
        ("RLX416",),
        replaced(r"--rollout-num-gpus-per-engine +\d+", "--rollout-num-gpus-per-engine 7"),
        ("RLX505",),
    ),
    Kind("rate", ("RLX502",), replaced(r"--lr +[\d.e-]+", "--lr fast"), ("RLX505",)),
    Kind(
        "length",
        ("RLX502",),
        replaced(r"--rollout-max-response-len +\d+", "--rollout-max-response-len 8k"),
        ("RLX505",),
    ),
    Kind("estimator", ("RLX502",), replaced(r"--advantage-estimator +\w+", "--advantage-estimator gae"), ("RLX505",)),
    Kind(
        "estimator-refused",
        ("RLX505",),
        replaced(r"--advantage-estimator +\w+", "--advantage-estimator ppo"),
        ("RLX508",),
    ),
    Kind("kl-type", ("RLX417", "RLX502"), replaced(r"--kl-loss-type +\w+", "--kl-loss-type kl"), ("RLX505",)),
    Kind(
        "kl-both",
        ("RLX417",),
        replaced(r"--kl-loss-coef +[\d.e-]+", "--kl-coef 0.1 --kl-loss-coef 0.1", unless=r"(?m)^[^#\n]*--kl-coef"),
        ("RLX505", "RLX508", "RLX412"),
    ),
    Kind(
        "kl-without-use",
        ("RLX417",),
        replaced(r"--kl-loss-coef +[\d.e-]+", "--kl-loss-coef 0.1", unless=r"(?m)^[^#\n]*--use-kl-loss"),
        ("RLX508",),
    ),
    Kind(
        "reward-file",
        ("RLX507",),
        replaced(r"--custom-rm-path +examples\.\S+", "--custom-rm-path examples/a/reward.py:reward_func"),
        ("RLX201",),
    ),
    Kind("reward-renamed", ("RLX201",), replaced(r"(--custom-rm-path +examples\.\S+)", r"\1_old"), everywhere=False),
    Kind(
        "reward-type",
        ("RLX502",),
        replaced(r"--rm-type +[\w-]+", "--rm-type naive"),
        ("RLX207", "RLX206", "RLX408", "RLX505", "RLX209"),
    ),
    Kind(
        "reward-key",
        ("RLX207", "RLX206"),
        replaced(r"--reward-key +score", "--reward-key points"),
        ("RLX208",),
        everywhere=False,
    ),
    Kind(
        "no-reward", ("RLX408",), dropped_line(r"--(?:custom-rm-path|rm-type) +[\w.-]+"), ("RLX207", "RLX201", "RLX505")
    ),
    Kind("blank-after-backslash", ("RLX422",), in_launch(lambda line: line.replace("\\\n", "\\ \n")), CUT),
    Kind("backslash-missing", ("RLX422",), in_launch(lambda line: line.replace("\\\n", "\n")), CUT),
    Kind("comment-inside", ("RLX422",), in_launch(lambda line: "    # more\n" + line), CUT),
    Kind(
        "array-not-passed",
        ("RLX421",),
        replaced(
            r'[ \t]*"\$\{OPTIMIZER_ARGS\[@\]\}"(?: *\\\n)?', " ", unless=r"OPTIMIZER_ARGS\[@(?s:.)*OPTIMIZER_ARGS\[@"
        ),
        ("RLX406", "RLX505", "RLX422"),
    ),
    Kind("array-twice", ("RLX421",), replaced(r'("\$\{OPTIMIZER_ARGS\[@\]\}")', r"\1 \1"), ("RLX503",)),
    Kind(
        "no-rollout-role", ("RLX412",), replaced(r""", *"rollout": *\[1, *\d+\]""", "", where=RL), ("RLX505", "RLX416")
    ),
    Kind(
        "resource-no-json",
        ("RLX412", "RLX502"),
        replaced(r"""--resource +'\{"actor":""", "--resource '{actor:"),
        ("RLX416", "RLX505", "RLX411", "RLX417"),
    ),
    Kind(
        "resource-number", ("RLX412",), replaced(r""""actor": *\[1, *(\d+)\]""", r'"actor": \1'), ("RLX416", "RLX505")
    ),
    Kind("no-mode", ("RLX413",), replaced(r"^[ \t]*--(?:colocate|fully-async|hybrid)(?: *\\)?\n", "", where=RL), CUT),
    Kind(
        "both-modes",
        ("RLX413",),
        replaced(r"--(?:colocate|fully-async)\b", "--colocate --fully-async", unless="--hybrid", where=RL),
        CUT,
    ),
    Kind("override", ("RLX402",), replaced(r"(--lr +[\d.e-]+)", r"\1 trainer.total_epochs=3"), ("RLX502",)),
    Kind(
        "stale-below-zero",
        ("RLX414",),
        replaced(r"--max-staleness +\d+", "--max-staleness -1", where=RL),
        ("RLX505", "RLX502"),
    ),
    Kind("no-save-interval", ("RLX505",), dropped_line(r"--save-interval +\d+", where=r"(?m)^[ \t]*--save[ =]")),
    Kind(
        "no-pipefail",
        ("RLX420",),
        dropped_line(
            r"set -o pipefail", unless=r"set -[a-z]*o pipefail\b(?s:.*)set -[a-z]*o pipefail", where=r"\| *tee"
        ),
    ),
    Kind(
        "no-log-directory",
        ("RLX420",),
        dropped_line(r"mkdir -p logs?", unless="judge_service", where=r"\| *tee +[\"']?logs?/"),
    ),
    Kind(
        "no-iterations",
        ("RLX415",),
        replaced(r"^[ \t]*--num-iters-per-train-update +\d+(?: *\\)?\n", "", where=r"(?m)^[^#\n]*--fully-async"),
    ),
    Kind("twice", ("RLX503",), replaced(r"(--lr +[\d.e-]+)", r"\1 --lr 3e-5")),
    Kind(
        "batch-off-by-one",
        ("RLX407",),
        replaced(r"--global-batch-size +(\d+)", r"--global-batch-size \g<1>1", where=RL),
        ("RLX416", "RLX505", "RLX412"),
    ),
    Kind("no-offload", ("RLX406",), dropped_line(r"--overlap-cpu-optimizer-d2h-h2d"), everywhere=False),
    Kind(
        "no-precision",
        ("RLX406",),
        dropped_line(r"--use-precision-aware-optimizer", where=r"(?m)^[^#\n]*--optimizer-cpu-offload"),
        ("RLX505",),
        everywhere=False,
    ),
    Kind(
        "no-guard",
        ("RLX419",),
        replaced(r'\[ -z "\$\{RELAX_ENTRYPOINT_MODE:-\}" \]', "false", where=RL),
        ("RLX418", "RLX423"),
        everywhere=False,
    ),
    Kind(
        "unset-variable",
        ("RLX423",),
        replaced(r"--hf-checkpoint +\$\{\w+\}", "--hf-checkpoint ${NOWHERE_SET}"),
        ("RLX418",),
    ),
    Kind("switch-off", ("RLX502",), replaced(r"--rollout-shuffle\b", "--rollout-shuffle false")),
    Kind(
        "verl",
        ("RLX401",),
        replaced(r"(?:-m relax\.entrypoints\.train|relax/entrypoints/train\.py)", "-m verl.trainer.main_ppo"),
        CUT,
    ),
    Kind("old-loss-name", ("RLX506",), replaced(r"--loss-type +sft\b", "--loss-type sft_loss"), ("RLX505",)),
    Kind(
        "media-key",
        ("RLX410", "RLX502"),
        replaced(r"""--multimodal-keys +'\{"image":""", """--multimodal-keys '{"picture":"""),
        ("RLX505",),
    ),
    Kind(
        "model-file",
        ("RLX418",),
        dropped_line(r'source "?\$\{MODEL_CONFIG_DIR\}/\S+'),
        ("RLX423", "RLX421", "RLX505", "RLX416"),
        everywhere=False,
    ),
)


def launchers(root: Path) -> dict[str, str]:
    """The scripts below examples/ and scripts/ that start Relax, and their text."""
    found: dict[str, str] = {}
    for path in sorted([*root.glob("examples/**/*.sh"), *root.glob("scripts/training/**/*.sh")]):
        text = path.read_text(encoding="utf-8")
        if ENTRY.search(text):
            found[path.relative_to(root).as_posix()] = text
    return found


def said(root: Path, checkout: Path) -> Counter[Key]:
    """What the tool says of the copy, advice included."""
    report = root / "report.json"
    common = ["--format", "json", "--output-file", str(report), "--isolated", "--exit-zero", "-j", "1"]
    status = relax_lint(["check", *common, "--relax-root", str(checkout), "examples", "scripts/training"])
    if status != 0:
        raise SystemExit(f"relax-lint gave exit status {status}")
    found = json.loads(report.read_text(encoding="utf-8"))["diagnostics"]
    return Counter(
        (f"{one['code']} {one['severity']}", one["path"], NAMED_LINE.sub("", one["message"])) for one in found
    )


@dataclass
class Tally:
    """How one kind of fault went."""

    fits: list[str]
    missed: list[str]
    besides: list[str]


def judged(kind: Kind, texts: dict[str, str], root: Path, checkout: Path, before: Counter[Key]) -> Tally:
    """Break all launchers that the fault fits and that do not have it yet, run the tool, and put them back."""
    old = {path for code, path, _ in before if code[:6] in kind.codes}
    places = [path for path in texts if path not in old and (kind.everywhere or path.startswith("examples/"))]
    broken = {path: new for path in places if (new := kind.change(texts[path])) not in (None, texts[path])}
    for path, new in broken.items():
        (root / path).write_text(str(new), encoding="utf-8")
    fresh = said(root, checkout) - before
    for path in broken:
        (root / path).write_text(texts[path], encoding="utf-8")
    hit = {path for code, path, _ in fresh if code[:6] in kind.codes}
    known = {*kind.codes, *kind.may}
    more = [f"{path}: {code} {text}" for code, path, text in fresh if code[:6] not in known and "advice" not in code]
    return Tally(list(broken), [path for path in broken if path not in hit], more)


def shown(kind: Kind, tally: Tally, verbose: bool) -> Iterable[str]:
    """The lines of the report for one kind."""
    found = len(tally.fits) - len(tally.missed)
    codes = "/".join(kind.codes)
    yield f"{kind.name:<24} {codes:<14} {found:>3} of {len(tally.fits):>3} found, {len(tally.besides):>3} said besides"
    if verbose:
        yield from (f"    missed: {path}" for path in tally.missed)
        yield from (f"    besides: {text}" for text in tally.besides)


def main(arguments: list[str]) -> int:
    """Judge all kinds of faults, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path, metavar="CHECKOUT", help="a checkout of Relax")
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="which faults (default: all)")
    parser.add_argument("-v", "--verbose", action="store_true", help="name the launchers, and what is said besides")
    options = parser.parse_intermixed_args(arguments)
    checkout = options.checkout.resolve()
    by_code: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        for name in ("examples", "scripts"):
            shutil.copytree(checkout / name, root / name)
        (root / "relax").symlink_to(checkout / "relax")
        os.chdir(root)
        texts = launchers(root)
        before = said(root, checkout)
        print(f"{len(texts)} launchers, {sum(before.values())} findings before")
        for kind in KINDS:
            if options.kinds and kind.name not in options.kinds:
                continue
            tally = judged(kind, texts, root, checkout, before)
            by_code[kind.codes[0]] += len(tally.fits)
            lost[kind.codes[0]] += len(tally.missed)
            print(*shown(kind, tally, options.verbose), sep="\n", flush=True)
        os.chdir(checkout)
    for code, fits in sorted(by_code.items()):
        print(f"{code}: {fits - lost[code]} of {fits}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
