"""Aerofoil sections, by name or from coordinate files, with their corners and trailing edges."""
