"""Rows of a sweep in one Zarr store, a chunk per batch, whole however the program ends.

The rows form a block with a dimension for each thing that varies, and a batch is a chunk of it.
A batch is written variable by variable, and each chunk's file gets its name when it is whole.
`state` is written last: a batch without it has not been run, and is run again.
Chunks of nothing but fill values are written, too: no file of a batch that has ended is missing.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
    keys : name of a coordinate -> key of a case, which the result has as its long name
    """

    sizes: Mapping[str, int]
    chunks: tuple[int, ...]
    coordinates: Mapping[str, tuple[str, NDArray[Any]]]
    phase: NDArray[np.float64]
    keys: Mapping[str, str] = field(default_factory=dict)

    def regions(self) -> list[Region]:
        """Region of each batch in the block, in order."""
        each = list(zip(self.chunks, self.sizes.values(), strict=True))
        return [
            tuple(
                slice(i * chunk, min((i + 1) * chunk, size))
                for i, (chunk, size) in zip(at, each, strict=True)
            )
            for at in np.ndindex(*(-(-size // chunk) for chunk, size in each))
        ]


def packages(needs: str = "sweeps need") -> SimpleNamespace:
    """Modules xarray and zarr; CaseError with the command to install a missing one.

    Parameters
    ----------
    needs : subject and verb of the error
    """
    try:
        import xarray
        import zarr
    except ImportError as error:
        raise CaseError(f"{needs} xarray and zarr ({error}); install them by {INSTALL}") from None
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

    @property
    def _coordinates(self) -> dict[str, tuple[str, NDArray[Any]]]:
        """Coordinates of the block, and of the loops their phase."""
        phases = {"phase": ("phase", self.block.phase)} if len(self.block.phase) else {}
        return {**self.block.coordinates, **phases}

    def create(self, attributes: Mapping[str, Any]) -> None:
        """Create the store without rows, if it is missing; in a folder whole or not at all."""
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
        long_names = {name: {"long_name": key} for name, key in block.keys.items()}
        for name, (dimension, values) in self._coordinates.items():
            made = group.create_array(
                name,
                shape=values.shape,
                chunks=values.shape,
                dtype=str if values.dtype == object else values.dtype,
                dimension_names=(dimension,),
                attributes={"units": "degree"} if name == "phase" else long_names.get(name, {}),
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
            return np.asarray(self._state(self._group("r"))[...])

    def _state(self, group: Any) -> Any:
        """Array of the states; ValueError if it is not of these batches."""
        state = group["state"]
        if (state.shape, state.chunks) != (tuple(self.block.sizes.values()), self.block.chunks):
            raise ValueError(f"batches of {state.chunks} in {state.shape} rows")
        return state

    def drop_damaged(self) -> int:
        """Remove the batches that are damaged, which have not been run then.

        A batch is damaged if a value cannot be read, a state is unknown, or a file is missing
        though the batch has ended.

        Returns
        -------
        int    how many these are; none of a store in memory

        Raises
        ------
        CaseError    the store is not one of these batches, or says no more what it holds
        """
        if self.path is None or not self.path.exists():
            return 0
        with reading(self.place):
            group = self._group("r")
            state = self._state(group)
            arrays = [group[name] for name in self.variables]
        torn = [array for array in arrays if not _reads(array, ...)]
        regions = [
            region
            for region in self.block.regions()
            if not all(_reads(array, region) for array in torn)
            or not self._is_whole(region, np.asarray(state[region]))
        ]
        with writing(self.place):
            for region in regions:
                for name in reversed(self.variables):  # `state` first
                    self._chunk(name, region).unlink(missing_ok=True)
        return len(regions)

    def _is_whole(self, region: Region, states: NDArray[np.int8]) -> bool:
        """Return True if a batch's states are valid and, once it ended, all its files exist."""
        if not np.isin(states, STATE.more["flag_values"]).all():
            return False
        ended = (states != NOT_RUN).any()
        return not ended or all(self._chunk(name, region).is_file() for name in self.variables)

    def _chunk(self, name: str, region: Region) -> Path:
        """The file of a variable of a batch."""
        assert self.path is not None
        at = [s.start // size for s, size in zip(region, self.block.chunks, strict=True)]
        loops = [0] if self.variables[name].loop else []
        return self.path.joinpath(name, "c", *map(str, [*at, *loops]))

    def mend_coordinates(self) -> list[str]:
        """Write those coordinates anew that differ from the block's.

        Returns
        -------
        list of str    their names; none of a store in memory
        """
        if self.path is None or not self.path.exists():
            return []
        with reading(self.place):
            group = self._group("r+")
        found = []
        for name, (_, values) in self._coordinates.items():
            with reading(self.place):
                array = group[name]
                if array.shape != values.shape:
                    raise ValueError(f"{name} has {array.shape} values, expected {values.shape}")
            if not _reads(array, ...) or not np.array_equal(np.asarray(array[...]), values):
                found.append(name)
                with writing(self.place):
                    array[...] = values
        return found

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
        """Write a batch, row by row; missing values and None become fill values.

        Rows of the batch that have failed before have not been run until the batch is whole again.
        CaseError where the disk is full, or the folder has gone; batches before are kept.
        """
        with writing(self.place), self._zarr.config.set({"array.write_empty_chunks": True}):
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
    """Return True if the values of a region can be read."""
    try:
        array[region]
    except DAMAGE:
        return False
    return True


def dataset(place: Any) -> Any:
    """Rows as an xarray.Dataset, whose variables are read on access, but for those of few values.

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
        store.load_small(found)
        return found[found.attrs.pop(ORDER)]
