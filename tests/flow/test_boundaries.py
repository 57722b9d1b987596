"""Kinds of boundary beside walls and far field."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.cases.casefile import Case
from kinemesh.mesh import Mesh


def channel(columns=12, rows=6):
    """A box of squares, 2 by 1, its lower side called ground."""
    x, y = np.meshgrid(np.linspace(0, 2, columns + 1), np.linspace(0, 1, rows + 1))
    points = np.column_stack([x.ravel(), y.ravel()])
    at = np.arange(len(points)).reshape(rows + 1, columns + 1)
    cells = np.stack([at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]], axis=-1).reshape(-1, 4)
    pairs = {
        "ground": np.stack([at[0, :-1], at[0, 1:]], axis=1),
        "outlet": np.stack([at[:-1, -1], at[1:, -1]], axis=1),
        "top": np.stack([at[-1, 1:], at[-1, :-1]], axis=1),
        "inlet": np.stack([at[1:, 0], at[:-1, 0]], axis=1),
    }
    return Mesh(points, np.empty((0, 3), np.int32), cells, pairs)


def half(mesh):
    """The upper half of a mesh that is symmetric about y = 0."""
    points, cells = mesh.points, mesh.triangles
    cells = cells[points[cells].mean(axis=1)[:, 1] > 0]
    used = np.unique(cells)
    number = np.full(len(points), -1)
    number[used] = np.arange(len(used))
    cells = number[cells]
    there = {n: number[e] for n, e in mesh.boundaries.items()}
    there = {n: e[(e >= 0).all(axis=1)] for n, e in there.items()}
    sides = np.concatenate([cells[:, [k, (k + 1) % 3]] for k in range(3)])
    keys = np.sort(sides, axis=1) @ [len(used), 1]
    taken = np.concatenate([np.sort(e, axis=1) @ [len(used), 1] for e in there.values()])
    key, count = np.unique(keys, return_counts=True)
    once = np.isin(keys, key[count == 1])
    plane = sides[once & ~np.isin(keys, taken)]
    return Mesh(points[used], cells, mesh.quads, there | {"plane": plane})


def residual(case):
    case.start_steady()
    for call in case.residual():
        call()
    return case.backend.get(case.res)


def in_channel(device, alpha_deg, **given):
    sides = {"far": ["inlet", "outlet", "top"], "boundaries": {"ground": "symmetry"}} | given
    return km.Ale(channel(), mach=0.5, alpha_deg=alpha_deg, device=device, walls=[], **sides)


def test_a_stream_along_a_plane_of_symmetry_stays_uniform(double):
    case = in_channel(double.device, 0.0)

    # a handful of faces of size 1/6 with fluxes of 1/1.4 + M^2
    assert np.abs(residual(case)).max() < 64 * double.eps


def test_a_stream_across_a_plane_of_symmetry_is_stopped_there_alone(double):
    case = in_channel(double.device, 5.0)
    ground = case.grid.patches["symmetry"].node

    found = np.abs(residual(case)).max(axis=1)

    assert (found[ground] > 1e-3).all()
    assert np.delete(found, ground).max() < 64 * double.eps


def wall_pressures(case):
    """Pressures on the upper side, from the nose on."""
    node = case.grid.wall.node
    x, y = case.grid.points[node].T
    return case.primitive()[node[y > 1e-6], -1][np.argsort(x[y > 1e-6])]


def apart(device, nodes):
    """Drag and bodies of half a section over its plane, and rms of its pressures' difference."""
    whole = km.mesh.airfoil("naca0012", nodes=nodes, far_field=20)
    about = {"mach": 0.5, "device": device, "chord": 1.0, "settings": km.AleSettings()}
    both = km.Ale(whole, **about)
    one = km.Ale(half(whole), **about, far=["farfield"], boundaries={"plane": "symmetry"})
    drags = [case.steady().summary["result"]["cd"] for case in (both, one)]
    difference = wall_pressures(one) - wall_pressures(both)
    assert one.grid.bodies == [(0, "airfoil")]
    return drags, np.sqrt((difference**2).mean())


def test_half_a_section_over_its_plane_has_the_pressures_of_the_whole(double):
    """But for the gradients at the plane, which see one side of it: of first order there."""
    (whole, one), coarse = apart(double.device, 1500)
    _, fine = apart(double.device, 6000)

    # there is no drag but the mesh's error, which a plane through its middle must not raise
    assert abs(one) < 1.1 * whole / 2
    assert coarse < 0.01 / 1.4  # of the stream's pressure
    assert fine < 0.6 * coarse


@pytest.mark.parametrize(
    ("boundaries", "error", "words"),
    [
        ({"ground": "mirror"}, km.SettingsError, "'ground' is 'mirror', expected one of symmetry"),
        ({"ground": ["symmetry"]}, km.SettingsError, "'ground' is \\['symmetry'\\], expected one"),
        ({"ground": "far"}, km.SettingsError, "name walls in walls, the far field in far"),
        ({"floor": "symmetry"}, km.MeshError, "expected markers of the mesh.*not \\['floor'\\]"),
        (["ground"], km.SettingsError, "expected {marker: kind}"),
    ],
)
def test_wrong_kinds_are_refused(boundaries, error, words):
    with pytest.raises(error, match=words):
        in_channel("cpu", 0.0, boundaries=boundaries)


def test_a_mesh_with_a_plane_of_symmetry_does_not_move_as_a_whole():
    mesh = half(km.mesh.airfoil("naca0012", nodes=1500, far_field=20))
    with pytest.raises(km.SettingsError, match="kind 'symmetry' stands still"):
        km.Ale(
            mesh,
            mach=0.5,
            device="cpu",
            chord=1.0,
            far=["farfield"],
            boundaries={"plane": "symmetry"},
            deform=km.deform.Rigid(),
            motion=km.motion.plunge(0.01, k=0.1),
        )


def test_a_case_file_names_kinds_of_boundary(tmp_path):
    mesh = half(km.mesh.airfoil("naca0012", nodes=1500, far_field=20))
    km.mesh.write(mesh, tmp_path / "half.su2")
    table = {
        "name": "half",
        "mode": "steady",
        "mesh": {"file": "half.su2", "far": ["farfield"], "boundaries": {"plane": "symmetry"}},
        "flow": {"mach": 0.5, "chord": 1.0},
        "run": {"device": "cpu"},
    }
    case = Case.from_dict(table, tmp_path)

    model = case.build()

    assert len(model.grid.patches["symmetry"]) > 10
    with pytest.raises(km.CaseError, match="method 'meshless' has walls and far field only"):
        Case.from_dict(table | {"method": "meshless"}, tmp_path)


def test_kinds_that_leave_no_far_field_are_refused():
    sides = {"far": None, "boundaries": dict.fromkeys(channel().boundaries, "symmetry")}
    with pytest.raises(km.MeshError, match="leaves no marker to the far field"):
        in_channel("cpu", 0.0, **sides)


def test_a_motion_without_a_wall_is_told_of_the_wall():
    law = km.motion.pitch(1.0, k=0.1)
    case = km.Ale(channel(), mach=0.5, device="cpu", walls=[], motion=law)
    with pytest.raises(km.SettingsError, match="no marker is a wall, so there is no body to move"):
        case.run(cycles=1, steps_per_cycle=16)
