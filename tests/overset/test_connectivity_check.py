"""Refusals of the connectivity, by name, and its reports."""

import numpy as np
import pytest
from kinemesh.errors import OversetError
from kinemesh.mesh import Mesh
from kinemesh.overset import Part
from kinemesh.overset.connectivity import Connectivity
from kinemesh.overset.parts import Parts
from kinemesh.overset.report import SIZES
from overset_parts import background, grid_of, move, rectangle, ring


def shifted(x, y=0.0):
    return 0.0, (0.0, 0.0), (x, y)


def one():
    return {"body": ring(outer=2.0, layers=16), "back": background(4.0, 0.12, 2.0)}


def pair():
    return {
        "left": Part(ring(0.4, 1.6, 30, 80, 1.05), at=(-1.2, 0.05)),
        "right": Part(ring(0.3, 1.3, 30, 80, 1.05), at=(1.2, 0.0)),
        "back": background(5.0, 0.11, 2.6),
    }


def hole():
    """A fine part with a hole within a cell of the background."""
    made = ring(0.02, 3.0, 60, 120, 1.05)
    sides = {"overset": np.concatenate(list(made.boundaries.values()))}
    part = Mesh(made.points, made.triangles, made.quads, sides)
    return {"fine": Part(part, at=(0.13, 0.12)), "back": background(8.0, 0.25, 4.0)}


def thin():
    """A ring that has fewer layers than overlap and fringe over the background."""
    return {"body": ring(), "back": background(4.0, 0.1, 2.0)}


def tunnel():
    """Ring in a box with walls below and above, far from it."""
    box = background(4.0, 0.1, 2.0)
    edges = box.boundaries["far"]
    level = np.ptp(box.points[edges][:, :, 1], axis=1) < 1e-9
    sides = {"side": edges[level], "far": edges[~level]}
    part = Mesh(box.points, box.triangles, box.quads, sides)
    return Parts.of({"body": ring(), "back": part}, walls=["side"], far=["far"])


def checked(backend, parts, poses=(), where="step 4"):
    made = Connectivity(grid_of(backend, parts))
    move(made, {(0, name): pose for name, pose in dict(poses).items()})
    return made.check(where)


@pytest.mark.parametrize("parts", [one, pair])
def test_parts_with_room_between_them_pass(double, parts):
    assert not checked(double, parts())


PLACE = r"\(-?[.\d]+, -?[.\d]+\)"
WALLS = rf"walls of 'left' and 'right' intersect: node \d+ of 'left' {PLACE} is within 'right' "
WALLS += r"\(step 4\); move the parts apart"
BEYOND = r"part 'body' reaches \(4\.\d+, .*\), beyond 'back' \(node \d+ of 'body'\) \(step 4\); "
BEYOND += "a larger 'back', or a smaller motion"
THIN = r"'body', from its walls to its last 2 layers of cells, is 0\.56 chords and holds 4\.\d "
THIN += rf"cells that are 0\.1\d+ across, needs 5: node \d+ of 'back' {PLACE} is within walls "
THIN += r"\(step 4\); cells at most 0\.11 across there \(of squares spacing=0\.079\), or overlap=1"
GAP = r"the gap between '\w+' and '\w+' is 0\.2\d* chords and holds \d\.?\d* cells that are .* "
GAP += rf"across, needs 10: node \d+ of '\w+' {PLACE} is within walls"
ORPHAN = rf"node \d+ of 'fine' {PLACE} has no donor: other parts hold the corners of the cell of "
ORPHAN += r"'back' there \(step 4\); smaller cells of 'back'"


@pytest.mark.parametrize(
    ("parts", "poses", "told"),
    [
        (pair, {"right": shifted(-1.9)}, WALLS),
        (one, {"body": shifted(2.5)}, BEYOND),
        (thin, {}, THIN),
        (tunnel, {}, THIN),  # the gap between the walls is wide enough
        (pair, {"right": shifted(-1.5)}, GAP),
        (hole, {}, ORPHAN),
    ],
)
def test_parts_that_cannot_be_solved_are_refused_by_place(double, parts, poses, told):
    with pytest.raises(OversetError, match=told):
        checked(double, parts(), poses)


def test_a_background_of_the_spacing_that_is_told_holds_the_part(double):
    """With 1.9 cells in the part, too few for an overlap of 1, which is not offered."""
    with pytest.raises(OversetError, match=r"holds .* cells") as caught:
        checked(double, {"body": ring(), "back": background(4.0, 0.4, 2.0)})
    told = str(caught.value)
    assert "overlap=1" not in told
    spacing = float(told.partition("spacing=")[2].partition(")")[0])
    assert not checked(double, {"body": ring(), "back": background(4.0, spacing, 2.0)})


