# ruff: noqa
# mypy: ignore-errors
"""A BERT (or MPNet) over packed sequences: no padding, bf16, weights as plain parameters.

In:   HF-named weights; token ids of many sequences one after the other and where each ends.
Out:  mean vectors, float32. Graph-free."""

import os
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional as F

HEADS = 12
DTYPE = torch.bfloat16
LAYER = {
    "attention.self.query": "q", "attention.self.key": "k", "attention.self.value": "v",
    "attention.attn.q": "q", "attention.attn.k": "k", "attention.attn.v": "v",
    "attention.output.dense": "o", "attention.attn.o": "o",
    "attention.output.LayerNorm": "n1", "attention.LayerNorm": "n1",
    "intermediate.dense": "i", "output.dense": "d", "output.LayerNorm": "n2",
}  # fmt: skip


def attend(qkv: Tensor, ends: Tensor, longest: int) -> Tensor:
    """(T, 3·D) → (T, D)."""
    count, width = qkv.shape[0], qkv.shape[1] // 3
    q, k, v = qkv.view(count, 3, HEADS, width // HEADS).unbind(1)
    return FUSED(q, k, v, ends, longest).reshape(count, width)


def by_varlen(q: Tensor, k: Tensor, v: Tensor, ends: Tensor, longest: int) -> Tensor:
    from torch.nn.attention.varlen import varlen_attn

    return varlen_attn(q, k, v, ends, ends, longest, longest)


def by_flash(q: Tensor, k: Tensor, v: Tensor, ends: Tensor, longest: int) -> Tensor:
    forward = torch.ops.aten._flash_attention_forward
    return forward(q, k, v, ends, ends, longest, longest, 0.0, False, False)[0]


def attend_plain(q: Tensor, k: Tensor, v: Tensor, ends: Tensor, longest: int = 0) -> Tensor:
    out = []
    for a, b in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        one = [x[a:b].transpose(0, 1)[None] for x in (q, k, v)]
        out.append(F.scaled_dot_product_attention(*one)[0].transpose(0, 1))
    return torch.cat(out)


def chosen_way():
    """The first fused attention that runs here and agrees with the plain one, with gradients."""
    if not torch.cuda.is_available():
        return attend_plain
    torch.manual_seed(0)
    ends = torch.tensor([0, 70, 75, 300], dtype=torch.int32, device="cuda")
    for way in (by_varlen, by_flash):
        try:
            parts = [
                torch.randn(300, HEADS, 32, device="cuda", dtype=DTYPE).requires_grad_()
                for _ in range(3)
            ]
            grads = []
            for one in (way, attend_plain):
                out = one(*parts, ends, 225)
                grads.append([out, *torch.autograd.grad(out.float().square().sum(), parts)])
            off = max(
                (a - b).abs().max().item() / b.abs().max().item()
                for a, b in zip(*grads, strict=True)
            )
            print(f"{way.__name__}: off by {off:.4f}", flush=True)
            if off < 0.05:
                return way
        except Exception as error:
            print(f"{way.__name__}: {error!r}", flush=True)
    return attend_plain


def project(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    return F.linear(x, w.to(x.dtype), b.to(x.dtype))


def norm(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    return F.layer_norm(x.float(), x.shape[-1:], w, b, 1e-12).to(x.dtype)


def after(x, a, ow, ob, n1w, n1b, iw, ib, dw, db, n2w, n2b):
    """What follows attention in a layer."""
    x = norm(x + project(a, ow, ob), n1w, n1b)
    return norm(x + project(F.gelu(project(x, iw, ib)), dw, db), n2w, n2b)


if torch.cuda.is_available() and not os.environ.get("EAGER"):
    torch._dynamo.config.cache_size_limit = 64
    after = torch.compile(after, dynamic=True)
    norm_first = torch.compile(norm, dynamic=True)
else:
    norm_first = norm


FUSED = chosen_way()


class Encoder(nn.Module):
    def __init__(self, state: dict) -> None:
        super().__init__()
        self.layers = 1 + max(int(k.split(".")[2]) for k in state if k.startswith("encoder.layer"))
        self.p = nn.ParameterDict()
        for name, value in flat(state).items():
            self.p[name] = nn.Parameter(value.clone())

    def forward(self, ids: Tensor, seq: Tensor, pos: Tensor, ends: Tensor, longest: int) -> Tensor:
        p = self.p
        x = F.embedding(ids, p["word"]) + F.embedding(pos, p["position"]) + p["kind"][0]
        x = norm_first(x, p["n0w"], p["n0b"]).to(DTYPE)
        for i in range(self.layers):
            a = attend(project(x, p[f"{i}_qkvw"], p[f"{i}_qkvb"]), ends, longest)
            x = after(x, a, *(p[f"{i}_{k}"] for k in ORDER))
        sums = torch.zeros(len(ends) - 1, x.shape[1], device=x.device)
        sums = sums.index_add(0, seq, x.float())
        return F.normalize(sums, dim=1)

    def state(self) -> dict:
        return {k: v.detach().clone() for k, v in self.p.items()}

    def load(self, state: dict) -> None:
        with torch.no_grad():
            for k, v in state.items():
                self.p[k].copy_(v)


ORDER = ("ow", "ob", "n1w", "n1b", "iw", "ib", "dw", "db", "n2w", "n2b")


def flat(state: dict) -> dict:
    """HF names → ours; queries, keys and values are one matrix."""
    out = {
        "word": state["embeddings.word_embeddings.weight"],
        "position": state["embeddings.position_embeddings.weight"],
        "n0w": state["embeddings.LayerNorm.weight"],
        "n0b": state["embeddings.LayerNorm.bias"],
    }
    kind = "embeddings.token_type_embeddings.weight"
    out["kind"] = state[kind] if kind in state else torch.zeros(1, out["word"].shape[1])
    found: dict = {}
    for name, value in state.items():
        if name.startswith("encoder.layer"):
            _, _, i, rest = name.split(".", 3)
            stem, end = rest.rsplit(".", 1)
            found[f"{i}_{LAYER[stem]}{end[0]}"] = value
    for name, value in found.items():
        i, key = name.split("_")
        if key in ("qw", "qb"):
            parts = [found[f"{i}_{x}{key[1]}"] for x in "qkv"]
            out[f"{i}_qkv{key[1]}"] = torch.cat(parts)
        elif key[0] not in "kv":
            out[name] = value
    return {k: v.float() for k, v in out.items()}


def named(state: dict) -> dict:
    """Ours → HF names, for a stock BertModel."""
    back = {v: k for k, v in LAYER.items() if "attn" not in k and k != "attention.LayerNorm"}
    out = {
        "embeddings.word_embeddings.weight": state["word"],
        "embeddings.position_embeddings.weight": state["position"],
        "embeddings.token_type_embeddings.weight": state["kind"],
        "embeddings.LayerNorm.weight": state["n0w"],
        "embeddings.LayerNorm.bias": state["n0b"],
    }
    for name, value in state.items():
        if "_" not in name:
            continue
        i, key = name.split("_")
        end = "weight" if key[-1] == "w" else "bias"
        if key.startswith("qkv"):
            for x, part in zip("qkv", value.chunk(3), strict=True):
                out[f"encoder.layer.{i}.{back[x]}.{end}"] = part.contiguous()
        else:
            out[f"encoder.layer.{i}.{back[key[:-1]]}.{end}"] = value
    return out


class MPNet(Encoder):
    """MPNet for inference: positions count from 2, and distances add a bias in every layer."""

    def __init__(self, state: dict) -> None:
        self_bias = state["encoder.relative_attention_bias.weight"]
        super().__init__({k: v for k, v in state.items() if "relative" not in k})
        self.p["relative"] = nn.Parameter(self_bias.float())

    def padded(self, ids: Tensor, mask: Tensor) -> Tensor:
        """(B, L) → (B, D)."""
        p, (rows, length) = self.p, ids.shape
        x = F.embedding(ids, p["word"]) + p["position"][2 : length + 2] + p["kind"][0]
        x = norm(x, p["n0w"], p["n0b"]).to(DTYPE).view(rows * length, -1)
        bias = p["relative"][buckets(length, x.device)].permute(2, 0, 1)[None].to(DTYPE)
        bias = bias.masked_fill(~mask[:, None, None, :], -1e4)
        for i in range(self.layers):
            qkv = project(x, p[f"{i}_qkvw"], p[f"{i}_qkvb"])
            q, k, v = qkv.view(rows, length, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
            a = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
            a = a.transpose(1, 2).reshape(rows * length, -1)
            x = after(x, a, *(p[f"{i}_{k}"] for k in ORDER))
        x = x.view(rows, length, -1).float() * mask[..., None]
        return F.normalize(x.sum(1), dim=1)


def buckets(length: int, device, number: int = 32, far: int = 128) -> Tensor:
    """MPNet's buckets of distances, (L, L)."""
    at = torch.arange(length, device=device)
    n = -(at[None] - at[:, None])
    half = number // 2
    out = (n < 0).long() * half
    n = n.abs()
    exact = half // 2
    big = (
        exact
        + (
            torch.log(n.float().clamp(min=1) / exact)
            / torch.log(torch.tensor(far / exact))
            * (half - exact)
        ).long()
    )
    return out + torch.where(n < exact, n, big.clamp(max=half - 1))


def load_base(folder: Path, name: str, device: str) -> Encoder:
    """Load a packed base; phage-mini lends the rows it lacks from MiniLM."""
    from pack import unpacked

    if name == "phage":
        from safetensors.torch import load_file

        state = load_file("src/phage/models/phage-mini/model.safetensors")
        state = {k: v.float() for k, v in state.items() if "pooler" not in k}
        key = "embeddings.word_embeddings.weight"
        rest = unpacked(folder / "minilm.safetensors")[key]
        state[key] = torch.cat([state[key], rest[len(state[key]) :]])
        return Encoder(state).to(device)
    if name == "mpnet":
        return MPNet(unpacked(folder / "mpnet.safetensors")).to(device)
    return Encoder(unpacked(folder / f"{name}.safetensors")).to(device)
