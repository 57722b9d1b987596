"""Where kernels run: arrays, checked calls, recordings, fault words."""
