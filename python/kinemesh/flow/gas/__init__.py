"""Solvers of a gas: states, pseudo-time, operators, settings."""
