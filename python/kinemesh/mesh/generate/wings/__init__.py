"""Blocks of nodes and meshes about swept tapered wings."""
