"""Studies of runs: loops beside references, spectra, sweeps, cuts through wings."""
