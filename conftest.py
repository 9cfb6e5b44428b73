"""Read before anything is collected: the kernel's programs run without a GPU."""

import os

import torch

if not torch.cuda.is_available():
    # Triton decides when its programs are first imported, and collecting doctests imports them.
    os.environ.setdefault("TRITON_INTERPRET", "1")
