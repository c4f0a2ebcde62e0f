from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from relax_lint.config import Settings as Configured
from relax_lint.migrate.model_config import model_of, text_of
from relax_lint.migrate.model_match import ModelChoice, model_for
from relax_lint.migrate.plan import Refusal
from relax_lint.migrate.settings import Setting, Settings
from relax_lint.migrate.values import Data
from relax_lint.project import MEMORY_ROOT, Project
from relax_lint.shell.evaluate import Reading, evaluate
from tests.migrate.model_configs import PUBLIC
from tests.migrate.plans import launches_of, template

PATH = "actor_rollout_ref.model.path"
TRAIN = "python3 -m verl.trainer.main_ppo\n"
RELAX = {"relax/entrypoints/train.py": "", "scripts/models/qwen3-8B.sh": text_of(model_of(PUBLIC["qwen3-8B"]), "x")}


def settings(path: Data, script: str = TRAIN, **more: Data) -> Settings:
    values = {PATH: path, **{key.replace("__", "."): value for key, value in more.items()}}
    leaves = {key: Setting(key, value, "command line") for key, value in values.items()}
    return Settings(launches_of(script)[0], "verl.trainer.main_ppo", "fsdp", "0.9.1", leaves)


def choice(path: Data, files: dict[str, str] | None = None, script: str = TRAIN, **more: Data) -> ModelChoice:
    return model_for(settings(path, script, **more), Project.from_files({**RELAX, **(files or {})}))


def config_file(name: str, **changes: Any) -> str:
    return json.dumps({**PUBLIC[name], **changes})


def test_a_file_of_the_checkout() -> None:
    found = choice("Qwen/Qwen3-8B")
    assert (found.stem, found.exists, found.text, found.todo) == ("qwen3-8B", True, None, None)
    assert found.numbers is not None
    assert (found.numbers.layers, found.numbers.heads, found.numbers.query_groups) == (36, 32, 8)
    assert found.flags is not None
    assert found.flags["--hidden-size"] == ("4096",)


@pytest.mark.parametrize(
    "path",
    [
        "qwen3-8b",
        "/data/Qwen3-8B/",
        "Qwen/Qwen3-8B-Base",
        template("$HOME/models/Qwen3-8B"),
        template('${MODEL_PATH:-"/models/Qwen/Qwen3-8B"}'),
        template("${CHECKPOINTS}/Qwen3-8B/global_step_100/huggingface"),
    ],
)
def test_however_the_path_is_written(path: Data) -> None:
    assert choice(path).stem == "qwen3-8B"


def test_a_variable_that_the_script_sets() -> None:
    script = f'MODEL_ID=${{MODEL_ID:-Qwen/Qwen3-8B}}\nMODEL="$HOME/models/${{MODEL_ID}}"\n{TRAIN}'
    found = choice(template("$MODEL"), script=script)
    assert (found.stem, found.todo) == ("qwen3-8B", None)


def test_a_file_is_found_by_its_numbers_not_by_its_name() -> None:
    files = {"scripts/models/ours.sh": text_of(model_of(PUBLIC["qwen3-14B"]), "x")}
    assert choice("Qwen/Qwen3-14B", files).stem == "ours"


def test_of_files_with_equal_numbers_the_name_decides() -> None:
    files = {"scripts/models/my-qwen3.sh": RELAX["scripts/models/qwen3-8B.sh"]}
    assert choice("Qwen/Qwen3-8B", files).stem == "qwen3-8B"
    assert choice("/models/My-Qwen3-8B", files).stem == "qwen3-8B"


def test_a_text_model_does_not_get_the_file_of_one_that_sees() -> None:
    files = {"scripts/models/qwen3-vl-4B.sh": text_of(model_of(PUBLIC["qwen3-vl-4B"]), "x")}
    assert choice("Qwen/Qwen3-4B-Instruct-2507", files).stem == "qwen3-4B-2507"
    assert choice("Qwen/Qwen3-VL-4B-Instruct", files).stem == "qwen3-vl-4B"


def test_a_file_of_that_name_with_other_numbers_stays() -> None:
    files = {"scripts/models/qwen3-4B.sh": text_of(model_of({**PUBLIC["qwen3-4B"], "rope_theta": 5000000}), "x")}
    found = choice("Qwen/Qwen3-4B", files)
    assert (found.stem, found.exists) == ("Qwen3-4B", False)
    files["scripts/models/Qwen3-4B.sh"] = files["scripts/models/qwen3-4B.sh"]
    assert choice("Qwen/Qwen3-4B", files).stem == "qwen3-4B-2"


def test_a_file_is_written_where_there_is_none() -> None:
    found = choice("Qwen/Qwen2.5-7B-Instruct")
    assert (found.stem, found.exists, found.todo) == ("qwen2.5-7B", False, None)
    assert found.text == text_of(model_of(PUBLIC["qwen2.5-7B"]), "Qwen2.5-7B-Instruct")


def test_the_file_that_was_written_is_found_again() -> None:
    written = choice("Qwen/Qwen2.5-7B-Instruct").text or ""
    found = choice("Qwen/Qwen2.5-7B-Instruct", {"scripts/models/qwen2.5-7B.sh": written})
    assert (found.stem, found.exists) == ("qwen2.5-7B", True)


def test_without_a_checkout_the_files_that_relax_has_are_there() -> None:
    project = Project.from_files({"examples/x/y.sh": ""})
    found = model_for(settings("Qwen/Qwen3-8B"), project)
    assert (found.exists, found.text) == (True, None)
    assert found.numbers is not None
    assert not model_for(settings("Qwen/Qwen2.5-7B"), project).exists


