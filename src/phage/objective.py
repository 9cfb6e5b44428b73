"""Step of the pipeline: objective."""
