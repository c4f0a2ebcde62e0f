"""Rewards as a whole migration writes them: nothing is found in them, and what is to be said of them is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet as parquet
import pytest

from relax_lint.cli import main
from tests.migrate.on_disk import write_relax
from tests.migrate.reward.originals import originals

LAUNCH = """\
#!/usr/bin/env bash
python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo \\
    actor_rollout_ref.rollout.name=sglang actor_rollout_ref.rollout.n=8 \\
    actor_rollout_ref.model.path=Qwen/Qwen3-8B \\
    data.train_batch_size=64 actor_rollout_ref.actor.ppo_mini_batch_size=64 \\
    trainer.n_gpus_per_node=8 trainer.nnodes=1 {}
"""
_FORMS = {
    "plain": "def compute_score(data_source, solution_str, ground_truth, extra_info=None):\n    return 1.0\n",
    "keyed": "def compute_score(solution_str, ground_truth, **rest):\n    return {'score': 1, 'acc': 2}\n",
    "tuple": "def compute_score(solution_str, ground_truth, **rest):\n    return True, 'why'\n",
    "all_of_extra_info": "def compute_score(solution_str, ground_truth, extra_info=None, **rest):\n"
    "    return len(extra_info)\n",
    "waiting_coroutine": "import time\nimport subprocess\nimport aiohttp\n\n\n"
    "async def ask(text):\n    for _ in range(3):\n        try:\n"
    "            async with aiohttp.ClientSession() as session:\n"
    "                async with session.post('http://judge', json={'t': text}) as answer:\n"
    "                    return await answer.json()\n        except aiohttp.ClientError:\n            time.sleep(1)\n"
    "    return {}\n\n\nasync def compute_score(solution_str, ground_truth, **rest):\n"
    "    subprocess.run(['true'])\n    found = await ask(solution_str)\n"
    "    try:\n        return float(found['score'])\n"
    "    except (KeyError, TypeError, ValueError):\n        return 0.0\n",
    "in_thread": "import subprocess\n\n\ndef compute_score(solution_str, ground_truth, **rest):\n"
    "    return subprocess.run(['true']).returncode\n",
    "in_processes": "import signal\n\n\ndef compute_score(solution_str, ground_truth, **rest):\n"
    "    signal.alarm(3)\n    return 1\n",
    "instance_in_processes": "import signal\n\n\nclass Judge:\n"
    "    def __call__(self, solution_str, ground_truth, **rest):\n"
    "        signal.alarm(3)\n        return 1\n\n\ncompute_score = Judge()\n",
    "judged": "import time\nimport requests\n\n\ndef ask(text):\n    for _ in range(3):\n        try:\n"
    "            found = requests.post('http://judge/v1', json={'text': text})\n"
    "            return float(found.json()['score'])\n"
    "        except (requests.exceptions.RequestException, ValueError, KeyError):\n            time.sleep(1)\n"
    "    return 0.0\n\n\ndef compute_score(solution_str, ground_truth, **rest):\n    return ask(solution_str)\n",
    "asked_twice_in_session": "import requests\n\n\ndef compute_score(solution_str, ground_truth, **rest):\n"
    "    with requests.Session() as session:\n"
    "        session.headers['Authorization'] = 'token'\n"
    "        session.get('http://judge/login', timeout=9)\n"
    "        return float(session.post('http://judge', json={'x': solution_str}, timeout=9).json()['score'])\n",
    "asked_by_kept_session": "import requests\n\nSESSION = requests.Session()\nSESSION.headers['x'] = 'y'\n\n\n"
    "def compute_score(solution_str, ground_truth, **rest):\n"
    "    return float(SESSION.post('http://judge', json={'x': solution_str}, timeout=9).json()['score'])\n",
    "asked_in_session": "import requests\n\n\ndef compute_score(solution_str, ground_truth, **rest):\n"
    "    with requests.Session() as session:\n"
    "        return float(session.post('http://judge', json={'x': solution_str}, timeout=9).json()['score'])\n",
    "with_openai": "import openai\n\n\ndef compute_score(solution_str, ground_truth, **rest):\n"
    "    client = openai.OpenAI(base_url='http://judge', api_key='none')\n"
    "    try:\n        said = client.chat.completions.create(model='m', messages=[]).choices[0].message.content\n"
    "        return float(said)\n    except (openai.OpenAIError, ValueError, TypeError):\n        return 0.0\n",
}


class Migration:
    """A checkout of a user's beside one of Relax."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.relax = write_relax(root / "relax")
        self.user = root / "user"
        self.user.mkdir()
        self.capsys = capsys

    def run(self, overrides: str, name: str = "demo") -> dict[str, Any]:
        """What `relax-lint migrate` says, and its files on disk."""
        (self.user / "run.sh").write_text(LAUNCH.format(overrides))
        words = ["migrate", str(self.user / "run.sh"), "--name", name, "--relax-root", str(self.relax)]
        self.capsys.readouterr()
        main([*words, "--verl-root", str(originals()), "--format", "json"])
        told: dict[str, Any] = json.loads(self.capsys.readouterr().out)
        return told

    def text(self, name: str) -> str:
        """A file of the recipe."""
        return (self.relax / "examples/demo" / name).read_text()

    def found(self) -> list[dict[str, Any]]:
        """What the linter finds in the recipe, advice included."""
        self.capsys.readouterr()
        main(["check", str(self.relax / "examples"), "--format", "json", "--no-cache"])
        told = json.loads(self.capsys.readouterr().out)
        return [each for each in told["diagnostics"] if each["code"] not in ("RLX409", "RLX802")]


