"""Faults in launchers, of a second look: forms that a first reading of the contract does not suggest."""

from __future__ import annotations

from tests.faults.cases.places import (
    BOTH_TEES,
    CHARTS_RUN,
    DESK_RUN,
    ENTRY,
    KEY_LINE,
    REWARD,
    RM_PATH,
    RUN,
    SYNC_LAUNCH,
    flags,
    instead,
)
from tests.faults.trees import ANYWHERE, Edit, Fault, swap

ASYNC = """'{"actor": [1, 4], "rollout": [1, 2], "reference": [1, 2], "advantages": [1, 0]}'"""
SCORED = "compute_score(sample.response, sample.label)"
MADE: list[Fault] = []


def fault(
    code: str,
    name: str,
    marks: str | tuple[str, ...],
    *edits: Edit,
    recipe: str = "text",
    severity: str = "error",
    path: str = REWARD,
    may: tuple[str, ...] = (),
    also: tuple[str, ...] = (),
) -> None:
    """Keep one more fault."""
    named = (marks,) if isinstance(marks, str) else marks
    MADE.append(Fault(f"again-{name}", recipe, code, path, named, edits, severity, also, may))


def top(line: str, path: str = REWARD) -> Edit:
    """An import beside the others."""
    return swap(path, "import re\n", f"import re\n{line}\n")


def before(*lines: str) -> Edit:
    """Lines at the top of the entry point's body."""
    return swap(REWARD, ENTRY, ENTRY + "".join(f"    {line}\n" for line in lines))


KEYED = ("RLX206", "RLX207", "RLX208")


def _launchers() -> None:
    sync = "        --colocate \\\n"
    fault(
        "RLX412",
        "hybrid-no-rollout",
        "--resource '{\"actor\": [1, 8]}'",
        swap(RUN, sync, "        --hybrid \\\n"),
        swap(RUN, """'{"actor": [1, 8], "rollout": [1, 8]}'""", """'{"actor": [1, 8]}'"""),
        path=RUN,
        may=("RLX405", "RLX413", "RLX414", "RLX415", "RLX505", "RLX416"),
    )
    fault("RLX502", "type-bool", "--use-streaming-dataset False", flags("--use-streaming-dataset False"), path=RUN)
    fault(
        "RLX412",
        "tab-in-json",
        '--resource \'{"actor": [1, 8], "rollout": [1, 8]]\'',
        swap(RUN, '"rollout": [1, 8]}', '"rollout": [1, 8]]'),
        path=RUN,
        may=("RLX502", "RLX416"),
    )
    fault(
        "RLX501",
        "here-document",
        ANYWHERE,  # the tool points at the launches: it does not keep where a word of a here-document stands
        swap(
            RUN,
            "mkdir -p logs\n",
            "read -r -a MORE <<'EOF'\n--log-pasrate\nEOF\nLOG_ARGS+=(\"${MORE[@]}\")\nmkdir -p logs\n",
        ),
        path=RUN,
    )
    fault(
        "RLX501",
        "nested-function",
        "inner --log-pasrate",
        swap(
            RUN,
            "mkdir -p logs\n",
            'outer() {\n    inner() { LOG_ARGS+=("$1"); }\n    inner --log-pasrate\n}\nouter\nmkdir -p logs\n',
        ),
        path=RUN,
    )
    fault(
        "RLX501",
        "printf",
        "LOG_ARGS+=(--log-${NAME})",
        swap(RUN, "mkdir -p logs\n", "NAME=pasrate\nLOG_ARGS+=(--log-${NAME})\nmkdir -p logs\n"),
        path=RUN,
    )
    fault(
        "RLX407",
        "let",
        "--global-batch-size ${TOTAL}",
        instead("--global-batch-size 256", "--global-batch-size ${TOTAL}"),
        swap(RUN, "ROLLOUT_ARGS=(", "((TOTAL = 32 * 4))\nROLLOUT_ARGS=("),
        path=RUN,
        severity="error|warning",
        may=("RLX412",),
    )
    fault(
        "RLX407",
        "slice-of-array",
        "--global-batch-size ${SIZES[1]}",
        instead("--global-batch-size 256", "--global-batch-size ${SIZES[1]}"),
        swap(RUN, "ROLLOUT_ARGS=(", "SIZES=(256 128)\nROLLOUT_ARGS=("),
        path=RUN,
        severity="error|warning",
        may=("RLX412",),
    )
    fault(
        "RLX413",
        "removed-by-unset",
        SYNC_LAUNCH,
        swap(RUN, sync, '        "${SHARE[@]}" \\\n'),
        swap(RUN, "mkdir -p logs\n", "SHARE=(--colocate)\nSHARE=()\nmkdir -p logs\n"),
        path=RUN,
        severity="warning",
        may=("RLX405", "RLX412", "RLX505"),
    )
    fault(
        "RLX414",
        "environment-default",
        '--max-staleness "${STALE:-4}"',
        swap(RUN, "--max-staleness 0", '--max-staleness "${STALE:-4}"'),
        swap(RUN, "mkdir -p logs\n", "unset STALE\nmkdir -p logs\n"),
        path=RUN,
        severity="warning",
    )
    fault(
        "RLX421",
        "local-array",
        "local EXTRA=(--log-passrate)",
        swap(RUN, "mkdir -p logs\n", "more() {\n    local EXTRA=(--log-passrate)\n    :\n}\nmore\nmkdir -p logs\n"),
        path=RUN,
    )
    fault(
        "RLX422",
        "two-backslashes",
        "--colocate \\\\",
        swap(RUN, sync, "        --colocate \\\\\n"),
        path=RUN,
        may=(
            "RLX405",
            "RLX406",
            "RLX407",
            "RLX408",
            "RLX412",
            "RLX413",
            "RLX417",
            "RLX418",
            "RLX420",
            "RLX421",
            "RLX501",
            "RLX502",
            "RLX505",
        ),
    )
    fault("RLX420", "or-true", BOTH_TEES, swap(RUN, "set -ex\n", "set -ux\n"), path=RUN, severity="warning")
    fault(
        "RLX503",
        "equals-and-words",
        "--rollout-max-prompt-len 512",
        flags("--rollout-max-prompt-len=1024"),
        path=RUN,
        severity="warning",
    )
    fault(
        "RLX408",
        "empty-path",
        '--custom-rm-path ""',
        instead(RM_PATH, '--custom-rm-path ""'),
        swap(RUN, KEY_LINE, ""),
        path=RUN,
        severity="error|advice",
        may=("RLX201", "RLX507", "RLX502"),
    )
    fault(
        "RLX410",
        "variable",
        '--multimodal-keys "${KEYS}"',
        swap(CHARTS_RUN, """--multimodal-keys '{"image":"image"}'""", '--multimodal-keys "${KEYS}"'),
        swap(CHARTS_RUN, "CKPT_ARGS=(", 'KEYS=\'{"img":"image"}\'\nCKPT_ARGS=('),
        recipe="vision",
        path=CHARTS_RUN,
        may=("RLX502", "RLX505", "RLX705"),
    )
    fault(
        "RLX307",
        "config-in-comment",
        "--custom-generate-function-path examples.desk.rollout.generate",
        swap(
            DESK_RUN,
            "    --custom-config-path examples/desk/desk_config.yaml\n",
            "    # --custom-config-path examples/desk/desk_config.yaml\n",
        ),
        recipe="turns",
        path=DESK_RUN,
        may=("RLX213", "RLX802"),
    )


_launchers()
FAULTS = MADE
