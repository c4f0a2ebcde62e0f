"""What a verl launch really uses."""

from __future__ import annotations

from pathlib import Path

import pytest

from relax_lint.migrate.effective import effective_settings
from relax_lint.migrate.plan import Refusal
from relax_lint.migrate.settings import Settings
from relax_lint.migrate.values import Template
from relax_lint.project import MEMORY_ROOT, Project

MAIN = "python3 -m verl.trainer.main_ppo"
CONFIG = """\
hydra:
  searchpath:
    - file://verl/trainer/config

defaults:
  - ppo_trainer
  - _self_

data:
  max_prompt_length: 77
actor_rollout_ref:
  rollout:
    multi_turn:
      max_assistant_turns: 5
"""
BOMB = "a0: &a0 [1, 1]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 40))


@pytest.fixture(autouse=True)
def nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave a verl that happens to be installed out of it."""
    monkeypatch.setattr("relax_lint.migrate.verl_defaults._import_path", list)


def settings(command: str, before: str = "", files: dict[str, str] | None = None) -> Settings:
    project = Project.from_files({"examples/x/run.sh": f"{before}\n{command}\n", **(files or {})})
    launcher = project.launcher(MEMORY_ROOT / "examples/x/run.sh")
    assert launcher is not None
    (launch,) = launcher.launches
    return effective_settings(launch, project)


def refusal(command: str, before: str = "", files: dict[str, str] | None = None) -> tuple[str, str]:
    """Why a launch is refused, and the text of the place that is shown."""
    with pytest.raises(Refusal) as refused:
        settings(command, before, files)
    place = refused.value.place
    assert place is not None
    return refused.value.reason, place.source.text[place.start : place.end]


# ------------------------------------------------------------ overrides


def test_the_command_line_wins_over_the_defaults() -> None:
    found = settings(f"{MAIN} data.train_batch_size=64 trainer.logger='[\"console\",wandb]'")
    assert found.value("data.train_batch_size") == 64
    assert found.value("trainer.logger") == ["console", "wandb"]
    assert found.leaves["data.train_batch_size"].origin == "command line"
    assert found.leaves["data.train_batch_size"].given == "data.train_batch_size=64"
    assert found.value("data.shuffle") is True
    assert found.leaves["data.shuffle"].origin == "verl default"


def test_values_have_the_types_that_hydra_reads() -> None:
    found = settings(f"{MAIN} actor_rollout_ref.actor.optim.lr=1e-6 data.seed=null trainer.project_name=\"'7'\"")
    assert found.value("actor_rollout_ref.actor.optim.lr") == 1e-6
    assert found.value("data.seed") is None
    assert found.value("trainer.project_name") == "7"


def test_defaults_that_are_made_of_others_follow_them() -> None:
    assert settings(f"{MAIN} actor_rollout_ref.rollout.n=7").value("actor_rollout_ref.actor.rollout_n") == 7


def test_overrides_may_be_made_of_others() -> None:
    found = settings(
        f"{MAIN} data.train_batch_size=48 'actor_rollout_ref.actor.ppo_mini_batch_size=${{data.train_batch_size}}'"
    )
    assert found.value("actor_rollout_ref.actor.ppo_mini_batch_size") == 48


def test_the_last_of_several_counts() -> None:
    assert settings(f"{MAIN} data.seed=1 data.seed=2").value("data.seed") == 2


def test_mappings_are_merged_and_lists_replaced() -> None:
    found = settings(
        f"{MAIN} '+actor_rollout_ref.rollout.engine_kwargs.vllm={{a: 1, b: {{c: x}}}}'"
        " +actor_rollout_ref.rollout.engine_kwargs.vllm.a=2 'actor_rollout_ref.actor.optim.betas=[0.8,0.9]'"
    )
    assert found.value("actor_rollout_ref.rollout.engine_kwargs.vllm.a") == 2
    assert found.value("actor_rollout_ref.rollout.engine_kwargs.vllm.b.c") == "x"
    assert found.leaves["actor_rollout_ref.rollout.engine_kwargs.vllm.b.c"].origin == "command line"
    assert found.value("actor_rollout_ref.actor.optim.betas") == [0.8, 0.9]


def test_what_is_deleted_is_gone_and_said() -> None:
    found = settings(f"{MAIN} ~data.seed")
    assert "data.seed" not in found.leaves
    assert found.leaves["~data.seed"].given == "~data.seed"


def test_an_item_of_a_list_is_changed_on_the_command_line() -> None:
    found = settings(f"{MAIN} trainer.logger.0=file").leaves["trainer.logger"]
    assert found.value == ["file", "wandb"]
    assert found.origin == "command line"


def test_what_hydra_itself_is_told_is_kept() -> None:
    found = settings(f"{MAIN} hydra.run.dir=/tmp/out").leaves["hydra.run.dir"]
    assert (found.value, found.origin) == ("/tmp/out", "command line")


def test_words_that_say_nothing_are_passed_over() -> None:
    assert settings(f'{MAIN} data.seed=3 \\  "" $EXTRA "$@"').value("data.seed") == 3


def test_names_of_classes_are_settings_too() -> None:
    found = settings(MAIN).leaves["actor_rollout_ref.actor._target_"]
    assert (found.value, found.origin) == ("verl.workers.config.FSDPActorConfig", "verl default")


def test_a_mandatory_value_that_is_not_given_is_none() -> None:
    found = settings(MAIN)
    assert found.leaves["actor_rollout_ref.rollout.name"].value is None


# ------------------------------------------------------------ what only bash knows


def test_parts_that_only_bash_knows_stay_theirs() -> None:
    found = settings(f"{MAIN} data.train_files=$HOME/a.parquet \"data.val_files=['$HOME/b.parquet',c]\"")
    path = found.value("data.train_files")
    assert isinstance(path, Template)
    assert path.quoted == "${HOME}/a.parquet"
    files = found.value("data.val_files")
    assert isinstance(files, list)
    assert isinstance(files[0], Template)
    assert files[1] == "c"


def test_a_number_that_only_bash_knows_stays_an_expression() -> None:
    found = settings(f"{MAIN} data.max_prompt_length=$((1024 * FACTOR)) trainer.nnodes=$N")
    assert isinstance(length := found.value("data.max_prompt_length"), Template)
    assert length.quoted == "$((1024 * FACTOR))"
    assert isinstance(nodes := found.value("trainer.nnodes"), Template)
    assert nodes.variables == {"N"}


def test_what_interpolations_make_of_it_keeps_these_parts() -> None:
    value = settings(f"{MAIN} 'data.val_files=${{data.train_files}}/v' data.train_files=$D/t").value("data.val_files")
    assert isinstance(value, Template)
    assert value.quoted == "${D}/t/v"


def test_the_environment_of_the_training_is_an_expression() -> None:
    files = {"examples/x/config/mine.yaml": CONFIG + "trainer:\n  default_local_dir: ${oc.env:OUT,/tmp}/x\n"}
    found = settings(f'{MAIN} --config-path="$PWD/examples/x/config" --config-name=mine', files=files)
    value = found.value("trainer.default_local_dir")
    assert isinstance(value, Template)
    assert value.quoted == "${OUT:-/tmp}/x"


@pytest.mark.parametrize(
    ("form", "word"),
    [
        ("%Y-%m-%d", "$(date +%Y-%m-%d)"),
        ("%H%M", "$(date +%H%M)"),
        ("%Y-%m-%d %H:%M", "$(date '+%Y-%m-%d %H:%M')"),
        ("%H.%f", "$(date +%H.%6N)"),
    ],
)
def test_the_time_of_the_training_is_an_expression(form: str, word: str) -> None:
    value = settings(f"{MAIN} 'trainer.experiment_name=run-${{now:{form}}}'").value("trainer.experiment_name")
    assert isinstance(value, Template)
    assert value.quoted == f"run-{word}"


@pytest.mark.parametrize(
    ("before", "word", "variable"),
    [
        ("LR=${LR:-1e-6}", "actor_rollout_ref.actor.optim.lr=$LR", "LR"),
        ("", "actor_rollout_ref.actor.optim.lr=${RATE:-1e-6}", "RATE"),
        ("rate=${LR:-1e-6}", 'actor_rollout_ref.actor.optim.lr="$rate"', "LR"),
        ("lr=${LR:-1}e-6", "actor_rollout_ref.actor.optim.lr=$lr", None),
        ("", "actor_rollout_ref.actor.optim.lr=1e-6", None),
        ("n=${N:-2}; m=$((n * 2))", "trainer.nnodes=$m", None),
    ],
)
def test_the_variable_that_a_whole_value_comes_from(before: str, word: str, variable: str | None) -> None:
    found = settings(f"{MAIN} {word}", before)
    (setting,) = (setting for setting in found.leaves.values() if setting.origin == "command line")
    assert setting.variable == variable


# ------------------------------------------------------------ the recipe's configuration


@pytest.mark.parametrize(
    "options",
    [
        "--config-path=/project/examples/x/config --config-name=mine",
        "--config-path $PWD/examples/x/config --config-name mine.yaml",
        '--config-path="$ROOT/examples/x/config" -cn mine',
        "-cp ../../examples/x/config -cn=mine",
        "--config-path=file:///project/examples/x/config --config-name=mine",
        "--config-dir=examples/x/config --config-name=mine",
        "data.seed=1 -cd examples/x/config --config-name=mine",
    ],
)
def test_the_recipes_own_configuration_is_found(options: str) -> None:
    found = settings(f"{MAIN} {options} data.max_response_length=5", files={"examples/x/config/mine.yaml": CONFIG})
    assert found.value("data.max_prompt_length") == 77
    assert found.value("data.max_response_length") == 5
    assert found.value("data.shuffle") is True


def test_where_the_recipes_own_entries_stand() -> None:
    command = f"{MAIN} --config-path=$PWD/examples/x/config --config-name=mine"
    found = settings(command, files={"examples/x/config/mine.yaml": CONFIG})
    setting = found.leaves["actor_rollout_ref.rollout.multi_turn.max_assistant_turns"]
    assert (setting.value, setting.origin, setting.given) == (5, "recipe config", "max_assistant_turns: 5")
    assert setting.place is not None
    assert setting.place.source.path == MEMORY_ROOT / "examples/x/config/mine.yaml"


def test_the_command_line_wins_over_the_recipe() -> None:
    command = f"{MAIN} --config-path=$PWD/examples/x/config --config-name=mine data.max_prompt_length=3"
    found = settings(command, files={"examples/x/config/mine.yaml": CONFIG}).leaves["data.max_prompt_length"]
    assert (found.value, found.origin) == (3, "command line")


def test_groups_packages_and_order_are_those_of_hydra() -> None:
    files = {
        "examples/x/config/mine.yaml": (
            "hydra: {searchpath: [pkg://verl.trainer.config]}\n"
            "defaults:\n- ppo_trainer\n- lengths: short\n- _self_\n- late@data: more\n- optional lengths@extra: none\n"
            "data: {max_prompt_length: 2}\n"
        ),
        "examples/x/config/lengths/short.yaml": (
            "# @package _global_\ndata: {max_prompt_length: 1, max_response_length: 1}\n"
        ),
        "examples/x/config/lengths/long.yaml": "# @package data\nmax_response_length: 9\n",
        "examples/x/config/late/more.yaml": "seed: 4\n",
    }
    command = f"{MAIN} --config-path=$PWD/examples/x/config --config-name=mine"
    found = settings(command, files=files)
    assert [found.value(f"data.{key}") for key in ("max_prompt_length", "max_response_length", "seed")] == [2, 1, 4]
    found = settings(f"{command} lengths=long", files=files)
    assert found.value("data.max_response_length") == 9
    assert found.leaves["lengths"].value == "long"


def test_the_main_of_a_recipe_says_what_it_is_configured_with() -> None:
    files = {
        "recipe/mine/main_mine.py": (
            "import hydra\n\n@hydra.main(config_path='config', config_name='mine')\ndef main(c): ...\n"
        ),
        "recipe/mine/config/mine.yaml": CONFIG,
    }
    found = settings("python3 -m recipe.mine.main_mine", files=files)
    assert found.value("data.max_prompt_length") == 77
    assert found.main == "recipe.mine.main_mine"


def test_the_recipes_of_verl_are_known() -> None:
    assert "algorithm.filter_groups.metric" in settings("python3 -m recipe.dapo.main_dapo").leaves
    found = settings("python3 -m recipe.fully_async_policy.fully_async_main")
    assert "async_training.staleness_threshold" in found.leaves
    assert "rollout.n_gpus_per_node" in settings("python3 -m verl.experimental.one_step_off_policy.main_ppo").leaves


# ------------------------------------------------------------ verl's own defaults


def test_the_flavour_is_that_of_the_actor() -> None:
    assert settings(MAIN).flavour == "fsdp"
    megatron = settings(f"{MAIN} --config-path=config --config-name='ppo_megatron_trainer.yaml'")
    assert megatron.flavour == "megatron"
    assert "actor_rollout_ref.actor.megatron.tensor_model_parallel_size" in megatron.leaves


def test_a_group_chosen_on_the_command_line_brings_its_settings() -> None:
    found = settings(f"{MAIN} model_engine=megatron")
    assert (found.flavour, found.version) == ("megatron", "0.9.1")
    assert found.leaves["model_engine"].origin == "command line"
    older = settings(f"{MAIN} actor@actor_rollout_ref.actor=megatron_actor")
    assert older.leaves["actor@actor_rollout_ref.actor"].value == "megatron_actor"
    assert older.value("actor_rollout_ref.actor.strategy") == "megatron"


def test_the_version_that_knows_more_of_the_settings_counts() -> None:
    assert settings(MAIN).version == "0.9.1"
    assert settings(f"{MAIN} reward_model.overlong_buffer.enable=True reward.num_workers=2").version == "0.9.1"
    assert settings(f"{MAIN} actor_rollout_ref.rollout.mode=sync reward_model.use_reward_loop=True").version != "0.9.1"


def own_verl(root: str = "verl") -> dict[str, str]:
    return {
        f"{root}/trainer/config/ppo_trainer.yaml": (
            "defaults: [data@data: plain, _self_]\nactor_rollout_ref: {actor: {strategy: fsdp}}\ntrainer: {own: 1}\n"
        ),
        f"{root}/trainer/config/data/plain.yaml": "size: 5\nhalf: ${.size}\n",
        f"{root}/version/version": "9.9\n",
    }


def test_a_checkout_of_verl_counts_before_what_is_known_here() -> None:
    found = settings(f"{MAIN} data.size=6", files=own_verl())
    assert {key: setting.value for key, setting in found.leaves.items()} == {
        "actor_rollout_ref.actor.strategy": "fsdp",
        "data.half": 6,
        "data.size": 6,
        "trainer.own": 1,
    }
    assert found.version == "9.9 (this checkout)"


def test_verl_may_be_a_submodule_whose_scripts_run_in_it() -> None:
    mine = "hydra: {searchpath: [verl/trainer/config]}\ndefaults: [ppo_trainer, _self_]\ndata: {size: 8}\n"
    files = {**own_verl("verl/verl"), "verl/examples/y/config/mine.yaml": mine}
    command = f"{MAIN} --config-path=$(pwd)/examples/y/config --config-name=mine\n"
    project = Project.from_files({**files, "verl/examples/y/run.sh": command})
    launcher = project.launcher(MEMORY_ROOT / "verl/examples/y/run.sh")
    assert launcher is not None
    found = effective_settings(launcher.launches[0], project)
    assert (found.value("data.half"), found.leaves["data.size"].origin) == (8, "recipe config")
    assert found.leaves["trainer.own"].origin == "verl default"


def test_the_verl_that_is_named_counts_first(tmp_path: Path) -> None:
    for name, text in {**own_verl(), "run.sh": f"{MAIN}\n"}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    project = Project(tmp_path / "elsewhere")
    launcher = project.launcher(tmp_path / "run.sh")
    assert launcher is not None
    for root in (tmp_path, tmp_path / "verl"):
        found = effective_settings(launcher.launches[0], project, root)
        assert (found.version, found.value("data.half")) == ("9.9 (--verl-root)", 5)
    with pytest.raises(Refusal, match="no configuration of verl's"):
        effective_settings(launcher.launches[0], project, tmp_path / "nowhere")


# ------------------------------------------------------------ what Hydra has against it


def test_a_misspelt_setting_is_told_from_a_real_one() -> None:
    found = settings(f"{MAIN} data.train_batch_sise=64").leaves["data.train_batch_sise"]
    assert (found.value, found.known, found.meant) == (64, False, "data.train_batch_size")
    assert "Hydra asks for a +" in found.problem


def test_a_program_that_is_not_at_hand_may_have_settings_of_its_own() -> None:
    found = settings(f"{MAIN.replace('verl.trainer', 'verl_tools.trainer')} agent.turns=4").leaves["agent.turns"]
    assert (found.value, found.known, found.problem) == (4, False, "")


def test_a_setting_that_is_added_on_purpose_is_no_mistake() -> None:
    found = settings(f"{MAIN} +data.flavour=x +actor_rollout_ref.rollout.engine_kwargs.vllm.n_scheduler_steps=1")
    added = found.leaves["data.flavour"]
    assert (added.value, added.known, added.meant, added.problem) == ("x", False, None, "")
    assert found.leaves["actor_rollout_ref.rollout.engine_kwargs.vllm.n_scheduler_steps"].meant is None


def test_a_slip_behind_a_plus_is_seen() -> None:
    assert settings(f"{MAIN} +data.train_batchsize=1").leaves["data.train_batchsize"].meant == "data.train_batch_size"


def test_a_plus_before_what_is_there() -> None:
    found = settings(f"{MAIN} +data.train_batch_size=64").leaves["data.train_batch_size"]
    assert (found.value, found.known) == (64, True)
    assert "refuses the +" in found.problem


@pytest.mark.parametrize("value", ["<path_to_model>", "qwen3_4b}"])
def test_a_text_that_can_mean_only_itself_is_taken_for_that(value: str) -> None:
    found = settings(f"{MAIN} 'trainer.experiment_name={value}'").leaves["trainer.experiment_name"]
    assert found.value == value
    assert found.problem.startswith("Hydra cannot read the value")


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("data.train_files=[a,b", "Hydra cannot read data.train_files=[a,b"),
        ("data.seed", "Hydra cannot read data.seed"),
        (
            "trainer.experiment_name=x\\'y",
            "Hydra cannot read trainer.experiment_name=x'y: a quote in it has no second one",
        ),
        (
            "trainer.experiment_name=x\udcfc",
            "Hydra cannot read trainer.experiment_name=x\udcfc: it holds bytes that are no UTF-8",
        ),
        ("data.train_files=a,b", "sweeps over several values"),
        ("'data.seed=range(1,3)'", "sweeps over several values"),
        ("data.seed=1 -x", "Hydra refuses the command line"),
        ("--cfg=job", "trains nothing"),
        ("--config-name=nothing", "Cannot find primary config 'nothing'"),
        ("--config-path=/nowhere/at/all", "the directory of its configuration is not there: /nowhere/at/all"),
        ("--config-dir=nowhere", "the directory of its configuration is not there: nowhere"),
        ("--config-name=$NAME", "known only when it runs: ${NAME}"),
        ("actor@actor_rollout_ref.actor=no_actor", "Could not find 'actor/no_actor'"),
        ("nothing@data=x", "there is no such group"),
    ],
)
def test_what_hydra_refuses_is_refused_with_its_place(word: str, reason: str) -> None:
    said, shown = refusal(f"{MAIN} trainer.nnodes=1 {word}")
    assert reason in said
    assert shown in (
        word,
        word.strip("'"),
        "trainer.nnodes=1",
        "verl.trainer.main_ppo",
        f"{MAIN} trainer.nnodes=1 {word}",
    )


@pytest.mark.parametrize(
    ("words", "flags"),
    [
        ("--config-nam=x --what=1", "--what"),
        ("data.seed=1 --colocate --lr 1e-6 data.shuffle=False", "--colocate, --lr"),
    ],
)
def test_flags_are_named_with_two_ways_on(words: str, flags: str) -> None:
    said, where = refusal(f"{MAIN} {words}")
    assert said == (
        f"Hydra takes no flags like {flags}: take them out, or start relax/entrypoints/train.py instead if they are "
        "Relax's, and --fix turns the words for Hydra into flags"
    )
    assert where.startswith(flags.partition(",")[0])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("defaults: [ppo_trainer\n", "is no YAML"),
        ("a: 1\na: 2\n", "the key a is given twice"),
        ("- a\n", "holds no mapping"),
        ("defaults: ppo_trainer\n", "defaults must be a list"),
        ("defaults: [missing]\n", "Could not load 'missing'"),
        ("hydra: {searchpath: 3}\n", "hydra.searchpath is to be a list"),
        (BOMB, "holds more than"),
    ],
)  # fmt: skip
def test_a_broken_configuration_is_refused_with_its_place(text: str, reason: str) -> None:
    command = f"{MAIN} --config-path=$PWD/examples/x/config --config-name=mine"
    said, _ = refusal(command, files={"examples/x/config/mine.yaml": text})
    assert reason in said


@pytest.mark.parametrize(
    "main",
    [
        "verl.trainer.fsdp_sft_trainer",
        "verl.trainer.main_generation",
        "verl.trainer.main_eval",
        "verl/trainer/main_generation.py",
    ],
)
def test_what_trains_nothing_by_rewards_is_refused(main: str) -> None:
    command = f"python3 {main}" if main.endswith(".py") else f"python3 -m {main}"
    said, shown = refusal(f"{command} data.seed=1")
    assert said == f"{main} is no training by rewards"
    assert shown == main
