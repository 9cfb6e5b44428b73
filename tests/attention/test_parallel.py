"""Guided training under DistributedDataParallel."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch
from torch import distributed
from torch.nn.parallel import DistributedDataParallel

from phage.attention import guide, relation_biases


@pytest.fixture
def lone_group(tmp_path):
    distributed.init_process_group(
        "gloo", init_method=f"file://{tmp_path}/store", rank=0, world_size=1
    )
    yield
    distributed.destroy_process_group()


def test_ddp_sees_the_biases_and_passes_guidance_through(lone_group, build, graph):
    guidance = graph([[20, 9], [8, 15]], tokens=30, opened=(1,))
    ids = torch.randint(5, 99, (2, 30), generator=torch.Generator().manual_seed(0))

    def gradients(model, call):
        call(input_ids=ids, guidance=guidance).last_hidden_state[:, 0].pow(3).sum().backward()
        return torch.stack([bias.raw.grad for bias in relation_biases(model)])

    model = guide(build("bert", add_pooling_layer=False))
    model.pooler = None  # its weights get no gradient here
    wanted = gradients(model, model)
    model.zero_grad()
    mine = gradients(model, DistributedDataParallel(model))
    assert wanted.abs().max() > 0
    assert torch.equal(mine, wanted)
    open_only = graph([[20, 9], [8, 15]], tokens=30, opened=(0, 1))
    wrapped = DistributedDataParallel(model)
    for _ in range(2):  # a batch of open patents leaves no parameter without a gradient
        wrapped(input_ids=ids, guidance=open_only).last_hidden_state.sum().backward()


SCRIPT = """
import sys, torch
from torch import distributed
from torch.nn.parallel import DistributedDataParallel
from transformers import BertConfig, BertModel
from phage.attention import Guidance, guide, relation_biases

rank, store, out = int(sys.argv[1]), sys.argv[2], sys.argv[3]
torch.set_num_threads(1)
torch.manual_seed(0)
config = BertConfig(
    vocab_size=99, hidden_size=64, num_hidden_layers=2, num_attention_heads=2,
    intermediate_size=96, initializer_range=0.3,
)
model = guide(BertModel(config, add_pooling_layer=False).eval())
nodes = torch.tensor([[0] + [1] * 9 + [2] * 10, [0] + [1] * 15 + [2] * 4], dtype=torch.int32)
table = torch.tensor([[5, 5, 5], [-1, 0, -1], [-1, 2, 0]], dtype=torch.int8).expand(2, 3, 3)
guidance = Guidance(nodes, table.contiguous(), torch.zeros(2, dtype=torch.bool))
ids = torch.randint(5, 99, (2, 20), generator=torch.Generator().manual_seed(1))
call = model
if rank >= 0:
    distributed.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    call = DistributedDataParallel(model)
    one = slice(rank, rank + 1)
    guidance = Guidance(nodes[one], guidance.table[one], guidance.open[one])
    ids = ids[one]
call(input_ids=ids, guidance=guidance).last_hidden_state[:, 0].pow(3).mean().backward()
torch.save(torch.stack([bias.raw.grad for bias in relation_biases(model)]), f"{out}/{rank}.pt")
if rank >= 0:  # leave together, or gloo's own thread may abort the first to end
    distributed.monitored_barrier()
"""


@pytest.mark.slow
def test_two_processes_average_the_bias_gradients(tmp_path):
    store = tmp_path / "store"
    started = [
        subprocess.Popen([sys.executable, "-c", SCRIPT, str(rank), str(store), str(tmp_path)])
        for rank in (-1, 0, 1)
    ]
    assert [process.wait(300) for process in started] == [0, 0, 0]
    alone, first, second = (torch.load(tmp_path / f"{rank}.pt") for rank in (-1, 0, 1))
    assert torch.equal(first, second)
    torch.testing.assert_close(first, alone, rtol=1e-4, atol=1e-6)
