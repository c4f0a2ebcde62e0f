"""RLX601 to RLX606: YAML files of a recipe."""

from __future__ import annotations

from tests.faults.cases.places import CONFIG, DESK_RUN, RUN, code, flags
from tests.faults.trees import Edit, Fault, Maker, append, remove, swap, write

TOOLS = "examples/desk/tools.yaml"
TRAINER = "examples/arith/arith_trainer.yaml"
ARITH_CONFIG = "examples/arith/arith_config.yaml"
EVAL = "examples/arith/eval.yaml"
EVAL_LINE = "    --eval-prompt-data arith ${TEST_FILES}\n"


def _tools() -> list[Fault]:
    made = Maker("RLX601", "turns", TOOLS, may=("RLX601",))

    def tools(name: str, mark: str, text: str) -> None:
        made(name, mark, write(TOOLS, code(text)))

    tools(
        "block",
        "tools:",
        """
        tools:
          - class_name: "verl.tools.gsm8k_tool.Gsm8kTool"
            config: {type: native}
            tool_schema:
              type: function
              function: {name: add}
        """,
    )
    tools(
        "flow",
        "{tools: [{class_name:",
        "{tools: [{class_name: my.tools.Adder, config: {}, tool_schema: {type: function}}]}\n",
    )
    tools(
        "own-class",
        "tools:",
        """
        tools:
        - class_name: examples.desk.tool.Adder
          tool_schema:
            type: function
        """,
    )
    tools(
        "interaction",
        "class_name: verl.interactions.gsm8k_interaction.Gsm8kInteraction",
        """
        interaction:
          - name: desk
            class_name: verl.interactions.gsm8k_interaction.Gsm8kInteraction
            config: {}
        """,
    )
    tools("value", "scorer: verl.utils.reward_score.gsm8k", "scorer: verl.utils.reward_score.gsm8k\n")
    tools(
        "value-nested",
        "modules: [re, 'verl.utils.reward_score.math_dapo']",
        "scoring:\n  modules: [re, 'verl.utils.reward_score.math_dapo']\n",
    )
    tools("anchor", "shared: &adder verl.tools.adder.Adder", "shared: &adder verl.tools.adder.Adder\nuse: *adder\n")
    made(
        "in-config",
        "tool_class: verl.tools.gsm8k_tool.Gsm8kTool",
        append(CONFIG, "tool_class: verl.tools.gsm8k_tool.Gsm8kTool\n"),
        path=CONFIG,
    )
    made(
        "tools-in-config",
        "tools:",
        append(CONFIG, "tools:\n  - class_name: verl.tools.search.SearchTool\n    tool_schema: {type: function}\n"),
        path=CONFIG,
    )
    return made.made


def _trainer() -> list[Fault]:
    made = Maker("RLX602", "text", TRAINER, may=("RLX602",))

    def trainer(name: str, mark: str, text: str, path: str = TRAINER) -> None:
        made(name, mark, write(path, code(text)), path=path)

    trainer(
        "defaults",
        "defaults:",
        """
        hydra:
          searchpath:
            - file://verl/trainer/config

        defaults:
          - ppo_trainer
          - _self_

        data:
          train_batch_size: 256
        """,
    )
    trainer(
        "no-defaults",
        "actor_rollout_ref:",
        """
        data:
          train_batch_size: 1024
          max_prompt_length: 512
        actor_rollout_ref:
          actor:
            ppo_mini_batch_size: 256
          rollout:
            n: 5
        trainer:
          total_epochs: 15
        """,
    )
    trainer(
        "flow",
        "{defaults: [ppo_trainer,",
        "{defaults: [ppo_trainer, _self_], actor_rollout_ref: {rollout: {name: sglang, multi_turn: {enable: true}}}}\n",
    )
    trainer(
        "nested-folder",
        "defaults:",
        """
        defaults:
          - ppo_megatron_trainer
          - _self_
        algorithm:
          adv_estimator: grpo
        """,
        "examples/arith/config/arith_grpo.yaml",
    )
    trainer(
        "yml",
        "defaults:",
        "defaults:\n  - ppo_trainer\n  - _self_\ntrainer:\n  nnodes: 1\n",
        "examples/arith/trainer.yml",
    )
    trainer(
        "sft",
        "trainer:",
        """
        data:
          train_files: a.parquet
          micro_batch_size_per_gpu: 4
        model:
          partial_pretrain: Qwen/Qwen3-8B
        optim:
          lr: 1e-5
        trainer:
          default_local_dir: /tmp/sft
          total_epochs: 4
        """,
    )
    return made.made


