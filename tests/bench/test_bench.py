"""kinemesh bench: bytes counted, seconds that are possible, tables, wrong input."""

import argparse
import json
from math import isfinite
from time import sleep

import numpy as np
import pytest
from kinemesh import bench, cli, mesh
from kinemesh.bench import rows as made
from kinemesh.bench import timing
from kinemesh.bench.groups import GROUPS
from kinemesh.bench.ledger import Ledger, call_bytes
from kinemesh.bench.table import KEYS, markdown, paper, read
from kinemesh.bench.timing import TRIALS, copy_bandwidth, measure, recorded
from kinemesh.device.backend import Backend, kernels
from kinemesh.errors import CaseError, MeshError, SettingsError
from kinemesh.flow.ale import Ale

SIZE = 1_000
ON_CPU = [row for row in made.ROWS if row not in made.TITLES["natural"]]
COPIED = 1 << 26  # bytes of an array beyond the caches, or most of it, of what tests run on


def arguments(*words):
    parser = argparse.ArgumentParser()
    bench.add_arguments(parser)
    return parser.parse_args(words)


@pytest.fixture(scope="module", params=["float64", "float32"])
def lines(request, tmp_path_factory):
    """Figures of every row that a CPU has on one small mesh, as written."""
    path = tmp_path_factory.mktemp("bench") / "figures.json"
    words = ["--sizes", str(SIZE), "--repeat", "2", "--device", "cpu", "--dtype", request.param]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timing, "SPAN", 0.004)
        assert bench.main(arguments(*words, "--json", str(path))) == 0

    return path


@pytest.fixture
def _no_copies(monkeypatch):
    """For tests that look at no share of the bandwidth: copies of 128 MiB take longest."""
    monkeypatch.setattr(timing, "copy_bandwidth", lambda backend: 1e10)


# ---------------------------------------------------------------- bytes


def hand_count_of_a_copy(items, size):
    return 2 * 4 * size * items


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_bytes_of_a_copy_are_those_counted_by_hand(dtype):
    b, ledger = Backend("cpu", dtype), Ledger()
    a, c = b.zeros((1000, 4)), b.zeros((1000, 4))

    with ledger.watch():
        call = b.bind("copy_state", **{"from": a, "to": c})
        twice = b.record([call, b.record([call], times=3)], times=2)

    once = hand_count_of_a_copy(1000, b.real.itemsize)
    assert ledger.bytes([call]) == once
    assert ledger.bytes([twice]) == 8 * once
    assert ledger.count([twice]) == 8


def test_bytes_of_a_block_product_are_those_counted_by_hand():
    b, ledger = Backend("cpu"), Ledger()
    there = mesh.airfoil("naca0012", nodes=SIZE)
    with ledger.watch():
        ale = Ale(there, mach=0.5, device="cpu")
        call = ale.implicit.solver.product(ale.implicit.solver.b, ale.implicit.solver.v)
    rows = there.nodes
    edges = ale.grid.edges
    blocks = rows + 2 * edges

    # row offsets and columns, member of each row, live; A; x and y, all in float32
    want = 4 * (rows + 1) + 4 * blocks + 4 * rows + 4 * 1 + 4 * 16 * blocks + 2 * 4 * 4 * rows
    assert b.dtype == "float64"
    assert ledger.bytes([call]) == want


def test_of_a_field_behind_an_index_table_no_more_counts_than_the_table_names():
    nodes, walls = 500, 20
    fields = {
        "x": np.zeros((nodes, 2)),
        "node": np.zeros(walls, np.int32),
        "ends": np.zeros((walls, 2), np.int32),
        "S": np.zeros((walls, 2)),
    }

    # the table names 3 nodes per wall node: 3 x 16 bytes, their numbers, and S written
    assert call_bytes("boundary_normals", fields) == walls * (3 * 16 + 3 * 4 + 16)


def test_what_is_read_and_written_counts_twice():
    nodes, moved = 500, 30
    fields = {
        "node": np.zeros(moved, np.int32),
        "body": np.zeros(moved, np.int32),
        "pose": np.zeros((2, 6)),
        "reference": np.zeros((nodes, 2)),
        "x": np.zeros((nodes, 2)),
    }

    assert call_bytes("pose_move", fields) == moved * (4 + 4 + 16 + 2 * 16) + 2 * 6 * 8


