"""From values of verl's to words of flags."""

from __future__ import annotations

import pytest

from relax_lint.migrate.conversions import CONVERSIONS, Unsuitable, Words, conversion_of, text_of
from relax_lint.migrate.values import Data
from tests.cases import for_each
from tests.migrate.plans import template


@for_each(
    ("name", "value", "words"),
    [
        ("pass", 3, ("3",)),
        ("pass", "x y", ("x y",)),
        ("pass", None, None),
        ("pass", 1e-06, ("1e-6",)),
        ("switch", True, ()),
        ("switch", 1, ()),
        ("switch", False, None),
        ("switch", None, None),
        ("switched off", False, ()),
        ("switched off", None, ()),
        ("switched off", True, None),
        ("positive", 5, ("5",)),
        ("positive", -1, None),
        ("positive", 0, None),
        ("positive", None, None),
        ("first", [0.9, 0.95], ("0.9",)),
        ("second", [0.9, 0.95], ("0.95",)),
        ("MiB to bytes", 512, ("536870912",)),
        ("MiB to bytes", None, None),
        ("seconds to minutes", 600, ("10",)),
        ("seconds to minutes", 601, ("11",)),
        ("seconds to minutes", 1, ("1",)),
        ("words", [1, 2], ("1", "2")),
        ("words", [], None),
        ("words", "a", ("a",)),
        ("json", {"a": True}, ('{"a": true}',)),
        ("json", {}, None),
        ("option", True, ()),
        ("option", False, None),
        ("option", [1, 2], ("1", "2")),
        ("option", {"a": 1}, ('{"a": 1}',)),
        ("half", "bfloat16", None),
        ("half", "bf16", None),
        ("half", "float16", ()),
        ("adam", "AdamW", ("adam",)),
        ("adam", "adam", ("adam",)),
        ("adam", "Muon", ("muon",)),
        ("KL estimate", "kl", ("k1",)),
        ("KL estimate", "mse", ("k2",)),
        ("KL estimate", "low_var_kl", ("low_var_kl",)),
        ("token weights", "token", ()),
        ("token weights", None, None),
        ("images", 2, ('{"image": 2}',)),
        ("positions", 32768, ('{"max_position_embeddings": 32768}',)),
        ("full if true", True, ("full",)),
        ("full if true", False, None),
        ("-1 unless true", False, ("-1",)),
        ("-1 unless true", True, None),
        ("on if R3", "R3", ()),
        ("on if R3", "R2", None),
    ],
)
def test_conversions(name: str, value: Data, words: Words) -> None:
    assert conversion_of(name).words(value) == words


@for_each(
    ("name", "value", "said"),
    [
        ("switch", "maybe", "neither true nor false"),
        ("first", [1, 2, 3], "no pair"),
        ("positive", "often", "no number"),
        ("positive", True, "no number"),
        ("MiB to bytes", [1], "no number"),
        ("half", "float32", "bfloat16 or float16"),
        ("adam", 1, "no optimizer"),
        ("KL estimate", "full", "estimate KL as full"),
        ("KL estimate", "abs", "estimate KL as abs"),
        ("token weights", "sequence", "each token by itself"),
    ],
)
def test_what_cannot_be_said_is_told(name: str, value: Data, said: str) -> None:
    with pytest.raises(Unsuitable) as error:
        conversion_of(name).words(value)
    assert said in error.value.reason


def test_shell_text_passes_through_what_carries_it() -> None:
    text = template("$HOME/x")
    carried = {name for name, conversion in CONVERSIONS.items() if conversion.carries}
    assert carried == {"pass", "words", "option"}
    assert {conversion_of(name).words(text) for name in carried} == {(text,)}
    assert conversion_of("words").words([1, text]) == ("1", text)


def test_an_unknown_conversion_is_a_fault() -> None:
    with pytest.raises(KeyError):
        conversion_of("made up")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1e-06, "1e-6"),
        (2.5e-07, "2.5e-7"),
        (1e20, "1e+20"),
        (0.001, "0.001"),
        (10, "10"),
        (True, "true"),
        (None, "null"),
        ([1, "a"], '[1, "a"]'),
        ([template("${A}")], '["${A}"]'),
    ],
)
def test_values_as_text(value: Data, text: str) -> None:
    assert text_of(value) == text
