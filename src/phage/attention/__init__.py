"""Step of the pipeline: attention."""
