"""kinemesh bench --in-space and --rows carrier: springs beside Ma et al., steps of carriers."""

import subprocess
import sys

import kinemesh as km
import numpy as np
import pytest
import scipy.sparse as sp
from kinemesh import _core, bench
from kinemesh.bench import beside, carried, ma2017, options, timing
from kinemesh.bench import rows as made
from kinemesh.bench.table import cells, columns, markdown, paper, read
from kinemesh.device.backend import Backend
from kinemesh.errors import SettingsError
from test_bench import arguments

SECTION = km.mesh.airfoil("naca0012", nodes=500, far_field=6.0)
COARSE, FINE = (
    km.mesh.extruded(SECTION, span=1.3, layers=layers, cells="tets") for layers in (2, 3)
)


@pytest.fixture(autouse=True)
def _short(monkeypatch):
    monkeypatch.setattr(timing, "copy_bandwidth", lambda backend: 1e10)
    monkeypatch.setattr(timing, "SPAN", 1e-4)
    monkeypatch.setattr(timing, "TRIALS", 1)


# ---------------------------------------------------------------- numbers of the paper

# Table 3: speed-ups of assembly, of the solver and of both, as printed there
SPEEDUPS = {
    21_329: (18.04, 8.14, 8.78),
    288_268: (22.38, 12.04, 12.74),
    108_396: (15.59, 10.79, 11.23),
    275_561: (16.62, 14.26, 14.56),
}


@pytest.mark.parametrize("nodes", SPEEDUPS)
def test_times_of_the_paper_give_the_speedups_that_it_prints(nodes):
    known = {own.part: own for own in ma2017.TABLES if own.nodes == nodes and own.core}
    core = [known[part].core for part in ("assembly", "solve")]
    gpu = [known[part].gpu for part in ("assembly", "solve")]

    for a, b, printed in zip([*core, sum(core)], [*gpu, sum(gpu)], SPEEDUPS[nodes], strict=True):
        # times are printed to 1e-4 s, quotients are cut behind 0.01
        assert a / b == pytest.approx(printed, abs=0.01 + a / b * 1e-4 * (0.5 / a + 0.5 / b))


@pytest.mark.parametrize(("dimensions", "nodes"), [(2, 5_672_268), (3, 4_127_686)])
def test_twenty_threads_take_2_6_times_as_long_as_the_gpu(dimensions, nodes):
    known = [own for own in ma2017.TABLES if own[:2] == (dimensions, nodes)]

    assert len(known) == 2
    assert sum(own.threads for own in known) / sum(own.gpu for own in known) == pytest.approx(
        2.6, abs=0.05
    )


def test_sizes_are_as_many_as_figures_8_and_9_have():
    plane = [n for n in ma2017.PLANE if 2.7e5 <= n < 56.75e5 and n != 288_268]
    space = [n for n in ma2017.SPACE if 3.2e5 <= n < 41.3e5]

    assert (len(plane), len(space)) == (9, 7)
    assert {own.nodes for own in ma2017.TABLES if own.part == "solve"} <= {
        *ma2017.PLANE,
        *ma2017.SPACE,
    }


def test_times_stand_beside_meshes_of_nearly_as_many_nodes_alone():
    assert ma2017.beside("spring-ten", 2, 22_395)["gpu"] == 0.0304  # 5 % more are 22 395.45
    assert ma2017.beside("spring-ten", 2, 22_396) is None
    assert ma2017.beside("spring-ten", 2, 20_263)["core"] == 0.2476
    assert ma2017.beside("spring-ten", 2, 20_262) is None
    assert ma2017.beside("spring-ten", 3, 21_329) is None
    assert ma2017.beside("spring-factor", 2, 21_329) is None


def test_the_paper_has_a_step_of_the_carrier_in_space():
    assert paper("carrier-step", 100_000, None, "hybrid")["seconds"] == 0.55
    assert paper("deformation-step", 94_085)["seconds"] == 0.1208
    assert paper("spring-assembly", 300_000, None, "tets")["seconds"] == 0.0537


# ---------------------------------------------------------------- the solve


@pytest.mark.parametrize("mesh", [SECTION, COARSE], ids=["plane", "space"])
def test_the_springs_are_solved_to_1e_8_and_leave_their_nodes(mesh, monkeypatch):
    movers, attach = [], made.TorsionalSprings.attach
    monkeypatch.setattr(
        made.TorsionalSprings,
        "attach",
        lambda self, vertices: movers.append(attach(self, vertices)) or movers[-1],
    )
    backend, d = Backend("cpu"), mesh.dimensions

    ((row, work),) = made.springs(backend, mesh, {"spring-solve"})
    work.make(2)()

    (mover,) = movers
    solver, p = mover.solver, mover.pattern
    blocks = backend.get(solver.A).reshape(-1, d, d).transpose(0, 2, 1)
    A = sp.bsr_matrix((blocks, p.column, p.row)).tocsr()
    b, base, x = (backend.get(getattr(solver, name)).ravel() for name in ("b", "base", "x"))
    left = np.linalg.norm(b - A @ x) / np.linalg.norm(base)
    assert row == "spring-solve"
    assert np.array_equal(b, base), "there is no guess"
    assert 1e-12 < left <= 1.01e-8  # the recurrence of CG is off by rounding
    assert work.iterations() == backend.get(solver.steps)[0] > 1
    assert work.notes["setup"] > 0
    assert np.array_equal(backend.get(mover.vertices.x), mesh.points)


