"""Arguments of sweeps and their refusals; no test computes a flow."""

import re
import subprocess
import sys

import kinemesh as km
import numpy as np
import pytest
from kinemesh import cli
from kinemesh.cases.casefile import Case
from kinemesh.cases.changes import several
from kinemesh.errors import CaseError, DeviceError, SettingsError
from kinemesh.io import store
from kinemesh.study.sweep import case_rows, shell
from kinemesh.study.sweep.asked import asked_of
from kinemesh.study.sweep.axes import axes_of
from kinemesh.study.sweep.batches import chunks_of, ensembles
from kinemesh.study.sweep.checks import look
from sweeps import TABLES, case

MACH, K = "flow.mach", "motion.pitch.k"
SAMPLE = {"over": {MACH: [0.5, 0.6]}, "sample": "latin-hypercube", "n": 3}
FILE = """
name = "small"
mode = "unsteady"
mesh = { section = "naca0012", nodes = 520, far_field = 10.0 }
flow = { mach = 0.5 }
motion.pitch = { amplitude_deg = 2.0, k = 0.1 }
deform = { method = "rigid" }
run = { cycles = 1, steps_per_cycle = 6, device = "cpu" }
"""


# ---------------------------------------------------------------- dimensions


def test_dimensions_are_the_last_words_of_the_keys_in_their_order():
    axes = axes_of({MACH: [0.5, 0.6], K: [0.1, 0.2, 0.3]})

    assert [axis.name for axis in axes.axes] == ["mach", "k"]
    assert axes.shape == (2, 3)
    assert list(axes.rows())[4] == {MACH: 0.6, K: 0.2}


@pytest.mark.parametrize(
    ("over", "names"),
    [
        ({K: [0.1], "motion.plunge.k": [0.1]}, [K, "motion.plunge.k"]),
        ({MACH: [0.5], "run.device": ["cpu"]}, ["mach", "run.device"]),  # a row has its device
        ({"flow.alpha_deg": [0, 1]}, ["alpha_deg"]),
        ({"method": ["ale"]}, ["solver"]),  # `method` is an argument of xarray's sel
        ({"deform.method": ["rigid"], "method": ["ale"]}, ["deform", "solver"]),
        ({"deform.tolerance": [1e-3]}, ["deform.tolerance"]),
    ],
)
def test_a_last_word_that_is_not_the_key_s_own_gives_way_to_the_whole_key(over, names):
    assert list(axes_of(over, taken=case_rows.names()).names.values()) == names


def test_a_dimension_over_solvers_is_selected_by_its_name():
    xarray = pytest.importorskip("xarray")
    found = axes_of({"method": ["ale", "meshless"], MACH: [0.5, 0.6]}).coordinates()

    ds = xarray.Dataset({"cl": (("solver", "mach"), [[1, 2], [3, 4]])}, coords=found)

    assert ds.cl.sel(solver="meshless", mach=0.6) == 4


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("0.6:0.8:5", [0.6, 0.65, 0.7, 0.75, 0.8]),
        ("0.2,0.6:0.8:3", [0.2, 0.6, 0.7, 0.8]),
        ("-2:2:5", [-2, -1, 0, 1, 2]),
        ("1000:2000:3", [1000, 1500, 2000]),
        ("0:1:3", [0.0, 0.5, 1.0]),
        ("1e-3:3e-3:3", [0.001, 0.002, 0.003]),
    ],
)
def test_a_range_has_both_ends_and_as_many_values_as_it_says(text, values):
    key, found = several(f"flow.mach={text}")

    assert (key, found) == (MACH, values)
    assert [type(v) for v in found] == [type(v) for v in values]


def test_a_range_in_a_table_is_that_of_the_shell():
    assert axes_of({MACH: "0.6:0.8:3"}).axes[0].values == ((0.6,), (0.7,), (0.8,))


