"""Patents → vectors, graph-free.

In:   a model folder or name, and texts or patents.
Out:  one row per input, float32, of unit length unless the folder says otherwise; or one per claim.
Why:  the paper's promise: after training, a stock encoder and one forward pass, no claim graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
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
from phage.claims.window import Ints, Tokens
from phage.compiled import compile_layers
from phage.encoder import bert, loading, windows, wordpieces
from phage.encoder.batches import (
    chunk_starts,
    one_ahead,
    pad,
    rounded,
    sentence_transformers_order,
)
from phage.encoder.bert import Bert
from phage.encoder.forward import last_hidden, pool
from phage.encoder.inputs import Advance, OnCut, item_passages, listed, report_cut, several
from phage.encoder.loading import Products, device_of, find_model
from phage.encoder.packed import packed
from phage.encoder.settings import EncoderSettings, Long, Pooling, checked_window, read_settings
from phage.encoder.windows import ClaimVectors, Layout, Parts, Pass, Passed, Reads, read_items
from phage.encoder.wordpieces import WordPieces
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
        model: PreTrainedModel | Bert,
        tokenizer: PreTrainedTokenizerBase | WordPieces,
        settings: EncoderSettings,
        name: str = "",
        *,
        products: Products = Products(),  # noqa: B008  (frozen)
    ) -> None:
        """Join a model with its tokenizer; ``from_pretrained`` is the usual way here."""
        self.products = products
        self.model = model.eval()
        self.tokenizer = tokenizer
        self.settings = settings
        self.name = name

    def __repr__(self) -> str:
        """Describe it in one line."""
        size = f"{self.dimension} wide, window {self.settings.window}"
        return f"Encoder({self.name!r}, {size}, {self.device})"

    @classmethod
    def from_pretrained(  # noqa: PLR0913  (options by name)
        cls,
        source: Path | str,
        *,
        pooling: Pooling | str | None = None,
        window: int | None = None,
        prompt: str | None = None,
        device: str | torch.device | None = None,
        half: bool | None = None,
        int8: bool = False,
    ) -> Encoder:
        """Load the embedded model, a folder (ours, sentence-transformers, plain) or a hub name.

        The folder must be whole (``phage.backbone``). What is not given here is taken from the
        folder: its pooling, window, prompt, section and fit, and whether it normalises. A plain
        transformers folder states nothing: [CLS], normalised, its whole window, whole patents.
        Weights are float32 on a CPU, and bfloat16 on a GPU. On a CPU, ``half`` lets the fast way
        multiply in bfloat16 (see ``encode``); by default where the processor does so itself.
        ``int8`` lets its linear layers multiply in int8, again where the processor does so itself:
        faster still, at a cosine of about .99 with the float32 vectors.
        """
        folder = find_model(source)
        home = device_of(device)
        dtype = torch.bfloat16 if home.type == "cuda" else torch.float32
        tokenizer = wordpieces.load(folder) or load_tokenizer(folder)
        model = bert.load(folder, dtype) or load_model(folder, load_config(folder), dtype)
        said = read_settings(folder, model.config, tokenizer)
        check_fit(folder, tokenizer, model)
        settings = replace(
            said,
            pooling=chosen(Pooling, pooling) if pooling else said.pooling,
            window=checked_window(window, said.window, model.config),
            prompt=said.prompt if prompt is None else prompt,
        )
        products = Products(
            loading.fast_half() if half is None else half, int8 and loading.fast_int8()
        )
        return cls(model.to(home), tokenizer, settings, str(source), products=products)

    def save_pretrained(self, folder: Path | str) -> None:
        """Write a sentence-transformers folder that any tool loads as it is."""
        from phage.model_folder import Reading, write

        if not self.settings.normalise:
            raise PhageError(
                "only encoders with normalised vectors can be saved",
                remedy="copy the folder it was loaded from",
            )
        said, stock = self.settings, self.stock()
        with writing(folder):
            reads = Reading(
                said.window, str(said.pooling), said.prompt, said.section, said.fit, said.languages
            )
            write(folder, stock.model, stock.tokenizer, reads)

    def stock(self) -> Encoder:
        """Return the same encoder with model and tokenizer of transformers, to save or to train them.

        A BERT is read again from its folder, and then takes the weights that it has here.
        """
        if not isinstance(self.model, Bert):
            return self
        folder = find_model(self.name)
        model = load_model(folder, load_config(folder), self.model.dtype).to(self.device)
        model.load_state_dict(self.model.state_dict(), strict=False)  # all but the unused pooler
        tokenizer = load_tokenizer(folder)
        return Encoder(model, tokenizer, self.settings, self.name, products=self.products)

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

    @property
    def budget(self) -> int:
        """Tokens per batch that suit the device; on a CPU their activations stay in the cache."""
        return 65_536 if self.device.type == "cuda" else 2_048

    def encode(
        self,
        items: Iterable[str | Patent],
        *,
        section: Section | str | None = None,
        long: Long | str | None = None,
        batch_tokens: int | None = None,
        advance: Advance | None = None,
        on_cut: OnCut | None = None,
    ) -> NDArray[np.float32]:
        """Return one vector per item, in order.

        ``section`` says what of a patent is read; left out, the model folder says it. ``whole``
        reads everything, plain texts too, in as many windows as it takes. Other sections are cut to
        one window unless ``long`` is ``mean``. A cut is warned about once, with counts; ``on_cut``,
        where it is given, takes the count instead. ``advance`` is called after every batch with the
        number of items done.

        On a CPU, texts and sections of one window are batched as ``SentenceTransformer.encode``
        batches them, so that the vectors are the same to the bit. Whole patents, a GPU and
        ``batch_tokens`` (tokens per batch) take the fast way: batches of like lengths, weights laid
        out for the processor and, where [CLS] is the vector, only what it needs of the last layer.
        The vectors are equal within 1e-5, or, where products are in bfloat16, their cosine is above
        .9999.
        """
        given, reads = listed(items), Reads.of(self.settings, section, long)
        if batch_tokens is not None and batch_tokens < 1:
            raise PhageError(
                f"batch_tokens is {batch_tokens}", remedy="give 1 or more, or leave it out"
            )
        apart = reads.section is Section.WHOLE and any(isinstance(item, Patent) for item in given)
        exact = not batch_tokens and not apart and self.device.type != "cuda"
        run = self._pass(batch_tokens, advance, exact=exact)
        vectors = np.empty((len(given), self.dimension), dtype=np.float32)
        cut = 0
        layout = Layout(self.tokenizer, self.settings, reads)
        with nullcontext() if exact else packed(self.model, run.budget, self.products):
            before: tuple[list[int], Callable[[], Passed]] | None = None
            for rows, laid in one_ahead(
                self._chunks(given, reads, exact=exact),
                lambda rows: layout([given[row] for row in rows]),
            ):
                begun = run.begin(laid)
                if before is not None:  # read one chunk late: a GPU always has the next one
                    vectors[before[0]] = before[1]().vectors
                before = rows, begun
                cut += sum(any(one.cut for part in parts for one in part) for parts in laid)
            if before is not None:
                vectors[before[0]] = before[1]().vectors
        message = f"{cut:,} of {len(given):,} texts are longer than the window of "
        message += f"{self.settings.window} tokens and were cut; long='mean' averages over windows"
        report_cut(cut, message, on_cut)
        return checked_vectors(vectors, range(1, len(given) + 1), self.name)

    def encode_tokens(
        self, rows: Sequence[Sequence[int] | NDArray[np.int32]], batch_tokens: int | None = None
    ) -> NDArray[np.float32]:
        """Return one vector per row of token ids, [CLS] and [SEP] included, in the fast way."""
        run = self._pass(batch_tokens, None)
        ids = [np.asarray(row, dtype=np.int32) for row in rows]
        with packed(self.model, run.budget, self.products):
            return run([[[Tokens(row, np.full_like(row, -1))]] for row in ids]).vectors

    def read(
        self, items: Iterable[str | Patent], *, advance: Advance | None = None
    ) -> Iterator[ClaimVectors]:
        """Read whole patents in one pass: the vector of each, and one vector per claim.

        Windows break between claims where they can; a claim longer than a window is spread over
        several. Nothing is cut. A stream of any length is read chunk by chunk. A plain text counts
        as one claim. ``advance`` is called after every batch with the number of items done.
        """
        run = self._pass(None, advance, claims=True)
        layout = Layout(self.tokenizer, self.settings, Reads(claims=True))

        def passed(laid: list[Parts], claims: list[int]) -> Passed:
            with packed(self.model, run.budget, self.products):
                return run(laid, claims)

        return read_items(several(items), layout, passed, self.name)

    def _chunks(self, items: Sequence[Any], reads: Reads, *, exact: bool) -> list[list[int]]:
        """Divide the items, in the order of sentence-transformers where it must be exact."""
        order = list(range(len(items)))
        if exact:
            order = sentence_transformers_order(
                sum(len(one.text) for one in item_passages(item, reads.section)) for item in items
            )
        most = CHUNK if reads.long is Long.CUT else windows.CHUNK
        starts = chunk_starts(len(order), most if exact else min(FIRST, most), most)
        return [order[start:end] for start, end in pairwise([*starts, len(order)])]

    def _pass(
        self,
        budget: int | None,
        advance: Advance | None,
        *,
        exact: bool = False,
        claims: bool = False,
    ) -> Pass:
        first_only = not exact and not claims and self.settings.pooling is Pooling.CLS
        forward = partial(self._forward, exact=exact, first_only=first_only)
        return Pass(forward, self.settings.normalise, budget or self.budget, exact, advance)

    @torch.inference_mode()
    def _forward(
        self, batch: list[Ints], *, exact: bool, first_only: bool
    ) -> tuple[Tensor, Tensor]:
        longest = max(map(len, batch))
        if not exact and self.device.type == "cpu":  # oneDNN keeps a program for every shape
            longest = rounded(longest, self.settings.window)
        ids, mask = pad(batch, self.tokenizer.pad_token_id or 0, self.device, longest)
        padded = min(map(len, batch)) < longest
        seen = mask if padded else None
        hidden = last_hidden(self.model, ids, seen, first_only=first_only)
        return hidden, self._scaled(pool(hidden, mask, self.settings.pooling))

    @torch.inference_mode()
    def _scaled(self, pooled: Tensor) -> Tensor:
        """Bring vectors to unit length, if the model wants it."""
        if self.settings.normalise:
            pooled = torch.nn.functional.normalize(pooled.float(), dim=-1)
        return pooled.float()
