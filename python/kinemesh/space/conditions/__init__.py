"""Conditions at the boundary: kinds, roles, numbers; one class each, and the table of all."""