@pytest.mark.parametrize("text", ["0.6:0.8", "0.6:0.8:0.05", "0.6:0.8:1", "0.6:0.6:3", "1:2:3:4"])
def test_what_is_no_range_is_refused_with_an_example(text):
    with pytest.raises(
        CaseError, match=r"is no range, expected low:high:count such as 0\.6:0\.8:5"
    ):
        several(f"flow.mach={text}")
    with pytest.raises(CaseError, match="is no range"):
        axes_of({MACH: text})


def test_keys_of_zip_share_the_dimension_of_the_first():
    axes = axes_of({K: [0.1, 0.2], "flow.alpha_deg": [0], MACH: [0.5, 0.6]}, zip=(MACH, K))

    found = axes.coordinates()
    assert axes.shape == (2, 1)
    assert found["mach"][0] == found["k"][0] == "mach"
    assert list(axes.rows()) == [
        {MACH: 0.5, K: 0.1, "flow.alpha_deg": 0},
        {MACH: 0.6, K: 0.2, "flow.alpha_deg": 0},
    ]


def test_a_sample_has_one_case_in_each_stratum_of_each_range():
    ranges = {MACH: [0.6, 0.8], K: (0.05, 0.2)}

    axes = axes_of(ranges, sample="latin-hypercube", n=40, seed=3)

    found = axes.coordinates()
    assert found["case"][1].tolist() == list(range(40))
    for name, (low, high) in (("mach", ranges[MACH]), ("k", ranges[K])):
        stratum = np.floor((found[name][1] - low) / (high - low) * 40)
        assert sorted(stratum) == list(range(40))
    again = axes_of(ranges, sample="latin-hypercube", n=40, seed=3)
    other = axes_of(ranges, sample="latin-hypercube", n=40, seed=4)
    assert axes == again != other


def test_numpy_values_texts_and_sizes_are_values():
    axes = axes_of({MACH: np.linspace(0.5, 0.7, 3), "mesh.nodes": ["coarse", 800]})

    assert type(axes.at((0, 0))[MACH]) is float
    assert axes.coordinates()["nodes"][1].tolist() == ["coarse", "800"]


# ---------------------------------------------------------------- batches


@pytest.mark.parametrize(
    ("shape", "split", "most", "chunks"),
    [
        ((10, 10, 10), (), 128, (1, 10, 10)),
        ((200,), (), 128, (100,)),
        ((4, 5), (), 128, (4, 5)),
        ((4, 5), (1,), 16, (4, 1)),  # the second dimension has a kind of ensemble for each entry
        ((3, 7), (), 1, (1, 1)),
    ],
)
def test_batches_are_blocks_of_what_can_share_an_ensemble(shape, split, most, chunks):
    groups = np.zeros(shape, int)
    for axis in split:
        groups += np.arange(shape[axis]).reshape(
            [-1 if a == axis else 1 for a in range(len(shape))]
        )

    assert chunks_of(groups, most) == chunks


def test_every_row_is_in_one_batch():
    block = store.Block({"a": 5, "b": 7}, (2, 3), {}, np.zeros(0))
    seen = np.zeros((5, 7), int)

    for region in block.regions():
        seen[region] += 1

    assert (seen == 1).all()
    assert len(block.regions()) == 9


def test_rows_of_a_batch_run_with_those_of_their_kind_and_impossible_ones_do_not_run():
    assert ensembles([0, 2, 0, -1, 2]) == [[0, 2], [1, 4]]


