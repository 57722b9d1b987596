"""Cases of meshes in space: wings, spheres, meshes drawn out along a span, files, sweeps."""

import json
import re
import warnings
from pathlib import Path

import kinemesh as km
import numpy as np
import pytest
from kinemesh import cases, cli
from kinemesh.cases import build
from kinemesh.cases.casefile import Case
from kinemesh.cases.check import check
from kinemesh.errors import CaseError, KinemeshError
from kinemesh.study.sweep.asked import asked_of

pytestmark = [pytest.mark.filterwarnings("ignore:.*(residual fell|planform):RuntimeWarning")]
WING = {"wing": "naca0012", "nodes": 10_000, "span": 2.0, "taper": 0.5, "sweep_deg": 20.0}
CT5 = cases.load("ct5-extruded")
M6 = cases.load("oneram6").replace(method="ale", points=10_000)


def case(mesh, **more):
    table = {"name": "small", "mode": "steady", "mesh": mesh, "flow": {"mach": 0.5}, **more}
    return Case.from_dict(table)


def made(mesh, **more):
    return build.space(case(mesh, **more))


def same(one, other):
    np.testing.assert_array_equal(one.points, other.points)
    assert {n: len(t) for n, t in one.solids.items()} == {
        n: len(t) for n, t in other.solids.items()
    }
    assert list(one.boundaries) == list(other.boundaries)


# ---------------------------------------------------------------- what is built


def test_the_wing_of_a_cloud_has_a_mesh_by_method_ale():
    mesh = build.space(M6)

    same(mesh, km.mesh.oneram6(10_000))
    assert {name: len(own) > 0 for name, own in mesh.solids.items()} == {"hexahedra": True}
    tets = M6.changed(["mesh.cells=tets", "mesh.tip=0.5"])
    same(build.space(tets), km.mesh.oneram6(10_000, cells="tets", tip=0.5))
    ready = cases.load("oneram6")
    sizes = ("coarse", "medium", "fine")
    assert [ready.replace(nodes=n).mesh.points for n in sizes] == [40_000, 100_000, 300_000]
    assert ready.replace(method="ale", nodes=50_000).mesh.nodes == 50_000
    assert ready.method == "meshless"


def test_keys_of_a_wing_are_arguments_of_its_mesh():
    more = {"tip": 0.5, "far_field": 15.0, "cells": "hybrid", "layers": 5, "topology": "oh"}
    plan = {"span": 2.0, "taper": 0.5, "sweep_deg": 20.0}

    same(made(WING | more), km.mesh.wing("naca0012", 10_000, **plan, **more))


def test_a_wing_of_any_section_has_a_cloud_by_method_meshless():
    plan = {"span": 2.0, "taper": 0.5, "sweep_deg": 20.0}

    cloud = build.space(case(WING | {"nodes": 20_000}, method="meshless"))

    np.testing.assert_array_equal(cloud.points, km.cloud.wing("naca0012", 20_000, **plan).points)


def test_the_section_of_a_wing_may_be_a_file_beside_the_case(tmp_path, monkeypatch):
    x = np.linspace(0, 1, 40)
    half = 0.6 * (0.2969 * np.sqrt(x) - 0.126 * x - 0.3516 * x**2 + 0.2843 * x**3 - 0.1036 * x**4)
    points = np.concatenate([np.c_[x, half][::-1], np.c_[x, -half][1:]])
    np.savetxt(tmp_path / "own.dat", points, header="own", comments="")
    text = (
        'name = "w"\nmode = "steady"\n[mesh]\nwing = "own.dat"\nnodes = 10000\n[flow]\nmach = 0.5'
    )
    (tmp_path / "w.toml").write_text(text)

    read = cases.load(tmp_path / "w.toml")

    assert read.mesh.files == [tmp_path / "own.dat"]
    assert Case.from_dict(read.tables()).mesh == read.mesh
    same(build.space(read), km.mesh.wing(tmp_path / "own.dat", 10_000))
    monkeypatch.chdir(tmp_path)
    asked = case(WING).changed(["mesh.wing=own.dat"])
    assert asked.mesh.wing == tmp_path / "own.dat"
    with pytest.raises(CaseError, match=r"\[mesh\] wing = .*none.dat: no such file"):
        made({"wing": "none.dat"})


def test_a_sphere_is_a_shape():
    told = {"nodes": 800, "far_field": 3.0, "cells": "prisms", "wall_spacing": 0.1, "growth": 1.4}

    same(made({"shape": "sphere", **told}), km.mesh.sphere(**told))


