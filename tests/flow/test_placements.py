"""A step may place its bodies more than once; only the last place counts."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.io.summary import Stopwatch
from kinemesh.motion import Pose
from kinemesh.run.march import march
from placements import along

pytestmark = pytest.mark.flow
STEPS, DT = 6, 0.4
MESH = km.mesh.airfoil("naca0012", nodes=500)
LAW = km.motion.pitch(amplitude_deg=8.0, k=0.4, about=(0.25, 0))
WAYS = {
    "springs": km.deform.TorsionalSprings(),
    "springs in parts": km.deform.TorsionalSprings(substeps=3),
    "bicgstab": km.deform.TorsionalSprings(solver="bicgstab"),
    "delaunay": km.deform.Delaunay(),
    "retriangulated": km.deform.Delaunay(retriangulate=True),
    "rigid": km.deform.Rigid(),
}


def flown(solver, detours):
    """Coordinates, states and factors after a few steps, each with the given detours first."""
    recording = solver.iteration(1e-2, 4, (5.0, 50.0, 2.0), 4)
    solver.initialise()
    dt, get = np.full(1, DT), solver.backend.get
    solver.dualtime.set_floor(dt)
    found = []
    for number in range(STEPS):

        def poses_at(share, number=number):
            return solver.bodies.poses((number + share) * dt)

        solver.begin_step(dt, 1 if number == 0 else 2)
        for away in detours:

            def beside(share, away=away):
                return [p + Pose(share * away, (0.25, 0)) for p in poses_at(share)]

            solver.place(along(beside, DT))
        solver.place(along(poses_at, DT))
        march(solver, recording, "step", Stopwatch())
        found += [get(solver.grid.x), get(solver.u), get(solver.low_mach.pairs)]
    return found


def solver_of(kind, deform, device):
    if kind == "ale":
        return km.Ale(MESH, mach=0.15, motion=LAW, deform=deform, device=device)
    cloud = km.Cloud.from_mesh(MESH)
    return km.Meshless(cloud, mach=0.15, motion=LAW, deform=deform, device=device)


CASES = [("ale", way) for way in WAYS]
CASES += [("meshless", way) for way in ("delaunay", "retriangulated", "rigid")]


@pytest.mark.long
@pytest.mark.parametrize(("kind", "way"), CASES)
@pytest.mark.parametrize("stale", [2.0, 0.9])  # 0.9: hierarchies are made anew at every solve
def test_the_last_of_several_placements_counts_alone(kind, way, stale, double, monkeypatch):
    monkeypatch.setattr("kinemesh.deform.spring_mover.STALE", stale)
    detours = [0.9, -0.4] if way == "retriangulated" else [0.12, -0.2]
    once = flown(solver_of(kind, WAYS[way], double.device), [])

    again = flown(solver_of(kind, WAYS[way], double.device), detours)

    assert all((a == b).all() for a, b in zip(once, again, strict=True))
    assert not (once[0] == once[3]).all()
