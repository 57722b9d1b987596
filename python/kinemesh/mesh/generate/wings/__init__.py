"""Blocks of nodes and meshes about wings."""
