# ruff: noqa
# mypy: ignore-errors
"""Print results, newest last: python show.py results.jsonl [LINES]."""

import json
import sys

KEYS = ("wk_dev", "wk_val", "wk_test", "wk_all", "ind", "fld", "wk_mic", "wk_mac", "wk_nmi", "ind_mic", "ind_mac",
        "ind_nmi", "fld_mic", "fld_mac", "fld_nmi", "train_s", "read_s")  # fmt: skip
try:
    rows = [json.loads(line) for line in open(sys.argv[1])]
except FileNotFoundError:
    rows = []
keys = [k for k in KEYS if any(k in r for r in rows)]
print("run a read " + " ".join(keys))
for r in rows[-int(sys.argv[2]) if len(sys.argv) > 2 else None :]:
    cells = [
        "-" if k not in r else f"{r[k]:.0f}" if k.endswith("_s") else f"{r[k]:.3f}"[1:]
        for k in keys
    ]
    print(
        r["name"],
        r["alpha"],
        r["read"] + ("*" if r.get("test") else ""),
        *cells,
        r.get("error", ""),
    )
