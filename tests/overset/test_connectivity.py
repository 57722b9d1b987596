"""Connectivity of overset grids against its rules in plain NumPy, on every device."""

import numpy as np
import pytest
from kinemesh.overset import Part
from kinemesh.overset.connectivity import Connectivity
from kinemesh.overset.parts import Parts
from overset_brute import COVERED, FIELD, RECEPTOR, Brute
from overset_parts import background, grid_of, move, rectangle, ring

EPS = np.finfo(float).eps
REST = {}


def one():
    """A cylinder's ring over a stretched Cartesian mesh."""
    return {"body": ring(outer=2.0, layers=16), "back": background(4.0, 0.16, 1.5)}


def triangles():
    """A cylinder's ring of triangles."""
    return {"body": ring(outer=2.0, layers=16, split=True), "back": background(4.0, 0.16, 1.5)}


def pair():
    """Two cylinders of different sizes, whose rings lie over one another."""
    left = ring(0.4, 1.6, 14, 44)
    right = ring(0.3, 1.3, 14, 40)
    return {
        "left": Part(left, at=(-0.75, 0.05)),
        "right": Part(right, at=(0.75, 0.0)),
        "back": background(4.0, 0.15, 2.0),
    }


def patch():
    """A fine part without walls over a cylinder's ring and beyond, and the background last."""
    line = np.linspace(-0.9, 0.9, 31)
    return {
        "back": background(4.0, 0.16, 1.5),
        "fine": Part(rectangle(line, line, "overset"), at=(2.3, 0.2), angle_deg=25.0),
        "body": ring(outer=2.0, layers=16),
    }


def enclosed():
    """A fine part without walls in a background with walls all round, which it comes near to."""
    line, wide = np.linspace(-0.9, 0.9, 31), np.linspace(-2, 2, 41)
    fine = Part(rectangle(line, line, "overset"), at=(0.6, 0.2), angle_deg=25.0)
    return {"fine": fine, "back": rectangle(wide, wide, "wall")}


def inner():
    """A small cylinder's ring within the region of a large cylinder's."""
    small = Part(ring(0.1, 0.55, 10, 32), at=(1.45, 0.0))
    return {
        "large": ring(0.5, 3.0, 30, 80, 1.05),
        "small": small,
        "back": background(5.0, 0.2, 3.0),
    }


CASES = {
    "one": (one, {"body": (0.3, (0.2, 0.0), (0.21, 0.1))}),
    "one at rest": (one, REST),
    "one far": (one, {"body": (2.5, (-0.3, 0.4), (0.9, 1.3)), "back": (0.2, (0, 0), (0, 0.1))}),
    "triangles": (triangles, {"body": (-0.4, (0.0, 0.3), (0.3, -0.2))}),
    "pair": (pair, {"left": (0.7, (-0.75, 0.05), (0.07, 0.0)), "right": (0, (0, 0), (0.1, 0.3))}),
    "patch": (patch, {"fine": (0.5, (2.3, 0.2), (-0.1, 0.1))}),
    "enclosed": (enclosed, {"fine": (0.5, (0.6, 0.2), (0.1, -0.1))}),
    "inner": (inner, {"small": (0.3, (1.0, 0.0), (0.1, -0.1)), "large": (0.1, (0, 0), (0, 0))}),
}


def made_of(backend, parts, poses, **layers):
    """Connectivity of one member with parts moved, and the places of its nodes."""
    made = Connectivity(grid_of(backend, parts), **layers)
    return made, move(made, {(0, name): pose for name, pose in poses.items()})


def numbers_of(made):
    """Status, donors, weights and regions on the host."""
    return [made.backend.get(a) for a in (made.status, made.donor, made.weight, made.other)]


