"""Fields that kernels read near, at volumes other than an item's own (docs/architecture.md)."""

from __future__ import annotations

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
