"""Channels: pressure along their sides, mass flow through their ends, total pressure of inlets."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.gas import GAMMA
from kinemesh.io.columns import MASS_FLOW
from kinemesh.plot.shades import SHADES, Shade
from kinemesh.plot.style import colour_of, dashes_of

if TYPE_CHECKING:
    from kinemesh.io.history import History
    from kinemesh.results import Fields, Run

ALONG = 0.2  # share of the speed through a side, at most; through an inlet or outlet most of it is
OF_STREAM = 0.02  # share by which p_0 / p_inf - 1 of an inlet may differ from that of the stream


def has_loads(history: History) -> bool:
    """Return True if a body has a load; a channel without walls has none."""
    return any(bool(np.any(np.nan_to_num(history[name]))) for name in ("cl", "cd"))


def ends(history: History) -> list[str]:
    """Markers of the inlets and outlets whose mass flow the history has."""
    return [n.removeprefix(MASS_FLOW) for n in history.columns if n.startswith(MASS_FLOW)]


def draw_mass_flow(axes: Any, history: History, at: NDArray[Any], **style: Any) -> None:
    """Mass flow through each end over `at`, a line for each, of a member."""
    for k, marker in enumerate(ends(history)):
        values = history[MASS_FLOW + marker]
        if np.isfinite(values).any():  # of this member
            own = {"color": colour_of(k), "linestyle": dashes_of(k)} | style
            axes.plot(at, values, **({"label": marker} | own))
    axes.set_ylabel("mass flow")


def total_pressure(run: Run, member: int) -> float | None:
    """Total pressure over p_inf of a gas that comes from reservoirs alone, of several the largest.

    None of a gas with a stream: with a far field, or with inlets of the stream's total pressure.
    Of an inlet by a function of time it is the last mean of the history.
    """
    mesh = run.summary.get("mesh") or {}
    asked = run.asked()[member]
    if mesh.get("far") or "mach" not in asked:
        return None
    found = []
    for marker, numbers in (mesh.get("conditions") or {}).items():
        given = numbers.get("total_pressure")
        own = given[min(member, len(given) - 1)] if isinstance(given, list) else given
        if isinstance(own, str):
            own = float(run.history.member(member)[f"total_pressure_{marker}"][-1])
        found += [] if own is None else [float(own)]
    stream = (1 + (GAMMA - 1) / 2 * float(asked["mach"]) ** 2) ** (GAMMA / (GAMMA - 1))
    if all(abs(own - stream) <= OF_STREAM * (stream - 1) for own in found):
        return None
    return max(found)


def pressure_of(run: Run, member: int) -> Shade:
    """Colours of the pressure of a run: cp, or over the total pressure of its reservoirs."""
    total = total_pressure(run, member)
    if total is None:
        return SHADES["cp"]
    return replace(SHADES["cp"], name="pressure over total pressure", field="Pressure",
                   label="$p/p_0$", colours="viridis", scale=GAMMA / total)  # fmt: skip


def sides(flow: Fields) -> Fields:
    """A flow with the sides of its boundary as walls: those along which it goes.

    They are the slip walls and planes of symmetry of a channel, as the flow passes all others.
    Bodies are connected pieces: "lower side" and "upper side", or sides with numbers.
    """
    edges, cell = _boundary(flow.cells)
    velocity = flow["Velocity"][:, :2]
    speed = velocity[cell] if flow.on == "cells" else velocity[edges].mean(axis=1)
    way = flow.points[edges[:, 1]] - flow.points[edges[:, 0]]
    through = np.abs(speed[:, 0] * way[:, 1] - speed[:, 1] * way[:, 0])
    edges = edges[through <= ALONG * np.hypot(*speed.T) * np.hypot(*way.T)]
    return replace(flow, walls=edges, bodies=_pieces(edges, flow.points))


def _boundary(cells: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Edges (k, 2) that one cell alone has, the cell on the left, and its number."""
    last = np.where(cells[:, 3] >= 0, 3, 2)
    number = np.arange(len(cells))
    each = [cells[:, [0, 1]], cells[:, [1, 2]]]
    each.append(np.stack([cells[:, 2], np.where(last == 3, cells[:, 3], cells[:, 0])], axis=1))
    quads = np.flatnonzero(last == 3)
    each.append(cells[quads][:, [3, 0]])
    edges = np.concatenate(each).astype(np.int64)
    owner = np.concatenate([number, number, number, quads])
    key = np.sort(edges, axis=1) @ [int(cells.max()) + 1, 1]
    _, first, count = np.unique(key, return_index=True, return_counts=True)
    alone = first[count == 1]
    return edges[alone], owner[alone]


def _pieces(edges: NDArray[Any], points: NDArray[Any]) -> dict[str, NDArray[np.int64]]:
    """Rows of edges by connected piece, the lowest first."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if not len(edges):
        return {}
    nodes, place = np.unique(edges, return_inverse=True)
    a, b = place.reshape(-1, 2).T
    graph = coo_array((np.ones(len(a)), (a, b)), (len(nodes), len(nodes)))
    _, piece = connected_components(graph, directed=False)
    rows = [np.flatnonzero(piece[a] == k) for k in range(int(piece.max()) + 1)]
    rows.sort(key=lambda own: float(points[edges[own], 1].mean()))
    names = {1: ["side"], 2: ["lower side", "upper side"]}.get(
        len(rows), [f"side {k + 1}" for k in range(len(rows))]
    )
    return dict(zip(names, rows, strict=True))
