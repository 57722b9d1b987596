"""Axes of lengths are in chords whatever unit the mesh has, or say what they are in."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import figures
import kinemesh as km
import numpy as np
import pytest
from kinemesh.io import summary
from kinemesh.plot.units import unit_of
from made_up import folder
from test_invariance import KINDS, scaled

TITLE = "AGARD CT6: NACA 64A010 pitching 1.01 degrees at M 0.796, turbulent"  # the longest
CHORDS = (0.5, 1.0, 300.0)
SAME = 3e-4  # of an axis: chords in space are measured to 2e-4, by directions a degree apart
pytestmark = [
    pytest.mark.no_sanitizer,
    pytest.mark.filterwarnings("ignore"),  # of runs of few iterations
]


@pytest.fixture
def shown(monkeypatch):
    """Figures that are written: {name: [(labels and title, ends of the axes)]}, bars among them."""
    found = {}

    def look(figure, path):
        Path(path).touch()
        assert figures.empty(figure) == []
        if "300" in str(Path(path).parent.name):  # texts have places once a figure is laid out
            assert figures.overlaps(figure) == []
        found[Path(path).stem] = [
            (axes.get_xlabel(), axes.get_ylabel(), axes.get_title("left"),
             np.array([axes.get_xlim(), axes.get_ylim()]))
            for axes in figure.axes if axes.get_visible()
        ]  # fmt: skip

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", look)
    return found


def drawn(folder, shown):
    shown.clear()
    km.plot.from_directory(folder, complete=False)
    return dict(shown)


def assert_same(one, other, cloud):
    """Figures with the same words and ranges; the tetrahedra of a cloud that is cut, which are for
    display alone, may be others, as Delaunay's are not unique."""
    assert one.keys() == other.keys()
    for name in one:
        if cloud and name == "cut":
            continue
        for mine, theirs in zip(one[name], other[name], strict=True):
            assert mine[:3] == theirs[:3], name
            wide = np.ptp(mine[3], axis=1)
            assert (np.abs(mine[3] - theirs[3]).max(axis=1) <= SAME * wide).all(), name


@pytest.mark.long
@pytest.mark.flow
@pytest.mark.parametrize("kind", KINDS)
def test_figures_are_the_same_with_any_chord(kind, tmp_path, shown):
    own = KINDS[kind]
    few = {"steady_iterations": 2}
    each = {}
    slow = "space" in kind or kind in ("ale laminar", "ale turbulent")  # to draw and look through
    chords = CHORDS[1:] if slow else CHORDS
    for chord in chords:
        case = own.made(scaled(own.given(), chord), few)
        case.steady(out=tmp_path / f"{chord:g}")
        summary.update(tmp_path / f"{chord:g}" / "summary.json", case={"title": TITLE})
        each[chord] = drawn(tmp_path / f"{chord:g}", shown)
        if kind in ("ale laminar", "incompressible"):
            moving = own.made(scaled(own.given(), chord), device="cpu")
            moving.run(time_step=0.01 * chord, steps=2, out=tmp_path / f"{chord:g}-time")
            of_time = drawn(tmp_path / f"{chord:g}-time", shown)
            each[chord] |= {f"{name} by time": own for name, own in of_time.items()}

    for chord in chords:
        assert_same(each[1.0], each[chord], own.solver == "meshless")
    labels = {text for axes in each[300.0].values() for own in axes for text in own[:2]}
    assert any("/c" in text or "/d" in text or "chord" in text for text in labels)


