"""A launcher rule never guesses: what kept it silent is on record, and what is certain is said all the same."""

from __future__ import annotations

import pytest

from relax_lint.config import Settings
from relax_lint.engine import Report, lint
from relax_lint.project import Project
from relax_lint.rules import load_rules
from relax_lint.selection import Layer
from tests.cases import for_each

SCRIPT = "examples/demo/run_demo.sh"
TRAIN = "python3 relax/entrypoints/train.py"
UNREAD = "run_demo.sh cannot be read to its end"
BATCH = "--rollout-batch-size 32 --n-samples-per-prompt 8 --global-batch-size 128"
ROLES = '\'{"actor": [1, 4], "rollout": [1, 2], "reference": [1, 1]}\''


def judged(code: str, files: str | dict[str, str], env: dict[str, str] | None = None) -> Report:
    tree = files if isinstance(files, dict) else {SCRIPT: files}
    settings = Settings(selection=(Layer(select=(code,)),), env=env or {})
    return lint(Project.from_files(tree, settings), load_rules(), settings)


@for_each(
    ("code", "text", "because"),
    [
        ("RLX403", f'ray job submit --address="http://$HEAD:8265" -- {TRAIN}\n', "${HEAD}"),
        ("RLX403", f"ray job submit -- {TRAIN}\n", "RAY_ADDRESS"),
        ("RLX406", f'{TRAIN} --lr 1e-6 "$@"\n', '"$@"'),
        ("RLX406", f"{TRAIN} --lr 1e-6 --optimizer $OPT\n", "${OPT}"),
        ("RLX406", f"{TRAIN} --lr 1e-6\n    --colocate\n", "a broken continuation"),
        ("RLX407", f"{TRAIN} --rollout-batch-size $RBS --global-batch-size 8\n", "${RBS}"),
        ("RLX407", f"{TRAIN} {BATCH} $EXTRA_ARGS\n", "${EXTRA_ARGS}"),
        ("RLX407", f'{TRAIN} --rollout-batch-size 32 "${{MODEL_ARGS[@]}}" --colocate\n', "${MODEL_ARGS[@]}"),
        ("RLX411", f"{TRAIN} --fully-async --resource $ROLES\n", "${ROLES}"),
        ("RLX411", f'{TRAIN} --fully-async --resource {ROLES} --ref-actor-config "$REF"\n', "${REF}"),
        ("RLX420", f"set -eo pipefail\n{TRAIN} | tee $LOG_DIR/run.log\n", "${LOG_DIR}"),
        ("RLX421", f'A=(--lr 1)\nsource "$MORE"\n{TRAIN}\n', 'source "$MORE"'),
        ("RLX423", f'source "$MORE"\n{TRAIN} --num-rollout $N\n', 'source "$MORE"'),
        ("RLX405", f"{TRAIN} --lr 1e-6\r\n", "CRLF line ends"),
        ("RLX405", f"{TRAIN} --lr 1e-6 \\ \n    --colocate\n", "a broken continuation"),
        ("RLX405", f"{TRAIN} --lr 1e-6 \\\t\n    --colocate\n", "a broken continuation"),
        ("RLX405", f"{TRAIN} --lr 1e-6 \\\n    # shared\n    --colocate\n", "a broken continuation"),
        ("RLX405", f"MODE=$1\n{TRAIN} --lr 1e-6 \\\n\n    --colocate\n", "a broken continuation"),
        ("RLX405", f"MODE=$1\n{TRAIN} --lr 1e-6\n    --colocate\n", "a broken continuation"),
        ("RLX421", f"A=(--lr 1)\r\n{TRAIN} --hybrid\r\n", "CRLF line ends"),
        ("RLX423", f"{TRAIN} --num-rollout $N\r\n", "CRLF line ends"),
        ("RLX405", f"if [ ${{1:-sync}} = async ]; then\n{TRAIN} --hybrid\nelse\n{TRAIN} --resource '{{\nfi\n", UNREAD),
        ("RLX405", f"{TRAIN} --colocate\nif [ $1 = async ]; then {TRAIN} --fully-async\n", UNREAD),
        ("RLX418", f"{TRAIN} --colocate\nA=(\n", UNREAD),
        ("RLX419", f"{TRAIN} --colocate\nif true; then\n", UNREAD),
        ("RLX421", f"A=(--lr 1)\n{TRAIN} --colocate\n{TRAIN} --hybrid --resource '[1, 8]\n", UNREAD),
        ("RLX423", f"{TRAIN} --num-rollout $N\nA=(\n", UNREAD),
        ("RLX801", f"{TRAIN} --custom-rm-path $RM\n", "${RM}"),
    ],
)
def test_what_is_not_known_silences_a_rule_and_is_recorded(code: str, text: str, because: str) -> None:
    report = judged(code, text)
    assert report.diagnostics == []
    assert because in [silence.because for silence in report.not_checked]