@pytest.mark.parametrize(
    ("source", "flat"),
    [
        ({"section": "naca0012", "nodes": 600, "cells": "quads"},
         lambda: km.mesh.airfoil("naca0012", nodes=600, cells="quads")),
        ({"shape": "cylinder", "nodes": 600}, lambda: km.mesh.cylinder(nodes=600)),
        ({"box": [0, 1, 0, 1], "spacing": 0.25, "core": [0, 1, 0, 1]},
         lambda: km.mesh.background(box=(0, 1, 0, 1), core=(0, 1, 0, 1), spacing=0.25)),
    ],
)  # fmt: skip
def test_meshes_of_the_plane_are_drawn_out(source, flat):
    told = {"span": 0.5, "layers": 2, "cells": "tets"}

    same(made({**source, "extruded": told}), km.mesh.extruded(flat(), **told))
    same(made({**source, "extruded": {}}), km.mesh.extruded(flat()))


def test_a_mesh_file_of_the_plane_is_drawn_out_and_one_in_space_is_not(tmp_path):
    flat = km.mesh.airfoil("naca0012", nodes=600)
    km.mesh.write(flat, tmp_path / "flat.su2")
    km.mesh.write(km.mesh.extruded(flat), tmp_path / "solid.su2")

    drawn = CT5.changed(["mesh.extruded.layers=2"]).replace(mesh=tmp_path / "flat.su2")
    assert build.space(drawn).nodes == 3 * flat.nodes
    with pytest.raises(KinemeshError, match=r"extruded: the mesh is Mesh.*expected a Mesh of"):
        build.solver(CT5.replace(mesh=tmp_path / "solid.su2"))
    with pytest.raises(CaseError, match=r"flat\.su2: the mesh is in the plane, .* a mesh in space"):
        M6.replace(mesh=tmp_path / "flat.su2")
    assert build.space(M6.replace(mesh=tmp_path / "solid.su2")).dimensions == 3


def test_ct5_is_the_case_of_the_plane_in_rigid_motion():
    plane = cases.load("agard-ct5")

    assert CT5.flow == plane.flow
    assert (CT5.motion, CT5.job, CT5.mode) == (plane.motion, plane.job, plane.mode)
    model = CT5.replace(nodes=600).build(device="cpu")
    assert isinstance(model.deform, km.deform.Rigid)
    assert set(model.conditions) == {"airfoil", "farfield"}
    assert len(model.grid.normals) == 1
    assert model.reference == (1.0, 1.0)


@pytest.mark.filterwarnings("ignore:.*the planform of sphere is:RuntimeWarning")
def test_the_moving_sphere_goes_through_a_gas_at_rest():
    ready = cases.load("sphere-75-moving")
    made = ready.replace(nodes="coarse").build(device="cpu")

    assert (made.backend.get(made.stream)[:, 1:4] == 0).all()
    assert made.at_rest
    with pytest.warns(RuntimeWarning, match="mode = 'steady' leaves out"):
        other = ready.changed(["mode=steady", "flow.stream=1"])
    steady = other.replace(nodes="coarse").build(device="cpu")
    assert steady.backend.get(steady.stream)[0, 1] == 0.2


# ---------------------------------------------------------------- what is refused

SECTION = {"section": "naca0012", "nodes": 600}
REFUSED = {
    "cells of a wing": (WING | {"cells": "tetrahedra"}, {},
                        r"\[mesh\] cells = 'tetrahedra', expected one of hexes, .* mean 'tets'\?"),
    "cells of a section": (SECTION | {"cells": "hexes"}, {}, "of triangles, quads; .* 'quads'"),
    "cells of a sphere": ({"shape": "sphere", "cells": "hybrid"}, {}, "one of hexes, prisms, tets"),
    "key of a span": (SECTION | {"extruded": {"spam": 1.0}}, {},
                      r"\[mesh.extruded\]: unknown key 'spam'; did you mean 'span'"),
    "span": (SECTION | {"extruded": {"span": -1.0}}, {}, r"\[mesh.extruded\] span = -1.0, exp"),
    "layers": (SECTION | {"extruded": {"layers": 0}}, {}, r"\[mesh.extruded\] layers = 0, exp"),
    "cells of layers": (SECTION | {"extruded": {"cells": "hex"}}, {}, "mean 'hexes'"),
    "no table": (SECTION | {"extruded": 1.0}, {}, r"extruded = 1.0, expected a table such as { s"),
    "extruded wing": (WING | {"extruded": {}}, {}, "a wing, so extruded has no meaning; meshes of"),
    "extruded bodies": ({"bodies": "30p30n", "extruded": {}}, {}, "bodies, so extruded has no m"),
    "keys of a wing": (SECTION | {"taper": 0.5}, {},
                       "a section, so taper has no meaning; a wing is wing = 'naca0012' in place"),
    "tetrahedra in the plane": (SECTION | {"cells": "tets"}, {}, "extruded = { cells = 'tets' }"),
    "a point of space": (WING, {"flow": {"mach": 0.5, "moment_about": [0, 0, 0]}},
                         r"expected two numbers \[x, y\], in space \[x, z\]"),
    "walls of a wing": (WING | {"walls": ["wing"]}, {}, "a wing, so walls has no meaning"),
    "name of a wing": (WING | {"wing": "oneram7"}, {}, r"'oneram7', expected .* mean 'oneram6'\?"),
    "what is a wing": (WING | {"wing": 6}, {}, r"wing = 6, expected oneram6, or a section"),
    "nodes of a wing": (WING | {"nodes": 500}, {}, "nodes = 500, expected an integer of 10000 to"),
    "a cloud's key": (WING | {"cloud": "irregular"}, {}, "cloud is of a cloud about a wing, and m"),
    "extruded cloud": (SECTION | {"extruded": {}}, {"method": "meshless"},
                       r"extruded makes a mesh in space, .* wings .* use method = 'ale' .*Cloud"),
    "chord": (WING, {"flow": {"mach": 0.5, "chord": 1.0}},
              r"\[flow\] chord = 1 is of the plane, and the case is in space; give reference_area"),
    "two numbers": (WING | {"points": 20_000}, {}, "points = 20000 and nodes = 10000, which are"),
    "delaunay": (None, {}, r"\[deform\] method = 'delaunay' moves what is in the plane, .* use "
                 "'rigid' or 'springs'"),
}  # fmt: skip


