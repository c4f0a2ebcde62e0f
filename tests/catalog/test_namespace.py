"""What argparse makes of a launch."""

from __future__ import annotations

import pytest

from relax_lint.catalog.hidden import Hidden, is_hidden
from relax_lint.catalog.namespace import Namespace
from tests.cases import for_each
from tests.constraints.launches import namespace_of


def problems(flags: str) -> list[tuple[str, str, str]]:
    return [(one.parser, one.kind, one.option) for one in namespace_of(flags).problems]


def hiding(value: object) -> list[str]:
    assert is_hidden(value)
    return [word.text for word in value.words]


@for_each(
    ("flags", "dest", "value"),
    [
        ("--lr 1e-5", "lr", 1e-5),
        ("--lr=1e-5", "lr", 1e-5),
        ("--lr=-1e-6", "lr", -1e-6),
        ("--lr -1", "lr", -1.0),
        ("--num-rollout 1_000", "num_rollout", 1000),
        ("--num-rollout ' 5 '", "num_rollout", 5),
        ("--num-rollout 1 --num-rollout 2", "num_rollout", 2),
        ("--colocate", "colocate", True),
        ("", "colocate", False),
        ("--no-rope-fusion", "apply_rope_fusion", False),
        ("", "apply_rope_fusion", True),
        ("--no-offload-train", "offload_train", False),
        ("--offload-train --no-offload-train", "offload_train", False),
        ("", "offload_train", None),
        ("--eval-prompt-data a b c", "eval_prompt_data", ["a", "b", "c"]),
        ("--freeze-params-name-list", "freeze_params_name_list", []),
        ("--eval-prompt-data a -1 '-x y'", "eval_prompt_data", ["a", "-1", "-x y"]),
        ("--polling-mode False", "polling_mode", True),
        ("--polling-mode ''", "polling_mode", False),
        ("--moe-layer-freq '([0]*1+[1]*2)*2'", "moe_layer_freq", [0, 1, 1, 0, 1, 1]),
        ("--moe-layer-freq 2", "moe_layer_freq", 2),
        ("--window-size 128,0", "window_size", (128, 0)),
        ("--sglang-context-length 1.5k", "sglang_context_length", 1500),
        ("--sglang-context-length 2Ki", "sglang_context_length", 2048),
        ("--attention-backend flash", "attention_backend", "flash"),
        ("""--resource '{"actor": [1, 8]}'""", "resource", {"actor": [1, 8]}),
        ("--rollout-batch 8", "rollout_batch_size", None),
        ("--sglang-mem-frac 0.7", "sglang_mem_fraction_static", 0.7),
        ("--sglang-mem-frac=0.7", "sglang_mem_fraction_static", 0.7),
        ("-- --colocate", "colocate", False),
        ("--lr 1e-5 -- --lr 2e-5", "lr", 1e-5),
        ("word --colocate @file", "colocate", True),
    ],
)
def test_values(flags: str, dest: str, value: object) -> None:
    namespace = namespace_of(flags)
    assert namespace.problems == []
    assert namespace.value(dest) == value


@for_each(
    ("flags", "problem"),
    [
        ("--num-rollout 1.5", ("main", "bad-value", "--num-rollout")),
        ("--num-rollout x --num-rollout 2", ("main", "bad-value", "--num-rollout")),
        ("--num-rollout", ("main", "missing-value", "--num-rollout")),
        ("--num-rollout --colocate", ("main", "missing-value", "--num-rollout")),
        ("--num-rollout -- 5", ("main", "missing-value", "--num-rollout")),
        ("--lr -1e-6", ("main", "missing-value", "--lr")),
        ("--eval-prompt-data --colocate", ("main", "missing-value", "--eval-prompt-data")),
        ("--colocate=1", ("main", "unwanted-value", "--colocate")),
        ("--kl-loss-type kl", ("main", "bad-value", "--kl-loss-type")),
        ("--resource '{actor: 8}'", ("main", "bad-value", "--resource")),
        ("--rampup-batch-size 1 2", ("main", "missing-value", "--rampup-batch-size")),
        ("--attention-backend fast", ("main", "bad-value", "--attention-backend")),
        ("--train-backend fsdp", ("pre", "bad-value", "--train-backend")),
        ("--sglang-disable x", ("sglang", "ambiguous", "--sglang-disable")),
        ("--sglang-mem-fraction-static x", ("sglang", "bad-value", "--sglang-mem-fraction-static")),
        ("--teacher-sglang-tensor-parallel-size x", ("teacher", "bad-value", "--teacher-sglang-tensor-parallel-size")),
        ("${F:---help}", ("main", "help", "--help")),
    ],
)
def test_what_stops_a_parser(flags: str, problem: tuple[str, str, str]) -> None:
    assert problem in problems(flags)


