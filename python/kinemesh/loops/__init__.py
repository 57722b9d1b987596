"""Numbers of periodic motions from arrays: harmonics, work, damping, derivatives."""
