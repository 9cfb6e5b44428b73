"""Other backbones to start from: trained on descriptions first, or with a longer window.

python -m benchmarks.mini.bases prepare                                    # where the patents are
python -m benchmarks.mini.bases make --data gpu/mini --out gpu/bases       # on the GPU machine

In:   the backbone with the vocabulary of patents; descriptions, a number line before each.
Out:  ``descriptions.npy.xz`` (rows of 512 ids, uint16); then ``OUT/mlm`` and ``OUT/long``, stock
      BertModels with tokenizer, which variants of the plan name by ``start``.
Why:  rows are 8 MB where two more backbones would be 90, and a GPU makes those in seconds. Rows are
      of training patents alone: no text of a validation or test patent is learnt from."""

from __future__ import annotations

import os

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # the batches of one core
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # the same sums in every run

import argparse
import hashlib
import lzma
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from phage.errors import PhageError
from phage.storage import atomic, sha256, write_json

ROOT = Path(__file__).parents[2]
DESCRIPTIONS = ROOT.parent / "shared" / "data" / "uspto-grants-2014-01-07.descriptions.txt.xz"
FILE = "descriptions.npy.xz"
WINDOW, LONG = 512, 1_024
ROWS = 18_000
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9, "lc": 3, "lp": 1, "pb": 1}]
"""For numbers of two bytes."""


def descriptions(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    r"""Give numbers and texts: a number line, paragraphs, a blank line.

    >>> list(descriptions(["US1A\n", "A pump.\n", "It pumps.\n", "\n", "\n", "US2A\n", "A seal.\n"]))
    [('US1A', 'A pump. It pumps.'), ('US2A', 'A seal.')]
    """
    part: list[str] = []
    for line in (*lines, ""):
        if line.strip():
            part.append(line.strip())
        elif part:
            yield part[0], " ".join(part[1:])
            part = []


def packed(
    texts: Iterable[tuple[str, str]], tokenizer: Any, window: int, rows: int
) -> tuple[np.ndarray, int]:
    """Cut texts into whole rows, ``[CLS] … [SEP]``; keep those of the lowest hashes, in order.

    Also gives the number of rows that there are.
    """
    found: list[tuple[bytes, int, np.ndarray]] = []
    inner = window - 2
    for number, text in texts:
        ids = tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        for at in range(0, len(ids) - inner + 1, inner):
            key = hashlib.sha256(f"row {at // inner} of {number}".encode()).digest()
            row = np.empty(window, dtype=np.uint16)
            row[0], row[-1] = tokenizer.cls_token_id, tokenizer.sep_token_id
            row[1:-1] = ids[at : at + inner]
            found.append((key, len(found), row))
    kept = sorted(sorted(found, key=lambda one: one[0])[:rows], key=lambda one: one[1])
    if not kept:
        raise PhageError(f"no description is as long as a row of {window} tokens")
    return np.stack([row for *_, row in kept]), len(found)


def prepare(folder: Path, source: Path, rows: int = ROWS) -> None:
    """Write rows from descriptions of the week's training patents beside its corpora."""
    from benchmarks.mini import corpora
    from transformers import AutoTokenizer

    from phage.provenance import provenance

    tokenizer = AutoTokenizer.from_pretrained(folder / "base")
    week = corpora.load(folder, corpora.WEEK)
    trained = {str(week.documents.numbers[row]) for row in week.train}
    with lzma.open(source, "rt", encoding="utf-8") as lines:
        texts = [(number, text) for number, text in descriptions(lines) if number in trained]
    made, every = packed(texts, tokenizer, WINDOW, rows)
    path = folder / FILE
    with atomic(path) as partial, lzma.open(partial, "wb", filters=FILTERS) as out:
        np.save(out, made)
    told = {
        "rows": len(made), "of": every, "window": WINDOW, "patents": len(texts),
        "read": "those of the week's training patents alone",
        "bytes": path.stat().st_size, "sha256": sha256(path), "provenance": provenance([source]),
    }  # fmt: skip
    write_json(folder / "descriptions.json", told)
    print(f"{len(made):,} of {every:,} rows of {len(texts):,} patents, {told['bytes']:,} bytes")


def read_rows(folder: Path) -> np.ndarray:
    """Read the rows back: (rows, window) uint16."""
    with lzma.open(folder / FILE, "rb") as packed_rows:
        return np.load(packed_rows, allow_pickle=False)


@dataclass(frozen=True)
class Masked:
    """How masked-language training goes."""

    passes: int = 2
    batch: int = 128
    rate: float = 1e-4
    head: float = 10.0
    """How much faster the head learns: it starts with nothing, the backbone does not."""
    warmup: float = 0.1
    share: float = 0.15
    seed: int = 1
    deadline: float = 60.0
    """Seconds; what is learnt by then is kept, and told."""


class Head(nn.Module):
    """Hidden states → word pieces, by the backbone's own table of pieces."""

    def __init__(self, width: int, pieces: int) -> None:
        """Start with what changes least: an identity."""
        super().__init__()
        self.dense = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width, eps=1e-12)
        self.bias = nn.Parameter(torch.zeros(pieces))
        nn.init.eye_(self.dense.weight)
        nn.init.zeros_(self.dense.bias)

    def forward(self, states: Tensor, table: Tensor) -> Tensor:
        """(n, D) and (V, D) → (n, V)."""
        inner = self.norm(nn.functional.gelu(self.dense(states)))
        return nn.functional.linear(inner, table, self.bias)


