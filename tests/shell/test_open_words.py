"""Which words of a launch could hold a flag that is not written in it."""

from __future__ import annotations

import pytest

from relax_lint.shell.queries import open_word
from tests.cases import for_each
from tests.shell.worlds import launches

KEY = "--reward-key"
ORIGINS = [
    "$(cat flags.txt)",
    "`cat flags.txt`",
    "$(tr a b < flags.txt)",
    "$(python3 flags.py)",
    "$(for f in a b; do cat $f; done)",
    "$EXTRA",
    "$A$B",
    "$(cat a)-$(cat b)",
    "x$EXTRA",
    '"$WORD"',
    '"$A$B"',
    '"$(cat word.txt)"',
    "${X:+--lr 1e-6 --reward-key score}",
]
HARMLESS = [
    '"x$EXTRA"',
    "${X:+--lr 1e-6}",
    "${X:+--lr 1e-6 }${Y:+--colocate}",
    '"${MODEL_ARGS[@]}"',
    "--load=$CKPT",
    "--lr-$X",
]


@for_each("before", ["", "--lr 1e-6", "--colocate", "--use-anything-new", "--sglang-disable-cuda-graph"])
@for_each("word", ORIGINS)
def test_an_unknown_word_of_any_origin_that_is_no_value(word: str, before: str) -> None:
    (launch,) = [one for one in launches(f"python3 relax/entrypoints/train.py {before} {word}") if one.kind == "relax"]
    assert launch.may_have(KEY)
    assert open_word(launch, KEY) != "an unknown word"


@for_each("before", ["--lr 1e-6", "--colocate"])
@for_each("word", HARMLESS)
def test_a_word_that_is_known_well_enough(word: str, before: str) -> None:
    (launch,) = launches(f"python3 relax/entrypoints/train.py {before} {word}")
    assert not launch.may_have(KEY)


@pytest.mark.parametrize(
    "words", ["--load $CKPT", "--load $(latest a)", "--prompt-data $A$B", "--eval-prompt-data a $FILE", "--lr ${LR}e-6"]
)
def test_the_value_of_a_flag_is_no_other_flag(words: str) -> None:
    (launch,) = launches(f"python3 relax/entrypoints/train.py {words} --colocate")
    assert not launch.may_have(KEY)


@pytest.mark.parametrize("word", ["$EXTRA_ARGS", '"$@"', '"${FLAGS[@]}"', f"${{X:+{KEY} score}}"])
def test_what_is_named_after_flags_is_no_value(word: str) -> None:
    (launch,) = launches(f"python3 relax/entrypoints/train.py --anything {word}")
    assert launch.may_have(KEY)


def test_the_word_that_is_named_is_the_one_that_could_hold_the_flag() -> None:
    (launch,) = launches("python3 relax/entrypoints/train.py --load $CKPT --colocate $(cat flags.txt)")
    assert open_word(launch, "--load", KEY) == "$(cat flags.txt)"
