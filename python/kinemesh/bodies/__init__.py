"""Bodies of a case: where they are, how fast, and in whose frames."""
