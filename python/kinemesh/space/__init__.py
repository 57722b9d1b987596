"""What a case computes on: nodes, tables, metrics, which markers are bodies."""
