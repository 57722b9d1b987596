"""kinemesh bench --overset: every row, its table, wrong input."""

import json

import pytest
from bench_pairs import small_pair, small_pair_in_space
from kinemesh import bench
from kinemesh.bench import connected, groups, overset_rows, parts_space, steps, timing
from kinemesh.bench.table import KEYS, SEARCH_KEYS, STEP_KEYS, paper, read
from kinemesh.device.backend import Backend
from kinemesh.errors import CaseError, SettingsError
from test_bench import arguments

SIZE = 600
OF_A_BALL = "ignore:.*reference_area is 2, and the planform of wing:RuntimeWarning"


@pytest.fixture
def _quick(monkeypatch):
    """No copies, which take longest, and short readings."""
    monkeypatch.setattr(timing, "copy_bandwidth", lambda backend: 1e10)
    monkeypatch.setattr(timing, "SPAN", 0.002)


@pytest.mark.usefixtures("_quick")
def test_every_row_has_a_figure_with_every_key_and_a_line_of_the_table(tmp_path, capsys):
    path = tmp_path / "figures.json"
    words = ("--overset", "--rows", "search", "--sizes", str(SIZE), "--device", "cpu")

    assert bench.main(arguments(*words, "--repeat", "1", "--json", str(path))) == 0
    capsys.readouterr()
    assert bench.main(arguments("--table", str(path))) == 0

    figures = [json.loads(text) for text in path.read_text("utf-8").splitlines()]
    assert [f["row"] for f in figures] == list(overset_rows.ROWS)
    for f in figures:
        assert sorted(f) == sorted((*KEYS, *SEARCH_KEYS))
        assert f["method"] == "overset"
        assert f["found"] == 1 or f["row"] == "search-lattice"
        assert f["queries"] == pytest.approx(overset_rows.EACH * f["cells"], rel=0.1)
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    assert len(lines) == 2 + len(overset_rows.ROWS)
    head, first = ([cell.strip() for cell in lines[k].split("|")] for k in (0, 2))
    rate = figures[0]["queries"] / figures[0]["seconds"] / 1e6
    assert float(first[head.index("M/s")]) == pytest.approx(rate, rel=0.01)


@pytest.mark.long
@pytest.mark.usefixtures("_quick")
def test_searches_in_space_are_of_meshes_about_a_wing(tmp_path, capsys):
    path = tmp_path / "figures.json"
    words = ("--overset", "--mesh", "tets,hexes", "--sizes", "10000", "--device", "cpu")

    assert bench.main(arguments(*words, "--repeat", "1", "--json", str(path))) == 0
    assert "tets: search: in cells, in their order" in capsys.readouterr().out
    figures = [json.loads(text) for text in path.read_text("utf-8").splitlines()]
    assert [own["row"] for own in figures] == 2 * list(overset_rows.ROWS)
    assert [own["found"] for own in figures if own["row"] != "search-lattice"] == [1.0] * 6
    assert figures[0]["queries"] > 5 * figures[4]["queries"]  # twice the cells


def test_bytes_of_a_search_are_those_counted_by_hand():
    mesh, backend = overset_rows.made(SIZE), Backend("cpu")
    works = dict(overset_rows.rows(backend, mesh))
    bins = overset_rows.Donors(mesh, "cpu").bins
    queries = overset_rows.EACH * len(mesh.cells)

    tables = mesh.points.nbytes + mesh.cells.nbytes + bins.nbytes + bins.box.nbytes + 8 + 2 * 8
    assert works["search-ordered"].bytes == tables + (16 + 4) * queries
    assert works["search-weights"].bytes < tables + (16 + 4 + 32) * queries


