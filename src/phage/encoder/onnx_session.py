"""Vectors from an exported model, by onnxruntime.

In:   a folder that ``phage export --onnx`` wrote, and texts.
Out:  one row per text, as ``Encoder.encode`` gives, without loading the torch model.
Why:  the check at export and a server use the files in the same way."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phage.backbone import load_config, load_tokenizer
from phage.claims.normal import sound
from phage.encoder.batches import by_length, tokenise
from phage.encoder.inputs import listed
from phage.encoder.loading import find_model
from phage.encoder.settings import EncoderSettings, read_settings
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
            raise PhageError(f"no precision '{precision}'", remedy=f"use {' or '.join(FILES)}")
        file = folder / FOLDER / FILES[precision]
        if not file.is_file():
            raise PhageError(
                f"there is no {precision} ONNX file in this folder",
                place=str(file),
                remedy=f"phage export {source} --onnx",
            )
        tokenizer, config = load_tokenizer(folder), load_config(folder)
        return cls(file, tokenizer, read_settings(folder, config, tokenizer))

    def encode(self, texts: Iterable[str], batch_tokens: int = 4_096) -> NDArray[np.float32]:
        """Give one vector per text, in order; what is beyond the window is cut."""
        whole = [self.settings.prompt + sound(text) for text in listed(texts)]
        ids = tokenise(whole, self.tokenizer, self.settings.window).ids
        vectors: list[Any] = [None] * len(ids)
        for rows in by_length([len(tokens) for tokens in ids], batch_tokens):
            for row, vector in zip(rows, self._run([ids[row] for row in rows]), strict=True):
                vectors[row] = vector
        width = self.session.get_outputs()[1].shape[1]
        return np.stack(vectors) if vectors else np.empty((0, width), dtype=np.float32)

    def _run(self, batch: list[list[int]]) -> NDArray[np.float32]:
        pad = self.tokenizer.pad_token_id or 0
        ids = np.full((len(batch), max(map(len, batch))), pad, dtype=np.int64)  # (B, T)
        mask = np.zeros_like(ids)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        (vectors,) = self.session.run(OUTPUTS[1:], {"input_ids": ids, "attention_mask": mask})
        found: NDArray[np.float32] = vectors
        return found
