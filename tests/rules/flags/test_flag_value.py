"""RLX502 where examples do not reach: another Relax's choices, modes, what other rules say, what hides values."""

from __future__ import annotations

import pytest

from relax_lint.catalog.choices import choices_that_run
from relax_lint.catalog.flags import embedded
from relax_lint.constraints.spelling import REPORTED_BY_THEIR_OWN_RULES
from tests.catalog.small_relax import RELAX
from tests.rules.flags.judging import LAUNCHER, TRAIN, messages, report_on, silences
from tests.shell.real_bash import outputs

CODE = "RLX502"


def test_the_choices_and_types_of_the_checkout_count() -> None:
    launcher = f"{TRAIN} --colour blue --only-relax x --polling 0 --layout '{{' --actor-nodes 1 2\n"
    assert messages(launcher, CODE) == []
    assert messages({**RELAX, LAUNCHER: launcher}, CODE) == [
        "--colour: 'blue' is none of red, green",
        "--only-relax: 'x' is not a whole number",
        "--polling 0 is true, as is any text but the empty one: write --polling ''",
        "--layout: '{' is not JSON",
        "--actor-nodes takes one value: 2 behind it is ignored",
    ]


@pytest.mark.parametrize("flags", ["--resource '{'", "--ref-actor-config '{'", "--kl-loss-type kl"])
def test_what_has_a_rule_of_its_own_is_said_once(flags: str) -> None:
    assert flags.split()[0] in REPORTED_BY_THEIR_OWN_RULES
    assert messages(f"{TRAIN} {flags}\n", CODE) == []


@pytest.mark.parametrize("debug", ["--debug-train-only", "--load-debug-rollout-data /d/x.pt"])
def test_nobody_reads_the_engines_flags_of_a_run_that_only_trains(debug: str) -> None:
    flags = "--sglang-tp-size two --sglang-enable-metrics false --sglang-mem-fraction-static 1 2 --rm-type nothing"
    assert len(messages(f"{TRAIN} {flags}\n", CODE)) == 4
    assert messages(f"{TRAIN} {debug} {flags}\n", CODE) == []
    assert len(messages(f"{TRAIN} {debug} --num-rollout two --sglang-tp-size two\n", CODE)) == 1


@pytest.mark.parametrize(
    ("flags", "hidden"),
    [
        ("--num-rollout ${N}", "${N}"),
        ("--lr-decay-style ${STYLE}", "${STYLE}"),
        ('--multimodal-keys "{\\"image\\": \\"$COLUMN\\"}"', "$COLUMN"),
        ('--rm-type "$RM"', "${RM}"),
        ('--rm-type nothing --custom-rm-path "$PATH_TO_RM"', "${PATH_TO_RM}"),
    ],
)
def test_a_value_that_is_not_known_and_decides_is_named(flags: str, hidden: str) -> None:
    launcher = f"{TRAIN} {flags}\n"
    assert messages(launcher, CODE) == []
    assert [because.strip("${}") for _, because in silences(launcher, CODE)] == [hidden.strip("${}")]


@pytest.mark.parametrize("flags", ["--save ${OUT}", '--hf-checkpoint "$MODEL"', "--prompt-data ${A} --colocate $X"])
def test_a_text_that_may_be_anything_is_none_of_these(flags: str) -> None:
    assert silences(f"{TRAIN} {flags}\n", CODE) == []


def test_a_word_behind_what_may_be_a_flag_is_not_judged() -> None:
    for flags in ('--lr 1e-6 "$FLAG" 8', "--colocate $FLAGS true", "--lr 1e-6 ${EXTRA[@]} 3", '"$@" 3 --colocate'):
        assert messages(f"{TRAIN} {flags}\n", CODE) == []


def test_a_flag_that_a_broken_continuation_leaves_without_its_value_is_not_blamed() -> None:
    for flags in ("--lr \\ \n    1e-6", "--colocate \\ \n    --lr 1e-6", "--lr \\\n    # why\n    1e-6"):
        assert messages(f"{TRAIN} {flags}\n", CODE) == []


@pytest.mark.parametrize("kind", ["custom-generate-function-path examples.demo.g.generate", "use-agentic-rollout"])
def test_a_reward_that_others_may_give_is_a_warning(kind: str) -> None:
    (found,) = report_on(f"{TRAIN} --rm-type nothing --{kind}\n", CODE).diagnostics
    assert found.severity.value == "warning"


def test_every_default_and_every_choice_is_taken() -> None:
    words = []
    for flag in embedded():
        for choice in flag.choices or ():
            if flag.nargs is None and flag.parser != "teacher":
                words.append(f"{flag.name}='{choice}'")
        if flag.nargs is None and flag.type in ("int", "float") and flag.default is not None:
            words.append(f"{flag.name}={flag.default}")
    assert len(words) > 600
    assert messages(f"{TRAIN} {' '.join(words)}\n", CODE) == []


def test_messages_stay_short_where_there_are_many_choices() -> None:
    (message,) = messages(f"{TRAIN} --sglang-attention-backend flashinfr\n", CODE)
    assert message.endswith("choices; did you mean flashinfer?")
    assert len(message) < 120


