#!/usr/bin/env bash
# The pipeline on the embedded corpus, with the public commands, shown as they run.
set -euo pipefail
out=${1:-demo}
mkdir -p "$out"
step() { printf '\n\033[1m$ %s\033[0m\n' "$*"; "$@"; }

step phage demo-corpus -n 400 -o "$out/corpus.jsonl" --seed 7
