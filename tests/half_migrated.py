"""Launchers of a good recipe with leftovers of its move from verl, in several writings."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

RECIPE = Path(__file__).parent / "recipes" / "good_gsm8k"
LAUNCHER = RECIPE / "examples" / "gsm8k" / "run_gsm8k.sh"
GOOD = LAUNCHER.read_text(encoding="utf-8")

ENTRY = "python3 relax/entrypoints/train.py"
STRICT = "set -ex\nset -o pipefail\n"
MODE = 'MODE=${1:-${MODE:-"sync"}}\n'
GUARD = (
    'if [ -z "${RELAX_ENTRYPOINT_MODE:-}" ]; then\n    source "${SCRIPT_DIR}/../../scripts/entrypoint/local.sh"\nfi\n'
)
SHARED = '\'{"actor": [1, 8], "rollout": [1, 8]}\''
_BRANCHES = re.compile(r'^if \[ "\$\{MODE\}" = "async" \]; then\n(.*?)^else\n(.*?)^fi\n', re.MULTILINE | re.DOTALL)

Change = Callable[[str], str]


def replaced(old: str, new: str) -> Change:
    """A change of every place where something stands."""

    def change(text: str) -> str:
        assert old in text, f"{old!r} is not in the launcher"
        return text.replace(old, new)

    return change


def together(*changes: Change) -> Change:
    def change(text: str) -> str:
        for each in changes:
            text = each(text)
        return text

    return change


# ---------------------------------------------------------------- words of Hydra


def in_array(word: str) -> Change:
    return replaced("OPTIMIZER_ARGS=(\n", f"OPTIMIZER_ARGS=(\n    {word}   # from verl\n")


def on_a_line(word: str) -> Change:
    return replaced("        --use-health-check \\\n", f"        {word} \\\n        --use-health-check \\\n")


def within_a_line(word: str) -> Change:
    return replaced("        --use-health-check \\\n", f"        --use-health-check {word} \\\n")


def in_a_string(word: str) -> Change:
    return together(
        replaced("mkdir -p logs\n", f'EXTRA="{word}"\nmkdir -p logs\n'),
        replaced("        --use-health-check \\\n", "        --use-health-check $EXTRA \\\n"),
    )


def in_a_document(word: str) -> Change:
    return together(
        replaced("mkdir -p logs\n", f"EXTRA=$(cat <<'EOF'\n{word}\nEOF\n)\nmkdir -p logs\n"),
        replaced("        --use-health-check \\\n", "        --use-health-check $EXTRA \\\n"),
    )


Writing = Callable[[str], Change]
WRITINGS: tuple[Writing, ...] = (in_array, on_a_line, within_a_line, in_a_string, in_a_document)


# ---------------------------------------------------------------- one mode


def _one_mode() -> tuple[str, str, str]:
    """What is before the launches, the fully asynchronous one, the colocated one; without a MODE."""
    found = _BRANCHES.search(GOOD)
    assert found is not None
    launches = [re.sub(r"^    ", "", text, flags=re.MULTILINE) for text in found.groups()]
    head = GOOD[: found.start()].replace(MODE, "").replace("-${MODE}-", "-")
    return head, launches[0], launches[1]


HEAD, ASYNC, SYNC = _one_mode()
_PLAIN = together(
    replaced(f"    --resource {SHARED} \\\n", ""),
    replaced("    --max-staleness 1 \\\n", ""),
    replaced("    --colocate \\\n", ""),
    replaced("    --balance-data \\\n", ""),
)(SYNC)
"""The colocated launch without the flags of its mode."""
_ARRAY = f"RAY_ARGS=(\n    --resource {SHARED}\n    --max-staleness 1\n    --colocate\n)\n"

_ELEMENTS = "".join(
    f"    {line.strip()}\n" for line in SYNC.replace("\\\n", "\n").splitlines() if not re.match("#| *2>&1", line)
)
"""The words of the colocated launch as elements of an array."""

ONE_MODE = {
    "sync": HEAD + SYNC,
    "async": HEAD + ASYNC,
    "values behind equals signs": HEAD
    + together(replaced("--resource ", "--resource="), replaced("--max-staleness 1", "--max-staleness=1"))(SYNC),
    "an array of its own": HEAD
    + _ARRAY
    + replaced("    --use-health-check \\\n", '    --use-health-check \\\n    "${RAY_ARGS[@]}" \\\n')(_PLAIN),
    "an array with other flags": replaced(
        "MISC_ARGS=(\n",
        f"MISC_ARGS=(\n    --resource {SHARED}\n    --colocate   # on the same GPUs\n    --max-staleness=1\n",
    )(HEAD)
    + _PLAIN,
    "a function": HEAD + "launch() {\n" + re.sub(r"^(?=.)", "    ", SYNC, flags=re.MULTILINE) + "}\n\nlaunch\n",
    "a function with arguments": HEAD
    + "launch() {\n"
    + re.sub(r"^(?=.)", "    ", replaced("2>&1", '"$@" 2>&1')(_PLAIN), flags=re.MULTILINE)
    + f"}}\n\nlaunch --resource {SHARED} --colocate --max-staleness 0\n",
    "a loop": HEAD
    + "for lr in 1e-6 2e-6; do\n"
    + re.sub(r"^(?=.)", "    ", replaced("--use-health-check", "--use-health-check --lr $lr")(SYNC), flags=re.MULTILINE)
    + "done\n",
    "a string": HEAD
    + 'MODE_FLAGS="--colocate --max-staleness 0"\n'
    + together(replaced("--colocate", "$MODE_FLAGS"), replaced("    --max-staleness 1 \\\n", ""))(SYNC),
    "a command in an array": HEAD + "CMD=(\n" + _ELEMENTS + ')\n"${CMD[@]}" 2>&1 | tee logs/run.log\n',
    "the script's arguments": HEAD + replaced("2>&1", '"$@" 2>&1')(SYNC),
    "one line": HEAD + " ".join(line.strip(" \\") for line in SYNC.splitlines() if not line.startswith("#")) + "\n",
    "behind a list": HEAD + "true && " + SYNC.partition("\n")[2],
    "in the background": HEAD + replaced("2>&1 | tee logs/${EXP_NAME}.log", "&> logs/${EXP_NAME}.log &\nwait")(SYNC),
    "no strict mode": replaced(STRICT, "")(HEAD) + SYNC,
    "16 GPUs": together(replaced("[1, 8]", "[1, 16]"))(HEAD.replace("size 4    #", "size 8    #") + SYNC),
    "too few GPUs": HEAD.replace("size 4    #", "size 2    #") + SYNC.replace("[1, 8]", "[1, 2]"),
    "an estimator for one mode": HEAD.replace("--use-tis", "--normalize-advantages") + SYNC,
    "another default": GOOD.replace('"sync"}}', '"async"}}'),
    "only by the environment": replaced(MODE, "MODE=${MODE:-sync}\n")(GOOD),
    "only by an argument": replaced(MODE, 'MODE=${1:-"sync"}\n')(GOOD),
    "a fixed mode": replaced(MODE, "MODE=async\n")(GOOD),
    "fixed behind the guide's line": replaced(MODE, MODE + "MODE=sync\n")(GOOD),
    "by the argument itself": together(
        replaced(MODE, ""), replaced('"${MODE}" =', '"$1" ='), replaced("-${MODE}-", "-")
    )(GOOD),
    "other names": together(
        replaced(MODE, "RUN_MODE=${1:-colocate}\n"),
        replaced('"${MODE}" = "async"', '"${RUN_MODE}" = "fully-async"'),
        replaced("${MODE}", "${RUN_MODE}"),
    )(GOOD),
}
