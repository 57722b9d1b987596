"""Kinds of boundary beside walls and far field."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.cases.casefile import Case
from kinemesh.mesh import Mesh
from kinemesh.space.conditions import table
from kinemesh.space.conditions.words import Symmetry


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


METHODS = pytest.mark.parametrize("method", ["ale", "meshless"])


def solver(method, mesh, **given):
    """A solver on a mesh, or on the cloud of its nodes."""
    if method == "ale":
        return km.Ale(mesh, **given)
    return km.Meshless(km.Cloud.from_mesh(mesh), **given)


def in_channel(device, alpha_deg, method="ale", **given):
    sides = {"far": ["inlet", "outlet", "top"], "boundaries": {"ground": "symmetry"}} | given
    flow = {"mach": 0.5, "alpha_deg": alpha_deg, "device": device, "walls": []}
    return solver(method, channel(), **flow, **sides)


@METHODS
def test_a_stream_along_a_plane_of_symmetry_stays_uniform(double, method):
    case = in_channel(double.device, 0.0, method)

    # a handful of faces of size 1/6 with fluxes of 1/1.4 + M^2
    assert np.abs(residual(case)).max() < 64 * double.eps


@METHODS
def test_a_stream_across_a_plane_of_symmetry_is_stopped_there_alone(double, method):
    case = in_channel(double.device, 5.0, method)
    ground = case.grid.patches["symmetry"].node

    found = np.abs(residual(case)).max(axis=1)

    assert (found[ground] > 1e-3).all()
    assert np.delete(found, ground).max() < 64 * double.eps


def wall_pressures(case):
    """Pressures on the upper side, from the nose on."""
    node = case.grid.wall.node
    x, y = case.grid.points[node].T
    return case.primitive()[node[y > 1e-6], -1][np.argsort(x[y > 1e-6])]


def apart(device, nodes, method="ale"):
    """Drag of a section and of half of it over its plane, and rms of the pressures' difference."""
    whole = km.mesh.airfoil("naca0012", nodes=nodes, far_field=20)
    about = {"mach": 0.5, "device": device, "chord": 1.0}
    both = solver(method, whole, **about)
    sides = {"far": ["farfield"], "boundaries": {"plane": "symmetry"}}
    one = solver(method, half(whole), **about, **sides)
    drags = [case.steady().summary["result"]["cd"] for case in (both, one)]
    difference = wall_pressures(one) - wall_pressures(both)
    assert one.grid.bodies == [(0, "airfoil")]
    return drags, np.sqrt((difference**2).mean())


@pytest.mark.long
@pytest.mark.no_sanitizer
def test_half_a_section_over_its_plane_has_the_pressures_of_the_whole(double):
    """But for the gradients at the plane, which see one side of it: of first order there."""
    (whole, one), coarse = apart(double.device, 1500)
    _, fine = apart(double.device, 6000)

    # there is no drag but the mesh's error, which a plane through its middle must not raise
    assert abs(one) < 1.1 * whole / 2
    assert coarse < 0.01 / 1.4  # of the stream's pressure
    assert fine < 0.6 * coarse


@pytest.mark.slow
@pytest.mark.flow
def test_on_a_cloud_half_a_section_comes_near_the_whole_with_finer_points(double):
    """The point at the nose has satellites on one side alone: there is some drag left."""
    (_, one), coarse = apart(double.device, 1500, "meshless")
    (_, finer), fine = apart(double.device, 6000, "meshless")

    assert coarse < 0.01 / 1.4  # of the stream's pressure
    assert fine < coarse
    assert abs(finer) < abs(one) / 2  # of first order, as there is none but the cloud's error


def over_the_ground(**kinds):
    """A section on a cloud that pitches, with a part of the far field for the ground below it."""
    mesh = km.mesh.airfoil("naca0012", nodes=1500, far_field=5)
    edges = mesh.boundaries["farfield"]
    below = mesh.points[edges][:, :, 1].max(axis=1) < -2
    there = {"farfield": edges[~below], "ground": edges[below]}
    mesh = Mesh(mesh.points, mesh.triangles, mesh.quads, mesh.boundaries | there)
    law = km.motion.pitch(amplitude_deg=2.0, k=0.2)
    return km.Meshless(km.Cloud.from_mesh(mesh), mach=0.5, device="cpu", far=["farfield"],
                       motion={"airfoil": law}, **kinds)  # fmt: skip


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*loads are sums over all walls:RuntimeWarning")
@pytest.mark.flow
def test_on_a_cloud_a_plane_of_symmetry_is_a_wall_at_rest_without_loads():
    found = []
    for kinds in ({"boundaries": {"ground": "symmetry"}}, {}):
        case = over_the_ground(**kinds)
        ground = np.unique(case.grid.meshes[0].boundaries["ground"])
        case.run(cycles=0.25, steps_per_cycle=16, preflight=False)
        x = case.backend.get(case.grid.x)
        assert np.abs(x - case.grid.points).max() > 0.01
        assert (x[ground] == case.grid.points[ground]).all()
        loads = case.body_coefficients()[0]
        found.append((loads["airfoil"]["cl"], case.coefficients()[0, 0], len(loads)))

    (slip, alone, bodies), (wall, both, _) = found
    assert bodies == 1
    assert alone == slip
    assert abs(both - wall) > 0.01
    # four steps, each solved to 1e-4 of its first residual
    assert slip == pytest.approx(wall, rel=1e-3)


