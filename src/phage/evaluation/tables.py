"""Scores as rows: for the terminal, Markdown and LaTeX.

In:   results, or rows of cells.
Out:  one row per model, one column per headline measure; text in two notations.
Why:  the command, the report and the README print the same figures the same way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from phage.evaluation.results import Result


@dataclass(frozen=True, slots=True)
class Column:
    """One figure of a table."""

    title: str
    task: str
    measure: str


_F1 = (
    Column("Mi-F1", "classification", "micro_f1"),
    Column("Ma-F1", "classification", "macro_f1"),
)
_CLUSTERS = (Column("NMI", "clustering", "nmi"), Column("ARI", "clustering", "ari"))
_AMI = Column("AMI", "clustering", "ami")
HEADLINES: dict[str, tuple[Column, ...]] = {
    "uspto-week": (
        *_F1,
        Column("NDCG@100", "retrieval", "ndcg@100"),
        Column("R@100", "retrieval", "recall@100"),
        Column("MRR", "retrieval", "mrr"),
        *_CLUSTERS,
        _AMI,
    ),
    "ipc-groups": (*_F1, *_CLUSTERS, _AMI),
    "clef-ip": (
        *_F1,
        *_CLUSTERS,
        Column("Hom.", "clustering", "homogeneity"),
        Column("Com.", "clustering", "completeness"),
    ),
    "uspto-70k": (
        *_F1,
        Column("Mi-F1 expanded", "classification", "expanded_micro_f1"),
        Column("Ma-F1 expanded", "classification", "expanded_macro_f1"),
    ),
    "dapfam": tuple(
        Column(f"{task.replace('-', '→')} NDCG@100", task, "ndcg@100")
        for task in ("ta-ta", "ta-tac", "ta-full", "tac-ta", "tac-tac", "tac-full", "claims-claims")
    ),
}
"""Data set → what its table shows; the files hold every measure."""


def headline(results: Sequence[Result], data_set: str) -> tuple[list[str], list[list[str]]]:
    """Return column titles and one row per model; what was not measured stays empty."""
    columns = HEADLINES.get(data_set) or _main(results)
    titles = ["Model", *(column.title for column in columns)]
    rows = [
        [result.model, *(figure(result.mean(c.task, c.measure)) for c in columns)]
        for result in results
    ]
    return titles, rows


def listing(result: Result) -> tuple[list[str], list[list[str]]]:
    """Return everything that was measured of one model, and on how many documents."""
    rows = []
    for task, scored in result.tasks.items():
        for measure, found in scored["measures"].items():
            spread = figure(found["sd"]) if len(found["runs"]) > 1 else ""
            size = _asked(scored["counts"], measure)
            rows.append([task, measure, figure(found["mean"]), spread, size])
    return ["Task", "Measure", "Mean", "Deviation", "Of"], rows


def _asked(counts: Mapping[str, int], measure: str) -> str:
    """Say over how many queries or documents a measure is the mean; IN and OUT have fewer."""
    domain = f"{measure.split('_')[0]}_queries"
    names = (domain, "queries", "test", "documents")
    return next((str(counts[name]) for name in names if name in counts), "")


def _main(results: Sequence[Result]) -> tuple[Column, ...]:
    """Take the main score of each of mteb's tasks."""
    names = dict.fromkeys(task for result in results for task in result.tasks)
    return tuple(Column(name, name, "main_score") for name in names)


def figure(value: float | None, digits: int = 3) -> str:
    """Write a score; nothing for nothing.

    >>> figure(0.43125), figure(None)
    ('0.431', '')
    """
    return "" if value is None else f"{value:.{digits}f}"


def markdown(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    r"""Write a Markdown table.

    >>> print(markdown(["a", "b"], [["x", "1"]]), end="")
    | a | b |
    |---|---:|
    | x | 1 |
    """
    lines = ["| " + " | ".join(titles) + " |"]
    lines.append("|---|" + "---:|" * (len(titles) - 1))
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def latex(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    r"""Write a LaTeX table body with booktabs rules.

    >>> print(latex(["a", "b"], [["x_1", "0.5 ± 0.1"]]), end="")
    \begin{tabular}{lr}
    \toprule
    a & b \\
    \midrule
    x\_1 & 0.5 $\pm$ 0.1 \\
    \bottomrule
    \end{tabular}
    """
    lines = [f"\\begin{{tabular}}{{l{'r' * (len(titles) - 1)}}}", "\\toprule"]
    lines += [_tex(titles), "\\midrule", *map(_tex, rows), "\\bottomrule", "\\end{tabular}"]
    return "\n".join(lines) + "\n"


def _tex(cells: Sequence[str]) -> str:
    signs = {"\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "_": r"\_", "#": r"\#", "$": r"\$",
             "±": r"$\pm$", "→": r"$\to$", "λ": r"$\lambda$", "×": r"$\times$"}  # fmt: skip
    return " & ".join("".join(signs.get(sign, sign) for sign in cell) for cell in cells) + r" \\"