@pytest.mark.long
@pytest.mark.parametrize("name", CASES)
def test_status_donors_and_weights_are_those_of_brute_force(double, name):
    parts, poses = CASES[name]
    made, x = made_of(double, parts(), poses)
    expected = Brute(made.grid.meshes[0], x, 3, 2)

    status, donor, weight, _ = numbers_of(made)

    np.testing.assert_array_equal(made.layer, expected.layer)
    np.testing.assert_array_equal(status, expected.status)
    takes = np.isin(status, (RECEPTOR, COVERED)) & (expected.cell >= 0)
    np.testing.assert_array_equal(donor[takes], expected.cells[expected.cell[takes]])
    # a place as found in a part's frame is off by some roundings, cells are 0.02 and larger
    assert weight[takes] == pytest.approx(expected.weight[takes], abs=1e-12)
    keeps = ~takes
    np.testing.assert_array_equal(donor[keeps], np.flatnonzero(keeps)[:, None].repeat(4, 1))
    assert (weight[keeps] == [1, 0, 0, 0]).all()
    worth = expected.worth[status == RECEPTOR]
    counted = [len(worth), (worth == 1).sum(), (worth == 0).sum()]
    assert double.get(made.counts)[0].tolist() == counted
    assert set(np.unique(status)) >= {FIELD, RECEPTOR, COVERED}


@pytest.mark.parametrize(("overlap", "fringe"), [(1, 2), (2, 1), (4, 3)])
def test_other_numbers_of_layers_follow_the_rules(double, overlap, fringe):
    parts, poses = CASES["one"]
    made, x = made_of(double, parts(), poses, overlap=overlap, fringe=fringe)

    status, *_ = numbers_of(made)

    np.testing.assert_array_equal(status, Brute(made.grid.meshes[0], x, overlap, fringe).status)
    np.testing.assert_array_equal(made.never, made.layer < fringe)


@pytest.mark.parametrize("name", CASES)
def test_weights_interpolate_a_linear_function_exactly(double, name):
    parts, poses = CASES[name]
    made, x = made_of(double, parts(), poses)
    status, donor, weight, _ = numbers_of(made)

    found = (weight * (1.5 + x @ [2.0, -3.0])[donor]).sum(axis=1)

    assert (status == RECEPTOR).sum() > 50
    assert found == pytest.approx(1.5 + x @ [2.0, -3.0], abs=1e-13 * 20)  # values up to 20


def test_the_nearest_wall_owns_and_the_finer_of_parts_without(host):
    made, x = made_of(host, pair(), REST)
    mesh = made.grid.meshes[0]
    owner = Brute(mesh, x, 3, 2).owner
    to = {n: np.hypot(*(x - at).T) - r for n, at, r in
          (("left", (-0.75, 0.05), 0.4), ("right", (0.75, 0.0), 0.3))}  # fmt: skip
    solved = host.get(made.mark) == 1

    np.testing.assert_array_equal(solved, owner)
    left = solved & (mesh.part == 0)
    # walls are polygons, and a place between nodes has what nodes interpolate
    assert (to["left"] - to["right"])[left & (to["right"] < 0.6)].max() < 0.03
    fine, y = made_of(host, patch(), {})
    back = (host.get(fine.mark) == 1) & (fine.grid.meshes[0].part == 0)
    assert not back[np.abs(y - (2.3, 0.2)).max(axis=1) < 0.5].any()


def test_parts_without_walls_rank_behind_every_distance_to_walls(host):
    parts = {"body": ring(outer=30.0, layers=16), "back": background(40.0, 2.0, 30.0)}
    made = Connectivity(grid_of(host, parts))
    body = made.grid.meshes[0].part == 0
    rank = made.plans[0].rank

    assert rank[body].max() == pytest.approx(29.5, rel=0.01)
    assert rank[~body].min() > rank[body].max()
    bare = Connectivity(grid_of(host, {"back": background()})).plans[0]
    assert bare.rank == pytest.approx(bare.size / bare.size.min())


def test_a_part_without_walls_owns_ten_of_its_cells_off_the_walls_of_its_background(host):
    """0.06 each; nearer the background does, the part's own boundary apart."""
    made, x = made_of(host, enclosed(), REST, overlap=1)
    own, status = made.grid.meshes[0].part == 0, host.get(made.status)
    off = 2 - np.abs(x).max(axis=1)
    assert (status[own & ~made.never & (off > 0.601)] == FIELD).all()
    # a field node's ring goes one layer on, over the corner of a cell
    assert not (status[own & (off < 0.6 - 1.5 * 0.06)] == FIELD).any()
    assert (status[~own & (off < 0.6)] == FIELD).all()


