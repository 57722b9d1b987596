"""The connectivity of a case at a time of its motions: numbers, picture, and nothing changed."""

from dataclasses import replace
from types import SimpleNamespace

import kinemesh as km
import numpy as np
import pytest
from kinemesh.mesh import Mesh
from kinemesh.overset.report import _warn
from kinemesh.overset.watch import Watch
from overset_parts import background, ring

PLUNGE = km.motion.plunge(amplitude=0.6, k=0.8)  # lowest at three quarters of a period
LOWEST = 0.75 * np.pi / 0.8


def body():
    """A ring whose nodes are numbered at random in its file."""
    mesh = ring(outer=1.8)
    number = np.random.default_rng(3).permutation(mesh.nodes)
    points = np.empty_like(mesh.points)
    points[number] = mesh.points
    sides = {name: number[edges] for name, edges in mesh.boundaries.items()}
    return Mesh.from_arrays(points, number[mesh.quads], sides)


def case(motion=PLUNGE, own=None, **given):
    parts = {"body": own or body(), "back": background(half=5.0, spacing=0.1, core=2.5)}
    moves = [{"body": m} for m in motion] if isinstance(motion, list) else {"body": motion}
    return km.Incompressible(parts, reynolds=100.0, motion=moves, device="cpu", **given)


def state(made):
    """All arrays that a step begins with."""
    grid, get = made.grid, made.backend.get
    arrays = made.kept(levels=True) | grid.levels()
    found = {name: get(array) for name, array in arrays.items()}
    placed = [get(array) for array in made.parts.connectivity.found]
    return found | {f"connectivity {k}": array for k, array in enumerate(placed)}


@pytest.fixture(scope="module")
def made():
    return case()


def test_parts_stand_where_the_motion_has_them(made):
    low = made.connectivity(time=LOWEST)

    own = body()
    np.testing.assert_allclose(low.parts["body"].points, own.points - (0, 0.6), atol=1e-14)
    hidden = low.parts["back"].points[low.iblank["back"] == -2]
    # what lies within the circle of radius 1/2 at (0, -0.6): its 48 chords are 0.0011 within
    distance = np.linalg.norm(hidden - (0, -0.6), axis=1)
    assert len(hidden) > 50
    assert distance.max() < 0.5


def test_iblank_is_in_the_order_of_the_file(made):
    report = made.connectivity()
    part, own = report.parts["body"], body()

    np.testing.assert_array_equal(part.points, own.points)
    outer = np.unique(own.boundaries["overset"])
    assert (part.iblank[outer] == -1).all()
    assert (part.iblank[np.unique(own.boundaries["wall"])] == 1).all()
    edges = {tuple(sorted(edge)) for edge in own.boundaries["wall"].tolist()}
    assert {tuple(sorted(edge)) for edge in part.walls.tolist()} == edges
    assert sorted(map(sorted, part.cells.tolist())) == sorted(map(sorted, own.quads.tolist()))


@pytest.mark.flow
@pytest.mark.filterwarnings("ignore:body body of member 0 moves at once")
def test_a_look_leaves_the_case_as_it_was():
    looked, alone = case(), case()
    told = {"time_step": 0.05, "steps": 2, "preflight": False}
    looked.run(**told)
    before = state(looked)

    looked.connectivity(time=LOWEST)

    after = state(looked)
    for name, values in before.items():
        np.testing.assert_array_equal(after[name], values, err_msg=name)
    again = looked.run(**told).history
    alone.run(**told)
    expected = alone.run(**told).history
    for name in ("cl", "cd", "cm", "divergence"):
        np.testing.assert_array_equal(again[name], expected[name])


def test_members_have_reports_of_their_own():
    made = case([PLUNGE, km.motion.plunge(amplitude=0.3, k=0.8)])
    members = made.grid.ensemble
    members.begin()
    members.end({0: 4})

    first, second = (made.connectivity(LOWEST, member) for member in range(2))

    for report, amplitude in ((first, 0.6), (second, 0.3)):
        own = report.parts["body"]
        np.testing.assert_allclose(own.points, body().points - (0, amplitude), atol=1e-14)
        assert own.receptor == 2 * 48  # two rings of nodes
    assert members.ended == {0: 4}
    assert members.alive.tolist() == [False, True]


