"""English claims read without a model: words, noun phrases, couplings."""
