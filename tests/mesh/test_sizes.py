"""Sizes of bodies, reference lengths of coefficients, and points outside of all bodies."""

import warnings
from types import SimpleNamespace

import kinemesh as km
import numpy as np
import pytest
from kinemesh.flow.door import sizes
from kinemesh.flow.door.sizes import beyond
from kinemesh.mesh.extents import Body, Walls, is_round, longest, word_of_unit
from kinemesh.mesh.origin import of_section
from kinemesh.overset.parts import Parts
from scipy.spatial.distance import pdist
from solver_cases import Ellipse, bodies, square

FEW = km.AleSettings(steady_iterations=3)
STREAM = {"mach": 0.5, "alpha_deg": 2.0, "device": "cpu"}


@pytest.fixture(scope="module")
def mesh():
    return km.mesh.airfoil("naca0012", nodes=520, far_field=10)


def small(mesh, size=0.3):
    """The mesh with its section that long."""
    return mesh.transformed(size * mesh.points)


def build(mesh, **more):
    return km.Ale(mesh, **(STREAM | {"settings": FEW} | more))


def said(make):
    """Texts of a call's warnings."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        make()
    return [str(warning.message) for warning in told]


# ---------------------------------------------------------------- what is measured


def test_the_longest_distance_is_that_of_all_pairs():
    points = np.random.default_rng(1).normal(size=(60, 2))

    assert longest(points) == pdist(points).max()
    assert longest(np.outer(np.arange(5.0), [3.0, 4.0])) == pytest.approx(20.0)  # on a line


@pytest.mark.parametrize("turn", [0.0, np.pi / 4])
@pytest.mark.parametrize(("width", "good"), [(0.981, True), (0.979, False)])
def test_round_bodies_have_widths_within_two_per_cent(width, turn, good):
    angle = np.arange(400) * np.pi / 200
    x, y = np.cos(angle), np.sin(angle)
    assert is_round(np.column_stack([x, width * y])) is good
    corner = np.array([(1, 1), (1, -1), (-1, -1), (-1, 1)])
    c, s = np.cos(turn), np.sin(turn)
    assert not is_round(corner @ [[c, s], [-s, c]])


def test_the_unit_is_a_diameter_where_all_bodies_as_long_are_round():
    zero = np.zeros(2)

    def own(size, is_one):
        return Body("body", size, zero, zero, round=is_one)

    assert word_of_unit([own(1.0, True), own(0.2, False)]) == "diameter"
    assert word_of_unit([own(1.019, True)]) == "diameter"
    assert word_of_unit([own(1.021, True)]) == "chord"
    assert word_of_unit([own(2.0, True)], 2.0) == "diameter"
    assert word_of_unit([own(1.0, True), own(1.0, False)]) == word_of_unit([]) == "chord"
    (sphere,) = Walls.of(km.mesh.sphere(nodes=1500), ["sphere"]).bodies
    assert (sphere.round, word_of_unit([sphere])) == (True, "diameter")


def test_bodies_are_closed_curves_of_walls_whatever_their_markers():
    mesh = bodies({"a": Ellipse((-1.0, 0.0)), "b": Ellipse((1.0, 0.0), (0.2, 0.1))})
    one = {"all": np.concatenate([mesh.boundaries["a"], mesh.boundaries["b"]])}
    both = km.mesh.Mesh(mesh.points, mesh.triangles, mesh.quads,
                        one | {"farfield": mesh.boundaries["farfield"]})  # fmt: skip

    found = Walls.of(mesh, ["a", "b"])
    again = Walls.of(both, ["all"])

    assert [body.name for body in found.bodies] == ["a", "b"]
    assert [body.size for body in found.bodies] == pytest.approx([1.0, 0.4], rel=1e-12)
    assert {body.size for body in again.bodies} == {body.size for body in found.bodies}
    assert [body.name for body in again.bodies] == ["all", "all (2)"]
    np.testing.assert_allclose(found.bodies[1].low, [0.8, -0.1])
    assert Walls.of(mesh, ["farfield"]).bodies == []
    assert Walls.of(mesh, ["farfield"]).loose == ["farfield"]


def test_a_half_model_is_measured_too():
    """A bump on a line of symmetry."""
    mesh = square(10)
    shifted = mesh.points.copy()
    low = np.isclose(mesh.points[:, 1], -1.0) & (np.abs(mesh.points[:, 0]) < 0.25)
    shifted[low, 1] += 0.05
    edges = mesh.boundaries["farfield"]
    x, y = shifted[edges].mean(axis=1).T
    on = {"foil": (y < -0.9) & (abs(x) < 0.4), "symmetry": (y < -0.9) & (abs(x) > 0.4)}
    on["far"] = ~(on["foil"] | on["symmetry"])
    half = km.mesh.Mesh(shifted, mesh.triangles, mesh.quads, {n: edges[o] for n, o in on.items()})

    found = Walls.of(half, ["foil", "symmetry"])

    assert [(body.name, body.low[0], body.high[0]) for body in found.bodies] == [
        ("foil", pytest.approx(-0.4), pytest.approx(0.4))
    ]
    assert found.loose == ["symmetry"]
    with pytest.raises(km.MeshError, match=r"foil is 0\.8 long"):
        build(half, walls=["foil", "symmetry"], far=["far"])
    plate = half.transformed(mesh.points + 1e-12 * (shifted - mesh.points))  # a height of rounding
    assert Walls.of(plate, ["foil", "symmetry"]).bodies == []


# ---------------------------------------------------------------- the chord of one body


@pytest.mark.parametrize("space", [lambda m: m, km.Cloud.from_mesh], ids=["mesh", "cloud"])
def test_a_section_of_another_chord_is_refused_until_it_is_said(mesh, space):
    solver = km.Ale if space(mesh) is mesh else km.Meshless
    message = (
        r"member 0: airfoil is 0\.3 long \(x 0 to 0\.3, y -0\.018\d* to 0\.018\d*\), expected a "
        r"chord of 1, .*read\(path, chord=its length in the units of the file\).* "
        r"or say by chord=0\.3 .*, or by chord=1 that 1 is meant"
    )

    with pytest.raises(km.MeshError, match=message):
        solver(space(small(mesh)), **STREAM)
    made = solver(space(small(mesh)), chord=0.3, moment_about=(0.075, 0.0), **STREAM)
    assert made.reference == (0.3, 0.3)
    assert made.notes == []


@pytest.mark.parametrize(
    ("size", "good"), [(0.979, False), (0.981, True), (1.019, True), (1.021, False)]
)
def test_two_per_cent_are_the_section_s_own(mesh, size, good):
    if good:
        build(small(mesh, size))
        return
    with pytest.raises(km.MeshError, match="expected a chord of 1"):
        build(small(mesh, size))


@pytest.mark.filterwarnings("ignore:member 0. stopped at its limit:RuntimeWarning")
def test_coefficients_refer_to_the_chord_that_is_said(mesh):
    """The flow about a section of a quarter of the chord is the same flow, in other lengths."""
    whole = build(mesh, moment_about=(0.3, 0.1)).steady()
    quarter = build(small(mesh, 0.25), chord=0.25, moment_about=(0.075, 0.025)).steady()

    for name in ("cl", "cd", "cm"):
        one, other = whole.summary["result"][name], quarter.summary["result"][name]
        assert other == pytest.approx(one, rel=1e-9)  # rounding; in the mesh by powers of two
        assert abs(one) > 1e-3
    assert quarter.summary["conditions"]["chord"] == 0.25
    assert quarter.summary["mesh"]["bodies"]["airfoil"]["length"] == 0.25


@pytest.mark.flow
@pytest.mark.long
@pytest.mark.parametrize(
    "motion",
    [lambda c: km.motion.pitch(2.0, 0.2, about=(0.25 * c, 0.0), chord=c),
     lambda c: km.motion.plunge(0.1 * c, 0.2, chord=c)],
    ids=["pitch", "plunge"],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:member 0:RuntimeWarning")
def test_work_and_derivatives_refer_to_the_chord_that_is_said(mesh, motion):
    found = []
    for c, given in ((1.0, {}), (0.25, {"chord": 0.25})):
        case = build(small(mesh, c), motion=motion(c), deform=km.deform.Rigid(), settings=None,
                     moment_about=(0.3 * c, 0.0), **given)  # fmt: skip
        found.append(case.run(cycles=1, steps_per_cycle=8).summary["result"])

    for name in ("work", "damping"):
        assert found[1][name] == pytest.approx(found[0][name], rel=1e-9)
        assert abs(found[0][name]) > 1e-4
    for name, value in found[0]["derivatives"].items():
        assert found[1]["derivatives"][name] == pytest.approx(value, rel=1e-9)


def test_a_motion_s_chord_is_that_of_the_case(mesh):
    pitch = {"amplitude_deg": 1.0, "k": 0.1, "about": (0.1, 0.0)}
    stated = {"chord": 0.3, "moment_about": (0.1, 0.0)}

    with pytest.raises(
        km.SettingsError, match=r"frequency of Pitch\(.* refers to a chord of 1, .*0\.3"
    ):
        build(small(mesh), motion=km.motion.pitch(**pitch), **stated)
    both = km.motion.pitch(**pitch, chord=0.3) + km.motion.plunge(0.1, 0.1)
    with pytest.raises(
        km.SettingsError, match=r"frequency of Plunge\(.* give the motion chord=0\.3"
    ):
        build(small(mesh), motion=both, **stated)
    moved = build(small(mesh), motion=km.motion.pitch(**pitch, chord=0.3), **stated)
    whole = build(mesh, motion=km.motion.pitch(1.0, 0.1))
    assert moved.motions[0].period(0.5) == pytest.approx(0.3 * whole.motions[0].period(0.5))


def test_a_stated_chord_that_is_not_the_body_s_is_said(mesh):
    told = said(lambda: build(mesh, chord=0.5, moment_about=(0.2, 0.0)))

    assert len(told) == 1
    assert told[0].startswith("member 0: the chord is said to be 0.5, and airfoil is 1 long (x 0 ")


def test_no_chord_is_asked_for_where_there_is_no_section_or_several():
    two = bodies({"a": Ellipse((-1.0, 0.0)), "b": Ellipse((1.0, 0.0), (0.2, 0.1))})

    assert build(two).markers.measured[0].bodies[1].size == pytest.approx(0.4)
    assert build(two, walls=[]).markers.measured[0].bodies == []


def test_several_bodies_in_other_units_are_told():
    two = bodies({"a": Ellipse((-1.0, 0.0)), "b": Ellipse((1.0, 0.0), (0.2, 0.1))})
    large = two.transformed(1000 * two.points)

    told = said(lambda: build(large, moment_about=(250.0, 0.0)))
    assert [text.split(" (x -1500 to ")[0] for text in told] == [
        "member 0: the largest of 2 bodies: a is 1000 long"
    ]
    assert said(lambda: build(large, chord=1000.0, moment_about=(250.0, 0.0))) == []
    assert said(lambda: build(two)) == []


@pytest.mark.parametrize("name", ["naca0012", "naca9140", "naca64a010", "oneram6"])
def test_sections_by_name_have_their_chord_whatever_their_nose(name):
    """The nose of NACA 9140 lies 5 per cent of the chord before its camber line begins."""
    if name != "naca9140":  # too thick for a mesh
        assert km.mesh.airfoil(name, nodes=520).origin.chord == 1.0
        assert km.Cloud.from_mesh(km.mesh.airfoil(name, nodes=520)).renumbered().origin.chord == 1.0
    assert of_section(name).chord == 1.0


def test_a_section_from_a_file_is_measured(tmp_path):
    u = np.linspace(0, 1, 81)
    points = 0.95 * km.mesh.section("naca0012").points(u)
    path = tmp_path / "short.dat"
    path.write_text("short\n" + "\n".join(f"{x} {y}" for x, y in points))

    with pytest.raises(km.MeshError, match=r"airfoil is 0\.95 long"):
        build(km.mesh.airfoil(str(path), nodes=520))
    with pytest.raises(km.MeshError, match=r"airfoil is 0\.95 long"):
        km.Meshless(km.cloud.airfoil(path, points=520), **STREAM)


@pytest.mark.filterwarnings("ignore:member 0. stopped at its limit:RuntimeWarning")
@pytest.mark.parametrize("given", ["scale", "chord"])
def test_a_mesh_in_other_units_is_read_as_one_in_chords(mesh, tmp_path, given):
    """The bar: an SU2 mesh scaled by 0.3 has the right loads, or is refused."""
    km.mesh.write(small(mesh), tmp_path / "m.su2")
    factor = {"scale": 1 / 0.3, "chord": 0.3}[given]

    with pytest.raises(km.MeshError, match="expected a chord of 1"):
        build(km.mesh.read(tmp_path / "m.su2"))
    read = km.mesh.read(tmp_path / "m.su2", **{given: factor})
    run, want = build(read).steady(), build(mesh).steady()

    np.testing.assert_allclose(read.points, mesh.points, rtol=4e-16, atol=1e-17)
    assert run.summary["result"]["cl"] == pytest.approx(want.summary["result"]["cl"], rel=1e-9)
    assert run.summary["mesh"]["read"][0].startswith("coordinates of the file ")


def test_a_mesh_in_millimetres_is_told_its_chord_in_the_file(mesh, tmp_path):
    """Read with that chord in place of the scale, the mesh is taken."""
    km.mesh.write(small(mesh, 300.0), tmp_path / "m.su2")
    advice = r"read\(path, chord=300\) \(\[mesh\] chord in a case file\)"
    say = r", or say by chord={} \(\[flow\] chord\)"

    with pytest.raises(km.MeshError, match=r"300 long.*" + advice + say.format("300")):
        build(km.mesh.read(tmp_path / "m.su2"))
    told = r"0\.3 long.*" + advice + ", the length in the file, in place of scale"
    with pytest.raises(km.MeshError, match=told + say.format(r"0\.3")):
        build(km.mesh.read(tmp_path / "m.su2", scale=0.001))
    assert build(km.mesh.read(tmp_path / "m.su2", chord=300)).notes == []


def test_a_part_in_other_lengths_is_told_its_scale():
    """A part that is scaled, and one that is not; the scale that is told is taken."""
    wing = km.mesh.airfoil("naca0012", nodes=520, far_field=3.0, outer="overset")
    back = km.mesh.background((-8, 8, -8, 8), (-1, 2, -1, 1), 0.2)
    for scale, said in ((1000.0, " in place of 1000"), (1e-3, r" in place of 0\.001")):
        message = rf"wing is .* long .*give the part 'wing' by km\.Part\(mesh, scale=1\).*{said},"
        check_parts({"wing": km.Part(wing, scale=scale), "back": back}, message)
    long = wing.transformed(4.0 * wing.points)
    message = r"km\.Part\(mesh, scale=0\.25\) \(\[parts\.wing\] scale in a case file\), or"
    check_parts({"wing": long, "back": back}, message)
    check_parts({"wing": km.Part(long, scale=0.25), "back": back})


def check_parts(parts, message=None):
    """Check the sizes of the walls of parts without a solver; no message: they are taken."""
    made = Parts.of(parts)
    walls = Walls.of(made, made.of_role("body"))
    asked = SimpleNamespace(chord=None)
    if message is None:
        assert sizes.check([made], [walls], asked) == []
        return
    with pytest.raises(km.MeshError, match=message) as caught:
        sizes.check([made], [walls], asked)
    assert "km.mesh.read" not in str(caught.value)


def test_a_chord_that_is_not_the_section_s_is_refused_on_reading(mesh, tmp_path):
    km.mesh.write(small(mesh), tmp_path / "m.su2")

    with pytest.raises(
        km.MeshError, match=r"m\.su2: chord is 0\.29, and the body airfoil is 0\.3 l"
    ):
        km.mesh.read(tmp_path / "m.su2", chord=0.29)
    assert np.ptp(km.mesh.read(tmp_path / "m.su2", chord=0.297).points) > 1


# ---------------------------------------------------------------- loads, areas and points


def test_walls_that_are_no_bodies_are_told(mesh):
    """A tunnel, whose walls' loads are in the sums."""
    edges = dict(mesh.boundaries)
    low = mesh.points[edges["farfield"]].mean(axis=1)[:, 1] < 0
    edges["floor"], edges["sky"] = edges["farfield"][low], edges.pop("farfield")[~low]
    tunnel = km.mesh.Mesh(mesh.points, mesh.triangles, mesh.quads, edges)

    told = said(lambda: build(tunnel, walls=["airfoil", "floor"]))

    assert len(told) == 1
    assert "sums over all walls, and those of floor do not all close round bodies" in told[0]
    assert said(lambda: build(tunnel, far=["floor", "sky"])) == []