def test_cases_share_an_ensemble_where_solver_settings_and_steps_are_one():
    asked = asked_of(case(), {"over": {
        MACH: [0.4, 0.5], "mesh.section": ["naca0012", "naca2412"], "mesh.nodes": [520, 700],
        K: [0.1, 0.2], "solver.flux": ["roe", "hllc"], "run.steps_per_cycle": [6, 8],
    }})  # fmt: skip

    groups = look(asked).groups.reshape(asked.axes.shape)

    assert len(np.unique(groups)) == 4
    assert (groups == groups[:1, :1, :1, :1]).all()


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"over": {"flow.machh": [0.5]}}, "unknown key 'machh'; did you mean 'mach'"),
        ({"over": {"flwo.mach": [0.5]}}, "unknown key 'flwo'; did you mean 'flow'"),
        ({"over": {"motion.pitch.kk": [0.5]}}, "unknown key 'kk'; did you mean 'k'"),
        ({"over": {"flow": [0.5]}}, "flow = 0.5, expected a table"),
        ({"over": {MACH: [0.5, "fast", 0.6]}}, "flow.mach: entry 1 is 'fast', a text, expected"),
        ({"over": {MACH: [0.5, True]}}, "entry 1 is True, a truth value"),
        ({"over": {MACH: [0.5, None, 0.6]}}, "entry 1 is None"),
        ({"over": {MACH: ["slow", "fast"]}}, "flow.mach = 'slow': [flow] mach = 'slow', ex"),
        ({"over": {"mesh.nodes": [520, 2**63]}},
         "mesh.nodes: entry 1 is 9223372036854775808, expected a whole number of at most 64 bits"),
        ({"over": {"flow.alpha_deg": [-(2**63) - 1]}}, "of at most 64 bits"),
        ({"over": {MACH: []}}, "flow.mach has an empty list"),
        ({"over": {}}, "over is {}, expected keys"),
        ({"over": [0.5]}, "over is [0.5], expected keys"),
        ({"over": {MACH: 0.5}}, "flow.mach is 0.5, expected a list"),
        ({"over": {"flow mach": [0.5]}}, "'flow mach' is no key"),
        ({"over": {"run.out": ["a", "b"]}}, "run.out cannot vary"),
        ({"over": {MACH: [0.5, 0.6], K: [0.1]}, "zip": [(MACH, K)]},
         "zip: flow.mach has 2, motion.pitch.k has 1 values"),
        ({"over": {MACH: [0.5], K: [0.1]}, "zip": [(MACH, "motion.pitch.kk")]},
         "no values of 'motion.pitch.kk' in over; did you mean 'motion.pitch.k'"),
        ({"over": {MACH: [0.5]}, "zip": [(MACH, MACH)]}, "'flow.mach' stands twice"),
        ({"over": {MACH: [0.5]}, "zip": "flow.mach"}, "expected groups of keys"),
        ({"over": {"name": ["a", "b", "a"]}}, "two cases with one name"),
        ({"over": {MACH: [0.5, 0.6, 0.5]}}, "flow.mach = 0.5 stands twice (entries 0 and 2)"),
        ({"over": {"flow.alpha_deg": [1, 0.5, 1.0]}}, "alpha_deg = 1.0 stands twice"),
        ({"over": {"flow.alpha_deg": [0.0, -0.0]}}, "alpha_deg = -0.0 stands twice"),
        ({"over": {"flow.moment_about": [[0.5, 0], [0.5, 0.0]]}}, "stands twice"),
        ({"over": {MACH: [0.5], 'flow."mach"': [0.6]}}, "give values for one key of the case"),
        ({"over": {"flow": {"mach": [0.5]}, MACH: [0.6]}}, "give values for one key of the case"),
        ({"over": {K: [0.1], "motion.pitch": [{"amplitude_deg": 1.0, "k": 0.2}]}},
         "motion.pitch.k and motion.pitch give values for one key"),
        ({"over": {MACH: [0.5]}, "n": 3}, "n = 3 has no meaning without sample"),
        ({"over": {MACH: [0.5, 0.6]}, "sample": "sobol", "n": 3}, "expected latin-hypercube"),
        ({"over": {MACH: [0.5, 0.6]}, "sample": "latin-hypercube"}, "n is None"),
        ({"over": {MACH: [0.6, 0.5]}, "sample": "latin-hypercube", "n": 3}, "range [low, high]"),
        ({**SAMPLE, "zip": []}, "no meaning"),
        ({**SAMPLE, "seed": -1}, "seed is -1"),
        ({"over": {"mode": ["steady", "unsteady"]}}, "so [motion] has no meaning"),
        ({"over": {"run.cycles": [0.5, 1]}}, "cycles = 0.5, expected a whole cycle"),
        ({"over": {MACH: [0.5]}, "resume": True}, "resume needs the folder"),
        ({"over": {MACH: [0.5]}, "out": "s", "retry_failed": True}, "give --resume (resume=True)"),
        ({}, "nothing varies"),
    ],
)  # fmt: skip
def test_what_makes_no_sweep_is_refused_with_what_is_wrong(given, words):
    with pytest.raises(CaseError) as caught:
        km.sweep(case(), **given)

    assert words in str(caught.value)


