#!/bin/bash
# The same for three seeds, one after the other.
for seed in 1 2 3; do
    python3 -m verl.trainer.main_ppo \
        algorithm.adv_estimator=grpo \
        data.train_files=/data/gsm8k/train.parquet \
        data.val_files=/data/gsm8k/test.parquet \
        data.train_batch_size=64 \
        data.seed=$seed \
        actor_rollout_ref.model.path=Qwen/Qwen3-0.6B \
        actor_rollout_ref.actor.ppo_mini_batch_size=64 \
        actor_rollout_ref.actor.loss_agg_mode=seq-mean-token-mean \
        actor_rollout_ref.rollout.name=vllm \
        actor_rollout_ref.rollout.n=4 \
        trainer.experiment_name=seed_$seed \
        trainer.n_gpus_per_node=2 \
        trainer.save_freq=10 trainer.test_freq=5 trainer.total_epochs=2
done