@pytest.mark.parametrize(
    ("code", "text"),
    [
        # values of flags are no flags, whatever they are
        (
            "RLX406",
            f"{TRAIN} --lr 1e-6 --hf-checkpoint ${{MODEL_DIR}}/Q --num-rollout $N --eval-prompt-data a $FILES\n",
        ),
        ("RLX406", f'source "${{MODEL_CONFIG_DIR}}/qwen3-8B.sh"\n{TRAIN} --lr 1e-6 "${{MODEL_ARGS[@]}}"\n'),
        ("RLX406", f"{TRAIN} --lr 1e-6 ${{WANDB:+--use-wandb}}\n"),
        ("RLX407", f'{TRAIN} {BATCH} --prompt-data "$PROMPT_SET" "${{MODEL_ARGS[@]}}"\n'),
        ("RLX407", f"{TRAIN} {BATCH} ${{WANDB:+--use-wandb}}\n"),
        ("RLX411", f'{TRAIN} --fully-async --resource {ROLES} "${{MODEL_ARGS[@]}}" --save $SAVE_DIR\n'),
    ],
)
def test_other_unknown_words_do_not(code: str, text: str) -> None:
    report = judged(code, text)
    assert [found.code for found in report.diagnostics] == [code]
    assert report.not_checked == []


def test_site_variables_decide() -> None:
    text = f"{TRAIN} --rollout-batch-size $RBS --n-samples-per-prompt 8 --global-batch-size 256\n"
    assert judged("RLX407", text, {"RBS": "32"}).diagnostics == []
    (found,) = judged("RLX407", text, {"RBS": "64"}).diagnostics
    assert "--rollout-batch-size 64 × --n-samples-per-prompt 8 = 512, but --global-batch-size is 256" in found.message


@pytest.mark.parametrize("code", ["RLX405", "RLX406", "RLX801"])
def test_rules_of_recipes_leave_other_launchers_alone(code: str) -> None:
    tree = {
        "scripts/training/run-demo.sh": f"{TRAIN} --lr 1e-6 --custom-rm-path rewards.demo.reward_func\n",
        "rewards/demo.py": "",
    }
    assert judged(code, tree).diagnostics == []


@for_each(
    ("code", "text"),
    [
        ("RLX401", "python3 -m verl.trainer.main_ppo\n"),
        ("RLX402", f"{TRAIN} trainer.nnodes=1\n"),
        ("RLX403", "python3 -m relax.entrypoints.train\n"),
        ("RLX404", f'{TRAIN} --runtime-env-json "$RUNTIME_ENV_JSON"\n'),
        ("RLX407", f"{TRAIN} {BATCH}\n"),
        ("RLX411", f"{TRAIN} --fully-async --resource {ROLES}\n"),
        ("RLX420", f"{TRAIN} | tee run.log\n"),
        ("RLX421", f"A=(--lr 1)\n{TRAIN}\n"),
        ("RLX422", f"{TRAIN} \\\n\n    --lr 1\n"),
        ("RLX423", f"{TRAIN} --num-rollout $N\n"),
    ],
)
def test_rules_of_launches_judge_other_launchers_too(code: str, text: str) -> None:
    assert [found.code for found in judged(code, {"scripts/training/run-demo.sh": text}).diagnostics] == [code]


