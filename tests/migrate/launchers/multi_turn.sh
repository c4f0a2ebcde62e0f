set -x
# Answers with a calculator; the tools stand in a file of their own.
ulimit -n 65535
HERE="$(cd "$(dirname "$0")" && pwd)"

python3 -m verl.trainer.main_ppo \
    --config-path="$HERE/config" \
    --config-name='calculator' \
    algorithm.adv_estimator=grpo \
    data.train_batch_size=256 \
    actor_rollout_ref.model.path=Qwen/Qwen3-4B \
    actor_rollout_ref.actor.optim.lr=1e-6 \
    actor_rollout_ref.actor.ppo_mini_batch_size=256 \
    actor_rollout_ref.actor.use_kl_loss=True \
    actor_rollout_ref.rollout.n=16 \
    actor_rollout_ref.rollout.multi_turn.tool_config_path="$HERE/config/tools.yaml" \
    trainer.n_gpus_per_node=8 \
    trainer.nnodes=1 \
    trainer.total_epochs=15 "$@"
