"""Examples in the README and the notebooks run, and give the physics that they promise.

At 2000 nodes, 16 steps per cycle and residuals that fall 100-fold in a step: the loop of case CT5
then lies within 10 % of the amplitudes that finer meshes and other codes give (cl 0.35, damping
0.25; docs/validation.md).
"""

import json
import re
import sys
import tomllib
from pathlib import Path

import kinemesh as km
import numpy as np
import pytest
import xarray
from kinemesh.cases import build
from kinemesh.cases.casefile import Case

pytestmark = pytest.mark.flow

ROOT = Path(__file__).parents[2]
CL_AMPLITUDE, DAMPING, SHARE = 0.3507, 0.25, 0.1  # SU2's loop; measured on finer meshes
DEFORMED = 0.02  # of the damping, springs against rigid; 0.1 % on fine meshes (docs/validation.md)


def defaults(settings):
    """Defaults of settings by name, which a test may change."""
    return settings.__init__.__wrapped__.__kwdefaults__


@pytest.fixture(autouse=True)
def _rough(monkeypatch):
    """Defaults with which a run takes less than half of the time."""
    for settings in (km.AleSettings, km.MeshlessSettings):
        monkeypatch.setitem(defaults(settings), "unsteady_drop", 1e-2)
    monkeypatch.setitem(defaults(km.MeshlessSettings), "steady_drop", 1e-3)


def replaced(text, **values):
    """The code with `name=number` or `name = number` changed; each name stands there once."""
    for name, value in values.items():
        text, count = re.subn(rf"\b({name} ?= ?)[\d_]+", rf"\g<1>{value}", text)
        assert count == 1, f"{name} stands {count} times in\n{text}"
    return text


def cells(name):
    """(source, tags) of the code cells, without the lines meant for Jupyter alone."""
    notebook = json.loads((ROOT / "notebooks" / name).read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            lines = [line for line in cell["source"] if not line.startswith("%")]
            yield "".join(lines), cell["metadata"].get("tags", [])


@pytest.mark.long
def test_the_readme_s_ten_lines_give_ct5_s_lift_and_files(tmp_path, monkeypatch):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    code = replaced(blocks[0], nodes="2_000", cycles=1, steps_per_cycle=16)
    monkeypatch.chdir(tmp_path)
    names = {}

    exec(compile(code, "README.md", "exec"), names)

    assert len(blocks) == 1
    assert len(blocks[0].strip().splitlines()) == 10
    assert names["loop"].cl.amplitude == pytest.approx(CL_AMPLITUDE, rel=SHARE)
    written = {path.name for path in (tmp_path / "ct5").iterdir()}
    assert {"history.csv", "flow.vtkhdf", "summary.json", "restart.h5", "loop.png"} <= written


def blocks(page):
    """The Python of a page, block by block."""
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL)


