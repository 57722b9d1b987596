"""Loops of tables that others made: exact loads in the forms of other programs."""

import kinemesh as km
import numpy as np
import pandas
import pytest
from kinemesh.errors import ArgumentError, CaseError, KinemeshError
from made_up import cl_of, cm_of, run

STEPS, PERIOD = 64, 0.8
TURN = 2 * np.pi * np.arange(1, 3 * STEPS + 1) / STEPS  # three cycles
TIME = TURN * PERIOD / (2 * np.pi)


def cd_of(phi):
    return 0.02 - 0.1 * np.cos(2 * phi)


def columns(phi=TURN):
    return {"phase_deg": np.degrees(phi) % 360, "alpha_deg": 1 + 2 * np.sin(phi),
            "cl": cl_of(phi), "cd": cd_of(phi), "cm": cm_of(phi)}  # fmt: skip


EXPECTED = km.hysteresis(columns())


def assert_exact(loop, abs=1e-12, names=("cl", "cd", "cm")):
    phi = np.radians(loop.phase_deg)
    for name in names:
        law = {"cl": cl_of, "cd": cd_of, "cm": cm_of}[name]
        assert getattr(loop, name).values == pytest.approx(law(phi), abs=abs), name
        first, expected = getattr(loop, name).harmonics[0], getattr(EXPECTED, name).harmonics[0]
        assert (first.sin, first.cos) == pytest.approx((expected.sin, expected.cos), abs=abs)
    assert loop.alpha_deg == pytest.approx(1 + 2 * np.sin(phi), abs=10 * abs)


def test_columns_with_our_names_are_a_loop_with_its_change_and_drag():
    assert_exact(EXPECTED)
    assert EXPECTED.steps == STEPS
    assert EXPECTED.periodic is True
    assert EXPECTED.thrust == pytest.approx(-0.02, abs=1e-15)
    assert EXPECTED.power_in is None
    assert_exact(km.hysteresis(pandas.DataFrame(columns())))
    structured = np.rec.fromarrays(list(columns().values()), names=list(columns()))
    assert_exact(km.hysteresis(structured))


def test_a_run_and_its_columns_in_a_table_are_one_loop():
    history = run(steps=32, cycles=2)

    loop = km.hysteresis(pandas.DataFrame(history))

    assert loop.cl.values == pytest.approx(km.hysteresis(history).cl.values, rel=1e-14)
    assert loop.change == pytest.approx(km.hysteresis(history).change, abs=1e-14)


SU2 = '"Time_Iter","Outer_Iter","Inner_Iter",    "Cur_Time"    ,   "CD"   ,   "CL"   ,  "CMz"\n'


def test_a_history_of_su2_has_its_moment_the_other_way_and_its_inner_iterations(tmp_path):
    rows = []
    for step, (t, phi) in enumerate(zip(TIME, TURN, strict=True)):
        for inner in range(2):  # the last of each step counts
            away = 5.0 * (inner == 0)
            load = (cd_of(phi) + away, cl_of(phi) + away, -cm_of(phi))
            rows.append(f"{step}, 0, {inner}, {t!r}, {load[0]!r}, {load[1]!r}, {load[2]!r}")
    (tmp_path / "history.csv").write_text(SU2 + "\n".join(rows).replace("np.float64", ""))

    loop = km.hysteresis(
        tmp_path / "history.csv",
        columns={"time": "Cur_Time", "cl": "CL", "cd": "CD", "cm": "-CMz"},
        period=PERIOD,
        motion=km.motion.pitch(2.0, k=0.1),
        alpha_deg=1.0,
    )

    assert_exact(loop)


