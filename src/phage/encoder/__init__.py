"""Step 7: checkpoint → vectors, graph-free."""

from phage.encoder.model import Encoder
from phage.encoder.settings import EncoderSettings, Pooling
from phage.encoder.windows import ClaimVectors

__all__ = ["ClaimVectors", "Encoder", "EncoderSettings", "Pooling"]