def test_an_unknown_member_of_an_enum_is_a_crash() -> None:
    assert [one.crash for one in namespace_of("--attention-backend fast").problems] == [True]


def test_the_first_problem_is_of_the_parser_that_runs_first() -> None:
    found = problems("--num-rollout x --sglang-mem-fraction-static x --train-backend fsdp")
    assert [parser for parser, _, _ in found] == ["pre", "sglang", "main"]


def test_engines_are_not_parsed_when_only_training() -> None:
    assert problems("--debug-train-only --sglang-mem-fraction-static x --teacher-sglang-dtype x") == []
    assert problems("--load-debug-rollout-data a.pt --sglang-disable x") == []


def test_a_short_form_of_another_flag_is_read_by_the_parser_of_the_engine_size() -> None:
    """``--rollout-num-gpus x`` begins ``--rollout-num-gpus-per-engine``."""
    assert ("sglang-tp", "bad-value", "--rollout-num-gpus-per-engine") in problems("--rollout-num-gpus x")


def test_the_parser_of_the_engines_writes_last() -> None:
    namespace = namespace_of("--router-cache-threshold 0.1")
    assert namespace.value("router_cache_threshold") != 0.1
    assert namespace.shadowed("main", "sglang") == ["--router-cache-threshold"]
    assert namespace_of("--router-cache-threshold 0.1 --debug-train-only").value("router_cache_threshold") == 0.1


def test_given() -> None:
    namespace = namespace_of("--no-offload-train --sglang-mem-frac 0.7")
    assert namespace.given("--no-offload-train") is True
    assert namespace.given("--offload-train") is False
    assert namespace.given("--sglang-mem-fraction-static") is True
    assert namespace.given("--lr") is False


def test_the_argument_that_counts() -> None:
    argument = namespace_of("--lr 1 --lr 2").argument("lr")
    assert argument is not None
    assert argument.value == "2"
    assert namespace_of("").argument("lr") is None


def test_an_unknown_value_is_hidden_with_its_word() -> None:
    namespace = namespace_of('--num-rollout "$STEPS" --lr 1e-6')
    assert hiding(namespace.value("num_rollout")) == ["${STEPS}"]
    assert namespace.value("lr") == 1e-6
    assert namespace.given("--num-rollout") is True
    assert namespace.problems == []


def test_an_inline_value_can_be_unknown() -> None:
    namespace = namespace_of('--num-rollout="$STEPS"')
    assert is_hidden(namespace.value("num_rollout"))
    assert namespace.given("--num-rollout") is True


def test_open_words_hide_what_is_absent_and_nothing_that_is_given() -> None:
    namespace = namespace_of('--lr 1e-6 --colocate "${EXTRA_ARGS[@]}"', "source unknown_file.sh")
    assert namespace.value("lr") == 1e-6
    assert hiding(namespace.value("num_rollout")) == ["${EXTRA_ARGS[@]}"]
    assert is_hidden(namespace.given("--num-rollout"))


def test_model_arguments_hide_the_model_only() -> None:
    namespace = namespace_of('"${MODEL_ARGS[@]}" --colocate', "source unknown_file.sh")
    assert is_hidden(namespace.value("num_layers"))
    assert namespace.value("num_rollout") is None


def test_a_bad_value_is_hidden_from_what_asks_for_it() -> None:
    namespace = namespace_of("--num-rollout x")
    assert hiding(namespace.value("num_rollout")) == ["x"]


def test_an_attribute_without_flag_is_none() -> None:
    namespace: Namespace = namespace_of("")
    assert namespace.value("no_such_thing") is None
    assert not namespace.knows("no_such_thing")
    assert namespace.knows("lr")


def test_a_hidden_value_is_no_truth() -> None:
    with pytest.raises(TypeError):
        bool(Hidden())