@pytest.mark.parametrize(("mesh", "more", "message"), REFUSED.values(), ids=REFUSED)
def test_what_has_no_meaning_in_space_is_refused_before_a_mesh_is_made(mesh, more, message):
    with pytest.raises(CaseError, match=message):
        CT5.replace(deform="delaunay") if mesh is None else case(mesh, **more)


BALL = {"shape": "sphere", "nodes": 900, "far_field": 1.5}
AROUND = {"box": [-2, 2, -2, 2, -2, 2], "core": [-2, 2, -2, 2, -2, 2], "spacing": 0.5}


def of_parts(**parts):
    tables = cases.load("sphere-75-towed").tables()
    return Case.from_dict(tables | {"parts": parts})


def test_parts_in_space_stand_where_they_are_put():
    case = of_parts(ball=BALL | {"at": [0.1, 0.2, 0.3]}, back=AROUND)
    assert case.mesh.dimension.count == 3
    made = build.laid(case.mesh)
    assert made["ball"].at == (0.1, 0.2, 0.3)
    assert made["back"].at == (0.0, 0.0, 0.0)
    assert "overset" in made["ball"].mesh.boundaries


def test_sections_that_are_extruded_are_parts_in_space():
    section = {"section": "naca0012", "nodes": 600, "far_field": 1.5, "extruded": {"span": 0.5}}
    made = build.laid(of_parts(wing=section, back=AROUND).mesh)
    assert {"overset", "airfoil"} <= set(made["wing"].mesh.boundaries)
    assert made["wing"].mesh.dimensions == 3


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        (
            {"ball": BALL | {"at": [0.1, 0.2]}, "back": AROUND},
            r"expected three numbers \[x, y, z\]",
        ),
        ({"ball": BALL | {"at": 3}, "back": AROUND}, "at = 3, expected three numbers"),
        ({"ball": BALL | {"half": 1}, "back": AROUND}, "half = 1, expected true or false"),
        ({"ball": {"shape": "plate"}, "back": AROUND}, "makes no part"),
        ({"ball": BALL, "back": AROUND | {"box": [0, 1, 0, 1, 0]}}, "in space"),
    ],
)
def test_parts_in_space_that_cannot_be_are_refused(parts, told):
    with pytest.raises(KinemeshError, match=told):
        build.laid(of_parts(**parts).mesh)


# ---------------------------------------------------------------- the program


@pytest.mark.long
def test_check_tells_all_of_a_mesh_in_space(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)

    words = "check ct5-extruded --nodes 600 --device cpu --quiet"
    assert cli.main(words.split()) == 0

    rows = [line.split(maxsplit=2) for line in capsys.readouterr().out.splitlines()[:-1]]
    said = {name: text for name, _, text in rows}
    mesh = build.space(CT5.replace(nodes=600))
    assert f"{mesh.nodes} nodes, {len(mesh.solids['hexahedra'])} hexahedra" in said["mesh"]
    assert "symmetry (plane) symmetry_left (" in said["markers"]
    assert said["quality"].startswith("least dihedral angle")
    assert "640 steps at most" in said["steps"]
    assert "GiB free on cpu" in said["memory"]
    assert "rigid motion" in said["pre-flight"]


