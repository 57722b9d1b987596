"""A nozzle for kinemesh."""
