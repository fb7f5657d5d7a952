#!/bin/sh
#SBATCH --nodes=8
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=1
#SBATCH --mem=32G
#SBATCH --job-name=spinor
# A search with a process on each node of a Slurm job:
#
#   sbatch examples/cluster/slurm.sh model.pml --max-memory 28G [more options of spinor check]
#
# The file with the addresses, the checkpoints and the model are in the directory of the job, which all nodes see. Who is
# started again after a failure goes on: add --resume checkpoint in place of --checkpoint checkpoint.
set -eu
hosts=hosts.$SLURM_JOB_ID
scontrol show hostnames "$SLURM_JOB_NODELIST" | sed 's/$/:7000/' > "$hosts"
export SPINOR="${SPINOR:-spinor}"
# shellcheck disable=SC2016
srun --kill-on-bad-exit=0 sh -c '
    hosts=$1
    shift
    if [ "$SLURM_PROCID" -eq 0 ]; then
        exec "$SPINOR" check "$@" --hosts "$hosts" --host-index 0
    fi
    exec "$SPINOR" check --hosts "$hosts" --host-index "$SLURM_PROCID"
' spinor "$hosts" "$@"
