"""Launchers whose move from verl is half done reach clean by `--fix`, and only what had to change is changed."""

from __future__ import annotations

import difflib
import re
import subprocess
from itertools import product
from pathlib import Path

import pytest

from relax_lint.diagnostics import Severity
from relax_lint.engine import lint
from relax_lint.fixing import Fixed, fix
from relax_lint.migrate.in_place import Rewritten, finished
from relax_lint.project import Project
from relax_lint.recipe_kinds import trains
from relax_lint.rules import load_rules
from tests.half_migrated import (
    ENTRY,
    GOOD,
    GUARD,
    LAUNCHER,
    ONE_MODE,
    RECIPE,
    STRICT,
    WRITINGS,
    Change,
    Writing,
    in_array,
    on_a_line,
    replaced,
    together,
)

RULES = load_rules()
SAID_ALREADY = {
    "trainer.total_epochs=15": "--num-rollout 200 counts",
    "actor_rollout_ref.actor.optim.lr=1e-6": "--lr 1e-6 says it",
    "data.train_batch_size=32": "--rollout-batch-size 32 says it",
    "actor_rollout_ref.actor.ppo_mini_batch_size=32": "--global-batch-size 256 counts",
    "trainer.n_gpus_per_node=8": "--resource says how many GPUs each role has",
    "trainer.nnodes=1": "--resource says how many GPUs each role has",
    "data.val_files=/data/test.parquet": "--eval-prompt-data counts",
    "actor_rollout_ref.rollout.n=8": "--n-samples-per-prompt 8 says it",
    "actor_rollout_ref.rollout.name=vllm": "Relax generates with SGLang",
    "trainer.save_freq=-1": "nothing is saved without --save-interval",
    "algorithm.use_kl_in_reward=False": "it is off in Relax, too",
    "custom_reward_function.path=r.py": "--custom-rm-path examples.gsm8k.reward_gsm8k.reward_func counts",
    "critic.optim.lr=1e-5": "only --advantage-estimator ppo has a critic",
    "trainer.balance_batch=True": "Relax needs nothing for it",
    "++actor_rollout_ref.model.use_remove_padding=True": "Relax packs sequences without padding",
    "~critic.optim": "what it takes away is nothing that Relax has",
    "actor_rollout_ref.actor.clip_ratio=0.3": (
        "verl takes clip_ratio_low and clip_ratio_high, which are 0.2 where nothing else is said"
    ),
    "actor_rollout_ref.rollout.do_sample=True": "--rollout-temperature 1 counts",
    "trainer.experiment_name=gsm8k": "--tb-experiment-name counts",
}
"""What Relax needs nothing for, or what the launcher says by flags."""
NEW = {
    "actor_rollout_ref.actor.use_dynamic_bsz=True": ["--use-dynamic-batch-size"],
    "trainer.val_before_train=False": ["--skip-eval-before-train"],
    "actor_rollout_ref.actor.loss_agg_mode=token-mean": ["--calculate-per-token-loss"],
    "data.seed=7": ["--rollout-seed", "7"],
}
LEFTOVERS: dict[str, tuple[Change, set[str]]] = {
    "module": (replaced(ENTRY, "python3 -m relax.entrypoints.train"), set()),
    "submission": (replaced(ENTRY, f"ray job submit --address=http://127.0.0.1:8265 -- {ENTRY}"), set()),
    "submission with its environment": (
        replaced(
            ENTRY,
            'ray job submit --address="http://127.0.0.1:8265" \\\n        --runtime-env-json="${RUNTIME_ENV_JSON}" \\\n'
            "        -- python3 -m relax.entrypoints.train",
        ),
        set(),
    ),
    "environment of a plain launch": (on_a_line('--runtime-env-json "${RUNTIME_ENV_JSON}"'), set()),
    "offload": (replaced("    --optimizer-cpu-offload\n", ""), set()),
    "overlap": (replaced("    --overlap-cpu-optimizer-d2h-h2d\n", ""), set()),
    "precision": (replaced("    --use-precision-aware-optimizer\n", ""), set()),
    "global batch": (replaced("    --global-batch-size 256\n", ""), set()),
    "rollout batch": (replaced("    --rollout-batch-size 32\n", ""), set()),
    "forward services": (
        lambda text: re.sub(r" +--ref-actor-config .*\n", "", text),
        {"max_tokens_per_gpu", "only_load_weight"},
    ),
    "estimate of KL": (replaced("--kl-loss-type low_var_kl", "--kl-loss-type kl"), {"low_var_kl"}),
    "no guard": (replaced(GUARD, ""), set()),
    "no question before the entry point": (
        replaced(GUARD, 'source "${SCRIPT_DIR}/../../scripts/entrypoint/local.sh"\n'),
        set(),
    ),
    "no strict mode": (replaced(STRICT, "set -x\n"), set()),
    "no directory": (replaced("mkdir -p logs\n", ""), set()),
}
EVERYTHING = together(
    LEFTOVERS["module"][0],
    LEFTOVERS["offload"][0],
    LEFTOVERS["global batch"][0],
    LEFTOVERS["no guard"][0],
    LEFTOVERS["no strict mode"][0],
    LEFTOVERS["no directory"][0],
    in_array("trainer.total_epochs=15"),
)