@pytest.mark.parametrize("batch", [0, 1.5, True, "all"])
def test_a_batch_that_is_no_number_of_cases_is_refused(batch):
    with pytest.raises(SettingsError, match="batch is"):
        km.sweep(case(), {MACH: [0.5]}, batch=batch)


def test_a_device_that_is_not_there_is_refused_before_any_mesh_is_made(monkeypatch):
    monkeypatch.delattr("kinemesh.cases.build.space")

    with pytest.raises(DeviceError, match="cuda:99 is not there"):
        km.sweep(case(), {MACH: [0.5]}, device="cuda:99")


def test_impossible_cases_are_listed_with_values_and_causes():
    over = {MACH: [0.5, -1, 30], "mesh.section": ["naca0012", "naca00"], K: [0.1, 0.2]}

    with pytest.raises(CaseError) as caught:
        km.sweep(case(), over)

    text = str(caught.value)
    assert "10 of 12 cases cannot run (--skip-bad" in text
    assert "flow.mach = -1 (4 cases): [flow] mach = -1, expected a number above 0" in text
    assert "flow.mach = 30 (4 cases)" in text
    assert "flow.mach = 0.5, mesh.section = 'naca00' (2 cases):" in text


@pytest.mark.parametrize("key", ["mesh.nodes", "run.steps_per_cycle"])
def test_a_sample_of_whole_numbers_is_refused_once(key):
    over = {MACH: [0.4, 0.5], key: [700, 900]}

    with pytest.raises(CaseError) as caught:
        km.sweep(case(), over, sample="latin-hypercube", n=4)

    said, word = str(caught.value), key.partition(".")[2]
    assert said.count(f"{word} of a sample, which is of any numbers, expected an integer") == 1
    assert len(said.splitlines()) == 1


def test_a_far_vortex_is_impossible_with_supersonic_streams_alone():
    tables = {k: v for k, v in TABLES.items() if k not in ("motion", "deform")}
    steady = tables | {"mode": "steady", "run": {"device": "cpu"}}
    vortex = Case.from_dict(steady | {"solver": {"far_field": "vortex"}})

    checked = look(asked_of(vortex, {"over": {MACH: [1.2, 0.4]}}))

    assert list(checked.causes) == [0]
    assert "expected a subsonic stream" in checked.causes[0]


def test_a_motion_of_a_body_that_is_not_there_is_impossible():
    pitch = {"pitch": TABLES["motion"]["pitch"]}
    bodies = Case.from_dict(TABLES | {"motion": {"bodies": {"airfoil": pitch}}})

    over = {"motion.bodies": [{"flap": pitch}, {"airfoil": pitch}]}
    checked = look(asked_of(bodies, {"over": over}))

    assert list(checked.causes) == [0]
    assert "motion of ['flap'], expected bodies ['airfoil']" in checked.causes[0]


def test_an_ensemble_that_does_not_fit_is_refused_before_the_first_run(monkeypatch):
    monkeypatch.setattr("kinemesh.flow.memory.available", lambda backend: 3_000_000)

    with pytest.raises(DeviceError, match=r"4 cases side by side.*or give a smaller batch"):
        km.sweep(case(), {MACH: [0.3, 0.4, 0.5, 0.6]})


# ---------------------------------------------------------------- packages, files, shell


