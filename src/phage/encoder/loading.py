"""Where a model's name leads.

In:   the name of the embedded model, a folder, ``package:…``, or a hub name.
Out:  a folder on this disk.
Why:  everything runs offline; only a hub name that is not yet in the cache asks the network."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from phage.errors import PhageError
from phage.model_folder import model_source

EMBEDDED = Path(__file__).parent.parent / "models"
"""Models that come with the package."""
WANTED = ["*.json", "*.txt", "*.model", "*.safetensors"]
"""Taken from a hub; weights in one format only, none that would have to be unpickled."""


def find_model(source: Path | str) -> Path:
    """Find a model's folder."""
    name = str(source)
    if inside := embedded(name):
        return inside
    found = Path(model_source(name))
    if found.is_dir():
        return found
    if found.exists() or name.count("/") > 1:
        raise PhageError(
            "this is not a model folder",
            place=name,
            remedy=_remedy("give one with config.json, tokenizer and weights"),
        )
    return _download(name)


def embedded(name: Path | str) -> Path | None:
    """Find a model that comes with the package; None where none has that name."""
    place = EMBEDDED / name
    return place if "/" not in str(name) and (place / "config.json").is_file() else None


def device_of(asked: Any) -> Any:  # noqa: ANN401  (torch.device: torch is imported late)
    """Find the device asked for, or the best there is."""
    import torch

    try:
        device = torch.device(asked or ("cuda" if torch.cuda.is_available() else "cpu"))
        torch.empty(0, device=device)
    except (AssertionError, RuntimeError) as error:
        raise PhageError(
            f"device '{asked}' is not available: {str(error).splitlines()[0]}",
            remedy="device='cpu', or leave it out",
        ) from error
    return device


@dataclass(frozen=True, slots=True)
class Products:
    """How the fast way multiplies on a CPU."""

    half: bool = False
    """In bfloat16."""
    int8: bool = False
    """The linear layers in int8."""


def fast_half() -> bool:
    """Return whether this processor multiplies bfloat16 itself: encoding is then twice as fast.

    One that does not would be slower with it.
    """
    return _offers("amx_bf16", "avx512_bf16", "bf16")


def fast_int8() -> bool:
    """Return whether this processor multiplies int8 itself, without overflow."""
    return _offers("amx_int8", "avx512_vnni", "avx_vnni")


def _offers(*names: str) -> bool:
    import torch

    able: dict[str, Any] = getattr(torch.cpu, "get_capabilities", dict)()  # torch 2.9 and later
    return any(able.get(name) for name in names)


def _download(name: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(name, allow_patterns=WANTED))
    except (LocalEntryNotFoundError, HfHubHTTPError, OSError, ValueError) as error:
        raise PhageError(
            f"there is no such model folder, and no such model on the hub ({type(error).__name__})",
            place=name,
            remedy=_remedy("give the path of a downloaded model, go online once"),
        ) from error


def _remedy(first: str) -> str:
    known = sorted(path.parent.name for path in EMBEDDED.glob("*/config.json"))
    return first + (f", or use the embedded {', '.join(known)}" if known else "")