def with_launcher(text: str) -> Project:
    return Project(RECIPE).with_changes({LAUNCHER: text.encode()})


def single_edits(project: Project) -> Fixed:
    return fix(project, RULES, targets=[LAUNCHER])


def all_edits(project: Project) -> Rewritten:
    return finished(
        project,
        single_edits(project),
        single_edits,
        lambda path: path.name,
        lambda paths: None,
        unsafe=True,
        on_disk=True,
    )


def grave(project: Project) -> list[tuple[str, str]]:
    found = lint(project, RULES, targets=[LAUNCHER]).standing
    return [(one.code, one.message) for one in found if one.severity is not Severity.ADVICE]


def text_of(project: Project) -> str:
    data = project.read(LAUNCHER)
    assert data is not None
    return data.decode()


def passed(project: Project) -> list[list[str]]:
    """The words of each launch, sorted."""
    launcher = project.launcher(LAUNCHER)
    assert launcher is not None
    return [sorted(word.text for word in launch.argv) for launch in launcher.launches]


def comments(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip().startswith("#")]


def same_as_good(project: Project, but: set[str]) -> None:
    """What is passed is what the good launcher passes, but for words that hold one of some texts."""
    for now, before in zip(passed(project), passed(with_launcher(GOOD)), strict=True):
        gone = [word for word in set(before) - set(now) if not any(text in word for text in but)]
        assert gone == []


@pytest.mark.parametrize("at", range(len(SAID_ALREADY)), ids=SAID_ALREADY)
def test_a_word_for_hydra_that_says_nothing_more_goes(at: int) -> None:
    written, word = WRITINGS[at % len(WRITINGS)], list(SAID_ALREADY)[at]
    project = with_launcher(written(word)(GOOD))
    assert "RLX402" in {code for code, _ in grave(project)}
    after = single_edits(project).project
    assert grave(after) == []
    assert passed(after) == passed(with_launcher(GOOD))


def test_all_of_them_at_once_go() -> None:
    text = GOOD
    for word in SAID_ALREADY:
        text = in_array(word)(text)
    after = single_edits(with_launcher(text)).project
    assert text_of(after) == GOOD


@pytest.mark.parametrize("word", NEW)
@pytest.mark.parametrize("written", WRITINGS, ids=lambda written: written.__name__)
def test_a_word_for_hydra_becomes_flags_where_it_stood(written: Writing, word: str) -> None:
    before = written(word)(GOOD)
    after = single_edits(with_launcher(before)).project
    assert grave(after) == []
    assert passed(after) == [sorted([*words, *NEW[word]]) for words in passed(with_launcher(GOOD))]
    assert text_of(after) == before.replace(word, " ".join(NEW[word]))


@pytest.mark.parametrize(("change", "but"), LEFTOVERS.values(), ids=LEFTOVERS)
def test_a_leftover_is_mended_and_nothing_else_is_touched(change: Change, but: set[str]) -> None:
    before = change(GOOD)
    project = with_launcher(before)
    assert grave(project) != []
    after = single_edits(project).project
    assert grave(after) == []
    same_as_good(after, but)
    assert [line for line in comments(before) if line not in comments(text_of(after))] == []
    assert single_edits(after).changes == {}
    changed = [line for line in difflib.ndiff(before.splitlines(), text_of(after).splitlines()) if line[0] in "+-"]
    assert len(changed) <= 10


@pytest.mark.parametrize("before", ONE_MODE.values(), ids=ONE_MODE)
def test_a_launcher_of_one_mode_gets_both(before: str) -> None:
    project = with_launcher(before)
    assert "RLX405" in {code for code, _ in grave(project)}
    done = all_edits(project)
    assert [line for line in done.said if "starts sync now" not in line and "are a guess" not in line] == []
    assert grave(done.fixed.project) == []
    assert done.fixed.fixed[-1].code in ("RLX405", "RLX420")
    assert [line for line in comments(before) if line not in comments(text_of(done.fixed.project))] == []
    assert all_edits(done.fixed.project).fixed.changes == {}
    for mode in started(project):
        assert unchanged(project, mode) == unchanged(done.fixed.project, mode)


