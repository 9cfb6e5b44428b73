"""Step of the pipeline: training."""
