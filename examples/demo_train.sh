#!/usr/bin/env bash
# Training and evaluation on fictional patents: with the graph, without it, and before training.
# A few steps on a CPU show that everything works, not how well: for that see docs/results.md.
#
#   bash examples/demo_train.sh [FOLDER] [PATENTS]
set -euo pipefail
here=$(dirname "$0")
. "$here/steps.sh"
out=${1:-demo-train}
patents=${2:-400}
rm -rf "$out"
mkdir -p "$out"

say "1 · Fictional patents, divided into training, validation and test parts"
step phage demo-corpus -n "$patents" -o "$out/corpus.jsonl"
step phage evaluate --data-set uspto-week --path "$out/corpus.jsonl" --prepare "$out/parts"

say "2 · Train phage-mini a little further: once without the claim graph, once guided by it"
step phage train recipes/demo.toml --data "$out/parts/train.parquet" -o "$out/no-graph" \
  --set 'graph.relations=[]' --set loss.claim=0 --set loss.views=0
step phage train recipes/demo.toml --data "$out/parts/train.parquet" -o "$out/guided"

say "3 · What the guided model learned about each relation"
step phage inspect "$out/guided"

say "4 · Evaluate the three models. None of them sees a graph at this point."
for model in phage-mini "$out/no-graph" "$out/guided"; do
  step phage evaluate "$model" --name "$(basename "$model")" --window 160 \
    --data-set uspto-week --path "$out/corpus.jsonl" -o "$out/results"
done

say "5 · All results in one table"
step phage report "$out/results" --table uspto-week
printf '\nDone in %d s. The patents are fictional: docs/results.md has the figures on real ones.\n' \
  $((SECONDS - started))
