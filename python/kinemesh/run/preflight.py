"""Motion pre-flight: a cycle of the motion on the mesh alone, before any flow is computed.

A motion that inverts a cell is found in seconds, not after hours of flow.  The mesh is put back
where it was given, so the run itself has the same bits with a pre-flight or without.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.bodies.placement import at_rest
from kinemesh.deform import Rigid
from kinemesh.deform.spring_mover import STEPS
from kinemesh.deform.still import Still
from kinemesh.errors import NumericalFault, OversetError, warn_of
from kinemesh.run import interrupt
from kinemesh.run.advice import smaller_step
from kinemesh.sentences import Sentence

if TYPE_CHECKING:
    from kinemesh.flow.moving import Moving
    from kinemesh.motion import Pose

FOLDED, FLAT = 0.1, 1.0  # share of the angle as given below which cells nearly fold; degrees
REMEDIES = {
    "springs": f"Delaunay mapping, {STEPS}, or rigid motion",
    "delaunay": "new graphs on the way (Delaunay(retriangulate=True)), a smaller motion, rigid "
    "motion, or springs on a mesh",
    "carrier": f"{STEPS}, a carrier of more nodes, springs on a mesh, or rigid motion",
    "modal": "smaller amplitudes, as places are in proportion to them",
    "retriangulated": "a smaller motion, rigid motion, or springs on a mesh",
}


def fly(
    solver: Moving,
    dt: NDArray[np.float64],
    steps: int,
    cycle: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None,
    each: Callable[[], Any] = lambda: None,
) -> dict[str, Any]:
    """Move the mesh through `steps` steps of the motion, and put it back.

    Parameters
    ----------
    dt : (members,)    time steps [chord/a_inf]
    cycle : callable   time (members,) -> cycles done, for the phases in the report; None: the run
        has no cycle, and the report has times
    each : called after each step

    Returns
    -------
    dict    steps, and with phases (or times) least_area [chord^2], least_angle_deg of a mesh, or
        worst_condition of a cloud, each also of the space as given (`given_least_area`), or what is
        counted of overset parts; numbers of one member, lists of several.  Empty for rigid motion,
        which leaves every cell its shape, and where no body moves.

    Raises
    ------
    NumericalFault    a cell inverts, the satellites of a point fall on one line, or the deformation
        fails: what, where and at which phase; a member of several fails alone
    OversetError      parts that cannot be solved on where they stand, likewise
    """
    if _keeps_shape(solver) or solver.stands:  # no cell changes its shape: nothing to find
        return {}
    members, ensemble = solver.grid.members, solver.grid.ensemble
    worst: dict[str, NDArray[np.float64]] = {}
    of_worst: dict[str, NDArray[np.float64]] = {}
    number = 0
    try:
        ensemble.at("pre-flight of the motion, where it begins", 0)
        given = solver.grid.shapes()
        solver.rest(solver.bodies.poses(np.zeros(members)))
        mover = solver.deform.attach(solver.grid.vertices)
        for number in range(steps + 1):
            if not ensemble.alive.any():
                break
            alive, before = ensemble.alive, (number - 1) * dt
            at = _at(number * dt, cycle)
            when = f"step {number} of {steps}, {_words(at, cycle)}"
            ensemble.at(f"pre-flight of the motion, {when}", number)
            if number:
                mover.step(solver.by_laws(before, dt).at)
            solver.check_faults("moving the mesh")
            flown = solver.flown(at_rest(solver.bodies.poses(number * dt)), when)
            for name, found in (flown or _shapes(solver)).items():
                kept = worst.get(name, found)
                worse = np.maximum if flown else solver.grid.worse
                worst[name] = np.where(alive, worse(kept, found), kept)
                of_worst[name] = np.where(worst[name] != kept, at, of_worst.get(name, at))
            each()
            interrupt.check()
        notes = solver.strides(lambda m, share: _smaller(m, share, dt, cycle))
    except (NumericalFault, OversetError) as fault:
        raise type(fault)(
            f"pre-flight of the motion, step {number} of {steps} "
            f"({_words(_at(number * dt, cycle), cycle)}): ",
            fault.said,
            "; no flow was computed",
        ) from fault
    finally:
        solver.rewind()
    what = "time" if cycle is None else "phase_deg"
    given = {name: own for name, own in given.items() if name in worst}
    angles = {name: own for name, own in worst.items() if name in given and name.endswith("_deg")}
    for name, own in angles.items():
        notes += _folded(name, own, given[name], of_worst[name], ensemble.alive, cycle)
    warn_of(notes)
    return _report(steps, worst, of_worst, what) | _numbers(
        {f"given_{name}": own for name, own in given.items()}
    )


def reach(solver: Moving, ends: Sequence[Sequence[Pose]]) -> dict[str, Any]:
    """Move the mesh from where it is given to each of these poses, and put it back.

    Parameters
    ----------
    ends : poses of all bodies

    Returns
    -------
    dict    as of `fly`, by the numbers of the poses; empty where the mesh keeps its shape

    Raises
    ------
    NumericalFault    a cell inverts, or the deformation fails; a member of several fails alone
    """
    if _keeps_shape(solver):
        return {}
    ensemble = solver.grid.ensemble
    found: dict[str, Any] = {"steps": len(ends)}
    try:
        for number, poses in enumerate(ends, 1):
            ensemble.at(f"pre-flight to the kick, pose {number} of {len(ends)}", number)
            solver.rest(poses)
            for name, values in _shapes(solver).items():
                worst = solver.grid.worse(found.get(name, values), values)
                found[name] = worst
    except (NumericalFault, OversetError) as fault:
        raise type(fault)(
            "pre-flight to the kick: ", fault.said, "; take a smaller kick; no flow was computed"
        ) from fault
    finally:
        solver.rewind()
    return _numbers(found)


def _keeps_shape(solver: Moving) -> bool:
    """Return True where the mesh turns and shifts as it is, and no body bends."""
    rigid = isinstance(solver.deform, Rigid | Still)
    return rigid and solver.grid.vertices.shapes is None


def _at(time: NDArray[np.float64], cycle: Any) -> NDArray[np.float64]:
    """(members,) phases [degrees] at a time; without a cycle the time itself."""
    found: NDArray[np.float64] = time if cycle is None else 360 * (cycle(time) % 1)
    return found


def _smaller(member: int, share: float, dt: NDArray[np.float64], cycle: Any) -> str:
    """Advice on the smaller time step, by the factor `share`, of a member."""
    per_cycle = None if cycle is None else round(1 / float(cycle(dt)[member]))
    name, value = smaller_step(share, float(dt[member]), per_cycle)
    return f"{name} = {value:.6g} would do"


def _words(at: NDArray[np.float64], cycle: Any) -> str:
    """Phases or times of the members, each once."""
    if cycle is None:
        return f"time {', '.join(f'{t:.4g}' for t in np.unique(at))}"
    return f"phase {', '.join(f'{p:.0f}' for p in np.unique(np.round(at)))} degrees"


def _shapes(solver: Moving) -> dict[str, NDArray[np.float64]]:
    """Measures of cell shapes of the moved mesh; members with broken cells fail."""
    remedy = REMEDIES.get(solver.deform.kind, "another deformation or smaller steps")
    with solver.grid.ensemble.quiet():
        found = solver.grid.shapes()
        for member, what, place in solver.grid.broken(found):
            solver.grid.ensemble.fail(member, what, remedy, place=place, about="broken")
    return found


def _report(
    steps: int, worst: dict[str, NDArray[Any]], at: dict[str, NDArray[Any]], what: str
) -> dict[str, Any]:
    columns: dict[str, NDArray[Any]] = {}
    for name, values in worst.items():
        columns[name] = values
        columns[f"{name.removesuffix('_deg')}_{what}"] = at[name]
    return {"steps": steps} | _numbers(columns)


def _numbers(columns: dict[str, Any]) -> dict[str, Any]:
    """Lists of several members, numbers of one."""
    each = {name: np.asarray(own).tolist() for name, own in columns.items()}
    return {k: v[0] if isinstance(v, list) and len(v) == 1 else v for k, v in each.items()}


def _folded(
    name: str, worst: Any, given: Any, at: NDArray[np.float64], alive: Any, cycle: Any
) -> list[str]:
    """Notes of members whose least angle, (members,) [deg], falls nearly to none.

    Corners that are flat in the mesh as given, as where the cap of a wing's tip ends, stay flat:
    they may lose their last `FLAT` degrees.
    """
    found = alive & (worst < FOLDED * given) & (given - worst > FLAT)
    told = name.removesuffix("_deg").replace("_", " ")
    each = np.flatnonzero(found).tolist()
    several = len(worst) > 1
    return [
        Sentence(
            f"the {told} falls to {worst[m]:.3g} degrees at {_words(at[m : m + 1], cycle)}, "
            f"{given[m]:.3g} in the mesh as given: cells nearly fold",
            member=m if several else None,
            advice="try a smaller motion, or another deformation",
            about="folded",
        )
        for m in each
    ]
