"""`method = "meshless"`: the same case files on clouds, in Python and in the shell."""

import json
import re
import tomllib

import kinemesh as km
import numpy as np
import pytest
from kinemesh import cases, cli
from kinemesh.cases import build
from kinemesh.cases.casefile import Case
from kinemesh.flow import memory
from solver_cases import DATA, case_text

MESHLESS = case_text(method="delaunay").replace("[mesh]", 'method = "meshless"\n[mesh]')
THREE = cases.load("three-element")
ROUGH = "[solver]\nsteady_drop = 0.05\nunsteady_drop = 0.3\n"
pytestmark = [
    pytest.mark.flow,
    pytest.mark.filterwarnings("ignore:(steady flow|member):RuntimeWarning"),
]


def case(text=MESHLESS, *changes):
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return Case.from_dict(tomllib.loads(text))


# ---------------------------------------------------------------- what is built


def test_a_section_makes_the_cloud_of_the_nodes_that_the_mesh_would_have():
    keys = "far_field = 9.0\nwall_spacing = 0.01\ntrailing_spacing = 0.004\naround = 40"
    model = case(MESHLESS, ("far_field = 8.0", keys)).build()

    want = km.mesh.airfoil("naca0012", nodes=500, far_field=9.0, wall_spacing=0.01,
                           trailing_spacing=0.004, around=40)  # fmt: skip
    assert isinstance(model, km.Meshless)
    assert len(model.grid.wall.node) == 40
    back = np.argsort(model.grid.meshes[0].original)
    np.testing.assert_array_equal(model.grid.points[back], want.points)
    assert isinstance(model.deform, km.deform.Delaunay)


def test_a_mesh_file_gives_its_nodes_and_edges(tmp_path):
    made = km.mesh.airfoil("naca0012", nodes=800, far_field=10.0, topology="c")
    km.mesh.write(made, tmp_path / "m.su2")

    model = case().build(mesh=tmp_path / "m.su2")

    assert model.grid.sizes() == {"points": made.nodes, "satellites": 2 * len(made.edges)}


@pytest.mark.long
def test_the_three_elements_are_a_ready_case():
    cloud = build.space(THREE.replace(nodes=5000))

    assert (THREE.flow.mach, THREE.flow.alpha_deg, THREE.mode) == (0.2, 1.25, "steady")
    assert set(cloud.boundaries) == {"slat", "main", "flap", "farfield"}
    assert len(cloud.points) == pytest.approx(5000, rel=0.02)
    assert abs(cloud.points).max() == pytest.approx(50, rel=0.02)


@pytest.mark.parametrize("name", ["agard-ct5", "agard-ct6"])
def test_springs_of_a_ready_case_become_delaunay(name):
    ready = cases.load(name)

    changed = ready.replace(method="meshless")

    assert (ready.deform.method, changed.deform.method) == ("springs", "delaunay")
    assert changed.replace(method="ale").method == "ale"
    assert ready.replace(method="meshless", deform="rigid").deform.method == "rigid"
    assert ready.replace(method="ale") == ready
    with pytest.raises(
        km.CaseError, match=r"'springs' is none of method 'meshless', .* on a cloud"
    ):
        ready.replace(method="meshless", deform="springs")


def test_settings_are_those_of_the_method():
    model = case(MESHLESS + '[solver]\ntime = "lusgs"\nlusgs_sweeps = 3\n').build()

    assert model.settings == km.MeshlessSettings(time="lusgs", lusgs_sweeps=3).complete()
    assert isinstance(case(case_text()).build(), km.Ale)
    lost = r"^\[solver\]: lusgs_sweeps is 3 and has no effect: time is 'bi"
    with pytest.raises(km.SettingsError, match=lost):
        case(MESHLESS + "[solver]\nlusgs_sweeps = 3\n").build()


