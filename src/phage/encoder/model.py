"""Patents → vectors, graph-free.

In:   a model folder or name, and texts or patents.
Out:  one row per input, float32, of unit length unless the folder says otherwise; or one per claim.
Why:  the paper's promise: after training, a stock encoder and one forward pass, no claim graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from phage.backbone import check_fit, load_config, load_model, load_tokenizer
from phage.claims.text import Section
from phage.claims.types import Patent
from phage.compiled import compile_layers
from phage.encoder.batches import (
    Tokens,
    by_length,
    chunk_starts,
    in_windows,
    pad,
    rounded,
    sentence_transformers_batches,
    sentence_transformers_order,
    tokenise,
)
from phage.encoder.claims import ClaimVectors, ClaimWindow, claim_windows
from phage.encoder.forward import last_hidden, pool
from phage.encoder.inputs import Advance, OnCut, checked_claims, listed, spelled, tell
from phage.encoder.loading import device_of, find_model
from phage.encoder.packed import packed
from phage.encoder.settings import EncoderSettings, Long, Pooling, checked_window, read_settings
from phage.errors import PhageError, chosen
from phage.storage import writing
from phage.vector_files import checked_vectors

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

CHUNK = 2048
"""Texts tokenised at once: enough to sort well by length, little enough to stay in memory."""
FIRST = 256
"""Texts of the first chunk on a GPU, which has nothing to do until they are tokenised."""


class Encoder:
    """A frozen encoder: ``Encoder.from_pretrained("phage-mini").encode(patents)``."""

    def __init__(
        self,
        model: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase,
        settings: EncoderSettings,
        name: str = "",
    ) -> None:
        """Join a model with its tokenizer; ``from_pretrained`` is the usual way here."""
        self.model = model.eval()
        self.tokenizer = tokenizer
        self.settings = settings
        self.name = name

    @classmethod
    def from_pretrained(
        cls,
        source: Path | str,
        *,
        pooling: Pooling | str | None = None,
        window: int | None = None,
        prompt: str | None = None,
        device: str | torch.device | None = None,
        half: bool = False,
    ) -> Encoder:
        """Load the embedded model, a folder (ours, sentence-transformers, plain) or a hub name.

        The folder must be whole (``phage.backbone``). What is not said here is taken from the folder: its pooling, window, prompt and whether it
        normalises. A plain transformers folder says nothing: [CLS], normalised, its whole window.
        Weights are float32 on a CPU, and bfloat16 on a GPU or with ``half`` (``fast_half``).
        """
        folder = find_model(source)
        home = device_of(device)
        dtype = torch.bfloat16 if half or home.type == "cuda" else torch.float32
        config = load_config(folder)
        tokenizer = load_tokenizer(folder)
        said = read_settings(folder, config, tokenizer)
        model = load_model(folder, config, dtype)
        check_fit(folder, tokenizer, model)
        settings = EncoderSettings(
            chosen(Pooling, pooling) if pooling else said.pooling,
            checked_window(window, said.window, config),
            said.normalise,
            said.prompt if prompt is None else prompt,
        )
        return cls(model.to(home), tokenizer, settings, str(source))

    def save_pretrained(self, folder: Path | str) -> None:
        """Write a sentence-transformers folder that any tool loads as it is."""
        from phage.model_folder import Reading, write

        if not self.settings.normalise:
            raise PhageError(
                "only encoders that normalise are saved",
                remedy="copy the folder it was loaded from",
            )
        said = self.settings
        with writing(folder):
            reads = Reading(said.window, str(said.pooling), said.prompt)
            write(folder, self.model, self.tokenizer, reads)

    def compile(self) -> None:
        """Compile the layers: for long runs on a GPU, where half a minute at the start is little."""
        # where [CLS] alone is wanted, only parts of the last one are used
        compile_layers(self.model, but_last=int(self.settings.pooling is Pooling.CLS))

    @property
    def dimension(self) -> int:
        """Width of the vectors."""
        return int(self.model.config.hidden_size)

    @property
    def device(self) -> torch.device:
        """Where the model lives."""
        return torch.device(self.model.device)

    def encode(
        self,
        items: Iterable[str | Patent],
        *,
        section: Section | str = Section.CLAIMS,
        long: Long | str = Long.CUT,
        batch_tokens: int | None = None,
        advance: Advance | None = None,
        on_cut: OnCut | None = None,
    ) -> NDArray[np.float32]:
        """Give one vector per item, in order.

        ``section`` says what of a patent is read, ``long`` what happens to texts beyond the window
        (a cut is warned about once, with counts; ``on_cut`` is told instead, where it is given),
        ``advance`` is told how many are done.

        On a CPU the batches are those of ``SentenceTransformer.encode``, so that the vectors are the
        same to the bit. With ``batch_tokens`` (tokens per batch; the default on a GPU) batches are
        made of like lengths, weights are laid out for the processor and, where [CLS] is the vector,
        the last layer computes only what it needs: faster, and equal within 1e-5.
        """
        given, part, how = listed(items), chosen(Section, section), chosen(Long, long)
        if batch_tokens is not None and batch_tokens < 1:
            raise PhageError(f"no batch has {batch_tokens} tokens", remedy="1 or more, or None")
        vectors = np.empty((len(given), self.dimension), dtype=np.float32)
        cut = 0
        exact = how is Long.CUT and not batch_tokens and self.device.type != "cuda"
        order = list(range(len(given)))
        if exact:
            order = sentence_transformers_order(spelled(item, part) for item in given)
        fast = packed(self.model, batch_tokens) if batch_tokens else nullcontext()
        with fast, ThreadPoolExecutor(1) as ahead:  # tokenises the next chunk while this one runs
            for rows, texts, tokens in self._chunks(given, order, part, how, ahead):
                if how is Long.MEAN:
                    vectors[rows] = self._encode_windows(texts, batch_tokens)
                    if advance:
                        advance(len(rows))
                else:
                    batches = sentence_transformers_batches(len(rows)) if exact else None
                    vectors[rows] = self._encode_ids(tokens.ids, batches, batch_tokens, advance)
                    cut += tokens.cut
        said = f"{cut:,} of {len(given):,} texts are longer than the window of "
        said += f"{self.settings.window} tokens and were cut; long='mean' averages over windows"
        tell(cut, said, on_cut)
        return checked_vectors(vectors, range(1, len(given) + 1), self.name)

    def encode_claims(
        self,
        patents: Iterable[Patent],
        *,
        on_cut: OnCut | None = None,
        advance: Advance | None = None,
    ) -> list[ClaimVectors]:
        """Give one vector per claim (the mean of its tokens) from a single pass over each patent.

        Claims beyond the window are read in further windows; only a claim longer than a window is
        cut (told as by ``encode``). ``advance`` is told how many windows are done.
        """
        given: Sequence[Patent] = checked_claims(listed(patents))
        windows: list[ClaimWindow] = []
        for row, patent in enumerate(given):
            windows += claim_windows(row, patent.claims, self.tokenizer, self.settings)
        width = self.dimension
        vectors = [np.zeros((len(p.claims), width), dtype=np.float32) for p in given]
        whole = np.zeros((len(given), width), dtype=np.float32)
        for rows in by_length([len(window.ids) for window in windows], self._budget):
            group = [windows[row] for row in rows]
            hidden, mask = self._hidden([window.ids for window in group])
            pooled = self._scaled(pool(hidden, mask, self.settings.pooling)).cpu().numpy()
            for place, window in enumerate(group):
                if window.first:
                    whole[window.row] = pooled[place]
                means = [hidden[place, a:b].float().mean(0) for _, a, b in window.claims]
                scaled = self._scaled(torch.stack(means)).cpu().numpy()
                for (claim, _, _), vector in zip(window.claims, scaled, strict=True):
                    vectors[window.row][claim] = vector
            if advance:
                advance(len(rows))
        for patent, made in zip(given, vectors, strict=True):
            checked_vectors(made, [patent.number] * len(made), self.name)
        cut = sum(window.cut for window in windows)
        said = f"{cut:,} of {sum(map(len, vectors)):,} claims are longer than the window of "
        tell(cut, said + f"{self.settings.window} tokens and were cut", on_cut)
        return [
            ClaimVectors(tuple(c.number for c in patent.claims), rows, whole[index])
            for index, (patent, rows) in enumerate(zip(given, vectors, strict=True))
        ]

    def _chunks(
        self,
        items: Sequence[Any],
        order: list[int],
        section: Section,
        long: Long,
        ahead: ThreadPoolExecutor,
    ) -> Iterator[tuple[list[int], list[str], Tokens]]:
        """Give (rows, texts, tokens) of each chunk of the order, one chunk ahead of the model."""
        first = FIRST if self.device.type == "cuda" else CHUNK
        starts = chunk_starts(len(order), first, CHUNK)
        chunks = [order[start:end] for start, end in pairwise([*starts, len(order)])]

        def make(rows: list[int]) -> tuple[list[int], list[str], Tokens]:
            texts = [self.settings.prompt + spelled(items[row], section) for row in rows]
            if long is Long.MEAN:
                return rows, texts, Tokens([], 0)
            return rows, texts, tokenise(texts, self.tokenizer, self.settings.window)

        coming = [ahead.submit(make, rows) for rows in chunks[:1]]
        for following in chunks[1:]:
            coming.append(ahead.submit(make, following))
            yield coming.pop(0).result()
        for last in coming:
            yield last.result()

    def _encode_windows(self, texts: list[str], budget: int | None) -> NDArray[np.float32]:
        """Average over consecutive windows of each text."""
        pieces, owners = in_windows(texts, self.tokenizer, self.settings.window)
        parts = torch.from_numpy(self._encode_ids(pieces, None, budget))
        at = torch.tensor(owners)
        sums = torch.zeros(len(texts), self.dimension).index_add_(0, at, parts)
        return self._scaled(sums / torch.bincount(at)[:, None]).numpy()

    def _encode_ids(
        self,
        ids: list[list[int]],
        batches: Iterator[list[int]] | None,
        budget: int | None,
        advance: Advance | None = None,
    ) -> NDArray[np.float32]:
        vectors = np.empty((len(ids), self.dimension), dtype=np.float32)
        brief = batches is None  # made for speed: also skip what [CLS] does not need
        chosen = batches or by_length([len(tokens) for tokens in ids], budget or self._budget)
        pending: list[tuple[list[int], Tensor]] = []
        for rows in chosen:
            hidden, mask = self._hidden([ids[row] for row in rows], brief=brief)
            pending.append((rows, self._scaled(pool(hidden, mask, self.settings.pooling))))
            if advance:
                advance(len(rows))
        for rows, pooled in pending:  # only now: a GPU is not waited for between batches
            vectors[rows] = pooled.cpu().numpy()
        return vectors

    @property
    def _budget(self) -> int:
        return 65_536 if self.device.type == "cuda" else 4_096

    @torch.inference_mode()
    def _hidden(self, batch: list[list[int]], *, brief: bool = False) -> tuple[Tensor, Tensor]:
        longest = max(map(len, batch))
        if brief and self.device.type == "cpu":  # oneDNN keeps a program for every shape
            longest = rounded(longest, self.settings.window)
        ids, mask = pad(batch, self.tokenizer.pad_token_id or 0, self.device, longest)
        padded = min(map(len, batch)) < longest
        brief = brief and self.settings.pooling is Pooling.CLS
        return last_hidden(self.model, ids, mask if padded else None, first_only=brief), mask

    @torch.inference_mode()
    def _scaled(self, pooled: Tensor) -> Tensor:
        """Bring vectors to unit length, if the model wants it."""
        if self.settings.normalise:
            pooled = torch.nn.functional.normalize(pooled.float(), dim=-1)
        return pooled.float()
