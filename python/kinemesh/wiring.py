"""Methods of objects whose work is done on a higher floor.

A loop can be drawn (`loop.plot()`) and a solver can be run (`case.run()`), though neither knows of
figures or of files.  The top of the package, `kinemesh/__init__.py`, says where such work is done;
the module is imported when the work is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

_HOME: dict[str, tuple[str, str]] = {}


def wire(homes: Mapping[str, tuple[str, str]]) -> None:
    """Register the function and its module that implement each method."""
    _HOME.update(homes)


def done_by(method: str) -> Callable[..., Any]:
    """The function that does the work of a method, such as "Loop.plot"."""
    module, function = _HOME[method]
    return getattr(import_module(module), function)
