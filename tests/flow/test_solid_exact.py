"""Exact claims on meshes in space: linear fields, a stream between planes, turns, halves."""

import kinemesh as km
import numpy as np
import pytest
from slabs import ACROSS, AXES, PLANES, rigid, slab
from solid_cases import MACH, forced, stream
from solids import MADE, cube, half_of
from solver_cases import Wobble

SLOPE = np.random.default_rng(3).uniform(-1, 1, (5, 3))
TIGHT = km.AleSettings(steady_drop=1e-10, limiter="none", jacobian_fix=0.5)
LOOSE = km.AleSettings(steady_drop=1e-6, limiter="none", jacobian_fix=0.5)


def gradients(case, slope, alpha_deg=17.0):
    """(nodes, 5, 3) of a stream whose variables rise by a tenth of these slopes."""
    case.initialise(stream(MACH, alpha_deg) + 0.1 * case.backend.get(case.grid.x) @ slope.T)
    case.backend.put(case.dualtime.active, 1)
    case.backend.record(case.terms["gradients"].residual())()
    return case.backend.get(case.terms["gradients"].grad).reshape(-1, 5, 3)


@pytest.mark.parametrize("limiter", ["none", "wang"])
@pytest.mark.parametrize("kind", MADE)
def test_linear_fields_have_exact_gradients_in_space(kind, limiter):
    """`wang` with a threshold that limits nothing."""
    settings = km.AleSettings(limiter=limiter, limiter_k=1e6 if limiter == "wang" else None)
    case = km.Ale(cube(4, kind, jitter=0.2), mach=MACH, walls=[], device="cpu", settings=settings)

    assert np.abs(gradients(case, SLOPE) - 0.1 * SLOPE).max() <= 1e-11


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("kind", ["hexahedra", "tetrahedra", "mixed"])
def test_fields_even_about_planes_of_symmetry_have_exact_gradients_on_them(kind, axis):
    """On the plane at 0 the velocity across it alone changes across it, and not along it."""
    across = ACROSS[axis]
    even = SLOPE.copy()
    even[:, across] = even[1 + across] = 0
    even[1 + across, across] = 0.7
    mesh = slab(6, kind, axis, 0.2)
    settings = km.AleSettings(limiter="none")
    about = {"mach": 0.3, "alpha_deg": AXES[axis][1], "walls": [], "boundaries": PLANES}
    case = km.Ale(mesh, settings=settings, device="cpu", **about)

    found = gradients(case, even, AXES[axis][1])

    on = case.grid.points[:, across] == 0
    assert on.sum() == 49
    assert np.abs(found - 0.1 * even)[on].max() <= 1e-11


@pytest.mark.long
@pytest.mark.no_sanitizer
@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("kind", MADE)
def test_a_uniform_stream_survives_rigid_motion_between_planes(kind, axis):
    case = km.Ale(
        slab(4, kind, axis, 0.2), mach=MACH, alpha_deg=AXES[axis][1], walls=[], device="cpu",
        boundaries=PLANES, deform=Wobble(rigid(axis), 0.05),
    )  # fmt: skip

    error, change = forced(case, 100)

    x = case.backend.get(case.grid.x)
    assert error <= 1e-12  # the bar of the method's statement
    assert change <= 1e-12
    assert np.abs(x - case.grid.points).max() > 1.0


def turned(points, degrees):
    """Turn points nose-up about +y."""
    angle = np.radians(degrees)
    x, y, z = np.transpose(points)
    return np.stack([x * np.cos(angle) + z * np.sin(angle), y,
                     z * np.cos(angle) - x * np.sin(angle)], axis=1)  # fmt: skip


@pytest.fixture(scope="module")
def section():
    """An extruded aerofoil by its cells, and its steady loads to ten orders."""
    found = {}
    for cells in ("hexes", "tets"):
        flat = km.mesh.airfoil("naca0012", nodes=600, far_field=6, cells="quads")
        mesh = km.mesh.extruded(flat, span=0.6, layers=2, cells=cells)
        found[cells] = mesh, loads(mesh)
    return found


