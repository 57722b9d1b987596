"""A backend that counts the bytes of its arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import ref

import numpy as np

from kinemesh.device.backend import Backend


class Counting(Backend):
    """CPU backend that copies every table, as a GPU does, and counts its live arrays."""

    # its own, so that who watches the backends of a case does not see those that count for it
    bind, part, record = Backend.bind, Backend.part, Backend.record

    def __init__(self, device: str, dtype: str) -> None:
        super().__init__(device, dtype)
        self._made: list[ref[Any]] = []

    def _there(self, host: np.ndarray) -> Any:
        return self._noted(super()._there(host.copy()))

    def zeros(self, shape: int | Sequence[int], dtype: Any = "real") -> Any:
        return self._noted(super().zeros(shape, dtype))

    def _noted(self, array: Any) -> Any:
        self._made.append(ref(array))
        return array

    @property
    def held(self) -> int:
        """Bytes of the live arrays."""
        return sum(array.nbytes for made in self._made if (array := made()) is not None)
