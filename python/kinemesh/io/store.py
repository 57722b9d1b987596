"""Rows of a sweep in one Zarr store, a chunk per batch, whole however the program ends.

The rows form a block with a dimension for each thing that varies, and a batch is a chunk of it.
A batch is written variable by variable, and each chunk's file gets its name when it is whole.
`state` is written last: a batch without it has not been run, and is run again.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import CaseError
from kinemesh.io.damage import DAMAGE, reading, writing
from kinemesh.io.paths import making

NAME = "rows.zarr"  # in the folder of a sweep
ORDER = "variables"  # attribute: their names in order, which folders do not keep
NOT_RUN, RAN, FAILED = 0, 1, 2
FILL: dict[str, Any] = {"f8": np.nan, "i8": 0, "i1": 0, "bool": False, "str": ""}
INSTALL = 'pip install "kinemesh[sweep]"'

Region = tuple[slice, ...]


class Variable(NamedTuple):
    """A variable of the rows.

    Parameters
    ----------
    dtype : a key of FILL, which has what stands for a value that a row has not
    about : what it is
    unit : "" for a number without one
    loop : bool    a value per phase of the last cycle
    more : attributes besides
    """

    dtype: str
    about: str
    unit: str = ""
    loop: bool = False
    more: Mapping[str, Any] = {}


STATE = Variable(
    "i1",
    "what became of the case",
    more={"flag_values": [NOT_RUN, RAN, FAILED], "flag_meanings": "not_run ran failed"},
)


@dataclass(frozen=True, slots=True)
class Block:
    """The rows of a sweep.

    Parameters
    ----------
    sizes : rows along each dimension, by name
    chunks : rows of a batch along each dimension; batches at an end may have fewer
    coordinates : name -> (dimension, values)
    phase : (phases,) of the loops [deg]; empty where there are none
    """

    sizes: Mapping[str, int]
    chunks: tuple[int, ...]
    coordinates: Mapping[str, tuple[str, NDArray[Any]]]
    phase: NDArray[np.float64]

    def regions(self) -> list[Region]:
        """Where each batch is in the block, in order."""
        each = list(zip(self.chunks, self.sizes.values(), strict=True))
        return [
            tuple(
                slice(i * chunk, min((i + 1) * chunk, size))
                for i, (chunk, size) in zip(at, each, strict=True)
            )
            for at in np.ndindex(*(-(-size // chunk) for chunk, size in each))
        ]


def packages() -> SimpleNamespace:
    """xarray and zarr; CaseError, which says how to install them, where one is missing."""
    try:
        import xarray
        import zarr
    except ImportError as error:
        raise CaseError(
            f"sweeps need xarray and zarr ({error}); install them by {INSTALL}"
        ) from None
    return SimpleNamespace(xarray=xarray, zarr=zarr)


class Store:
    """The rows of a sweep, in a folder or in memory.

    Parameters
    ----------
    folder : path or None    None: in memory
    variables : by name; `state` is added
    """

    def __init__(
        self, folder: Path | None, block: Block, variables: Mapping[str, Variable]
    ) -> None:
        self._zarr = packages().zarr
        self.block, self.variables = block, {**variables, "state": STATE}
        self.path = None if folder is None else folder / NAME
        self.place: Any = self._zarr.storage.MemoryStore() if folder is None else str(self.path)

    def create(self, attributes: Mapping[str, Any]) -> None:
        """Make the store without a row, where there is none; in a folder whole or not at all."""
        if self.path is None:
            self._make(self.place, attributes)
        elif not self.path.exists():
            fresh = self.path.with_name(f"{NAME}.new")
            shutil.rmtree(fresh, ignore_errors=True)
            with making(self.path, "the sweep"):
                self._make(str(fresh), attributes)
                fresh.rename(self.path)

    def _make(self, place: Any, attributes: Mapping[str, Any]) -> None:
        block, whole = self.block, self._zarr.codecs.ZstdCodec(checksum=True)
        beside = " ".join(name for name in block.coordinates if name not in block.sizes)
        more: dict[str, Any] = {"coordinates": beside} if beside else {}
        more |= {ORDER: list(self.variables)}
        group = self._zarr.create_group(place, zarr_format=3, attributes={**attributes, **more})
        phases = {"phase": ("phase", block.phase)} if len(block.phase) else {}
        for name, (dimension, values) in {**block.coordinates, **phases}.items():
            made = group.create_array(
                name,
                shape=values.shape,
                chunks=values.shape,
                dtype=str if values.dtype == object else values.dtype,
                dimension_names=(dimension,),
                attributes={"units": "degree"} if name == "phase" else {},
            )
            made[...] = values
        for name, variable in self.variables.items():
            loops = (len(block.phase),) if variable.loop else ()
            unit = {"units": variable.unit} if variable.unit else {}
            group.create_array(
                name,
                shape=(*block.sizes.values(), *loops),
                chunks=(*block.chunks, *loops),
                dtype=str if variable.dtype == "str" else variable.dtype,
                compressors=whole,
                fill_value=FILL[variable.dtype],
                dimension_names=(*block.sizes, *(("phase",) if loops else ())),
                attributes={"long_name": variable.about, **unit, **variable.more},
            )

    def states(self) -> NDArray[np.int8]:
        """State of every row, in the shape of the block.

        CaseError where the store is damaged, or not one of these batches.
        """
        with reading(self.place):
            state = self._group("r")["state"]
            if (state.shape, state.chunks) != (tuple(self.block.sizes.values()), self.block.chunks):
                raise ValueError(f"batches of {state.chunks} in {state.shape} rows")
            return np.asarray(state[...])

    def drop_damaged(self) -> int:
        """Remove the batches of which a value cannot be read, which have not been run then.

        Returns
        -------
        int    how many these are; none of a store in memory
        """
        if self.path is None or not self.path.exists():
            return 0
        with reading(self.place):
            group = self._group("r")
            arrays = {name: group[name] for name in self.variables}
        torn = [array for array in arrays.values() if not _reads(array, ...)]
        regions = [r for r in self.block.regions() if not all(_reads(a, r) for a in torn)]
        with writing(self.place):
            for region in regions:
                at = [s.start // size for s, size in zip(region, self.block.chunks, strict=True)]
                for name in reversed(self.variables):  # `state` first
                    self._remove(self.path / name / "c", at)
        return len(regions)

    @staticmethod
    def _remove(folder: Path, at: Sequence[int]) -> None:
        """Remove the chunk of a batch; a loop's is a folder with one file."""
        path = folder.joinpath(*map(str, at))
        (path / "0" if path.is_dir() else path).unlink(missing_ok=True)

    def _group(self, mode: str) -> Any:
        return self._zarr.open_group(self.place, mode=mode)

    def read(self, region: Region) -> list[dict[str, Any]]:
        """Rows of a batch, in order; CaseError where one is damaged."""
        count = prod(s.stop - s.start for s in region)
        with reading(self.place):
            group = self._group("r")
            found = {
                name: np.asarray(group[name][region]).reshape(
                    count, *((-1,) if self.variables[name].loop else ())
                )
                for name in self.variables
            }
        return [{name: values[i] for name, values in found.items()} for i in range(count)]

    def write(self, region: Region, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write a batch, a row each, in order; what a row has not, or has as None, is filled.

        Rows of the batch that have failed before have not been run until the batch is whole again.
        CaseError where the disk is full, or the folder has gone; batches before are kept.
        """
        with writing(self.place):
            self._write(region, rows)

    def _write(self, region: Region, rows: Sequence[Mapping[str, Any]]) -> None:
        group = self._group("r+")
        before = np.asarray(group["state"][region])
        if (before == FAILED).any():
            group["state"][region] = np.where(before == FAILED, NOT_RUN, before)
        sizes = tuple(s.stop - s.start for s in region)
        for name, variable in self.variables.items():  # `state` is the last
            loops = (len(self.block.phase),) if variable.loop else ()
            kind: Any = object if variable.dtype == "str" else variable.dtype
            values = np.full((len(rows), *loops), FILL[variable.dtype], kind)
            for at, row in enumerate(rows):
                if row.get(name) is not None:
                    values[at] = row[name]
            group[name][region] = values.reshape(*sizes, *loops)


def _reads(array: Any, region: Any) -> bool:
    """Whether the values of a region can be read."""
    try:
        array[region]
    except DAMAGE:
        return False
    return True


def dataset(place: Any) -> Any:
    """The rows as an xarray.Dataset, which reads what is asked of it.

    CaseError where the store is damaged, also when damaged values are read.
    """
    xarray = packages().xarray
    from kinemesh.io.lazy import Rows

    with reading(place):
        store = Rows.open_group(place, mode="r", consolidated=False)
        found = xarray.open_dataset(store)
        for name in found.dims:
            if name not in found.coords:
                raise KeyError(name)
        return found[found.attrs.pop(ORDER)]
