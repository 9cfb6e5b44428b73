"""Step of the pipeline: scale."""
