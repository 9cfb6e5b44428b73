"""Step 4: relation table → guided attention in stock encoders."""

from phage.attention.batch import Batch, Layout, collate
from phage.attention.engine import Engine, guided_attention
from phage.attention.guidance import Code, Guidance
from phage.attention.guided_model import guide, guiding, relation_biases, release
from phage.attention.packing import buckets

__all__ = [
    "Batch",
    "Code",
    "Engine",
    "Guidance",
    "Layout",
    "buckets",
    "collate",
    "guide",
    "guided_attention",
    "guiding",
    "relation_biases",
    "release",
]
