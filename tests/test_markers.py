"""Walls and far field: swapped ones are refused, tunnels and closed rooms are not."""

from types import SimpleNamespace

import kinemesh as km
import numpy as np
import pytest
from kinemesh.conditions import walls_of
from kinemesh.errors import MeshError
from solver_cases import Ellipse, bodies, disc, square


def remade(mesh, **rules):
    """The mesh with markers by name -> whether the middle (x, y) of an edge has it."""
    edges = np.concatenate(list(mesh.boundaries.values()))
    x, y = mesh.points[edges].mean(axis=1).T
    markers = {name: edges[rule(x, y)] for name, rule in rules.items()}
    cells = np.concatenate([np.pad(mesh.triangles, ((0, 0), (0, 1)), constant_values=-1),
                            mesh.quads])  # fmt: skip
    return km.mesh.Mesh.from_arrays(mesh.points, cells, markers)


# ---- refused

SOLVERS = {
    "o-mesh": lambda **more: km.Ale(km.mesh.airfoil("naca0012", nodes=500), **more),
    "c-mesh": lambda **more: km.Ale(km.mesh.airfoil("naca0012", nodes=2000, topology="c"), **more),
    "cloud": lambda **more: km.Meshless(km.cloud.airfoil("naca0012", points=500), **more),
}


@pytest.mark.parametrize("name", SOLVERS)
def test_a_far_field_within_the_walls_is_refused(name):
    message = (
        r"member 0: walls \['farfield'\] \(x -49.5 to 5\d.*, y -[45]\d.*\) lie about the far field "
        r"\['airfoil'\] \(x 0 to 1, y -0.0[56]\d* to 0.0[56]\d*\), expected the far field about "
        "the walls; if they are swapped, name the bodies in walls"
    )
    with pytest.raises(MeshError, match=message):
        SOLVERS[name](mach=0.5, walls=["farfield"], device="cpu")


def test_a_half_wing_in_a_cylinder_of_walls_is_refused():
    """The plane of symmetry, which both meet, does not make them one."""
    cloud = km.cloud.wing(points=20_000)

    with pytest.raises(MeshError, match=r"walls \['farfield'\] .* far field \['wing'\] .*z -0.06"):
        km.Meshless(cloud, mach=0.5, walls=["farfield"], device="cpu")


def test_the_member_and_all_markers_are_named():
    """Of three bodies two are walls, but so is what is about them all."""
    pair = {"one": Ellipse((-1.0, 0.0)), "two": Ellipse((1.0, 0.0)), "three": Ellipse((0.0, 1.0))}
    there = bodies(pair)
    alone = bodies({"three": Ellipse((0.0, 0.0))})

    with pytest.raises(MeshError, match=r"member 1: walls \['farfield'\].*far field \['one'\]"):
        walls_of(["two", "farfield", "three"], [alone, there])


# ---- not refused


def test_bodies_in_a_far_field_are_not_refused():
    pair = {"one": Ellipse((-1.0, 0.0)), "two": Ellipse((1.0, 0.0))}

    assert walls_of(["one", "two"], [bodies(pair)]) == (["one", "two"], ["farfield"])
    # one is left to the far field: within it, not about it
    assert walls_of(["two"], [bodies(pair)]) == (["two"], ["farfield", "one"])


def test_closed_rooms_and_open_squares_are_not_refused():
    """Without far field, or without walls."""
    around = bodies({"one": Ellipse((0.0, 0.0))})

    assert walls_of(["one", "farfield"], [around]) == (["one", "farfield"], [])
    assert walls_of([], [square(4)]) == ([], ["farfield"])


def test_tunnels_are_not_refused():
    """Walls above and below, with and without a body; ends that the walls reach beyond."""
    channel = remade(square(6), walls=lambda x, y: abs(y) > 0.99, ends=lambda x, y: abs(y) < 0.99)
    about = remade(bodies({"one": Ellipse((0.0, 0.0))}),
                   one=lambda x, y: np.hypot(x, y) < 1,
                   sides=lambda x, y: (abs(x) < 6) & (np.hypot(x, y) > 1),
                   ends=lambda x, y: abs(x) >= 6)  # fmt: skip
    # a round room whose openings lie between its outermost points
    room = remade(
        disc(8), walls=lambda x, y: abs(x * y) < 0.4, ports=lambda x, y: abs(x * y) >= 0.4
    )

    assert walls_of(["walls"], [channel]) == (["walls"], ["ends"])
    assert walls_of(["one", "sides"], [about]) == (["one", "sides"], ["ends"])
    assert walls_of(["walls"], [room]) == (["walls"], ["ports"])
    ports, walls = (room.points[room.boundaries[n]].reshape(-1, 2) for n in ("ports", "walls"))
    assert (ports.max(0) < walls.max(0)).all()
    assert (ports.min(0) > walls.min(0)).all()


def test_a_wall_that_symmetry_parts_from_the_ends_is_not_refused():
    """A duct in space: its wall shares no point with the ends, which lie before and behind it."""
    x = np.repeat([-2.0, -1.0, 1.0, 2.0], 4)
    y, z = np.tile([[0.0, 1, 1, 0], [0.0, 0, 1, 1]], 4)
    sides = [[k, (k + 1) % 4, k + 4] for k in range(4)]
    duct = SimpleNamespace(
        points=np.stack([x, y, z], 1),
        boundaries={
            "inlet": np.array([[0, 1, 2], [0, 2, 3]]),
            "symmetry": np.array([[p + 8 * e for p in side] for side in sides for e in (0, 1)]),
            "wall": np.array([[p + 4 for p in side] for side in sides]),
            "outlet": np.array([[12, 13, 14], [12, 14, 15]]),
        },
    )

    assert walls_of(["wall"], [duct], ["symmetry"]) == (["wall"], ["inlet", "outlet"])
