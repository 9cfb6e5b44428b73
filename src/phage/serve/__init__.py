"""Step of the pipeline: serve."""
