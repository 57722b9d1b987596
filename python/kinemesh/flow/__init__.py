"""Models of the flow, residuals, implicit operators, solvers."""
