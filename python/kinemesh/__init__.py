"""Unsteady aerodynamics of moving bodies on CPUs and NVIDIA GPUs."""
