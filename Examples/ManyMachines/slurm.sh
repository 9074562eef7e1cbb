#!/bin/bash
# One list of URLs, many machines: each task of a Slurm array downloads its own part.
#
#   sbatch --array=1-64 slurm.sh LIST FOLDER        64 parts
#   sbatch --array=3,17 slurm.sh LIST FOLDER 64     two of them again
#
# FOLDER is on a disk that the machines share, or on a local disk of each. The same line may be submitted again at any
# time, also after a task was killed: what is complete is not fetched again, and what is partial is continued.
#
#SBATCH --job-name=spate
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=spate-%a.log
set -euo pipefail

if [ $# -lt 2 ]; then
    echo 'usage: sbatch --array=1-N slurm.sh LIST FOLDER [N]' >&2
    exit 2
fi
list=$1 folder=$2 parts=${3:-}
if [ -z "$parts" ]; then
    # A task knows how many there are only if all of them run.
    if [ "$SLURM_ARRAY_TASK_MIN" != 1 ] || [ "$SLURM_ARRAY_TASK_MAX" != "$SLURM_ARRAY_TASK_COUNT" ]; then
        echo "slurm.sh: the array is not 1-N; say how many parts there are: sbatch … slurm.sh $list $folder N" >&2
        exit 2
    fi
    parts=$SLURM_ARRAY_TASK_COUNT
fi

# Of a short list nothing may fall to this part. Its folder is there all the same, for the summary.
mkdir -p -- "$folder"
# Slurm's SIGTERM reaches spate, which keeps the partial files.
exec spate --directory "$folder" --input "$list" --shard "$SLURM_ARRAY_TASK_ID/$parts" --progress plain