def test_models_that_see_must_not_fuse_rope() -> None:
    assert choice("Qwen/Qwen2.5-VL-7B-Instruct").unfused_rope
    assert not choice("Qwen/Qwen3-8B").unfused_rope
    glm = choice("zai-org/GLM-4.1V-9B-Thinking")
    assert glm.numbers is not None
    assert glm.numbers.vision
    assert not glm.unfused_rope  # its file says so


def test_a_name_that_only_holds_the_model_s_is_to_be_checked() -> None:
    found = choice("someone/qwen3-8b-sft-cold-start")
    assert found.stem == "qwen3-8B"
    assert found.todo is not None
    assert found.todo.startswith(
        "check that the model is like Qwen/Qwen3-8B, which someone/qwen3-8b-sft-cold-start was"
    )


def test_placeholders_are_named_by_experiment_or_script() -> None:
    assert choice("<path_to_dsv3_config>").stem == "deepseek-v3"
    assert choice("model_path", trainer__experiment_name="qwen2_5_3b_grpo").stem == "qwen2.5-3B"


def test_an_architecture_that_no_bridge_knows_is_to_be_added() -> None:
    todo = choice("ByteDance-Seed/Seed-OSS-36B-Base").todo
    assert todo is not None
    assert "does not know seed_oss" in todo


def test_a_config_that_is_given_decides() -> None:
    changed = config_file("qwen3-8B", num_hidden_layers=18)
    project = Project.from_files({**RELAX, "config.json": changed})
    found = model_for(settings("Qwen/Qwen3-8B"), project, MEMORY_ROOT / "config.json")
    assert (found.stem, found.exists) == ("Qwen3-8B", False)
    assert found.numbers is not None
    assert found.numbers.layers == 18


def test_a_config_beside_the_checkpoint_decides() -> None:
    found = choice("models/Mine-1B", {"models/Mine-1B/config.json": config_file("llama3.2-1B")})
    assert (found.stem, found.todo) == ("Mine-1B", None)
    assert found.text is not None
    assert found.text.startswith("# Mine-1B: ")


def test_a_config_below_the_directory_of_models(tmp_path: Path) -> None:
    (tmp_path / "someone" / "Mine-1B").mkdir(parents=True)
    (tmp_path / "someone" / "Mine-1B" / "config.json").write_text(config_file("llama3.2-1B"))
    (tmp_path / "work").mkdir()
    project = Project(tmp_path / "work", Configured(env={"MODEL_DIR": str(tmp_path)}))
    assert model_for(settings("someone/Mine-1B"), project).numbers is not None


@pytest.mark.parametrize(
    ("content", "said"), [("{", "it is no JSON: "), ("[]", "it holds no mapping"), (None, "cannot be read")]
)
def test_a_given_config_that_is_none_is_refused(content: str | None, said: str) -> None:
    project = Project.from_files({**RELAX, **({} if content is None else {"config.json": content})})
    with pytest.raises(Refusal, match=said):
        model_for(settings("Qwen/Qwen3-8B"), project, MEMORY_ROOT / "config.json")


def test_a_config_that_says_too_little_leaves_a_form() -> None:
    project = Project.from_files({**RELAX, "config.json": json.dumps({"model_type": "qwen3", "hidden_size": 64})})
    found = model_for(settings("me/Mine-1B"), project, MEMORY_ROOT / "config.json")
    assert found.todo is not None
    assert (
        "num_hidden_layers, num_attention_heads, vocab_size, rms_norm_eps, rope_theta, intermediate_size are"
        in found.todo
    )


def test_an_unknown_model_leaves_a_form_that_asks(tmp_path: Path) -> None:
    found = choice("someone/Novel-3B")
    assert (found.stem, found.exists, found.numbers) == ("Novel-3B", False, None)
    assert found.todo is not None
    assert "the architecture of someone/Novel-3B is not known: make scripts/models/Novel-3B.sh from" in found.todo
    (tmp_path / "model.sh").write_text(found.text or "")
    script = tmp_path / "run.sh"
    script.write_text('. ./model.sh\npython3 relax/entrypoints/train.py "${MODEL_ARGS[@]}"\n')
    asked = ("NUM_LAYERS", "HIDDEN_SIZE", "FFN_HIDDEN_SIZE", "NUM_ATTENTION_HEADS", "NUM_QUERY_GROUPS", "VOCAB_SIZE")
    env = dict.fromkeys((*asked, "ROTARY_BASE", "NORM_EPSILON"), "8")
    assert evaluate(script, Reading(clean=True, env=env, cwd=tmp_path)).launches[0].value("--num-layers") == "8"
    del env["VOCAB_SIZE"]
    assert not evaluate(script, Reading(clean=True, env=env, cwd=tmp_path)).launches


def test_a_form_that_was_filled_in_is_taken() -> None:
    files = {"scripts/models/Novel-3B.sh": text_of(model_of(PUBLIC["qwen3-4B"]), "x")}
    found = choice("someone/Novel-3B", files)
    assert (found.stem, found.exists, found.todo) == ("Novel-3B", True, None)
    assert found.numbers is not None
    assert found.numbers.layers == 36


def test_a_file_that_only_begins_like_the_name_is_to_be_checked() -> None:
    files = {"scripts/models/novel3-3B.sh": text_of(model_of(PUBLIC["qwen3-4B"]), "x")}
    found = choice("someone/Novel-3-3B-Instruct", files)
    assert found.stem == "novel3-3B"
    assert found.todo is not None
    assert "check that it is that of scripts/models/novel3-3B.sh" in found.todo


def test_a_model_without_any_name_is_called_after_the_script() -> None:
    assert choice(template("$MODEL_PATH")).stem == "train-model"
