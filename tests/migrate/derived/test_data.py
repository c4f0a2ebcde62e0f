"""The data of training and evaluation, and what scores it."""

from __future__ import annotations

import pytest

from relax_lint.migrate.choices import Choices, ModelShape
from relax_lint.migrate.data_files import files_of, named
from relax_lint.migrate.values import Template
from relax_lint.shell.launch import Unknown
from tests.migrate.planned import A, M, R, fate, flags, planned, todos

SEES = Choices("demo", shape=ModelShape(28, 4, 28, parameters=7.6, vision=True))
EVALUATED = "trainer.test_freq=5"


@pytest.mark.parametrize(
    ("verl", "converted", "name"),
    [
        ("/home/me/data/gsm8k/train.parquet", "/gsm8k/train.parquet", "gsm8k"),
        ("~/data/rlhf/gsm8k/test.parquet", "/rlhf/gsm8k/test.parquet", "gsm8k"),
        ("/mnt/aime-2024.parquet", "/aime-2024.parquet", "aime-2024"),
        ("/mnt/math500/test.jsonl", "/math500/test.parquet", "math500"),
        ("data/geo3k/val.parquet", "/geo3k/val.parquet", "geo3k"),
        ("math_test.parquet", "/math_test.parquet", "math"),
    ],
)
def test_a_file_lies_below_data_dir_when_it_is_converted(verl: str, converted: str, name: str) -> None:
    (file,) = files_of(verl)
    assert isinstance(file.path, Template)
    assert (file.path.quoted, file.name) == (f"${{DATA_DIR}}{converted}", name)


def test_a_path_that_bash_completes() -> None:
    (file,) = files_of(Template((Unknown("${HOME}", "HOME"), "/data/gsm8k/train.parquet")))
    assert isinstance(file.path, Template)
    assert file.path.quoted == "${DATA_DIR}/gsm8k/train.parquet"
    whole = Template((Unknown("${TRAIN_FILE}", "TRAIN_FILE"),))
    assert files_of(whole)[0].path == whole


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('${TRAIN_FILE:-"${HOME}/data/dapo-math-17k.parquet"}', "dapo-math-17k"),
        ("${TRAIN_FILE:-gsm8k/train.parquet}", "gsm8k"),
        ("${TRAIN_FILE}", "eval"),
    ],
)
def test_a_path_is_named_after_what_its_variable_usually_is(text: str, name: str) -> None:
    assert files_of(Template((Unknown(text, "TRAIN_FILE"),)))[0].name == name


def test_names_are_different() -> None:
    assert [name for name, _ in named(files_of(["a/math/test.parquet", "b/math/test.parquet"]))] == ["math", "math2"]


def test_several_files_are_a_list_and_pairs() -> None:
    made = flags(
        planned(
            "data.train_files=[/data/gsm8k/train.parquet,/data/math/train.parquet]",
            "data.val_files=[/data/gsm8k/test.parquet,/data/math/test.parquet]",
            EVALUATED,
        )
    )
    assert made["--prompt-data"] == "[${DATA_DIR}/gsm8k/train.parquet, ${DATA_DIR}/math/train.parquet]"
    assert made["--eval-prompt-data"] == ("gsm8k ${DATA_DIR}/gsm8k/test.parquet math ${DATA_DIR}/math/test.parquet")


def test_some_rows_are_a_slice() -> None:
    made = flags(planned("data.train_max_samples=1000", "data.val_max_samples=50", EVALUATED))
    assert made["--prompt-data"].endswith("train.parquet@[0:1000]")
    assert made["--eval-prompt-data"].endswith("test.parquet@[0:50]")


def test_long_prompts_are_left_out_of_evaluation_where_verl_does() -> None:
    made = flags(planned("data.filter_overlong_prompts=True", "data.max_prompt_length=700", EVALUATED))
    assert (made["--rollout-max-prompt-len"], made["--eval-max-prompt-len"]) == ("700", "700")
    assert "--eval-max-prompt-len" not in flags(planned(EVALUATED))


def test_no_training_data_is_said() -> None:
    made = planned("data.train_files=")
    assert flags(made)["--prompt-data"] == "${DATA_DIR}/train.parquet"
    assert "data.train_files is empty" in todos(made)