@pytest.fixture
def migration(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Migration:
    return Migration(tmp_path, capsys)


def _todos(told: dict[str, Any]) -> str:
    return "\n".join(todo["text"] for todo in told["launches"][0]["todos"])


@pytest.mark.parametrize(
    "data",
    ["gsm8k/train", "math/train", "geo3k/train", "dapo-math-17k", "searchR1_processed/train", "something/train"],
)
def test_nothing_is_found_in_rewards_of_verls_own(data: str, migration: Migration) -> None:
    told = migration.run(f"data.train_files=/data/{data}.parquet data.val_files=/data/{data}.parquet")
    assert told["findings"] == []
    assert migration.found() == []


@pytest.mark.parametrize("form", _FORMS)
def test_nothing_is_found_in_rewards_of_users(form: str, migration: Migration) -> None:
    (migration.user / "score.py").write_text(_FORMS[form])
    told = migration.run("data.train_files=/data/x.parquet custom_reward_function.path=score.py")
    assert told["findings"] == []
    assert migration.found() == []


def test_a_client_that_cannot_be_shared_is_to_be_checked(migration: Migration) -> None:
    (migration.user / "score.py").write_text(
        "import httpx\n\n\nasync def compute_score(solution_str, ground_truth, **rest):\n"
        "    async with httpx.AsyncClient(timeout=5) as client:\n        await client.get('http://judge/login')\n"
        "        return float((await client.get('http://judge')).is_success)\n"
    )
    told = migration.run("data.train_files=/data/x.parquet custom_reward_function.path=score.py")
    assert [each["code"] for each in told["findings"]] == ["RLX211"]


def test_one_source_known_by_the_name_of_its_data_has_its_scorer_alone(migration: Migration) -> None:
    told = migration.run("data.train_files=/data/gsm8k/train.parquet data.val_files=/data/gsm8k/test.parquet")
    assert "def extract_solution" in migration.text("reward_demo.py")
    files = {Path(each["path"]).name for each in told["files"]}
    assert not files & {"gsm8k.py", "math_reward.py"}
    assert "--custom-rm-path examples.demo.reward_demo.reward_func" in migration.text("run_demo.sh")
    assert "--reward-key score" in migration.text("run_demo.sh")


def test_sources_are_read_from_files_that_are_there(migration: Migration) -> None:
    rows = {"data_source": ["openai/gsm8k", "searchR1_nq", "openai/gsm8k"], "prompt": ["a", "b", "c"]}
    parquet.write_table(pyarrow.table(rows), migration.user / "mine.parquet")
    told = migration.run(
        f"data.train_files={migration.user}/mine.parquet data.val_files='$HOME/data/gsm8k/test.parquet'"
    )
    files = {Path(each["path"]).name for each in told["files"]}
    assert {"gsm8k.py", "search_r1_like_qa_em.py"} < files
    assert not files & {"math_reward.py", "geo3k.py"}
    assert "data_source=_data_source(sample)" in migration.text("reward_demo.py")


def test_a_source_is_known_by_the_default_of_a_variable(migration: Migration) -> None:
    told = migration.run('data.train_files="${TRAIN_FILE:-"$HOME/data/dapo-math-17k.parquet"}" trainer.test_freq=-1')
    assert "def normalize_final_answer" in migration.text("reward_demo.py")
    assert told["findings"] == []


def test_the_overlong_buffer_goes_to_the_config_and_the_reward(migration: Migration) -> None:
    told = migration.run(
        "data.train_files=/data/dapo-math-17k.parquet reward_model.reward_manager=dapo "
        "+reward_model.reward_kwargs.overlong_buffer_cfg.enable=True "
        "+reward_model.reward_kwargs.overlong_buffer_cfg.len=4096 "
        "+reward_model.reward_kwargs.overlong_buffer_cfg.penalty_factor=1.0 "
        "+reward_model.reward_kwargs.overlong_buffer_cfg.log=False "
        "+reward_model.reward_kwargs.max_resp_len=20480"
    )
    assert told["findings"] == []
    config = migration.text("demo_config.yaml").splitlines()
    assert {"overlong_buffer_cfg_len: 4096", "overlong_buffer_cfg_penalty_factor: 1.0", "max_resp_len: 20480"} <= set(
        config
    )
    assert "sample.response_length" in migration.text("reward_demo.py")
    assert "penalty" not in _todos(told)
    assert migration.found() == []


def test_reward_kwargs_go_to_the_config_under_names_that_are_no_flags(migration: Migration) -> None:
    (migration.user / "score.py").write_text(
        "def compute_score(solution_str, ground_truth, weights=None, seed=1, num_workers=1, **rest):\n    return seed\n"
    )
    told = migration.run(
        "data.train_files=/data/x.parquet custom_reward_function.path=score.py "
        "+custom_reward_function.reward_kwargs.num_workers=4 +custom_reward_function.reward_kwargs.max_turns=3 "
        "+custom_reward_function.reward_kwargs.seed=5 +custom_reward_function.reward_kwargs.weights.format=0.1"
    )
    assert told["findings"] == []
    assert migration.found() == []
    assert "reward_seed: 5" in migration.text("demo_config.yaml")
    assert "reward_kwargs_num_workers: 4\nreward_max_turns: 3" in migration.text("demo_config.yaml")
    assert "weights:\n  format: 0.1" in migration.text("demo_config.yaml")
    assert 'seed=getattr(args, "reward_seed", 5)' in migration.text("reward_demo.py")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "there is no file score.py"),
        ("x = 1\n", "score.py:1: there is no function compute_score"),
        ("def compute_score(:\n", "score.py:1"),
        ("x = 1\ncompute_score = [x]\n", "score.py:2: compute_score is [x], which cannot be called"),
        ("\n\nclass compute_score:\n    pass\n", "score.py:3: compute_score is a class"),
        ("def compute_score(solution_str, other):\n    return 1\n", "score.py:1: compute_score needs other"),
        (
            "import importlib as i\n\n\ndef compute_score(solution_str, **_): return i.import_module(solution_str)\n",
            "score.py:4: what this imports is known only when it runs",
        ),
        (
            "from verl import DataProto\n\n\ndef compute_score(solution_str, **rest):\n    return DataProto()\n",
            "score.py:1: verl.DataProto cannot be carried over",
        ),
        (
            "from verl.utils.nowhere import f\n\n\ndef compute_score(solution_str, **rest):\n    return f()\n",
            "score.py:1: verl.utils.nowhere.f cannot be carried over",
        ),
    ],
)
def test_what_cannot_be_carried_over_is_said_with_its_place_and_the_rest_is_done(
    text: str | None, said: str, migration: Migration
) -> None:
    if text is not None:
        (migration.user / "score.py").write_text(text)
    told = migration.run("data.train_files=/data/x.parquet custom_reward_function.path=score.py")
    assert said in _todos(told)
    assert "raise NotImplementedError" in migration.text("reward_demo.py")
    assert "--custom-rm-path" in migration.text("run_demo.sh")


def test_packages_that_relax_lacks_are_named_with_the_line_that_wants_them(migration: Migration) -> None:
    (migration.user / "score.py").write_text(
        "import Levenshtein\nimport numpy\n\n\n"
        "def compute_score(solution_str, ground_truth, **rest):\n"
        "    return numpy.float64(Levenshtein.ratio(solution_str, ground_truth))\n"
    )
    told = migration.run("data.train_files=/data/x.parquet custom_reward_function.path=score.py")
    assert "score.py:1): install it" in _todos(told)
    assert "the reward needs the package Levenshtein" in _todos(told)
    assert "numpy" not in _todos(told)