def test_without_its_packages_a_sweep_says_how_to_install_them(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(sys.modules, "zarr", None)
    (tmp_path / "f.toml").write_text(FILE + 'sweep.over = { "flow.mach" = [0.5] }')

    with pytest.raises(CaseError, match=r'pip install "kinemesh\[sweep\]"'):
        km.sweep(case(), {MACH: [0.5]})
    assert cli.main(["sweep", str(tmp_path / "f.toml")]) == 2
    assert 'pip install "kinemesh[sweep]"' in " ".join(capsys.readouterr().err.split())


def test_the_package_and_the_program_start_without_the_packages_of_sweeps():
    words = "import sys, kinemesh as km, kinemesh.cli; km.Ale; kinemesh.cli.parser(); "
    words += "print([n for n in ('xarray', 'zarr', 'dask', 'pandas') if n in sys.modules])"

    found = subprocess.run(
        [sys.executable, "-c", words], capture_output=True, text=True, check=True
    )

    assert found.stdout == "[]\n"


def test_the_table_of_a_case_file_is_the_sweep_and_arguments_stand_above_it(tmp_path):
    path = tmp_path / "f.toml"
    path.write_text(
        FILE
        + """
[sweep]
over = { flow.mach = [0.4, 0.5], "motion.pitch.k" = [0.1, 0.2] }
zip = [["flow.mach", "motion.pitch.k"]]
"""
    )

    told = asked_of(path, {})
    other = asked_of(path, {"over": {"flow.mach": [0.3]}, "zip": []}, ["mesh.nodes=600"])

    assert list(told.axes.rows()) == [{MACH: 0.4, K: 0.1}, {MACH: 0.5, K: 0.2}]
    assert list(other.axes.rows()) == [{MACH: 0.3}]
    assert other.base.mesh.nodes == 600


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("[sweep]\nove = 1", "[sweep]: unknown key 'ove'; did you mean 'over'?"),
        ("[sweep]\nover = { flow.mach = [] }", "f.toml: sweep: flow.mach has an empty list"),
        ("", "nothing varies, expected a table [sweep]"),
        ("[[sweep]]", "expected a table [sweep]"),
    ],
)
def test_a_table_that_makes_no_sweep_is_refused(tmp_path, table, words):
    path = tmp_path / "f.toml"
    path.write_text(FILE + table)

    with pytest.raises(CaseError) as caught:
        km.sweep(path)

    assert words in str(caught.value)


def test_a_file_of_a_sweep_is_no_single_case(tmp_path):
    path = tmp_path / "f.toml"
    path.write_text(FILE + "sweep.over = { flow.mach = [0.5] }")

    with pytest.raises(CaseError, match=r"run them by `kinemesh sweep FILE\.toml`"):
        km.cases.load(path)


