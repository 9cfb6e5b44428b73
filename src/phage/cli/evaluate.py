"""``phage evaluate``: classification, retrieval, clustering."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Callable

    from phage.evaluation.datasets import Benchmark
    from phage.evaluation.evaluate import Options
    from phage.evaluation.results import Result


def evaluate(
    models: Annotated[
        list[str] | None,
        typer.Argument(
            help="Peer names (minilm, bert-for-patents, bm25 …), folders, hub names, or files of "
            "vectors. With --mteb: one model, then the tasks."
        ),
    ] = None,
    data_set: Annotated[
        str,
        typer.Option(help="uspto-week, ipc-groups, dapfam, clef-ip, uspto-70k; hupd (--prepare)."),
    ] = "uspto-week",
    path: Annotated[
        Path | None, typer.Option(help="The data set's file or folder, or prepared tasks (.npz).")
    ] = None,
    section: Annotated[
        str, typer.Option(help="What of a patent is encoded: claims, ta, tac, full.")
    ] = "claims",
    task: Annotated[
        list[str] | None, typer.Option(help="Only these tasks; repeat for several.")
    ] = None,
    validation: Annotated[
        bool, typer.Option(help="Score the validation part: to choose settings, not to report.")
    ] = False,
    pooling: Annotated[
        str | None, typer.Option(help="cls or mean, against the model's own.")
    ] = None,
    window: Annotated[int | None, typer.Option(help="Tokens, against the model's own.")] = None,
    prompt: Annotated[str | None, typer.Option(help="Put before every text.")] = None,
    bf16: Annotated[
        bool, typer.Option(help="Round the weights to bf16, as on a GPU; the result says so.")
    ] = False,
    gnn: Annotated[
        str, typer.Option(help="gcn, gat or sage: message passing over nearest neighbours.")
    ] = "",
    runs: Annotated[int, typer.Option(min=1, help="Runs of probe and K-Means.")] = 5,
    seed: Annotated[int, typer.Option(help="Of the first run.")] = 0,
    name: Annotated[str, typer.Option(help="The model's name in tables.")] = "",
    trained_on: Annotated[
        list[Path] | None,
        typer.Option(help="Patents the model was trained on; leaks are refused. Repeatable."),
    ] = None,
    allow_leakage: Annotated[bool, typer.Option(help="Score a leaking pair; says so.")] = False,
    save_vectors: Annotated[Path | None, typer.Option(help="Keep the vectors (.npz).")] = None,
    prepare: Annotated[
        Path | None,
        typer.Option(help="Write tasks.npz and the parts as Parquet here; evaluate nothing."),
    ] = None,
    mteb: Annotated[bool, typer.Option(help="Run mteb tasks instead of a data set.")] = False,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder of results.")] = Path(
        "results"
    ),
    json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
) -> None:
    """Score models on a data set: table on stdout, JSON with provenance in the results folder.

    Example: phage evaluate minilm bm25 --data-set uspto-week --path ipg140107.xml.xz
    """
    from phage import terminal
    from phage.claims import read_some
    from phage.errors import PhageError
    from phage.evaluation.evaluate import Options
    from phage.evaluation.evaluate import evaluate as evaluate_model
    from phage.evaluation.results import result_path
    from phage.evaluation.tables import headline, listing
    from phage.storage import alone

    options = Options(
        name=name,
        pooling=pooling,
        window=window,
        prompt=prompt,
        bf16=bf16,
        gnn=gnn,
        runs=runs,
        seed=seed,
        save_vectors=save_vectors,
        allow_leakage=allow_leakage,
    )
    if mteb:
        results = _run_mteb(models or [], path, options)
        for result in results:
            terminal.messages.print(f"written: {result.save(output)}", highlight=False)
    elif path is None:
        raise PhageError(f"where is {data_set}?", remedy="say --path FILE or FOLDER")
    elif prepare:
        with alone(prepare, prepare / ".lock"):
            _prepare(data_set, path, section, prepare)
        return
    else:
        if not models:
            raise PhageError("which model?", remedy="name one, for example minilm or bm25")
        if len(models) > 1 and (name or save_vectors):
            raise PhageError("--name and --save-vectors are for one model at a time")
        benchmark = _open(data_set, path, section, validation, task or [])
        results = []
        for model in models:
            seen = read_some(trained_on) if trained_on else None
            place = result_path(output, benchmark.tasks.data_set, options.title(model))
            with alone(place):
                result, scores = evaluate_model(model, benchmark, replace(options, trained_on=seen))
                results.append(result)
                written = result.save(output, scores)
            terminal.messages.print(f"written: {written}", highlight=False)
    if json:
        terminal.emit_json([result.to_json() for result in results])
        return
    shown = results[0].data_set
    one = len(results) == 1
    titles, rows = listing(results[0]) if one else headline(results, shown)
    title = f"{results[0].model} on {shown}" if one else shown
    terminal.table(f"{title}, means of {runs} runs", titles, rows)


def _open(data_set: str, path: Path, section: str, validation: bool, names: list[str]) -> Benchmark:
    from phage.evaluation.evaluate import prepared
    from phage.evaluation.tasks import Part

    read = _reader(data_set)
    benchmark = prepared(path) if path.suffix == ".npz" else read(path, section)
    parts = (Part.VALIDATION,) if validation else (Part.TEST, Part.ALL)
    return replace(benchmark, tasks=benchmark.tasks.choose(parts, names))


def _reader(data_set: str) -> Callable[..., Benchmark]:
    from phage.errors import PhageError
    from phage.evaluation.datasets import DATA_SETS

    if data_set not in DATA_SETS:
        raise PhageError(f"no data set '{data_set}'", remedy=f"one of {', '.join(DATA_SETS)}")
    return DATA_SETS[data_set][1]


def _prepare(data_set: str, path: Path, section: str, folder: Path) -> None:
    """Write what training and other machines need, instead of evaluating."""
    from phage import terminal
    from phage.claims import write
    from phage.evaluation.datasets import hupd
    from phage.evaluation.tasks import Split

    if data_set == "hupd":
        count = write(hupd.read(path), folder / "train.parquet")
        terminal.output.print(f"{folder / 'train.parquet'}: {count:,} patents")
        return
    benchmark = _reader(data_set)(path, section)
    benchmark.tasks.save(folder / "tasks.npz")
    rows: list[tuple[str, int]] = []
    for part in (Split.TRAIN, Split.VALIDATION, Split.TEST):
        patents = list(benchmark.patents(part))
        if patents:
            name = f"{part.name.lower()}.parquet"
            rows.append((name, write(patents, folder / name)))
    terminal.table(f"{folder}: tasks.npz and", ["part", "patents"], rows)


def _run_mteb(models: list[str], path: Path | None, options: Options) -> list[Result]:
    from phage.errors import PhageError
    from phage.evaluation.peers.models import PEERS
    from phage.evaluation.public import run_mteb

    if len(models) < 2:
        raise PhageError("which mteb tasks?", remedy="phage evaluate MODEL --mteb TASK…")
    model, *tasks = models
    title = PEERS[model].title if model in PEERS else model
    return [run_mteb(options.embedder(model), options.name or title, tasks, path)]
