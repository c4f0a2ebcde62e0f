#!/usr/bin/env bash
set -euxo pipefail

# Clip higher, no KL, long answers with a soft limit, a mixture of experts on four nodes.
clip_ratio_low=0.2
clip_ratio_high=0.28
max_prompt_length=$((1024 * 2))
max_response_length=$((1024 * 8))
buffer=$((1024 * 4))
prompts=64
samples=16
MODEL_PATH=${MODEL_PATH:-"${HOME}/models/Qwen3-30B-A3B"}
NNODES=${NNODES:-4}

args=(
    --config-path=config
    --config-name=ppo_megatron_trainer
    data.train_files="${HOME}/data/dapo-math-17k.parquet"
    data.val_files="${HOME}/data/aime-2024.parquet"
    data.prompt_key=prompt
    data.truncation='left'
    data.max_prompt_length=${max_prompt_length}
    data.max_response_length=${max_response_length}
    data.train_batch_size=${prompts}
    algorithm.adv_estimator=grpo
    algorithm.use_kl_in_reward=False
    algorithm.kl_ctrl.kl_coef=0.0
    actor_rollout_ref.model.path="${MODEL_PATH}"
    actor_rollout_ref.actor.use_kl_loss=False
    actor_rollout_ref.actor.kl_loss_coef=0.0
    actor_rollout_ref.actor.clip_ratio_low=${clip_ratio_low}
    actor_rollout_ref.actor.clip_ratio_high=${clip_ratio_high}
    actor_rollout_ref.actor.clip_ratio_c=10.0
    actor_rollout_ref.actor.loss_agg_mode=token-mean
    actor_rollout_ref.actor.optim.lr=1e-6
    actor_rollout_ref.actor.optim.weight_decay=0.1
    actor_rollout_ref.actor.optim.betas='[0.9, 0.95]'
    actor_rollout_ref.actor.ppo_mini_batch_size=${prompts}
    actor_rollout_ref.actor.use_dynamic_bsz=True
    actor_rollout_ref.actor.ppo_max_token_len_per_gpu=$((max_prompt_length + max_response_length))
    actor_rollout_ref.actor.megatron.tensor_model_parallel_size=4
    actor_rollout_ref.actor.megatron.expert_model_parallel_size=8
    actor_rollout_ref.actor.megatron.expert_tensor_parallel_size=1
    actor_rollout_ref.actor.megatron.param_offload=True
    +actor_rollout_ref.actor.megatron.override_transformer_config.moe_router_dtype=fp32
    actor_rollout_ref.rollout.name=vllm
    actor_rollout_ref.rollout.n=${samples}
    actor_rollout_ref.rollout.temperature=1.0
    actor_rollout_ref.rollout.top_k=-1
    actor_rollout_ref.rollout.tensor_model_parallel_size=4
    actor_rollout_ref.rollout.val_kwargs.temperature=0.6
    actor_rollout_ref.rollout.val_kwargs.top_p=0.7
    actor_rollout_ref.rollout.val_kwargs.n=4
    reward_model.reward_manager=dapo
    +reward_model.reward_kwargs.overlong_buffer_cfg.enable=True
    +reward_model.reward_kwargs.overlong_buffer_cfg.len=${buffer}
    +reward_model.reward_kwargs.overlong_buffer_cfg.penalty_factor=1.0
    +reward_model.reward_kwargs.max_resp_len=${max_response_length}
    trainer.logger='["console"]'
    trainer.nnodes="${NNODES}"
    trainer.n_gpus_per_node=8
    trainer.save_freq=10
    trainer.test_freq=10
    trainer.total_epochs=10
    trainer.total_training_steps=400
    trainer.resume_mode=auto
)
python3 -m verl.trainer.main_ppo "${args[@]}"
