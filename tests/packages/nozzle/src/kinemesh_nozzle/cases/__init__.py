"""Ready cases: NAME.toml, and the files that they name."""
