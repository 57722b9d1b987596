"""Motions by the tables of files in cases, sweeps and restarts."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import CaseError, KinemeshError
from sweeps import TABLES, case, toml

pytestmark = pytest.mark.filterwarnings("ignore:.*(not periodic|residual|above the asked)")
K = 0.1
PITCH = TABLES["motion"]["pitch"]


def written(path, amplitude=2.0, rows=100, header="time,angle_deg"):
    s = np.linspace(0, np.pi / K, rows + 1)
    table = np.column_stack([s, amplitude * np.sin(2 * K * s)])
    np.savetxt(path, table, delimiter=",", header=header, comments="")
    return path


def tabled(path, **tables):
    return case(motion={"table": str(path), "pitch": None}, **tables)


def test_a_case_file_takes_a_table_from_its_own_folder(tmp_path):
    written(tmp_path / "flight.csv")
    tables = {k: v for k, v in TABLES.items() if k != "motion"}
    text = "\n".join(f"{name} = {toml(value)}" for name, value in tables.items())
    for key in ('table = "flight.csv"', 'table = { file = "flight.csv", about = [0.25, 0.0] }'):
        (tmp_path / "case.toml").write_text(f"{text}\n[motion]\n{key}\n")

        made = km.cases.load(tmp_path / "case.toml")

        motion = made.motion.build(None)
        assert motion.pose(3.0, 0.5).angle == pytest.approx(
            km.motion.pitch(2.0, k=K).pose(3.0, 0.5).angle, abs=1e-9
        )
        again = km.cases.casefile.Case.from_dict(made.tables())
        assert repr(again.motion.build(None)) == repr(motion)


def test_tables_add_up_and_belong_to_bodies_and_parts(tmp_path):
    path = str(written(tmp_path / "flight.csv"))
    both = case(motion={"table": path, "pitch": None, "plunge": {"amplitude": 0.1, "k": K}})
    assert type(both.motion.build(None)).__name__ == "Together"
    one = case(motion={"bodies": {"airfoil": {"table": path}}, "pitch": None})
    assert one.motion.files[0].name == "flight.csv"
    ready = km.cases.load("plunging-naca0012")
    tables = ready.tables()
    moving = next(name for name, part in tables["parts"].items() if "motion" in part)
    tables["parts"][moving]["motion"] = {"table": "flight.csv"}
    made = km.cases.casefile.Case.from_dict(tables, tmp_path)
    assert made.motion.named(None)[moving].omega(1.0) == pytest.approx(2 * K)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("no.csv", r"\[motion\].*no.csv: cannot read the motion's table"),
        (3, "expected a file name"),
        ("", "expected a file name"),
        ({"files": "a.csv"}, "did you mean 'file'"),
        ({"about": [0, 0]}, "file = None, expected a file name"),
    ],
)
def test_a_table_that_is_none_is_refused_before_the_run(table, said, tmp_path):
    with pytest.raises(KinemeshError, match=said):
        km.cases.casefile.Case.from_dict({**TABLES, "motion": {"table": table}}, tmp_path)


@pytest.mark.flow
def test_a_run_by_a_table_is_the_run_by_its_law(tmp_path):
    """Steps at rows of the table: angles are equal there, rates to h^4 / 180 = 1e-7."""
    path = written(tmp_path / "flight.csv", rows=96)

    found = tabled(path, run={"steps_per_cycle": 6}).run().history
    expected = case().run().history

    for name in ("alpha_deg", "cl", "cd", "cm", "power"):
        assert found[name] == pytest.approx(expected[name], rel=1e-6, abs=1e-8)


@pytest.mark.flow
@pytest.mark.long
def test_a_sweep_runs_over_tables_and_knows_their_content(tmp_path):
    paths = [str(written(tmp_path / f"{a}.csv", a)) for a in (1.0, 2.0)]
    base, over = tabled(paths[0]), {"motion.table": paths}

    found = km.sweep(base, over, out=tmp_path / "sweep")

    assert found.sizes["table"] == 2
    ratio = found.cl_amplitude.values[1] / found.cl_amplitude.values[0]
    assert ratio == pytest.approx(2, rel=0.02)  # linear in the amplitude
    assert np.isfinite(found.cl_alpha_in_phase).all()
    written(tmp_path / "2.0.csv", 2.5)
    with pytest.raises(CaseError, match="another sweep"):
        km.sweep(base, over, out=tmp_path / "sweep", resume=True)


def test_members_are_told_apart_by_their_tables(tmp_path):
    flights = [km.motion.table(written(tmp_path / f"{a}.csv", a)) for a in (1.0, 2.0)]
    mesh = km.mesh.airfoil("naca0012", nodes=520, far_field=10)

    asked = km.Ale(mesh, mach=0.5, motion=flights, device="cpu").asked()

    assert [row["file"] for row in asked] == ["1.0.csv", "2.0.csv"]  # no folder: names of figures
    assert asked[0]["content"] != asked[1]["content"]
    assert not any(name.startswith("_") for name in asked[0])


@pytest.mark.flow
@pytest.mark.long
def test_a_resumed_run_asks_for_the_table_that_it_was_begun_with(tmp_path):
    path, out = written(tmp_path / "flight.csv"), tmp_path / "run"
    tabled(path).run(out=out)
    whole = tabled(path, run={"cycles": 2}).run()

    resumed = tabled(path, run={"cycles": 2}).run(out=out, resume=True)

    assert resumed.history["cl"].tobytes() == whole.history["cl"].tobytes()
    written(path, 2.001)
    with pytest.raises(CaseError, match=r"motion is Table.*SHA-256"):
        tabled(path, run={"cycles": 3}).run(out=out, resume=True)


@pytest.mark.flow
def test_a_rough_table_is_said_in_the_summary(tmp_path):
    path = written(tmp_path / "flight.csv", rows=12)

    with pytest.warns(RuntimeWarning, match="rows that lie"):
        run = tabled(path).run()

    assert any("rows that lie" in text for text in run.summary["warnings"])


@pytest.mark.flow
def test_a_run_beyond_the_rows_of_a_table_is_refused_before_its_first_step(tmp_path):
    s = np.linspace(0, 5, 30)
    end = km.motion.table(s, angles_deg=s**2 / 10)
    mesh = km.mesh.airfoil("naca0012", nodes=520, far_field=10)
    ale = km.Ale(mesh, mach=0.5, motion=end, deform=km.deform.Rigid(), device="cpu")

    with pytest.raises(KinemeshError, match="no pose at reduced time 6"):
        ale.run(time_step=1.0, steps=12)