def test_a_shared_array_is_reported_once_for_both_modes() -> None:
    text = (
        f'A=(--lr 1e-6 {BATCH})\nif [ "$1" = async ]; then\n    {TRAIN} --fully-async "${{A[@]}}"\nelse\n'
        f'    {TRAIN} --colocate "${{A[@]}}"\nfi\n'
    )
    for code in ("RLX406", "RLX407"):
        assert [found.line for found in judged(code, text).diagnostics] == [1]


def test_a_repair_that_would_break_the_other_mode_is_not_offered() -> None:
    text = (
        'A=(--rollout-batch-size 32 --n-samples-per-prompt 8 --global-batch-size 256)\nif [ "$1" = async ]; then\n'
        f'    {TRAIN} --fully-async --num-steps-per-rollout 2 "${{A[@]}}"\nelse\n'
        f'    {TRAIN} --colocate "${{A[@]}}"\nfi\n'
    )
    (found,) = judged("RLX407", text).diagnostics
    assert found.severity.value == "error"
    assert found.fix is None


GATHERING = [
    'for n in $(compgen -A variable MISC); do declare -n a=$n; ALL+=("${a[@]}"); done',
    'for n in $(compgen -v | grep _ARGS); do declare -n a=$n; ALL+=("${a[@]}"); done',
    'for n in "${!MISC@}"; do declare -n a=$n; ALL+=("${a[@]}"); done',
    'for n in ${!MISC*}; do eval "ALL+=(\\"\\${$n[@]}\\")"; done',
    'while read -r _ _ n; do n=${n%%=*}[@]; ALL+=("${!n}"); done < <(declare -p | grep _ARGS)',
    "for n in $(set | grep -o '^[A-Z]*_ARGS'); do n=$n[@]; ALL+=(\"${!n}\"); done",
    'add() { local -n a="${1}_ARGS"; ALL+=("${a[@]}"); }; add "$GROUP"',
    'for g in $GROUPS_WANTED; do n="MISC_${g}[@]"; ALL+=("${!n}"); done',
]


@pytest.mark.parametrize("gathering", GATHERING)
def test_an_array_that_may_be_gathered_by_a_name_that_is_put_together(gathering: str) -> None:
    report = judged("RLX421", f'MISC_ARGS=(--seed 1)\n{gathering}\n{TRAIN} "${{ALL[@]}}"\n')
    assert report.diagnostics == []


@pytest.mark.parametrize(
    "other",
    [
        'echo "${!OTHER@}"',
        "compgen -A variable OTHER",
        'n="${1}_PATH"; echo "${!n}"',
        "# for n in ${!MISC@}",
        "declare -p X",
    ],
)
def test_other_names_are_no_excuse(other: str) -> None:
    report = judged("RLX421", f"MISC_ARGS=(--seed 1)\n{other}\n{TRAIN} --lr 1\n")
    assert [found.line for found in report.diagnostics] == [1]


@pytest.mark.parametrize(
    ("filled", "expanded"),
    [("MISC_ARGS", "MISCC_ARGS"), ("EVAL_ARGS", "EVL_ARGS"), ("OPTIMIZER_ARGS", "OPTIMISER_ARGS"), ("args", "arg")],
)
def test_a_misspelt_array_is_reported_once_and_its_name_put_right(filled: str, expanded: str) -> None:
    text = f'{filled}=(--seed 1)\n{TRAIN} "${{{expanded}[@]}}"\n'
    (found,) = judged("RLX421", text).diagnostics
    assert expanded in found.message
    assert found.fix is not None
    assert [edit.text for edit in found.fix.edits()] == [filled]
    assert judged("RLX423", text).diagnostics == []


def test_an_array_by_another_name_altogether_is_no_misspelling() -> None:
    text = f'MISC_ARGS=(--seed 1)\n{TRAIN} "${{LAUNCHER_ARGS[@]}}"\n'
    assert [found.line for found in judged("RLX421", text).diagnostics] == [1]
    assert [found.line for found in judged("RLX423", text).diagnostics] == [2]


def test_an_array_that_is_set_is_no_misspelling() -> None:
    text = f'MISC_ARGS=(--seed 1)\nMISC2_ARGS=(--lr 1)\n{TRAIN} "${{MISC2_ARGS[@]}}"\n'
    (found,) = judged("RLX421", text).diagnostics
    assert "MISC2_ARGS" not in found.message
