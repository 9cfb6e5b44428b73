"""One command per step of the pipeline.

In:   the words of a shell line.
Out:  files, tables on stdout (or one JSON object with ``--json``), progress on stderr.
Why:  ``phage --help`` must answer at once, so each command lives in a module of its own that is
      imported only when that command is asked for, and imports its step inside the function."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import warnings
from inspect import cleandoc
from typing import Annotated, Any, NoReturn, TextIO

import typer
from typer.core import TyperCommand, TyperGroup

from phage import __version__
from phage.cli.options import Command
from phage.errors import PhageError, outside

COMMANDS: dict[str, tuple[str, str]] = {
    "tour": ("phage.cli.tour:tour", "Try the main steps on fictional patents: start here."),
    "check": ("phage.cli.check:check", "Check claims for drafting errors."),
    "show": ("phage.cli.show:show", "Draw one patent's claim graph, or print it as a tree."),
    "diff": ("phage.cli.diff:diff", "Compare two versions of a claim set, word by word."),
    "chart": ("phage.cli.chart:chart", "Find each element of a claim in another patent."),
    "read": ("phage.cli.read:read", "Read patent files of any format into one file."),
    "index": ("phage.cli.index:index", "Make patents searchable: an index on disk."),
    "search": ("phage.cli.search:search", "Find similar patents and their matching claims."),
    "map": ("phage.cli.map:map_index", "Draw all patents of an index as a map, on one page."),
    "serve": ("phage.cli.serve:serve", "Start the page and the HTTP API on this machine."),
    "doctor": (
        "phage.cli.doctor:doctor",
        "Show versions, devices and models, and what is missing.",
    ),
    "graph": ("phage.cli.graph:graph", "Build the typed claim graphs of many patents."),
    "stats": ("phage.cli.stats:stats", "Count claims and links, beside the paper's figures."),
    "encode": ("phage.cli.encode:encode", "Turn patents into vectors."),
    "export": ("phage.cli.export:export", "Write a model as ONNX."),
    "teacher": ("phage.cli.teacher:teacher", "Make the vectors that training learns from."),
    "train": ("phage.cli.train:train", "Train a model: a recipe and patents in, a folder out."),
    "average": ("phage.cli.average:average", "Average the weights of several training runs."),
    "inspect": ("phage.cli.inspect:inspect", "Show what a model learned about each type of link."),
    "evaluate": ("phage.cli.evaluate:evaluate", "Score classification, retrieval and clustering."),
    "ablate": ("phage.cli.ablate:ablate", "Train and evaluate a folder of recipes."),
    "leakage": ("phage.cli.leakage:leakage", "Find training patents inside an evaluation set."),
    "report": ("phage.cli.report:report", "Print results beside the paper's tables."),
    "demo-corpus": (
        "phage.cli.corpus:demo_corpus",
        "Write fictional patents with their true graphs.",
    ),
}
"""Command → (where its function lives, its line in ``phage --help``)."""

PANELS = {
    "Claims": ("tour", "check", "show", "diff", "chart"),
    "Search": ("read", "index", "search", "map", "serve", "doctor"),
    "Graphs and vectors": ("graph", "stats", "encode", "export"),
    "Training": ("teacher", "train", "average", "inspect"),
    "Evaluation": ("evaluate", "ablate", "leakage", "report", "demo-corpus"),
}
"""Headings of ``phage --help``."""


class _Late(TyperGroup):
    """A group that imports a command when it is called, not before."""

    # Contexts are Any: typer carries click inside since 0.24 and used it from outside before.
    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401
        """Keep the order of the headings."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401
        """Return the overview a name and a line; nothing is imported for it."""
        if cmd_name not in COMMANDS:
            return None
        line = COMMANDS[cmd_name][1]
        panel = next(panel for panel, names in PANELS.items() if cmd_name in names)
        return TyperCommand(cmd_name, short_help=line, help=line, rich_help_panel=panel)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401
        """Load the command that was called."""
        if args and args[0] in COMMANDS:
            return args[0], load(args[0]), args[1:]
        if args and not args[0].startswith("-") and not ctx.resilient_parsing:
            raise _unknown(args[0])
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401
        """Run the command; on Ctrl-C typer alone would end silently."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise Interrupted("stopped by Ctrl-C; no half-written file is left") from None


def _unknown(name: str) -> PhageError:
    """Return the error of a command that does not exist, with the one that was probably meant."""
    from difflib import get_close_matches

    near = get_close_matches(name, COMMANDS, n=2, cutoff=0.5)
    named = " or ".join(f"'phage {one}'" for one in near)
    meant = f"did you mean {named}? " if near else ""
    return PhageError(f"there is no command '{name}'", remedy=f"{meant}phage --help lists them all")


class Interrupted(PhageError):
    """The user pressed Ctrl-C."""

    code = 130  # as a process ended by SIGINT


def load(name: str) -> Any:  # noqa: ANN401
    """Turn the function behind a command's name into a command."""
    module, function = COMMANDS[name][0].split(":")
    holder = typer.Typer(add_completion=False, rich_markup_mode="rich")
    run = getattr(importlib.import_module(module), function)
    holder.command(name, cls=Command, help=_unwrapped(run.__doc__ or ""))(run)
    return typer.main.get_command(holder)


def _unwrapped(docstring: str) -> str:
    r"""Join the lines of each paragraph, so that the terminal breaks them; examples stay apart.

    >>> _unwrapped("It reads.\n\n    All of\n    it.\n\n    Example: a\n    Example: b")
    'It reads.\n\nAll of it.\n\nExample: a\n\nExample: b'
    """
    whole = cleandoc(docstring).replace("\nExample:", "\n\nExample:")
    return "\n\n".join(" ".join(part.split()) for part in whole.split("\n\n") if part.strip())


app = typer.Typer(
    cls=_Late,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"phage {__version__}")
        raise typer.Exit


@app.callback()
def _phage(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Check patent claims, draw their claim graphs, and find similar patents.

    Start with: phage tour, phage check draft.docx or phage serve.
    phage COMMAND --help has examples.
    """


def main() -> None:
    """Run the command line; errors that a user can fix appear without a traceback."""
    warnings.showwarning = _warn
    # Before torch is loaded: where other programs want the cores too, a thread that spins while it
    # waits takes the core that the other thread waits for.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        app()
    except Interrupted as error:
        # A Ctrl-C that passed through an evaluated string, as dataclasses and namedtuples are made
        # of, stays noted in CPython, and ``python -m`` would then end by the signal whatever the
        # exit code. The next evaluated string strikes the note out.
        eval("0")
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a second one ends it at once, without a word
        _fail(str(error), error.code)
    except PhageError as error:
        _fail(str(error), error.code)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:
        _fail(f"{error.strerror or error}\n  where: {error.filename or 'the operating system'}", 2)
    except Exception as error:  # noqa: BLE001  a mistake of ours: said in two lines, shown in full on request
        if found := outside(error):
            _fail(str(found), found.code)
        name = type(error).__name__
        _fail(f"unexpected {name}: {error}\n  remedy: PHAGE_DEBUG=1 shows where; report it", 70)


def _warn(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Show a warning as a line, without the place in our code."""
    from phage.terminal import plain

    sys.stderr.write(f"warning: {plain(str(message))}\n")


def _fail(message: str, code: int) -> NoReturn:
    if os.environ.get("PHAGE_DEBUG"):
        raise  # noqa: PLE0704  (called while an exception is handled)
    from phage.terminal import plain

    sys.stderr.write(f"error: {plain(message)}\n")
    sys.exit(code)
