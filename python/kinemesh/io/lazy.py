"""The store of a sweep as xarray reads it, with an error that says which values are damaged."""

from __future__ import annotations

from typing import Any

from xarray.backends.zarr import ZarrArrayWrapper, ZarrStore
from xarray.core.indexing import LazilyIndexedArray

from kinemesh.io.damage import reading


class Values(ZarrArrayWrapper):
    """The values of a variable, read when they are asked for; CaseError where they are damaged."""

    __slots__ = ("_told",)

    def __init__(self, array: Any, place: str, name: str) -> None:
        super().__init__(array)
        self._told = (place, f"the variable {name}")

    def __getitem__(self, key: Any) -> Any:
        with reading(*self._told):
            return super().__getitem__(key)


class Rows(ZarrStore):
    """A store whose variables are `Values`."""

    def open_store_variable(self, name: str, *rest: Any) -> Any:
        """A variable of the store, not read yet."""
        found = super().open_store_variable(name, *rest)
        place = str(self.zarr_group.store).removeprefix("file://")
        values = Values(self.zarr_group[name], place, name)
        return found.copy(data=LazilyIndexedArray(values))
