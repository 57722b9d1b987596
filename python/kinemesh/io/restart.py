"""Restart files: named arrays and a small record in HDF5, replaced whole or not at all.

A file is made in memory, written beside its name and moved there, so a crash or a full disk
leaves the old one; the one before is kept as `restart.h5.1`. Each array carries a CRC-32, so a
damaged file is refused.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinemesh.errors import CaseError
from kinemesh.io import whole
from kinemesh.io.paths import path_of
from kinemesh.sentences import NO_RESUME, joined

if TYPE_CHECKING:
    import h5py

FORMAT = "kinemesh-restart-3"


def write(
    path: str | Path,
    arrays: Mapping[str, ArrayLike] | Iterable[tuple[str, ArrayLike]],
    meta: Mapping[str, Any] | None = None,
) -> Path:
    """Write arrays, bit for bit, and a JSON-able record; return the path.

    The arrays are on the host, by name; pairs are taken one at a time, so that they need not all
    be there at once. Raises CaseError where the record is not JSON-able.
    """
    import h5py  # here: a run that writes no restarts does not need it

    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        record = json.dumps(dict(meta or {}))
    except (TypeError, ValueError) as error:
        raise CaseError(f"{path}: restart record cannot be written as JSON: {error}") from None
    image = io.BytesIO()  # HDF5 itself does not survive a full disk
    with h5py.File(image, "w") as file:
        for name, values in arrays.items() if isinstance(arrays, Mapping) else arrays:
            data = np.asarray(values, order="C")
            set_ = file.create_dataset(f"arrays/{name}", data=data)
            set_.attrs["crc32"] = crc32(data.data)
        file.require_group("arrays")
        # a data set, as an attribute holds 64 KiB at most and a record grows with the members
        file.create_dataset("meta", data=np.frombuffer(record.encode(), np.uint8))
        file.attrs["meta_crc32"] = crc32(record.encode())
        file.attrs["format"] = FORMAT
    whole.replace(path, image.getbuffer(), _keep_previous)
    return path


def previous_of(path: Path) -> Path:
    """The restart file before this one."""
    return path.with_name(path.name + ".1")


def has_restart(folder: Path) -> bool:
    """Return True if a run could go on from the folder."""
    path = folder / "restart.h5"
    return path.exists() or previous_of(path).exists()


def _keep_previous(path: Path) -> None:
    """Name the present file `<name>.1` too, so that at no moment is there none."""
    if not path.exists():
        return
    previous, link = previous_of(path), path.with_name(path.name + ".1.tmp")
    try:
        link.unlink(missing_ok=True)
        link.hardlink_to(path)
        link.replace(previous)
    except OSError:  # no hard links on this file system
        path.replace(previous)


def read(path: str | Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Arrays and record of a restart file.

    Raises CaseError where the file is missing, damaged or of another kind.
    """
    path = path_of(path, "the restart")
    if not path.is_file():
        raise CaseError(f"{path}: no such restart file")
    import h5py

    try:
        with h5py.File(path, "r") as file:
            return _read(path, file)
    except CaseError:
        raise
    except (OSError, KeyError, RuntimeError, ValueError) as error:
        raise CaseError(f"{path}: damaged, or not a restart file ({error})") from None


def read_latest(path: str | Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any], Path, str]:
    """Arrays, record and file: of a restart file or, where it cannot be used, the one before.

    Last, what must be said where it is the one before, else an empty text.  Raises CaseError where
    neither can be used.
    """
    path = Path(path)
    try:
        return *read(path), path, ""
    except CaseError as error:
        previous = previous_of(path)
        if not previous.exists():
            raise
        try:
            found = read(previous)
        except CaseError as second:
            both = joined([error.said, second.said], "; ")
            raise CaseError(both, "; run without ", NO_RESUME, " to begin anew") from None
        return *found, previous, f"{error}; going on from {previous}"


def _read(path: Path, file: h5py.File) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    if file.attrs.get("format") != FORMAT:
        raise CaseError(
            f"{path}: not a restart file of this version: format "
            f"{file.attrs.get('format')!r}, expected {FORMAT!r}"
        )
    record = file["meta"][()].tobytes()
    if crc32(record) != file.attrs["meta_crc32"]:
        raise CaseError(f"{path}: damaged: the record does not match its checksum")
    arrays: dict[str, NDArray[Any]] = {}
    for name, set_ in file["arrays"].items():
        arrays[name] = np.asarray(set_[()])
        if crc32(np.ascontiguousarray(arrays[name]).tobytes()) != set_.attrs["crc32"]:
            raise CaseError(f"{path}: damaged: array '{name}' does not match its checksum")
    return arrays, json.loads(record.decode())
