"""Lines and cells in the plane: where curves cross, how good cells are and how they bend."""
