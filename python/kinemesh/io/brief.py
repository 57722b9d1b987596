"""Short texts of results that hold arrays: their extents in place of their numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np


class Brief:
    """Base of dataclasses (with `repr=False`) that print by the extents of their arrays."""

    __slots__ = ()

    def __repr__(self) -> str:
        each = [(own.name, getattr(self, own.name)) for own in fields(self) if own.repr]  # type: ignore[arg-type]
        told = [f"{name} {extent(value)}" for name, value in each if value is not None]
        return f"{type(self).__name__}({', '.join(told)})"


def extent(value: Any) -> str:
    """Shape and range of an array, of complex numbers their largest magnitude; names of a mapping.

    Numbers are rounded; anything else is as it prints.
    """
    if isinstance(value, Mapping):
        return f"of {', '.join(map(str, value))}" if value else "of nothing"
    if isinstance(value, tuple) and len(value) > 1 and not np.isscalar(value[0]):
        return f"of {len(value)}"
    if isinstance(value, float | complex) and not isinstance(value, bool):
        return f"{value:.6g}"
    if not isinstance(value, np.ndarray):
        return repr(value)
    shape = f"({', '.join(map(str, value.shape))})"
    known = value[np.isfinite(value)] if value.dtype.kind in "fc" else value
    if not known.size or known.dtype.kind not in "biufc":
        return shape
    if known.dtype.kind == "c":
        return f"{shape} up to {np.abs(known).max():.4g}"
    return f"{shape} {known.min():.4g} to {known.max():.4g}"