def test_no_hierarchy_is_made_for_the_matrix_alone(monkeypatch):
    monkeypatch.setattr("kinemesh.linear.cg.Cg.hierarchy", lambda *_: pytest.fail("a hierarchy"))

    found = made.springs(Backend("cpu"), SECTION, {"spring-assembly"})

    assert [row for row, work in found if row == "spring-assembly" and work.make(1)() is None]


# ---------------------------------------------------------------- the table


def test_one_command_sets_springs_beside_the_paper_in_plane_and_space(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(bench, "_section", lambda nodes: SECTION)
    monkeypatch.setattr(bench, "_wing", lambda kind, nodes: COARSE)
    plane, space = len(SECTION.points), len(COARSE.points)
    tables = (
        ma2017.Known(2, plane, "assembly", 3.0, None, 0.5, "here"),
        ma2017.Known(3, space, "assembly", 4.0, 5.0, 0.6, "there"),
    )
    monkeypatch.setattr(ma2017, "TABLES", tables)
    path = tmp_path / "figures.json"
    words = ("--rows", "spring-assembly,natural", "--sizes", "500", "--in-space", "10000")

    assert bench.main(arguments(*words, "--device", "cpu", "--json", str(path))) == 0

    out, err = capsys.readouterr()
    figures = read([path])
    assert [(f["nodes"], f.get("mesh")) for f in figures] == [(plane, None), (space, "tets")]
    assert [f["beside"]["where"] for f in figures] == ["here", "there"]
    assert "natural left out" in err
    assert out.count("doi 10.1155/2017/4610138") == 1
    assert out.splitlines()[3].split()[-1] == "ratio"
    for text in (out, markdown(figures)):
        assert "tets: springs: matrix" in text
    assert "| 3000 |  | 500 |" in markdown(figures)


@pytest.mark.parametrize(
    ("device", "threads", "ratio"),
    [("cpu", 1, "3.00"), ("cpu", 2, "0.50"), ("cuda:0", None, "0.10")],
)
def test_the_ratio_is_to_the_like_of_the_device(device, threads, ratio):
    numbers = {"nodes": 21_000, "core": 1.5, "threads": 0.5, "gpu": 0.1}
    process = 0.5 if threads else None
    figure = {"title": "", "nodes": 21_329, "seconds": 1.0, "least": 1.0, "most": 1.0}
    figure |= {"process": process, "ns_per_node": 1.0, "bytes": None, "share": None}
    figure |= {"iterations": 7, "setup": 2.0, "device": device, "threads": threads}

    found = cells(figure | {"beside": numbers})
    without = cells(figure | {"beside": numbers | {"core": None, "threads": None, "gpu": 0.1}})

    assert found[-7:] == ["7", "2.00", "21000", "1500", "500", "100", ratio]
    assert without[-1] == ("0.10" if device == "cuda:0" else "")
    assert len(found) == len(columns(figure | {"beside": None})[0])
    assert len(cells(figure | {"beside": None})) == len(found)


def subjects(*words):
    given = arguments("--device", "cpu", *words)
    return beside.subjects(given, beside.entry_of(given), False)


def test_sizes_are_those_of_the_paper_unless_others_are_named():
    found = subjects("--in-space")

    sizes = [own.size for own in found]
    assert sizes == sorted(sizes), "a run that is cut short has the small ones"
    assert [own.size for own in found if own.wing is None] == list(ma2017.PLANE)
    assert [own.size for own in found if own.wing == "tets"] == list(ma2017.SPACE)
    assert all(own.beside for own in found)
    few = subjects("--in-space", "none", "--sizes", "900,600")
    assert [own[:3] for own in few] == [(None, 600, None), (None, 900, None)]
    assert [own.size for own in subjects("--in-space", "20000", "--sizes", "none")] == [20_000]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--in-space", "9999"), "in-space: '9999', expected whole numbers of at least 10000"),
        (("--in-space", "none", "--sizes", "none"), "in the plane and in space, expected one"),
        (("--in-space", "--sizes", "499"), "sizes: '499', .* at least 500"),
        (("--in-space", "--mesh", "tets"), "mesh: without --in-space"),
        (("--in-space", "--loops"), "loops: without --in-space"),
        (("--in-space", "--method", "ale"), "method: without --in-space"),
        (("--in-space", "--rows", "flow"), "leave out --in-space"),
        (("--in-space", "--table", "a.json"), "--table draws what was measured"),
        (("--carrier", "20000"), "carrier: '20000' without rows of a carrier"),
        (("--rows", "carrier", "--carrier", "9999"), "at least 10000"),
        (("--rows", "carrier", "--carrier", "10000,10000"), "expected one number"),
        (("--rows", "carrier", "--mesh", "tetra"), "did you mean 'tets'"),
        (("--rows", "carrier,flow"), "name rows of the carrier alone"),
        (("--rows", "carrier", "--method", "ale"), "name rows of the carrier alone"),
        (("--rows", "carrier", "--cloud", "plane"), "name rows of the carrier alone"),
        (("--rows", "carrier", "--points", "20000"), "points: without rows of a carrier"),
        (("--rows", "carrier", "--seconds", "3"), "seconds: only with --energy"),
        (("--rows", "carrier", "--energy"), "leave out --energy"),
        (("--in-space", "--cpu-watts", "3"), "cpu-watts: only with --energy"),
        (("--threads", "0"), "threads is 0, expected at least 1"),
        (("--threads", "999"), "threads is 999, and kernels run on .*; set OMP_NUM_THREADS"),
    ],
)
def test_what_cannot_be_set_beside_is_refused(words, message):
    with pytest.raises(SettingsError, match=message):
        bench.main(arguments("--device", "cpu", *words))


