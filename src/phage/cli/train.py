"""``phage train``: recipe + patents → checkpoint folder."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from phage.cli.options import Limit, apart

if TYPE_CHECKING:
    from phage.claims import Patent
    from phage.training.data import TrainingSet
    from phage.training.recipe import Recipe

SHOWN = 5
"""Copies of evaluation patents printed at the end; --json lists more."""


def train(
    recipe: Annotated[Path, typer.Argument(help="A recipe, such as recipes/mini/untaught.toml.")],
    data: Annotated[
        list[Path] | None, typer.Option("--data", "-d", help="Patents, in any format; repeatable.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", help="Folder for the run; by default runs/<name>."),
    ] = None,
    graphs: Annotated[
        Path | None, typer.Option(help="Claim graphs from `phage graph`; built if not given.")
    ] = None,
    cache: Annotated[
        Path | None,
        typer.Option(help="File of the prepared training set: written if absent, read if present."),
    ] = None,
    exclude: Annotated[
        list[Path] | None,
        typer.Option(
            help="Evaluation patents. They are left out of training, and so are their copies (same "
            "publication, application, family, continuation or text). Repeatable."
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Resume a run that was stopped.")
    ] = False,
    change: Annotated[
        list[str] | None, typer.Option("--set", help="Override a key: train.seed=3; repeatable.")
    ] = None,
    base: Annotated[
        Path | None, typer.Option(help="Recipe to start from, in place of the file's own base.")
    ] = None,
    track: Annotated[
        list[str] | None, typer.Option(help="Also log to tensorboard or wandb; repeatable.")
    ] = None,
    limit: Limit = 0,
    workers: Annotated[int, typer.Option(min=1, help="Processes that build graphs.")] = 1,
    pack: Annotated[
        bool, typer.Option("--pack", help="Several patents per row, no padding; for GPUs.")
    ] = False,
    prepare_only: Annotated[
        bool, typer.Option("--prepare-only", help="Write --cache and stop.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Train an encoder on patents, guided by their claim graphs.

    The folder becomes a sentence-transformers model; beside it lie the relation parameters, the
    recipe, the history and loss.png. SIGTERM and Ctrl-C save the run and end it with 143 and 130;
    --resume continues with the same batches and the same losses. Several GPUs: torchrun -m phage train …

    Example: phage train recipes/debug.toml --data corpus.jsonl -o runs/debug
    """
    from phage.training.checkpoint import checkpoints
    from phage.training.loop import train as run
    from phage.training.model import load_tokenizer, rehearse
    from phage.training.prepare import cached
    from phage.training.processes import Options, check_start, only_run
    from phage.training.recipe_file import load
    from phage.training.resume import check_data, data_digest

    # what lies in a folder of patents may be the cache of an earlier run
    apart(cache, recipe, graphs, *(p for p in [*(data or []), *(exclude or [])] if p.is_file()))
    chosen = load(recipe, change or (), base)
    place = out or Path("runs") / chosen.name
    # from the start: a second run must not prepare for hours before it is refused
    with nullcontext() if prepare_only else only_run(place):
        tokenizer = load_tokenizer(chosen)
        scalars = rehearse(chosen, tokenizer)
        options = Options(resume, tuple(track or ()), pack)
        if not prepare_only:
            check_start(chosen, place, options)
        sources = {
            "data": data or [],
            "graphs": [graphs] if graphs else [],
            "exclude": exclude or [],
        }
        facts = _facts(sources)
        if limit:
            facts["limit"] = {"patents": str(limit)}

        def make() -> TrainingSet:
            made = _prepare(chosen, tokenizer, sources, facts, workers)
            if started:  # before it takes the place of what the run was started with
                check_data(started[-1], data_digest(made, chosen))
            return made

        started = [] if prepare_only or cache else checkpoints(place)
        path = cache or place / "training-set.safetensors"
        processes = _processes()
        with processes.main_process_first():
            prepared = cached(path, chosen, tokenizer, make, cache is not None, facts)
        if processes.is_main_process:
            _hint(chosen)
        if not prepare_only:
            run(chosen, prepared, place, options)
        if processes.is_main_process:
            _tell(place, prepared, scalars, as_json)


def _facts(sources: dict[str, list[Path]]) -> dict[str, dict[str, str]]:
    """Hash the given files, including those inside folders."""
    from phage.storage import sha256

    found: dict[str, dict[str, str]] = {role: {} for role, paths in sources.items() if paths}
    for role, hashes in found.items():
        for path in sources[role]:
            inside = sorted(path.rglob("*")) if path.is_dir() else [path]
            for file in filter(Path.is_file, inside):
                again = f" {len(hashes)}" if file.name in hashes else ""  # one of each folder
                hashes[file.name + again] = sha256(file)
    return found


