"""Scripts of tools/, as modules."""

import importlib.util
from pathlib import Path

TOOLS = Path(__file__).parents[1] / "tools"


def script(name):
    """A script of tools/, as a module."""
    spec = importlib.util.spec_from_file_location(name, TOOLS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