def tables(page):
    """The case files of a page, one by one."""
    return re.findall(r"```toml\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL)


@pytest.mark.slow
def test_the_sweep_of_getting_started_is_a_table_of_dampings(monkeypatch):
    (code,) = [block for block in blocks("docs/getting-started.md") if "itertools" in block]
    assert len([line for line in code.splitlines() if line]) == 8
    monkeypatch.setitem(defaults(km.AleSettings), "steady_drop", 1e-2)
    names = {}

    small = replaced(code, nodes="700", cycles=1, steps_per_cycle=8)
    exec(compile(small, "getting-started.md", "exec"), names)

    table = names["table"]
    assert len(table) == 18
    assert [tuple(row) for row in table[["mach", "k", "amplitude_deg"]].values] == names["asked"]
    damping = table["damping"].to_numpy().reshape(3, 3, 2)  # Mach number, k, amplitude
    assert (np.diff(damping, axis=0) > 0).all()  # as 1/beta of thin sections
    assert (np.diff(damping, axis=1) > 0).all()
    assert abs(damping[..., 0] / damping[..., 1] - 1).max() < 0.1  # small angles: linear


@pytest.mark.long
def test_the_ready_case_of_getting_started_has_ct5_s_damping(capsys):
    (code,) = [block for block in blocks("docs/getting-started.md") if "cases.load" in block]
    small = replaced(code, cycles=1).replace("nodes=", "steps_per_cycle=16, nodes=")

    exec(compile(small, "getting-started.md", "exec"), {"km": km})

    assert float(capsys.readouterr().out) == pytest.approx(DAMPING, rel=SHARE)


@pytest.mark.slow
def test_the_boundary_layer_of_getting_started_has_a_plate_s_friction():
    (code,) = [block for block in blocks("docs/getting-started.md") if "turbulence" in block]
    names = {"km": km}

    exec(compile(code, "getting-started.md", "exec"), names)

    friction = names["flow"].summary["result"]["cd_friction"]
    assert names["flow"].converged
    assert names["case"].walls()["airfoil"].y_plus.max() < 3
    assert friction == pytest.approx(2 * 0.074 / 6e6**0.2, rel=0.1)  # of two sides


@pytest.mark.long
def test_the_channel_of_getting_started_passes_what_one_dimensional_flow_does(capsys):
    (code,) = [block for block in blocks("docs/getting-started.md") if "mesh.channel" in block]

    exec(compile(code, "getting-started.md", "exec"), {})

    flow, loss = map(float, capsys.readouterr().out.split())
    mach = (5 * (0.9 ** (-2 / 7) - 1)) ** 0.5
    assert flow == pytest.approx(0.65 * mach * (1 + 0.2 * mach**2) ** -3, rel=5e-3)
    assert loss == pytest.approx(0, abs=1e-2)  # of the scheme alone


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*by the wake:RuntimeWarning")  # of so few nodes
def test_own_sections_wings_and_loops_of_getting_started(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(defaults(km.AleSettings), "steady_drop", 1e-3)
    section, wing, measured = (
        next(block for block in blocks("docs/getting-started.md") if asked in block)
        for asked in ("my-section.dat", "my-wing", "tunnel.csv")
    )
    np.savetxt("my-section.dat", km.mesh.section("naca2412").points(np.linspace(0, 1, 121)))
    phase = np.radians(np.arange(0, 360, 15))
    run = {"phase_deg": np.degrees(phase), "alpha_deg": 2 * np.sin(phase), "cl": np.sin(phase)}
    names = {"km": km, "loop": km.hysteresis(run | {"cm": np.sin(phase)})}
    table = {"wt": np.degrees(phase), "incidence": 2 * np.sin(phase), "CL": 0.5 * np.sin(phase)}
    table["CM"] = 0.1 * np.cos(phase)
    rows = np.column_stack(list(table.values()))
    np.savetxt("tunnel.csv", rows, delimiter=",", header=",".join(table), comments="")

    exec(compile(replaced(section, nodes="1500"), "getting-started.md", "exec"), names)
    table = names["polar"].steady().table()
    exec(compile(replaced(wing, nodes="10_000"), "getting-started.md", "exec"), names)
    exec(compile(measured, "getting-started.md", "exec"), names)

    zero, _ = np.polyfit(table["cl"], table["alpha_deg"], 1)[::-1]
    assert zero == pytest.approx(-2.08, abs=0.15)  # thin sections: of the NACA 2412's camber line
    assert names["mean"] == pytest.approx(2 / 3 * (1 + 0.5 + 0.25) / 1.5, rel=1e-4)
    assert 0 < names["run"].summary["result"]["cl"] < 2 * np.pi * np.radians(2) * 1.2
    assert names["tunnel"].cl.amplitude == pytest.approx(0.5, rel=1e-3)
    written = {"beside-the-tunnel.png", "my-wing/load.png"}
    assert all((tmp_path / name).exists() for name in written)


@pytest.mark.long
def test_the_loops_of_the_page_on_stepping_run(tmp_path, monkeypatch, capsys):
    """A section that is turned by hand, one on a spring by a loop and one by a coupler."""
    monkeypatch.chdir(tmp_path)
    names = {}
    for code in blocks("docs/stepping.md"):
        small = replaced(code, steps=12).replace("< 40", "< 12")
        exec(compile(small, "stepping.md", "exec"), names)
        if "turned" in code:
            turned = names["run"].history["alpha_deg"]
            assert turned[-1] == pytest.approx(1.1)  # 2 degrees in a time of 2, a step later
        elif "v += " in code:
            falling = names["loop"].run.history["shift_y"]
            assert falling[0] == 0.02
            assert 0 < falling[-1] < falling[1] < 0.02
    assert names["run"].history["shift_y"][-1] > 0.001  # lift of one degree lifts it


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::kinemesh.errors.KinemeshWarning")
def test_the_page_on_bodies_that_bend_runs(tmp_path, monkeypatch):
    """A section with a drooping edge, a file of shapes, wings that bend, pitch and twist."""
    monkeypatch.chdir(tmp_path)
    names = {}
    section, file, wing, twisted, carried = blocks("docs/bending.md")

    exec(compile(replaced(section, nodes="800", cycles=1, steps_per_cycle=16), "", "exec"), names)
    mesh, history = names["mesh"], names["run"].history
    wall = mesh.points[np.unique(mesh.boundaries["airfoil"])]
    assert np.abs(names["flap"](wall)[:, 1]).max() == pytest.approx(5 * 0.3**2, rel=1e-3)
    assert np.ptp(history["mode_1"]) == pytest.approx(0.2, rel=1e-2)
    # an edge that droops raises lift, and is pushed back
    assert np.polyfit(history["mode_1"], history["cl"], 1)[0] > 0
    assert np.polyfit(history["mode_1"], history["mode_force_1"], 1)[0] < 0

    exec(compile(file, "", "exec"), {})
    exec(compile(replaced(wing, cycles=1, steps_per_cycle=8), "", "exec"), names)
    bent, turned = km.motion.shapes_from("wing.npz")
    nodes = names["wing"].points[np.unique(names["wing"].boundaries["airfoil"])]
    assert np.abs(bent(nodes)[:, 2] - nodes[:, 1] ** 2 / 4).max() < 0.02
    assert np.abs(turned(nodes)[:, 2] - nodes[:, 1] / 2 * (0.25 - nodes[:, 0])).max() < 0.02
    flown = names["flown"].history
    assert flown.rows == 8
    assert np.ptp(flown["mode_1"]) == pytest.approx(0.04, rel=1e-2)

    for code in (twisted, carried):
        exec(compile(replaced(code, cycles=1, steps_per_cycle=8), "", "exec"), names)
        flown = names["flown"].history
        assert np.ptp(flown["mode_1"]) == pytest.approx(2 * np.radians(3.0), rel=1e-2)
        assert np.polyfit(flown["mode_1"], flown["cl"], 1)[0] > 0


def test_the_page_of_results_runs(tmp_path, monkeypatch):
    pv = pytest.importorskip("pyvista")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(defaults(km.AleSettings), "steady_drop", 1e-2)
    drawn = []
    monkeypatch.setattr(pv.UnstructuredGrid, "plot", lambda grid, **how: drawn.append((grid, how)))
    names = {}

    for number, code in enumerate(blocks("docs/results.md")):
        if number == 0:
            code = replaced(code, nodes="800", cycles=1, steps_per_cycle=16)
        exec(compile(code, f"results.md, block {number}", "exec"), names)

    found, frame, ((grid, how),) = names["found"], names["frame"], drawn
    assert len(frame) == names["run"].history.rows == 32
    assert len(names["columns"]) == len(frame.columns)
    assert names["loop"].damping == names["table"]["damping"][1]
    assert grid.n_points == len(found.points)
    assert grid.n_cells == len(found.cells)
    np.testing.assert_array_equal(grid.points[:, :2], found.points)
    np.testing.assert_array_equal(grid[how["scalars"]], found["Mach"])
    area = grid.compute_cell_sizes(length=False, volume=False)["Area"].sum()
    mesh = names["mesh"]  # which moves rigidly
    a, b, c = mesh.points[km.plot.triangles_of(mesh.cells)].transpose(1, 0, 2)
    want = np.sum((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]) / 2
    assert area == pytest.approx(want, rel=np.finfo(float).eps * grid.n_cells)  # one sum


def executed(name, **small):
    """Names that the notebook leaves behind, with other numbers in its one cell of parameters."""
    names, parameters = {}, 0
    for number, (code, tags) in enumerate(cells(name)):
        if "parameters" in tags:
            parameters += 1
            code = replaced(code, **small)
        exec(compile(code, f"{name}, cell {number}", "exec"), names)
    assert parameters == 1
    return names


@pytest.mark.long
def test_the_notebook_s_loop_is_damped_as_ct5_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    names = executed("agard_ct5.ipynb", nodes="2_000", cycles=1, steps_per_cycle=16)

    assert names["loop"].damping == pytest.approx(DAMPING, rel=SHARE)


@pytest.mark.long
def test_the_case_from_scratch_is_checked_and_its_damping_grows_with_the_frequency(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)

    names = executed("from_scratch.ipynb", nodes="1_200", cycles=1, steps_per_cycle=16)

    damping = names["table"]["damping"]
    assert names["report"].good
    assert names["steady"]["residual_drop"] <= 1e-6
    assert 0 < damping[0] < damping[1] < damping[2]
    assert damping[1] == pytest.approx(names["loop"].damping, rel=DEFORMED)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_mesh_and_meshless_give_ct5_s_lift_from_one_case(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    names = executed("mesh_and_meshless.ipynb", nodes="2_000", cycles=1, steps_per_cycle=16)

    assert {m: type(s) for m, s in names["solvers"].items()} == {
        "mesh": km.Ale,
        "meshless": km.Meshless,
    }
    for loop in names["loops"].values():
        assert loop.cl.amplitude == pytest.approx(CL_AMPLITUDE, rel=SHARE)
    lift, moment = names["figure"].axes
    assert [line.get_label() for line in lift.lines] == ["SU2", "mesh", "meshless"]
    assert len(moment.lines) == 3
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_the_study_has_a_boundary_of_stability_and_runs_nothing_twice(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(defaults(km.AleSettings), "steady_drop", 1e-2)

    names = executed("sweep.ipynb", machs=2, ks=3, nodes=520, steps_per_cycle=8)

    found, table = names["ds"], names["table"]
    assert (found.state == 1).all()
    assert (np.diff(found.damping, axis=1) > 0).all()  # with k
    assert (found.damping.isel(k=0) < 0).all()
    assert (found.damping.isel(k=-1) > 0).all()
    assert 0.05 < names["boundary"][0] < names["boundary"][1] < 0.3
    assert table.loc[(0.8, 0.3), "damping"] == found.damping.sel(mach=0.8, k=0.3)
    assert names["again"].equals(found)
    assert "equal: True" in capsys.readouterr().out
    assert [path.name for path in tmp_path.iterdir()] == ["pitch-damping"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*the CFL number was above:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:part .* cells of receptors", "ignore:member 0. not periodic")
def test_a_section_has_the_loads_of_one_grid_on_two(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    small = {"nodes": "4_000", "wing_nodes": "2_000", "resolution": 15}

    names = executed("overset.ipynb", cycles=1, steps_per_cycle=100, **small)

    one, two = names["loops"].values()
    # measured 2.2 and 2.8 %; with the numbers of the notebook 1.3 and 1.1 %
    assert two.cl.amplitude == pytest.approx(one.cl.amplitude, rel=0.05)
    assert two.damping == pytest.approx(one.damping, rel=0.05)
    assert names["report"].parts["wing"].orphans == 0
    assert (names["flow"]["iblank"][names["cells"]] == 1).all()
    assert [path.name for path in tmp_path.iterdir()] == ["two-grids"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*the CFL number was above:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:.*times as large as th", "ignore:.*the mass defect was above")
def test_a_wing_plunges_over_a_box_and_sheds_vortices(tmp_path, monkeypatch):
    """60 of the notebook's 100 steps, in which the lift falls and turns."""
    monkeypatch.chdir(tmp_path)

    names = executed("wing_overset.ipynb", steps=60)

    found = names["report"].parts
    assert all(part.orphans == part.second == 0 for part in found.values())
    assert found["back"].covered > 0
    run, flow, plane = names["run"], names["flow"], names["plane"]
    assert 0.15 < run.history.cycle[np.argmin(run.history.cl)] < 0.25
    # the tip's vortex turns as that of a wing with negative lift does
    assert names["omega"][plane].min() < 3 * -names["omega"][plane].max() < 0
    y, z = flow.points[plane][np.argmin(names["omega"][plane]), 1:]
    assert 1.6 < y < 2.4
    assert -0.75 < z < flow.points[np.unique(flow.walls), 2].max()
    assert [path.name for path in tmp_path.iterdir()] == ["plunging-wing"]


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*the CFL number was above:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:.*not periodic:RuntimeWarning")  # plunging: too few cycles
@pytest.mark.filterwarnings("ignore:the boundary .far. reaches from")  # a circle and a box
def test_four_methods_estimate_errors_by_each_other_and_by_three_sizes(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    for settings in (km.AleSettings, km.CellSettings, km.MeshlessSettings):
        monkeypatch.setitem(defaults(settings), "steady_drop", 1e-3)
        monkeypatch.setitem(defaults(settings), "unsteady_drop", 1e-3)  # for periodic loops
    # of 500 nodes in the coarsest mesh, the third of three cycles is 1.1 % off the second
    gas = {"nodes": 2_400, "far_field": 15, "cycles": 4, "steps_per_cycle": 12}
    plunging = {"section_nodes": 1_200, "wing_nodes": 1_200, "plunge_steps": 20}

    names = executed("four_methods.ipynb", **gas, **plunging)

    loops, study, both = names["loops"], names["study"], names["both"]
    solvers = {"nodes": km.Ale, "cells": km.CellCentred, "meshless": km.Meshless}
    assert {name: type(own) for name, own in names["solvers"].items()} == solvers
    assert [label.split(",")[0] for label in names["found"].labels] == ["ale", "cells"]
    assert study.values["cl_amplitude"][0] == loops["nodes"].cl.amplitude
    lift, drag = study.orders["cl_amplitude"], study.orders["cd_mean"]
    amplitudes = [loop.cl.amplitude for loop in loops.values()]
    assert amplitudes == pytest.approx([CL_AMPLITUDE] * 3, rel=SHARE)
    assert lift.uncertainty / 3 < np.ptp(amplitudes) < lift.uncertainty  # as the notebook says
    means = [loop.cd.mean for loop in loops.values()]
    assert np.ptp(means) < drag.uncertainty / 3
    assert min(means) > drag.extrapolated
    assert [label.split(", ")[-1] for label in both.labels] == ["one grid", "overset grids"]
    # measured 2.3 % both; with the numbers of the notebook 2.8 and 2.6 %
    assert both.cl.rms_share == pytest.approx(0, abs=0.05)
    assert both.cm.rms_share == pytest.approx(0, abs=0.05)
    assert "one is of a gas, the other of incompressible flow" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


class Drawn:
    """Plotter of PyVista that keeps what it is given, and draws nothing."""

    def __init__(self, **about):
        self.meshes = {}

    def add_mesh(self, mesh, scalars, **how):
        self.meshes[scalars] = mesh

    def screenshot(self, return_img):
        return np.zeros((7, 12, 3), np.uint8)


@pytest.mark.slow
@pytest.mark.parametrize("seen", [True, False], ids=["with PyVista", "without PyVista"])
def test_a_wing_has_measured_pressures_by_three_methods_and_pitches_damped(
    seen, tmp_path, monkeypatch, capsys
):
    """Residuals fall less than the notebook's, and one cycle of eight steps is run."""
    if seen:
        monkeypatch.setattr(pytest.importorskip("pyvista"), "Plotter", Drawn)
    else:
        monkeypatch.setitem(sys.modules, "pyvista", None)
    monkeypatch.chdir(tmp_path)
    for settings in (km.AleSettings, km.CellSettings, km.MeshlessSettings):
        monkeypatch.setitem(defaults(settings), "steady_drop", 1e-2)
    small = {"nodes": "20_000", "pitching_nodes": "10_000", "cycles": 1, "steps_per_cycle": 8}

    names = executed("wing.ipynb", **small)

    measured = names["measured"][np.isclose(names["measured"][:, 0], 0.9)]
    below = measured[(measured[:, 3] < 0) & (measured[:, 2] > 0.1)]
    for run in names["runs"].values():
        (wall,) = run.pressures(section=below[0, 1] / names["span"]).values()
        side = np.flatnonzero(wall.y < 0)[np.argsort(wall.x[wall.y < 0])]
        found = np.interp(below[:, 2], wall.x[side], wall.mean[side])
        assert found == pytest.approx(below[:, 4], abs=0.12)  # measured 0.07 to 0.10
        total = run.spanwise().total()["cl"]
        assert total == pytest.approx(run.summary["result"]["cl"], rel=0.01)  # 0.4 %, as it says
    loop, lag, load = names["loop"], names["lag"], names["load"]
    moment = names["section"].cm.harmonics[0]
    assert loop.damping > 0.3
    assert load.total()["cl"] == pytest.approx(loop.cl.mean, rel=0.01)
    assert lag[0] > 5 > lag[np.searchsorted(load.eta, 0.85)]
    assert abs(moment.cos) > 3 * abs(moment.sin)
    assert ("PyVista is not installed" in capsys.readouterr().out) is not seen
    if seen:
        wing, plane = (names["plotter"].meshes[name] for name in ("Cp", "Mach"))
        assert wing.n_cells == len(names["runs"]["nodes"].fields().walls)
        assert plane.points[:, 1] == pytest.approx(0.01, abs=1e-6)
    assert [path.name for path in tmp_path.iterdir()] == ["m6"]


@pytest.mark.slow
def test_a_twisting_wing_is_damped_and_its_sections_make_its_lift(tmp_path, monkeypatch):
    """A sixth of the notebook's steps."""
    monkeypatch.chdir(tmp_path)

    names = executed("twist.ipynb", nodes="10_000", steps_per_cycle=32)

    load, history = names["load"], names["history"]
    first = names["end"]["cl"]["harmonics"][0]
    along = np.trapezoid(load.harmonics["cl"] * load.chord, load.y) / names["area"]
    assert along == pytest.approx(first["cos"] - 1j * first["sin"], rel=0.02)
    assert names["work"] < -0.005
    # means of both ends of a step against its end alone, half a step of 11 degrees late
    assert names["swept"] == pytest.approx(names["work"], rel=0.05)
    assert names["alone"]["least_dihedral_phase_deg"] == pytest.approx(270)
    assert names["alone"]["least_dihedral_deg"] == history["min_dihedral_deg"].min()
    lead = names["first"]["cl1_phase_deg"][names["inside"]]
    assert lead[0] < -15 < 5 < lead.max()


@pytest.mark.slow
def test_a_turbulent_wing_has_the_loads_of_nasa_s_codes_and_measured_pressures(
    tmp_path, monkeypatch
):
    """The notebook as given, whose mesh is that of the ready case oneram6-sa, coarse."""
    monkeypatch.chdir(tmp_path)

    names = executed("turbulent_wing.ipynb", nodes="80_000")

    end, load, run = names["end"], names["load"], names["run"]
    assert end["converged"]
    assert end["cl"] == pytest.approx(0.2694, rel=0.03)  # of fine grids; CFL3D, FUN3D 3 and 4 % off
    assert 0.0170 < end["cd"] < 0.0225  # USM3D on 135 thousand nodes has 0.0213
    assert end["cd_friction"] == pytest.approx(0.0053, rel=0.2)
    assert load.total()["cl"] == pytest.approx(end["cl"], rel=0.01)
    there = names["measured"][np.isclose(names["measured"][:, 0], 0.65)]
    below = there[(there[:, 3] < 0) & (there[:, 2] > 0.1)]
    (wall,) = run.pressures(section=below[0, 1] / load.y[-1]).values()
    side = np.flatnonzero(wall.y < 0)[np.argsort(wall.x[wall.y < 0])]
    found = np.interp(below[:, 2], wall.x[side], wall.mean[side])
    assert found == pytest.approx(below[:, 4], abs=0.05)  # measured 0.023
    assert [path.name for path in tmp_path.iterdir()] == ["m6-sa"]


@pytest.mark.slow
def test_turbulent_layers_are_those_of_nasa(tmp_path, monkeypatch):
    """Residuals fall less than the notebook's; 3 % are asked of finer meshes, too."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(defaults(km.AleSettings), "steady_drop", 1e-3)

    names = executed("boundary_layer.ipynb", section_nodes="14_000")

    far, end = names["far"], names["end"]
    assert names["friction"] == pytest.approx(0.0027056, rel=0.03)  # CFL3D's; measured 1.9 %
    assert abs(names["apart"]).max() < 0.03 * far["u_plus"].max()  # measured 1.0 %
    assert end["cd"] == pytest.approx(end["cd_pressure"] + end["cd_friction"], rel=1e-12)
    assert end["cl"] == pytest.approx(1.0909, rel=0.03)
    assert end["cd_friction"] == pytest.approx(0.0062, rel=0.03)  # measured 2.1 %
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:part .* cells of receptors")
def test_the_overset_grids_of_the_page_plunge(tmp_path, monkeypatch, capsys):
    code = replaced(blocks("docs/overset.md")[0], nodes="3_000", cycles=1, steps_per_cycle=20)
    *begin, last = code.strip().splitlines()
    asked = "cycles=1, steps_per_cycle=20"
    assert len([asked for line in begin if asked in line]) == 1
    monkeypatch.chdir(tmp_path)
    names = {}

    two_steps = "\n".join(begin).replace(asked, "time_step=0.01, steps=2")
    exec(compile(two_steps, "overset.md", "exec"), names)

    assert len([line for line in begin if line]) + 1 == 10
    assert last.startswith("km.hysteresis(run).plot(")
    assert capsys.readouterr().out.split()[:3] == ["part", "field", "receptor"]
    assert names["run"].history.rows == 2
    assert (tmp_path / "grids.png").exists()
    assert (tmp_path / "plunge" / "flow.vtkhdf").exists()


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_section_of_the_notebook_flutters_at_one_speed_by_both_ways(tmp_path, monkeypatch):
    """A third of the nodes and one Mach number."""
    monkeypatch.chdir(tmp_path)

    names = executed("flutter.ipynb", nodes=520, machs=1, wings=0)

    found = names["found"]
    assert found.time_boundary.values == pytest.approx(found.boundary.values, rel=0.05)
    damping = names["run"].roots
    first = damping[damping["share"] == 1.0]["zeta"].tolist()
    assert first == sorted(first, reverse=True)
    assert first[0] > 0 > first[-1]
    assert len(first) == 3


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_wing_of_the_notebook_flutters_where_it_did_in_the_wind_tunnel(tmp_path, monkeypatch):
    """The notebook as it stands, in minutes: section and wing, three boundaries in time."""
    monkeypatch.chdir(tmp_path)

    names = executed("flutter.ipynb")

    assert names["bent"].boundary.values == pytest.approx([0.3700], rel=0.05)
    found = names["found"]
    assert found.time_boundary.values == pytest.approx(found.boundary.values, rel=0.01)
    assert found.boundary.values.tolist() == sorted(found.boundary.values, reverse=True)


def test_notebooks_have_neither_outputs_nor_counts():
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        code = [c for c in json.loads(path.read_text("utf-8"))["cells"] if c["cell_type"] == "code"]

        assert [c["id"] for c in code if c["outputs"] or c["execution_count"] is not None] == []


@pytest.mark.long
def test_the_page_of_sweeps_runs_and_its_table_is_exported(tmp_path, monkeypatch, capsys):
    code = blocks("docs/sweeps.md")
    begin = code[0].replace("nodes=1500", "nodes=520").replace("cycle=32", "cycle=8")
    begin = begin.replace("0.6, 0.7]", "0.4, 0.5]").replace("mach=0.7", "mach=0.5")
    rough = '"run.cycles=1", "run.until=cycles", "solver.steady_drop=1e-2", "solver.cfl=5", '
    begin = begin.replace("changes = [", f"changes = [{rough}")
    monkeypatch.chdir(tmp_path)
    names = {}

    exec(compile(begin, "sweeps.md", "exec"), names)
    found = names["ds"]
    names["over"] = {"flow.mach": [0.4, 0.5], "motion.pitch.k": [0.1, 0.2]}
    for block in code[1:]:
        small = block.replace("n=100", "n=2").replace("[0.6, 0.78]", "[0.4, 0.5]")
        exec(compile(small, "sweeps.md", "exec"), names)
    (line,) = re.findall(r"exports it: `(.*?)`", (ROOT / "docs" / "sweeps.md").read_text("utf-8"))
    exec(line, {"ds": found})

    assert len(code) == 3
    assert len(code[0].strip().splitlines()) <= 10
    assert (np.diff(found.damping, axis=1) > 0).all()  # with k
    assert (km.open("damping").damping == found.damping).all()
    assert "cl_amplitude" in capsys.readouterr().out
    kept = xarray.load_dataset("damping.nc")
    assert (kept.cl == found.cl).all()
    assert (kept.version == found.version).all()
    assert dict(names["ds"].sizes) == {"case": 2, "phase": 8}


def test_the_page_of_overset_grids_finds_what_it_says(capsys):
    names = {}

    for block in blocks("docs/overset.md"):
        if "steps_per_cycle" in block or ".steady(" in block:  # computed by tests of their own
            continue
        exec(compile(block, "overset.md", "exec"), names)

    *table, found = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in table] == ["part", "wing", "back", "overlap"]
    assert table[3].startswith("overlap 2 where 3 are asked")
    assert names["report"].problem == ""
    text, _ = tables("docs/overset.md")
    stated = build.solver(Case.from_dict(tomllib.loads(text)))
    assert str(stated.connectivity(time=1.0)) == "\n".join(table)
    assert found == "[ True False  True]"
    assert names["value"] == pytest.approx([0.5, 0, 1.5], abs=1e-13)


@pytest.mark.long
def test_half_a_sphere_on_overset_grids_is_one_in_python_and_in_a_case_file(tmp_path, monkeypatch):
    """A drop of ten in place of a thousand."""
    (code,) = (block for block in blocks("docs/overset.md") if ".steady(" in block)
    _, text = tables("docs/overset.md")
    monkeypatch.chdir(tmp_path)
    names = {}

    exec(compile(code.replace("steady_drop=1e-3", "steady_drop=0.1"), "overset.md", "exec"), names)

    case, stated = names["case"], build.solver(Case.from_dict(tomllib.loads(text)))
    assert names["run"].summary["result"]["cd"] == pytest.approx(1.317, rel=0.1)
    assert (tmp_path / "ball" / "q.png").exists()
    np.testing.assert_array_equal(stated.grid.points, case.grid.points)
    assert stated.reference == pytest.approx(case.reference)
    assert stated.settings.steady_drop == 1e-3


@pytest.mark.long
def test_the_hovering_ellipse_is_one_by_its_laws_and_by_its_table(monkeypatch):
    """Poses and rates of both are equal to 2e-13; an iteration of the pressure more or less, at its
    tolerance of 1e-4, changes loads by 2e-6, and by a hundredth of that at 1e-6."""
    monkeypatch.setitem(defaults(km.IncompressibleSettings), "pressure_tolerance", 1e-6)
    _, laws, table = (block for block in blocks("docs/overset.md") if "steps_per_cycle" in block)
    names = {}

    for block in (laws, table):
        with pytest.warns(RuntimeWarning, match="moves at once"):
            exec(compile(block.replace("cycles=4", "cycles=0.025"), "overset.md", "exec"), names)

    assert len([line for line in laws.splitlines() if line]) <= 15
    one, other = names["run"].history, names["again"].history
    assert one.rows == other.rows == 8
    for load in ("cl", "cd", "cm", "power"):
        assert other[load] == pytest.approx(one[load], abs=1e-6 * abs(one[load]).max()), load


def test_the_table_of_getting_started_is_a_motion_of_its_frequency():
    (code,) = [block for block in blocks("docs/getting-started.md") if "motion.table" in block]
    names = {"km": km}

    exec(compile(code, "getting-started.md", "exec"), names)

    assert names["motion"].omega(0.5) == pytest.approx(2 * 0.1 * 0.5)
