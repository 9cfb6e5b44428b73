"""Step 8c: an index → one page with all its patents as a map."""