def _processes() -> Any:  # noqa: ANN401  (the state of Accelerate)
    """Meet the other processes, if there are any; they wait for the first one to prepare."""
    from datetime import timedelta

    from phage.extras import require
    from phage.training.processes import shared_by_cpus

    patience = timedelta(days=2)  # the graphs of a large corpus take hours
    accelerate = require("accelerate", extra="train")
    return accelerate.PartialState(cpu=shared_by_cpus(), timeout=patience)


def _hint(recipe: Recipe) -> None:
    import torch

    from phage.terminal import messages

    if recipe.train.precision == "bf16" and not torch.cuda.is_available():
        messages.print("bf16 is slow on most CPUs; --set train.precision=fp32 is faster here")


def _prepare(
    recipe: Recipe,
    tokenizer: Any,  # noqa: ANN401
    sources: dict[str, list[Path]],
    facts: dict[str, dict[str, str]],
    workers: int,
) -> TrainingSet:
    from phage.claims import read_some
    from phage.claims.copies import Copies
    from phage.errors import PhageError, placed
    from phage.terminal import progress
    from phage.training.prepare import Corpus, foresee, prepare, read_graphs

    held_out = Copies(titles=True)
    with progress("reading evaluation patents", unit="patents") as advance:
        for patent in read_some(sources["exclude"]) if sources["exclude"] else ():
            held_out.add(patent)
            advance()
    if sources["data"]:
        limit = int(facts.get("limit", {}).get("patents", 0)) or None
        patents: Iterable[Patent] = islice(read_some(sources["data"]), limit)
        with (
            placed(*map(str, sources["data"])),
            progress("reading IPC codes", unit="patents") as advance,
        ):
            given = islice(read_some(sources["data"]), limit)
            foresee(Corpus(given, held_out=held_out), recipe, advance)
    elif recipe.input.invented:
        from phage.invented import invent

        patents = (invention.patent for invention in invent(recipe.input.invented))
    else:
        raise PhageError(
            "no training patents were given",
            remedy="give --data patents.parquet, or a --cache that was prepared elsewhere",
        )
    corpus = Corpus(
        patents,
        graphs=read_graphs(sources["graphs"][0]) if sources["graphs"] else None,
        held_out=held_out,
        facts=facts,
    )
    named = sources["graphs"] or sources["data"]
    with placed(*map(str, named)), progress("preparing", unit="patents") as advance:
        return prepare(corpus, recipe, tokenizer, workers, advance)


def _tell(place: Path, prepared: TrainingSet, scalars: int, as_json: bool) -> None:
    from phage import terminal
    from phage.training.report import TERMS, history

    rows = history(place / "history.jsonl")
    summary = {
        "folder": str(place),
        "patents": len(prepared),
        "kept": prepared.origin["kept"],
        "dropped": prepared.origin["dropped"],
        "held_out": prepared.origin.get("held_out", []),
        "relation_parameters": scalars,
        "steps": len(rows),
        "first": rows[0] if rows else None,
        "last": rows[-1] if rows else None,
    }
    if as_json:
        terminal.emit_json(summary)
        return
    few = max(1, len(rows) // 5)  # single steps differ by what they drew
    used = [name for name in TERMS if any(row[name] for row in rows)]
    shown = [[name, _mean(rows[:few], name), _mean(rows[-few:], name)] for name in used]
    if shown:
        heads = ("mean of", f"the first {few}", f"the last {few}")
        terminal.table(f"{place}: {len(rows):,} steps", heads, shown)
    kept, dropped = prepared.origin["kept"], prepared.origin["dropped"]
    left = ", ".join(
        f"{count:,} {name.replace('_', ' ')}" for name, count in dropped.items() if count
    )
    terminal.messages.print(
        f"{len(prepared):,} patents{f' (left out: {left})' if left else ''}; the window keeps "
        f"{kept['claims_kept']:,} of {kept['claims']:,} claims and {kept['edges_kept']:,} of "
        f"{kept['edges']:,} edges; {scalars} relation parameters → {place}"
    )
    for found in prepared.origin.get("held_out", ())[:SHOWN]:
        terminal.messages.print(
            f"held out: {found['trained']}, {found['leak']} of {found['evaluated']} "
            f"({found['evidence']})",
            highlight=False,
        )


def _mean(rows: list[dict[str, Any]], name: str) -> str:
    return f"{sum(row[name] for row in rows) / len(rows):.4f}"