def started(project: Project) -> set[str]:
    launcher = project.launcher(LAUNCHER)
    assert launcher is not None
    return {launch.mode for launch in launcher.launches if trains(launch)}


def unchanged(project: Project, mode: str) -> list[list[str]]:
    """What the launches of a mode pass that is known for sure: the name of the run has the mode in it."""
    launcher = project.launcher(LAUNCHER)
    assert launcher is not None
    launches = [launch for launch in launcher.launches if launch.mode == mode]
    return [sorted(word.text for word in launch.argv if word.known) for launch in launches]


@pytest.mark.parametrize(
    "name", ["sync", "async", "an array of its own", "a function with arguments", "another default"]
)
def test_all_leftovers_at_once(name: str) -> None:
    before = EVERYTHING(ONE_MODE[name])
    done = all_edits(with_launcher(before))
    assert grave(done.fixed.project) == []
    assert [line for line in done.said if "starts sync now" not in line and "are a guess" not in line] == []
    assert all_edits(done.fixed.project).fixed.changes == {}
    assert "trainer.total_epochs" not in text_of(done.fixed.project)


def test_what_only_a_person_can_decide_is_left_with_advice() -> None:
    done = single_edits(with_launcher(in_array("actor_rollout_ref.rollout.foo=3")(GOOD)))
    assert [(left.found.subject, left.reason) for left in done.left] == [
        (
            "actor_rollout_ref.rollout.foo",
            "verl has no setting actor_rollout_ref.rollout.foo, and Relax none that says the same",
        )
    ]
    assert done.changes == {}


def test_a_launcher_whose_gpus_are_not_known_keeps_its_mode() -> None:
    before = ONE_MODE["sync"].replace("[1, 8]", "[1, '\"${GPUS}\"']")
    done = all_edits(with_launcher(before))
    assert done.fixed.changes == {}
    assert done.said == ("run_gsm8k.sh:122: not made dual-mode: --resource is not known",)


def test_services_of_a_launcher_that_says_nothing_of_experts_fit_their_gpus() -> None:
    before = replaced("    --expert-tensor-parallel-size 1\n", "")(ONE_MODE["sync"])
    done = all_edits(with_launcher(before))
    assert '"expert_tensor_parallel_size": 1' in text_of(done.fixed.project)
    assert grave(done.fixed.project) == []
    assert all_edits(done.fixed.project).fixed.changes == {}


def test_the_branch_of_too_few_gpus_says_so() -> None:
    done = all_edits(with_launcher(ONE_MODE["too few GPUs"]))
    assert "want GPUs of their own, at least 1 + 1 + 1 = 3" in text_of(done.fixed.project)


def test_the_flags_of_one_mode_leave_an_array_with_their_comment() -> None:
    after = text_of(all_edits(with_launcher(ONE_MODE["an array with other flags"])).fixed.project)
    assert "    # on the same GPUs\n    python3 relax/entrypoints/train.py" in after
    assert "MISC_ARGS=(\n    --attention-dropout 0.0\n" in after


def test_nothing_of_the_good_launcher_is_touched() -> None:
    project = Project(Path(RECIPE))
    assert all_edits(project).fixed.changes == {}


OTHERWISE = {
    "data.train_batch_size=128": "--rollout-batch-size 32 counts",
    "actor_rollout_ref.actor.ppo_mini_batch_size=16": "--global-batch-size 256 counts",
    "actor_rollout_ref.actor.clip_ratio_low=0.3": "--eps-clip 0.2 counts",
    "actor_rollout_ref.actor.use_kl_loss=False": "--use-kl-loss counts",
    "trainer.n_gpus_per_node=4": '--resource {"actor": [1, 8], "rollout": [1, 8]} counts',
    "actor_rollout_ref.rollout.n=4": "--n-samples-per-prompt 8 counts",
    "algorithm.kl_ctrl.kl_coef=0.001": "verl reads it with algorithm.use_kl_in_reward=True only",
}


@pytest.mark.parametrize("word", OTHERWISE)
def test_a_word_that_does_not_count_goes_with_a_line_for_the_author(word: str) -> None:
    done = single_edits(with_launcher(in_array(word)(GOOD)))
    assert text_of(done.project) == GOOD
    assert notes(done) == [OTHERWISE[word]]


@pytest.mark.parametrize("word", SAID_ALREADY)
def test_a_word_that_says_nothing_more_goes_with_the_reason(word: str) -> None:
    assert notes(single_edits(with_launcher(in_array(word)(GOOD)))) == [SAID_ALREADY[word]]


