#!/usr/bin/env bash
# The main job in seven steps, on fictional patents and a fictional draft; one minute of reading.
# Every line works the same on real files: put a USPTO weekly file where corpus.jsonl stands.
#
#   bash examples/demo.sh [FOLDER] [PATENTS]
set -euo pipefail
here=$(dirname "$0")
. "$here/steps.sh"
out=${1:-demo}
patents=${2:-60}
draft=$here/draft.txt
rm -rf "$out"
mkdir -p "$out"

say "1 · Read: patent files of any office become one table. These patents are fictional."
step phage demo-corpus -n "$patents" -o "$out/corpus.jsonl"
step phage read "$out/corpus.jsonl" -o "$out/patents.parquet"

say "2 · Graph: each claim of a draft, linked to the earlier claims that it builds on. ← marks links without a reference."
step phage show "$draft"
step phage show "$draft" -o "$out/graph.svg"
step phage graph "$out/patents.parquet" -o "$out/graphs.parquet"

say "3 · Check: the draft has two errors. Each is reported with its words, a reason and a remedy."
step phage check "$draft" --fail-on never --html "$out/check.html"

say "4 · Encode: one vector per patent. The small model phage-mini reads plain text and needs no claim graph."
step phage encode phage-mini "$out/patents.parquet" -o "$out/vectors"

say "5 · Index: patents and claims, ready for search."
step phage index "$out/patents.parquet" -o "$out/my.index"

say "6 · Search: the patents most similar to the draft, each with the pair of claims that match best."
step phage search "$out/my.index" "@$draft" --top 2

say "7 · Page: the results of these steps on one page."
step python "$here/demo_page.py" "$out"

printf '\nDone in %d s. Next:\n' $((SECONDS - started))
printf '  open %s in a browser\n' "$out/index.html"
printf '  phage serve %-22s search and claim graphs in the browser\n' "$out/my.index"
printf '  make demo-train                    train and evaluate a small model, some minutes\n'