def test_parts_that_cannot_be_solved_are_shown_with_the_reason():
    made = case(km.motion.plunge(amplitude=5.0, k=0.8))

    with pytest.warns(RuntimeWarning, match="part 'body' reaches .*beyond 'back'"):
        report = made.connectivity(time=LOWEST)

    assert "beyond 'back'" in report.problem
    assert str(report).splitlines()[-1] == report.problem
    assert report.plot().axes
    assert made.connectivity().problem == ""


def test_a_report_is_a_table_of_its_parts(made):
    report = made.connectivity()
    page = report._repr_html_()

    head, *rows = [line.split() for line in str(report).splitlines()]
    assert head[:3] == ["part", "field", "receptor"]
    for row, (name, part) in zip(rows, report.parts.items(), strict=True):
        assert row[:5] == [name, *map(str, (part.field, part.receptor, part.covered, part.solid))]
        assert f"<td>{name}</td><td>{part.field}</td><td>{part.receptor}</td>" in page
    assert repr(report) == "OversetReport(parts body, back)"


def test_an_overlap_of_fewer_layers_than_are_asked_for_is_said(made):
    report = made.connectivity()
    least = min(part.overlap for part in report.parts.values())
    assert (report.overlap, report.asked) == (least, made.settings.overlap)

    less, enough = (replace(report, asked=least + more) for more in (1, 0))

    assert less.fewer.startswith(f"overlap {least} where {least + 1} are asked: layers are asked")
    assert str(less).splitlines()[-1] == less.fewer
    assert f"overlap {least} where {least + 1} are asked" in less._repr_html_()
    assert enough.fewer == ""
    assert len(str(enough).splitlines()) == 3


def test_what_has_no_connectivity_is_refused(made):
    alone = km.Incompressible(km.mesh.cylinder(600), reynolds=100.0, device="cpu")
    with pytest.raises(km.SettingsError, match="one mesh, expected overset parts"):
        alone.connectivity()
    with pytest.raises(km.SettingsError, match="no member 1; there are 1"):
        made.connectivity(member=1)
    with pytest.raises(km.SettingsError, match="connectivity: time is nan"):
        made.connectivity(time=np.nan)


# ---------------------------------------------------------------- where warnings begin


def told_of(recwarn, **found):
    """Warnings of a part that a report has found."""
    _warn("body", SimpleNamespace(**found), ["here", "there"])
    return " ".join(str(w.message) for w in recwarn)


@pytest.mark.parametrize(("receptors", "told"), [(1000, False), (999, True)])
def test_receptors_of_receptors_are_told_of_above_a_thousandth(receptors, told, recwarn):
    said = told_of(recwarn, second=1, receptor=receptors, ratio=(1.0, 1.0))

    assert ("receptors take values from cells with" in said) is told


@pytest.mark.parametrize(
    ("least", "most", "told"),
    [
        (1 / 3, 3.0, False),
        (np.nextafter(1 / 3, 0.0), 3.0, True),
        (1 / 3, np.nextafter(3.0, 4.0), True),
    ],
)
def test_cells_of_a_report_are_told_of_beyond_three_times_apart(least, most, told, recwarn):
    said = told_of(recwarn, second=0, receptor=1000, ratio=(least, most))

    assert ("expected 1/3 to 3" in said) is told


@pytest.mark.parametrize("larger", [True, False])
@pytest.mark.parametrize(
    ("times", "told", "failed"),
    [
        (3 * (1 - 1e-9), 0, 0),
        (3 * (1 + 1e-9), 1, 0),
        (10 * (1 - 1e-9), 1, 0),
        (10 * (1 + 1e-9), 0, 1),
    ],
)
def test_cells_of_a_run_are_told_of_beyond_three_times_apart_and_refused_beyond_ten(
    times, told, failed, larger, monkeypatch
):
    taken = SimpleNamespace(
        receptor=np.array([True]), worth=np.array([2]), place=lambda node: "node 0",
        ratio=np.array([times if larger else 1 / times]),
    )  # fmt: skip
    monkeypatch.setattr("kinemesh.overset.watch.Taken.of", lambda *_: taken)
    causes = []
    ensemble = SimpleNamespace(fail=lambda member, cause, *_, **__: causes.append(cause))

    notes = Watch(SimpleNamespace(grid=SimpleNamespace(ensemble=ensemble)))._sizes(0, "at rest")

    assert (len(notes), len(causes)) == (told, failed)
    assert all("expected 1/3 to 3 (at rest)" in note for note in notes)
    assert all("expected 1/3 to 3 and at most 10 times apart" in cause for cause in causes)