def test_coefficients_of_openfoam_with_steps_of_any_length(tmp_path):
    """Cubic splines over 64 steps of 0.7 to 1.3 of their mean: 5/384 (2.6 pi / 64 3)^4 = 3e-4."""
    rng = np.random.default_rng(1)
    phi = np.cumsum(rng.uniform(0.7, 1.3, 3 * STEPS)) * 2 * np.pi / STEPS
    t = phi * PERIOD / (2 * np.pi) + 4.0
    rows = np.column_stack([t, cd_of(phi), cl_of(phi), cm_of(phi)])
    path = tmp_path / "coefficient.dat"
    head = "# Force coefficients\n# Aref : 1\n# Time\tCd\tCl\tCmPitch"
    np.savetxt(path, rows, fmt="%.17g", delimiter="\t", header=head, comments="")

    named = {"time": "Time", "cl": "Cl", "cd": "Cd", "cm": "CmPitch"}
    pitch = km.motion.pitch(2.0, k=0.3)
    loop = km.hysteresis(path, columns=named, period=PERIOD, start=4.0, motion=pitch, alpha_deg=1.0)

    assert_exact(loop, abs=3e-4)
    assert loop.steps == STEPS
    assert km.hysteresis(
        path, columns=named, period=PERIOD, start=4.0, alpha_deg=0.0, steps=100
    ).steps == 100  # fmt: skip


def test_forces_of_openfoam_are_coefficients_by_a_factor(tmp_path):
    q = 12.5
    path = tmp_path / "force.dat"
    loads = zip(TIME.tolist(), cl_of(TURN).tolist(), cd_of(TURN).tolist(), strict=True)
    lines = [f"{t!r} ({q * d!r} {q * c!r} 0) (0 0 0)" for t, c, d in loads]
    head = "# Force\n# Time (total_x total_y total_z) (viscous_x viscous_y viscous_z)\n"
    path.write_text(head + "\n".join(lines))

    loop = km.hysteresis(
        path,
        columns={"time": "Time", "cl": ("total_y", 1 / q), "cd": ("total_x", 1 / q)},
        period=PERIOD,
        motion=km.motion.pitch(2.0, k=0.3),
        alpha_deg=1.0,
    )

    assert_exact(loop, names=("cl", "cd"))
    assert np.isnan(loop.cm.mean)
    assert loop.change == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("closing", [False, True])
def test_phases_of_a_wind_tunnel_need_not_be_even(tmp_path, closing):
    """A periodic cubic spline through 40 rows, at most 13 degrees apart: 5/384 0.68^4 = 3e-3."""
    phi = np.radians(np.sort(np.r_[np.arange(0, 360, 10), [3.0, 97.0, 155.5, 243.0]]))
    phi = np.r_[phi, 2 * np.pi] if closing else phi
    table = pandas.DataFrame(columns(phi))
    table["phase_deg"] = np.degrees(phi)
    table.to_csv(tmp_path / "test.csv", index=False)

    loop = km.hysteresis(tmp_path / "test.csv")

    assert_exact(loop, abs=3e-3)
    assert loop.steps == 64


def test_a_measured_loop_is_a_reference_in_a_line(tmp_path):
    table = pandas.DataFrame(columns(TURN[:STEPS])).drop(columns=["cm"])
    mine = EXPECTED

    away = mine.compare(table)

    assert away.cl.rms == pytest.approx(0, abs=1e-12)
    assert away.cd.rms == pytest.approx(0, abs=1e-12)
    assert np.isnan(away.cm.rms)
    assert mine.plot(table) is not None
    assert km.plot.cycle(mine, table) is not None
    table.to_csv(tmp_path / "measured.csv", index=False)
    assert mine.compare(tmp_path / "measured.csv").cl.rms < 1e-12


def test_a_plunge_has_its_shift_from_its_motion_or_a_column():
    table = {"t": TIME, "Cl": cl_of(TURN), "Cd": cd_of(TURN), "y": 0.3 * np.sin(TURN)}
    named = {"time": "t", "cl": "Cl", "cd": "Cd"}

    by_law = km.hysteresis(table, columns=named, period=PERIOD, motion=km.motion.plunge(0.3, k=1))
    by_column = km.hysteresis(table, columns=named | {"h": "y"}, period=PERIOD, alpha_deg=0.0)

    expected = 0.3 * np.sin(np.radians(by_law.phase_deg))
    assert by_law.h == pytest.approx(expected, abs=1e-12)
    assert by_column.h == pytest.approx(expected, abs=1e-12)