@pytest.mark.parametrize(
    ("given", "key", "value"),
    [
        (["--method", "cells"], "solver.gradient", "plain"),
        (["--method", "meshless"], "solver.weight_power", 2.0),
        (["--deform", "delaunay"], "deform.retriangulate", True),
    ],
)
def test_settings_of_the_method_and_deformation_that_options_choose_may_be_set(given, key, value):
    text = f"{key}={value}".replace("True", "true")
    asked = cli.parser().parse_args(["run", "agard-ct5", *given, "--set", text])
    made = cli.case_of(asked).tables()

    part, name = key.split(".")
    assert made[part][name] == value
    assert given[1] in (made["method"], made["deform"]["method"])


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ([('"delaunay"', '"springs"')], "'springs' is none of method .* use delaunay or rigid"),
        ([('method = "meshless"', 'method = "cloud"')], "expected one of ale, cells, meshless"),
        ([('method = "meshless"', "method = 3")], "method = 3, expected one of"),
        ([('section = "naca0012"', 'bodies = "30p30n"\ntrailing_edge = "sharp"')],
         "has bodies, so trailing_edge has no meaning"),
        ([('section = "naca0012"', 'bodies = "30p30m"')], "bodies = '30p30m', expected one of 30p"),
        ([("nodes = 500", 'bodies = "30p30n"')], "shape, file, box, disc, bodies, wing, channel; "),
        ([('device = "cpu"', "[solver]\nlinear_solver = 'lusgs'")],
         r"\[solver\] has linear_solver, settings of method 'ale'"),
        ([('device = "cpu"', "[solver]\nlusgs_sweps = 1")], "did you mean 'lusgs_sweeps'"),
    ],
)  # fmt: skip
def test_what_a_cloud_has_no_meaning_for_is_refused(changes, word):
    with pytest.raises(km.CaseError, match=word):
        case(MESHLESS, *changes)


def test_what_a_mesh_has_no_meaning_for_is_refused():
    with pytest.raises(
        km.CaseError,
        match=r"makes no mesh in the plane or in space, which .* or use method = 'meshless'",
    ):
        THREE.replace(method="ale")
    with pytest.raises(km.CaseError, match="settings of method 'ale'; remove what method"):
        case(case_text(more="[solver]\nlinear_solver = 'lusgs'\n")).replace(method="meshless")
    assert THREE.replace(method="ale", mesh="m.su2").mesh.bodies is None


def test_new_graphs_are_asked_for_in_a_case_file():
    text = case_text(method="delaunay").replace('"delaunay"', '"delaunay"\nretriangulate = true')
    mine = case(text)

    assert mine.build().deform == km.deform.Delaunay(retriangulate=True)
    assert mine.replace(deform="delaunay").deform.build().retriangulate
    with pytest.raises(km.SettingsError, match=r"retriangulate is 1, expected True or False"):
        case(text.replace("true", "1")).build()
    with pytest.raises(km.CaseError, match="unknown key 'retriangulated'; did you mean 'retriang"):
        case(text.replace("retriangulate =", "retriangulated ="))
    with pytest.raises(km.CaseError, match="unknown key 'retriangulate'"):
        case(text.replace('"delaunay"', '"springs"'))


# ---------------------------------------------------------------- the program


