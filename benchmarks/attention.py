"""Guided attention against plain flash, FlexAttention and the dense mask, on one GPU in one run.

python benchmarks/attention.py [-o results/attention-h200.json]

Forward + backward of the attention alone, bf16, 16 heads of width 64, claim layouts of
benchmarks/layouts.py. Times are medians of CUDA-graph replays where a graph can be captured (the
kernels' own time), and of eager calls beside it (launch cost included). ``plain`` is SDPA without a
mask: ``flash`` by name, and ``default``, which is whatever torch picks (cuDNN on Hopper)."""

from __future__ import annotations

import argparse
from collections.abc import Callable

import torch
import triton
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention, softplus

import layouts
from phage.attention import Guidance, guided_attention, tiles
from phage.provenance import provenance
from phage.storage import write_json

HEADS, WIDTH = 16, 64
SIZES = ((24, 512), (96, 512), (8, 2048), (2, 8192))
Step = Callable[[], object]


def inputs(batch: int, tokens: int, dtype: torch.dtype = torch.bfloat16) -> list[Tensor]:
    """Draw q, k, v and the output's gradient, laid out as an encoder does."""
    shape = (batch, tokens, HEADS, WIDTH)
    drawn = [torch.randn(shape, device="cuda", dtype=dtype).transpose(1, 2) for _ in range(4)]
    return [x.requires_grad_() for x in drawn[:3]] + drawn[3:]


def replayed(step: Step) -> float | None:
    """Median milliseconds of CUDA-graph replays, or None where it cannot be captured."""
    try:
        return round(triton.testing.do_bench_cudagraph(step, rep=150, return_mode="median"), 4)
    except RuntimeError:
        torch.cuda.synchronize()
        return None


def eager(step: Step) -> float:
    """Median milliseconds of ordinary calls."""
    return round(triton.testing.do_bench(step, warmup=40, rep=150, return_mode="median"), 4)


def plain_step(q: Tensor, k: Tensor, v: Tensor, do: Tensor) -> Step:
    return lambda: torch.autograd.grad(scaled_dot_product_attention(q, k, v), (q, k, v), do)


def guided(engine: str, x: list[Tensor], guidance: Guidance, bias: Tensor) -> Tensor:
    return guided_attention(*x[:3], guidance, bias, scale=WIDTH**-0.5, engine=engine)


def guided_step(engine: str, x: list[Tensor], guidance: Guidance, bias: Tensor) -> Step:
    return lambda: torch.autograd.grad(guided(engine, x, guidance, bias), (*x[:3], bias), x[3])


def flex_step(x: list[Tensor], guidance: Guidance, bias: Tensor) -> Step:
    """FlexAttention with the bias spread over (B, H, T), so that its gradient does not collide.

    One stage: with more, its forward asks for more shared memory than the chip has.
    """
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    q, k, v, do = x
    codes = guidance.codes()
    batch, heads, tokens, _ = q.shape
    flex = torch.compile(flex_attention)
    mask = create_block_mask(
        lambda b, h, i, j: codes[b, i, j] >= 0, batch, None, tokens, tokens, device="cuda"
    )

    def step() -> object:
        rows = torch.cat((bias, bias.new_zeros(1))).expand(batch, heads, tokens, 6).contiguous()
        out = flex(
            q, k, v, block_mask=mask, kernel_options={"num_stages": 1},
            score_mod=lambda s, b, h, i, j: s + rows[b, h, i, codes[b, i, j].clamp(min=0).int()],
        )  # fmt: skip
        return torch.autograd.grad(out, (q, k, v, bias), do)

    return step


