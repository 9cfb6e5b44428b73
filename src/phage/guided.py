"""Step of the pipeline: guided."""
