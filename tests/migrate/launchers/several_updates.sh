#!/bin/bash
# Four updates of each rollout, everything from variables.
set -u
BATCH=${BATCH:-128}
MINI=$((BATCH / 4))
GROUP=8
LR="${LR:-5e-7}"
NODES=1 GPUS=8
DATA="${DATA_ROOT:-/data}/orz"

common="data.train_files=$DATA/train.parquet data.val_files=$DATA/test.parquet data.train_batch_size=$BATCH"
model="actor_rollout_ref.model.path=Qwen/Qwen3-8B actor_rollout_ref.rollout.name=sglang"

python3 -m verl.trainer.main_ppo $common $model \
    algorithm.adv_estimator=grpo \
    data.max_prompt_length=1024 \
    data.max_response_length=$((BATCH * 32)) \
    actor_rollout_ref.actor.optim.lr=$LR \
    actor_rollout_ref.actor.ppo_mini_batch_size=$MINI \
    actor_rollout_ref.actor.clip_ratio_high=0.25 \
    actor_rollout_ref.actor.entropy_coeff=-0.0005 \
    actor_rollout_ref.rollout.n=$GROUP \
    trainer.n_gpus_per_node=$GPUS trainer.nnodes=$NODES \
    trainer.save_freq=100 trainer.test_freq=20 trainer.total_epochs=1 \
    2>&1 | tee train.log
