#!/usr/bin/env bash
# The whole pipeline on the embedded corpus and model, with the public commands, shown as they run.
# Every line works the same on real files: put a USPTO weekly file where corpus.jsonl stands.
#
#   bash examples/demo.sh [FOLDER] [PATENTS]
set -euo pipefail
out=${1:-demo}
patents=${2:-400}
here=$(dirname "$0")
rm -rf "$out"
mkdir -p "$out"
started=$SECONDS
[ -t 1 ] || export COLUMNS=110 # tables need room where no terminal gives it

step() {
  printf '\n\033[1m$ %s\033[0m\n' "$*"
  "$@"
}
say() { printf '\n\033[36m%s\033[0m\n' "$*"; }

say "1 · Invented patents, each with the graph its writer had in mind"
step phage demo-corpus -n "$patents" -o "$out/corpus.jsonl" --seed 7

say "2 · Claim graphs: typed edges with their evidence; one of them drawn"
step phage graph "$out/corpus.jsonl" -o "$out/graphs.parquet"
step phage stats "$out/graphs.parquet"
step phage show "$out/corpus.jsonl" --patent ZZ1000012B2 -o "$out/graph.svg"
step phage show "$out/corpus.jsonl" --patent ZZ1000012B2

say "3 · Short training from the embedded model: without the graph, and guided by it"
step phage evaluate --data-set uspto-week --path "$out/corpus.jsonl" --prepare "$out/parts"
step phage train recipes/demo.toml --data "$out/parts/train.parquet" -o "$out/no-graph" \
  --set 'graph.relations=[]' --set loss.claim=false --set loss.views=0
step phage train recipes/demo.toml --data "$out/parts/train.parquet" -o "$out/phage"
step phage inspect "$out/phage"

say "4 · Evaluation, graph-free: before, without graph, with"
step phage evaluate phage-mini --name "before: phage-mini" --window 160 \
  --data-set uspto-week --path "$out/corpus.jsonl" -o "$out/results"
step phage evaluate "$out/no-graph" --name "No Graph" \
  --data-set uspto-week --path "$out/corpus.jsonl" -o "$out/results"
step phage evaluate "$out/phage" --name "PHAGE" \
  --data-set uspto-week --path "$out/corpus.jsonl" -o "$out/results"

say "5 · An index on disk, and a search that shows the matching claims"
step phage index "$out/parts/test.parquet" -o "$out/my.index" --model phage-mini
step phage search "$out/my.index" "a pump whose impeller is sealed against the shaft" --top 3

say "6 · All of it on one page"
step python "$here/demo_summary.py" "$out"
step phage report "$out/results" --table uspto-week
printf '\nDone in %d s. Open %s/summary.html, or search in the browser:\n  phage serve %s/my.index\n' \
  $((SECONDS - started)) "$out" "$out"