def test_the_shell_lists_the_cases_and_runs_none(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.toml").write_text(FILE + "sweep.over = { flow.mach = [0.4, 0.5, 30.0] }")

    assert cli.main(["sweep", "f.toml", "--list"]) == 2

    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("0  flow.mach = 0.4  ensemble 0, ")
    assert "cannot run: [flow] mach = 30, expected at most 20" in lines[2]
    assert lines[3] == "batches: 2 of 1 case"
    assert lines[5] == "3 cases, 1 impossible; 1 kind of ensemble; nothing was run"
    assert [path.name for path in tmp_path.iterdir()] == ["f.toml"]


@pytest.mark.parametrize(
    ("option", "nodes"), [(["--nodes", "700"], 700), (["--size", "coarse"], 5000)]
)
def test_the_mesh_of_every_case_has_the_nodes_of_the_options(
    tmp_path, monkeypatch, capsys, option, nodes
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.toml").write_text(FILE)

    assert cli.main(["sweep", "f.toml", "--over", "flow.mach=0.4:0.5:3", *option, "--list"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert len([line for line in lines if " flow.mach = " in line]) == 3
    made = int(re.search(r"(\d+) nodes$", lines[0])[1])
    assert abs(made - nodes) <= 0.05 * nodes  # whole rings of few nodes; 506 are the file's
    assert cli.main(["sweep", "f.toml", "--over", "mesh.nodes=500,600", *option, "--list"]) == 2
    assert "mesh.nodes varies in this sweep; leave one out" in capsys.readouterr().err


@pytest.mark.long
def test_a_wing_of_every_case_has_the_points_of_the_option(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    command = ["sweep", "oneram6", "--points", "20000", "--list"]

    assert cli.main([*command, "--over", "flow.alpha_deg=0,3"]) == 0
    made = re.findall(r"(\d+) nodes$", capsys.readouterr().out, re.MULTILINE)
    assert all(abs(int(count) - 20_000) < 600 for count in made[:2])
    assert cli.main([*command, "--over", "mesh.points=20000,30000"]) == 2
    assert "--points 20000: mesh.points varies in this sweep" in capsys.readouterr().err


def test_one_case_is_told_as_one(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.toml").write_text(FILE)

    assert cli.main(["sweep", "f.toml", "--over", "flow.mach=0.4", "--list"]) == 0

    out = capsys.readouterr().out
    assert "batches: 1 of 1 case\n" in out
    assert "largest ensemble: 1 case, " in out
    assert out.endswith("1 case; 1 kind of ensemble; nothing was run\n")


def test_the_list_has_the_batches_and_what_the_largest_of_them_takes(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.toml").write_text(FILE)
    monkeypatch.setattr("kinemesh.flow.memory.available", lambda backend: 2**30)

    def last_lines(*over):
        more = [word for text in over for word in ("--over", text)]
        words = ["--over", "flow.mach=0.3,0.4,0.5", "--batch", "2", *more]
        assert cli.main(["sweep", "f.toml", "--list", *words]) == 0
        return capsys.readouterr().out.splitlines()[-3:-1]

    some, memory = last_lines("mesh.nodes=520,1040")
    large, small = (len(km.mesh.airfoil("naca0012", nodes=n, far_field=10.0).points)
                    for n in (1040, 520))  # fmt: skip
    assert some == "batches: 3 of 2 cases"
    assert f"largest ensemble: 2 cases, {large + small} nodes in all" in memory
    assert re.search(r"memory: about [1-9]\.\d+ MiB for the arrays, 1 GiB free on cpu", memory)
    with_matrix = last_lines("solver.linear_solver=bicgstab")[1]
    assert last_lines("solver.linear_solver=lusgs,bicgstab") == [
        "batches: 2 of 2 cases, 2 of 1 case", with_matrix]  # fmt: skip
    assert last_lines("solver.linear_solver=lusgs")[1] != with_matrix


@pytest.mark.parametrize(("count", "told"), [(32, "8 of 4"), (6, "3 of 2"), (2, "2 of 1")])
def test_a_batch_on_a_cpu_has_four_cases_and_a_folder_four_batches_at_least(
    count, told, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    values = ", ".join(f"{0.3 + 0.01 * i:g}" for i in range(count))
    (tmp_path / "f.toml").write_text(FILE + f"sweep.over = {{ flow.mach = [{values}] }}")

    assert cli.main(["sweep", "f.toml", "--list"]) == 0

    assert re.search(f"batches: {told} cases?\n", capsys.readouterr().out)


@pytest.mark.parametrize(
    ("free", "advice"),
    [
        (12e6, "11.4 MiB are free; use fewer nodes; or give a smaller batch"),
        (14e6, r"use run.dtype = 'float32' \(about 12\.\d MiB\) or fewer nodes; or give a smaller"),
    ],
)
def test_a_list_of_what_does_not_fit_says_so_and_advises_what_would(
    free, advice, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.toml").write_text(FILE.replace("520", "3000"))
    monkeypatch.setattr("kinemesh.flow.memory.available", lambda backend: int(free))

    asked = ["--over", "flow.mach=0.3,0.4", "--batch", "2"]
    assert cli.main(["sweep", "f.toml", "--list", *asked]) == 2

    said = " ".join(capsys.readouterr().err.split())
    assert re.search(rf"2 cases side by side: .* need about 14\.\d MiB, .*{advice}", said)


# ---------------------------------------------------------------- a sweep from options


@pytest.mark.parametrize(
    ("words", "rows"),
    [
        (["--over", "flow.mach=0.5,0.6", "--over", "mesh.section=naca0012,naca2412"],
         [{MACH: m, "mesh.section": s} for m in (0.5, 0.6) for s in ("naca0012", "naca2412")]),
        (["--over", "flow.mach=0.5,0.6", "--over", f"{K}=0.1,0.2", "--zip", f"{MACH},{K}"],
         [{MACH: 0.5, K: 0.1}, {MACH: 0.6, K: 0.2}]),
        (["--over", "flow.moment_about=[0.25,0],[0.5,0]"],
         [{"flow.moment_about": [0.25, 0]}, {"flow.moment_about": [0.5, 0]}]),
        (["--over", "run.device=cpu,cuda"], [{"run.device": "cpu"}, {"run.device": "cuda"}]),
    ],
)  # fmt: skip
def test_options_make_a_sweep_of_a_ready_case(words, rows):
    asked = of_options("agard-ct5", *words)

    assert list(asked.axes.rows()) == rows
    assert asked.base.name == "agard-ct5"


def of_options(*words):
    """Arguments of the sweep that `kinemesh sweep` makes of these words."""
    arguments = cli.parser().parse_args(["sweep", *words])
    return asked_of(arguments.case, shell._given(arguments), arguments.set, arguments.device)


def test_options_make_the_sample_that_arguments_make():
    ranges = {MACH: [0.6, 0.78], K: [0.05, 0.2]}
    options = ["--over", f"{MACH}=0.6,0.78", "--over", f"{K}=0.05,0.2"]

    made = of_options(
        "agard-ct5", *options, "--sample", "latin-hypercube", "--n", "4", "--seed", "1"
    )

    assert made.axes == axes_of(ranges, sample="latin-hypercube", n=4, seed=1)


def test_options_stand_above_the_table_and_its_files_start_where_they_are_given(
    tmp_path, monkeypatch
):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "f.toml").write_text(FILE + "sweep.over = { flow.mach = [0.5] }")
    monkeypatch.chdir(tmp_path)

    asked = of_options("there/f.toml", "--over", "mesh.coordinates=a.dat,b.dat")

    assert [row["mesh.coordinates"] for row in asked.axes.rows()] == [
        str(tmp_path / "a.dat"), str(tmp_path / "b.dat")]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--over", "flow.machh=0.5"], "[flow]: unknown key 'machh'; did you mean 'mach'?"),
        (["--over", "mach=0.5"], "case: unknown key 'mach'; did you mean 'flow.mach'"),
        (["--over", "chord=0.5"], "did you mean 'mesh.chord' or 'flow.chord'?"),
        (["--over", "flux=roe"], "did you mean 'solver.flux'?"),
        (["--over", "flow.mach=0.5", "--over", "flow.mach=0.6"], "flow.mach is given twice"),
        (["--over", "flow.mach=0.5", "--over", 'flow."mach"=0.6'], "give values for one key"),
        (["--over", "flow.mach"], "--over flow.mach: expected KEY=VALUE,VALUE"),
        (["--over", "flow.mach=0.5,,0.6"], "nothing is no value of TOML"),
        (["--over", "flow.mach="], "flow.mach has an empty list"),
        (["--over", "flow.mach=0.5,fast"], "entry 1 is 'fast', a text"),
        (["--over", "flow.mach=0.5,0.6", "--zip", "flow.mach,flow.match"], "did you mean"),
        (["--over", "flow.mach=0.5", "--set", "flow.mach=0.6"], "varies in this sweep"),
        (["--over", "flow.mach=0.5", "--n", "3"], "n = 3 has no meaning without sample"),
        (["--over", "flow.mach=0.5,0.6", "--sample", "lhs", "--n", "3"], "expected latin-hyper"),
        ([], "nothing varies, expected a table [sweep] with over, such as over = "),
    ],
)
def test_options_that_make_no_sweep_are_status_2_with_what_is_wrong(
    words, said, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)

    assert cli.main(["sweep", "agard-ct5", *words]) == 2

    assert said in " ".join(capsys.readouterr().err.split())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", ["--workers", "--batch"])
def test_a_list_refuses_what_a_run_refuses(option, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.toml").write_text(FILE + "sweep.over = { flow.mach = [0.4, 0.5] }")

    assert cli.main(["sweep", "f.toml", "--list", option, "0"]) == 2

    assert f"{option[2:]} is 0, expected an integer of at least 1" in capsys.readouterr().err
