"""Devices on which kernels run: arrays, checked calls, recordings, fault words."""
