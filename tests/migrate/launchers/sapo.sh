python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo actor_rollout_ref.actor.policy_loss.loss_mode=sapo \
    actor_rollout_ref.actor.tau_pos=1.5 actor_rollout_ref.actor.tau_neg=2.0 \
    data.train_files=/data/math/train.parquet data.val_files=/data/math/test.parquet data.train_batch_size=256 \
    data.max_prompt_length=2048 data.max_response_length=4096 \
    actor_rollout_ref.model.path=Qwen/Qwen3-30B-A3B actor_rollout_ref.actor.ppo_mini_batch_size=32 \
    actor_rollout_ref.rollout.name=sglang actor_rollout_ref.rollout.n=8 \
    actor_rollout_ref.rollout.tensor_model_parallel_size=4 \
    trainer.nnodes=2 trainer.n_gpus_per_node=8 trainer.save_freq=5 trainer.test_freq=10 trainer.total_epochs=2