@pytest.fixture
def here(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_program_runs_a_case_on_a_cloud(here, capsys, undrawn):
    (here / "small.toml").write_text(case_text(cycles=1, more=ROUGH))

    assert cli.main(["run", "small.toml", "--method", "meshless"]) == 0

    names = {path.name for path in (here / "small").iterdir()}
    assert {"flow.vtkhdf", "history.csv", "hysteresis.png", "mach.png", "mesh.png"} < names
    about = json.loads((here / "small" / "summary.json").read_text())
    assert about["case"]["method"] == "meshless"
    assert about["conditions"]["deform"] == {"method": "delaunay", "retriangulate": False}
    assert about["mesh"]["satellites"] > 3 * about["mesh"]["points"]
    assert "worst_condition" in capsys.readouterr().out
    assert cli.main(["run", "small.toml", "--method", "ale", "--resume", "--quiet"]) == 2
    assert "is of another run" in capsys.readouterr().err


def test_the_program_runs_the_nodes_of_a_mesh_file(here, undrawn):
    text = 'name = "s"\nmode = "steady"\n[mesh]\nsection = "naca0012"\n[flow]\nmach = 0.5\n'
    (here / "s.toml").write_text(text + "[solver]\nsteady_iterations = 3\n")
    mesh = str(DATA / "mesh_NACA64A010_inv.su2.xz")

    assert cli.main(["run", "s.toml", "--method", "meshless", "--mesh", mesh, "--quiet"]) == 3

    assert {"cp.png", "convergence.png"} < {path.name for path in (here / "s").iterdir()}
    about = json.loads((here / "s" / "summary.json").read_text())
    assert about["mesh"]["points"] == km.mesh.read(mesh).nodes


def checked(words, capsys):
    """Status and rows (name -> (state, text)) of `kinemesh check`."""
    status = cli.main(["check", *words, "--quiet"])
    rows = {}
    for line in capsys.readouterr().out.splitlines()[:-1]:
        name, state, *said = line.split(maxsplit=2)
        rows[name] = (state, "".join(said))
    return status, rows


def test_check_tells_all_of_a_cloud(here, capsys):
    (here / "small.toml").write_text(MESHLESS)
    status, rows = checked(["small.toml"], capsys)
    cloud = build.space(case())

    assert status == 0
    assert {state for state, _ in rows.values()} == {"ok"}
    assert (
        f"{len(cloud.points)} points, {len(cloud.satellites) / len(cloud.points):.2f} sat"
        in (rows["cloud"][1])
    )
    worst = cloud.conditions
    x, y = cloud.points[np.argmax(worst)]
    assert re.match(r"[5-7] colours; worst condition ", rows["quality"][1])
    # the cloud is symmetric: there are two such points
    place = rf"{worst.max():.3g} at point \d+ \({x:.4g}, -?{abs(y):.4g}\)"
    assert re.search(place, rows["quality"][1])
    assert "walls airfoil" in rows["markers"][1]
    assert "GiB free on cpu" in rows["memory"][1]
    assert rows["settings"][1].endswith("delaunay")
    found = re.match(
        r"8 steps, no satellites on one line; worst condition ([\d.]+) at phase \d+",
        rows["pre-flight"][1],
    )
    # a small motion: a little worse than at rest
    assert 1 <= float(found[1]) / float(f"{worst.max():.3g}") <= 1.05
    assert [path.name for path in here.iterdir()] == ["small.toml"]


FLAP = """
name = "flap"
mode = "unsteady"
method = "meshless"
[mesh]
bodies = "30p30n"
nodes = 3800
far_field = 10.0
walls = ["main", "slat", "flap"]
[flow]
mach = 0.2
[motion.bodies.flap]
pitch = { amplitude_deg = 8.0, k = 0.1, about = [0.9, -0.01] }
[deform]
method = "delaunay"
retriangulate = true
[run]
cycles = 1
steps_per_cycle = 16
device = "cpu"
"""


@pytest.mark.slow
def test_check_looks_at_a_flap_that_moves_alone(here, capsys):
    (here / "flap.toml").write_text(FLAP)
    status, rows = checked(["flap.toml"], capsys)

    assert status == 0
    assert rows["motion"][1].startswith("flap pitch, amplitude 8 deg")
    found = re.match(r"16 steps, .*; worst condition ([\d.]+) at phase \d+", rows["pre-flight"][1])
    assert 2 < float(found[1]) < 10

    (here / "flap.toml").write_text(FLAP.replace("bodies.flap", "bodies.flab"))
    status, rows = checked(["flap.toml"], capsys)
    assert status == 2
    state, text = rows["bodies"]
    assert state == "wrong"
    assert "motion of ['flab'], expected bodies ['main', 'slat', 'flap']" in text


@pytest.mark.long
def test_check_finds_what_would_stop_a_run_on_a_cloud(here, capsys, monkeypatch):
    (here / "small.toml").write_text(MESHLESS.replace("= 2.0", "= 170.0"))
    status, rows = checked(["small.toml"], capsys)
    assert status == 2
    assert "folds" in rows["pre-flight"][1]

    monkeypatch.setattr(memory, "available", lambda _: 10**6)
    status, rows = checked(["three-element", "--nodes", "5000"], capsys)
    assert status == 2
    assert "fewer points" in rows["memory"][1]
    assert rows["solver"][0] == "-"


@pytest.mark.parametrize("method", ["ale", "meshless", "incompressible"])
def test_check_refuses_a_wall_named_like_a_plane_of_symmetry(here, capsys, method):
    mesh = km.mesh.cylinder(300, far_field=5.0)
    sides = {"Symmetry_1": mesh.boundaries["cylinder"], "farfield": mesh.boundaries["farfield"]}
    km.mesh.write(km.Mesh(mesh.points, mesh.triangles, mesh.quads, sides), here / "ring.su2")
    flow = "reynolds = 40" if method == "incompressible" else "mach = 0.3"
    text = f'name = "x"\nmode = "steady"\nmethod = "{method}"\n[mesh]\nfile = "ring.su2"\n'
    (here / "x.toml").write_text(f'{text}[flow]\n{flow}\n[run]\ndevice = "cpu"\n')
    status, rows = checked(["x.toml"], capsys)
    assert status != 0
    assert "would be walls, and are named like another kind" in rows["markers"][1]
