"""Step 7: checkpoint → vectors, graph-free."""

from phage.encoder.claims import ClaimVectors
from phage.encoder.model import Encoder
from phage.encoder.settings import EncoderSettings, Pooling

__all__ = ["ClaimVectors", "Encoder", "EncoderSettings", "Pooling"]
