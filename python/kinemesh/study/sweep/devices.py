"""The devices of a sweep: one, or several of this machine with a worker each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kinemesh.arguments import is_several
from kinemesh.device.backend import Backend
from kinemesh.errors import DeviceError
from kinemesh.flow import memory


def devices_of(device: Any) -> tuple[Any, ...]:
    """Parse `device`: (), one name unchecked, or several devices that exist.

    Parameters
    ----------
    device : such as "auto", "cuda:0,cuda:1" or ["cuda:0", "cuda:1"]; None: none

    Raises
    ------
    DeviceError    one of several is not there, or they are of more than one kind
    """
    if device is None:
        return ()
    if isinstance(device, str):
        names = [name.strip() for name in device.split(",")]
    else:
        names = list(device) if is_several(device) else [device]
    if len(names) == 1:
        return (names[0],)
    if not names or "auto" in names:
        raise DeviceError(f"device is {device!r}, expected the name of each, as in cuda:0,cuda:1")
    found = tuple(Backend(name).device for name in names)
    if "cpu" in found and set(found) != {"cpu"}:
        raise DeviceError(
            f"devices {', '.join(found)}: a cpu and a GPU differ in the last bits of a row, "
            "expected devices of one kind"
        )
    return found


def tightest(devices: Sequence[Any]) -> Any:
    """The device whose workers have the least free memory each."""
    return devices[0] if len(devices) == 1 else min(devices, key=lambda d: _share(d, devices))


def _share(device: str, devices: Sequence[str]) -> float:
    """Free bytes of a device for each worker on it."""
    free = memory.available(Backend(device))
    return float("inf") if free is None else free / workers_on(device, devices)


def workers_on(device: str, places: Sequence[str | None]) -> int:
    """Number of worker processes of this machine per device.

    Parameters
    ----------
    places : device of each worker, None where its case names it; none where there are no workers
    """
    return max(sum(place in (device, None) for place in places), 1)
