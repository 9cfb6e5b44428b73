"""``phage export``: a model for other tools: ONNX, a card, axes for shorter vectors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from phage.cli.options import apart


def export(
    model: Annotated[str, typer.Argument(help="Model folder or name.")],
    onnx: Annotated[
        bool, typer.Option("--onnx", help="Write onnx/model.onnx and, as int8, a smaller one.")
    ] = False,
    card: Annotated[
        bool, typer.Option("--card", help="Write README.md: recipe, data, results, licence, use.")
    ] = False,
    pca: Annotated[
        Path | None,
        typer.Option(help="Fit axes for shorter vectors on this folder of vectors."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o", "--out", help="Folder to write to, instead of the model's own (--onnx, --pca)."
        ),
    ] = None,
    int8: Annotated[bool, typer.Option(help="With --onnx: also int8 weights.")] = True,
    cosine: Annotated[
        float,
        typer.Option(min=0, max=1, help="With --onnx: lowest cosine that int8 vectors may have."),
    ] = 0.98,
    texts: Annotated[
        list[Path] | None,
        typer.Option(help="With --onnx: patents to check on (fictional ones otherwise)."),
    ] = None,
    dimensions: Annotated[int, typer.Option(min=1, help="With --pca: how many axes.")] = 128,
    results: Annotated[
        list[Path] | None, typer.Option(help="With --card: results of phage evaluate (JSON).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Write a model for other tools; ONNX files are run and compared before they get their names.

    Example: phage export runs/phage-mini --onnx --card --results results/uspto-week/phage.json
    """
    from phage.errors import PhageError
    from phage.terminal import emit_json, messages

    if not (onnx or card or pca):
        raise PhageError(
            "nothing to export was chosen", remedy="give --onnx, --card or --pca VECTORS"
        )
    apart(out, *(texts or []), *(results or []))
    done: dict[str, Any] = {}
    if onnx:
        done["onnx"] = _onnx(model, out, int8=int8, cosine=cosine, texts=texts or [])
    if pca:
        done["pca"] = _axes(model, pca, dimensions, out)
    if card:
        from phage.encoder.loading import find_model
        from phage.model_card import write_card

        done["card"] = {"file": str(write_card(find_model(model), results or []))}
    if as_json:
        emit_json(done)
        return
    for what, row in done.items():
        values = ", ".join(f"{key} {value}" for key, value in row.items())
        messages.print(f"{what}: {values}", highlight=False)


def _onnx(
    model: str, out: Path | None, *, int8: bool, cosine: float, texts: list[Path]
) -> dict[str, Any]:
    from itertools import islice

    from phage.claims import read_some
    from phage.claims.text import claims_text
    from phage.encoder.loading import find_model
    from phage.encoder.onnx import export_onnx
    from phage.encoder.onnx_session import FOLDER

    patents = (patent for patent in read_some(texts) if patent.claims) if texts else iter(())
    chosen = [claims_text(patent.claims) for patent in islice(patents, 64)]
    found = export_onnx(model, out, int8=int8, texts=chosen, cosine=cosine)
    row: dict[str, Any] = {
        "folder": str((out or find_model(model)) / FOLDER),
        "texts": found.texts,
        "largest_difference": float(f"{found.difference:.2g}"),
    }
    if found.cosine is not None and found.mean_cosine is not None:
        row["int8_least_cosine"] = round(found.cosine, 4)
        row["int8_mean_cosine"] = round(found.mean_cosine, 4)
    return row


def _axes(model: str, vectors: Path, dimensions: int, out: Path | None) -> dict[str, Any]:
    from phage.encoder.corpus import read_vectors
    from phage.encoder.loading import find_model
    from phage.encoder.shorten import Principal
    from phage.errors import PhageError
    from phage.storage import read_json
    from phage.vector_files import MANIFEST

    _, rows = read_vectors(vectors)
    said = read_json(vectors / MANIFEST).get("model")
    if find_model(str(said)).resolve() != find_model(model).resolve():
        raise PhageError(f"these are vectors of {said}, not of {model}", place=str(vectors))
    axes = Principal.fit(rows, dimensions, model)
    file = (out or find_model(model)) / f"pca-{dimensions}.safetensors"
    axes.save(file)
    return {"file": str(file), "fitted_on": len(rows), "variance_kept": round(axes.kept, 4)}