@pytest.mark.long
@pytest.mark.flow
def test_coordinates_on_springs_are_the_same_with_any_chord(tmp_path, shown):
    ring, each = km.mesh.cylinder(640, around=40, wall_spacing=0.05, far_field=8.0), {}
    for chord in (0.3, 1.0, 2.5):
        body = km.structure.Cylinder(2, 5)
        case = km.Incompressible(
            ring.transformed(chord * ring.points), reynolds=100.0, stream=0, structure=body,
            chord=chord, device="cpu",
        )  # fmt: skip
        out = tmp_path / f"{chord:g}"
        case.run(time_step=0.05 * chord, steps=8, kick={"shift": 0.05}, out=out)
        each[chord] = {"coordinates": drawn(out, shown)["coordinates"]}

    for chord in (0.3, 2.5):
        assert_same(each[1.0], each[chord], False)
    ((time, shift, _, ends),) = each[1.0]["coordinates"]
    assert (time, shift) == ("time [diameter/U]", "shift $y/d$")
    assert ends[0, 1] == pytest.approx(0.4, rel=0.05)  # the time of eight steps
    assert 0.05 <= ends[1, 1] < 0.06  # the kick


def ring_of(path, size, chord):
    """A made-up run about a circle of diameter 1, in a mesh of another unit."""
    made = folder(path / f"{size:g}-{chord}")
    import h5py

    with h5py.File(made / "flow.vtkhdf", "r+") as file:
        file["VTKHDF/Points"][...] *= size
    conditions = summary.read(made / "summary.json")["conditions"]
    length = {"chord": chord, "reference_length": chord or 1.0}
    summary.update(made / "summary.json", conditions=conditions | length)
    return made


def test_lengths_of_a_mesh_are_divided_by_the_chord_or_say_what_they_are(tmp_path, shown):
    one = drawn(ring_of(tmp_path, 1.0, None), shown)["mach"][0]
    other = drawn(ring_of(tmp_path, 300.0, 300.0), shown)["mach"][0]
    untold = drawn(ring_of(tmp_path, 300.0, None), shown)["mach"][0]

    assert one[:2] == other[:2] == ("$x/d$", "$y/d$")  # of a circle
    assert np.abs(one[3] - other[3]).max() < SAME
    assert untold[:2] == (r"$x/\ell$, $\ell$: reference length", r"$y/\ell$")
    assert untold[3] == pytest.approx(300 * one[3], rel=SAME)


@pytest.mark.parametrize(
    ("size", "chord", "label", "largest"),
    [
        (1.0, None, "$h/d$", 0.5),
        (300.0, 300.0, "$h/d$", 0.5 / 300),
        (300.0, None, r"$h/\ell$, $\ell$: reference length", 0.5),
    ],
)
def test_shifts_over_a_cycle_are_in_the_unit_of_the_other_figures(
    size, chord, label, largest, tmp_path
):
    loop = km.open(ring_of(tmp_path, size, chord)).loop()
    moved = replace(loop.flapping, h=0.5 * np.sin(np.radians(loop.phase_deg)))
    still = replace(loop, flapping=moved, alpha_deg=0 * loop.alpha_deg)

    axes = km.plot.cycle(still).axes[0]

    assert axes.get_ylabel() == label
    assert np.abs(axes.lines[0].get_ydata()).max() == pytest.approx(largest)


def body(mesh):
    """A flow about a body in space, as far as its unit goes."""
    (faces,) = [faces for name, faces in mesh.boundaries.items() if name in ("sphere", "airfoil")]
    rows = {"body": np.arange(len(faces))}
    return SimpleNamespace(points=mesh.points, walls=faces[:, :3], bodies=rows)


def test_bodies_in_space_with_round_sections_have_a_diameter():
    sphere, section = km.mesh.sphere(nodes=1500), km.mesh.airfoil("naca0012", 500, 6.0)
    wing = body(km.mesh.extruded(section, span=1.0, layers=1))
    run = SimpleNamespace(summary={"conditions": {"reference_length": 1.0}})
    other = SimpleNamespace(summary={"conditions": {"reference_length": 2.0}})

    assert [unit_of(run, flow).word for flow in (body(sphere), wing)] == ["diameter", "chord"]
    assert unit_of(other, body(sphere)).word == "reference length"
