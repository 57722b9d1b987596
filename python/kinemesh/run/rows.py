"""Rows of an unsteady history: motion, loads and cells, by columns over members."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kinemesh.io.csv_rows import unsteady_columns
from kinemesh.io.scales import Scale

if TYPE_CHECKING:
    from kinemesh.bodies.placement import Placement
    from kinemesh.flow.forces import Loads
    from kinemesh.flow.moving import Moving


def columns(solver: Moving) -> tuple[str, ...]:
    """Columns of the history of a solver's unsteady run."""
    markers = dict.fromkeys(marker for _, marker in solver.grid.bodies)
    bodies = markers if solver.grid.owners.several else ()
    modes = [name for pair in _modes(solver) for name in pair]
    bending = ("power_bending", *(f"power_bending_{body}" for body in bodies)) if modes else ()
    return (*unsteady_columns(bodies), *solver.columns, *modes, *bending)


def _modes(solver: Moving) -> dict[tuple[str, str], list[tuple[int, int, int]]]:
    """Columns of amplitude and generalised force of each shape, with the members that have it.

    Of these the member, the number of its body, and that of the shape.  Where a member has several
    bodies, columns end in the body's name.
    """
    grid = solver.grid
    found: dict[tuple[str, str], list[tuple[int, int, int]]] = {}
    if (shapes := grid.vertices.shapes) is None:
        return found
    for body, ((member, marker), own) in enumerate(zip(grid.bodies, shapes.own, strict=True)):
        end = f"_{marker}" if grid.owners.several else ""
        for j in range(len(own)):
            pair = f"mode_{j + 1}{end}", f"mode_force_{j + 1}{end}"
            found.setdefault(pair, []).append((member, body, j))
    return found


def scales(solver: Moving) -> dict[int, Scale]:
    """Scale of each member of a solver, for its history."""
    streams = solver.streams.get("stream", np.ones(solver.grid.members))
    times = solver.forces.length / solver.speed
    speeds = np.broadcast_to(solver.speed, times.shape)
    each = zip(times.tolist(), streams.tolist(), speeds.tolist(), strict=True)
    return {m: Scale(*numbers) for m, numbers in enumerate(each)}


def moving(solver: Moving, placement: Placement, loads: Loads) -> dict[str, NDArray[np.float64]]:
    """Columns (members,) of motion, loads and cells; nan for a missing body."""
    grid, owners, length = solver.grid, solver.grid.owners, solver.forces.length
    cl, cd, cm = owners.sums(loads.coefficients).T
    area, angle = grid.worst_cells().T
    motion = placement.columns(length)
    first = {name: owners.firsts(values) for name, values in motion.items()}
    power = {"power": loads.power, "power_pitch": loads.turning}
    if loads.bending is not None:
        power["power_bending"] = loads.bending
    found = {
        "member": np.arange(grid.members),
        "alpha_deg": solver.incidence_deg + first["angle_deg"],
        "cl": cl,
        "cd": cd,
        "cm": cm,
        "min_area": area,
        "min_angle_deg": np.degrees(angle),
        "shift_x": first["shift_x"],
        "shift_y": first["shift_y"],
    } | {name: owners.sums(values) for name, values in power.items()}
    for pair, having in _modes(solver).items():
        amplitude, force = (found.setdefault(name, np.full(grid.members, np.nan)) for name in pair)
        assert loads.modes is not None  # a body bends
        for member, body, j in having:
            amplitude[member] = placement.amplitude(body, j)
            force[member] = loads.modes[body, j]
    if not owners.several:
        return found
    cl, cd, _ = loads.coefficients.T
    by_body = {"cl": cl, "cd": cd, "cm": loads.moment} | power | motion
    for k, (member, marker) in enumerate(grid.bodies):
        for name, values in by_body.items():
            column = found.setdefault(f"{name}_{marker}", np.full(grid.members, np.nan))
            column[member] = values[k]
    return found