BARE = {"t": TIME, "Cl": cl_of(TURN)}
NAMED = {"time": "t", "cl": "Cl"}
INCIDENCE = {"columns": None, "period": None, "alpha_deg": None}
GOOD = {"columns": NAMED, "period": PERIOD, "alpha_deg": 0.0}


@pytest.mark.parametrize(
    ("table", "change", "said"),
    [
        (BARE, {"columns": None}, "no loads among the columns t, Cl"),
        (BARE, {"columns": {"cl": "CL", "time": "t"}}, "no column 'CL'; did you mean 'Cl'"),
        (BARE, {"columns": {"Cl": "cl"}}, "'Cl' is none of a loop; did you mean 'cl'"),
        (BARE, {"columns": {"cl": 3}}, "expected the name of a column"),
        (BARE, {"period": None}, "no phase; name a column"),
        (BARE, {"columns": {"cl": "Cl"}}, "period of a table without time"),
        (BARE, {"period": -1}, "period is -1, expected a number above 0"),
        (BARE, {"period": 4 * PERIOD}, "no rows for 91.4 degrees.*less than one cycle"),
        (BARE, {"alpha_deg": None}, "no angle; name its column"),
        (BARE, {"motion": km.motion.translate((1, 0))}, "motion has no period"),
        (BARE, {"motion": "pitch"}, "expected one of kinemesh.motion"),
        (BARE, {"steps": 3}, "expected a whole number of at least 8"),
        (BARE, {"member": 0}, "a table has no members"),
        (BARE, {"perod": 1}, "did you mean 'period'"),
        ({"t": TIME[::-1], "Cl": TIME}, {}, "row 1 goes back in time"),
        ({"t": TIME[:5], "Cl": TIME[:5]}, {}, "5 rows, expected at least 8"),
        ({"t": TIME, "Cl": np.r_[TIME[:-1], np.nan]}, {}, "cl of row 191 is nan"),
        (columns(), {"columns": None, "period": None}, "has alpha_deg, so motion and alpha_deg"),
        (columns(TURN[:40]), {"columns": None, "period": None, "alpha_deg": None}, "no rows for"),
        ("no.csv", {}, "no.csv"),
        ({**BARE, "Cl": TIME[:5]}, {}, r"other numbers of rows, time 192, cl 5, expected one"),
        ({**BARE, "Cl": np.ma.masked_equal(TIME, TIME[3])}, {}, "cl of row 3 is nan"),
        ({**BARE, "cm": [None] * 192}, {}, "'cm' is of object and shape"),
        ({"t": [], "Cl": []}, {}, "table: 0 rows, expected at least 8"),
        ({"alpha_deg": np.zeros(0), "cl": np.zeros(0)}, INCIDENCE, "table: 0 rows"),
        (
            {**BARE, "cm": ["1.0"] * 192},
            {},
            r"'cm' is of <U3 and shape \(192,\), expected \(rows,\)",
        ),
        ({**BARE, "cd": np.ones((192, 1))}, {}, r"'cd' is of float64 and shape \(192, 1\)"),
        ({**BARE, "member": np.arange(len(TIME)) % 2}, {}, "rows of several members"),
    ],
)
def test_what_makes_no_loop_is_refused(table, change, said):
    with pytest.raises((KinemeshError, ArgumentError), match=said):
        km.hysteresis(table, **(GOOD | change))


def test_numbers_that_are_objects_are_numbers():
    table = {"t": TIME.astype(object), "Cl": np.array([*BARE["Cl"]], object)}

    assert km.hysteresis(table, **GOOD).cl.mean == km.hysteresis(BARE, **GOOD).cl.mean


def test_a_run_takes_nothing_that_is_said_of_tables():
    with pytest.raises(CaseError, match="is a run, so period, start have no meaning"):
        km.hysteresis(run(steps=32), period=1.0, start=2.0)


