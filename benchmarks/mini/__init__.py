"""phage-mini: every run behind its table, from committed recipes, on one GPU in half an hour."""
