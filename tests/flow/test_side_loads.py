"""Force along the span and moments of roll and yaw of bodies in space, beside sums on the host."""

import kinemesh as km
import numpy as np
import pytest
from clouds import half_wing
from kinemesh.io.columns import SIDE

MACH = 0.5


def mesh():
    plane = km.mesh.airfoil("naca0012", nodes=500, far_field=8)
    return km.mesh.extruded(plane, span=1.5, layers=2, cells="prisms")


def solid(**more):
    return km.Ale([mesh()] * 2, reference_area=1.5, reference_length=2.0, **more)


def cloud(**more):
    return km.Meshless([half_wing()] * 2, reference_area=0.62, reference_length=2.0, **more)


@pytest.mark.parametrize(("make", "area"), [(solid, 1.5), (cloud, 0.62)])
def test_the_side_force_and_moments_are_those_of_the_pressures(make, area):
    case = make(mach=MACH, alpha_deg=[2.0, 3.0], moment_about=(0.3, -0.1), device="cpu")
    rng = np.random.default_rng(2)
    q = np.column_stack(
        [np.ones(case.grid.nodes), np.zeros((case.grid.nodes, 3)), np.ones(case.grid.nodes)]
    )
    q[:, 0] += 0.2 * rng.random(len(q))
    q[:, 4] += rng.random(len(q))
    case.initialise(q)
    get, wall = case.backend.get, case.grid.wall

    loads = case.coefficients()

    pressure = case.primitive()[wall.node, 4] - get(case.fields["stream"])[0, 4]
    force = pressure[:, None] * get(wall.device["S"]).astype(float)
    arm = get(case.grid.x)[wall.node] - [0.3, 0.0, -0.1]
    moment = np.cross(arm, force)
    member, scale = case.grid.member[wall.node], 0.5 * MACH**2 * area
    expected = np.array([force[:, 1], moment[:, 0] / 2, moment[:, 2] / 2, moment[:, 1] / 2]) / scale
    sums = [np.bincount(member, own, 2) for own in expected]
    found = case.forces.side()
    assert tuple(found) == SIDE
    for name, values in zip(SIDE, sums, strict=False):
        np.testing.assert_allclose(found[name], values, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(loads[:, 2], sums[3], rtol=1e-10, atol=1e-10)


def moved_along_y(mesh, way):
    return mesh.transformed(mesh.points + np.array([0.0, way, 0.0]))


HALVES = {
    "mesh": lambda way: km.Ale(moved_along_y(mesh(), way), **TOLD),
    "cells": lambda way: km.CellCentred(moved_along_y(mesh(), way), **TOLD),
    "members": lambda way: km.Ale([moved_along_y(mesh(), y) for y in (-1.0, way)], **TOLD),
    "cloud": lambda way: km.Meshless(half_wing(lambda x: x + np.array([0.0, way, 0.0])), **TOLD),
}  # fmt: skip
TOLD = {"mach": MACH, "alpha_deg": 2.0, "moment_about": (0.3, -0.1), "reference_area": 0.62,
        "device": "cpu"}  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*planform:RuntimeWarning")
@pytest.mark.parametrize("kind", HALVES)
def test_moments_of_roll_and_yaw_are_about_the_plane_wherever_it_stands(kind):
    """Shifted by five chords along y, a half model has the loads that it had."""
    loads = []
    for way in (0.0, 5.0):
        case = HALVES[kind](way)
        rng = np.random.default_rng(2)
        count = case.grid.first[-1] - case.grid.first[-2]
        q = np.ones((case.grid.nodes, 5))
        q[:, 1:4] = 0.0
        q[-count:, 4] += rng.random(count)
        case.initialise(q)
        case.coefficients()
        loads.append([own[-1] for own in case.forces.side().values()])
        assert case.forces.plane[-1] == way

    assert np.abs(loads[0][1:]).min() > 1e-2
    np.testing.assert_allclose(loads[1], loads[0], rtol=1e-9, atol=1e-9)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_histories_and_results_in_space_have_them():
    settings = km.AleSettings(steady_iterations=3)
    case = km.Ale(mesh(), mach=MACH, alpha_deg=2.0, device="cpu", settings=settings)

    run = case.steady()

    for name in SIDE:
        assert run.history[name][-1] == run.summary["result"][name] == case.forces.side()[name][0]
    motion = km.motion.pitch(1.0, 0.2)
    case = km.Ale(mesh(), mach=MACH, motion=motion, deform=km.deform.Rigid(), device="cpu")
    moved = case.run(time_step=0.1, steps=2, start="as is", preflight=False)
    assert set(SIDE) <= set(moved.history.columns)
    assert np.abs(moved.history["cy"]).max() < 1e-10  # a section between planes of symmetry
