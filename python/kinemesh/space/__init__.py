"""Volumes of a case: nodes, tables, metrics, conditions of markers."""