@pytest.mark.long
@pytest.mark.no_sanitizer
@pytest.mark.usefixtures("_quick")
def test_steps_of_two_parts_have_figures_of_all_their_members(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(steps, "MEMBERS", 2)
    monkeypatch.setattr(steps, "FIRST", 1)
    monkeypatch.setattr(timing, "TRIALS", 1)
    path, size = tmp_path / "figures.json", steps.LEAST
    words = ("--overset", "--rows", "step", "--sizes", f"{SIZE},{size}", "--device", "cpu")

    assert bench.main(arguments(*words, "--repeat", "1", "--json", str(path))) == 0
    assert f"fewer than {size} nodes" in capsys.readouterr().err
    assert bench.main(arguments("--table", str(path))) == 0

    one, two = (json.loads(text) for text in path.read_text("utf-8").splitlines())
    assert [f["row"] for f in (one, two)] == list(steps.ROWS)
    assert sorted(one) == sorted((*KEYS, *STEP_KEYS))
    assert one["nodes"] == pytest.approx(size, rel=0.05)
    assert (one["members"], two["members"], two["nodes"]) == (1, 2, 2 * one["nodes"])
    assert two["memory"] < one["memory"]  # members share the hierarchy's tables
    assert one["iterations"] > 1
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    head, first = ([cell.strip() for cell in lines[k].split("|")] for k in (0, 2))
    assert float(first[head.index("iterations")]) == one["iterations"]
    assert paper("step-parts", 1_400_000)["seconds"] == 89.8  # Chandar et al., Table 4


@pytest.mark.long
@pytest.mark.no_sanitizer
@pytest.mark.usefixtures("_quick")
@pytest.mark.filterwarnings(OF_A_BALL)
def test_parts_in_space_have_the_rows_of_the_plane_beside_the_paper(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(steps, "FIRST", 1)
    monkeypatch.setattr(timing, "TRIALS", 1)
    for build in (connected.rows, steps.rows):
        monkeypatch.setitem(groups.IN_SPACE, build, lambda nodes: small_pair_in_space())
    path = tmp_path / "figures.json"
    words = ("--overset", "--in-space", "--sizes", "10000", "--device", "cpu", "--repeat", "1")

    rows = ("--rows", "search-ordered,connectivity,step-parts")
    assert bench.main(arguments(*words, *rows, "--json", str(path))) == 0
    capsys.readouterr()
    assert bench.main(arguments("--table", str(path))) == 0

    found = [json.loads(text) for text in path.read_text("utf-8").splitlines()]
    assert [f["row"] for f in found] == ["search-ordered", "connectivity", "step-parts"]
    assert found[0]["nodes"] == pytest.approx(10_000, rel=0.05)
    nodes = sum(len(mesh.points) for mesh in small_pair_in_space().values())
    for f in found[1:]:
        assert sorted(f) == sorted((*KEYS, *STEP_KEYS, "mesh"))
        assert f["nodes"] == nodes
        assert f["title"].startswith("in space: ")
    assert found[1]["seconds"] < 0.2 * found[2]["seconds"]
    assert found[1]["paper"] == {"nodes": 700_000, "seconds": 0.03, "where": "Table 3"}
    assert found[2]["paper"]["seconds"] == 159.8
    lines = [line for line in capsys.readouterr().out.splitlines() if "connectivity" in line]
    assert lines[0].split("|")[-2].strip() == "30.0 (700000 nodes)"


@pytest.mark.long
def test_the_wing_of_the_bench_and_its_box_have_about_as_many_nodes_as_asked_for():
    pair = parts_space.made(steps.LEAST_SPACE)
    nodes = {name: len(mesh.points) for name, mesh in pair.items()}
    assert nodes["wing"] == pytest.approx(parts_space.NEAR * steps.LEAST_SPACE, rel=0.05)
    assert sum(nodes.values()) == pytest.approx(steps.LEAST_SPACE, rel=0.1)
    assert parts_space.made(steps.LEAST_SPACE - 1) == {}


def test_counted_pressure_iterations_are_the_mean_of_the_steps():
    case = steps.Incompressible(small_pair(), reynolds=[100, 50], device="cpu")
    walk = steps.Walk(case)
    found = []
    for _ in range(3):
        walk.make(1)()
        found += case.step_numbers()["pressure_iterations"].tolist()

    assert walk.mean() == pytest.approx(sum(found) / len(found), abs=0.05)
    walk.begin_count()
    walk.make(1)()
    assert walk.mean() == case.step_numbers()["pressure_iterations"].mean()


def test_a_file_without_the_keys_of_the_search_is_refused(tmp_path):
    path = tmp_path / "figures.json"
    figure = dict.fromkeys(KEYS, 1) | {"format": "kinemesh-bench-1", "row": "search-random"}
    path.write_text(json.dumps(figure), "utf-8")

    with pytest.raises(CaseError, match="no queries, found"):
        read([path])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--overset", "--cloud", "plane"), "cloud: without --overset"),
        (("--overset", "--method", "ale"), "method: without --overset"),
        (("--overset", "--points", "900"), "points: without --overset"),
        (("--overset", "--rows", "flow"), "none of method 'overset'.*leave out --overset"),
        (("--overset", "--rows", "step-part"), "did you mean 'step-parts'"),
        (("--rows", "step-parts"), "none of method 'ale'.*add --overset"),
        (("--rows", "search-random"), "none of method 'ale'.*add --overset"),
        (("--overset", "--rows", "search-randm"), "did you mean 'search-random'"),
        (("--overset", "--table", "a.json"), "--table draws what was measured"),
        (("--overset", "--in-space", "9000"), "in-space: '9000' beside overset parts"),
        (("--overset", "--in-space", "--mesh", "tets"), "mesh: without --in-space"),
        (("--rows", "connectivity"), "none of method 'ale'.*add --overset"),
    ],
)
def test_what_is_no_row_of_the_search_is_refused(words, message):
    with pytest.raises(SettingsError, match=message):
        bench.main(arguments("--device", "cpu", *words))


@pytest.mark.long
@pytest.mark.usefixtures("_quick")
def test_rows_of_another_kind_have_heads_of_their_own(capsys, monkeypatch):
    monkeypatch.setattr(steps, "FIRST", 1)
    monkeypatch.setattr(timing, "TRIALS", 1)
    words = ("--overset", "--rows", "search-ordered,step-parts", "--sizes", str(steps.LEAST))

    assert bench.main(arguments(*words, "--device", "cpu", "--repeat", "1")) == 0

    lines = capsys.readouterr().out.splitlines()
    titles = overset_rows.ROWS["search-ordered"], steps.ROWS["step-parts"]
    search, step = (next(k for k, t in enumerate(lines) if t.startswith(name)) for name in titles)
    assert "queries" in lines[search - 1]
    assert "members" in lines[step - 1]
