"""Sweeps: many cases made of one, in ensembles, with one result."""
