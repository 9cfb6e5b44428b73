"""Step of the pipeline: projection."""