def test_two_rows_of_one_phase_are_refused_and_a_power_is_taken_where_it_is_named():
    table = pandas.DataFrame(columns()).assign(power=5.0)
    assert km.hysteresis(table).power is None
    named = km.hysteresis(table, columns={"power": ("power", -0.5)})
    assert named.power_in == -2.5
    with pytest.raises(CaseError, match="rows 3 and 4 have one phase"):
        km.hysteresis(table.iloc[[0, 1, 2, 3, 3, *range(4, 128)]])


def over_phases(phase, **more):
    phase = np.asarray(phase, float)
    angle = 2.0 * np.sin(np.radians(phase))
    return {"phase_deg": phase, "alpha_deg": angle, "cl": 0.1 * angle} | more


@pytest.mark.parametrize(
    ("phases", "row"),
    [
        ([*range(0, 360, 10), 5, *range(10, 360, 10), *range(0, 360, 10), 350 - 5], 108),
        ([0, 20, 10, *range(30, 360, 10), *(3 * [*range(0, 360, 10)])], 2),
        ([*range(0, 200, 10), *range(150, 360, 10), *(3 * [*range(0, 360, 10)])], 20),
        (range(350, -10, -10), 1),
        (range(0, -360, -10), 1),
        ([*range(0, 360, 10), 180, *(3 * [*range(0, 360, 10)])], 36),
    ],
)
def test_a_phase_that_goes_back_by_less_than_half_a_cycle_is_refused_with_its_row(phases, row):
    with pytest.raises(KinemeshError, match=rf"row {row} goes back in phase_deg, from .* to "):
        km.hysteresis(over_phases(list(phases)))


def test_a_time_that_goes_back_beside_a_phase_is_refused():
    phases = [*range(0, 360, 10)] * 2
    time = np.arange(len(phases), dtype=float)
    time[40:] -= 5
    with pytest.raises(KinemeshError, match="row 40 goes back in time, from 39 to 35"):
        km.hysteresis(over_phases(phases, time=time))


@pytest.mark.parametrize("first", [0, -180, 90])
def test_a_phase_begins_anew_after_a_cycle(first):
    phases = (np.arange(0, 1080, 10) - first) % 360 + first

    loop = km.hysteresis(over_phases(phases))

    assert loop.cl.amplitude == pytest.approx(0.2)


# ---- how far apart rows may be ------------------------------------------------------------


def at_degrees(phases):
    return columns(np.radians(phases)) | {"phase_deg": np.array(phases, float)}


@pytest.mark.parametrize(("first", "taken"), [(60.0, True), (np.nextafter(60.0, 61.0), False)])
def test_rows_may_be_sixty_degrees_apart_and_no_more(first, taken):
    table = at_degrees([0.0, first, *range(70, 360, 10)])

    if taken:
        assert km.hysteresis(table).steps == 64
        return
    with pytest.raises(CaseError, match=r"no rows for 60 degrees .*expected at most 60:"):
        km.hysteresis(table)


@pytest.mark.parametrize(("away", "steps"), [(0.01 - 1e-9, 36), (0.01 + 1e-9, 64)])
def test_rows_a_hundredth_of_a_step_off_are_taken_as_they_are(away, steps):
    """Others are laid on a spline of 64 steps."""
    phases = 10.0 * np.arange(1, 37)
    phases[17] += 10 * away

    assert km.hysteresis(at_degrees(phases)).steps == steps


@pytest.mark.parametrize(
    ("fall", "words"),
    [
        (180.0, r"row 36 goes back in phase_deg, from 350 to 170, .* by more than 180 degrees"),
        (np.nextafter(180.0, 181.0), "no rows for 180 degrees from phase 350 on"),
    ],
)
def test_a_cycle_begins_where_the_phase_falls_by_more_than_half_of_it(fall, words):
    with pytest.raises(CaseError, match=words):
        km.hysteresis(at_degrees([*range(0, 360, 10), 350.0 - fall, *range(180, 360, 10)]))