def test_only_choices_that_some_mode_runs_are_named() -> None:
    assert messages(f"{TRAIN} --advantage-estimator gae\n", CODE) == [
        "--advantage-estimator: 'gae' is none of grpo, gspo, sapo, cispo"
    ]
    assert messages(f"{TRAIN} --advantage-estimator ppo\n", CODE) == []


@pytest.mark.parametrize("mode", ["--colocate", "--fully-async", "--hybrid", ""])
def test_the_choices_that_are_named_are_those_that_are_not_refused(mode: str) -> None:
    flag = embedded().flag("--advantage-estimator")
    assert flag is not None
    all_of_them = list(map(str, flag.choices or ()))
    refused = {
        name
        for name in all_of_them
        for message in messages(f"{TRAIN} {mode} --advantage-estimator {name} --normalize-advantages\n", "RLX505")
        if message.endswith(("[ppo-unsupported]", "[estimator-not-registered]"))
    }
    assert set(all_of_them) - set(choices_that_run("--advantage-estimator", all_of_them)) == refused


@pytest.mark.parametrize(
    ("given", "shown"),
    [('--use-tis ""', "''"), ("--use-tis ' '", "' '"), ("--use-tis 'a b'", "'a b'"), ("--use-tis 1x", "1x")],
)
def test_a_word_that_would_not_be_seen_is_in_quotes(given: str, shown: str) -> None:
    assert messages(f"{TRAIN} {given}\n", CODE) == [f"--use-tis takes no value: {shown} is ignored"]
    assert messages(f"{TRAIN} --lr 1 {given.partition(' ')[2]}\n", CODE) == [
        f"--lr takes one value: {shown} behind it is ignored"
    ]


IN_QUOTES = ['"--seed 1"', '"--seed $S"', '"--seed ${S}"', '"--seed $((S+1))"', '"--seed ${S:-2}"', '"--seed   $S"']
IN_QUOTES += [
    '"--seed $U"',
    '"--seed ${U:-2}"',
    '"--seed ${U:=2}"',
    '"--seed $(date)"',
    '"--seed 1$U"',
    '"--seed $U$S"',
]
IN_SOME_QUOTES = [
    "--seed\\ $S",
    '"--seed "$S',
    "--seed' '$S",
    '"--seed $U --colocate"',
    '"--seed $S --lr $U"',
    '"$F $U"',
]


@pytest.mark.parametrize(
    "launcher", ["S=5\nF=--seed\n{} {} --lr 1\n", 'S=5\nF=--seed\nA=({1})\n{0} --lr 1 "${{A[@]}}"\n']
)
def test_a_flag_in_quotes_with_its_value_is_told_whether_that_is_known_or_not(launcher: str) -> None:
    for word in (*IN_QUOTES, *IN_SOME_QUOTES):
        (message,) = messages(launcher.format(TRAIN, word), CODE)
        assert message.startswith("--seed is no flag here, as '--seed "), word
        assert messages(launcher.format(TRAIN, word), "RLX501") == [], word


@pytest.mark.parametrize("word", IN_QUOTES)
def test_what_takes_the_quotes_away_gives_the_flag_its_one_value(word: str) -> None:
    text = f"S=5\n{TRAIN} {word} --lr 1\n"
    (found,) = report_on(text, CODE).diagnostics
    assert found.fix is not None
    (edit,) = found.fix.edits()
    prologue = "date() { echo 7; }; python3() { printf '%s\\0' \"${@:2}\"; }"
    mended = text[: edit.start] + edit.text + text[edit.end :]
    before, after = (printed.split("\0")[:-1] for printed in outputs([text, mended], prologue=prologue))
    assert before[1:] == after[2:]
    assert before[0].split(" ", 1) == [after[0], before[0].split(" ", 1)[1]]
    assert before[0].split(" ", 1)[1].strip(" ") == after[1]
    assert messages(mended, CODE) == []


VALUES = [
    '--system-prompt "--answer as $THIS"',
    '--save="--x $Y"',
    '--prompt-data="/d/a b $C"',
    '--wandb-group "--seed $S"',
]
VALUES += ['--apply-chat-template-kwargs \'{"a": "--seed 1"}\'', '--apply-chat-template-kwargs "{\\"--seed 1\\": $X}"']
VALUES += ['"$F --seed 1"', '"--${G} 1"', '$EXTRA "--seed $S"', '--eval-prompt-data a "--made-up $B"']


@pytest.mark.parametrize("words", VALUES)
def test_a_value_may_look_like_a_flag_in_quotes(words: str) -> None:
    launcher = f"{TRAIN} {words} --lr 1\n"
    assert messages(launcher, CODE) == messages(launcher, "RLX501") == []


def test_an_array_in_one_word_is_left_to_its_own_rule() -> None:
    launcher = f'A=(--seed "$S" --lr 1)\n{TRAIN} --colocate "${{A[*]}}"\n'
    assert messages(launcher, CODE) == messages(launcher, "RLX501") == []
    assert len(messages(launcher, "RLX421")) == 1