def test_a_reference_area_that_is_not_the_planform_is_told():
    """ONERA M6, whose area is tabulated; the measured one has the rounded tip too."""
    cloud = km.cloud.oneram6(20_000)
    area = 1.15315084
    flow = {"mach": 0.5, "device": "cpu", "reference_length": 0.8}

    assert Walls.of(cloud, ["wing"], ["symmetry"]).bodies[0].size == pytest.approx(area, rel=0.02)
    assert said(lambda: km.Meshless(cloud, reference_area=area, **flow)) == []
    told = said(lambda: km.Meshless(cloud, **flow))
    assert len(told) == 1
    assert "refer to an area of 1, and the planform of wing is 1.1" in told[0]
    assert "; give reference_area ([flow] in a case file) where" in told[0]
    (told,) = said(lambda: km.Meshless(cloud, reference_area=2 * area, **flow))
    assert "reference_area is 2.3063, and the planform of wing is 1.1" in told
    assert "; correct it" in told
    assert "give" not in told
    with pytest.raises(km.SettingsError, match=r"chord is 1, which is of the plane"):
        km.Meshless(cloud, chord=1.0, **flow)


@pytest.mark.long
@pytest.mark.parametrize(("solver", "make"), [
    (km.Ale, km.mesh.Mesh), (km.CellCentred, km.mesh.Mesh), (km.Meshless, km.Cloud),
])  # fmt: skip
def test_a_body_in_millimetres_is_told(solver, make):
    mesh = km.mesh.sphere(nodes=1500)
    short = mesh.transformed(1000 * mesh.points)
    space = short if make is km.mesh.Mesh else km.Cloud.from_mesh(short)
    unit = mesh if make is km.mesh.Mesh else km.Cloud.from_mesh(mesh)
    (body,) = Walls.of(short, ["sphere"]).bodies
    flow = {"mach": 0.3, "device": "cpu"}
    units, size = "other units, such as millimetres", f"sphere is of a planform of {body.size:.4g}"
    area, length = {"reference_area": body.size}, {"reference_length": 1000.0}

    for more in ({}, area, length):
        told = said(lambda more=more: solver(space, **flow, **more))
        assert sum(units in text and size in text and "scale=0.001" in text for text in told) == 1
        assert ", 1000 wide along y and" in "".join(told)
    told = said(lambda: solver(space, **flow, **area, **length))
    assert len(told) == 1
    assert "moment_about is at (0.25, 0), the default" in told[0]
    assert "whose reference length is 1000" in told[0]
    assert said(lambda: solver(space, **flow, **area, **length, moment_about=(0, 0))) == []
    assert not any(units in text for text in said(lambda: solver(unit, **flow)))