def measure(batch: int, tokens: int, contestants: set[str]) -> dict[str, object]:
    """Time every contestant on one size, and give ratios to both plain ones."""
    guidance = layouts.draw(batch, tokens).to("cuda")
    x = inputs(batch, tokens)
    bias = softplus(torch.zeros(5, device="cuda")).requires_grad_()
    planned = tiles.plan(guidance, torch.bfloat16)
    row: dict[str, object] = {
        "batch": batch,
        "tokens": tokens,
        "open_tiles": round(float(planned.key_counts.sum()) / planned.keys.numel(), 4),
        "plan_ms_per_batch": eager(lambda: tiles._plan(guidance, torch.bfloat16, None)),
    }
    steps: dict[str, Step] = {
        "default": plain_step(*x),
        "kernel": guided_step("kernel", x, guidance, bias),
    }
    if tokens <= 2048 and "dense" in contestants:
        steps["dense"] = guided_step("dense", x, guidance, bias)
    if tokens <= 2048 and "flex" in contestants:
        steps["flex"] = flex_step(x, guidance, bias)
    times: dict[str, dict[str, float | None]] = {}
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        times["flash"] = {"replayed": replayed(plain_step(*x)), "eager": eager(plain_step(*x))}
    for name, step in steps.items():
        whole = None if name in ("flex", "dense") else replayed(step)
        times[name] = {"replayed": whole, "eager": eager(step)}
    row["ms"] = times
    for yardstick in ("flash", "default"):
        row[f"kernel_over_{yardstick}"] = _ratios(times["kernel"], times[yardstick])
    print(row, flush=True)
    return row


def _ratios(ours: dict[str, float | None], theirs: dict[str, float | None]) -> dict[str, float]:
    return {how: round(ours[how] / theirs[how], 3) for how in ours if ours[how] and theirs[how]}


def errors(tokens: int, batch: int = 2) -> dict[str, object]:
    """Relative errors against float64, beside flash's own on the unmasked problem."""
    guidance = layouts.draw(batch, tokens, seed=tokens).to("cuda")
    q, k, v, do = inputs(batch, tokens)
    bias = softplus(torch.randn(5, device="cuda")).requires_grad_()
    exact = [y.detach().double().requires_grad_() for y in (q, k, v, bias)]

    def relative(ours: tuple[Tensor, ...], truth: tuple[Tensor, ...]) -> list[float]:
        pairs = zip(ours, truth, strict=True)
        return [float(f"{((a.double() - b).norm() / b.norm()).item():.2e}") for a, b in pairs]

    out = guided("kernel", [q, k, v], guidance, bias)
    grads = torch.autograd.grad(out, (q, k, v, bias), do)
    truth = guided("reference", exact[:3], guidance, exact[3])
    true_grads = torch.autograd.grad(truth, exact, do.double())
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        flash = scaled_dot_product_attention(q, k, v)
        flash_grads = torch.autograd.grad(flash, (q, k, v), do)
    plain = scaled_dot_product_attention(*exact[:3])
    plain_grads = torch.autograd.grad(plain, exact[:3], do.double())
    again = torch.autograd.grad(guided("kernel", [q, k, v], guidance, bias), (q, k, v, bias), do)
    row = {
        "tokens": tokens,
        "order": ["out", "dq", "dk", "dv", "dbias"],
        "kernel": relative((out, *grads), (truth, *true_grads)),
        "flash": relative((flash, *flash_grads), (plain, *plain_grads)),
        "repeated_bits_equal": all(torch.equal(a, b) for a, b in zip(grads, again, strict=True)),
    }
    print(row, flush=True)
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", default="results/attention-h200.json")
    parser.add_argument("--without", nargs="*", default=[], choices=["flex", "dense"])
    options = parser.parse_args()
    torch.manual_seed(0)
    contestants = {"flex", "dense"} - set(options.without)
    write_json(
        options.output,
        {
            "what": __doc__,
            "device": torch.cuda.get_device_name(),
            "errors": [errors(512), errors(2048, batch=1)],
            "sizes": [measure(batch, tokens, contestants) for batch, tokens in SIZES],
            "provenance": provenance(),
        },
    )


if __name__ == "__main__":
    main()
