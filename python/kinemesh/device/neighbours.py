"""Arrays that calls read near, at volumes other than an item's own (docs/architecture.md)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kinemesh.device.backend import kernels

NEAR = ("near", "opt_near")  # modes of fields that are read there
VOLUMES = ("nodes", "rows")  # sets of volumes, of whose fields those with the mode `upd` are, too


def near_of(kernel: str) -> list[str]:
    """Names of the fields that a kernel reads at volumes other than an item's own."""
    return [
        name
        for name, mode, _, shape in kernels()[kernel][1]
        if mode in NEAR or (mode == "upd" and shape.split(",")[0] in VOLUMES)
    ]


def calls_of(made: Iterable[Any]) -> list[Any]:
    """Bound calls in these calls and recordings, in their order."""
    found: list[Any] = []
    for one in made:
        found += calls_of(one.items) if hasattr(one, "items") else [one]
    return found


def arrays_near(made: Iterable[Any]) -> list[Any]:
    """Arrays that calls and recordings read at volumes other than an item's own, each once.

    On several ranks they have the values of the other ranks there before the calls.
    """
    found = {}
    for call in calls_of(made):
        fields = call.fields
        found.update({id(fields[n]): fields[n] for n in near_of(call.kernel) if n in fields})
    return list(found.values())
