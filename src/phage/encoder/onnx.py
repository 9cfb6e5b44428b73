"""The same model as ONNX, for servers without torch.

In:   a model folder or name.
Out:  ``onnx/model.onnx`` (fp32) and ``onnx/model_quantized.onnx`` (int8 weights) beside tokenizer and
      settings, where text-embeddings-inference looks for the first, with
      ``onnx/check.json``: how far their vectors are from the original's.
Why:  an export that was never run is a guess. Both files are run by onnxruntime on claim sets of all
      lengths before they get their names; what strays too far is not written."""

from __future__ import annotations

import logging
import shutil
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from phage.encoder.forward import pool
from phage.encoder.inputs import unsaid
from phage.encoder.loading import find_model
from phage.encoder.model import Encoder
from phage.encoder.onnx_session import FILES, FOLDER, OUTPUTS, OnnxEncoder
from phage.encoder.settings import EncoderSettings
from phage.errors import PhageError
from phage.extras import require
from phage.provenance import provenance
from phage.storage import atomic, atomic_folder, settle, write_json

CHECK = "check.json"
TOLERANCE = 1e-4
"""Largest difference of a component that fp32 may show, for vectors of unit length."""
COSINE = 0.98
"""Smallest cosine with the original's vector that int8 may show."""
PROTOBUF_LIMIT = 1_900_000_000
"""Bytes of weights beyond which they stand in a file beside the graph (protobuf ends at 2 GiB)."""
PROBES = (
    "A pump comprising a housing, a shaft mounted in the housing and an impeller fixed to the shaft.",
    "The pump of claim 1, wherein the impeller is made of brass and sealed against the housing.",
    "A method of charging a battery, comprising limiting a current above a threshold of voltage.",
    "The method of claim 3, further comprising storing the measured voltage in a memory.",
    "A composition comprising 5 to 20 % by weight of a polymer of formula (I) and a solvent.",
    "A medium storing instructions that cause a processor to rank documents for a query.",
    "Use of the composition of claim 5 for coating a catheter having an outer diameter below 2 mm.",
)
"""Claims of several fields, compared where no texts are given."""
SMALL_FILES = ("*.json", "*.txt", "*.model", "*/config.json")


@dataclass(frozen=True, slots=True)
class Checked:
    """What the comparison with the original found."""

    texts: int
    difference: float
    """fp32: the largest difference of any component."""
    cosine: float | None
    """int8: the smallest cosine of any text with words; None where none was asked for."""
    mean_cosine: float | None


