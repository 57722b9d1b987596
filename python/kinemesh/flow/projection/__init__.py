"""The projection step of incompressible flow on one grid per member (docs/theory.md, section 7)."""
