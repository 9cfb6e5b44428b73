"""Vectors from an exported model, by onnxruntime.

In:   a folder that ``phage export --onnx`` wrote, and texts or patents.
Out:  what ``Encoder.encode`` and ``Encoder.read`` give, without loading the torch model.
Why:  the check at export and a server use the files in the same way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from phage.backbone import load_config, load_tokenizer
from phage.claims.text import Section
from phage.claims.types import Patent
from phage.claims.window import Ints
from phage.encoder.batches import pad
from phage.encoder.inputs import listed, several
from phage.encoder.loading import find_model
from phage.encoder.settings import EncoderSettings, Long, read_settings
from phage.encoder.windows import ClaimVectors, Layout, Pass, Reads, read_items
from phage.errors import PhageError
from phage.extras import require

FOLDER = "onnx"
FILES = {"fp32": "model.onnx", "int8": "model_quantized.onnx"}
"""Precision → file; the names other tools look for."""
OUTPUTS = ("last_hidden_state", "sentence_embedding")
"""For tools that pool themselves, and the finished vector."""


class OnnxEncoder:
    """``OnnxEncoder.from_pretrained(folder, "int8").encode(texts)``."""

    def __init__(self, file: Path, tokenizer: Any, settings: EncoderSettings) -> None:  # noqa: ANN401
        """Open one ONNX file; ``from_pretrained`` is the usual way here."""
        runtime = require("onnxruntime", extra="onnx")
        try:
            self.session = runtime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
        except Exception as error:  # whatever onnxruntime makes of a damaged file
            raise PhageError(
                f"this ONNX file is damaged: {str(error).splitlines()[0]}",
                place=str(file),
                remedy="export it again: phage export MODEL --onnx",
            ) from error
        self.tokenizer, self.settings = tokenizer, settings

    @classmethod
    def from_pretrained(cls, source: Path | str, precision: str = "fp32") -> OnnxEncoder:
        """Open an exported folder; ``precision`` is fp32 or int8."""
        folder = find_model(source)
        if precision not in FILES:
            raise PhageError(f"unknown precision '{precision}'", remedy=f"use {' or '.join(FILES)}")
        file = folder / FOLDER / FILES[precision]
        if not file.is_file():
            raise PhageError(
                f"this folder has no {precision} ONNX file",
                place=str(file),
                remedy=f"phage export {source} --onnx",
            )
        tokenizer, config = load_tokenizer(folder), load_config(folder)
        return cls(file, tokenizer, read_settings(folder, config, tokenizer))

    def encode(
        self,
        items: Iterable[str | Patent],
        *,
        section: Section | str | None = None,
        long: Long | str | None = None,
        batch_tokens: int = 4_096,
    ) -> NDArray[np.float32]:
        """Return one vector per item, in order, as ``Encoder.encode`` does."""
        given = listed(items)
        layout = Layout(self.tokenizer, self.settings, Reads.of(self.settings, section, long))
        if given:
            return self._pass(batch_tokens)(layout(given)).vectors
        return np.empty((0, self.session.get_outputs()[1].shape[1]), dtype=np.float32)

    def read(self, items: Iterable[str | Patent]) -> Iterator[ClaimVectors]:
        """Read whole patents in one pass, as ``Encoder.read`` does."""
        layout = Layout(self.tokenizer, self.settings, Reads(claims=True))
        return read_items(several(items), layout, self._pass(4_096), "onnx")

    def _pass(self, budget: int) -> Pass:
        # the graph itself normalises where the model does
        return Pass(self._forward, self.settings.normalise, budget)

    def _forward(self, batch: list[Ints]) -> tuple[Tensor, Tensor]:
        ids, mask = pad(batch, self.tokenizer.pad_token_id or 0, torch.device("cpu"))
        fed = {"input_ids": ids.numpy(), "attention_mask": mask.numpy()}
        hidden, vectors = self.session.run(OUTPUTS, fed)
        return torch.from_numpy(hidden), torch.from_numpy(vectors)
