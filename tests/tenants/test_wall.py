"""A tenant: a second kind of wall, which moves and carries loads as the slip wall does."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.space.conditions import table
from kinemesh.space.conditions.base import BODY, FACES, Condition

pytestmark = pytest.mark.flow
MESH = km.mesh.airfoil("naca0012", nodes=1500, far_field=10)


class Skin(Condition):
    """A wall by another name, with the kernels of the slip wall."""

    kind, role, families, flux = "skin", BODY, (FACES,), "wall"


@pytest.fixture(autouse=True)
def skin(monkeypatch):
    monkeypatch.setattr(table, "CONDITIONS", [*table.CONDITIONS, Skin])


def pitching(mesh=MESH, **boundaries):
    motion = km.motion.pitch(amplitude_deg=2.5, k=0.1, about=(0.25, 0.0))
    case = km.Ale(mesh, mach=0.5, motion=motion, boundaries=boundaries, device="cpu")
    return case, case.run(cycles=0.25, steps_per_cycle=24, preflight=False)


def test_loads_of_a_second_kind_of_wall_are_those_of_the_first():
    (_, wall), (case, skin) = pitching(airfoil="wall"), pitching(airfoil="skin")

    assert case.markers.by_kind == {"wall": [], "far": ["farfield"], "skin": ["airfoil"]}
    assert [body for _, body in case.grid.bodies] == ["airfoil"]
    for name in ("cl", "cd", "cm"):
        assert np.abs(wall.history[name]).max() > 1e-4
        assert (wall.history[name] == skin.history[name]).all()


def test_bodies_of_two_kinds_of_wall_stand_side_by_side():
    edges = MESH.boundaries["airfoil"]
    below = MESH.points[edges][:, :, 1].mean(axis=1) < 0
    sides = {"above": edges[~below], "below": edges[below]}
    sides["farfield"] = MESH.boundaries["farfield"]
    mesh = km.Mesh(MESH.points, MESH.triangles, MESH.quads, sides)
    both = {"above": "wall", "below": "skin"}
    alone = dict.fromkeys(both, "wall")
    (one, wall), (two, mixed) = pitching(mesh, **alone), pitching(mesh, **both)

    assert one.grid.bodies == two.grid.bodies == [(0, "above"), (0, "below")]
    assert wall.history["cl"] == pytest.approx(mixed.history["cl"], rel=1e-4)  # unsteady_drop
