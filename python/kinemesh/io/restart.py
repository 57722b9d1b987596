"""Restart files: named arrays and a small record in HDF5, replaced whole or not at all.

A file is written beside its name and moved there, so a crash leaves the old one; the one before
is kept as `restart.h5.1`. Each array carries a CRC-32, so a damaged file is refused.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zlib import crc32

import h5py
import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinemesh.errors import CaseError

FORMAT = "kinemesh-restart-1"


def write(
    path: str | Path, arrays: Mapping[str, ArrayLike], meta: Mapping[str, Any] | None = None
) -> Path:
    """Write arrays, bit for bit, and a JSON-able record; return the path.

    The arrays are on the host. Raises CaseError where the record is not JSON-able.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        record = json.dumps(dict(meta or {}))
    except (TypeError, ValueError) as error:
        raise CaseError(f"{path}: restart record cannot be written as JSON: {error}") from None
    fresh = path.with_name(path.name + ".tmp")
    with h5py.File(fresh, "w") as file:
        for name, values in arrays.items():
            data = np.asarray(values, order="C")
            set_ = file.create_dataset(f"arrays/{name}", data=data)
            set_.attrs["crc32"] = crc32(data.tobytes())
        file.require_group("arrays")
        file.attrs["meta"] = record
        file.attrs["meta_crc32"] = crc32(record.encode())
        file.attrs["format"] = FORMAT
    with fresh.open("rb+") as file:
        os.fsync(file.fileno())
    _keep_previous(path)
    fresh.replace(path)
    return path


def _keep_previous(path: Path) -> None:
    """Name the present file `<name>.1` too, so that at no moment is there none."""
    if not path.exists():
        return
    previous, link = path.with_name(path.name + ".1"), path.with_name(path.name + ".1.tmp")
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
    path = Path(path)
    previous = path.with_name(path.name + ".1")
    hint = f"; the one before is {previous}" if previous.exists() else ""
    if not path.is_file():
        raise CaseError(f"{path}: no such restart file{hint}")
    try:
        with h5py.File(path, "r") as file:
            return _read(path, file)
    except (OSError, KeyError, RuntimeError, ValueError) as error:
        if isinstance(error, CaseError):
            raise CaseError(f"{error}{hint}") from None
        raise CaseError(f"{path}: damaged, or not a restart file ({error}){hint}") from None


def _read(path: Path, file: h5py.File) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    if file.attrs.get("format") != FORMAT:
        raise CaseError(
            f"{path}: not a restart file of this version: format "
            f"{file.attrs.get('format')!r}, expected {FORMAT!r}"
        )
    record = file.attrs["meta"]
    if crc32(record.encode()) != file.attrs["meta_crc32"]:
        raise CaseError(f"{path}: damaged: the record does not match its checksum")
    arrays: dict[str, NDArray[Any]] = {}
    for name, set_ in file["arrays"].items():
        arrays[name] = np.asarray(set_[()])
        if crc32(np.ascontiguousarray(arrays[name]).tobytes()) != set_.attrs["crc32"]:
            raise CaseError(f"{path}: damaged: array '{name}' does not match its checksum")
    return arrays, json.loads(record)