def hide(
    rows: np.ndarray, tokenizer: Any, share: float, draw: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Choose tokens and hide four fifths of them, change a tenth, leave a tenth as it is.

    Gives the rows as they are shown, and the flat places of the chosen tokens.
    """
    special = np.array(tokenizer.all_special_ids)
    chosen = (draw.random(rows.shape) < share) & ~np.isin(rows, special)
    how = draw.random(rows.shape)
    other = draw.integers(int(special.max()) + 1, len(tokenizer), rows.shape)
    shown = np.where(chosen & (how < 0.8), tokenizer.mask_token_id, rows)
    shown = np.where(chosen & (how >= 0.8) & (how < 0.9), other, shown)
    return shown.astype(np.int64), np.flatnonzero(chosen)


def pace(steps: int, warmup: float) -> list[Callable[[int], float]]:
    """Give the rates over the steps of backbone and head: up, then down to 0, in straight lines.

    The backbone waits until the head has warmed up: what an untaught head asks for is noise.

    >>> [round(rate(0), 2) for rate in pace(100, 0.1)], [round(rate(20), 2) for rate in pace(100, 0.1)]
    ([0.0, 0.1], [0.89, 0.89])
    """
    warm = max(1, round(warmup * steps))
    rest = max(1, steps - warm)
    return [
        lambda step: max(0.0, min((step + 1 - warm) / warm, (steps - step) / rest)),
        lambda step: min((step + 1) / warm, (steps - step) / rest),
    ]


def learn(model: nn.Module, tokenizer: Any, rows: np.ndarray, how: Masked) -> list[float]:
    """Train a backbone in place to guess hidden tokens; give the loss of every step."""
    device = next(model.parameters()).device
    torch.manual_seed(how.seed)  # of dropout
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.utils.deterministic.fill_uninitialized_memory = False
    draw = np.random.default_rng(how.seed)
    table = model.get_input_embeddings().weight
    head = Head(table.shape[1], table.shape[0]).to(device)
    body = [p for p in model.parameters() if p.requires_grad]
    groups = [
        {"params": body, "lr": how.rate},
        {"params": list(head.parameters()), "lr": how.head * how.rate},
    ]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
    batches = [
        order[at : at + how.batch]
        for order in (draw.permutation(len(rows)) for _ in range(how.passes))
        for at in range(0, len(rows), how.batch)
    ]
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, pace(len(batches), how.warmup))
    half = torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda")
    losses: list[Tensor] = []
    start = time.monotonic()
    model.train()
    for batch in batches:
        if time.monotonic() - start > how.deadline:
            print(f"stopped after {len(losses)} of {len(batches)} steps: {how.deadline:.0f} s")
            break
        shown, places = hide(rows[batch], tokenizer, how.share, draw)
        at = torch.from_numpy(places).to(device)
        true = torch.from_numpy(rows[batch].reshape(-1)[places].astype(np.int64)).to(device)
        with half:
            states = model(input_ids=torch.from_numpy(shown).to(device)).last_hidden_state
            guesses = head(states.flatten(0, 1).index_select(0, at), table)
        loss = nn.functional.cross_entropy(guesses.float(), true)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_([*body, *head.parameters()], 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.detach())
        if len(losses) % 16 == 0:
            losses[-16].item()  # the clock is the device's, not that of the queue before it
    torch.use_deterministic_algorithms(False)
    if not losses:
        raise PhageError("no step was made", remedy="give it more seconds: --deadline")
    return torch.stack(losses).float().cpu().tolist()


def load(folder: Path, dropout: float | None = None) -> tuple[Any, Any]:
    """Load a backbone in float32, and its tokenizer."""
    from transformers import AutoTokenizer, BertConfig, BertModel

    config = BertConfig.from_pretrained(folder)
    if dropout is not None:  # as the recipe has it: attention is faster without
        config.attention_probs_dropout_prob = dropout
    model = BertModel.from_pretrained(
        folder, config=config, dtype=torch.float32, add_pooling_layer=False
    )
    return model, AutoTokenizer.from_pretrained(folder)


def masked(base: Path, rows: np.ndarray, target: Path, how: Masked) -> list[float]:
    """Write the backbone after masked-language training."""
    model, tokenizer = load(base, dropout=0.0)
    usual = type(model.config).from_pretrained(base).attention_probs_dropout_prob
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    start = time.monotonic()
    losses = learn(model.to(device), tokenizer, rows, how)
    model.config.attention_probs_dropout_prob = usual
    model.cpu().save_pretrained(target)
    tokenizer.save_pretrained(target)
    few = max(1, len(losses) // 20)
    print(
        f"{target}: masked loss {np.mean(losses[:few]):.3f} → {np.mean(losses[-few:]):.3f} (the first "
        f"and the last {few} steps) in {len(losses)} steps, {time.monotonic() - start:.1f} s"
    )
    return losses


def stretch(base: Path, target: Path, window: int = LONG) -> None:
    """Write the backbone with position vectors for a longer window, between those it has."""
    model, tokenizer = load(base)
    old = model.embeddings.position_embeddings.weight.data  # (P, D)
    longer = nn.functional.interpolate(old.T[None], size=window, mode="linear", align_corners=True)[
        0
    ].T
    model.embeddings.position_embeddings.weight = nn.Parameter(longer.contiguous())
    model.config.max_position_embeddings = window
    model.save_pretrained(target)
    tokenizer.model_max_length = window
    tokenizer.save_pretrained(target)
    print(f"{target}: {len(old)} → {window} positions")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["prepare", "make"])
    parser.add_argument("--data", type=Path, default=Path("gpu/mini"))
    parser.add_argument("--descriptions", type=Path, default=DESCRIPTIONS)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--out", type=Path, default=Path("gpu/bases"))
    parser.add_argument("--passes", type=int, default=Masked.passes)
    parser.add_argument("--batch", type=int, default=Masked.batch)
    parser.add_argument("--seed", type=int, default=Masked.seed)
    parser.add_argument("--deadline", type=float, default=Masked.deadline, help="seconds to learn")
    options = parser.parse_args()
    if options.what == "prepare":
        prepare(options.data, options.descriptions, options.rows)
        return
    stretch(options.data / "base", options.out / "long")
    if (options.data / FILE).is_file():
        how = Masked(options.passes, options.batch, seed=options.seed, deadline=options.deadline)
        masked(options.data / "base", read_rows(options.data), options.out / "mlm", how)
    else:
        print(f"{options.out / 'mlm'} is not made: there is no {options.data / FILE}")


if __name__ == "__main__":
    main()
