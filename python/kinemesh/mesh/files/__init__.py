"""Mesh files: SU2 and gmsh, read and turned into chords; SU2, VTK and VTU, written."""
