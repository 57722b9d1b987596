"""Meshes about sections, curves and cylinders, of discs and of boxes."""
