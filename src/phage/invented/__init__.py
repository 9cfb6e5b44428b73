"""An invented corpus: patents nobody filed, with the true graph of each."""

from phage.invented.corpus import Invention, invent

__all__ = ["Invention", "invent"]
