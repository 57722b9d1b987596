"""What is learnt from runs: loops beside references, cuts through wings."""