@pytest.mark.parametrize(("kernel", "mode"), [("pose_move", "rw"), ("graph_map", "upd")])
def test_both_ways_to_read_and_write_count_twice(kernel, mode):
    x = np.zeros((500, 2))

    assert ("x", mode) in [field[:2] for field in kernels()[kernel][1]]
    assert call_bytes(kernel, {"x": x}) == 2 * x.nbytes


@pytest.mark.parametrize("nodes", [40, 500])
@pytest.mark.parametrize("loop", ["ale_loop_atomics", "ale_loop_colours"])
def test_sums_that_faces_add_to_are_read_and_written_once_for_each_side(loop, nodes):
    edges = 100
    fields = {"lr": np.zeros((edges, 2), np.int32), "res": np.zeros((nodes, 4))}
    want = edges * 2 * 4 + 2 * edges * 2 * 32

    assert call_bytes(loop, fields) == want
    assert call_bytes(loop, fields, (20, 50)) == want / 2


def test_of_faults_no_more_count_than_there_are_members():
    fields = {"member": np.zeros(500, np.int32), "faults": np.zeros(2, np.uint64)}

    assert call_bytes("state_primitive", fields) == 500 * 4 + 2 * 2 * 8


@pytest.mark.parametrize("way", ["block_lower", "block_upper", "block_turn"])
def test_a_sweep_reads_half_of_its_matrix(way):
    blocks = np.zeros((70, 4))
    found = [
        (kernel, name, mode)
        for kernel, (_, declared) in kernels().items()
        for name, mode, _, shape in declared
        if way in kernel and shape == "blocks,4"
    ]

    assert found
    for kernel, name, mode in found:
        assert call_bytes(kernel, {name: blocks}) == {"in": 1, "upd": 2}[mode] * blocks.nbytes // 2


def test_parts_of_a_kernel_add_up_to_the_whole(host):
    colours = [(0, 300), (300, 500), (800, 200)]
    fields = {"from": host.zeros((1000, 4)), "to": host.zeros((1000, 4))}

    parts = [call_bytes("copy_state", fields, over) for over in colours]

    assert sum(parts) == call_bytes("copy_state", fields) == hand_count_of_a_copy(1000, 8)
    assert parts[1] == hand_count_of_a_copy(500, 8)


def test_watching_ends_with_the_block(host):
    bind, record = Backend.bind, Backend.record
    ledger = Ledger()

    with pytest.raises(ZeroDivisionError), ledger.watch():
        _ = 1 / 0

    assert (Backend.bind, Backend.record) == (bind, record)


# ---------------------------------------------------------------- seconds