def test_images_are_named_where_the_model_sees_them() -> None:
    made = planned("data.train_files=/data/geo3k/train.parquet", choices=SEES)
    assert flags(made)["--multimodal-keys"] == '{"image":"images"}'
    assert "--multimodal-keys" not in flags(planned("data.train_files=/data/geo3k/train.parquet"))
    given = flags(planned("data.image_key=pictures", f"{M}.path=Qwen/Qwen2.5-VL-7B-Instruct"))
    assert given["--multimodal-keys"] == '{"image":"pictures"}'


def test_the_template_gets_its_arguments() -> None:
    made = planned("data.apply_chat_template_kwargs.enable_thinking=False")
    assert flags(made)["--apply-chat-template-kwargs"] == '{"enable_thinking": false}'


def test_a_data_set_of_ones_own_is_for_the_user() -> None:
    made = planned("data.custom_cls.path=my/dataset.py", "data.custom_cls.name=Mine")
    assert fate(made, "data.custom_cls.path").kind == "by hand"
    assert "my/dataset.py" in todos(made)


# ---------------------------------------------------------------- rewards


@pytest.mark.parametrize(
    ("files", "rm_type"),
    [("geo3k/train.parquet", "geo3k"), ("dapo-math-17k.parquet", "dapo")],
)
def test_a_reward_of_relax_stands_where_it_scores_the_same(files: str, rm_type: str) -> None:
    made = flags(planned(f"data.train_files=/data/{files}"))
    assert made["--rm-type"] == rm_type
    assert ("--reward-key" in made) is (rm_type == "dapo")
    assert "--custom-rm-path" not in made


@pytest.mark.parametrize(
    "overrides",
    [
        ("data.train_files=/data/gsm8k/train.parquet",),
        ("data.train_files=[/data/dapo-math-17k.parquet,/data/gsm8k/train.parquet]",),
        ("data.train_files=/data/dapo-math-17k.parquet", "data.val_files=/data/gsm8k/test.parquet", EVALUATED),
        ("data.train_files=/data/dapo-math-17k.parquet", "reward.reward_kwargs.overlong_buffer_cfg.enable=True"),
        ("data.train_files=/data/dapo-math-17k.parquet", "reward.custom_reward_function.path=mine.py"),
        ("data.train_files=/data/dapo-math-17k.parquet", "reward.reward_manager.name=prime"),
    ],
)
def test_else_a_function_is_to_be_carried_over(overrides: tuple[str, ...]) -> None:
    made = planned(*overrides)
    words = flags(made)
    assert words["--custom-rm-path"] == "examples.demo.reward_demo.reward_func"
    assert words["--reward-key"] == "score"
    assert "--rm-type" not in words
    (file,) = [file for file in made.files if file.name == "reward_demo.py"]
    compile(file.text, file.name, "exec")
    assert "async def reward_func(args, sample: Sample, **kwargs)" in file.text
    assert "reward_demo.py" in todos(made) or "mine.py" in todos(made)


def test_no_config_says_what_no_reward_reads_yet() -> None:
    length = "reward.reward_kwargs.overlong_buffer_cfg.len"
    made = planned("reward.reward_kwargs.overlong_buffer_cfg.enable=True", f"{length}=4096")
    assert list(made.config) == []
    assert fate(made, length).kind == "by hand"
    assert "have the reward read overlong_buffer_cfg_enable, overlong_buffer_cfg_len of args" in todos(made)


def test_a_model_that_scores_is_served_elsewhere() -> None:
    made = planned("reward.reward_model.enable=True", "reward.reward_model.model_path=Skywork/RM")
    assert "Skywork/RM: serve it" in todos(made)
    assert "--custom-rm-path" in flags(made)


# ---------------------------------------------------------------- several turns


def test_turns_are_for_the_environment() -> None:
    made = planned(
        f"{R}.multi_turn.enable=True",
        f"{R}.multi_turn.max_assistant_turns=5",
        f"{R}.multi_turn.tool_config_path=tools.yaml",
    )
    assert flags(made)["--custom-generate-function-path"] == "examples.demo.rollout.generate"
    config = {entry.key: entry.value for entry in made.config}
    assert config == {"max_turns": 5, "rollout_interaction_env_path": "examples.demo.env_demo"}
    assert {file.name for file in made.files} >= {"rollout.py", "base_env.py", "env_demo.py"}
    assert "tools.yaml" in todos(made)
    compile(next(file.text for file in made.files if file.name == "env_demo.py"), "env_demo.py", "exec")


