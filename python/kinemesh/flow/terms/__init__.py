"""Terms of a residual: gradients, fluxes, boundary conditions; a file each."""
