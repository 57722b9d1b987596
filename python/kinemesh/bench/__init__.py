"""``kinemesh bench``: what a step is made of, measured."""
