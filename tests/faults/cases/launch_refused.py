"""RLX505 to RLX508: launches that are refused, deprecated flags, paths, flags without effect."""

from __future__ import annotations

from tests.faults.cases.places import (
    BOTH_LAUNCHES,
    CHARTS_RUN,
    DESK_RUN,
    RM_PATH,
    RUN,
    SFT_RUN,
    SYNC_END,
    flags,
    instead,
    without,
)
from tests.faults.trees import Edit, Fault, Maker, swap, write

MODEL = "scripts/models/qwen3-8B.sh"


def inline(line: str) -> Edit:
    """A flag in the synchronous launch alone."""
    return swap(RUN, SYNC_END, SYNC_END + f"        {line} \\\n")


def below(line: str, *lines: str) -> Edit:
    """Elements below another one."""
    return flags(*lines, below=f"    {line}\n")


def _refused() -> list[Fault]:
    made = Maker(
        "RLX505", "text", RUN, may=("RLX412", "RLX407", "RLX416", "RLX508", "RLX502", "RLX417", "RLX413", "RLX214")
    )
    made("save-interval-alone", "--save-interval 4", below("--megatron-to-hf-mode bridge", "--save-interval 4"))
    made(
        "save-without-interval",
        '--save "${SAVE_DIR}/arith"',
        below("--megatron-to-hf-mode bridge", '--save "${SAVE_DIR}/arith"'),
    )
    made(
        "save-interval-zero",
        "--save-interval -1",
        below("--megatron-to-hf-mode bridge", '--save "${SAVE_DIR}/arith"', "--save-interval -1"),
    )
    made("eval-without-data", "--eval-interval 100", without("--eval-prompt-data arith ${TEST_FILES}"))
    made("eval-interval-zero", "--eval-interval 0", instead("--eval-interval 100", "--eval-interval 0"))
    made("no-length", BOTH_LAUNCHES, without("--num-rollout ${NUM_ROLLOUT}"))
    made("ppo", "--advantage-estimator ppo", instead("--advantage-estimator grpo", "--advantage-estimator ppo"))
    made(
        "reinforce-plus-plus",
        "--advantage-estimator reinforce_plus_plus",
        instead("--advantage-estimator grpo", "--advantage-estimator reinforce_plus_plus"),
    )
    made(
        "reinforce-with-normalize",
        ("--advantage-estimator reinforce_plus_plus_baseline", "--normalize-advantages"),
        instead("--advantage-estimator grpo", "--advantage-estimator reinforce_plus_plus_baseline"),
        below("--eps-clip 0.2", "--normalize-advantages"),
    )
    made("tis-and-rollout-logprobs", "--use-rollout-logprobs", below("--use-tis", "--use-rollout-logprobs"))
    made(
        "selective-with-method",
        ("--recompute-method uniform", "--recompute-num-layers 1"),
        instead("--recompute-granularity full", "--recompute-granularity selective"),
    )
    made("full-without-method", "--recompute-granularity full", without("--recompute-method uniform"))
    made("no-response-length", BOTH_LAUNCHES, without("--rollout-max-response-len 1024"))
    made(
        "cp-without-per-token-loss",
        "--context-parallel-size 2",
        instead("--tensor-model-parallel-size 4", "--tensor-model-parallel-size 2"),
        instead("--context-parallel-size 1", "--context-parallel-size 2"),
    )
    made("custom-loss-without-path", "--loss-type custom_loss", below("--eps-clip 0.2", "--loss-type custom_loss"))
    made("mismatch-metrics-without-function", "--get-mismatch-metrics", below("--use-tis", "--get-mismatch-metrics"))
    made("top-k-zero", "--rollout-top-k 0", below("--rollout-temperature 1", "--rollout-top-k 0"))
    made("wandb-without-group", "--use-wandb", below("--use-tensorboard", "--use-wandb"))
    made("dynamic-without-cap", "--use-dynamic-batch-size", without("--max-tokens-per-gpu 9216"))
    made(
        "dynamic-global-batch-in-async",
        "--use-dynamic-global-batch-size",
        swap(
            RUN, "        --fully-async \\\n", "        --fully-async \\\n        --use-dynamic-global-batch-size \\\n"
        ),
    )
    made(
        "opd-megatron-in-async",
        "--use-opd --opd-type megatron",
        swap(RUN, "        --fully-async \\\n", "        --fully-async \\\n        --use-opd --opd-type megatron \\\n"),
    )
    made("steps-zero", "--num-steps-per-rollout 0", flags("--num-steps-per-rollout 0"))
    made("no-hf-checkpoint", BOTH_LAUNCHES, without("--hf-checkpoint ${MODEL_DIR}/Qwen3-8B"))
    made("no-prompt-data", BOTH_LAUNCHES, without('--prompt-data "${PROMPT_SET}"'))
    vision = Maker("RLX505", "vision", CHARTS_RUN)
    vision(
        "rope-fusion",
        '--hf-checkpoint "${SCRIPT_DIR}/../../models/Qwen3-VL-4B"',
        swap(CHARTS_RUN, "    --no-rope-fusion\n", ""),
        swap(
            CHARTS_RUN,
            "--hf-checkpoint ${MODEL_DIR}/Qwen3-VL-4B",
            '--hf-checkpoint "${SCRIPT_DIR}/../../models/Qwen3-VL-4B"',
        ),
        write(
            "models/Qwen3-VL-4B/config.json",
            '{"model_type": "qwen3_vl", "text_config": {"rms_norm_eps": 1e-6}, "vision_config": {}}',
        ),
        may=("RLX418",),
    )
    vision(
        "keys-without-template",
        '--multimodal-keys \'{"image":"image"}\'',
        swap(CHARTS_RUN, "    --apply-chat-template\n", ""),
    )
    sft = Maker("RLX505", "sft", SFT_RUN, may=("RLX412", "RLX508", "RLX606"))
    sft(
        "eval-config",
        "--eval-config eval.yaml",
        swap(SFT_RUN, "    --loss-type sft\n", "    --loss-type sft\n    --eval-config eval.yaml\n"),
        may=("RLX604",),
    )
    sft(
        "no-length",
        'python3 relax/entrypoints/train.py \\\n    --resource \'{"sft": [1, 0], "actor": [1, 8]}\' \\',
        swap(SFT_RUN, "    --num-epoch 2\n", ""),
    )
    sft("save-without-interval", '--save "${SAVE_DIR}/notes"', swap(SFT_RUN, "    --save-interval 100\n", ""))
    return [*made.made, *vision.made, *sft.made]