def _shadowed() -> list[Fault]:
    made = Maker("RLX603", "turns", CONFIG, "warning", may=("RLX407", "RLX505"))
    made("not-passed", "rollout_top_p", append(CONFIG, "rollout_top_p: 0.9\n"))
    made("not-passed-switch", "log_passrate", append(CONFIG, "log_passrate: true\n"))
    made(
        "flow",
        "{max_turns: 5,",
        write(CONFIG, "{max_turns: 5, rollout_interaction_env_path: examples.desk.env_desk, rollout_top_p: 0.9}\n"),
    )
    made(
        "other-name-of-the-flag",
        "layernorm_epsilon",
        append(CONFIG, "attention_dropout: 0.0\nlayernorm_epsilon: 1.0e-5\n"),
        severity="error|warning",
        may=("RLX603",),
    )
    made("other-value", "rollout_temperature", append(CONFIG, "rollout_temperature: 0.7\n"), severity="error")
    made("other-number", "n_samples_per_prompt", append(CONFIG, "n_samples_per_prompt: 4\n"), severity="error")
    made("other-text", "reward_key", append(CONFIG, "reward_key: acc\n"), severity="error")
    made("switched-off", "use_kl_loss", append(CONFIG, "use_kl_loss: false\n"), severity="error", may=("RLX417",))
    made("same-value", "rollout_temperature", append(CONFIG, "rollout_temperature: 1\n"))
    return made.made


def _missing() -> list[Fault]:
    made = Maker("RLX604", "text", RUN, may=("RLX213", "RLX605"))
    flag = f"--custom-config-path {ARITH_CONFIG}"
    made("not-there", "--custom-config-path", flags(flag))
    made("equals", "--custom-config-path=", flags("--custom-config-path=examples/arith/config.yaml"))
    made(
        "misspelt",
        "--custom-config-path",
        write(ARITH_CONFIG, ""),
        flags("--custom-config-path examples/arith/arith_confg.yaml"),
    )
    made("list", "examples/arith/arith_config.yaml|- bonus", write(ARITH_CONFIG, "- bonus\n- penalty\n"), flags(flag))
    made("text", "examples/arith/arith_config.yaml|bonus", write(ARITH_CONFIG, "bonus\n"), flags(flag))
    made("number", "examples/arith/arith_config.yaml|5", write(ARITH_CONFIG, "5\n"), flags(flag))
    made("directory", "--custom-config-path", flags("--custom-config-path examples/arith"))
    made(
        "eval-config",
        "--eval-config",
        swap(RUN, EVAL_LINE, "    --eval-config examples/arith/eval.yaml\n"),
        may=("RLX606", "RLX505"),
    )
    made(
        "variable",
        '--custom-config-path "${CONFIG}"',
        flags('--custom-config-path "${CONFIG}"'),
        swap(RUN, "CKPT_ARGS=(", "CONFIG=examples/arith/none.yaml\nCKPT_ARGS=("),
    )
    turns = Maker("RLX604", "turns", DESK_RUN, may=("RLX213", "RLX605", "RLX802", "RLX307"))
    turns("removed", "--custom-config-path", remove(CONFIG))
    turns(
        "other-folder",
        "--custom-config-path",
        swap(DESK_RUN, "examples/desk/desk_config.yaml", "examples/desk/configs/desk_config.yaml"),
    )
    return [*made.made, *turns.made]


