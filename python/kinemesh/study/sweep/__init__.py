"""Sweeps: many variants of a case, run in ensembles, with one result."""
