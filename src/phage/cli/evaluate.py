"""``phage evaluate``: classification, retrieval, clustering."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from phage.cli.options import apart

if TYPE_CHECKING:
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
        typer.Option(
            help="uspto-week, ipc-groups, cited-pairs, dapfam, clef-ip, uspto-70k; hupd (--prepare)."
        ),
    ] = "uspto-week",
    path: Annotated[
        Path | None, typer.Option(help="The data set's file or folder, or prepared tasks (.npz).")
    ] = None,
    section: Annotated[
        str,
        typer.Option(
            help="Text to encode: claims; ta (title, abstract); tac (both, claims); full; whole."
        ),
    ] = "claims",
    task: Annotated[
        list[str] | None, typer.Option(help="Only these tasks; repeat for several.")
    ] = None,
    validation: Annotated[
        bool,
        typer.Option(
            "--validation", help="Score the validation part: to choose settings, not to report."
        ),
    ] = False,
    pooling: Annotated[
        str | None, typer.Option(help="cls or mean, instead of the model's own pooling.")
    ] = None,
    window: Annotated[
        int | None, typer.Option(help="Tokens per text, instead of the model's own window.")
    ] = None,
    prompt: Annotated[str | None, typer.Option(help="Prefix for every text.")] = None,
    bf16: Annotated[
        bool,
        typer.Option("--bf16", help="Multiply in bf16, as on a GPU; the result records it."),
    ] = False,
    gnn: Annotated[
        list[str] | None,
        typer.Option(help="gcn, gat or sage: message passing over nearest neighbours; repeatable."),
    ] = None,
    runs: Annotated[int, typer.Option(min=1, help="Repetitions of probe and K-Means.")] = 5,
    seed: Annotated[int, typer.Option(help="Seed of the first run.")] = 0,
    name: Annotated[
        list[str] | None,
        typer.Option(help="The model's name in tables; MODEL=NAME for one of several. Repeatable."),
    ] = None,
    trained_on: Annotated[
        list[str] | None,
        typer.Option(
            help="Patents the model was trained on, or MODEL=FILE for one of several. A leak "
            "is an error. Repeatable."
        ),
    ] = None,
    allow_leakage: Annotated[
        bool, typer.Option("--allow-leakage", help="Score despite leakage; the result records it.")
    ] = False,
    save_vectors: Annotated[
        Path | None,
        typer.Option(
            help="Keep the vectors: a file (.npz), or a folder, where they are "
            "DATA-SET/MODEL.npz. Such a file can be given as a model."
        ),
    ] = None,
    prepare: Annotated[
        Path | None,
        typer.Option(help="Write tasks.npz and the parts as Parquet here; evaluate nothing."),
    ] = None,
    exclude: Annotated[
        list[Path] | None,
        typer.Option(help="With --prepare of hupd: leave out copies of these patents; repeatable."),
    ] = None,
    mteb: Annotated[
        bool, typer.Option("--mteb", help="Run mteb tasks ('patents': all of them).")
    ] = False,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder of results.")] = Path(
        "results"
    ),
    json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
) -> None:
    """Score models on a data set: table on stdout, JSON with provenance in the results folder.

    Example: phage evaluate minilm bm25 --data-set uspto-week --path ipg140107.xml.xz
    """
    from phage import terminal
    from phage.cli.parts import check_files, write_parts
    from phage.errors import PhageError
    from phage.evaluation.evaluate import Options, check_model
    from phage.evaluation.tables import headline, listing
    from phage.storage import alone

    models = models or []
    apart(save_vectors, path, *models, *(trained_on or []))
    options = Options(
        pooling=pooling, window=window, prompt=prompt, bf16=bf16, runs=runs, seed=seed,
        save_vectors=save_vectors,
    )  # fmt: skip
    if mteb:
        named = (name or [""])[0].rpartition("=")[2]
        results = _run_mteb(models, path, replace(options, name=named), output / "mteb")
        for result in results:
            terminal.messages.print(f"written: {result.save(output)}", highlight=False)
    elif path is None:
        raise PhageError(
            f"the path of {data_set} was not given", remedy="give --path FILE or --path FOLDER"
        )
    elif prepare:
        with alone(prepare, prepare / ".lock"):
            write_parts(data_set, path, section, prepare, exclude or [])
        return
    else:
        if not models:
            raise PhageError("no model was named", remedy="name one, for example minilm or bm25")
        wanted = _wanted(models, options, gnn or [], _by_model("--name", name or [], models))
        for model, chosen in wanted:  # what is missing is reported before anything long begins
            check_model(model, chosen)
        seen = _by_model("--trained-on", trained_on or [], models, everyone=True)
        check_files(path for paths in seen.values() for path in paths)
        benchmark = _open(data_set, path, section, validation, task or [])
        results = _score(
            wanted, benchmark, _leakage(benchmark, models, seen, allow_leakage), output
        )
    if json:
        terminal.emit_json([result.to_json() for result in results])
        return
    shown = results[0].data_set
    one = len(results) == 1
    titles, rows = listing(results[0]) if one else headline(results, shown)
    title = f"{results[0].model} on {shown}" if one else shown
    terminal.table(f"{title}, means of {runs} runs", titles, rows)


def _by_model(
    option: str, given: list[str], models: list[str], *, everyone: bool = False
) -> dict[str, list[str]]:
    """Sort the values of an option by the model they are for: VALUE, or MODEL=VALUE."""
    from phage.errors import PhageError

    found: dict[str, list[str]] = {model: [] for model in models}
    for text in given:
        model = next((model for model in models if text.startswith(f"{model}=")), None)
        if model:
            found[model].append(text.removeprefix(f"{model}="))
        elif len(models) == 1 or everyone:
            for values in found.values():
                values.append(text)
        else:
            raise PhageError(
                f"{option} {text} does not say which of {len(models)} models it is for",
                remedy=f"{option} {models[0]}={text}",
            )
    return found


def _wanted(
    models: list[str], options: Options, networks: list[str], names: dict[str, list[str]]
) -> list[tuple[str, Options]]:
    """List what is evaluated: every model, or every network over every model."""
    from phage.errors import PhageError
    from phage.evaluation.evaluate import BM25

    found = []
    for model in models:
        if len(names[model]) > 1 or (names[model] and len(networks) > 1):
            raise PhageError(f"several results would be named {names[model][0]}")
        place = options.save_vectors
        if place is not None and place.suffix == ".npz" and len(models) > 1:
            raise PhageError(
                "one file cannot hold the vectors of several models",
                place=str(place),
                remedy="name a folder: --save-vectors vectors/",
            )
        own = replace(options, name="".join(names[model]))
        for network in networks or [""]:
            if network and model == BM25:
                raise PhageError("bm25 has no vectors, which a graph network needs")
            found.append((model, replace(own, gnn=network)))
    return found


def _leakage(
    benchmark: Benchmark, models: list[str], seen: dict[str, list[str]], allow: bool
) -> dict[str, dict[str, Any]]:
    """Compare each model's training patents with the test part; the same files once."""
    from phage import terminal
    from phage.claims import read_some
    from phage.evaluation.evaluate import BM25, check_leakage

    found: dict[tuple[str, ...], dict[str, Any]] = {}
    for files in dict.fromkeys(tuple(seen[model]) for model in models):
        found[files] = check_leakage(benchmark, read_some(files) if files else None, allow)
    leaks = {model: found[tuple(seen[model])] for model in models}
    leaks |= (
        {BM25: {"checked": True, "trained": 0, "leaked": 0}}
        if BM25 in models and not seen[BM25]
        else {}
    )
    for reason in dict.fromkeys(leaks[m]["reason"] for m in models if not leaks[m]["checked"]):
        named = ", ".join(m for m in models if leaks[m].get("reason") == reason)
        terminal.messages.print(
            f"warning: leakage was not checked for {named}: {reason}", highlight=False
        )
    return leaks