def loads(mesh, alpha_deg=3.0, about=(0.25, 0.0), size=1.0, area=0.6):
    case = km.Ale(
        mesh, mach=0.5, alpha_deg=alpha_deg, moment_about=about, device="cpu", settings=TIGHT,
        reference_area=area * size**2, reference_length=size,
    )  # fmt: skip
    result = case.steady().summary["result"]
    assert result["converged"]
    return np.array([result[name] for name in ("cl", "cd", "cm")])


@pytest.mark.long
@pytest.mark.flow
@pytest.mark.filterwarnings("ignore:.*the planform of airfoil is:RuntimeWarning")
@pytest.mark.parametrize("cells", ["hexes", pytest.param("tets", marks=pytest.mark.slow)])
@pytest.mark.parametrize("change", ["turned", "shifted", "scaled"])
def test_loads_do_not_depend_on_where_a_case_stands(section, cells, change):
    mesh, wanted = section[cells]
    x, about = mesh.points, np.array([[0.25, 0.0, 0.0]])
    if change == "turned":
        made = mesh.transformed(turned(x, 20.0))
        place = turned(about, 20.0)[0, [0, 2]]
        found = loads(made, 3.0 - 20.0, tuple(place.tolist()))
    elif change == "shifted":
        found = loads(mesh.transformed(x + np.array([3.0, -5.0, 7.0])), about=(3.25, 7.0))
    else:
        found = loads(mesh.transformed(2.5 * x), about=(0.625, 0.0), size=2.5)

    assert wanted[0] > 0.3
    assert np.abs(found - wanted).max() <= 1e-8  # of residuals down by ten orders


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*by the wake:RuntimeWarning")  # a coarse sphere
@pytest.mark.flow
def test_a_half_with_its_plane_of_symmetry_comes_to_the_whole():
    """Loads of a sphere, whose drag has to vanish, and of its half: apart by second order.

    Least squares on the plane see one side of it; the half's drag is no larger for that.
    """
    about = {"mach": 0.3, "alpha_deg": 10.0, "device": "cpu", "settings": LOOSE}
    counts, drag, apart = [], [], []
    for nodes in (1500, 4000):
        whole = km.mesh.sphere(nodes, far_field=5.0)
        half = half_of(whole)
        assert half.volumes.sum() == pytest.approx(whole.volumes.sum() / 2, rel=1e-12)
        one = km.Ale(whole, reference_area=np.pi / 4, **about)
        other = km.Ale(half, reference_area=np.pi / 8, boundaries={"middle": "symmetry"}, **about)
        a, b = (case.steady().summary["result"] for case in (one, other))
        assert a["converged"]
        assert b["converged"]
        counts.append(whole.nodes ** (1 / 3))
        drag.append(a["cd"])
        apart.append([abs(a[name] - b[name]) for name in ("cl", "cd", "cm")])

    def order(errors):
        return -np.diff(np.log(errors), axis=0)[0] / np.diff(np.log(counts))[0]

    assert np.max(apart[1]) <= 0.1 * drag[1]
    assert b["cd"] <= a["cd"]
    assert np.min(order(apart)) >= 1.8
    assert order(drag) >= 1.8


@pytest.mark.flow
@pytest.mark.slow
def test_tetrahedra_written_and_read_have_the_same_loads(tmp_path):
    made = km.mesh.sphere(1500, far_field=5.0, cells="tets")
    km.mesh.write(made, tmp_path / "sphere.su2")
    read = km.mesh.read(tmp_path / "sphere.su2")
    about = {"mach": 0.3, "alpha_deg": 10.0, "device": "cpu", "settings": TIGHT}

    a, b = (
        km.Ale(mesh, reference_area=np.pi / 4, **about).steady().summary["result"]
        for mesh in (made, read)
    )

    assert a["converged"]
    assert b["converged"]
    for name in ("cl", "cd", "cm"):
        assert abs(a[name] - b[name]) <= 1e-8  # of residuals down by ten orders
