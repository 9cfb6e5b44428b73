"""Write the API reference from the docstrings: python docs/reference.py [FOLDER].

Every module of the package becomes a page. A warning is an error: a name that cannot be resolved
or a module that cannot be imported would be missing from the pages without a word."""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
import warnings
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import pdoc

import phage

SKIPPED = {"phage.__main__"}
"""Importing it would run the command line."""


def modules() -> list[str]:
    """Name the package and all its modules, and load the names that are given late."""
    found = ["phage", *(m.name for m in pkgutil.walk_packages(phage.__path__, "phage."))]
    found = [name for name in found if name not in SKIPPED]
    for name in found:
        module = importlib.import_module(name)
        for late in getattr(module, "__all__", ()):
            vars(module).setdefault(late, getattr(module, late))
    return found


def main(folder: str = "build/api") -> None:
    """Write the pages; open index.html."""
    warnings.simplefilter("ignore")  # of packages that are imported
    names = modules()
    pdoc.render.configure(docformat="markdown", footer_text=f"phage {phage.__version__}")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # pdoc adds the children of some packages by itself; named twice is no harm.
        warnings.filterwarnings("ignore", message="The module specification")
        # The constructor of a NamedTuple has no module in which to look its names up.
        warnings.filterwarnings("ignore", message=r".*(NounPhrase|Noted|Resolution)\.__init__")
        # An alias of a type that is imported for type checkers only.
        warnings.filterwarnings("ignore", message=r".*annotation Load for phage\.searching")
        # The service's patent is made from the fields of Patent, so no line defines its own.
        warnings.filterwarnings("ignore", message=r".*where phage\.serve\.schemas\.PatentAnswer")
        pdoc.pdoc(*names, output_directory=Path(folder))
    sys.stdout.write(f"{folder}/index.html: {len(names)} modules\n")


if __name__ == "__main__":
    main(*sys.argv[1:2])
