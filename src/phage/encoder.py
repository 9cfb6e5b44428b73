"""Step of the pipeline: encoder."""