def _deprecated() -> list[Fault]:
    made = Maker("RLX506", "sft", SFT_RUN, "error|warning|advice", may=("RLX505",))
    made("sft-loss", "--loss-type sft_loss", swap(SFT_RUN, "--loss-type sft", "--loss-type sft_loss"))
    made("sft-dash-loss", "--loss-type", swap(SFT_RUN, "--loss-type sft", "--loss-type=sft-loss"))
    made(
        "position-embedding",
        "scripts/models/qwen3-4B.sh|--use-rotary-position-embeddings",
        swap("scripts/models/qwen3-4B.sh", "--position-embedding-type rope", "--use-rotary-position-embeddings"),
        path="scripts/models/qwen3-4B.sh",
    )
    return made.made


def _paths() -> list[Fault]:
    named = Maker("RLX201", "text", RUN, may=("RLX507", "RLX802", "RLX801"))
    made = Maker("RLX507", "text", RUN, may=("RLX201", "RLX802", "RLX801"))
    named("no-module", "--custom-rm-path", swap(RUN, RM_PATH, "--custom-rm-path examples.arith.rewards.reward_func"))
    named(
        "no-package", "--custom-rm-path", swap(RUN, RM_PATH, "--custom-rm-path examples.aritm.reward_arith.reward_func")
    )
    made("file", "--custom-rm-path", swap(RUN, RM_PATH, "--custom-rm-path examples/arith/reward_arith.py"))
    made(
        "file-and-name",
        "--custom-rm-path",
        swap(RUN, RM_PATH, "--custom-rm-path examples/arith/reward_arith.py:reward_func"),
    )
    made("colon", "--custom-rm-path", swap(RUN, RM_PATH, "--custom-rm-path examples.arith.reward_arith:reward_func"))
    made("slashes", "--custom-rm-path", swap(RUN, RM_PATH, "--custom-rm-path examples/arith/reward_arith.reward_func"))
    named("no-dot", "--custom-rm-path", swap(RUN, RM_PATH, "--custom-rm-path reward_func"))
    named("module-only", "--custom-rm-path", swap(RUN, RM_PATH, "--custom-rm-path examples.arith.reward_arith"))
    named("equals", "--custom-rm-path=", swap(RUN, RM_PATH, "--custom-rm-path=examples.arith.scores.reward_func"))
    made(
        "filter", "--dynamic-sampling-filter-path", flags("--dynamic-sampling-filter-path examples.arith.filters.keep")
    )
    made(
        "filter-function",
        "--dynamic-sampling-filter-path",
        flags("--dynamic-sampling-filter-path examples.arith.reward_arith.keep"),
    )
    made(
        "rollout-function",
        "--rollout-function-path",
        flags("--rollout-function-path examples.arith.rollout.generate_rollout"),
        may=("RLX408", "RLX508"),
    )
    made(
        "post-process",
        "--custom-reward-post-process-path",
        flags("--custom-reward-post-process-path examples.arith.post.process"),
    )
    made("class", "--data-source-path", flags("--data-source-path examples.arith.reward_arith.Source"))
    made(
        "loss",
        "--custom-tis-function-path",
        flags("--custom-tis-function-path examples/arith/tis.py", below="    --use-tis\n"),
    )
    named(
        "module-in-variable",
        '--custom-rm-path "${REWARD}"',
        swap(RUN, RM_PATH, '--custom-rm-path "${REWARD}"'),
        swap(RUN, "ROLLOUT_ARGS=(", "REWARD=examples.arith.rewards.reward_func\nROLLOUT_ARGS=("),
    )
    turns = Maker("RLX507", "turns", DESK_RUN, may=("RLX306", "RLX307", "RLX802", "RLX213", "RLX305"))
    named.made.append(
        Fault(
            "no-module",
            "turns",
            "RLX306",
            DESK_RUN,
            ("--custom-generate-function-path",),
            (swap(DESK_RUN, "examples.desk.rollout.generate", "examples.desk.rollouts.generate"),),
        )
    )
    turns(
        "generate-file",
        "--custom-generate-function-path",
        swap(DESK_RUN, "examples.desk.rollout.generate", "examples/desk/rollout.py:generate"),
    )
    sft = Maker("RLX507", "sft", SFT_RUN)
    sft(
        "init-hook",
        "--custom-megatron-init-path",
        write("examples/notes/hooks.py", "def init(args):\n    return None\n"),
        swap(
            SFT_RUN,
            "    --loss-type sft\n",
            "    --loss-type sft\n    --custom-megatron-init-path examples.notes.hook.init\n",
        ),
        may=("RLX801",),
    )
    return [*named.made, *made.made, *turns.made, *sft.made]


