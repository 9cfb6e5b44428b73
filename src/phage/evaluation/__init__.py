"""Step of the pipeline: evaluation."""