def _environment() -> list[Fault]:
    made = Maker("RLX605", "turns", CONFIG, may=("RLX213", "RLX307"))
    path, turns = "rollout_interaction_env_path: examples.desk.env_desk\n", "max_turns: 5\n"
    made(
        "no-module",
        "rollout_interaction_env_path",
        swap(CONFIG, path, "rollout_interaction_env_path: examples.desk.env_table\n"),
    )
    made(
        "no-file",
        "rollout_interaction_env_path",
        swap(CONFIG, path, "rollout_interaction_env_path: examples/desk/env_table.py\n"),
    )
    made(
        "with-function",
        "rollout_interaction_env_path",
        swap(CONFIG, path, "rollout_interaction_env_path: examples.desk.env_desk.build_env\n"),
    )
    made(
        "with-class",
        "rollout_interaction_env_path",
        swap(CONFIG, path, 'rollout_interaction_env_path: "examples.desk.env_desk.DeskEnv"\n'),
    )
    made(
        "slashes-without-suffix",
        "rollout_interaction_env_path",
        swap(CONFIG, path, "rollout_interaction_env_path: examples/desk/env_desk\n"),
    )
    made("no-turns", "rollout_interaction_env_path", swap(CONFIG, turns, ""), may=("RLX213",))
    made("zero-turns", "max_turns", swap(CONFIG, turns, "max_turns: 0\n"))
    made("negative-turns", "max_turns", swap(CONFIG, turns, "max_turns: -3\n"))
    made("text-turns", "max_turns", swap(CONFIG, turns, 'max_turns: "5"\n'))
    made("float-turns", "max_turns", swap(CONFIG, turns, "max_turns: 5.0\n"))
    made("null-turns", "max_turns", swap(CONFIG, turns, "max_turns:\n"))
    made("true-turns", "max_turns", swap(CONFIG, turns, "max_turns: true\n"))
    made("misspelt-turns", "max_turn: 5", swap(CONFIG, turns, "max_turn: 5\n"), may=("RLX213",))
    made(
        "nested-turns",
        "rollout_interaction_env_path",
        swap(CONFIG, turns, "rollout:\n  max_turns: 5\n"),
        may=("RLX213",),
    )
    made(
        "flow",
        "{max_turns: 0,",
        write(CONFIG, "{max_turns: 0, rollout_interaction_env_path: examples.desk.env_desk}\n"),
    )
    return made.made


def evaluated(text: str) -> tuple[Edit, ...]:
    """An evaluation config, passed by the launcher."""
    return write(EVAL, code(text)), swap(RUN, EVAL_LINE, f"    --eval-config {EVAL}\n")


def _evaluation() -> list[Fault]:
    made = Maker("RLX606", "text", EVAL, may=("RLX505",))
    made("no-datasets", "defaults:", *evaluated("eval:\n  defaults:\n    temperature: 0.0\n"))
    made("empty-datasets", "datasets: []", *evaluated("eval:\n  datasets: []\n"))
    made("empty", "eval: {}", *evaluated("eval: {}\n"))
    made(
        "unknown-key-beside",
        "interval: 5",
        *evaluated("eval:\n  datasets:\n    - name: arith\n      path: /data/test.jsonl\n  interval: 5\n"),
    )
    made(
        "unknown-default",
        "rm_type: math",
        *evaluated(
            "eval:\n  defaults:\n    rm_type: math\n  datasets:\n    - name: arith\n      path: /data/test.jsonl\n"
        ),
    )
    made(
        "misspelt-default",
        "defaults: {temprature: 0.0}",
        *evaluated(
            "eval:\n  defaults: {temprature: 0.0}\n  datasets:\n    - name: arith\n      path: /data/test.jsonl\n"
        ),
    )
    made(
        "unknown-key-of-a-dataset",
        "samples: 4",
        *evaluated("eval:\n  datasets:\n    - name: arith\n      path: /data/test.jsonl\n      samples: 4\n"),
    )
    made("no-path", "- name: arith", *evaluated("eval:\n  datasets:\n    - name: arith\n"))
    made("no-name", "- path: /data/test.jsonl", *evaluated("eval:\n  datasets:\n    - path: /data/test.jsonl\n"))
    made(
        "datasets-misspelt",
        "dataset:",
        *evaluated("eval:\n  dataset:\n    - name: arith\n      path: /data/test.jsonl\n"),
    )
    made(
        "mapping-of-datasets",
        "tempertaure: 1",
        *evaluated("datasets:\n  arith:\n    path: /data/test.jsonl\n    tempertaure: 1\n"),
    )
    pairs = Maker("RLX606", "text", RUN, may=("RLX505", "RLX702"))
    pairs("odd", "--eval-prompt-data", swap(RUN, EVAL_LINE, "    --eval-prompt-data arith ${TEST_FILES} powers\n"))
    pairs(
        "three-paths",
        "--eval-prompt-data",
        swap(RUN, EVAL_LINE, "    --eval-prompt-data arith ${TEST_FILES} /data/powers.jsonl\n"),
    )
    pairs(
        "array",
        '--eval-prompt-data "${EVAL_SETS[@]}"',
        swap(RUN, EVAL_LINE, '    --eval-prompt-data "${EVAL_SETS[@]}"\n'),
        swap(RUN, "CKPT_ARGS=(", "EVAL_SETS=(arith a.jsonl powers)\nCKPT_ARGS=("),
    )
    return [*made.made, *pairs.made]


FAULTS = [*_tools(), *_trainer(), *_shadowed(), *_missing(), *_environment(), *_evaluation()]
