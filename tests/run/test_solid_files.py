"""Files of a run on a mesh in space, its restart, members side by side, the loop of the plane."""

import random
import warnings

import kinemesh as km
import numpy as np
import pytest
from kinemesh import plot
from kinemesh.io import History, fields
from kinemesh.mesh.kinds import KINDS
from kinemesh.run.plan import Plan
from runs import assert_same, killed, rows

PLANE = km.mesh.airfoil("naca0012", nodes=500, far_field=6.0)
MESH = km.mesh.extruded(PLANE, span=1.0, layers=2, cells="prisms")
QUICK = km.AleSettings(unsteady_drop=1e-1, steady_drop=1e-2, unsteady_iterations=30)
STEPS = {"cycles": 1.5, "steps_per_cycle": 16}
pytestmark = [
    pytest.mark.flow,
    pytest.mark.filterwarnings("ignore:(steady flow|member):RuntimeWarning"),
]


def case(mesh=MESH, settings=QUICK, **changes):
    given = {"mach": 0.5, "motion": km.motion.pitch(2.0, 0.1, phase_deg=20.0), "device": "cpu"}
    return km.Ale(mesh, deform=km.deform.Rigid(), settings=settings, **(given | changes))


@pytest.fixture(scope="module")
def unsteady(tmp_path_factory):
    folder = tmp_path_factory.mktemp("unsteady")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return case().run(**STEPS, out=folder)


@pytest.mark.long
def test_an_unsteady_run_leaves_all_its_files(unsteady, undrawn):
    made = {path.name for path in plot.from_directory(unsteady.out)}
    history = History.read(unsteady.out / "history.csv")

    drawn = ("hysteresis", "cycle", "side", "cp", "sections", "pressures", "cut", "mesh")
    assert made == {"pressures.csv", *(f"{name}.png" for name in drawn)}
    sizes = {"nodes": MESH.nodes, "cells": len(MESH.solids["prisms"]), "members": 1}
    assert unsteady.summary["mesh"] | sizes == unsteady.summary["mesh"]
    assert np.isnan(history["min_area"]).all()
    # prisms of the plane's triangles, in two layers of half of the span
    assert history["min_volume"] == pytest.approx(PLANE.areas.min() / 2, rel=1e-9)
    assert (history["min_dihedral_deg"] > 1.0).all()


@pytest.mark.parametrize(
    ("mesh", "steps", "every"), [(MESH, 20, 1), (MESH, 330, 10), (PLANE, 330, 1)]
)
def test_runs_by_time_in_space_keep_about_thirty_frames(mesh, steps, every):
    """Fields of half a million nodes are 60 MB: one at each of 1500 steps would fill a disk."""
    planned = Plan.of(case(mesh), "as is", None, None, 0.1, steps)

    frames = [step for step in range(1, steps + 1) if planned.is_frame(step)]
    assert frames == [*range(every, steps + 1, every)]


def test_field_files_have_the_cells_in_the_order_of_vtk(unsteady):
    found = fields.read(unsteady.out / "flow.vtkhdf")

    assert found["cells"].shape == (len(MESH.solids["prisms"]), 6)
    assert found["walls"].shape == (2 * len(MESH.boundaries["airfoil"]), 3)
    x = found["points"][found["cells"]]
    first, last = x[:, :3].mean(axis=1), x[:, 3:].mean(axis=1)
    area = np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0])
    # in VTK's files the first triangle of a wedge looks away from the second one
    assert ((last - first) * area).sum(axis=1).max() < 0
    assert KINDS["prisms"].to_vtk != tuple(range(6))


@pytest.mark.slow
def test_a_run_killed_again_and_again_ends_with_the_same_bits(unsteady, tmp_path):
    rng, out = random.Random("space"), tmp_path / "killed"

    for stop in sorted(rng.sample(range(2, 24), 2)):
        killed(
            lambda: case().run(**STEPS, out=out, resume=(out / "restart.h5").exists()),
            lambda stop=stop: rows(out) >= stop,
            rng.uniform(0, 0.05),
        )
    case().run(**STEPS, out=out, resume=True)

    assert_same(unsteady.out, out)
    for name in ("surface.vtkhdf", "spanwise.csv"):
        assert (unsteady.out / name).exists()
    times = fields.times(out / "surface.vtkhdf")
    assert len(times) == 25
    for step in range(len(times)):
        one, other = (fields.read(own / "surface.vtkhdf", step) for own in (unsteady.out, out))
        assert one["time"] == other["time"]
        np.testing.assert_array_equal(one["points"], other["points"])
        np.testing.assert_array_equal(one["fields"]["Cp"], other["fields"]["Cp"])
    assert (unsteady.out / name).read_bytes() == (out / name).read_bytes()


@pytest.mark.long
def test_members_side_by_side_have_the_bits_of_their_solo_runs():
    other = km.mesh.extruded(PLANE, span=1.0, layers=1, cells="tets")
    meshes, machs = [MESH, other, MESH], [0.3, 0.4, 0.5]

    together = case(meshes, mach=machs).run(time_step=0.5, steps=4, start="as is")
    for member, (mesh, mach) in enumerate(zip(meshes, machs, strict=True)):
        alone = case(mesh, mach=mach).run(time_step=0.5, steps=4, start="as is")
        for name in ("cl", "cd", "cm", "power", "residual_drop", "min_volume"):
            assert (together.history.member(member)[name] == alone.history[name]).all(), name


@pytest.mark.long
@pytest.mark.parametrize(
    ("cells", "layers"), [("hexes", 1), pytest.param("prisms", 1, marks=pytest.mark.slow)]
)
def test_a_pitching_section_has_the_loop_of_the_plane(cells, layers):
    """Transonic steps to ten orders, without the limiter's switches."""
    tight = km.AleSettings(
        unsteady_drop=1e-10, unsteady_iterations=300, steady_drop=1e-10, limiter="none"
    )
    kind = {"hexes": "quads", "prisms": "triangles"}[cells]
    flat = km.mesh.airfoil("naca0012", nodes=500, far_field=6.0, cells=kind)
    law = km.motion.pitch(amplitude_deg=2.51, k=0.0814)
    meshes = flat, km.mesh.extruded(flat, span=1.0, layers=layers, cells=cells)

    plane, space = (
        case(mesh, mach=0.6, alpha_deg=0.016, motion=law, settings=tight).run(
            steps_per_cycle=12, cycles=0.5
        ).history
        for mesh in meshes
    )  # fmt: skip

    assert plane["converged"].all()
    assert space["converged"].all()
    for name in ("cl", "cd", "cm", "power"):
        assert np.abs(space[name] - plane[name]).max() <= 1e-8, name
    assert np.ptp(plane["cl"]) > 0.2
