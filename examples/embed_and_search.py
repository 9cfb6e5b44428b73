"""A patent file → vectors in memory → the nearest patents and the claims that match best.

Run from anywhere: python examples/embed_and_search.py [patents.parquet] ["a query"]
No index, no server: for some thousand patents a product of two matrices is a search.
"""

from __future__ import annotations

import sys
from itertools import islice

from phage import Encoder, Patent, read
from phage.invented import invent

QUERY = "A pump whose impeller is sealed against the shaft."


def main(path: str = "", query: str = QUERY) -> None:
    """Take a file of yours, or fictional patents."""
    patents: list[Patent] = (
        list(islice(read(path), 2_000)) if path else [made.patent for made in invent(16, seed=7)]
    )
    encoder = Encoder.from_pretrained("phage-mini")
    vectors = encoder.encode(patents)  # (n, 384), of unit length
    asked = encoder.encode([query])[0]
    for row in (vectors @ asked).argsort()[::-1][:3]:
        patent = patents[row]
        (held,) = encoder.read([patent])
        best = int((held.vectors @ asked).argmax())
        print(f"{patent.number}  {vectors[row] @ asked:.3f}  claim {held.numbers[best]}")


if __name__ == "__main__":
    main(*sys.argv[1:3])
