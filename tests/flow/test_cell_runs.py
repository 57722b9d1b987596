"""Runs on cells: motion, members, a channel, pictures, restarts; memory before it is taken."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh import plot
from kinemesh.flow.terms.gradients import CELL_GRADIENTS
from runs import assert_same, interrupted
from squares import square

pytestmark = pytest.mark.flow
MESH = km.mesh.airfoil("naca0012", nodes=500, far_field=8)
STEPS = {"cycles": 1.25, "steps_per_cycle": 8}


def pitching(solver=km.CellCentred, **more):
    given = {"mach": 0.5, "motion": km.motion.pitch(5.0, 0.1), "device": "cpu"}
    return solver(MESH, **(given | more))


@pytest.mark.long
def test_a_run_has_its_pictures_a_film_and_pressures_of_cells(tmp_path, undrawn):
    run = pitching().run(cycles=1.25, steps_per_cycle=8, out=tmp_path)
    made = {path.name for path in plot.from_directory(tmp_path)}
    made.add(plot.film(run, "cp").name)

    names = "hysteresis.png cycle.png mach.png mesh.png pressures.png pressures.csv film-cp.gif"
    assert made == set(names.split())
    assert run.summary["mesh"]["volumes"] == "cells"
    flow, body = run.fields(), run.pressures()["airfoil"]
    assert sorted(body.cp[-1]) == sorted(flow.at_walls()["Cp"])
    assert -0.05 < body.x.min() < body.x.max() < 1.05
    assert abs(body.per_motion).max() > 3  # per radian, near the leading edge


class Leaky(km.CellCentred):
    """In step 3 the second member loses the energy of its eighth cell."""

    def predict(self):
        super().predict()
        if self.grid.ensemble.step == 3:
            u = self.backend.get(self.u)
            u[self.grid.first[1] + 7, 3] = 0.0
            self.backend.put(self.u, u)


@pytest.mark.long
def test_a_member_fails_alone_and_in_its_cell(tmp_path):
    alone = pitching().run(**STEPS, start="as is", out=tmp_path / "alone")
    case = pitching(solver=Leaky, mach=[0.5] * 3)
    mesh = case.grid.meshes[1]
    names = ", ".join(map(str, mesh.original[mesh.triangles[7]]))
    with pytest.warns(RuntimeWarning, match="member 1: pressure is not positive"):
        run = case.run(**STEPS, start="as is", out=tmp_path / "three")

    (failed,) = run.failed
    assert (failed["member"], failed["step"]) == (1, 3)
    assert failed["place"].startswith(f"the cell of nodes {names} (x = ")
    assert (run.history.member(2)["cl"] == alone.history["cl"]).all()
    mine, solo = run.fields(member=2), alone.fields()
    assert (mine.points == solo.points).all()
    assert (mine["Cp"] == solo["Cp"]).all()


@pytest.mark.long
@pytest.mark.parametrize("dtype", [pytest.param("float64", marks=pytest.mark.slow), "float32"])
def test_an_unsteady_run_goes_on_with_the_same_bits(tmp_path, dtype):
    pitching(dtype=dtype).run(**STEPS, out=tmp_path / "whole")
    pitching(dtype=dtype).run(**(STEPS | {"cycles": 0.5}), out=tmp_path / "cut")
    pitching(dtype=dtype).run(**STEPS, out=tmp_path / "cut", resume=True)

    assert_same(tmp_path / "whole", tmp_path / "cut")


def test_a_residual_that_stays_is_told_by_the_place_of_its_cell():
    case = pitching(mach=[0.5, 0.5])
    res = np.zeros((case.grid.nodes, 4))
    res[-1] = 1.0
    case.backend.put(case.res, res)

    mesh = case.grid.meshes[1]
    x, y = mesh.points[mesh.triangles[-1]].mean(axis=0)
    assert case.suspects(1).startswith(f"; the residual is largest at ({x:.4g}, {y:.4g})")


MESHES = {"triangles": MESH, "quads": square(24, "quads"), "mixed": square(24, "mixed")}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("gradient", CELL_GRADIENTS)
@pytest.mark.parametrize("name", MESHES)
def test_memory_is_counted_on_cells_too(name, gradient, dtype):
    settings, mesh = km.CellSettings(gradient=gradient), MESHES[name]
    walls = None if name == "triangles" else []
    case = km.CellCentred(mesh, mach=0.5, walls=walls, settings=settings, dtype=dtype, device="cpu")

    counted = km.CellCentred.room(case.backend, [mesh], case.settings, None)
    # counted on three layers of cells, of which two are at the boundary and, of triangles, have
    # values and fits of more cells: of quadrilaterals 0.7 % too much, of least squares 1.3 % too
    # little, whatever their number
    assert counted == pytest.approx(case.backend.allocated, rel=1.5e-2)


def test_an_interrupted_march_goes_on_with_the_same_bits(monkeypatch, tmp_path):
    case = km.cases.load("naca0012-transonic").replace(method="cells", nodes=800)
    assert case.run(out=tmp_path / "whole", device="cpu").converged
    interrupted(monkeypatch, lambda: case.run(out=tmp_path / "cut", device="cpu"), 9)
    flow = case.run(out=tmp_path / "cut", device="cpu", resume=True).fields()
    assert_same(tmp_path / "whole", tmp_path / "cut")
    assert (flow.on, len(flow["Mach"])) == ("cells", len(flow.cells))


def test_a_fault_names_its_cell():
    case = km.CellCentred(km.mesh.airfoil("naca0012", nodes=500), mach=0.5, device="cpu")
    q, mesh = case.primitive(), case.grid.meshes[0]
    q[7], names = -1.0, ", ".join(map(str, mesh.original[mesh.triangles[7]]))
    with pytest.raises(km.NumericalFault, match=f"density .* at the cell of nodes {names} "):
        case.initialise(q)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*residual fell:RuntimeWarning")
@pytest.mark.parametrize("loops", ["store", "colours"])
@pytest.mark.parametrize("gradient", CELL_GRADIENTS)
def test_members_have_the_bits_of_solo_runs_by_every_gradient_and_loop(gradient, loops):
    """Members 0 and 2 share a mesh; colours number faces of an ensemble in parts."""
    both = [MESH, km.mesh.airfoil("naca0012", nodes=700, far_field=8)]
    settings = km.CellSettings(gradient=gradient, face_loop=loops, steady_iterations=8)

    def states(meshes, mach):
        case = km.CellCentred(meshes, mach=mach, alpha_deg=2, settings=settings, device="cpu")
        case.steady()
        return case.primitive(), case.grid.first

    machs = [0.4, 0.5, 0.6]
    together, first = states([both[0], both[1], both[0]], machs)
    for member, mesh in enumerate([both[0], both[1], both[0]]):
        alone, _ = states(mesh, machs[member])
        assert (together[first[member] : first[member + 1]] == alone).all()


def test_settings_of_cells_are_not_those_of_duals():
    with pytest.raises(km.SettingsError, match=r"gradient this solver lacks; expected AleSettings"):
        km.Ale(MESH, mach=0.5, settings=km.CellSettings(gradient="plain"), device="cpu")
