"""Step 7: checkpoint → vectors, graph-free."""

from phage.encoder.model import ClaimVectors, Encoder
from phage.encoder.settings import EncoderSettings, Pooling

__all__ = ["ClaimVectors", "Encoder", "EncoderSettings", "Pooling"]
