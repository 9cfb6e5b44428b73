"""Break one line at a time and see whether the responsible tests notice: python tests/mutation/mutate.py.

Each mutation is a line of the paper's method turned into a plausible mistake. The package is copied,
the one line is changed in the copy, and the named tests run against it. A mutation that survives
means that a test is missing. Results: results/mutation.json; ``--only WORD`` tries a few."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "src"))

from phage.provenance import provenance
from phage.storage import write_json


class Mutation(NamedTuple):
    """A line, what it becomes, and who should notice."""

    name: str
    file: str
    line: str
    becomes: str
    tests: str


GRAPH = "tests/graph/test_build.py tests/graph/test_oracle.py tests/graph/test_properties.py"
MUTATIONS = (
    Mutation(
        "mask order: [CLS] row before [CLS] column",
        "attention/batch.py",
        "    codes[0] = int(Code.FREE)\n",
        "    codes[0] = int(Code.FREE)\n    codes[:, 0] = int(Code.CLOSED)\n",
        "tests/attention/test_example.py",
    ),
    Mutation(
        "[CLS] rule: other tokens do not see it",
        "attention/batch.py",
        "    codes[0] = int(Code.FREE)\n",
        "    codes[0] = int(Code.FREE)\n    codes[:, 0] = int(Code.FREE)\n",
        "tests/attention/test_example.py",
    ),
    Mutation(
        "mask: an edge opens one direction only",
        "attention/batch.py",
        "np.where(projection.relations > 0, projection.relations, codes[1:, 1:])",
        "np.where((two := projection.relations + projection.relations.T) > 0, two, codes[1:, 1:])",
        "tests/attention/test_example.py",
    ),
    Mutation(
        "a patent without edges is open",
        "attention/batch.py",
        "    if projection.open:\n",
        "    if not projection.numbers:\n",
        "tests/attention/test_example.py",
    ),
    Mutation(
        "packed rows: each patent's own [CLS]",
        "attention/batch.py",
        "hidden[self.cls[:, 0], self.cls[:, 1]]",
        "hidden[self.cls[:, 0], self.cls[:, 1] * 0]",
        "tests/attention/test_batch.py",
    ),
    Mutation(
        "pooling of a claim without [CLS]",
        "attention/batch.py",
        "one.claims + (node + 1)",
        "np.maximum(one.claims + (node + 1), node + 1)",
        "tests/attention/test_example.py tests/attention/test_batch.py",
    ),
    Mutation(
        "softplus of the biases",
        "attention/bias.py",
        "nn.functional.softplus(self.raw)",
        "nn.functional.relu(self.raw + 0.6931472)",
        "tests/attention/test_example.py",
    ),
    Mutation(
        "direction of edges in the table",
        "projection.py",
        "table[place[edge.target], place[edge.source]] = CODES",
        "table[place[edge.source], place[edge.target]] = CODES",
        "tests/test_projection.py",
    ),
    Mutation(
        "closure, not only direct citations, excludes",
        "graph/build.py",
        "above = ancestors((edge.source, edge.target) for edge in cites)",
        "above = {edge.target: 1 << edge.source for edge in cites}",
        GRAPH,
    ),
    Mutation(
        "both is a type of its own",
        "graph/build.py",
        "            relation = Relation.BOTH\n",
        "            relation = Relation.TERM\n",
        GRAPH,
    ),
    Mutation(
        "couplings are counted before frequent terms fall away",
        "graph/build.py",
        "number: found[: settings.max_components]",
        "number: found[: settings.max_components + 4]",
        GRAPH,
    ),
    Mutation(
        "the first introduction of a term is its source",
        "graph/terms.py",
        "defined.setdefault(mention.term, number)",
        "defined[mention.term] = number",
        GRAPH,
    ),
    Mutation(
        "rho: more than, not as much as",
        "graph/terms.py",
        "if counts[mention.term] <= limit",
        "if counts[mention.term] < limit",
        GRAPH,
    ),
    Mutation(
        "contrast of claims: the denominator leaves out the claim itself",
        "objective.py",
        "closed = self | ~present[:, None, :]",
        "closed = ~present[:, None, :] | (self & False)",
        "tests/test_objective.py",
    ),
    Mutation(
        "contrast of patents: the sign",
        "objective.py",
        "-F.logsigmoid((near - far) / temperature)",
        "-F.logsigmoid((far - near) / temperature)",
        "tests/test_objective.py",
    ),
    Mutation(
        "in-batch negatives: none of the same class",
        "objective.py",
        "logits.masked_fill(same & ~own, -torch.inf)",
        "logits.masked_fill(same & ~own & False, -torch.inf)",
        "tests/test_objective.py",
    ),
    Mutation(
        "softplus of the claim weights",
        "training/model.py",
        "nn.functional.softplus(self.raw_weights)",
        "torch.exp(self.raw_weights)",
        "tests/training/test_model.py",
    ),
    Mutation(
        "hash split: big-endian, 70 / 10 / 20",
        "evaluation/split.py",
        '.digest(), "big") % 100',
        '.digest(), "little") % 100',
        "tests/evaluation/test_datasets.py",
    ),
    Mutation(
        "mean pooling leaves padding out",
        "encoder/forward.py",
        "weights = mask.unsqueeze(-1).to(hidden.dtype)",
        "weights = torch.ones_like(mask).unsqueeze(-1).to(hidden.dtype)",
        "tests/encoder/test_encoder.py",
    ),
    Mutation(
        "claim vectors without [CLS] and [SEP]",
        "encoder/windows.py",
        "np.nonzero(tokens.claims[:-1] >= 0)",
        "np.nonzero(tokens.claims >= 0)",
        "tests/encoder/test_windows.py",
    ),
)


def survives(mutation: Mutation, folder: Path) -> tuple[bool, str]:
    """Try one; say whether no test failed, and which one did."""
    copy = folder / "src"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(ROOT / "src", copy, ignore=shutil.ignore_patterns("__pycache__"))
    path = copy / "phage" / mutation.file
    text = path.read_text(encoding="utf-8")
    if text.count(mutation.line) != 1:
        raise SystemExit(f"{mutation.file} does not hold this once: {mutation.line!r}")
    path.write_text(text.replace(mutation.line, mutation.becomes), encoding="utf-8")
    words = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-m", "not slow"]
    words += ["-o", f"pythonpath={copy}", *mutation.tests.split()]
    done = subprocess.run(
        words, cwd=ROOT, env={**os.environ, "OMP_NUM_THREADS": "1"}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    if done.returncode not in (0, 1):
        raise SystemExit(done.stdout[-3000:] + done.stderr[-3000:])
    failed = [line for line in done.stdout.splitlines() if line.startswith("FAILED")]
    return done.returncode == 0, failed[0].split(" - ")[0].removeprefix("FAILED ") if failed else ""


def main() -> None:
    """Try all; end with 1 where one survives."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="those whose name holds this word")
    parser.add_argument("-o", "--output", default="results/mutation.json")
    asked = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for mutation in MUTATIONS:
            if asked.only in mutation.name:
                alive, by = survives(mutation, Path(folder))
                rows.append({**mutation._asdict(), "survived": alive, "killed_by": by})
                print(f"{'SURVIVED' if alive else 'killed  '}  {mutation.name}  {by}", flush=True)
    left = [row["name"] for row in rows if row["survived"]]
    print(f"{len(rows) - len(left)} of {len(rows)} killed")
    if not asked.only:
        write_json(ROOT / asked.output, {"mutations": rows, "provenance": provenance()})
    sys.exit(bool(left))


if __name__ == "__main__":
    main()
