#!/bin/bash
# On the GPU machine, from the repository's root: go.sh start | go.sh poll SECONDS [FILES…]
# The driver runs in a session of its own; polls hand it the newest plan and fetch what is done.
mkdir -p /tmp/prep /tmp/code /tmp/out
cp gpu/code/plan.jsonl /tmp/plan.new && mv /tmp/plan.new /tmp/plan.jsonl
if [ ! -e /tmp/prep/mpnet.safetensors ] && [ -e gpu/m3/part ]; then
  cat gpu/m?/part > /tmp/prep/mpnet.tmp && mv /tmp/prep/mpnet.tmp /tmp/prep/mpnet.safetensors
fi
cp gpu/e/edges.npz /tmp/prep/ 2>/dev/null
if [ "$1" = start ]; then
  cp gpu/code/* /tmp/code/ && cat gpu/a?/part | tar x -C /tmp/prep
  export PYTHONPATH=$PWD/src:/tmp/code OMP_NUM_THREADS=1 PYTHONUNBUFFERED=1 TORCHINDUCTOR_COMPILE_THREADS=2
  setsid nohup python3 -c "import train; train.main()" /tmp/prep /tmp/plan.jsonl /tmp/out > /tmp/out/log 2>&1 < /dev/null &
  sleep "${2:-20}"
else
  sleep "$2"
fi
cp /tmp/out/results.jsonl /tmp/out/log "$OUT"/ 2>/dev/null
for f in "${@:3}"; do cp $f "$OUT"/; done
nvidia-smi --query-gpu=utilization.gpu,memory.used --format=csv,noheader
tail -c 300 /tmp/out/log
python3 /tmp/code/show.py /tmp/out/results.jsonl ${LINES_SHOWN:-24}