def notes(done: Fixed) -> list[str]:
    fixes = [found.fix for found in done.fixed if found.fix is not None and found.fix.note is not None]
    return [note for fix in fixes if fix.note is not None and (note := fix.note())]


WITHOUT_KL = together(
    replaced("    --use-kl-loss\n", ""),
    replaced("    --kl-loss-coef 0.001\n", ""),
    replaced("    --kl-loss-type low_var_kl\n", ""),
)
KL_IN_REWARD = together(
    WITHOUT_KL, in_array("algorithm.use_kl_in_reward=True"), in_array("algorithm.kl_ctrl.kl_coef=0.001")
)


def test_a_word_is_left_when_its_flag_would_be_another_fault() -> None:
    done = single_edits(with_launcher(KL_IN_REWARD(GOOD)))
    reasons = {left.found.subject: left.reason for left in done.left}
    assert "the launcher would have another fault, RLX417" in reasons["algorithm.kl_ctrl.kl_coef"]
    assert done.changes == {}


def test_words_that_need_each_other_become_flags_together() -> None:
    words = ["actor_rollout_ref.actor.kl_loss_coef=0.001", "actor_rollout_ref.actor.use_kl_loss=True"]
    done = single_edits(with_launcher(together(WITHOUT_KL, *map(in_array, words))(GOOD)))
    assert done.left == []
    assert "    --use-kl-loss   # from verl\n    --kl-loss-coef 0.001   # from verl\n" in text_of(done.project)


def test_a_flag_without_effect_is_not_made_where_an_error_goes_at_the_same_time() -> None:
    change = together(
        WITHOUT_KL,
        replaced("    --rollout-batch-size 32\n", ""),
        replaced("    --global-batch-size 256\n", ""),
        replaced("    --advantage-estimator grpo\n", ""),
        in_array("data.train_batch_size=32"),
        in_array("algorithm.kl_ctrl.kl_coef=0.01"),
        in_array("algorithm.use_kl_in_reward=True"),
        in_array("actor_rollout_ref.actor.policy_loss.loss_mode=gspo"),
        in_array("algorithm.adv_estimator=grpo"),
    )
    done = single_edits(with_launcher(change(GOOD)))
    assert {left.found.subject for left in done.left} == {
        "algorithm.use_kl_in_reward",
        "algorithm.kl_ctrl.kl_coef",
    }
    assert "--advantage-estimator gspo" in text_of(done.project)
    assert "--rollout-batch-size 32 --global-batch-size 256" in text_of(done.project)
    assert {code for code, _ in grave(done.project)} == {"RLX402"}
    assert single_edits(done.project).changes == {}


@pytest.mark.parametrize("behind", [True, False])
def test_batches_wait_for_the_words_that_say_them(behind: bool) -> None:
    words = 'WORDS="data.train_batch_size=32 actor_rollout_ref.rollout.n=8"\n'
    after = "    --global-batch-size 256\n"
    change = together(
        replaced("ROLLOUT_ARGS=(\n", words + "ROLLOUT_ARGS=(\n"),
        replaced("    --rollout-batch-size 32\n", ""),
        replaced("    --n-samples-per-prompt 8\n", ""),
        replaced(after, after + "    $WORDS\n" if behind else "    $WORDS\n" + after),
    )
    done = single_edits(with_launcher(change(GOOD)))
    assert grave(done.project) == []
    assert passed(done.project) == passed(with_launcher(GOOD))
    assert single_edits(done.project).changes == {}


def test_a_word_of_some_ways_only_is_left_where_a_flag_says_otherwise() -> None:
    change = replaced(
        "mkdir -p logs\n",
        'mkdir -p logs\nadd() { OPTIMIZER_ARGS+=("$@"); }\n'
        '[ -n "${LONG:-}" ] && add actor_rollout_ref.actor.optim.lr=5e-6\n',
    )
    done = single_edits(with_launcher(change(GOOD)))
    assert [(left.found.subject, left.reason) for left in done.left] == [
        (
            "actor_rollout_ref.actor.optim.lr",
            "only some ways of the script pass it, and --lr 1e-6 counts in all: decide what these ways are to have",
        )
    ]
    assert done.changes == {}


def test_a_word_behind_a_flag_is_no_value_of_it() -> None:
    done = single_edits(
        with_launcher(replaced("    --lr 1e-6\n", "    --lr 1e-6 actor_rollout_ref.actor.optim.lr=5e-6\n")(GOOD))
    )
    assert text_of(done.project) == GOOD
    assert notes(done) == ["--lr 1e-6 counts"]


