"""Runs of a solver: plan, pre-flight, steps, files, restarts, Ctrl-C."""
