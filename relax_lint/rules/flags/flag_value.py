"""A flag has a value that its parser does not take, or one that nobody reads.

## What

- a value of the wrong type or outside the choices, an empty or missing one, too few;
- a flag in one pair of quotes with its value, which is no flag then but a value, or ignored;
- more values than the flag takes: those are ignored. A value behind a switch is ignored, too, whatever it says; an
  error where it says false, a warning where it says true;
- JSON that does not parse or is not what the flag wants, and JSON without quotes, which bash takes apart;
- a negative number with an exponent, which argparse takes for a flag: `--x=-1e-6` is read, `--x -1e-6` is not;
- `false` for a flag that takes any text but the empty one for true;
- an `--rm-type` that Relax has no reward for.

Only the parsers that really read the launch count: with `--debug-train-only` or `--load-debug-rollout-data` nobody
reads SGLang's flags. `--resource`, `--ref-actor-config` and `--kl-loss-type` have rules of their own (RLX412, RLX411,
RLX417).

## Why

argparse refuses such a launch before it does anything, after the cluster has started. Where it only ignores a word the
run goes on with something else than what is written: `--colocate false` colocates.

## Source

argparse of Python 3.12 and the types that Relax, Megatron and SGLang register; Relax's table of rewards.

## Example

    python3 relax/entrypoints/train.py --global-batch-size 1e3 --colocate false

## Fix

Quotes JSON, writes `--x=-1e-6`, writes a choice in its own letter case, and drops what says true behind a switch.
Unsafe: drops a switch with the word that says false, since the switch was on; takes the quotes from a flag.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from relax_lint.array_expansions import is_misspelt
from relax_lint.catalog.argparse_model import Match, Problem
from relax_lint.catalog.choices import choices_that_run
from relax_lint.catalog.flags import Flag
from relax_lint.catalog.hidden import is_hidden
from relax_lint.catalog.json_shapes import fault
from relax_lint.catalog.launches import namespace_of
from relax_lint.catalog.namespace import Namespace
from relax_lint.catalog.reward_types import BUILT_IN, is_reward_type, plain_type
from relax_lint.catalog.switches import takes_several
from relax_lint.catalog.vendors import VENDOR_CHOICES
from relax_lint.catalog.words import Group, flag_in_text, is_number
from relax_lint.constraints.spelling import REPORTED_BY_THEIR_OWN_RULES
from relax_lint.diagnostics import Edit, Finding, Fix, NotChecked, Severity
from relax_lint.fixers.flag_words import drop_inline_value, drop_word_behind, in_single_quotes, join_value, unquoted
from relax_lint.fixers.json_values import quoted_json
from relax_lint.fixers.launcher_edits import remove, replace_value
from relax_lint.invisible import invisible_in, visible
from relax_lint.project import Project
from relax_lint.rules import ERROR, WARNING, Example, rule
from relax_lint.shell.launch import Argument, Launch, Word
from relax_lint.shell.queries import is_broken_off, place_of, start_of, why_unknown

_FALSE = frozenset({"false", "f", "0", "no", "n", "off", "none"})
_MOST_CHOICES = 12
_NUMBER = re.compile(r"[-+]?[\d._]+(?:[eE][-+]?\d+)?")
"""One number is not meant by another."""
_BRACKETS = {"[": "]", "(": ")", "{": "}"}
_TRUE = frozenset({"true", "t", "1", "yes", "y", "on"})
_JUDGED_BY_CONSTRAINTS = frozenset({"--opd-teacher-routes"})
_REWARDED_ELSEWHERE = ("custom_generate_function_path", "use_agentic_rollout")
"""What may set rewards itself, so that no reward function is asked."""

_TRAIN = "python3 relax/entrypoints/train.py"

VALID: list[Example | str] = [
    f"{_TRAIN} --lr 1e-6 --num-rollout 1_000 --rollout-temperature 1 --lr-decay-style cosine --lr=-1e-6\n",
    f"{_TRAIN} --clip-grad -1 --seed ' 5 '\n",
    f"{_TRAIN} --eval-prompt-data aime /d/aime.parquet --rollout-stop '</s>' '<|end|>' --rollout-stop-token-ids 1 2\n",
    f"{_TRAIN} --freeze-params-name-list --colocate\n",
    f"{_TRAIN} --attention-backend flash --exit-signal SIGTERM --moe-layer-freq '[0]*1+[1]*47'\n",
    f"{_TRAIN} --moe-layer-freq 2 --sglang-context-length 1.5k --window-size 128,0 --rampup-batch-size 1 2 3\n",
    f'{_TRAIN} --multimodal-keys \'{{"image": "images"}}\' --apply-chat-template-kwargs "{{}}"\n',
    f'KEYS=\'{{"image": "images"}}\'\n{_TRAIN} --multimodal-keys "$KEYS" --train-env-vars=\'{{"A": "1"}}\'\n',
    f'{_TRAIN} --num-rollout "${{NUM_ROLLOUT}}" --global-batch-size $((32 * 8))\n',
    f'{_TRAIN} --colocate "${{MODEL_ARGS[@]}}" $EXTRA --use-tis "$@"\n',
    f"{_TRAIN} --colocate ${{DEBUG:+--debug-rollout-only}} --lr $LR\n",
    f"{_TRAIN} --made-up true false 3\n",
    f"{_TRAIN} --debug-train-only --sglang-mem-fraction-static high --sglang-tp-size\n",
    f"{_TRAIN} --load-debug-rollout-data /d/x.pt --sglang-enable-metrics true\n",
    f"{_TRAIN} --rm-type boxed_math --group-rm\n",
    f"{_TRAIN} --rm-type mine --custom-rm-path examples.demo.reward_demo.reward_func\n",
    f"{_TRAIN} --rm-type ${{RM:-dapo}} --reward-key score\n",
    f"{_TRAIN} --loss-type sft --rm-type whatever\n",
    Example(
        {
            "examples/demo/run_demo.sh": f"{_TRAIN} --rm-type brand_new\n",
            "relax/entrypoints/train.py": "",
            "relax/engine/rewards/__init__.py": "def execute(rm_type):\n    return rm_type == 'brand_new'\n",
        }
    ),
    f"{_TRAIN} --system-prompt 'Answer in one word' --wandb-group \"a b\" --colocate\n",
    f"{_TRAIN} --offload-train --no-offload-rollout --sglang-router-policy anything\n",
    f"{_TRAIN} --colocate trainer.nnodes=2 +trainer.x=1 ~critic.optim\n",
    f"{_TRAIN} --polling-mode True\n",
    "python3 -m verl.trainer.main_ppo --colocate true\n",
    f'ARGS=(--lr high)\necho "${{ARGS[@]}}"\n{_TRAIN} --lr 1e-6\n',
    f"{_TRAIN} --lr 1e-6 -- --num-rollout x\n",
    f"{_TRAIN} --eval-prompt-data $DATA_SETS --colocate\n",
    f"{_TRAIN} --sglang-attention-backend kunlun --lr 1e-6\n",
    f"{_TRAIN} --sglang-cuda-graph 8\n",
    f"{_TRAIN} --sglang-disable-c 1 --sglang-cuda-graph-b 1 2 4\n",
]

INVALID = [
    Example(
        f"{_TRAIN} --colocate \"--weight-decay 0.3\" '--seed 1'\n",
        findings=((1, 47),),
        fixed=f"{_TRAIN} --colocate --weight-decay 0.3 --seed 1\n",
        unsafe=True,
    ),
    Example(f'F="--lr 1e-6"\n{_TRAIN} --optimizer adam "$F"\n', findings=((1, 4),)),
    Example(f'{_TRAIN} --eval-prompt-data a b "--eval-top-p 0.7"\n', findings=((1, 59),)),
    Example(
        f"{_TRAIN} --advantage-estimator GRPO --lr-decay-style=Cosine --lr 1e-6\n",
        findings=((1, 58), (1, 63)),
        fixed=f"{_TRAIN} --advantage-estimator grpo --lr-decay-style=cosine --lr 1e-6\n",
    ),
    Example(f"{_TRAIN} --resource '{{\"actor\": [1, 8]}}' extra --lr 1e-6\n", findings=((1, 67),)),
    Example(f"{_TRAIN} --global-batch-size 1e3 --lr fast\n", findings=((1, 56), (1, 65))),
    Example(f"{_TRAIN} --lr-decay-style=cosin --attention-backend flashy\n", findings=((1, 36), (1, 79))),
    Example(
        f'ARGS=(\n    --rollout-batch-size 32x\n    --lr\n    --colocate\n)\n{_TRAIN} "${{ARGS[@]}}"\n',
        findings=((2, 26), (3, 5)),
    ),
    Example(
        f"{_TRAIN} --colocate true --lr 1e-6\n",
        findings=((1, 47, WARNING),),
        fixed=f"{_TRAIN} --colocate --lr 1e-6\n",
    ),
    Example(
        f'ARGS=(\n    --use-kl-loss False\n    --lr 1e-6\n)\n{_TRAIN} "${{ARGS[@]}}"\n',
        findings=((2, 19),),
        fixed=f'ARGS=(\n    --lr 1e-6\n)\n{_TRAIN} "${{ARGS[@]}}"\n',
        unsafe=True,
    ),
    Example(
        f"{_TRAIN} --colocate=1 --lr 1e-6\n",
        findings=((1, 36),),
        fixed=f"{_TRAIN} --colocate --lr 1e-6\n",
    ),
    Example(
        f"{_TRAIN} --use-tis=false --lr 1e-6\n",
        findings=((1, 36),),
        fixed=f"{_TRAIN} --lr 1e-6\n",
        unsafe=True,
    ),
    Example(
        f"{_TRAIN} --lr 1e-6 2e-6 --eps-clip 0.2 0.28 --colocate\n",
        findings=((1, 46), (1, 66)),
    ),
    Example(
        f"{_TRAIN} --lr -1e-6 --colocate\n",
        findings=((1, 36),),
        fixed=f"{_TRAIN} --lr=-1e-6 --colocate\n",
    ),
    Example(
        f'{_TRAIN} --multimodal-keys {{"image": "images"}} --colocate\n',
        findings=((1, 54),),
        fixed=f'{_TRAIN} --multimodal-keys \'{{"image": "images"}}\' --colocate\n',
    ),
    Example(
        f'{_TRAIN} --multimodal-keys={{"image":"images"}} --colocate\n',
        findings=((1, 36),),
        fixed=f'{_TRAIN} --multimodal-keys=\'{{"image": "images"}}\' --colocate\n',
    ),
    Example(
        f"{_TRAIN} --apply-chat-template-kwargs \"{{'enable_thinking': False}}\" --colocate\n",
        findings=((1, 65),),
        fixed=f"{_TRAIN} --apply-chat-template-kwargs '{{\"enable_thinking\": false}}' --colocate\n",
    ),
    Example(
        f"{_TRAIN} --train-env-vars '[1]' --conversation-key-map '{{\"a\": 1}}'\n",
        findings=((1, 53), (1, 82)),
    ),
    Example(
        f"{_TRAIN} --prompt-data [/d/a.parquet, /d/b.parquet] --colocate\n",
        findings=((1, 65),),
        fixed=f"{_TRAIN} --prompt-data '[/d/a.parquet, /d/b.parquet]' --colocate\n",
    ),
    Example(f"{_TRAIN} --polling-mode False --rampup-batch-size 1 2\n", findings=((1, 51), (1, 57))),
    Example(f"{_TRAIN} --rm-type dapoo --reward-key score\n", findings=((1, 46),)),
    Example(f"{_TRAIN} --rm-type=boxed_maths\n", findings=((1, 36),)),
    Example(f"{_TRAIN} sync --lr 1e-6\n", findings=((1, 36, WARNING),)),
    Example(
        f'run() {{\n    {_TRAIN} --lr 1e-6 "$@"\n}}\nrun --num-rollout ten\nrun --num-rollout 10\n',
        findings=((4, 19),),
    ),
    Example(
        {
            "examples/demo/run_demo.sh": 'source "$(dirname "$0")/common.sh"\n'
            f'if [ "$1" = async ]; then\n    {_TRAIN} "${{COMMON[@]}}" --fully-async\nelse\n'
            f'    {_TRAIN} "${{COMMON[@]}}" --colocate\nfi\n',
            "examples/demo/common.sh": "COMMON=(\n    --n-samples-per-prompt 8.0\n)\n",
        },
        findings=(("examples/demo/common.sh", 2, 28),),
    ),
    Example(
        f"N=${{N:-eight}}\n{_TRAIN} --n-samples-per-prompt ${{N}} --sglang-mem-frac 0,8\n",
        findings=((2, 59), (2, 82)),
    ),
    Example(
        {"scripts/training/text/run-qwen3-4B.sh": f"{_TRAIN} --train-backend fsdp --lr=\n"},
        findings=(
            ("scripts/training/text/run-qwen3-4B.sh", 1, 52),
            ("scripts/training/text/run-qwen3-4B.sh", 1, 57),
        ),
    ),
    Example(
        f"{_TRAIN} --debug-train-only true --sglang-tp-size two\n",
        findings=((1, 55, WARNING),),
        fixed=f"{_TRAIN} --debug-train-only --sglang-tp-size two\n",
    ),
    Example(f"{_TRAIN} --moe-layer-freq [0]*1+x --system-prompt You are\n", findings=((1, 53), (1, 81))),
]


@rule("RLX502", "flag-value", ERROR, on="launch", everywhere=True, valid=VALID, invalid=INVALID, fixable="safe")
def flag_value(launch: Launch, project: Project) -> Iterator[Finding | NotChecked]:
    """Say which values are refused or ignored."""
    if launch.kind != "relax":
        return
    namespace = namespace_of(launch, project)
    refused: set[int] = set()
    for problem in namespace.problems:
        if problem.at not in refused and problem.kind in ("missing-value", "unwanted-value", "bad-value"):
            refused.add(problem.at)
            if problem.option not in REPORTED_BY_THEIR_OWN_RULES and not _is_excused(problem):
                yield _refused(problem, namespace)
    for group in namespace.groups:
        if group.at not in refused and group.strays:
            yield from _ignored(group, namespace)
    for parsed in namespace.parsed.values():
        for match in parsed.matches:
            if match.at not in refused and match.option not in REPORTED_BY_THEIR_OWN_RULES:
                yield from _judged(match, namespace)
    yield from _reward_type(namespace, project)


# ------------------------------------------------------------ refused by argparse


def _is_excused(problem: Problem) -> bool:
    word = problem.word
    vendors = word.text in VENDOR_CHOICES.get(problem.option, ())
    return problem.kind == "bad-value" and (vendors or _is_a_broken_continuation(word))


def _is_a_broken_continuation(word: Word) -> bool:
    """Whether a word is a backslash with a blank behind it, which RLX422 reports."""
    place = word.place
    return place is not None and not word.text.strip() and place.source.text.startswith("\\", place.start)


def _refused(problem: Problem, namespace: Namespace) -> Finding | NotChecked:
    launch, flag, option = namespace.launch, namespace.words[problem.at], problem.option
    behind = namespace.words[problem.at + 1 : problem.at + 2]
    if problem.kind == "unwanted-value":
        return _switch_with_value(option, flag, launch)
    if problem.kind == "missing-value":
        if not behind and is_broken_off(launch):
            return NotChecked(start_of(launch), "a broken continuation")
        if behind and is_number(behind[0].text):
            number = behind[0]
            message = f"argparse takes {number.text} for a flag, so {option} has no value: write {option}={number.text}"
            edit = join_value(flag, number)
            return _finding(launch, flag, option, message, _fix(f"write {option}={number.text}", edit))
        return _finding(launch, flag, option, f"{option} {problem.message}: the launch is refused")
    return _bad_value(problem, namespace)


def _bad_value(problem: Problem, namespace: Namespace) -> Finding:
    launch, flag, option, word = namespace.launch, namespace.words[problem.at], problem.option, problem.word
    known = namespace.parsers.catalogue.flag(option)
    choices = choices_that_run(option, known.choices or ()) if known is not None else []
    argument = _argument(flag, launch)
    if choices:
        message = f"{option}: {word.text!r} is {_none_of(choices, word.text)}"
        cased = [choice for choice in choices if choice.lower() == word.text.lower()]
        edit = replace_value(argument, cased[0]) if argument is not None and len(cased) == 1 else None
        return _finding(launch, word, option, message, _fix(f"write {''.join(cased)}", edit), also=flag)
    if known is None or known.type != "json" or argument is None:
        return _finding(launch, word, option, f"{option}: {problem.message}", also=flag)
    message = f"{option}: {problem.message}"
    if len(argument.own_values) > 1:
        message = f"{option} takes one word of JSON, which bash splits into {len(argument.own_values)} here: quote it"
    fix = _fix("write it as JSON in single quotes", quoted_json(argument))
    return _finding(launch, word, option, message, fix, also=flag)


def _none_of(choices: Sequence[str], text: str) -> str:
    """The choices, where they are not too many, and the nearest of them."""
    from difflib import get_close_matches

    shown = f"none of {', '.join(choices)}" if len(choices) <= _MOST_CHOICES else f"none of its {len(choices)} choices"
    near = [choice for choice in choices if choice.lower() == text.lower()]
    near = near or ([] if _NUMBER.fullmatch(text) else get_close_matches(text, choices, n=1))
    return f"{shown}; did you mean {near[0]}?" if near else shown


def _switch_with_value(option: str, flag: Word, launch: Launch) -> Finding:
    value = flag.text.partition("=")[2]
    message = f"{option} takes no value, so {flag.text} is refused"
    if value.lower() in _TRUE:
        return _finding(launch, flag, option, message, _fix(f"write {option}", drop_inline_value(flag)))
    if value.lower() not in _FALSE:
        return _finding(launch, flag, option, message)
    argument = _argument(flag, launch)
    edit = None if argument is None else remove(argument)
    return _finding(
        launch,
        flag,
        option,
        f"{message}: leave it out",
        _fix(f"drop {option}", edit, "by what it says, the flag is meant to be off"),
    )


# ------------------------------------------------------------ ignored by argparse


def _ignored(group: Group, namespace: Namespace) -> Iterator[Finding]:
    launch, stray = namespace.launch, group.strays[0]
    if _is_override(stray.text) or _is_a_broken_continuation(stray):
        return
    if flag_in_text(stray) is not None:
        if not is_misspelt(stray.place):
            yield _in_quotes(stray, launch, "is ignored")
        return
    if group.word is None:
        message = f"{_shown(stray)} in front of the flags is ignored: Relax takes flags only"
        yield _finding(launch, stray, stray.text, message, severity=WARNING)
        return
    if not any(flag.parser in namespace.parsed for flag in group.flags):
        return
    if group.abbreviated and len({flag.dest for flag in group.flags}) > 1:
        return  # which of them takes the words is not known; RLX504 says so
    if group.flags[0].is_switch:
        yield _behind_a_switch(group, namespace)
        return
    argument = _argument(group.word, launch)
    if argument is not None and argument.values and _is_cut_off(argument.values[0].text):
        count = len(argument.own_values)
        message = f"{group.name} takes one value, which bash splits into {count} words here: quote it"
        edit = in_single_quotes(group.word, argument.values[0], argument.own_values[-1])
        yield _finding(launch, stray, group.name, message, _fix("quote it", edit))
        return
    more = len(group.strays) - 1
    ignored = f"{_shown(stray)} and {more} more behind it are" if more else f"{_shown(stray)} behind it is"
    wanted = group.flags[0].nargs if isinstance(group.flags[0].nargs, int) else "one"
    message = f"{group.name} takes {wanted} value{'s' if wanted not in ('one', 1) else ''}: {ignored} ignored"
    yield _finding(launch, stray, group.name, message)


def _in_quotes(word: Word, launch: Launch, what: str) -> Finding:
    """A flag with its value as one word."""
    flag = flag_in_text(word) or word.text
    edit = unquoted(word)
    meant = word.text if edit is None else edit.text
    message = f"{flag} is no flag here, as {_shown(word)} is one word in quotes, which {what}: write {meant}"
    title = "quote the value alone" if '"' in meant else "take the quotes away"
    fix = _fix(title, edit, f"{flag} was no flag until now")
    return _finding(launch, word, flag, message, fix)


def _is_cut_off(text: str) -> bool:
    """Whether a bracket is opened and not closed."""
    close = _BRACKETS.get(text[:1])
    return close is not None and not text.endswith(close)


def _behind_a_switch(group: Group, namespace: Namespace) -> Finding:
    launch, stray, word = namespace.launch, group.strays[0], group.word
    assert word is not None
    says = stray.text.lower()
    if says in _FALSE:
        argument = Argument(group.name, (stray,), word)
        message = f"{group.name} takes no value: {_shown(stray)} is ignored and the flag is on; leave it out"
        fix = _fix(f"drop {group.name} {stray.text}", remove(argument), "the flag was on")
        return _finding(launch, stray, group.name, message, fix)
    message = f"{group.name} takes no value: {_shown(stray)} is ignored"
    fix = _fix(f"drop {stray.text}", drop_word_behind(word, stray)) if says in _TRUE else None
    return _finding(launch, stray, group.name, message, fix, WARNING)


def _shown(word: Word) -> str:
    """A word as a message names it: in quotes where it would not be seen, or not as one."""
    if (unseen := invisible_in(word.text)) is not None and not visible(word.text):
        return f"a {unseen}"
    return word.text if word.text and not any(map(str.isspace, word.text)) else f"'{word.text}'"


def _is_override(text: str) -> bool:
    """Whether RLX402 reports a word."""
    return text.startswith(("+", "~")) or ("." in text.partition("=")[0] and "=" in text)


# ------------------------------------------------------------ taken by argparse


def _judged(match: Match, namespace: Namespace) -> Iterator[Finding | NotChecked]:
    flag, launch = match.flag, namespace.launch
    if flag.is_switch:
        return
    for word in match.values:
        named = flag_in_text(word) if takes_several(match.option) and not is_misspelt(word.place) else None
        if named is not None and namespace.parsers.named(named)[0]:
            yield _in_quotes(word, launch, f"{match.option} takes for a value")
        elif not word.known:
            if _decides(flag):
                yield NotChecked(place_of(launch, word if word.place else match.word), why_unknown(word))
        elif flag.type == "bool-text" and word.text.lower() in _FALSE:
            message = f"{match.option} {word.text} is true, as is any text but the empty one: write {match.option} ''"
            yield _finding(launch, word, match.option, message, also=match.word)
        elif flag.json_shape is not None and flag.name not in _JUDGED_BY_CONSTRAINTS:
            yield from _misshapen(match, word, namespace)


def _decides(flag: Flag) -> bool:
    """Whether a flag does not take every text."""
    return flag.choices is not None or flag.json_shape is not None or flag.type not in ("str", "nullable_str", None)


def _misshapen(match: Match, word: Word, namespace: Namespace) -> Iterator[Finding]:
    launch, option = namespace.launch, match.option
    if not word.text.strip():
        return
    try:
        problem = fault(match.flag.json_shape or "", json.loads(word.text))
    except ValueError as error:
        argument = _argument(match.word, launch)
        fix = None if argument is None else _fix("write it as JSON in single quotes", quoted_json(argument))
        yield _finding(launch, word, option, f"{option} is not JSON: {error}", fix, also=match.word)
        return
    if problem is not None:
        yield _finding(launch, word, option, f"{option}: {problem}", also=match.word)


def _reward_type(namespace: Namespace, project: Project) -> Iterator[Finding | NotChecked]:
    """A reward that Relax has not; it would be asked for at the first sample."""
    launch, argument = namespace.launch, namespace.argument("rm_type")
    if argument is None or launch.mode == "sft" or namespace.skips_engines:
        return
    value, custom = namespace.value("rm_type"), namespace.value("custom_rm_path")
    if not is_hidden(value) and (not value.strip() or is_reward_type(value, project)):
        return
    for hidden in (value, custom):
        if is_hidden(hidden):
            because = why_unknown(hidden.words[0]) if hidden.words else argument.flag
            yield NotChecked(place_of(launch, argument.word), because)
            return
    if custom is not None:
        return
    from difflib import get_close_matches

    near = get_close_matches(plain_type(value), BUILT_IN, n=1)
    known = f"did you mean {near[0]}?" if near else f"it has {', '.join(sorted(BUILT_IN))}"
    elsewhere = any(namespace.value(dest) for dest in _REWARDED_ELSEWHERE if not is_hidden(namespace.value(dest)))
    message = f"Relax has no reward {plain_type(value)!r}; {known}"
    yield _finding(
        launch, argument.values[0], "--rm-type", message, also=argument.word, severity=WARNING if elsewhere else ERROR
    )


# ------------------------------------------------------------ parts


def _argument(flag: Word, launch: Launch) -> Argument | None:
    """A flag with all the words behind it."""
    return next((argument for argument in launch.arguments if argument.word is flag), None)


def _fix(title: str, edit: Edit | None, reason: str | None = None) -> Fix | None:
    return None if edit is None else Fix(title, lambda: [edit], safe=reason is None, reason=reason)


def _finding(
    launch: Launch,
    word: Word,
    option: str,
    message: str,
    fix: Fix | None = None,
    severity: Severity = ERROR,
    also: Word | None = None,
) -> Finding:
    """At the word, or at its flag where the word was computed."""
    at = also if word.place is None and also is not None else word
    return Finding(place_of(launch, at), message, severity=severity, fix=fix, launch=launch, subject=option)