class _Vectors(nn.Module):
    """Backbone, pooling and normalisation as one graph."""

    def __init__(self, model: Any, settings: EncoderSettings) -> None:  # noqa: ANN401
        super().__init__()
        self.model, self.settings = model, settings

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> tuple[Tensor, Tensor]:
        hidden = self.model(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        pooled = pool(hidden, attention_mask, self.settings.pooling)  # (B, D)
        if self.settings.normalise:
            pooled = nn.functional.normalize(pooled, dim=-1)
        return hidden, pooled


def export_onnx(
    source: Path | str,
    out: Path | str | None = None,
    *,
    int8: bool = True,
    texts: Sequence[str] = (),
    cosine: float = COSINE,
) -> Checked:
    """Write a model's ONNX files into its own folder, or with all it needs into ``out``.

    ``texts`` are compared with the original; without any, ``probe_texts`` are. The graph takes
    ``input_ids`` and ``attention_mask`` of any batch and length and gives ``last_hidden_state`` and
    ``sentence_embedding``, which is pooled and normalised as the folder says.
    """
    for package in ("onnx", "onnxruntime", "onnxscript"):
        require(package, extra="onnx")
    home = find_model(source)
    target = Path(out) if out else home
    encoder = Encoder.from_pretrained(source, device="cpu")
    with atomic_folder(target / FOLDER) as partial:
        partial.mkdir()
        write_graph(encoder, partial / FILES["fp32"])
        if int8:
            write_int8(partial / FILES["fp32"], partial / FILES["int8"])
        checked = check(encoder, partial, list(texts) or probe_texts(), cosine)
        origin = provenance([*partial.glob("*.onnx"), *home.glob("*.safetensors")])
        write_json(partial / CHECK, {**asdict(checked), "outputs": OUTPUTS, "provenance": origin})
        if target.resolve() != home.resolve():
            _copy_small(home, target)
        for path in partial.iterdir():
            settle(path)
        shutil.rmtree(target / FOLDER, ignore_errors=True)
        partial.replace(target / FOLDER)
    return checked


def write_graph(encoder: Encoder, path: Path) -> None:
    """Trace the model into an ONNX file; batch and length stay open."""
    # Two rows and a padded tail, so that nothing is taken for constant.
    ids = torch.full((2, 7), encoder.tokenizer.cls_token_id or 0, dtype=torch.long)  # (B, T)
    mask = torch.tensor([[1] * 7, [1] * 5 + [0] * 2])
    open_shape = {0: torch.export.Dim("batch"), 1: torch.export.Dim("length")}
    size = sum(weight.nbytes for weight in encoder.model.parameters())
    try:
        with _quiet():
            torch.onnx.export(
                _Vectors(encoder.model, encoder.settings).eval(),
                (ids, mask),
                path,
                input_names=["input_ids", "attention_mask"],
                output_names=list(OUTPUTS),
                dynamic_shapes=(open_shape, open_shape),
                dynamo=True,
                external_data=size > PROTOBUF_LIMIT,
                verbose=False,
            )
    except (torch.onnx.errors.OnnxExporterError, RuntimeError) as error:
        kind = encoder.model.config.model_type
        raise PhageError(
            f"torch cannot write this model ({kind}) as ONNX: {str(error).splitlines()[0]}",
            place=encoder.name,
        ) from error


def write_int8(graph: Path, path: Path) -> None:
    """Quantise the weights to int8; activations are quantised as they come.

    A scale per output channel: one per matrix costs a cosine of 0.02 instead of 0.004. Seven bits,
    since eight overflow on CPUs with AVX2 but without VNNI. Activations share a scale per batch, so
    that, unlike fp32, a text's int8 vector depends a little on its neighbours.
    """
    from onnxruntime.quantization import QuantType, quantize_dynamic

    size = sum(file.stat().st_size for file in graph.parent.glob(f"{graph.name}*"))
    with _quiet():
        quantize_dynamic(
            graph,
            path,
            per_channel=True,
            reduce_range=True,
            weight_type=QuantType.QInt8,
            use_external_data_format=size > PROTOBUF_LIMIT,
        )


def check(encoder: Encoder, folder: Path, texts: Sequence[str], cosine: float) -> Checked:
    """Compare the files in a folder with the original; refuse what strays too far."""
    truth = encoder.encode(texts, on_cut=unsaid)  # a cut text is as good as any here
    length = np.linalg.norm(truth, axis=1, keepdims=True)
    ours = OnnxEncoder(folder / FILES["fp32"], encoder.tokenizer, encoder.settings)
    together, alone = ours.encode(texts), ours.encode(texts[:4], batch_tokens=1)
    difference = max(
        float(np.abs((together - truth) / length).max()),
        float(np.abs((alone - truth[:4]) / length[:4]).max()),
    )
    if not difference <= TOLERANCE:  # also NaN
        raise PhageError(
            f"the ONNX vectors differ from the model's by up to {difference:.2g}; "
            f"at most {TOLERANCE:.0e} is allowed, so nothing was written",
            place=encoder.name,
        )
    if not (folder / FILES["int8"]).exists():
        return Checked(len(texts), difference, None, None)
    rough = OnnxEncoder(folder / FILES["int8"], encoder.tokenizer, encoder.settings).encode(texts)
    worded = [row for row, text in enumerate(texts) if text.strip()] or list(range(len(texts)))
    likeness = cosines(rough, truth)[worded]  # texts without words have no meaningful int8 vector
    if not likeness.min() >= cosine:
        raise PhageError(
            f"int8 vectors have a cosine of only {likeness.min():.4f} with the model's; "
            f"at least {cosine} was asked for, so nothing was written",
            place=encoder.name,
            remedy="export without int8 (--no-int8), or accept less with --cosine",
        )
    return Checked(len(texts), difference, float(likeness.min()), float(likeness.mean()))


def cosines(left: NDArray[np.float32], right: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the cosine of each pair of rows.

    >>> cosines(np.float32([[2, 0], [1, 1]]), np.float32([[1, 0], [-1, 1]])).tolist()
    [1.0, 0.0]
    """
    lengths = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    products: NDArray[np.float32] = (left * right).sum(axis=1) / lengths
    return products


def probe_texts() -> list[str]:
    """Return claim sets and the odd text: from nothing over one word to more than a window."""
    sets = [
        " ".join(f"{n}. {PROBES[(first + n) % len(PROBES)]}" for n in range(1, 2 + first * 3))
        for first in range(8)
    ]
    return [*PROBES, *sets, "", "pump", "A pump comprising a shaft \U0001f600.", " ".join(sets)]


def _copy_small(home: Path, target: Path) -> None:
    """Copy tokenizer and settings, not the weights."""
    for pattern in SMALL_FILES:
        for path in home.glob(pattern):
            inside = path.relative_to(home)
            if path.is_file() and not path.name.endswith("index.json"):
                with atomic(target / inside) as copy:
                    shutil.copyfile(path, copy)


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence exporter and quantiser, whose remarks are about themselves."""
    level = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(level)
