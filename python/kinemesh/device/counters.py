"""Counters of energy: of a GPU's board by NVML, of a CPU's sockets by RAPL.

A counter's `joules` count from anywhere; DeviceError says why there are none.  docs/energy.md tells
what they measure.
"""

from __future__ import annotations

import os
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from kinemesh.errors import DeviceError

if TYPE_CHECKING:
    from kinemesh.device.backend import Backend

POWERCAP, STAT = Path("/sys/class/powercap"), Path("/proc/stat")
PACKAGE, MEMORY = "package-", "dram"  # names of zones: package-0, package-1-die-0
MOST_WATTS = 1000.0  # that a socket draws; a counter read less often may have wrapped unseen
INSTALL = "pip install nvidia-ml-py, or kinemesh[energy], brings it"
OPEN = "since CVE-2020-8694 root alone may read it, unless an administrator opens it"


class Board:
    """Energy counter of a CUDA device: all of its board, whoever uses it."""

    method = "NVML energy counter"
    tick = 0.1  # seconds between two steps of the counter: on an H200 92 to 107 ms, idle and busy

    def __init__(self, backend: Backend) -> None:
        if not backend.on_gpu:
            raise DeviceError("the run is on a CPU")
        try:
            import pynvml
        except ImportError as error:
            raise DeviceError(f"{error}; {INSTALL}") from None
        self._nvml = pynvml
        about = backend._module.device_properties(backend.ordinal)
        self.name: str = about["name"]
        try:
            pynvml.nvmlInit()
            try:
                # never by ordinal: CUDA_VISIBLE_DEVICES gives the devices other numbers
                self._handle = pynvml.nvmlDeviceGetHandleByPciBusId(about["pci"].encode())
                self._refuse_slices()
            except BaseException:
                pynvml.nvmlShutdown()
                raise
        except pynvml.NVMLError as error:
            raise DeviceError(f"NVML on device {about['pci']}: {error}") from None

    def _refuse_slices(self) -> None:
        """DeviceError on a device that is cut into slices."""
        nvml = self._nvml
        try:
            sliced = nvml.nvmlDeviceGetMigMode(self._handle)[0] == nvml.NVML_DEVICE_MIG_ENABLE
        except nvml.NVMLError:  # of a device without slices
            return
        if sliced:
            raise DeviceError("the device is in MIG mode, and the counter is of the whole board")

    def joules(self) -> float:
        """Joules since the driver was loaded."""
        nvml = self._nvml
        try:
            return 1e-3 * float(nvml.nvmlDeviceGetTotalEnergyConsumption(self._handle))
        except nvml.NVMLError as error:
            text = f"NVML has no energy counter of this device ({error}); Volta and later have one"
            raise DeviceError(text) from None

    def others(self) -> set[int] | None:
        """Processes beside this one on the device.

        None where NVML's list lacks this one too: in a container or a virtual machine it has other
        numbers, or none.
        """
        nvml = self._nvml
        try:
            found = {
                process.pid
                for each in (
                    nvml.nvmlDeviceGetComputeRunningProcesses,
                    nvml.nvmlDeviceGetGraphicsRunningProcesses,
                )
                for process in each(self._handle)
            }
        except nvml.NVMLError:
            return None
        return found - {os.getpid()} if os.getpid() in found else None

    def facts(self) -> dict[str, Any]:
        """Name of the device, and the power that it is held to [W]."""
        try:
            limit = 1e-3 * self._nvml.nvmlDeviceGetEnforcedPowerLimit(self._handle)
        except self._nvml.NVMLError:
            limit = None
        return {"device": self.name, "power_limit_watts": limit}

    def close(self) -> None:
        """Leave NVML."""
        self._nvml.nvmlShutdown()


class Sockets:
    """Energy counters of the sockets and their memory, whoever uses them.

    Zones `package-N` and `dram`; `core` and `uncore` are within a package, `psys` has the packages
    within it, and of the zones that two drivers have for one package one counts.
    """

    method = "RAPL"
    tick = 1e-3

    def __init__(self, root: Path | None = None) -> None:
        root = root or POWERCAP
        if not root.is_dir():
            raise DeviceError(f"{root} is not there")
        zones = _zones(root)
        if not any(name.startswith(PACKAGE) for name in zones):
            raise DeviceError(f"{root} has no zone named package-N")
        self.zones = tuple(zones)
        self._files = [zone / "energy_uj" for zone in zones.values()]
        self._ranges = [_number(zone / "max_energy_range_uj") for zone in zones.values()]
        self._last, self._at = [_number(file) for file in self._files], monotonic()
        self._micro = 0

    def joules(self) -> float:
        """Joules since this counter was made; it must be read before it wraps once more."""
        now, at = [_number(file) for file in self._files], monotonic()
        since = at - self._at
        if 1e6 * MOST_WATTS * since >= min(self._ranges):
            raise DeviceError(
                f"{since:.0f} s passed between two readings, in which a counter of "
                f"{min(self._ranges) / 1e6:.0f} J may have wrapped unseen"
            )
        each = zip(now, self._last, self._ranges, strict=True)
        self._micro += sum(new - old + (span if new < old else 0) for new, old, span in each)
        self._last, self._at = now, at
        return 1e-6 * self._micro

    def facts(self) -> dict[str, Any]:
        """Names of the zones."""
        return {"zones": list(self.zones)}

    def close(self) -> None:
        """Nothing to leave."""


def _zones(root: Path) -> dict[str, Path]:
    """Zones that count, by name: package-0, package-0/dram, ..."""
    found: dict[str, Path] = {}
    named = {}
    for zone in sorted(root.iterdir(), key=lambda path: ("mmio" in path.name, path.name)):
        try:
            named[zone.name] = (zone / "name").read_text("utf-8").strip()
        except OSError:  # a control type, or a zone without a name
            continue
        name = named[zone.name]
        package = named.get(zone.name.rpartition(":")[0], "")
        if name.startswith(PACKAGE):
            found.setdefault(name, zone)
        elif name == MEMORY and package.startswith(PACKAGE):
            found.setdefault(f"{package}/{name}", zone)
    return found


def _number(file: Path) -> int:
    """Microjoules in a file of a zone."""
    try:
        return int(file.read_text("ascii"))
    except PermissionError:
        raise DeviceError(f"{file}: permission denied; {OPEN}") from None
    except (OSError, ValueError) as error:
        what = getattr(error, "strerror", None) or "not a number"
        raise DeviceError(f"{file}: cannot be read ({what})") from None


def busy_seconds() -> float | None:
    """Seconds that all processors of the machine have worked; None where nobody says."""
    try:
        words = STAT.read_text("ascii").split("\n", 1)[0].split()
        user, nice, system, _idle, _wait, irq, softirq = map(int, words[1:8])
        return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError):
        return None