def test_a_body_in_space_that_was_read_with_a_scale_is_told_another(tmp_path):
    km.mesh.write(km.mesh.sphere(nodes=1500), tmp_path / "m.su2")
    mesh = km.mesh.read(tmp_path / "m.su2", scale=1000)

    told = said(lambda: km.Ale(mesh, mach=0.3, device="cpu"))
    assert sum("read(path, scale=...) in place of 1000 ([mesh] scale" in text for text in told) == 1


def test_the_distance_from_a_box():
    low, high = np.zeros(2), np.array([1.0, 0.1])

    assert beyond((0.5, 0.05), low, high) == 0
    assert beyond((4.0, 4.1), low, high) == pytest.approx(5.0)
    assert beyond((0.5, -2.0), low, high) == 2.0


FAR = {
    "moment": ({"moment_about": (250.0, 0.0)},
               "member 0: moment_about is at (250, 0), 249 chords from the body (x 0 to 1, y -0.0"),
    "pivot": ({"motion": km.motion.pitch(1.0, 0.1, about=(0.25, -1.2))},
              "member 0: the pivot of airfoil is at (0.25, -1.2), 1.1"),
    "default": ({"chord": 0.9, "moment_about": (0.25, 0.0)}, "about is at (0.25, 0), the def"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:member 0:RuntimeWarning")
@pytest.mark.parametrize(("given", "text"), FAR.values(), ids=FAR.keys())
def test_points_that_belong_to_no_body_are_told(mesh, given, text):
    there = small(mesh, given.get("chord", 1.0))

    told = said(lambda: build(there, **given))

    assert len(told) == 1
    assert text in told[0]
    with pytest.warns(RuntimeWarning, match="about|pivot") as named:
        km.Ale(there, **STREAM, **given)
    assert named[0].filename == __file__
    assert build(there, **given).steady().summary["warnings"][0] == told[0]


def test_points_near_a_body_are_not_told(mesh):
    pivot = km.motion.pitch(1.0, 0.1, about=(1.9, 0.0))
    two = bodies({"a": Ellipse((-1.0, 0.0)), "b": Ellipse((2.0, 0.0), (0.2, 0.1))})

    assert said(lambda: build(mesh, motion=pivot, moment_about=(-0.9, 0.0))) == []
    # one that all share, within what they span
    assert said(lambda: build(two, motion=km.motion.pitch(1.0, 0.1, about=(0.5, 0.0)))) == []
    alone = said(lambda: build(two, motion={"b": km.motion.pitch(1.0, 0.1, about=(0.5, 0.0))}))
    assert len(alone) == 1
    assert "pivot of b is at (0.5, 0), 1.3 chords" in alone[0]
