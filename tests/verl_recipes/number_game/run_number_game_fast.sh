#!/usr/bin/env bash
# The same with a larger step.
set -x

PROJECT_DIR="$(pwd)"
CONFIG_PATH="$PROJECT_DIR/number_game/config"

python3 -m verl.trainer.main_ppo \
    --config-path="$CONFIG_PATH" \
    --config-name='number_game_trainer' \
    algorithm.adv_estimator=grpo \
    data.train_files=$HOME/data/number_game/train.parquet \
    data.val_files=$HOME/data/number_game/test.parquet \
    data.train_batch_size=64 \
    data.max_prompt_length=512 \
    data.max_response_length=1024 \
    actor_rollout_ref.model.path=Qwen/Qwen3-8B \
    actor_rollout_ref.actor.optim.lr=3e-6 \
    actor_rollout_ref.actor.ppo_mini_batch_size=64 \
    actor_rollout_ref.actor.use_kl_loss=True \
    actor_rollout_ref.actor.kl_loss_coef=0.001 \
    actor_rollout_ref.rollout.n=8 \
    actor_rollout_ref.rollout.multi_turn.tool_config_path="$CONFIG_PATH/tools.yaml" \
    custom_reward_function.path=number_game/scoring.py \
    custom_reward_function.name=score_game \
    trainer.n_gpus_per_node=8 \
    trainer.nnodes=1 \
    trainer.total_epochs=3 $@
