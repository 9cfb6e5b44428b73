"""Step of the pipeline: folder."""
