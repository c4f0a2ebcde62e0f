"""What the embedded catalogue says, of flags that recipes use."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from relax_lint.catalog.flags import DATA, Catalogue, document, embedded
from relax_lint.catalog.module_paths import MODULE_PATH_FLAGS, PACKAGE_FLAGS, SPEC_FLAG
from relax_lint.catalog.relax_defaults import DEBUG_FLAGS


@pytest.fixture(scope="module")
def flags() -> Catalogue:
    return embedded()


def test_a_flag_is_found_by_any_of_its_names_and_with_its_value(flags: Catalogue) -> None:
    for word in ("--save-interval", "--persistent-save-interval", "--save-interval=5"):
        flag = flags.flag(word)
        assert flag is not None
        assert (flag.name, flag.type, flag.dest) == ("--save-interval", "int", "save_interval")


@pytest.mark.parametrize(
    ("word", "owner", "parser"),
    [
        ("--resource", "relax", "main"),
        ("--tensor-model-parallel-size", "megatron", "main"),
        ("--sglang-mem-fraction-static", "sglang", "sglang"),
        ("--sglang-router-policy", "relax", "sglang"),
        ("--sglang-router-prefill-policy", "router", "sglang"),
        ("--router-policy", "router", "main"),
        ("--teacher-sglang-context-length", "teacher", "teacher"),
        ("--debug-train-only", "pre", "pre"),
        ("--genrm-engine-config", "relax", "main"),
        ("--use-tis", "relax", "main"),
    ],
)
def test_who_owns_and_who_reads_a_flag(flags: Catalogue, word: str, owner: str, parser: str) -> None:
    flag = flags.flag(word)
    assert flag is not None
    assert (flag.owner, flag.parser) == (owner, parser)


def test_a_switch_takes_no_value(flags: Catalogue) -> None:
    for word in ("--colocate", "--no-rope-fusion", "--sglang-enable-lora", "--normalize-bbox"):
        flag = flags.flag(word)
        assert flag is not None
        assert flag.is_switch, word
    lr = flags.flag("--lr")
    assert lr is not None
    assert not lr.is_switch


def test_the_main_parser_comes_before_the_one_that_computes_a_default(flags: Catalogue) -> None:
    assert [flag.parser for flag in flags.flags("--rollout-num-gpus-per-engine")] == ["main", "sglang-tp"]
    assert [flag.parser for flag in flags.flags("--sglang-pp-size")] == ["sglang", "sglang-tp"]


def test_policies_of_the_router_that_the_image_installs_are_choices(flags: Catalogue) -> None:
    flag = flags.flag("--router-policy")
    assert flag is not None
    assert flag.choices is not None
    assert {"round_robin", "consistent_hashing"} <= set(flag.choices)


def test_an_enum_flag_takes_the_names_of_its_members(flags: Catalogue) -> None:
    flag = flags.flag("--attention-backend")
    assert flag is not None
    assert (flag.type, flag.choices, flag.default) == ("enum", ("flash", "fused", "unfused", "local", "auto"), "auto")


def test_unique_and_ambiguous_abbreviations_where_parsers_take_them(flags: Catalogue) -> None:
    assert [flag.name for flag in flags.abbreviated("--sglang-mem-frac=0.7")] == ["--sglang-mem-fraction-static"]
    ambiguous = flags.abbreviated("--sglang-disable")
    assert len(ambiguous) > 1
    assert {flag.parser for flag in ambiguous} == {"sglang"}
    assert [flag.parser for flag in flags.abbreviated("--rollout-num-gpus")] == ["sglang-tp"]


@pytest.mark.parametrize("word", ["--rollout-batch", "--debug-train", "--sglang-mem-fraction-static", "-", "--", "lr"])
def test_other_parsers_take_none(flags: Catalogue, word: str) -> None:
    assert flags.abbreviated(word) == ()


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("--rollout_batch_size", "--rollout-batch-size"),
        ("--rollout-batchsize", "--rollout-batch-size"),
        ("--size-batch-rollout", "--rollout-batch-size"),
        ("--n-sample-per-prompt=4", "--n-samples-per-prompt"),
        ("-lr", "--lr"),
        ("--Advantage-Estimator", "--advantage-estimator"),
    ],
)
def test_what_a_mistyped_flag_may_be_meant_to_be(flags: Catalogue, word: str, meant: str) -> None:
    assert flags.flag(word) is None
    assert flags.near(word)[0] == meant


def test_nothing_is_near_a_word_unlike_any_flag(flags: Catalogue) -> None:
    assert flags.near("--zzzzqqqq") == []


def test_flags_that_only_an_older_patch_had(flags: Catalogue) -> None:
    assert flags.flag("--use-gated-attention") is None
    assert flags.earlier("--use-gated-attention") == "Relax's megatron patch 20251218-3714d81d"
    assert flags.earlier("--sglang-disable-draft-cuda-graph") == "Relax's sglang patch v0.5.9"
    assert flags.earlier("--lr") is None


def test_flags_of_a_server_that_relax_sets_itself(flags: Catalogue) -> None:
    assert flags.left_out("--sglang-model-path")
    assert flags.left_out("--sglang-router-host=x")
    assert not flags.left_out("--sglang-context-length")


def test_the_defaults_are_the_namespace_of_an_empty_launch(flags: Catalogue) -> None:
    defaults = flags.defaults
    assert defaults["lr"] == 1e-6
    assert defaults["micro_batch_size"] == 1
    assert defaults["train_env_vars"] == {}
    assert defaults["hidden_size"] is None
    assert defaults["bf16"] is False
    assert "teacher_sglang_context_length" not in defaults
    assert "help" not in defaults
    assert set(defaults) == {dest for dest in flags.dests if dest in defaults}
    assert len(defaults) > 1_400


def test_sglang_writes_over_what_the_main_parser_set(flags: Catalogue) -> None:
    assert {flag.parser: flag.default for flag in flags.by_dest("router_balance_abs_threshold")} == {
        "main": 64,
        "sglang": 10,
    }
    assert flags.defaults["router_balance_abs_threshold"] == 10


def test_every_flag_that_takes_json_says_of_what_shape(flags: Catalogue) -> None:
    assert [flag.name for flag in flags if flag.type == "json" and flag.json_shape is None] == []
    resource = flags.flag("--resource")
    assert resource is not None
    assert resource.json_shape == "object of role: [1, gpus]"


def test_deprecated_flags_and_values_say_what_to_use(flags: Catalogue) -> None:
    gone, loss = flags.flag("--sglang-hybrid-kvcache-ratio"), flags.flag("--loss-type")
    assert gone is not None
    assert loss is not None
    assert gone.action == "ignored"
    assert gone.deprecated == "use --sglang-swa-full-tokens-ratio"
    assert loss.deprecated_values["sft-loss"] == "sft"


def test_a_replacement_is_a_flag(flags: Catalogue) -> None:
    for flag in flags:
        if flag.deprecated is not None and "--" in flag.deprecated:
            assert flags.flag(flag.deprecated.split()[1]) is not None, flag


def test_values_that_a_flag_takes_agree_with_its_default(flags: Catalogue) -> None:
    for flag in flags:
        values = flag.default if isinstance(flag.default, list) else [flag.default]
        if flag.choices is not None and flag.default is not None:
            assert set(values) <= set(flag.choices), flag
        if flag.type == "int":
            assert all(value is None or isinstance(value, int) for value in values), flag


def test_the_launcher_rules_small_tables_agree(flags: Catalogue) -> None:
    for name in (*MODULE_PATH_FLAGS, *PACKAGE_FLAGS, SPEC_FLAG, *DEBUG_FLAGS):
        assert flags.flag(name) is not None, name


def test_the_data_is_what_the_document_of_its_rows_is() -> None:
    data = json.loads(DATA.read_text(encoding="utf-8"))
    rows = data.pop("flags")
    assert document(data, rows) == DATA.read_text(encoding="utf-8")
    assert len(rows) > 2_000


def test_asking_for_a_flag_imports_nothing_heavy() -> None:
    code = (
        "import sys; from relax_lint.catalog.flags import embedded; embedded().flag('--lr');"
        "print([name for name in ('difflib', 'hashlib', 'ast', 'dataclasses', 'typing_extensions')"
        " if name in sys.modules], [name for name in sys.modules if 'catalog.reading' in name])"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True, cwd=DATA.parents[2]
    )
    assert done.stdout == "[] []\n"
