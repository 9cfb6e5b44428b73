"""Step 6: Recipe + patents → checkpoint folder, on one machine or many."""
