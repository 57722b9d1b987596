"""Limits of tenants: lines, and no private name of the package."""

import ast
from pathlib import Path

LINES = {
    "test_law": 70,
    "test_law_in_cases": 50,
    "test_source": 70,
    "test_outlet": 60,
    "test_wall": 60,
    "test_scalar": 80,
    "test_on_cells": 60,
    "test_eddies": 60,
    "test_kernels": 180,  # three
}


def check(file):
    """Assert that a tenant is as short as it may be, and names nothing that begins with `_`."""
    path = Path(file)
    text = path.read_text("utf-8")
    assert len(text.splitlines()) <= LINES[path.stem]
    names = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            names += [*node.module.split("."), *(own.name for own in node.names)]
        elif isinstance(node, ast.Import):
            names += [name for own in node.names for name in own.name.split(".")]
        elif isinstance(node, ast.Attribute):
            names.append(node.attr)
    private = [n for n in names if n.startswith("_") and not n.endswith("__")]
    assert not private, f"{path.name} names {', '.join(private)}"