def test_a_field_node_without_fluid_at_the_last_step_is_refused(double):
    made = Connectivity(grid_of(double, {"body": ring(outer=1.5, layers=16), "back": background()}))
    move(made, {(0, "body"): shifted(-0.1)})
    assert not made.check("start")

    move(made, {(0, "body"): shifted(1.2)})
    with pytest.raises(OversetError, match=r"'back' .* had no fluid at the last step .*time step"):
        made.check("step 1")

    move(made, {(0, "body"): shifted(-0.1)})
    made.begin()
    move(made, {(0, "body"): shifted(1.2)})
    assert not made.check("start")


def test_a_small_step_frees_no_node(double):
    made = Connectivity(grid_of(double, one()))
    for step in range(6):
        move(made, {(0, "body"): (0.2 * step, (0.3, 0.0), (0.05 * step, 0.0))})
        assert not made.check(f"step {step}")


def test_in_an_ensemble_only_the_member_that_cannot_go_on_fails(double):
    mesh = Parts.of(pair())
    made = Connectivity(grid_of(double, mesh, mesh, mesh))
    members = made.grid.ensemble
    with members.reporting():
        members.at("step 4", 4)
        move(made, {(1, "right"): shifted(-1.9), (2, "left"): (0.4, (-1.2, 0.05), (0.1, 0.0))})

        assert made.check("step 4")

        assert members.alive.tolist() == [True, False, True]
        failed = members.failures[1]
        assert "walls of 'left' and 'right' intersect" in failed.cause
        assert failed.place.startswith("node ")
        assert failed.step == 4
        move(made, {(1, "right"): shifted(-1.9)})
        assert not made.check("step 5")  # it has failed already


@pytest.mark.parametrize("given", [{"overlap": 0}, {"fringe": 0}, {"overlap": 1.5}])
def test_no_layers_are_refused(host, given):
    name = next(iter(given))
    with pytest.raises(OversetError, match=f"{name} is .*, expected a whole number from 1 on"):
        Connectivity(grid_of(host, one()), **given)


def test_walls_that_are_not_closed_are_refused(host):
    made = ring(outer=2.0, layers=16)
    wall = made.boundaries["wall"]
    sides = {"wall": wall[:-3], "overset": np.r_[made.boundaries["overset"], wall[-3:]]}
    part = Mesh(made.points, made.triangles, made.quads, sides)

    with pytest.raises(
        OversetError, match=r"part 'body': its walls end at \(0\.\d+, -0\.\d+\) and "
    ):
        Connectivity(grid_of(host, {"body": part, "back": background()}))


# ---------------------------------------------------------------- report


def test_a_report_counts_the_nodes_of_each_part(double):
    made = Connectivity(grid_of(double, one()))
    move(made, {})
    status = double.get(made.status)

    report = made.report()

    mesh = made.grid.meshes[0]
    for number, (name, part) in enumerate(report.parts.items()):
        here = slice(*mesh.first[number : number + 2])
        own = status[here][np.argsort(mesh.original[here])]
        np.testing.assert_array_equal(report.iblank[name], own)
        kinds = (part.field, part.receptor, part.covered, part.solid)
        assert kinds == tuple(int((own == code).sum()) for code in (1, -1, 0, -2))
        assert (part.second, part.orphans) == (0, 0)
    assert report.parts["body"].receptor == 2 * 48  # two rings of nodes
    assert report.parts["back"].solid > 0
    assert str(report).splitlines()[0].split()[:3] == ["part", "field", "receptor"]
    assert "body" in str(report).splitlines()[1]


def test_a_report_has_the_overlap_and_warns_of_cells_of_other_sizes(host):
    coarse = np.linspace(-8, 8, 81)
    line = np.linspace(-1.5, 1.5, 101)
    parts = {"fine": rectangle(line, line, "overset"), "back": rectangle(coarse, coarse)}
    made = Connectivity(grid_of(host, parts))
    move(made, {(0, "fine"): (0.3, (0.0, 0.0), (0.01, 0.02))})

    match = r"part '(fine|back)': cells of receptors are .* times"
    with pytest.warns(RuntimeWarning, match=match) as told:
        report = made.report()
    assert {one.message.said.about for one in told} == {SIZES}
    assert all("(" in one.message.said.place for one in told)  # of a node

    # across: spacing 0.03 against 0.2
    assert report.parts["fine"].ratio[1] == pytest.approx(0.15, rel=0.01)
    assert report.parts["back"].ratio == pytest.approx((1 / 0.15,) * 2, rel=0.01)
    # by hand: the background grows by overlap 3 and receptors begin there; a donor's corners of the
    # outermost two layers' receptors are at most 2 layers of cells in
    assert 1 <= report.parts["fine"].overlap <= 3


def test_receptors_without_a_donor_are_counted(host):
    made = Connectivity(grid_of(host, hole()))
    move(made, {})

    with pytest.warns(RuntimeWarning, match="times as large"):
        report = made.report()

    counts = host.get(made.counts)[0]
    parts = report.parts.values()
    assert counts[1:].tolist() == [sum(p.second for p in parts), sum(p.orphans for p in parts)]
    assert counts[2] > 0
