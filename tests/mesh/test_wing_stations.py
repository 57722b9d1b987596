"""Wings with twist, dihedral, kinks and another section at the tip: outline, cells, refusals."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import ArgumentError, CloudError, MeshError
from kinemesh.mesh import Section, Station, section
from kinemesh.mesh.generate.wings import planform
from kinemesh.mesh.generate.wings.elliptic import blended, rings
from kinemesh.mesh.generate.wings.outline import LIMITS, TWISTING, wing_of
from solid_cases import stream
from solid_metrics import areas

KINKED = [  # a straight inner panel, a swept outer one, and a tip that is raised and turned down
    Station(0.0, 1.0, twist_deg=2.0),
    Station(1.1, 0.9, x=0.05, z=0.02, twist_deg=1.0),
    Station(2.6, 0.45, x=0.7, z=0.3, twist_deg=-3.0),
]
STEEP = {"span": 0.5, "twist_deg": -45.0, "dihedral_deg": 45.0, "sweep_deg": -60.0,
         "twist_about": 1.0}  # fmt: skip
FLAT = [{"y": own.y, "chord": own.chord, "x": own.x, "z": own.z} for own in KINKED]


def made(nodes=10_000, **more):
    """Places (stations, rings, around, 3) of the block about a wing, its outline and sections."""
    wing = wing_of(more.pop("section", "naca0012"), None, "", **more)
    block = planform.block_of(wing, nodes, 20.0, 0.6)
    return block.place, wing


def test_a_tapered_wing_is_that_of_two_stations():
    x, z = 2.0 * np.tan(np.radians([20.0, 5.0]))
    ends = [Station(0.0, 1.0), Station(2.0, 0.5, x, z, -4.0, "naca0018")]

    one = km.mesh.wing("naca2412", 10_000, span=2.0, taper=0.5, sweep_deg=20.0, dihedral_deg=5.0,
                       twist_deg=-4.0, tip_section="naca0018")  # fmt: skip
    other = km.mesh.wing("naca2412", 10_000, stations=ends)

    np.testing.assert_allclose(one.points, other.points, rtol=0, atol=1e-13 * 20)


def test_planform_and_span_are_those_of_the_stations():
    """Seen along z the wing is a polygon, whose corners are nodes."""
    mesh = km.mesh.wing("naca0012", 10_000, stations=FLAT)
    faces = mesh.points[mesh.boundaries["wing"]]
    S = areas(faces[:, :3]) + areas(faces[:, [0, 2, 3]])
    cap = 0.6 * 0.45 * rings(section("naca0012"), 40, 13, 20.0).half_thickness

    exact = 1.1 * (1.0 + 0.9) / 2 + 1.5 * (0.9 + 0.45) / 2

    assert faces[..., 1].max() == pytest.approx(2.6 + cap, rel=1e-12)
    assert 0.5 * np.abs(S[:, 2]).sum() == pytest.approx(exact + 0.45 * cap, rel=1e-12)


@pytest.mark.parametrize("about", [0.25, 0.0, 0.7])
def test_stations_have_their_chord_place_and_twist(about):
    place, _ = made(stations=KINKED, twist_about=about)
    half = place.shape[2] // 2

    for own in KINKED:
        (k,) = np.flatnonzero(place[:, 0, 0, 1] == own.y)
        tail, nose = (place[k, 0, i, [0, 2]] @ [1, 1j] for i in (0, half))
        turn = np.exp(-1j * np.radians(own.twist_deg))
        axis = own.x + 1j * own.z + about * own.chord
        assert tail == pytest.approx(axis + (1 - about) * own.chord * turn, abs=1e-12)
        assert nose == pytest.approx(axis - about * own.chord * turn, abs=1e-12)


def test_between_stations_chord_nose_and_twist_are_linear():
    outline = wing_of("naca0012", None, "", stations=KINKED).outline
    y = np.array([0.0, 0.55, 1.1, 1.85, 2.6, 3.0])

    np.testing.assert_allclose(outline.chord(y), [1, 0.95, 0.9, 0.675, 0.45, 0.45], rtol=1e-14)
    x = [0, 0.025, 0.05, 0.375, 0.7, 0.7]
    np.testing.assert_allclose(outline.nose(y), x + 1j * np.array([0, 0.01, 0.02, 0.16, 0.3, 0.3]))
    np.testing.assert_allclose(np.degrees(outline.twist(y)), [2, 1.5, 1, -1, -3, -3], atol=1e-13)


def test_a_wing_without_twist_is_flat_to_the_bit():
    plain = km.mesh.wing("naca0012", 10_000, span=2.0)
    same = km.mesh.wing("naca0012", 10_000, span=2.0, twist_deg=0.0, dihedral_deg=0.0,
                        twist_about=0.6, tip_section="naca0012")  # fmt: skip

    np.testing.assert_array_equal(plain.points, same.points)
    assert (plain.points[plain.boundaries["wing"]][:, 0, 2] == 0).any()


@pytest.mark.parametrize(("one", "other"), [("naca0012", "naca0018"), ("oneram6", "naca64a010")])
@pytest.mark.parametrize("share", [0.25, 0.5])
def test_sections_between_have_the_mean_thickness_at_each_share_of_the_chord(one, other, share):
    ends = [rings(section(name), 60, 19, 20.0) for name in (one, other)]
    found = blended(*ends, share)
    z = 0.5 + 0.5 * np.cosh(found.length[0] + 1j * found.angle[0])

    def half(name, x):
        curve = section(name).points(np.linspace(0.5, 0.0, 40_001))
        return np.interp(np.sqrt(x), np.sqrt(curve[:, 0]), curve[:, 1])

    upper = z[1 : len(z) // 2]
    exact = (1 - share) * half(one, upper.real) + share * half(other, upper.real)
    np.testing.assert_allclose(upper.imag, exact, rtol=0, atol=1e-7)  # of the lists' spacing
    np.testing.assert_allclose(z[1:].imag, -z[:0:-1].imag, rtol=0, atol=1e-12)


def test_a_cambered_section_goes_over_into_a_symmetric_one():
    place, _ = made(section="naca4412", tip_section="naca0018", span=2.0)
    k = int(np.argmin(np.abs(place[:, 0, 0, 1] - 1.0)))
    share = place[k, 0, 0, 1] / 2.0
    wall = place[k, 0, :, [0, 2]].T

    def sides(name):
        return section(name).points(np.linspace(0, 0.5, 4001))[::-1], section(name).points(
            np.linspace(0.5, 1, 4001)
        )

    for side, x_z in enumerate((wall[3:18], wall[-17:-2])):
        x, z = x_z.T
        exact = sum(
            w * np.interp(x, *sides(name)[side].T)
            for name, w in (("naca4412", 1 - share), ("naca0018", share))
        )
        np.testing.assert_allclose(z, exact, rtol=0, atol=2e-4)  # chord lines turned by 0.2 degrees


@pytest.mark.long
@pytest.mark.parametrize(("cells", "given"), [
    ("hexes", {"section": "naca4412", "span": 1.0, "taper": 2.0, "twist_deg": 45.0}),
    ("hexes", {"stations": KINKED, "section": "naca2424"}),
    ("hexes", STEEP),
    ("tets", STEEP),
])  # fmt: skip
def test_cells_bear_the_most_that_is_taken(cells, given):
    mesh = km.mesh.wing(nodes=10_000, cells=cells, **given)

    assert km.mesh.quality(mesh).min_share > 0.25  # 0.28 to 1; of the plain wing 0.34


@pytest.mark.long
def test_a_uniform_stream_is_kept_about_a_twisted_wing():
    mesh = km.mesh.wing(nodes=10_000, section="naca4412", stations=KINKED)
    settings = km.AleSettings(steady_iterations=3, steady_drop=1e-300)
    case = km.Ale(mesh, mach=0.4, alpha_deg=7.0, walls=[], far=["wing", "farfield"],
                  device="cpu", settings=settings)  # fmt: skip

    case.steady()

    assert np.abs(case.primitive() - stream(0.4, 7.0)).max() < 1e-12


def test_the_nodes_of_a_wing_with_stations_are_those_of_the_cloud():
    mesh = km.mesh.wing("naca0012", 20_000, stations=KINKED)
    cloud = km.cloud.wing("naca0012", 20_000, stations=KINKED)

    np.testing.assert_array_equal(mesh.points, cloud.points)


def row(k, **more):
    """Stations with other numbers for one of them."""
    rows = [dict(own) for own in FLAT]
    rows[k] |= more
    return {"stations": rows}


DIAMOND = Section("diamond", lambda u: (np.interp(u, [0, .25, .5, .75, 1], [1, .5, 0, .5, 1])
                  + 1j * np.interp(u, [0, .25, .5, .75, 1], [0, .05, 0, -.05, 0]), np.ones(len(u))),
                  0.0, symmetric=True)  # fmt: skip
BAD = {
    "much twist": ({"twist_deg": 45.1}, r"twist_deg = 45\.1, expected -45 to 45"),
    "much twist of a station": (row(2, twist_deg=-46), r"stations\[2\].twist_deg = -46, expected"),
    "twist at once": ({"twist_deg": 45.0, "span": 0.49}, r"over a span of 0\.49 is 91\.84 degrees "
                      "a root chord of span, expected at most 90: cells between"),
    "twist between": (row(1, y=0.3, twist_deg=28), r"from stations\[0\] to stations\[1\] the twist "
                      r"changes by 93\.33"),
    "twist of nan": ({"twist_deg": float("nan")}, "twist_deg = nan, expected -45"),
    "twist as text": ({"twist_deg": "2"}, "twist_deg = '2', expected -45 to 45"),
    "dihedral": ({"dihedral_deg": 46}, "dihedral_deg = 46, expected -45 to 45"),
    "dihedral of a panel": (row(2, z=1.6), r"stations\[2\] the leading edge has a dihedral of 46"),
    "sweep of a panel": (row(1, x=4.0), r"stations\[1\] the leading edge has a sweep of 74\.62"),
    "axis": ({"twist_about": 1.5}, r"twist_about = 1\.5, expected 0 to 1"),
    "one station": ({"stations": FLAT[:1]}, "stations = .*expected two or more"),
    "no stations": ({"stations": 3}, "stations = 3, expected two or more"),
    "rows of numbers": ({"stations": [(0, 1), (2, 1)]}, "expected two or more, each with y and ch"),
    "order": (row(1, y=2.6), r"stations\[2\].y = 2\.6, expected more than that of .* before, 2\.6"),
    "chord": (row(1, chord=0.0), r"stations\[1\].chord = 0\.0, expected 0\.1 to 2"),
    "negative chord": (row(2, chord=-1), r"stations\[2\].chord = -1, expected 0\.1 to 2"),
    "y of nan": (row(1, y=float("nan")), r"stations\[1\].y = nan, expected a finite number"),
    "infinite": (row(1, z=float("inf")), r"stations\[1\].z = inf, expected a finite number"),
    "a huge integer": (row(1, x=10**400), r"stations\[1\].x = 10+, expected a finite number"),
    "a truth value": (row(1, y=True), r"stations\[1\].y = True, expected a finite number"),
    "key": (row(1, twist=2.0), r"stations\[1\]: unknown key 'twist'; did you mean 'twist_deg'"),
    "no chord": ({"stations": [{"y": 0.0}, FLAT[1]]}, r"stations\[0\] lacks chord"),
    "root": (row(0, y=0.1), r"stations\[0\].y = 0\.1, expected 0: the root's leading edge is"),
    "units": (row(0, chord=2.0), r"stations\[0\].chord = 2\.0, expected 1: .* divide all lengths"),
    "both": ({"stations": FLAT, "taper": 0.5}, "taper and stations are given, expected one of the"),
    "short": ({"stations": [*FLAT[:1], {"y": 0.09, "chord": 1.0}]},
              r"stations\[1\].y = 0\.09, expected 0\.1 to 50"),
    "blunt tip": ({"tip_section": section("naca0012", "open")}, "'naca0012' has a trailing edge"),
    "blunt station": (row(2, section=section("naca0012", "open")), "a trailing edge of 0.00252"),
    "corners": ({"tip_section": DIAMOND}, r"'diamond' has 2 corners and 'naca0012' 1, expected as"),
    "near stations": (
        {"stations": [FLAT[0], FLAT[1], {"y": 1.13, "chord": 0.9, "x": 0.05}, FLAT[2]]},
        r"stations\[1\] and stations\[2\] are too near to one another for the 9 steps from root",
    ),
    "many stations": (
        {"stations": [{"y": 0.2 * k, "chord": 1.0} for k in range(15)]},
        r"too near to one another for the 9 steps from root to tip of this many nodes",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("given", "message"), BAD.values(), ids=BAD)
def test_wrong_outlines_are_refused(given, message):
    with pytest.raises(MeshError, match=message):
        km.mesh.wing(nodes=10_000, **given)


def test_clouds_refuse_them_in_their_own_words():
    with pytest.raises(CloudError, match=r"stations\[1\].chord = 0\.0, expected 0\.1 to 2"):
        km.cloud.wing(points=20_000, **row(1, chord=0.0))
    with pytest.raises(CloudError, match=r"too near .* of this many points"):
        km.cloud.wing(points=20_000, **BAD["many stations"][0])


@pytest.mark.filterwarnings("ignore:.*inside out")
@pytest.mark.parametrize(("cells", "given"), [
    ("tets", {"span": 2.0, "taper": 0.1}),
    ("hybrid", {"span": 0.5, "taper": 2.0, "twist_deg": 45.0, "twist_about": 0.0}),
])  # fmt: skip
def test_cells_too_warped_to_be_split_are_told_in_words_of_the_wing(cells, given):
    with pytest.raises(
        MeshError, match=f"wing: cells = '{cells}' overlap, .*; take cells = 'hexes"
    ):
        km.mesh.wing("naca0012", 10_000, cells=cells, **given)


def test_the_limits_are_taken():
    """Close on the other side of what is refused above."""
    ends = [*FLAT[:1], {"y": 0.5, "chord": 1.0, "twist_deg": 0.5 * TWISTING}]
    outline = wing_of("naca0012", None, "", stations=ends).outline
    assert np.degrees(outline.twist(np.array([0.5])))[0] == pytest.approx(LIMITS["twist_deg"][1])
    near = [FLAT[0], FLAT[1], {"y": 1.25, "chord": 0.9, "x": 0.05}, FLAT[2]]
    place, _ = made(stations=near)
    assert {0.0, 1.1, 1.25, 2.6} <= set(place[:, 0, 0, 1])


def test_the_m6_has_no_twist_and_no_stations():
    for name, value in (("twist_deg", 2.0), ("stations", KINKED), ("tip_section", "naca0012")):
        with pytest.raises(MeshError, match=f"oneram6: {name} = .*, and the ONERA M6 has none;"):
            km.mesh.oneram6(10_000, **{name: value})


def test_an_unknown_number_of_a_station_is_named():
    with pytest.raises(ArgumentError, match=r"Station: unknown argument 'twist'.*'twist_deg'"):
        Station(0.0, 1.0, twist=2.0)
