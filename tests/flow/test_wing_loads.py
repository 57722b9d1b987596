"""Loads of wings beside lifting-line theory, and beside a vortex lattice along the span."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.mesh import Station, section
from kinemesh.mesh.generate.conformal import circle_map
from lattice import lift, tapered

HALF = 2 * np.sin(np.linspace(0.0, np.pi / 2, 61))  # stations of the lattice, half span 2


def elliptic(aspect, across):
    """Lift curve slope of a flat elliptic wing by the lattice, and its load along the span."""
    y = aspect * np.pi / 8 * np.sin(np.linspace(0.0, np.pi / 2, 61))
    chord = np.sqrt(np.maximum(1 - (y / y[-1]) ** 2, 1e-12))
    at, cl = lift(y, chord, -0.25 * chord, 0 * y, np.radians(1.0), across)
    load = cl * np.interp(at, y, chord)
    return (load * np.diff(y)).sum() / (np.pi / 4 * y[-1]) / np.radians(1.0), at / y[-1], load


@pytest.mark.parametrize("aspect", [8.0, 20.0])
@pytest.mark.parametrize("across", [1, 4])
def test_the_lattice_has_the_slope_of_an_elliptic_wing(aspect, across):
    """Van Dyke, Perturbation Methods in Fluid Mechanics (1964), lifting line to the third order."""
    third = 16 / (np.pi * aspect) ** 2 * (np.log(np.pi * aspect) - 9 / 8)

    slope, share, load = elliptic(aspect, across)

    assert slope == pytest.approx(2 * np.pi / (1 + 2 / aspect + third), rel=6e-3)
    even = load / np.sqrt(1 - share**2)
    assert np.ptp(even[share < 0.9]) < (0.09 if aspect < 10 else 0.03) * even.mean()


@pytest.mark.parametrize("slopes", [1.0, 1.1])
def test_the_lattice_has_the_slope_of_its_sections(slopes):
    _, cl = tapered(1000.0, 1.0, 0.0, 0.0, 1.0, parts=12, across=1, slopes=slopes)

    assert cl[0] == pytest.approx(2 * np.pi * slopes * np.sin(np.radians(1.0)), rel=1e-3)


def test_the_lattice_takes_twist_for_incidence():
    one = lift(HALF, 1 + 0 * HALF, 0 * HALF, np.full(61, 0.05), 0.0, across=2)[1]
    other = lift(HALF, 1 + 0 * HALF, 0 * HALF, 0 * HALF, 0.05, across=2)[1]

    np.testing.assert_allclose(one, other, rtol=2e-3)  # the square of 0.05


def steady(mesh, area, mach=0.1, alpha_deg=4.0, drop=1e-4, out=None):
    settings = km.AleSettings(steady_drop=drop)
    case = km.Ale(mesh, mach=mach, alpha_deg=alpha_deg, reference_area=area, settings=settings,
                  moment_about=(0.25, 0.0), device="cpu")  # fmt: skip
    return case.steady(out=out)


@pytest.mark.long
@pytest.mark.flow
@pytest.mark.no_sanitizer
@pytest.mark.filterwarnings("ignore:.*cd_induced:RuntimeWarning")
def test_an_elliptic_wing_has_the_least_induced_drag():
    """Eight panels of an ellipse of half span 4, cut where the chord is 0.15; chord 1 at the root.

    CL^2 / (pi A) is exact of an elliptic load; on 12, 20 and 40 thousand nodes 0.4, 0.5
    and 0.2 % are left.
    """
    angle = np.linspace(0.0, np.arccos(0.15), 9)
    y, chord = 4.0 * np.sin(angle), np.cos(angle)
    rows = [
        Station(*own, x=0.25 * (1 - own[1])) for own in zip(y.tolist(), chord.tolist(), strict=True)
    ]
    area = float((np.diff(y) * (chord[1:] + chord[:-1]) / 2).sum())

    found = steady(km.mesh.wing("naca0012", 12_000, stations=rows), area).summary["result"]

    aspect = (2 * y[-1]) ** 2 / (2 * area)
    assert found["converged"]
    assert found["cd_induced"] == pytest.approx(found["cl"] ** 2 / (np.pi * aspect), rel=0.03)


@pytest.mark.long
@pytest.mark.flow
@pytest.mark.no_sanitizer
@pytest.mark.filterwarnings("ignore:.*cd_induced:RuntimeWarning")
def test_a_wing_that_is_twisted_as_a_whole_stands_at_that_incidence():
    """Rings turn with the wing up to some five chords from it, and not at the far field, which
    is a cylinder: the loads of both meshes differ by 1e-4 on 10 thousand nodes."""
    results = []
    for twist, alpha in ((0.0, 3.0), (3.0, 0.0)):
        rows = [Station(y, 1.0, twist_deg=twist) for y in (0.0, 3.0)]
        mesh = km.mesh.wing("naca0012", 10_000, stations=rows)
        results.append(steady(mesh, 3.0, 0.3, alpha, 1e-5).summary["result"])

    for name in ("cl", "cd", "cd_induced", "cm_bending"):
        assert results[1][name] == pytest.approx(results[0][name], rel=1e-3), name


@pytest.mark.slow
@pytest.mark.flow
@pytest.mark.filterwarnings("ignore:.*cd_induced:RuntimeWarning")
def test_a_twisted_tapered_wing_has_the_lift_of_a_vortex_lattice_along_its_span(tmp_path):
    """Within 3 % up to 95 % of the span, and everywhere within 1 % of the largest load.

    The lattice is of thin sections, whose slope is that of NACA 0012 in a plane flow, from its
    conformal map, and ends at the span; the mesh has a cap of 0.018 chords beyond it.
    """
    mesh = km.mesh.wing("naca0012", 120_000, span=4.0, taper=0.5, sweep_deg=10.0, twist_deg=-4.0)
    found = steady(mesh, 3.0, out=tmp_path / "run").spanwise(stations=81)
    slope = 4 * circle_map(section("naca0012")).scale

    y, cl = tapered(4.0, 0.5, 10.0, -4.0, 4.0, parts=80, across=1, slopes=slope)

    inner, outer = y < 0.95 * 4.0, y < 0.99 * 4.0
    np.testing.assert_allclose(np.interp(y, found.y, found.cl)[inner], cl[inner], rtol=0.03)
    load = cl * (1 - 0.125 * y)
    apart = np.interp(y, found.y, found.c_cl) - load
    assert np.abs(apart[outer]).max() < 0.01 * load.max()
