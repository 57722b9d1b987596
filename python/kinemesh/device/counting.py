"""A backend that counts the bytes of its arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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
        self._irregular: set[int] = set()
        self._apart = False

    def _there(self, host: np.ndarray, blocks: bool = False) -> Any:
        return self._noted(super()._there(host.copy(), blocks))

    def zeros(
        self, shape: int | Sequence[int], dtype: Any = "real", *, blocks: bool = False
    ) -> Any:
        return self._noted(super().zeros(shape, dtype, blocks=blocks))

    def _noted(self, array: Any) -> Any:
        if self._apart:
            self._irregular.add(len(self._made))
        self._made.append(ref(array))
        return array

    @contextmanager
    def irregular(self) -> Iterator[None]:
        before, self._apart = self._apart, True
        yield
        self._apart = before

    @property
    def held(self) -> int:
        """Bytes of the live arrays."""
        return sum(array.nbytes for made in self._made if (array := made()) is not None)

    @property
    def regular(self) -> int:
        """Bytes of the live arrays that are sums over points."""
        made = [one for k, one in enumerate(self._made) if k not in self._irregular]
        return sum(array.nbytes for one in made if (array := one()) is not None)