@pytest.mark.no_sanitizer
def test_threads_are_set_before_kernels_are_loaded():
    text = "from kinemesh.bench.options import set_threads as s; s(2); from kinemesh import _core; "
    done = subprocess.run(
        [sys.executable, "-c", text + "print(_core.threads())"], capture_output=True, text=True
    )

    assert done.stdout.strip() == "2", done.stderr
    options.set_threads(_core.threads())


# ---------------------------------------------------------------- carriers


def test_a_step_of_a_carrier_moves_walls_by_the_law_and_measures_the_mesh(monkeypatch):
    grids, movers = [], []

    class Grid(carried.SolidGrid):
        def __init__(self, *given):
            super().__init__(*given)
            grids.append(self)

    attach = carried.Carrier.attach
    monkeypatch.setattr(carried, "SolidGrid", Grid)
    monkeypatch.setattr(carried, "FIRST", 1)
    monkeypatch.setattr(
        carried.Carrier,
        "attach",
        lambda self, vertices: movers.append(attach(self, vertices)) or movers[-1],
    )
    backend = Backend("cpu")
    pair = {"mesh": FINE, "carrier": COARSE}

    found = {}
    for row, work in carried.rows(backend, pair, {*carried.ROWS}):
        work.make(2)()
        found[row] = work

    assert list(found) == list(carried.ROWS)
    assert found["carrier-springs"].notes["nodes"] == COARSE.nodes
    assert found["carrier-step"].notes["nodes"] == FINE.nodes
    assert found["carrier-step"].iterations() > 0
    assert found["carrier-map"].bytes > 0
    x = backend.get(grids[0].vertices.x)
    walk = made.Walk(movers[0], 1)
    steps = carried.FIRST + 2
    angle = np.radians(2.51) * np.sin(2 * np.pi * steps / made.STEPS_PER_CYCLE)
    wall = grids[0].vertices.wall.node
    arm = FINE.points[wall][:, ::2] - [0.25, 0.0]
    turned = arm @ np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    assert walk.law.pivot == (0.25, 0.0)
    assert x[wall][:, ::2] - [0.25, 0.0] == pytest.approx(turned, abs=1e-12)
    corner = FINE.solids["tetrahedra"]
    volume = np.linalg.det(x[corner[:, 1:]] - x[corner[:, :1]]) / 6
    quarters = np.bincount(corner.ravel(), np.repeat(volume / 4, 4))
    assert backend.get(grids[0].V) == pytest.approx(quarters, rel=1e-9)


def test_a_carrier_has_a_tenth_of_the_nodes_or_as_many_as_are_asked_for(monkeypatch):
    asked = []
    monkeypatch.setattr(
        carried, "oneram6", lambda nodes, cells: asked.append((nodes, cells)) or FINE
    )
    given = subjects("--rows", "carrier", "--sizes", "30000", "--carrier", "12000")
    alone = subjects("--rows", "carrier", "--mesh", "hexes,tets")

    carried.made(given[0].wing, given[0].carrier, given[0].size)

    assert asked == [(30_000, "hybrid"), (12_000, "tets")]
    assert [(own.wing, own.size, own.carrier) for own in alone] == [
        ("hexes", 100_000, None),
        ("tets", 100_000, None),
    ]