@pytest.mark.long
@pytest.mark.no_sanitizer
def test_no_copy_is_faster_than_copies_are(host):
    """The share of a copy beyond the caches is about 1: time, bytes and bandwidth fit together.

    The bound is physical: the same bytes through the same memory.  On a host that others use the
    bandwidth is read before and after, by the best of five readings, 1.3 leaves room, and the
    smallest of three shares counts.
    """
    there, to = (host.zeros((COPIED // 32, 4)) for _ in range(2))
    host.put(there, 1)
    ledger, shares = Ledger(), []
    with ledger.watch():
        call = host.bind("copy_state", **{"from": there, "to": to})
    for _ in range(3):
        before = copy_bandwidth(host, bytes_each=COPIED)
        time = measure(host, recorded(host, [call]), 3)
        bandwidth = max(before, copy_bandwidth(host, bytes_each=COPIED))
        shares.append(ledger.bytes([call]) / time.seconds / bandwidth)

    assert 0.02 < min(shares) < 1.3


@pytest.mark.long
@pytest.mark.no_sanitizer
def test_no_row_moves_bytes_faster_than_copies_within_the_caches_do(host, lines):
    """A row that ended before its work (members that are done do none) would pass this bound."""
    within = max(copy_bandwidth(host, repeat=9, bytes_each=1 << k) for k in (15, 17, 20))

    for figure in read([lines]):
        if figure["rate"] is not None:
            assert 0 < figure["rate"] < 1.3 * within, figure["row"]


def test_a_recording_is_timed_per_repetition(host):
    done = []

    def make(times):
        return lambda: done.append(times)

    time = measure(host, make, 4)

    assert time.times == max(done) == 200
    assert done.count(200) == TRIALS + 4  # warm-up, readings
    assert 0 < time.least <= time.seconds <= time.most


def test_what_is_settled_is_run_twice_before_it_is_read(host):
    done = []

    measure(host, lambda times: lambda: done.append(times) or sleep(0.03), 3, settled=True)

    assert done == [1] * (2 + 3)


def test_time_that_others_have_is_of_the_wall_and_not_of_the_process(host):
    """A sleep stands for a processor that somebody else uses."""
    time = measure(host, lambda times: lambda: sleep(0.005 * times), 2)

    assert time.seconds >= 0.005
    assert time.process < 0.2 * time.seconds  # the loop itself


# ---------------------------------------------------------------- figures


def test_every_row_of_a_cpu_has_a_figure_with_every_key(lines):
    figures = [json.loads(text) for text in lines.read_text("utf-8").splitlines()]

    assert [f["row"] for f in figures] != []
    assert sorted(f["row"] for f in figures) == sorted(ON_CPU)
    for f in figures:
        own = ["setup"] if f["row"] == "spring-solve" else []
        assert sorted(f) == sorted([*KEYS, *own])
        assert 970 <= f["nodes"] <= 1030  # mesh.airfoil keeps within 3 %
        assert 0 < f["least"] <= f["seconds"] <= f["most"]
        assert f["ns_per_node"] == pytest.approx(1e9 * f["seconds"] / f["nodes"])
        # about what the threads can spend: those that wait for work spin on for a moment
        assert 0 < f["process"] <= 2 * f["threads"] * f["most"] + 1e-5
        assert f["threads"] >= 1
        assert f["device"] == "cpu"
        if f["bytes"] is not None:
            assert f["rate"] == pytest.approx(f["bytes"] / f["seconds"])
            assert f["share"] == pytest.approx(f["rate"] / f["bandwidth"])


def test_iterations_are_those_that_ran(lines):
    figures = {f["row"]: f for f in read([lines])}

    assert figures["spring-ten"]["iterations"] == 10
    assert figures["deformation-step"]["iterations"] > 0
    assert figures["gradients"]["iterations"] is None


def test_parts_weigh_no_more_than_their_whole(lines):
    bytes_of = {f["row"]: f["bytes"] for f in read([lines])}

    assert bytes_of["matrix"] < bytes_of["factor"] < bytes_of["implicit"] < bytes_of["pseudo-step"]
    assert bytes_of["krylov"] < bytes_of["implicit"] - bytes_of["factor"]
    parts = sum(bytes_of[row] for row in ("gradients", "residual", "boundary", "cfl", "implicit"))
    assert parts == bytes_of["pseudo-step"]


def test_the_table_has_a_line_for_each_figure_and_the_papers_beside_it(lines, capsys):
    assert bench.main(arguments("--table", str(lines))) == 0

    text = capsys.readouterr().out
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert len(table) == 2 + len(ON_CPU)
    assert len({line.count("|") for line in table}) == 1
    spring = next(line for line in table if line.startswith("| springs: ten BiCGSTAB"))
    assert "30.4 (21329 nodes)" in spring
    assert markdown(read([lines])) == text.rstrip("\n")


def test_the_papers_figure_is_that_of_the_nearest_mesh():
    assert paper("spring-assembly", 5_672_268)["seconds"] == 0.23  # Table 4
    assert paper("spring-assembly", 300_000)["seconds"] == 0.0219  # Table 3
    assert paper("implicit", 5_000)["seconds"] == pytest.approx(0.1140)  # Table 5: 0.0041 + 0.1099
    assert paper("matrix", 5_000) is None


@pytest.mark.usefixtures("_no_copies")
def test_cusparses_rows_are_left_out_on_a_cpu_with_a_note(capsys):
    words = ("--rows", "natural,spring-product", "--sizes", "1000,1000", "--device", "cpu")

    assert bench.main(arguments(*words, "--repeat", "1")) == 0

    out, err = capsys.readouterr()
    assert err.count("natural left out: cuSPARSE needs an NVIDIA GPU") == 1
    assert out.count("springs: matrix times vector") == 2
    assert "ten BiCGSTAB" not in out, "a row that nobody asked for"
    assert "cuSPARSE" not in out


@pytest.mark.usefixtures("_no_copies")
def test_an_interrupted_run_keeps_what_it_has(tmp_path, monkeypatch, capsys):
    path = tmp_path / "figures.json"
    springs = made.springs

    def interrupted(*given):
        yield next(springs(*given))
        assert len(read([path])) == 1, "written at once"
        raise KeyboardInterrupt

    monkeypatch.setitem(GROUPS, "springs", interrupted)

    with pytest.raises(KeyboardInterrupt):
        bench.main(arguments("--rows", "springs", "--sizes", str(SIZE), "--device", "cpu",
                             "--json", str(path)))  # fmt: skip

    assert [f["row"] for f in read([path])] == ["spring-assembly"]
    assert "springs: matrix" in capsys.readouterr().out


@pytest.mark.usefixtures("_no_copies")
def test_figures_are_appended(lines, tmp_path):
    path = tmp_path / "figures.json"
    path.write_text(lines.read_text("utf-8"), "utf-8")
    before = len(read([path]))

    bench.main(arguments("--rows", "spring-product", "--sizes", str(SIZE), "--device", "cpu",
                         "--repeat", "1", "--json", str(path)))  # fmt: skip

    assert len(read([path])) == before + 1


# ---------------------------------------------------------------- wrong input


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--rows", "gradient"), "unknown row 'gradient'; did you mean 'gradients'"),
        (("--rows", "springs,"), "unknown row ''"),
        (("--sizes", "5000,many"), "sizes: 'many', expected whole numbers"),
        (("--sizes", "-5"), "sizes: '-5'"),
        (("--sizes", "12"), "at least 500"),
        (("--repeat", "0"), "repeat is 0, expected at least 1"),
        (("--table", "a.json", "--rows", "flow"), "--table draws what was measured"),
        (("--mesh", "tetra"), "mesh: 'tetra'; did you mean 'tets'"),
        (("--mesh", "tets", "--sizes", "5000"), "at least 10000"),
        (("--mesh", "tets", "--points", "20000"), "points: without --mesh"),
        (("--mesh", "tets", "--rows", "search"), "leave out --mesh"),
    ],
)
def test_what_cannot_be_measured_is_refused(words, message):
    with pytest.raises(SettingsError, match=message):
        bench.main(arguments("--device", "cpu", *words))


@pytest.mark.usefixtures("_no_copies")
def test_the_program_measures_and_refuses(capsys):
    words = ["bench", "--device", "cpu", "--sizes", str(SIZE), "--repeat", "1", "--rows"]

    assert cli.main([*words, "spring-product"]) == 0
    assert "springs: matrix times vector" in capsys.readouterr().out

    assert cli.main([*words, "sprung"]) == 2
    assert "unknown row 'sprung'" in capsys.readouterr().err


@pytest.mark.long
@pytest.mark.no_sanitizer
@pytest.mark.usefixtures("_no_copies")
def test_meshes_in_space_have_the_rows_of_flow(tmp_path, monkeypatch):
    monkeypatch.setattr(timing, "SPAN", 0.004)
    path = tmp_path / "figures.json"
    words = ("--mesh", "hexes", "--sizes", "10000", "--repeat", "1", "--device", "cpu")

    assert bench.main(arguments(*words, "--json", str(path))) == 0

    figures = read([path])
    assert {figure["row"] for figure in figures} == made.TITLES["flow"].keys()
    assert {figure["mesh"] for figure in figures} == {"hexes"}
    assert {figure["nodes"] for figure in figures} == {len(mesh.oneram6(10_000).points)}
    assert all(figure["title"].startswith("hexes: flow: ") for figure in figures)
    assert "| hexes: flow: pseudo-step |" in markdown(figures)


@pytest.mark.usefixtures("_no_copies")
def test_a_size_that_no_mesh_has_is_refused():
    with pytest.raises(MeshError, match="nodes"):
        bench.main(arguments("--device", "cpu", "--sizes", "99000000", "--rows", "springs"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 1: .*expected a line written by kinemesh bench"),
        ('{"format": "other"}', "line 1: expected an object whose format"),
        ("[1]", "line 1: expected an object"),
        ('\n{"format": "kinemesh-bench-1", "row": "matrix"}', "line 2: no version"),
        ("", "no figures in .*figures.json"),
    ],
)
def test_a_file_that_holds_no_figures_is_refused(tmp_path, text, message):
    path = tmp_path / "figures.json"
    path.write_text(text, "utf-8")

    with pytest.raises(CaseError, match=message):
        read([path])


def test_seconds_are_finite_numbers_in_the_file(lines):
    for text in lines.read_text("utf-8").splitlines():
        assert "NaN" not in text
        assert all(isfinite(v) for v in json.loads(text).values() if isinstance(v, float))
