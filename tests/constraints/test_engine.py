"""What a table says of a launch."""

from __future__ import annotations

from relax_lint.constraints.engine import Judgement, Table, judge
from relax_lint.constraints.schema import Constraint, Stage
from tests.constraints.launches import Known, facts_of


def constraint(id: str, when: str, stage: Stage = "validate", **more: object) -> Constraint:
    return Constraint(id, when, more.pop("message", "{lr}"), stage=stage, **more)  # type: ignore[arg-type]


def judged(flags: str, *constraints: Constraint, before: str = "", past_refusals: bool = False) -> Judgement:
    return judge(facts_of(flags, before), Table(constraints), past_refusals=past_refusals)


def ids(judgement: Judgement) -> list[str]:
    return [one.constraint.id for one in judgement.violations]


HIGH = constraint("high", "lr > 1", message="--lr {lr} of {num_rollout}")
LATER = constraint("later", "lr > 0", stage="megatron")
VOID = constraint("void", "lr > 0", kind="no-effect")
ALWAYS = constraint("always", "num_rollout is None", by_default=True)


def test_a_violation_says_what_and_where() -> None:
    (found,) = judged("--lr 5 --num-rollout $N", HIGH).violations
    assert found.message == "--lr 5.0 of ?"
    assert found.argument is not None
    assert found.argument.flag == "--lr"


def test_flags_of_a_constraint_say_where_to_point() -> None:
    pointed = constraint("high", "lr > 1", flags=("--num-rollout", "--lr"))
    (found,) = judged("--lr 5 --num-rollout 3", pointed).violations
    assert found.argument is not None
    assert found.argument.flag == "--num-rollout"
    (absent,) = judged("--lr 5", pointed).violations
    assert absent.argument is not None
    assert absent.argument.flag == "--lr"


def test_stages_come_in_relaxs_order_and_a_refusal_ends_the_later_ones() -> None:
    assert ids(judged("--lr 5", LATER, HIGH)) == ["high"]
    assert ids(judged("--lr 5", LATER, HIGH, past_refusals=True)) == ["high", "later"]


def test_other_constraints_of_the_same_stage_are_judged_all_the_same() -> None:
    assert ids(judged("--lr 5", HIGH, VOID)) == ["high", "void"]


def test_what_has_no_effect_ends_nothing() -> None:
    judgement = judged("--lr 0.5", VOID, LATER)
    assert ids(judgement) == ["void", "later"]
    assert judgement.refused
    assert not judged("--lr 0.5", VOID).refused


def test_what_follows_from_something_else_is_left_out_unless_it_is_worse() -> None:
    warns = constraint("warns", "lr > 1", kind="guide", stage="train")
    also = constraint("also", "lr > 2", kind="guide", stage="train", behind=("warns",))
    stops = constraint("stops", "lr > 2", behind=("warns",))
    assert ids(judged("--lr 5", warns, also)) == ["warns"]
    assert ids(judged("--lr 5", HIGH, constraint("stops", "lr > 2", behind=("high",)))) == ["high"]
    assert ids(judged("--lr 5", warns, stops, past_refusals=True)) == ["stops", "warns"]


def test_a_constraint_without_its_flags_is_judged_only_when_it_may_hold_by_default() -> None:
    assert ids(judged("--colocate", ALWAYS, constraint("other", "num_epoch is None"))) == ["always"]


def test_a_flag_behind_a_derived_value_counts() -> None:
    assert ids(judged("--hybrid", constraint("derived", "is_async"))) == ["derived"]
    assert ids(judged("--max-tokens-per-gpu 5", constraint("given", 'given("--max-tokens-per-gpu")'))) == ["given"]


def test_modes() -> None:
    only_async = constraint("async", "lr > 1", modes=("async",))
    assert ids(judged("--lr 5 --fully-async", only_async)) == ["async"]
    assert ids(judged("--lr 5 --hybrid --fully-async", only_async)) == []
    assert ids(judged("--lr 5 --loss-type sft", only_async)) == []


def test_a_stage_that_relax_leaves_out_is_not_judged() -> None:
    assert ids(judged("--lr 5 --debug-rollout-only", LATER)) == []
    engines = constraint("engines", "lr > 1", stage="sglang")
    assert ids(judged("--lr 5 --debug-train-only", engines)) == []
    assert ids(judged("--lr 5 --load-debug-rollout-data x", engines)) == []


def test_an_unknown_value_silences_and_is_named() -> None:
    judgement = judged('--lr "$LR"', HIGH)
    assert judgement.violations == []
    (silenced,) = judgement.undecided
    assert [word.text for word in silenced.words] == ["${LR}"]


def test_an_unknown_value_that_does_not_decide_silences_nothing() -> None:
    both = constraint("both", "lr > 1 and num_rollout > 3")
    either = constraint("either", "lr > 1 or num_rollout > 3")
    assert judged('--lr "$LR" --num-rollout 1', both) == Judgement([], [], refused=False)
    assert ids(judged('--lr "$LR" --num-rollout 5', either)) == ["either"]


def test_open_words_silence_what_asks_for_an_absent_flag() -> None:
    needs = constraint("needs", "lr > 1 and num_rollout is None")
    judgement = judged('--lr 5 "${EXTRA_ARGS[@]}"', needs, before="source unknown.sh")
    assert judgement.violations == []
    assert [word.text for word in judgement.undecided[0].words] == ["${EXTRA_ARGS[@]}"]


def test_an_unknown_mode_silences_what_belongs_to_a_mode() -> None:
    judgement = judged('--lr 5 --loss-type "$LOSS"', constraint("async", "lr > 1", modes=("async",)))
    assert judgement.violations == []
    assert [word.text for word in judgement.undecided[0].words] == ["${LOSS}"]


def test_values_that_do_not_fit_a_condition_are_told() -> None:
    judgement = judged("--lr 5", constraint("odd", "num_rollout < lr"))
    assert judgement.violations == []
    assert judgement.undecided[0].because is not None


def test_a_name_that_is_no_argument_is_told() -> None:
    (told,) = judged("--lr 5", constraint("odd", "lr > 1 and learning_rate > 1")).undecided
    assert told.because == "there is no learning_rate"


def test_the_config_file_counts_once_relax_has_read_it() -> None:
    early = constraint("early", "rollout_max_context_len == 5")
    late = constraint("late", "rollout_max_context_len == 5", stage="late")
    around = Known(documents={"c.yaml": {"rollout_max_context_len": 5}})
    facts = facts_of("--custom-config-path c.yaml", around=around)
    assert ids(judge(facts, Table([early, late]))) == ["late"]


def test_a_constraint_that_cannot_be_judged_is_listed_only() -> None:
    table = Table([constraint("data", "", static="needs the data"), HIGH])
    assert [one.id for one in table.not_static] == ["data"]
    assert [one.id for one in table.constraints] == ["high"]
