"""Step 8c: the HTTP API and the web page."""

from phage.serve.app import create_app
from phage.serve.settings import Settings

__all__ = ["Settings", "create_app"]
