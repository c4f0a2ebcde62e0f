"""Secrets are told from ordinary settings, and nobody is told them."""

from __future__ import annotations

from collections.abc import Mapping

from relax_lint.migrate.effective import effective_settings
from relax_lint.migrate.report import plain
from relax_lint.migrate.settings import Setting
from relax_lint.migrate.withheld import Secrets, is_secret
from relax_lint.project import Project
from tests.cases import for_each


def leaves(words: str, before: str = "") -> Mapping[str, Setting]:
    """The settings of a launch, without secrets."""
    project = Project.from_files({"run.sh": f"{before}\npython3 -m verl.trainer.main_ppo {words}\n"})
    source = project.launcher(project.root / "run.sh")
    assert source is not None
    return Secrets.of(source).without(effective_settings(source.launches[0], project)).leaves


def hidden(text: str, script: str = "") -> str:
    project = Project.from_files({"run.sh": script})
    source = project.launcher(project.root / "run.sh")
    assert source is not None
    return Secrets.of(source).hidden(text)


@for_each(
    "name",
    "WANDB_API_KEY api_key HF_TOKEN token SECRET_TOKEN OPENAI_KEY AWS_SECRET_ACCESS_KEY AWS_ACCESS_KEY_ID API_KEY_2 "
    "client_secret db_password".split(),
)
def test_names_of_secrets(name: str) -> None:
    assert is_secret(name)


@for_each(
    "name",
    "MAX_TOKENS max_token eos_token THINK_TOKEN token_amount key image_key prompt_key reward_fn_key API_KEY_FILE "
    "api_key_env TOKENIZERS_PARALLELISM ppo_max_token_len_per_gpu moe_token_dispatcher_type".split(),
)
def test_names_of_what_is_none(name: str) -> None:
    assert not is_secret(name)


def test_ordinary_settings_stay() -> None:
    words = {
        "data.image_key": "images_2024_raw",
        "data.prompt_key": "prompt",
        "reward_model.key": "ground_truth_v2",
        "data.eos_token": "'<|im_end|>'",
        "data.mark_token": "'<|sep|>'",
        "reward_model.api_key": "EMPTY",
        "reward_model.max_tokens": "8192",
        "reward_model.token": "5",
        "reward_model.api_key_env": "OPENAI_API_KEY",
        "judge.api_key": "OPENAI_API_KEY",
        "actor_rollout_ref.actor.loss_agg_mode": "token-mean",
    }
    found = leaves(" ".join(f'"++{key}={text}"' for key, text in words.items()))
    assert {key: str(plain(found[key].value)) for key in words} == {key: text.strip("'") for key, text in words.items()}


def test_a_secret_is_read_from_the_environment() -> None:
    words = {
        "trainer.wandb_api_key=abc": "WANDB_API_KEY",
        "custom_reward_function.reward_kwargs.token=xyzzy": "REWARD_KWARGS_TOKEN",
        "custom_reward_function.reward_kwargs.key=0123456789abcdef": "REWARD_KWARGS_KEY",
        "custom_reward_function.reward_kwargs.who=hf_0123456789abcdef": "REWARD_KWARGS_WHO_SECRET",
        "custom_reward_function.reward_kwargs.many=[hf_9876543210abcdef]": "REWARD_KWARGS_MANY_SECRET",
        "custom_reward_function.reward_kwargs.url=http://judge/$K/v1": "OPENAI_API_KEY",
        "custom_reward_function.reward_kwargs.of=$JUDGE_TOKEN": "JUDGE_TOKEN",
    }
    before = "JUDGE_TOKEN=default\nK=${OPENAI_API_KEY:-sk-abcdefghijk}"
    found = leaves(f"{' '.join(f'+{word}' for word in words)} data.prompt_key=default", before)
    for word, variable in words.items():
        key, _, text = word.partition("=")
        assert f"${{{variable}}}" in str(plain(found[key].value))
        assert "$" in text or text not in found[key].given
    assert plain(found["custom_reward_function.reward_kwargs.url"].value) == "http://judge/${OPENAI_API_KEY}/v1"
    assert found["data.prompt_key"].value == "default"


def test_secrets_without_names_have_variables_of_their_own() -> None:
    words = "+judge.url=http://u:pw12345@judge/v1 +judge.other=http://u:pw12345@other +judge.db=http://u:hunter2@db"
    found = leaves(f"{words} +judge.two=[http://a:first1@x,http://b:second2@y]")
    assert plain(found["judge.two"].value) == ["http://${JUDGE_TWO_SECRET}@x", "http://${JUDGE_TWO_SECRET_2}@y"]
    assert plain(found["judge.url"].value) == "http://${JUDGE_URL_SECRET}@judge/v1"
    assert plain(found["judge.other"].value) == "http://${JUDGE_URL_SECRET}@other"
    assert plain(found["judge.db"].value) == "http://${JUDGE_DB_SECRET}@db"


def test_texts_tell_no_secret() -> None:
    script = "export A_TOKEN=abc1234\n"
    assert hidden("X=abc1234 y", script) == "X=${A_TOKEN} y"
    assert hidden("Authorization: Bearer abcdefg") == "Authorization: Bearer …"
    assert hidden("curl http://me:pass@host/x") == "curl http://…@host/x"
    assert hidden("serve --api-key foo --max-token 5 --token=x") == "serve --api-key … --max-token 5 --token=…"
    assert hidden("huggingface-cli login --token abc") == "huggingface-cli login --token …"
    assert hidden('{"env_vars": {"WANDB_API_KEY": "abc"}}') == '{"env_vars": {"WANDB_API_KEY": "…"}}'


def test_parts_of_paths_are_no_secrets() -> None:
    assert hidden("/data/token-reward/x token-mean", "cp /data/token-reward/x .\n") == "/data/token-reward/x token-mean"
