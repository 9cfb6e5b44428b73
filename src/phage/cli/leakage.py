"""``phage leakage``: training patents inside an evaluation set."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from phage.cli.options import apart


def leakage(
    train: Annotated[
        Path, typer.Argument(help="Training patents: any file that phage read takes.")
    ],
    evaluated: Annotated[Path, typer.Argument(metavar="EVAL", help="Evaluation patents.")],
    threshold: Annotated[
        float, typer.Option(min=0.3, max=1.0, help="Overlap of claims that counts as a copy.")
    ] = 0.5,
    split_by_date: Annotated[
        Path | None,
        typer.Option(
            help="Write the EVAL patents that are clean and filed after the last training patent."
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print all findings as JSON.")] = False,
) -> None:
    """Find applications, families, continuations and near-copies that both sides share.

    Exits with 1 if anything leaks, so that a script can stop.

    Example: phage leakage train.parquet test.parquet
    """
    from phage import terminal
    from phage.claims import read_some, write
    from phage.evaluation.leakage import find_leaks, later_than

    apart(split_by_date, train, evaluated)
    report = find_leaks(read_some(train), read_some(evaluated), threshold)
    if split_by_date:
        kept = write(later_than(report, read_some(evaluated)), split_by_date)
        terminal.messages.print(f"{split_by_date}: {kept:,} clean patents after the training ended")
    if json:
        terminal.emit_json(report.to_json())
    else:
        terminal.table(
            f"{report.leaked:,} of {report.evaluated:,} evaluation patents have a copy among "
            f"{report.trained:,} training patents",
            ["leak", "patents"],
            report.counts.items(),
        )
        terminal.output.print(
            f"{report.filed_before:,} of {report.dated:,} dated evaluation patents were filed by "
            f"the end of training ({report.trained_until or 'unknown'})"
        )
        for finding in report.findings[:20]:
            terminal.output.print(
                f"  {finding.evaluated}: {finding.leak} of {finding.trained} ({finding.evidence})",
                highlight=False,
            )
        if len(report.findings) > 20:
            terminal.output.print(f"  … {len(report.findings) - 20:,} more with --json")
    if report.leaked:
        raise typer.Exit(1)