def _void() -> list[Fault]:
    made = Maker("RLX508", "text", RUN, "warning|advice", may=("RLX505", "RLX502"))
    made("tokens-without-dynamic", "--max-tokens-per-gpu", without("--use-dynamic-batch-size"))
    made("opd-without-use", "--opd-kl-coef", below("--eps-clip 0.2", "--opd-kl-coef 1.0"))
    made("agent-without-use", "--agent-command", flags("--agent-command 'python3 app.py'"))
    made(
        "eval-data-and-config",
        "--eval-prompt-data arith ${TEST_FILES}",
        write("examples/arith/eval.yaml", "eval:\n  datasets:\n    - name: arith\n      path: /data/test.jsonl\n"),
        below("--eval-interval 100", "--eval-config examples/arith/eval.yaml"),
    )
    made("sglang-tp", "--sglang-tp-size", below("--sglang-mem-fraction-static 0.8", "--sglang-tp-size 2"))
    made("gamma", "--gamma", below("--eps-clip 0.2", "--gamma 0.9"))
    made("dual-clip", "--eps-clip-c", below("--eps-clip 0.2", "--eps-clip-c 3"))
    made("tis-clip-without-tis", "--tis-clip", instead("--use-tis", "--tis-clip 2.0"), severity="warning|advice")
    made("teacher", "--teacher-hf-checkpoint", flags("--teacher-hf-checkpoint ${MODEL_DIR}/Teacher"))
    sft = Maker("RLX508", "sft", SFT_RUN, "warning|advice", may=("RLX505",))
    sft(
        "estimator",
        "--advantage-estimator",
        swap(SFT_RUN, "    --loss-type sft\n", "    --loss-type sft\n    --advantage-estimator gspo\n"),
    )
    sft("clip", "--eps-clip", swap(SFT_RUN, "    --loss-type sft\n", "    --loss-type sft\n    --eps-clip 0.2\n"))
    return [*made.made, *sft.made]


FAULTS = [*_refused(), *_deprecated(), *_paths(), *_void()]
