"""Step of the pipeline: search."""
