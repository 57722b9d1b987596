"""Gradients in thin layers that curve by more than their thickness (docs/theory.md, 2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from kinemesh.device.fields import Fields
from kinemesh.mesh.geometry.curved import Layers

L = TypeVar("L", bound=Layers)

SWEEPS = 128  # twice so many spread any curve by LAYER_ALONG down to 1: they end where none grows


def joined(each: Sequence[L], first: NDArray[np.integer]) -> L:
    """Layers of several members, whose nodes begin at `first`."""
    rows = np.cumsum([0, *(len(own.node) for own in each)])
    moved = list(zip(each, first, rows, strict=False))
    return type(each[0])(
        np.concatenate([own.node + f for own, f, _ in moved]),
        np.concatenate([own.row + r for own, _, r in moved]),
        np.concatenate([own.neighbour + f for own, f, _ in moved]),
        np.concatenate([own.along for own in each]),
        np.concatenate([own.beside + r for own, _, r in moved]),
    )


def layered(fields: Fields, layers: Layers) -> Fields:
    """Fields of layers beside those of the volumes, for the kernels of layers.

    Parameters
    ----------
    fields : of the volumes: x; of `layer_shares`, which comes after `curves`, `inverse`, which is
        written, and `blunt`, whose nodes keep theirs
    layers : of all members
    """
    b, count = fields.backend, len(layers.node)
    return fields.also(
        node=b.table(layers.node),
        pairs=b.table(np.append(layers.starts(), len(layers.row))),
        neighbour=b.table(layers.neighbour),
        along=b.table(layers.along),
        beside=b.table(layers.beside),
        across=b.zeros((count, fields["x"].shape[1]), np.float64),
        curve=b.zeros(count, np.float64),
        spare=b.zeros(count, np.float64),
        spreading=b.zeros(1, np.int32),
    )


def curves(own: Fields, **at: Any) -> list[Any]:
    """Calls that work out how far layers curve, wherever nodes are; `at`: x in place of theirs."""
    curve, spare, spreading = own["curve"], own["spare"], own["spreading"]
    twice = [
        own.bind("layer_spread", **{"from": a, "to": c}, last=int(c is curve))
        for a, c in ((curve, spare), (spare, curve))
    ]
    spread = own.backend.record(twice, times=SWEEPS, flag=spreading)
    return [own.bind("layer_curves", **at), spread]
