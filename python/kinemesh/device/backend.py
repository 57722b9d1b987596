"""Backend of kernels: arrays, checked calls and recordings on a CPU or an NVIDIA GPU.

``backend("auto")`` picks a GPU if there is one.  An array of a CPU backend is a NumPy array; an
array of a CUDA backend speaks DLPack and ``__cuda_array_interface__``.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from math import prod
from types import ModuleType
from typing import Any

import numpy as np

# libgomp's threads wait for the next kernel by spinning; by default so long that a machine whose
# cores are shared crawls.  Measured, 5040 nodes, one pseudo-step, two cores with other work: 7.2 ms
# with one thread; with two, 30 ms as libgomp has it and 11 ms with OMP_WAIT_POLICY=passive.  On
# idle cores a few thousand turns are enough for 3.8 ms (csrc/core/module.c takes one or all).
if "OMP_WAIT_POLICY" not in os.environ:
    os.environ.setdefault("GOMP_SPINCOUNT", "5000")

from kinemesh import _core
from kinemesh.errors import DeviceError, SettingsError
from kinemesh.sentences import Option, Sentence

DTYPES = {"float64": "f64", "float32": "f32"}
OPTIONAL = ("opt", "opt_near")  # modes of fields that may be absent


def _load_cuda() -> tuple[ModuleType | None, str]:
    """CUDA module and number of visible devices, or the reason why there is none."""
    try:
        from kinemesh import _cuda  # type: ignore[attr-defined]
    except ImportError as error:
        missing = "No module named" in str(error) or "cannot import name" in str(error)
        built = f"kinemesh was built without CUDA ({_core.WITHOUT_CUDA}); docs/getting-started.md"
        return None, f"{built} says how to build it with" if missing else str(error)
    try:
        count = _cuda.device_count()
    except RuntimeError as error:
        return None, str(error)
    return (_cuda, "") if count else (None, "the CUDA driver reports no device")


def _check_entries(shape: tuple[int, ...], blocks: bool = False) -> None:
    """Raise DeviceError if an array has more numbers, or blocks, than kernels can count."""
    count, what = (shape[0], "blocks") if blocks else (prod(shape), "numbers")
    if count > _core.MOST_ENTRIES:
        raise DeviceError(
            f"an array of shape {shape} has {count} {what}, expected at most {_core.MOST_ENTRIES}, "
            "as kernels count in 32 bits; take fewer nodes, points or members"
        )


class Backend:
    """A device and a precision.

    Parameters
    ----------
    device : "cpu", "cuda", "cuda:N" or "auto" (a GPU if there is one)
    dtype : "float64" or "float32", the precision of states and matrices; coordinates, volumes
        and the sums that decide convergence are float64 in both

    Raises
    ------
    DeviceError
        the device does not exist, and why; of `array`, `table` and `zeros`: an array has more
        numbers than kernels count
    """

    def __init__(self, device: str = "auto", dtype: str = "float64") -> None:
        if not isinstance(device, str):
            raise DeviceError(f"device is {device!r}, expected auto, cpu, cuda or cuda:N")
        if not isinstance(dtype, str) or dtype not in DTYPES:
            raise SettingsError(f"dtype is {dtype!r}, expected one of {', '.join(DTYPES)}")
        self.dtype = dtype
        self.real = np.dtype(dtype)
        self.suffix = DTYPES[dtype]
        self.eps = float(np.finfo(self.real).eps)
        self._module, self.ordinal = self._choose(device)
        self.allocated = 0  # bytes of all arrays made here, but for those made while `passing`
        self.device = "cpu" if self.ordinal < 0 else f"cuda:{self.ordinal}"

    @staticmethod
    def _choose(device: str) -> tuple[Any, int]:
        kind, _, number = device.partition(":")
        if device == "cpu":
            return _core, -1
        if kind not in ("auto", "cuda") or (number and not number.isdigit()) or device == "cuda:":
            raise DeviceError(f"device is {device!r}, expected auto, cpu, cuda or cuda:N")
        module, reason = _load_cuda()
        if module is None:
            if kind == "auto":
                return _core, -1
            advice = Sentence("use ", Option("device", "cpu"))
            raise DeviceError(f"device {device} is not there: {reason}", advice=advice)
        ordinal = int(number or 0)
        if ordinal >= module.device_count():
            raise DeviceError(
                f"device {device} is not there: this machine has cuda:0 to "
                f"cuda:{module.device_count() - 1}"
            )
        return module, ordinal

    @property
    def on_gpu(self) -> bool:
        return self.ordinal >= 0

    def _dtype(self, dtype: Any) -> np.dtype:
        return self.real if dtype == "real" else np.dtype(dtype)

    def array(self, values: Any, dtype: Any) -> Any:
        """New array of `values` on the device; dtype "real" is the backend's precision."""
        return self._there(np.array(values, dtype=self._dtype(dtype), order="C"))

    def table(self, values: Any, dtype: Any = np.int32, *, blocks: bool = False) -> Any:
        """Read-only array on the device; on a CPU `values` itself if it is of that type.

        Parameters
        ----------
        blocks : a matrix (blocks, numbers of a block), whose blocks alone 32 bits must count
        """
        return self._there(np.ascontiguousarray(values, dtype), blocks)

    def _there(self, host: np.ndarray, blocks: bool = False) -> Any:
        """A copy of an array on the device; on a CPU the array itself."""
        _check_entries(host.shape, blocks)
        self.allocated += host.nbytes
        if not self.on_gpu:
            return host
        there = self._module.Array(host.shape, host.dtype.name, self.ordinal)
        there.copy_from(host)
        return there

    def zeros(
        self, shape: int | Sequence[int], dtype: Any = "real", *, blocks: bool = False
    ) -> Any:
        """A new array of zeros on the device; `blocks` as of `table`."""
        shape = (shape,) if isinstance(shape, int | np.integer) else tuple(int(n) for n in shape)
        _check_entries(shape, blocks)
        self.allocated += prod(shape) * self._dtype(dtype).itemsize
        if not self.on_gpu:
            return np.zeros(shape, self._dtype(dtype))
        return self._module.Array(shape, self._dtype(dtype).name, self.ordinal)

    @contextmanager
    def passing(self) -> Iterator[None]:
        """Leave arrays that live only within the context out of `allocated`."""
        before = self.allocated
        yield
        self.allocated = before

    @contextmanager
    def irregular(self) -> Iterator[None]:
        """Tell those who count that arrays made within the context are no sums over points."""
        yield

    def put(self, array: Any, values: Any) -> None:
        """Overwrite a device array with values from the host."""
        if not self.on_gpu:
            array[...] = values
            return
        dtype = np.dtype(array.dtype)
        array.copy_from(np.ascontiguousarray(np.broadcast_to(values, array.shape), dtype=dtype))

    def get(self, array: Any) -> np.ndarray:
        """A copy on the host; waits for the work that was launched before."""
        if not self.on_gpu:
            return array.copy()
        host = np.empty(array.shape, np.dtype(array.dtype))
        array.copy_to(host)
        return host

    def read(self, array: Any) -> np.ndarray:
        """Read-only form of `get`: on a CPU the array itself, not a copy."""
        return self.get(array) if self.on_gpu else array

    def bind(
        self,
        kernel: str,
        over: tuple[int, int] | None = None,
        *,
        suffix: str | None = None,
        **fields: Any,
    ) -> Any:
        """A checked call of a kernel; calling it launches without further checks."""
        return self._module.bind(f"{kernel}_{suffix or self.suffix}", over=over, **fields)

    def part(self, call: Any, over: tuple[int, int]) -> Any:
        """A bound call over (first, count) of its items; its arrays are not checked again."""
        return call.part(*over)

    def record(self, items: Iterable[Any], times: int = 1, flag: Any = None) -> Any:
        """Bound calls and recordings as one callable (a CUDA graph on a GPU).

        It runs `times` times, with a `flag` at most so often, until that holds nothing but zeros.
        """
        return self._module.record(list(items), times=times, flag=flag)

    def describe(self) -> dict[str, Any]:
        """Device, its name on a GPU, number of threads on a CPU."""
        if not self.on_gpu:
            return {"device": "cpu", "threads": _core.threads()}
        found = self._module.device_properties(self.ordinal)
        return {"device": self.device, "name": found["name"]}

    def synchronize(self) -> None:
        """Wait until all launched work has finished."""
        if self.on_gpu:
            self._module.synchronize(self.ordinal)


@cache
def kernels() -> dict[str, tuple[str, list[tuple[str, str, str, str]]]]:
    """Declarations of all kernels: name -> (set, [(field, mode, type, shape), ...])."""
    return _core.kernels()


def info() -> dict[str, Any]:
    """Devices, versions and threads, for ``kinemesh info``."""
    from importlib.metadata import PackageNotFoundError, version

    versions = {"python": sys.version.split()[0]}
    for package in ("kinemesh", "numpy", "scipy", "h5py", "matplotlib", "meshio"):
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "not installed"
    module, reason = _load_cuda()
    devices = [module.device_properties(i) for i in range(module.device_count())] if module else []
    return {
        "platform": platform.platform(),
        "cpus": os.cpu_count(),
        "threads": _core.threads(),
        "cuda": devices,
        "cuda_reason": reason,
        "versions": versions,
    }