@pytest.mark.parametrize(
    ("boundaries", "error", "words"),
    [
        (
            {"ground": "mirror"},
            km.SettingsError,
            "'mirror', expected one of wall, far, symm",
        ),
        ({"ground": ["symmetry"]}, km.SettingsError, "'ground' is \\['symmetry'\\], expected one"),
        ({"floor": "symmetry"}, km.MeshError, "expected markers of the mesh.*not \\['floor'\\]"),
        (["ground"], km.SettingsError, "expected {marker: kind}"),
    ],
)
@METHODS
def test_wrong_kinds_are_refused(boundaries, error, words, method):
    with pytest.raises(error, match=words):
        in_channel("cpu", 0.0, method, boundaries=boundaries)


@METHODS
def test_a_kind_without_kernels_is_refused(method, monkeypatch):
    class Hedge(Symmetry):
        kind = flux = "hedge"

    monkeypatch.setattr(table, "CONDITIONS", [*table.CONDITIONS, Hedge])
    kernel = {"ale": "bc_hedge", "meshless": "cloud_hedge"}[method]
    with pytest.raises(km.SettingsError, match=f"'hedge' is not for.*no kernel {kernel};"):
        in_channel("cpu", 0.0, method, boundaries={"ground": "hedge"})


@METHODS
def test_what_has_a_plane_of_symmetry_does_not_move_as_a_whole(method):
    mesh = half(km.mesh.airfoil("naca0012", nodes=1500, far_field=20))
    with pytest.raises(km.SettingsError, match="'plane' of kind 'symmetry' stands still"):
        solver(
            method,
            mesh,
            mach=0.5,
            device="cpu",
            chord=1.0,
            far=["farfield"],
            boundaries={"plane": "symmetry"},
            deform=km.deform.Rigid(),
            motion=km.motion.plunge(0.01, k=0.1),
        )


@METHODS
def test_a_case_file_names_kinds_of_boundary(tmp_path, method):
    mesh = half(km.mesh.airfoil("naca0012", nodes=1500, far_field=20))
    km.mesh.write(mesh, tmp_path / "half.su2")
    table = {
        "name": "half",
        "mode": "steady",
        "method": method,
        "mesh": {"file": "half.su2", "far": ["farfield"], "boundaries": {"plane": "symmetry"}},
        "flow": {"mach": 0.5, "chord": 1.0},
        "run": {"device": "cpu"},
    }
    case = Case.from_dict(table, tmp_path)

    model = case.build()

    assert len(model.grid.patches["symmetry"]) > 10


def test_kinds_that_leave_no_far_field_are_refused():
    sides = {"far": None, "boundaries": dict.fromkeys(channel().boundaries, "symmetry")}
    with pytest.raises(km.MeshError, match="leaves no marker to the far field"):
        in_channel("cpu", 0.0, **sides)


def test_a_motion_without_a_wall_is_told_of_the_wall():
    law = km.motion.pitch(1.0, k=0.1)
    told = {"mach": 0.5, "device": "cpu", "walls": []}
    with pytest.raises(km.SettingsError, match="no marker is a wall, so there is no body to move"):
        km.Ale(channel(), motion=law, **told)  # runs by time_step and steps too
    with pytest.raises(km.SettingsError, match="no marker is a wall, so there is no body to move"):
        km.Ale(channel(), **told).run(cycles=1, steps_per_cycle=16)


@METHODS
def test_a_far_vortex_has_no_mirror_image_and_is_refused(method):
    kind = km.AleSettings if method == "ale" else km.MeshlessSettings

    with pytest.raises(km.SettingsError, match=r"'vortex' with the plane of symmetry \['ground'\]"):
        in_channel("cpu", 0.0, method, settings=kind(far_field="vortex"))
