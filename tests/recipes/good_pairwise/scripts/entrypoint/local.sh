# Stand-in for the local entry point: says where model files are and starts Ray on this machine.
ENTRYPOINT_DIR="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"

export MODEL_CONFIG_DIR="${ENTRYPOINT_DIR}/../models"
export PYTHONPATH="${ENTRYPOINT_DIR}/../..:${PYTHONPATH:-}"

ray start --head --num-gpus "${NUM_GPUS:-8}" --disable-usage-stats

export RELAX_ENTRYPOINT_MODE=local
