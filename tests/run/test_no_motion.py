"""Cases whose bodies have no motion move nothing, until a user places a body."""

import warnings
from dataclasses import dataclass
from itertools import product

import kinemesh as km
import numpy as np
import pytest
from kinemesh.deform import Deformation, Mover
from kinemesh.deform.carrier_mover import CarrierMover
from kinemesh.deform.delaunay import DelaunayMover
from kinemesh.deform.retriangulated import RetriangulatedMover
from kinemesh.deform.spring_mover import SpringMover
from kinemesh.deform.waiting import WaitingMover
from kinemesh.flow.moving import Moving
from runs import MESH, assert_same

pytestmark = pytest.mark.flow
STREAM = {"mach": 0.5, "alpha_deg": 2.0, "device": "cpu"}
STEPS = {"time_step": 0.2, "steps": 6, "start": "as is"}
SPRINGS, DELAUNAY = km.deform.TorsionalSprings(), km.deform.Delaunay()
ANEW = km.deform.Delaunay(retriangulate=True)
WING = km.mesh.extruded(MESH, span=0.3, layers=1, cells="tets")
CLOUD = km.Cloud.from_mesh(MESH)
QUICK = {
    solver: settings(unsteady_iterations=4)
    for solver, settings in (
        (km.Ale, km.AleSettings),
        (km.CellCentred, km.CellSettings),
        (km.Meshless, km.MeshlessSettings),
    )
}
CASES = {
    "nodes, springs": (km.Ale, MESH, SPRINGS),
    "nodes, bicgstab": (km.Ale, MESH, km.deform.TorsionalSprings(solver="bicgstab")),
    "nodes, Delaunay": (km.Ale, MESH, DELAUNAY),
    "nodes, Delaunay anew": (km.Ale, MESH, ANEW),
    "cells, springs": (km.CellCentred, MESH, SPRINGS),
    "cloud, Delaunay": (km.Meshless, CLOUD, DELAUNAY),
    "members, springs": (km.Ale, [MESH, MESH], SPRINGS),
    "space, nodes": (km.Ale, WING, SPRINGS),
    "space, cells": (km.CellCentred, WING, SPRINGS),
    "space, carrier": (km.Ale, WING, km.deform.Carrier(WING)),
}
EVERY = pytest.mark.parametrize(
    "kind",
    [pytest.param(k, marks=[] if k == "nodes, springs" else pytest.mark.long) for k in CASES],
)
BY_HAND = pytest.mark.parametrize("deform", [SPRINGS, DELAUNAY, ANEW], ids=lambda own: own.kind)


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", km.errors.KinemeshWarning)
        yield


def case(kind, deform=None, motion=None):
    solver, space, own = CASES[kind]
    more = {"deform": deform or own, "motion": motion, "settings": QUICK[solver]}
    return solver(space, **STREAM, **more)


def by_hand(deform, motion=None, until=6, **more):
    """A section that is placed in steps 3 to 5, in the last of them as given; its case."""
    made = case("nodes, springs", deform, motion)
    loop = made.steps(**STEPS, **more)
    for step in loop:
        if step.number in {2, 3, 4}:
            step.place({"airfoil": km.Pose(angle_deg=(0.0, 4.0, 6.0, 0.0)[step.number - 1])})
        if step.number == until:
            break
    loop.close()
    return made, loop.run


@EVERY
def test_a_case_without_motion_has_no_preflight_and_moves_nothing(kind, monkeypatch, tmp_path):
    case(kind, km.deform.Rigid()).run(**STEPS, out=tmp_path / "rigid")

    def step(*_):
        pytest.fail("vertices are moved")

    for mover in (CarrierMover, SpringMover, DelaunayMover, RetriangulatedMover):
        monkeypatch.setattr(mover, "step", step)
    run = case(kind).run(**STEPS, out=tmp_path / "own")

    assert "preflight" not in run.summary["result"]
    one, other = ((tmp_path / name / "history.csv").read_bytes() for name in ("rigid", "own"))
    assert one == other


def test_one_body_that_moves_has_its_preflight_and_its_mover():
    motions = [None, km.motion.pitch(2.0, 0.1)]
    made = case("members, springs", motion=motions)

    run = made.run(**STEPS | {"steps": 1})

    assert run.summary["result"]["preflight"]["steps"] == 1
    assert isinstance(made.mover, SpringMover)


