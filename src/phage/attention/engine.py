"""Three engines behind one function.

In:   queries, keys, values (B, H, T, D); Guidance; the layer's five effective biases.
Out:  the attended values (B, H, T, D).
Why:  the same equation three times: to be read (``reference``), to run anywhere (``dense``), to
      run fast on a GPU (``kernel``). They agree in outputs and gradients."""

from __future__ import annotations

import functools
import importlib.util
import os
import warnings
from collections.abc import Callable
from enum import StrEnum

import torch
from torch import Tensor

from phage.attention import dense, reference
from phage.attention.dropout import draw_seed
from phage.attention.guidance import Guidance, Settings
from phage.errors import PhageError
from phage.extras import install


class Engine(StrEnum):
    """How guided attention is computed."""

    AUTO = "auto"
    """``kernel`` on a CUDA device that has Triton and without dropout, else ``dense``."""
    REFERENCE = "reference"
    DENSE = "dense"
    KERNEL = "kernel"


_Attend = Callable[[Tensor, Tensor, Tensor, Guidance | None, Tensor, Settings], Tensor]


def guided_attention(  # noqa: PLR0913  (q, k, v and the graph are the equation's own)
    q: Tensor,
    k: Tensor,
    v: Tensor,
    guidance: Guidance | None,
    bias: Tensor,
    *,
    scale: float,
    dropout: float = 0.0,
    window: int | None = None,
    engine: Engine | str = Engine.AUTO,
) -> Tensor:
    """Attend under guidance; ``guidance=None`` is plain attention by the same engine.

    ``bias`` is (5,) effective (after softplus), float32: self, cite, term, func, both. Dropout is
    drawn from torch's default CPU generator: the same seed drops the same pairs in ``reference``
    and ``dense``. The kernel has none: ``auto`` then takes ``dense``, ``kernel`` refuses.
    """
    chosen = choose(Engine(engine), q.device, dropout)
    seed = draw_seed() if dropout else None
    return _ENGINES[chosen](q, k, v, guidance, bias, Settings(scale, window, dropout, seed))


def choose(engine: Engine, device: torch.device, dropout: float = 0.0) -> Engine:
    """Settle ``auto``, and refuse what cannot be."""
    if engine is Engine.KERNEL:
        if dropout:
            raise PhageError(
                f"the kernel does not support attention dropout (asked for {dropout})",
                remedy="guide(model, dropout=0.0), or engine='dense'",
            )
        if not kernel_installed():
            raise PhageError(
                "the kernel engine needs the package 'triton', which is not installed",
                remedy=f"{install('kernel')}, or engine='dense'",
            )
        if device.type == "cpu" and os.environ.get("TRITON_INTERPRET", "0") == "0":
            raise PhageError(
                "the kernel engine runs on a GPU, and these tensors are on the CPU",
                remedy="engine='dense'; or TRITON_INTERPRET=1, slowly, to try the kernel without one",
            )
        return engine
    if engine is not Engine.AUTO:
        return engine
    if device.type != "cuda":
        return Engine.DENSE
    if not kernel_installed():
        _say("Triton is not installed: guided attention runs on the slower 'dense' engine")
        return Engine.DENSE
    if dropout:
        _say(
            f"attention dropout is {dropout}, which the kernel does not support: guided attention "
            "runs on the slower 'dense' engine; guide(model, dropout=0.0) avoids it"
        )
        return Engine.DENSE
    return Engine.KERNEL


# Looked up once, at import: the compiler cannot trace the import machinery.
_KERNEL_HERE = all(
    importlib.util.find_spec(name) is not None for name in ("triton", "phage.attention.triton_op")
)


def kernel_installed() -> bool:
    """Return whether the kernel can be imported here; never an ImportError."""
    return _KERNEL_HERE


@functools.cache
def _say(message: str) -> None:
    warnings.warn(message, stacklevel=2)  # cached: reported once, not once per layer


def _kernel(
    q: Tensor, k: Tensor, v: Tensor, guidance: Guidance | None, bias: Tensor, settings: Settings
) -> Tensor:
    from phage.attention import triton_op  # late: needs Triton

    if q.dtype not in _KERNEL_TYPES:
        raise PhageError(
            f"the kernel does not support {q.dtype}", remedy="engine='reference' or 'dense'"
        )
    if guidance is None:
        guidance = Guidance.plain(q.shape[0], q.shape[2], q.device)
    if q.device.type == "cpu" and q.dtype == torch.bfloat16:
        # Triton's interpreter takes bfloat16 for integers when it multiplies.
        return _kernel(q.float(), k.float(), v.float(), guidance, bias, settings).to(q.dtype)
    out: Tensor = triton_op.attend(
        q, k, v, guidance, bias, scale=settings.scale, window=settings.window
    )
    return out


_KERNEL_TYPES = (torch.float16, torch.bfloat16, torch.float32)
_ENGINES: dict[Engine, _Attend] = {
    Engine.REFERENCE: reference.attend,
    Engine.DENSE: dense.attend,
    Engine.KERNEL: _kernel,
}
