"""Guided training under DistributedDataParallel."""

from __future__ import annotations

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