@pytest.mark.long
def test_check_takes_the_planes_that_boundaries_name_as_a_run_does(tmp_path):
    solid = km.mesh.extruded(km.mesh.airfoil("naca0012", nodes=500))
    ends = {"symmetry_left": "root", "symmetry_right": "symmetry"}
    sides = {ends.get(name, name): own for name, own in solid.boundaries.items()}
    blocks = {name: own for name, own in solid.solids.items() if len(own)}
    km.mesh.write(km.Mesh.from_blocks(solid.points, blocks, sides), tmp_path / "own.su2")

    def looked(**kinds):
        return check(case({"file": str(tmp_path / "own.su2"), "boundaries": kinds}))

    both = looked(root="symmetry", symmetry="symmetry")
    assert both.good
    assert any("symmetry (plane) root (" in text for _, _, text in both.rows)
    one = {name: text for name, state, text in looked(root="symmetry").rows if state == "wrong"}
    assert "boundaries={'symmetry': 'symmetry'} for planes" in one["markers"]


@pytest.mark.long
@pytest.mark.flow
def test_a_wing_runs_from_the_shell_with_its_pictures(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    words = "run oneram6 --method ale --points 10000 --set solver.steady_iterations=2"

    assert cli.main([*words.split(), "--device", "cpu", "--quiet", "--out", "m6"]) == 3

    names = {path.name for path in Path("m6").iterdir()}
    assert {"cp.png", "sections.png", "mesh.png", "convergence.png"} <= names
    about = json.loads(Path("m6/summary.json").read_text())
    assert (about["case"]["mesh"], about["case"]["method"]) == ("oneram6", "ale")
    assert about["conditions"]["reference_area"] == 1.15315084


@pytest.mark.flow
@pytest.mark.long
def test_a_wing_s_angles_are_swept_in_one_ensemble(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    words = ("sweep oneram6 --method ale --set mesh.points=10000 --set solver.steady_iterations=2 "
             "--over flow.alpha_deg=1,3 --device cpu --quiet --out swept")  # fmt: skip

    assert cli.main(words.split()) == 3

    found = km.open("swept")
    assert found["cl"].values[0] < found["cl"].values[1]
    with pytest.raises(CaseError, match="--method ale: method varies in this sweep"):
        asked_of("oneram6", {"over": {"method": ["ale"]}}, method="ale")


@pytest.mark.flow
@pytest.mark.long
def test_a_wing_in_metres_has_the_coefficients_of_the_one_in_chords(tmp_path):
    chord = 0.810491
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mesh = km.mesh.wing(nodes=10_000, span=1.5, cells="tets")
        metres = km.mesh.Mesh.from_blocks(
            mesh.points * chord,
            {n: t for n, t in mesh.solids.items() if len(t)},
            mesh.boundaries,
        )
        km.mesh.write(metres, tmp_path / "wing.su2")
        few = {"solver": {"steady_iterations": 2}}
        flow = {"mach": 0.5, "alpha_deg": 3.0, "reference_area": 1.5}
        own = {"wing": "naca0012", "nodes": 10_000, "span": 1.5, "cells": "tets"}
        here = case(own, flow=flow, **few).run()
        sized = {"reference_area": 1.5 * chord**2, "reference_length": chord,
                 "moment_about": [0.25 * chord, 0.0]}  # fmt: skip
        there = case({"file": str(tmp_path / "wing.su2")}, flow=flow | sized, **few).run()

    for name in ("cl", "cd", "cm"):
        assert there.history[name][-1] == pytest.approx(here.history[name][-1], rel=1e-6), name


@pytest.mark.long
def test_a_mesh_file_in_place_of_a_wing_takes_the_keys_of_files(monkeypatch, tmp_path, capsys):
    """In space in place of a wing, in the plane of a section."""
    monkeypatch.chdir(tmp_path)
    km.mesh.write(km.mesh.sphere(2000), "ball.su2")
    plane = km.mesh.airfoil("naca0012", nodes=600)
    km.mesh.write(plane.transformed(2 * plane.points), "wide.su2")

    for words, said in (
        ("oneram6 --method ale --mesh ball.su2 --set mesh.scale=0.5", "coordinates .* times 0.5"),
        ("oneram6 --method ale --mesh ball.su2 --set mesh.merge=1e-9", "merged 0 node"),
        ("agard-ct5 --mesh wide.su2 --set mesh.chord=2", "over the chord of 2"),
    ):
        cli.main(["check", *words.split(), "--device", "cpu", "--quiet"])
        assert re.search(said, capsys.readouterr().out), words
    words = "check oneram6 --method ale --mesh ball.su2 --set mesh.points=20000 --quiet"
    assert cli.main(words.split()) == 2
    assert "[mesh] has a file, so points has no meaning" in capsys.readouterr().err