def test_the_updates_that_a_step_no_longer_has_are_told() -> None:
    change = together(
        replaced("    --rollout-batch-size 32\n", "    data.train_batch_size=32\n"),
        replaced("    --global-batch-size 256\n", "    actor_rollout_ref.actor.ppo_mini_batch_size=16\n"),
    )
    done = single_edits(with_launcher(change(GOOD)))
    assert grave(done.project) == []
    assert notes(done) == [
        "all prompts of a step are one update now, as the guide wants it; with it a step of verl's makes 2"
    ]


CLIPPED = {
    "clip_ratio=0.3": [],
    "clip_ratio_low=0.1": ["--eps-clip", "0.1", "--eps-clip-high", "0.2"],
    "clip_ratio_high=0.28": ["--eps-clip-high", "0.28"],
    "clip_ratio=0.3 actor_rollout_ref.actor.clip_ratio_low=null": ["--eps-clip", "0.3"],
}


@pytest.mark.parametrize("words", CLIPPED)
def test_the_bounds_of_clipping_are_those_of_verl(words: str) -> None:
    change = together(
        replaced("    --eps-clip 0.2\n", ""),
        replaced("    --eps-clip-high 0.28\n", f"    actor_rollout_ref.actor.{words}\n"),
    )
    done = single_edits(with_launcher(change(GOOD)))
    bare = together(replaced("    --eps-clip 0.2\n", ""), replaced("    --eps-clip-high 0.28\n", ""))(GOOD)
    known = passed(with_launcher(bare))
    assert passed(done.project) == [sorted([*each, *CLIPPED[words]]) for each in known]
    assert grave(done.project) == []


def test_a_reward_function_of_the_recipe_is_named_by_its_module() -> None:
    change = replaced(
        "    --custom-rm-path examples.gsm8k.reward_gsm8k.reward_func\n",
        "    custom_reward_function.path=examples/gsm8k/reward_gsm8k.py custom_reward_function.name=reward_func\n",
    )
    done = single_edits(with_launcher(change(GOOD)))
    assert text_of(done.project) == GOOD
    assert notes(done) == ["--custom-rm-path names the function, too"]


@pytest.mark.parametrize("path", ["examples/gsm8k/reward_gsm8k.py", "examples/gsm8k/other.py", "/data/reward.py"])
def test_a_reward_function_that_is_not_there_is_left(path: str) -> None:
    change = replaced(
        "    --custom-rm-path examples.gsm8k.reward_gsm8k.reward_func\n",
        f"    custom_reward_function.path={path}\n",
    )
    done = single_edits(with_launcher(change(GOOD)))
    assert [left.found.subject for left in done.left] == ["custom_reward_function.path"]


def test_only_what_is_mended_is_reported_as_fixable() -> None:
    report = lint(with_launcher(together(KL_IN_REWARD, in_array("trainer.total_epochs=15"))(GOOD)), RULES)
    report.keep_real_fixes()
    fixable = {found.subject: found.fix is not None for found in report.standing if found.code == "RLX402"}
    assert fixable == {
        "trainer.total_epochs": True,
        "algorithm.kl_ctrl.kl_coef": False,
        "algorithm.use_kl_in_reward": False,
    }


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("the script's arguments", "asynch"),
        *product(("sync", "only by the environment", "another default"), ("asynch", "--lr")),
    ],
)
def test_a_launcher_of_both_modes_refuses_what_is_no_mode(name: str, given: str, tmp_path: Path) -> None:
    script = tmp_path / "run.sh"
    script.write_text(text_of(all_edits(with_launcher(ONE_MODE[name])).fixed.project))
    ran = subprocess.run(["bash", script, given, "3e-6"], capture_output=True, text=True, cwd=tmp_path)
    assert ran.returncode == 2
    assert f"usage: bash examples/gsm8k/run_gsm8k.sh [sync|async]: no such mode: {given}" in ran.stderr
    assert ("flags for Relax go behind the mode" in ran.stderr) == (name == "the script's arguments")


def test_a_mode_of_the_authors_own_is_not_refused() -> None:
    before = together(
        replaced('MODE=${1:-${MODE:-"sync"}}', "MODE=${MODE:-sync}"),
        replaced("mkdir -p logs\n", 'mkdir -p logs\nif [ "$MODE" = "smoke" ]; then export NUM_ROLLOUT=1; fi\n'),
    )(GOOD)
    after = text_of(all_edits(with_launcher(before)).fixed.project)
    assert "no such mode" not in after
    assert 'MODE=${1:-${MODE:-"sync"}}' in after