def _score(
    wanted: list[tuple[str, Options]],
    benchmark: Benchmark,
    leakage: dict[str, dict[str, Any]],
    output: Path,
) -> list[Result]:
    """Encode and score each model once; write each result as soon as it is known."""
    from phage import terminal
    from phage.evaluation.evaluate import BM25, Encoded, encode, evaluate
    from phage.evaluation.results import result_path, slug
    from phage.storage import alone

    if any(options.gnn for _, options in wanted):
        from phage.evaluation.peers.neighbours import labelled

        labelled(benchmark.tasks)  # before anything is encoded
    results: list[Result] = []
    made: tuple[str, Encoded | None] = ("", None)
    for model, given in wanted:
        place = given.save_vectors
        if place is not None and place.suffix != ".npz":
            place = place / benchmark.tasks.data_set / f"{slug(model)}.npz"
        options = replace(given, leakage=leakage[model], save_vectors=place)
        if model != BM25 and made[0] != model:
            made = (model, encode(model, benchmark, options))
        with alone(result_path(output, benchmark.tasks.data_set, options.title(model))):
            result, scores = evaluate(model, benchmark, options, made[1])
            results.append(result)
            written = result.save(output, scores)
        terminal.messages.print(f"written: {written}", highlight=False)
    return results


def _open(data_set: str, path: Path, section: str, validation: bool, names: list[str]) -> Benchmark:
    from phage.cli.parts import reader
    from phage.evaluation.evaluate import prepared
    from phage.evaluation.tasks import Part

    read = reader(data_set)
    benchmark = prepared(path) if path.suffix == ".npz" else read(path, section)
    parts = (Part.VALIDATION,) if validation else (Part.TEST, Part.ALL)
    return replace(benchmark, tasks=benchmark.tasks.choose(parts, names))


def _run_mteb(
    models: list[str], path: Path | None, options: Options, submission: Path
) -> list[Result]:
    from phage.errors import PhageError
    from phage.evaluation.evaluate import check_model
    from phage.evaluation.peers.models import PEERS
    from phage.evaluation.public import run_mteb
    from phage.extras import require

    if len(models) < 2:
        raise PhageError(
            "no mteb task was named",
            remedy="phage evaluate MODEL --mteb TASK…, or patents for all patent tasks",
        )
    model, *tasks = models
    require("mteb", extra="mteb")
    check_model(model, options)
    title = PEERS[model].title if model in PEERS else model
    embedder, name = options.embedder(model), options.name or title
    return [run_mteb(embedder, name, tasks, path, submission)]
