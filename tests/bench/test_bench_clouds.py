"""kinemesh bench --cloud: the meshless solver's rows, what their figures say, wrong input."""

import argparse
import json

import pytest
from kinemesh import bench
from kinemesh.bench import clouds, timing
from kinemesh.bench import rows as of_meshes
from kinemesh.bench.options import chosen_rows, chosen_subjects
from kinemesh.bench.table import CLOUD_KEYS, KEYS, markdown, paper, read
from kinemesh.errors import CaseError, SettingsError
from kinemesh.flow import registry
from kinemesh.flow.gas.meshless_settings import MeshlessSettings

POINTS = 1_000


def arguments(*words):
    parser = argparse.ArgumentParser()
    bench.add_arguments(parser)
    return parser.parse_args(["--device", "cpu", *words])


def measured(path, *words):
    """Figures of a short run, as written; their times say little."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timing, "SPAN", 0.004)
        patch.setattr(timing, "TRIALS", 1)
        patch.setattr(timing, "copy_bandwidth", lambda backend: 1e10)
        assert bench.main(arguments("--repeat", "1", "--json", str(path), *words)) == 0
    return path


@pytest.fixture(scope="module", params=["float64", "float32"])
def plane(request, tmp_path_factory):
    """Every row on a small cloud in the plane."""
    path = tmp_path_factory.mktemp("bench") / "figures.json"
    return measured(path, "--cloud", "plane", "--points", str(POINTS), "--dtype", request.param)


@pytest.fixture(scope="module")
def space(tmp_path_factory):
    """A row on the smallest clouds about the wing."""
    path = tmp_path_factory.mktemp("bench") / "figures.json"
    return measured(path, "--cloud", "regular,irregular", "--points", "20000",
                    "--rows", "cloud-one-pair,cloud-geometry")  # fmt: skip


# ---------------------------------------------------------------- figures


def test_every_row_has_a_figure_with_every_key(plane):
    figures = [json.loads(text) for text in plane.read_text("utf-8").splitlines()]

    assert sorted(f["row"] for f in figures) == sorted(clouds.ROWS)
    for f in figures:
        assert sorted(f) == sorted([*KEYS, *CLOUD_KEYS])
        assert 970 <= f["nodes"] <= 1030  # cloud.airfoil keeps within 3 %
        assert f["ns_per_node"] == pytest.approx(1e9 * f["seconds"] / f["nodes"])
        assert f["share"] == pytest.approx(f["bytes"] / f["seconds"] / 1e10)
        assert (f["cloud"], f["colours"]) == ("plane", 2)
        assert 3.8 < f["satellites"] < 4  # four each, three on the boundaries


def test_bytes_of_a_pair_of_sweeps_are_those_counted_by_hand(host):
    cloud = clouds.made("plane", POINTS)
    case = clouds.Case(
        host, cloud, registry.named("meshless"), "plane", time="lusgs", lusgs_sweeps=1
    )

    n, entries, walls = len(cloud.points), len(cloud.satellites), len(cloud.boundaries["airfoil"])
    # tables: node, row_of, member, wall, offsets, neighbour; factors of the one member
    once = 4 * (5 * n + 1 + entries) + 4 + 8 * 3 + 8
    # x, inverse, velocity, q, V, pace, res and du, read and written; normals and s of the walls
    once += 8 * (2 + 3 + 2 + 4 + 1 + 1 + 4 + 2 * 4) * n + 8 * 4 * walls
    (_, up), (_, turn) = case.solver.pattern.colours
    assert turn == n - up
    # up through both colours, then down through the first alone: rounded call by call
    assert case.ledger.bytes(case.sweeps) == pytest.approx(once * (1 + up / n), abs=2)


def test_parts_weigh_no_more_than_their_whole(plane):
    weigh = {f["row"]: f["bytes"] for f in read([plane])}

    parts = [weigh[f"cloud-{part}"] for part in ("gradients", "residual", "sweeps")]
    f = next(f for f in read([plane]) if f["row"] == "cloud-one-pair")
    n, real = f["nodes"], 8 if f["dtype"] == "float64" else 4
    # the norm reads res; the update du and q, and u, both ways; pace both ways; member, offsets,
    # neighbour: beside them some numbers of the one member
    rest = n * (real * (4 + 4 + 4 + 2 * 4) + 2 * 8 + 4 * (2 + f["satellites"]))
    rest += 4 * n if real == 4 else 0  # the norm reads each node's round-off
    assert f["bytes"] - sum(parts) == pytest.approx(rest, abs=300)
    assert parts[0] < parts[1]  # gradients are written in one and read in the other, beside more
    more = weigh["cloud-iteration"] - weigh["cloud-one-pair"]
    # every pair but the first goes up through one of the two colours, too, and down through one
    assert more == pytest.approx((clouds.SWEEPS - 1) * weigh["cloud-sweeps"] * 2 / 3, rel=0.01)
    five = len(clouds.CLOUD_FLUXES["roe"].stages) * weigh["cloud-stage"]
    assert five < weigh["cloud-runge-kutta"] < 1.2 * five


def test_irregular_clouds_have_more_satellites_colours_and_work(space):
    figures = {(f["cloud"], f["row"]): f for f in read([space])}

    even, odd = (figures[kind, "cloud-one-pair"] for kind in ("regular", "irregular"))
    assert even["colours"] == 2 < odd["colours"]
    assert even["satellites"] < 6 < 12 < odd["satellites"]
    assert even["memory"] < odd["memory"]
    assert even["bytes"] < odd["bytes"]


def test_memory_per_point_is_what_is_counted(space):
    """Arrays of a case at rest on its device; an array of one number per point is 0.7 to 1 %."""
    from kinemesh.flow.memory import needed

    solver = registry.named("meshless").solver
    for f in read([space]):
        cloud = clouds.made(f["cloud"], 20_000)
        settings = MeshlessSettings(**clouds.LUSGS).complete(cloud.irregular)
        wanted = needed(solver, "float64", [cloud], settings)
        assert f["memory"] * f["nodes"] == pytest.approx(wanted, rel=0.005), f["cloud"]


def test_the_table_has_the_papers_times_beside_one_pair_of_sweeps(space, capsys):
    text = markdown(read([space]))

    table = [line for line in text.splitlines() if line.startswith("|")]
    assert len(table) == 2 + 4
    assert len({line.count("|") for line in table}) == 1
    assert "B/point" in table[0]
    by = {line.split("|")[1].strip(): line for line in table}
    assert [name.split(":")[0] for name in by][2:] == ["regular cloud"] * 2 + [
        "irregular cloud"
    ] * 2
    assert by["regular cloud: iteration, one pair of sweeps"].endswith("| 8.49 (155680 points) |")
    assert by["irregular cloud: iteration, one pair of sweeps"].endswith("| 32.3 (164160 points) |")
    assert by["regular cloud: least-squares matrices, normals"].endswith("|  |")


@pytest.mark.long
@pytest.mark.no_sanitizer
def test_figures_of_meshes_and_clouds_have_tables_of_their_own(space, plane, tmp_path):
    path = tmp_path / "figures.json"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timing, "copy_bandwidth", lambda backend: 1e10)
        bench.main(arguments("--rows", "block-product", "--sizes", "500", "--repeat", "1",
                             "--json", str(path)))  # fmt: skip

    heads = [t for t in markdown(read([space, path])).splitlines() if t.startswith("| row")]

    assert ["points" in head for head in heads] == [True, False]


def test_the_papers_time_is_that_of_the_nearest_cloud_of_the_kind():
    one = "cloud-one-pair"
    assert paper(one, 300_000, "regular")["seconds"] == pytest.approx(16.2e-3, abs=5e-5)
    assert paper(one, 1_200_000, "regular")["seconds"] == pytest.approx(60.9e-3, abs=5e-5)
    assert paper(one, 300_000, "irregular")["seconds"] == pytest.approx(60.3e-3, abs=5e-5)
    assert paper(one, 1_200_000, "irregular")["seconds"] == pytest.approx(195e-3, abs=5e-4)
    assert paper(one, 5_000, "plane") is None
    assert paper("cloud-iteration", 300_000, "regular") is None


def test_a_figure_of_a_cloud_without_its_kind_is_refused(plane, tmp_path):
    figure = json.loads(plane.read_text("utf-8").splitlines()[0])
    del figure["cloud"]
    path = tmp_path / "figures.json"
    path.write_text(json.dumps(figure), "utf-8")

    with pytest.raises(CaseError, match="line 1: no cloud; expected"):
        read([path])


# ---------------------------------------------------------------- options


def test_a_plain_bench_measures_no_cloud():
    assert chosen_rows(None, registry.named("ale")) == list(of_meshes.ROWS)
    assert {subject.cloud for subject in chosen_subjects(arguments(), False)} == {None}


def test_the_papers_sizes_are_for_a_gpu():
    kinds = arguments("--cloud", "regular,plane")

    few, many = ([own[:2] for own in chosen_subjects(kinds, gpu)] for gpu in (False, True))
    assert few == [("regular", 40_000), ("plane", 5_120)]
    assert many[:2] == [("regular", 306_577), ("regular", 1_193_504)]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--cloud", "round"), "cloud: 'round', expected regular, irregular, plane"),
        (("--cloud", "plane", "--points", "400"), "points: '400', expected whole .* least 500"),
        (("--cloud", "regular", "--points", "5000"), "points: '5000', expected .* least 20000"),
        (("--cloud", "plane", "--sizes", "5000"), "sizes: '5000' are nodes .* expected --points"),
        (("--points", "5000"), "points: '5000' without a cloud; add --cloud"),
        (
            ("--rows", "cloud-sweeps"),
            "rows: 'cloud-sweeps' is none of method 'ale'.* add --cloud regular",
        ),
        (
            ("--cloud", "plane", "--rows", "flow"),
            "rows: 'flow' is none of method 'meshless'.* leave out --cloud",
        ),
        (("--cloud", "plane", "--rows", "cloud-sweep"), "did you mean 'cloud-sweeps'"),
        (("--table", "a.json", "--cloud", "plane"), "--table draws what was measured"),
    ],
)
def test_what_cannot_be_measured_is_refused(words, message):
    with pytest.raises(SettingsError, match=message):
        bench.main(arguments(*words))