def test_a_penalty_of_the_recipe_dapo_is_for_the_reward_and_one_that_is_off_is_not() -> None:
    made = planned(
        "reward_model.overlong_buffer.enable=True", "reward_model.overlong_buffer.len=4096",
        "reward.reward_kwargs.overlong_buffer_cfg.enable=False", "reward.reward_kwargs.overlong_buffer_cfg.len=0",
        "data.train_files=/data/dapo-math-17k.parquet",
    )  # fmt: skip
    assert list(made.config) == []
    assert "have the reward read overlong_buffer_enable, overlong_buffer_len of args" in todos(made)
    assert fate(made, "reward.reward_kwargs.overlong_buffer_cfg.len").kind == "no effect"
    assert "--rm-type" not in flags(made)
    assert "take the penalty for long responses off" in todos(made)


def test_tools_are_shown_to_the_model_and_bounded_as_in_verl() -> None:
    tools = (
        f"{R}.multi_turn.tool_config_path=tools.yaml",
        f"{R}.multi_turn.max_parallel_calls=1",
        f"{R}.multi_turn.max_tool_response_length=256",
        f"{R}.multi_turn.tool_response_truncate_side=middle",
    )
    told = todos(planned(f"{R}.multi_turn.enable=True", *tools))
    assert "schemas of the tools of tools.yaml into a column tools" in told
    assert "makes 1 of the calls of a turn, and cuts answers longer than 256 characters (middle)" in told
    single = planned(*tools)
    assert fate(single, f"{R}.multi_turn.tool_config_path").kind == "by hand"
    assert "column tools" in todos(single)


def test_verl_goes_by_a_column_of_its_data_for_turns() -> None:
    assert "column agent_name" in todos(planned(f"{R}.multi_turn.enable=True"))
    assert "column agent_name" not in todos(planned(f"{R}.agent.default_agent_loop=tool_agent"))


def test_turns_without_a_bound_get_one_and_it_is_said() -> None:
    made = planned(f"{R}.multi_turn.enable=True")
    assert {entry.key: entry.value for entry in made.config}["max_turns"] == 8
    assert "max_turns is 8" in todos(made)


def test_the_reward_reads_no_special_tokens() -> None:
    assert "--rollout-skip-special-tokens" in flags(planned())
    turns = planned(f"{R}.multi_turn.enable=True")
    assert "--rollout-skip-special-tokens" not in flags(turns)
    assert "holds special tokens" in todos(turns)


def test_one_turn_needs_nothing() -> None:
    assert not planned().config
    assert "--custom-generate-function-path" not in flags(planned())


# ---------------------------------------------------------------- tokens


@pytest.mark.parametrize(
    ("overrides", "tokens"),
    [
        ((f"{A}.use_dynamic_bsz=True", f"{A}.ppo_max_token_len_per_gpu=24000"), "24000"),
        ((f"{A}.ppo_micro_batch_size_per_gpu=4",), "4096"),
        ((f"{A}.ppo_micro_batch_size_per_gpu=64",), "9216"),
        ((f"{A}.ppo_micro_batch_size_per_gpu=1", "data.max_response_length=20000"), "20512"),
        ((f"{A}.use_dynamic_bsz=True", f"{A}.ppo_max_token_len_per_gpu=600"), "1024"),
    ],
)
def test_samples_are_packed_up_to_a_number_of_tokens(overrides: tuple[str, ...], tokens: str) -> None:
    made = flags(planned(*overrides))
    assert "--use-dynamic-batch-size" in made
    assert made["--max-tokens-per-gpu"] == tokens


def test_passes_that_train_nothing_have_a_budget_of_their_own() -> None:
    made = flags(
        planned(
            f"{A}.use_dynamic_bsz=True",
            f"{A}.ppo_max_token_len_per_gpu=8192",
            f"{R}.log_prob_use_dynamic_bsz=True",
            f"{R}.log_prob_max_token_len_per_gpu=20480",
            "actor_rollout_ref.ref.log_prob_use_dynamic_bsz=True",
            "actor_rollout_ref.ref.log_prob_max_token_len_per_gpu=16384",
        )
    )
    assert (made["--max-tokens-per-gpu"], made["--log-probs-max-tokens-per-gpu"]) == ("8192", "16384")
