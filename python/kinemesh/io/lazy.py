"""Backend of xarray for a sweep's store: errors on damaged batches, warnings on missing ones.

Both name the variable, when its values are asked for.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from xarray.backends.zarr import ZarrArrayWrapper, ZarrStore
from xarray.core.indexing import LazilyIndexedArray

from kinemesh.errors import CaseError, warn
from kinemesh.io.damage import reading
from kinemesh.sentences import RESUME, Sentence

PRINTED = 1000  # values of a variable that is read at once; 40 of 200 cases take 0.5 s


class Values(ZarrArrayWrapper):
    """Values of a variable, read on access.

    CaseError where they are damaged; a warning at the first time where files of them are missing.

    Parameters
    ----------
    place : of the store
    depth : dimensions of `state`, which has a file for each batch that has ended; 0 of values that
        are one file, of what varies
    """

    __slots__ = ("_depth", "_looked", "_name", "_place")

    def __init__(self, array: Any, place: str, name: str, depth: int) -> None:
        super().__init__(array)
        self._place, self._name, self._depth, self._looked = place, name, depth, False

    def __getitem__(self, key: Any) -> Any:
        if not self._looked:
            self._looked = True
            self._look()
        with reading(self._place, f"the variable {self._name}"):
            return super().__getitem__(key)

    def _look(self) -> None:
        """Warn where files are missing."""
        missing, files = self.missing()
        if missing:
            text = (
                f"{self._place}: the variable {self._name} lacks {missing} of {files} files, "
                f"whose values read as {self._array.fill_value}"
            )
            warn(text, advice=Sentence(RESUME, " makes them anew"))

    def missing(self) -> tuple[int, int]:
        """Numbers of files that are missing, and of all of batches that have ended."""
        own, ended = (Path(self._place) / name / "c" for name in (self._name, "state"))
        if not ended.is_dir():  # in memory, or not begun
            return 0, 0
        beyond = ["0"] * (self._array.ndim - self._depth)
        batches = [file.relative_to(ended) for file in ended.rglob("*") if file.is_file()]
        files = [own.joinpath(at, *beyond) for at in (batches if self._depth else ["."])]
        return sum(not file.is_file() for file in files), len(files)


class Rows(ZarrStore):
    """A store whose variables are `Values`, kept by name."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.values: dict[str, Values] = {}

    def open_store_variable(self, name: str, *rest: Any) -> Any:
        """A variable of the store, not read yet."""
        found, group = super().open_store_variable(name, *rest), self.zarr_group
        place = str(group.store).removeprefix("file://")
        of_rows = name in group.attrs["variables"]  # `ORDER` of io/store.py
        values = Values(group[name], place, name, group["state"].ndim if of_rows else 0)
        self.values[name] = values
        return found.copy(data=LazilyIndexedArray(values))

    def load_small(self, found: Any) -> None:
        """Read the variables of a Dataset of this store that have few values, as xarray prints no
        others; what is damaged or lacks files is left to who asks for it."""
        for name, own in found.variables.items():
            if own.size <= PRINTED and not self.values[name].missing()[0]:
                with suppress(CaseError):
                    own.load()