@BY_HAND
def test_a_body_without_motion_moves_where_it_is_placed(deform):
    made, run = by_hand(deform, until=4)
    moved = made.backend.get(made.grid.x)
    twin, other = by_hand(deform, km.motion.given(), until=4)  # whose mover works from the start

    turned = made.grid.points[made.grid.vertices.wall.node] - moved[made.grid.vertices.wall.node]
    assert np.abs(turned).max() > 0.05
    # springs are solved to 1e-5, from another first guess in the second step that moves
    np.testing.assert_allclose(moved, twin.backend.get(twin.grid.x), rtol=0, atol=1e-6)
    np.testing.assert_allclose(run.history["cl"], other.history["cl"], rtol=0, atol=1e-5)
    assert abs(run.history["cl"][-1]) > 0.1


QUICK_ONE = (DELAUNAY, 4)


@pytest.mark.parametrize(
    ("deform", "left"),
    [
        pytest.param(*own, marks=[] if own == QUICK_ONE else pytest.mark.long)
        for own in product((SPRINGS, DELAUNAY, ANEW), (2, 4, 5))
    ],
    ids=lambda own: getattr(own, "kind", str(own)),
)
def test_a_restart_before_and_after_a_placement_has_the_bits_of_the_whole(deform, left, tmp_path):
    by_hand(deform, out=tmp_path / "whole")

    by_hand(deform, out=tmp_path / "parts", until=left)
    by_hand(deform, out=tmp_path / "parts", resume=True)

    assert_same(tmp_path / "whole", tmp_path / "parts")


@pytest.mark.long
@pytest.mark.parametrize("deform", [SPRINGS, ANEW], ids=lambda own: own.kind)
def test_a_restart_of_a_mover_that_worked_from_the_start_is_taken_up(deform, monkeypatch, tmp_path):
    with monkeypatch.context() as before:
        before.setattr(Moving, "stands", False)
        by_hand(deform, out=tmp_path / "whole")
        by_hand(deform, out=tmp_path / "parts", until=4)

    by_hand(deform, out=tmp_path / "parts", resume=True)

    assert_same(tmp_path / "whole", tmp_path / "parts")


@BY_HAND
def test_a_coupler_may_move_a_body_and_take_it_back(deform):
    made, moved = case("nodes, springs", deform), []
    body = made.grid.vertices.wall.node
    wall = made.grid.points[body]

    def coupler(step):
        if step.number != 2:
            return None
        now = made.backend.get(made.grid.x)[body]
        moved.append(np.linalg.norm(now - wall, axis=1).max())
        turns = {1: {"airfoil": km.Pose(angle_deg=5.0)}, 2: {"airfoil": km.Pose()}}
        return turns.get(step.placements)

    made.run(**STEPS, coupler=coupler)

    chord = 2 * np.sin(np.radians(2.5)) * np.linalg.norm(wall, axis=1).max()
    assert moved == [0.0, pytest.approx(chord, rel=1e-12), 0.0]
    now = made.backend.get(made.grid.x)
    np.testing.assert_allclose(now, made.grid.points, rtol=0, atol=1e-15)


class Told(Mover):
    """Keeps what it is asked."""

    def __init__(self, vertices, asked):
        super().__init__(vertices)
        self.asked = asked

    def begin(self):
        self.asked.append("begin")

    def back(self):
        self.asked.append("back")

    def step(self, poses):
        self.asked.append(poses(1.0)[0].angle)
        return {"number": 1}

    def state(self):
        return {"kept": np.ones(1)}

    def restore(self, state):
        self.asked.append(*state)


@dataclass(frozen=True, slots=True)
class Telling(Deformation):
    asked: list

    def attach(self, vertices):
        return Told(vertices, self.asked)


def test_the_mover_is_asked_from_the_first_placement_on():
    asked, vertices = [], case("nodes, springs").grid.vertices
    waiting = WaitingMover(vertices, Telling(asked))
    turned = [km.Pose(0.1)]

    for _ in range(5):
        waiting.begin()
        assert waiting.step(lambda share: [km.Pose()]) == {}
        waiting.back()
    assert (asked, waiting.state(), waiting.rests) == ([], {}, True)

    waiting.begin()
    assert waiting.step(lambda share: turned) == {"number": 1}
    waiting.back()
    waiting.step(lambda share: [km.Pose()])
    waiting.begin()
    assert asked == ["begin", 0.1, "back", 0.0, "begin"]
    assert (*waiting.state(), waiting.rests) == ("kept", False)


def test_a_state_of_a_mover_is_its_own():
    asked, vertices = [], case("nodes, springs").grid.vertices
    for state in ({}, {"kept": np.ones(1)}):
        waiting = WaitingMover(vertices, Telling(asked))
        waiting.restore(state)
        assert waiting.state() == state

    assert asked == ["kept"]
