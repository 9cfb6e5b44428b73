"""The dense engine's way on accelerators, run here on CPU tensors."""

from __future__ import annotations

import pytest
import torch

from phage.attention import dense, dense_gpu, guided_attention
from phage.attention.guidance import BIASES, Settings

BIAS = torch.tensor([0.9, 0.1, 1.7, 0.4, 2.3])


@pytest.mark.parametrize("dropout", [0.0, 0.25])
@pytest.mark.parametrize("window", [None, 9])
@pytest.mark.parametrize("memory", [1, 1 << 28])  # a row at a time, or all at once
def test_slabs_match_the_reference(layout, qkv, window, dropout, memory, monkeypatch):
    monkeypatch.setattr(dense_gpu, "_MEMORY", memory)
    q, k, v, grad = qkv(layout)
    scale = 32**-0.5
    bias = BIAS.clone().requires_grad_()
    leaves = [x.detach().requires_grad_() for x in (q, k, v)]
    torch.manual_seed(4)
    wanted = guided_attention(
        *leaves, layout, bias, scale=scale, window=window, dropout=dropout, engine="reference"
    )
    wanted_back = torch.autograd.grad(wanted, (*leaves, bias), grad)

    torch.manual_seed(4)
    seed = torch.randint(2**62, (), dtype=torch.int64)
    settings = Settings(scale, window, dropout, seed)
    added = dense._added(layout.table, BIAS, q)
    out = torch.zeros_like(q)
    dense_gpu.attend((q, k, v), layout, added, settings, out)
    torch.testing.assert_close(out, wanted.detach(), rtol=1e-4, atol=1e-5)

    gradients = (*(torch.zeros_like(x) for x in (q, k, v)), torch.zeros_like(added))
    dense_gpu.attend_back((q, k, v), (grad, out), layout, added, settings, gradients)
    for mine, theirs in zip(gradients[:3], wanted_back[:3], strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-5)
    dbias = torch.stack([(gradients[3] * (layout.table == c)).sum() for c in range(BIASES)])
    torch.testing.assert_close(dbias, wanted_back[3], rtol=1e-4, atol=1e-4)


def test_inference_mode_reaches_the_threads():
    import torch

    from phage.attention import dense_cpu

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with torch.inference_mode():
            held = torch.zeros(4)

            def work(index: int) -> None:
                held[index] = index

            dense_cpu.each(work, 4)
        assert held.tolist() == [0, 1, 2, 3]
    finally:
        torch.set_num_threads(before)