def test_other_is_the_region_of_another_body(double):
    made, x = made_of(double, pair(), REST)

    other = numbers_of(made)[3].astype(bool)

    mesh = made.grid.meshes[0]
    in_left = np.hypot(*(x - (-0.75, 0.05)).T) < 1.6 * np.cos(np.pi / 44)
    off_left = np.hypot(*(x - (-0.75, 0.05)).T) > 1.6
    of_right = mesh.part == 1
    assert other[in_left & of_right].all()
    assert not other[off_left & of_right].any()
    assert other[(mesh.part == 2) & in_left].all()


def test_a_background_with_walls_is_a_region_near_them_alone(double):
    line = np.linspace(-4, 4, 61)
    parts = {"body": ring(outer=2.0, layers=16), "tank": rectangle(line, line, "tank")}
    made = Connectivity(grid_of(double, parts, walls=["tank"]))
    x = move(made, {(0, "body"): (0.0, (0.0, 0.0), (1.0, 0.3))})

    other = numbers_of(made)[3].astype(bool)

    own = made.grid.meshes[0].part == 0
    to_body, to_tank = np.hypot(*(x - (1.0, 0.3)).T) - 0.5, 4 - np.abs(x).max(axis=1)
    # off the diagonals distances to the tank are linear; those to a polygon are off by 0.2 %
    clear = own & (np.abs(x[:, 0] - np.abs(x[:, 1])) > 0.3)
    assert other[clear & (to_tank < 1.95 * to_body)].all()
    assert not other[clear & (to_tank > 2.05 * to_body)].any()
    assert other[own].any()


def test_members_with_their_own_poses_are_their_solo_runs(double):
    shared, alone = Parts.of(pair()), Parts.of(one())
    poses = [
        (shared, {"left": (0.2, (-0.75, 0.05), (0.0, 0.1))}),
        (alone, {"body": (0.3, (0.2, 0.0), (0.21, 0.1))}),
        (shared, {"right": (-0.3, (0.7, 0.0), (0.1, 0.2))}),
    ]
    both = Connectivity(grid_of(double, *(mesh for mesh, _ in poses)))
    move(both, {(m, n): p for m, (_, own) in enumerate(poses) for n, p in own.items()})
    whole = numbers_of(both)

    for member, (mesh, own) in enumerate(poses):
        solo, _ = made_of(double, mesh, own)
        here = slice(*both.grid.first[member : member + 2])
        for ensemble, single in zip(whole, numbers_of(solo), strict=True):
            shift = here.start if ensemble.ndim == 2 and ensemble.dtype == np.int32 else 0
            np.testing.assert_array_equal(ensemble[here] - shift, single)
        counts = double.get(both.counts)[member]
        np.testing.assert_array_equal(counts, double.get(solo.counts)[0])


def test_every_device_and_precision_gives_the_bits_of_a_cpu(host, backend):
    for parts, poses in CASES.values():
        there, here = (made_of(b, parts(), poses)[0] for b in (backend, host))
        for a, b in zip(numbers_of(there), numbers_of(here), strict=True):
            np.testing.assert_array_equal(a, b)


def test_an_update_depends_on_nothing_but_the_poses(double):
    parts, poses = CASES["one"]
    made, _ = made_of(double, parts(), {"body": (1.0, (0.0, 0.0), (-0.3, 0.4))})
    fresh, _ = made_of(double, parts(), poses)

    move(made, {(0, n): p for n, p in poses.items()})

    for a, b in zip(numbers_of(made), numbers_of(fresh), strict=True):
        np.testing.assert_array_equal(a, b)


def test_members_that_do_not_run_stay_as_they_are(double):
    mesh = Parts.of(one())
    made = Connectivity(grid_of(double, mesh, mesh))
    with made.grid.ensemble.reporting():
        move(made, {})
        before = numbers_of(made)
        made.grid.ensemble.end({0: 1})
        move(made, {(m, "body"): (0.3, (0.2, 0.0), (0.5, 0.1)) for m in (0, 1)})
    own = mesh.nodes
    for old, new in zip(before, numbers_of(made), strict=True):
        np.testing.assert_array_equal(old[:own], new[:own])
    assert (before[0][own:] != numbers_of(made)[0][own:]).any()
