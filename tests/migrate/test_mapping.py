"""The mapping of verl's settings: it covers them all, and what it names is there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from relax_lint.catalog.flags import embedded
from relax_lint.migrate.conversions import conversion_of
from relax_lint.migrate.derived import DERIVED
from relax_lint.migrate.known_keys import everywhere
from relax_lint.migrate.mapping import (
    FOLDER,
    BadMapping,
    Entry,
    all_entries,
    entries,
    entry,
    entry_in,
    plain_key,
    read,
    same,
    spelled,
)
from relax_lint.migrate.plan import Group, Modes
from relax_lint.migrate.settings import Setting, Settings
from relax_lint.migrate.values import Data
from tests.cases import for_each
from tests.migrate.plans import COMMAND, launches_of

ENTRIES = list(all_entries())
PARTS_OF_A_LAUNCH = {"main", "flavour"}


def leaves() -> Iterator[str]:
    keys = everywhere()
    parents = {key[:length] for key in keys for length in range(1, len(key))}
    yield from (".".join(key) for key in sorted(keys - parents))


def named(entry: Entry) -> str:
    return f"{entry.key} ({entry.kind})"


def with_values(values: dict[str, Data], main: str = "verl.trainer.main_ppo") -> Settings:
    found = {key: Setting(key, value, "command line") for key, value in values.items()}
    return Settings(launches_of(COMMAND)[0], main, "fsdp", "0.9.1", found)


# ---------------------------------------------------------------- the data


def test_every_setting_of_every_verl_known_has_an_entry() -> None:
    every = list(leaves())
    assert len(every) > 1000
    assert [key for key in every if entry(key) is None] == []


def test_every_flag_is_one_of_relax() -> None:
    catalogue = embedded()
    flags = {(named(found), flag) for found in ENTRIES for flag, _ in found.flags if "*" not in flag}
    assert len({flag for _, flag in flags}) > 80
    assert [pair for pair in sorted(flags) if catalogue.flag(pair[1]) is None] == []


def test_flags_named_in_sentences_are_there() -> None:
    catalogue = embedded()
    said = [(named(found), text) for found in ENTRIES for text in (found.reason, found.todo, found.advice, found.given)]
    flags = {(name, flag) for name, text in said for flag in re.findall(r"--[a-z][\w-]*", text)}
    assert [pair for pair in sorted(flags) if catalogue.flag(pair[1]) is None and not catalogue.may_know(pair[1])] == []


def test_every_conversion_group_mode_and_step_is_known() -> None:
    for found in ENTRIES:
        assert all(conversion_of(conversion) for _, conversion in found.flags)
        assert found.group in get_args(Group)
        assert found.modes in get_args(Modes)
        assert found.kind != "derived" or found.derived in DERIVED, named(found)


def test_conditions_ask_for_settings_that_there_are() -> None:
    asked = {condition.key for found in ENTRIES for part in found.when for condition in part}
    assert sorted(key for key in asked - PARTS_OF_A_LAUNCH if not entries(key)) == []


def test_what_is_derived_is_derived_in_every_launch() -> None:
    """The step of that name accounts for it, whatever else is set."""
    assert [named(found) for found in ENTRIES if found.kind == "derived" and found.when] == []


def test_each_setting_has_an_entry_that_counts_without_conditions() -> None:
    keys = {found.key for found in ENTRIES}
    assert [key for key in sorted(keys) if entries(key.removesuffix(".*") + ".x" * key.endswith(".*"))[-1].when] == []


def test_reasons_are_said_and_are_no_sentences_with_an_end() -> None:
    for found in ENTRIES:
        if found.kind in ("dropped", "no effect", "unsupported"):
            assert len(found.reason.split()) >= 3, named(found)
        for text in (found.reason, found.todo, found.advice, found.given):
            assert not text.endswith("."), text


def test_a_refusal_says_what_is_nearest() -> None:
    refusing = [found for found in ENTRIES if found.refuse]
    assert refusing
    assert all(found.kind == "unsupported" and found.todo for found in refusing)


def test_settings_on_their_own_have_one_spelling() -> None:
    names = [name for found in ENTRIES for name in found.spelled]
    several = {name for name in names if names.count(name) > 1} - {"nnodes", "n-gpus-per-node"}
    assert several == set()
    assert [found.key for name in ("n", "train-batch-size") if (found := spelled(name))] == [
        "actor_rollout_ref.rollout.n",
        "data.train_batch_size",
    ]


def test_lines_of_the_data_are_no_wider_than_code() -> None:
    wide = [
        (path.name, number)
        for path in FOLDER.glob("*.yaml")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > 120
    ]
    assert wide == []


# ---------------------------------------------------------------- looking up


def test_the_longest_key_that_fits_counts() -> None:
    options = "actor_rollout_ref.rollout.engine_kwargs"
    assert entry(f"{options}.vllm.max_logprobs") == entry(f"{options}.vllm.swap_space")
    assert entry(f"{options}.vllm.hf_overrides") != entry(f"{options}.vllm.swap_space")
    assert entry("made.up") is None
    assert entry("actor_rollout_ref.rollout") is None


def test_a_flag_is_named_after_the_setting() -> None:
    found = entry("actor_rollout_ref.rollout.engine_kwargs.sglang.chunked_prefill_size")
    assert found is not None
    assert found.flags == (("--sglang-chunked-prefill-size", "option"),)


@pytest.mark.parametrize(
    ("word", "key"),
    [
        ("data.seed=1", "data.seed"),
        ("+data.seed=1", "data.seed"),
        ("++data.seed=1", "data.seed"),
        ("~data.seed", "data.seed"),
        ("--data.seed", "data.seed"),
    ],
)
def test_signs_and_values_are_no_part_of_a_key(word: str, key: str) -> None:
    assert plain_key(word) == key


def test_one_and_true_are_not_the_same() -> None:
    assert same(0, 0.0)
    assert not same(0, False)
    assert not same(1, True)
    assert same([1, 2.0], [1.0, 2])
    assert same({}, {})
    assert not same({}, None)


def test_conditions_choose_the_entry() -> None:
    prefill = "actor_rollout_ref.rollout.enable_chunked_prefill"
    name = "actor_rollout_ref.rollout.name"
    of_vllm, of_sglang = (entry_in(with_values({name: engine}), prefill) for engine in ("vllm", "sglang"))
    assert of_vllm is not None
    assert of_vllm.kind == "flag"
    assert of_sglang is not None
    assert of_sglang.kind == "no effect"
    assert "SGLang" in of_sglang.reason


def test_the_program_that_runs_is_told_by_a_pattern() -> None:
    gvpo = "actor_rollout_ref.actor.gvpo_beta"
    own, other = (
        entry_in(with_values({}, main), gvpo) for main in ("recipe.gvpo.gvpo_main_ppo", "verl.trainer.main_ppo")
    )
    assert own is not None
    assert own.refuse
    assert other is not None
    assert other.kind == "no effect"


# ---------------------------------------------------------------- reading


def test_braces_stand_for_several_settings() -> None:
    found = read("a.{b,c}{,.d}: {dropped: it is of no use}", "x.yaml")
    assert sorted(found) == ["a.b", "a.b.d", "a.c", "a.c.d"]
    assert found["a.c"][0].key == "a.c"


def test_otherwise_is_an_entry_of_its_own() -> None:
    text = "a: {flag: --lr, when: {b: {not: [1, 2]}, main: x}, otherwise: nobody reads it}"
    first, second = read(text, "x.yaml")["a"]
    assert [(condition.key, condition.values, condition.negated) for condition in first.when[0]] == [
        ("b", (1, 2), True),
        ("main", ("x",), False),
    ]
    assert (second.kind, second.reason, second.when) == ("no effect", "nobody reads it", ())


@for_each(
    ("text", "wrong"),
    [
        ("- a", "not a mapping"),
        ("1: {dropped: it is so}", "1 is no key"),
        ("a: b", "no entry"),
        ("a: {flga: --lr}", "unknown fields flga"),
        ("a: {group: misc}", "none of"),
        ("a: {dropped: }", "dropped is no text"),
        ("a: {flag: --lr, when: {b: 1}}", "needs both of when and otherwise"),
        ("a: {flag: --lr, otherwise: so}", "needs both of when and otherwise"),
        ("a: {flag: --lr, when: {}, otherwise: so}", "no conditions"),
        ("a: {flag: --lr, when: [b], otherwise: so}", "no conditions"),
        ("{a: {dropped: it is so}, 'a{,b}': {dropped: it is so}}", "a stands there twice"),
        ("a: [", "x.yaml"),
    ],
)
def test_data_that_is_no_mapping_is_told(text: str, wrong: str) -> None:
    with pytest.raises(BadMapping, match=re.escape(wrong)):
        read(text, "x.yaml")


def test_the_files_are_part_of_the_package() -> None:
    assert Path(__file__).parents[2] / "relax_lint/catalog/verl_mapping" == FOLDER
    assert len(list(FOLDER.glob("*.yaml"))) > 10


@for_each("path", sorted(FOLDER.glob("*.yaml")), ids=lambda path: path.stem)
def test_no_key_stands_twice_in_a_file(path: Path) -> None:
    import yaml

    document = yaml.compose(path.read_text(encoding="utf-8"))
    assert isinstance(document, yaml.MappingNode)
    keys = [key.value for key, _ in document.value]
    assert len(keys) == len(set(keys))
