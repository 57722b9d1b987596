"""Flutter of sections on Theodorsen's loads, with their exact boundary, and what is refused."""

import sys
from math import pi, sqrt

import kinemesh as km
import numpy as np
import pytest
import xarray
from kinemesh.errors import KinemeshError, KinemeshWarning
from kinemesh.io import text_table
from kinemesh.loops.theodorsen import theodorsen
from kinemesh.study.flutter import linear
from kinemesh.study.flutter.forces import Forces
from kinemesh.study.flutter.roots import divergence, tracks

CASE_A = km.structure.TypicalSection(60, -2, 1.8, 3.48, 1)
LIGHT = km.structure.TypicalSection(100, -0.5, 0.25, 0.25, 0.3185)
PUBLISHED = {"case A": (CASE_A, 2.3727, 0.1379), "light": (LIGHT, 0.5640, 0.1010)}
K = 3 * (np.arange(1, 301) / 300) ** 2


def q_of(axis, k=K, h="up", length="c", mach=(0.0,), loads=None):
    """Derivatives in the form of `km.derivatives`, of Theodorsen's loads."""
    per, way = {"c": 1, "b": 2}[length], {"up": 1, "down": -1}[h]
    q = theodorsen(k, axis) if loads is None else loads
    factors = np.array([[1, way * per], [way * per, per**2]])
    told = {"axis": [axis, 0.0], "h": f"positive {h}wards",
            "length": {"c": "chord", "b": "half of the chord"}[length]}  # fmt: skip
    dims = ("mach", "k", "load", "motion")
    return xarray.Dataset({"Q": (dims, np.array([q * factors for _ in mach]))},
                          coords={"mach": list(mach), "k": k}, attrs=told)  # fmt: skip


def by_k_method(section, k=K):
    """V* and k of all neutral points, of the quadratic in kappa^2 whose roots must be real."""
    q = theodorsen(k, section.axis) * np.array([[1, 2], [2, 4]]) / (2 * pi * section.mu)
    mass, stiff = section.mass, section.stiffness

    each = []
    for own, loads in zip(k, q, strict=True):
        squares = np.linalg.eigvals(np.linalg.solve(stiff, own**2 * mass + loads))
        if each and abs(squares[0] - each[-1][0]) > abs(squares[1] - each[-1][0]):
            squares = squares[::-1]  # each branch goes on
        each.append(squares)
    each = np.array(each)
    found = []
    for branch in each.T:
        for i in np.flatnonzero(np.diff(np.sign(branch.imag)) != 0):
            share = branch[i].imag / (branch[i].imag - branch[i + 1].imag)
            square = (branch[i] + share * (branch[i + 1] - branch[i])).real
            if square > 0:
                found.append((1 / sqrt(square * section.mu), k[i] + share * (k[i + 1] - k[i])))
    return sorted(found)


@pytest.mark.parametrize("name", PUBLISHED)
def test_sections_on_theodorsens_loads_flutter_at_their_known_speed(name):
    section, speed, k = PUBLISHED[name]

    found = km.flutter(q_of(section.axis), structure=section, points=60)

    assert found.boundary.values == pytest.approx([speed], abs=1e-4)
    assert found.boundary_k.values == pytest.approx([k], abs=1e-4)
    assert found.end.values.tolist() == ["flutter"]
    assert found.boundary_mode.values.tolist() == [1]
    omega = found.boundary_k * found.boundary * sqrt(section.mu)
    assert found.boundary_omega.values == pytest.approx(omega.values)


@pytest.mark.parametrize("name", PUBLISHED)
def test_crossings_of_all_modes_are_those_of_another_method(name):
    """The k method on the same loads; its straight lines between k are wrong by their squares."""
    section = PUBLISHED[name][0]
    dense = np.linspace(0.02, 1.5, 6000)

    last = {"case A": 4.0, "light": 1.0}[name]

    found = km.flutter(q_of(section.axis), speed_index=(0.3, last), structure=section, points=60)

    wanted = [own for own in by_k_method(section, dense) if 0.3 < own[0] < last]
    assert wanted
    mine = found.crossing_speed_index.values[0]
    assert mine == pytest.approx([speed for speed, _ in wanted], rel=1e-4)
    assert found.crossing_k.values[0] == pytest.approx([k for _, k in wanted], rel=1e-3)


def test_roots_solve_the_equation_of_motion_at_every_speed():
    section = LIGHT
    found = km.flutter(q_of(section.axis), structure=section, points=20).isel(mach=0)

    for j in range(2):
        for i, speed in enumerate(found.speed_index.values):
            if np.isnan(k := found.k.values[j, i]):
                continue
            p = complex(found.g.values[j, i] * k / 2, k)
            q = theodorsen(k, section.axis) * np.array([[1, 2], [2, 4]]) / (2 * pi * section.mu)
            kappa = 1 / (speed * sqrt(section.mu))
            whole = p**2 * section.mass + kappa**2 * section.stiffness - q
            shape = np.array([found["shape"].values[j, i], 1.0])
            left = np.abs(whole @ shape).max() / np.abs(p**2 * section.mass @ shape).max()
            assert left < 1e-4  # of the spline between k
            assert found.zeta.values[j, i] == pytest.approx(-p.real / abs(p))


@pytest.mark.parametrize("h", ["up", "down"])
@pytest.mark.parametrize("length", ["c", "b"])
def test_conventions_of_derivatives_do_not_change_the_boundary(h, length):
    found = km.flutter(q_of(LIGHT.axis, h=h, length=length), structure=LIGHT, points=30)

    assert found.boundary.values == pytest.approx([0.5640455], abs=1e-6)


def test_another_structure_takes_the_loads_of_an_analysis():
    one = km.flutter(q_of(LIGHT.axis), structure=LIGHT, points=30)
    heavy = km.structure.TypicalSection(200, -0.5, 0.25, 0.25, 0.3185)

    again = km.flutter(one, structure=heavy, points=30)

    alone = km.flutter(q_of(LIGHT.axis), structure=heavy, points=30)
    assert again.boundary.values == alone.boundary.values
    assert abs(again.boundary.values - one.boundary.values) > 0.01


def test_loads_without_a_mach_number_have_roots_and_a_figure():
    found = km.flutter(q_of(LIGHT.axis).isel(mach=0, drop=True), structure=LIGHT, points=30)

    assert found.boundary.values == pytest.approx([0.5640455], abs=1e-6)
    assert "Mach" not in km.plot.vg(found).get_suptitle()


def quasi_steady(slope, arm, drag=0.3):
    """Loads of a slope of lift at a place `arm` b ahead of the axis, and damping of the pitch."""
    k = np.linspace(0, 3, 61)
    s = 1j * k
    lift = np.stack([-slope * s * 2, np.full(len(k), slope)], -1)  # by h/c upwards, alpha
    moment = arm / 2 * lift
    moment[:, 1] -= drag * s
    return k, np.stack([lift, moment], -2)


def test_a_section_whose_lift_is_ahead_of_its_axis_diverges_at_its_known_speed():
    """kappa^2 r2 = M_alpha / (2 pi mu): V* = sqrt(2 pi r2 / (2 slope arm)) for slope, arm in b."""
    section = km.structure.TypicalSection(50, 0.0, 0.0, 0.25, 2.0)
    k, loads = quasi_steady(2 * pi, 0.5)
    speed = sqrt(2 * pi * 0.25 / (2 * 2 * pi * 0.5))

    with pytest.warns(KinemeshWarning, match="static divergence at speed index 0.5,"):
        found = km.flutter(q_of(section.axis, k, loads=loads), structure=section)

    assert found.divergence.values == pytest.approx([speed], rel=1e-12)
    assert found.end.values.tolist() == ["divergence"]
    assert np.isnan(found.boundary.values).all()


def test_the_lowest_of_several_speeds_of_divergence_counts():
    """Plunge and pitch that do not know one another: V* = sqrt(2 pi K / Q) each."""
    section = km.structure.TypicalSection(50, 0.0, 0.0, 0.25, 2.0)
    forces = Forces(np.linspace(0, 1, 5), np.array([np.diag([1.0, 0.5])] * 5))

    assert divergence(section, forces) == pytest.approx(sqrt(2 * pi * min(4.0 / 1.0, 0.25 / 0.5)))


def test_without_loads_at_rest_divergence_is_not_known():
    k, loads = quasi_steady(2 * pi, 0.5)
    forces = Forces(k[1:], loads[1:])

    assert np.isnan(divergence(LIGHT, forces))


def test_loads_between_their_frequencies_are_those_of_a_real_system():
    """(1 + 2 s) / (1 + s): its conjugate at -k, and a real load at rest."""
    k = np.linspace(0, 2, 81)
    q = ((1 + 2j * k) / (1 + 1j * k))[:, None, None] * np.eye(2)
    forces = Forces(k[::-1], q[::-1])

    at = 0.313
    assert forces(at)[0, 0] == pytest.approx((1 + 2j * at) / (1 + 1j * at), abs=1e-6)
    assert forces.with_slope(at)[1][0, 0] == pytest.approx(1j / (1 + 1j * at) ** 2, abs=1e-4)
    assert forces(0.0)[0, 0].imag == 0
    assert (forces.least, forces.most) == (0, 2)


def test_a_mode_that_swings_no_more_ends_where_its_frequency_is_zero():
    section = km.structure.TypicalSection(50, 0.0, 0.0, 0.25, 2.0)
    k, loads = quasi_steady(2 * pi, 0.5, 1e-3)  # hardly damped: it ends where it diverges
    forces = Forces(k, loads * np.array([[1, 2], [2, 4]]))
    speeds = np.geomspace(0.2, 1.0, 60)

    found = tracks(section, forces, speeds)

    ends = [sum(root is not None for root in track.roots) for track in found]
    assert min(ends) < len(speeds)
    first = speeds[min(ends)]
    assert first == pytest.approx(divergence(section, forces), rel=0.05)
    assert all(np.isnan(track.lost) for track in found)


def test_a_range_below_the_boundary_says_that_it_lies_above_and_the_other_way_round():
    q = q_of(LIGHT.axis)
    with pytest.warns(KinemeshWarning, match="stable up to speed index 0.5, the boundary lies abo"):
        low = km.flutter(q, speed_index=(0.3, 0.5), structure=LIGHT, points=20)
    with pytest.warns(KinemeshWarning, match="unstable at speed index 0.6, the boundary lies belo"):
        high = km.flutter(q, speed_index=(0.6, 0.9), structure=LIGHT, points=20)

    assert low.end.values.tolist() == ["stable"]
    assert high.end.values.tolist() == ["unstable"]
    for found, side in ((low, "above"), (high, "below")):
        assert np.isnan(found.boundary.values).all()
        with pytest.raises(KinemeshError, match=f"no mode crosses to instability.*lies {side}"):
            km.plot.flutter(found)


def test_mach_numbers_without_derivatives_have_no_roots_and_others_have():
    q = q_of(LIGHT.axis, mach=(0.3, 0.4))
    q["Q"].values[1, 5] = np.nan

    with pytest.warns(KinemeshWarning, match="no derivatives at Mach 0.4, so no roots"):
        found = km.flutter(q, structure=LIGHT, points=20)

    assert found.end.values.tolist() == ["flutter", ""]
    assert np.isnan(found.k.values[1]).all()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"way": "time"}, "way is 'time' of derivatives that are there, and runs in time need"),
        ({"way": 1}, "way is 1; expected one of linear, time, both"),
        ({"way": "lineer"}, "way is 'lineer'; did you mean 'linear'"),
        ({"speed_index": (0, 3)}, "two numbers above 0, the first below the last"),
        ({"speed_index": (3, 0.3)}, "the first below the last"),
        ({"speed_index": 3}, "speed_index is 3, expected two numbers"),
        ({"points": 1}, "points is 1, expected an integer of at least 2"),
        ({"mach": [0.5]}, "of derivatives that are there, mach are theirs"),
        ({"structure": None}, "flutter: of derivatives; give structure"),
        ({"structure": 60}, "structure is 60, expected km.structure.TypicalSection"),
        ({"structure": CASE_A}, "about an axis 0.25 chords .* a = -2 is -0.5 chords"),
        ({"case": q_of(LIGHT.axis, K[K < 0.3])}, r"mode 2 at Mach 0 has k = 0.39.* larger k, or "),
        ({"case": q_of(LIGHT.axis, K[K > 0.09])}, r"mode 1 .* smaller k, or end at a lower"),
        ({"case": q_of(LIGHT.axis).drop_vars("Q")}, "the Dataset has no Q"),
        ({"case": "agard-ct5", "structure": None}, r"'agard-ct5' has no \[structure\]"),
        ({"modes": 2}, "unknown argument 'modes'"),
    ],
)
def test_what_has_no_boundary_is_refused(change, said):
    given = {"case": q_of(LIGHT.axis), "structure": LIGHT} | change
    with pytest.raises(KinemeshError, match=said):
        km.flutter(**given)


def test_loads_that_reach_the_roots_closely_are_taken():
    """The second mode's k without wind, 0.3901, and 0.0214 of the first at the last V*."""
    close = K[(K > 0.02) & (K < 0.41)]

    found = km.flutter(q_of(LIGHT.axis, close), speed_index=(0.3, 0.9), structure=LIGHT)

    assert found.boundary.values == pytest.approx([0.5640455], abs=1e-4)


@pytest.fixture
def lagless(monkeypatch):
    """Runs of no flow: pulses whose derivatives are Theodorsen's."""
    asked = []

    def pulses(own, out, device, resume, progress):
        asked.append((own, out))
        k = np.maximum(np.array(own.k), 1e-6)
        q = np.broadcast_to(theodorsen(k, own.axis[0] / own.chord), (len(own.mach), len(k), 2, 2))
        made = {f"{load}_{name}": q[..., i, 1 - j].copy() for i, load in enumerate(("cl", "cm"))
                for j, name in enumerate(("alpha", "h"))}  # fmt: skip
        good = np.ones(q.shape[:2])
        return made | {"converged": good == 1, "unsettled": 0 * good}, {"by": "pulse"}

    monkeypatch.setitem(linear.by.WAYS_BY, "pulse", pulses)
    return asked


def test_a_ready_case_flutters_at_its_mach_numbers_and_leaves_tables(lagless, tmp_path):
    found = km.flutter("isogai-a", mach=[0.7, 0.8], out=tmp_path)

    own, out = lagless[0]
    assert (own.mach, own.axis, own.amplitude_deg) == ((0.7, 0.8), (-0.5, 0.0), 0.1)
    assert own.k[0] == 0
    assert own.k[-1] == pytest.approx(1.5 * 5.337703 / (0.3 * sqrt(60)), rel=1e-6)
    assert out == tmp_path
    assert found.boundary.values == pytest.approx([2.3727] * 2, abs=1e-3)
    edge = text_table.read(tmp_path / "crossings.csv")
    assert edge["speed_index"] == pytest.approx(found.boundary.values)
    table = text_table.read(tmp_path / "flutter.csv")
    assert len(table["k"]) == 2 * 2 * 200
    assert table["g"] == pytest.approx(found.g.values.ravel(), rel=1e-9)
    assert "flutter" in (tmp_path / "boundary.csv").read_text().splitlines()[-1]


def test_a_folder_keeps_what_it_holds(lagless, tmp_path):
    """A run's files, and the tables of an analysis that nobody goes on with."""
    case = km.cases.load("isogai-a")
    km.flutter(case, out=tmp_path / "one", points=20)
    tables = (tmp_path / "one" / "boundary.csv").read_bytes()

    with pytest.raises(KinemeshError, match=r"one: holds a flutter analysis.*resume=True"):
        km.flutter(case, mach=[0.7], out=tmp_path / "one", points=20)
    other = case.changed(["structure.mu=80"])
    with pytest.raises(KinemeshError, match=r"holds the flutter of .*mu=60.* and .*mu=80"):
        km.flutter(other, out=tmp_path / "one", points=20, resume=True)
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "history.csv").touch()
    with pytest.raises(KinemeshError, match=r"run: holds a run \(history.csv\); choose another"):
        km.flutter(case, out=tmp_path / "run", points=20, resume=True)

    with pytest.raises(KinemeshError, match="one: holds a flutter analysis; choose another folder"):
        case.run(out=tmp_path / "one", overwrite=True)

    assert len(lagless) == 1
    assert (tmp_path / "one" / "boundary.csv").read_bytes() == tables
    km.flutter(case, out=tmp_path / "one", points=20, resume=True)


def test_the_program_has_a_folder_of_its_own(lagless, tmp_path, monkeypatch, capsys):
    from kinemesh.cli import main

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("kinemesh.study.flutter.program.done_by", lambda _: lambda *_: [])

    assert main(["flutter", "isogai-a"]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["isogai-a-flutter"]
    assert main(["flutter", "isogai-a"]) == 2
    assert "go on with it by --resume" in " ".join(capsys.readouterr().err.split())


def test_a_missing_package_is_named_with_what_needs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "zarr", None)

    with pytest.raises(KinemeshError, match=r"^flutter needs xarray .*install.*kinemesh\[sweep\]"):
        km.flutter("isogai-a")


def test_a_case_states_between_which_speeds_roots_are_followed(lagless):
    case = km.cases.load("isogai-a", ["structure.speed_range=[0.5,2.8]"])

    assert km.flutter(case).speed_index.values[[0, -1]] == pytest.approx([0.5, 2.8])
    assert km.flutter("isogai-a").speed_index.values[[0, -1]] == pytest.approx([0.3, 3])
    asked = km.flutter(case, speed_index=(1, 2.5))
    assert asked.speed_index.values[[0, -1]] == pytest.approx([1, 2.5])


def test_axes_of_cases_are_in_lengths_of_their_mesh(lagless):
    case = km.cases.load("isogai-a", ["flow.chord=2.0", "flow.moment_about=[0,0]"])

    found = km.flutter(case)

    assert lagless[0][0].axis == (-1.0, 0.0)
    assert found.mach.values.tolist() == [0.8]
    assert found.boundary.values == pytest.approx([2.3727], abs=1e-3)


@pytest.mark.long
def test_the_program_draws_and_prints_the_boundary(lagless, tmp_path, capsys):
    from kinemesh.cli import main

    status = main(["flutter", "isogai-a", "--mach", "0.7:0.8:3", "--speed-index", "0.5:3",
                   "--way", "linear", "--out", str(tmp_path), "--set",
                   "structure.x_alpha=1.7"])  # fmt: skip

    assert status == 0
    said = capsys.readouterr().out
    assert "0.75" in said
    assert lagless[0][0].mach == (0.7, 0.75, 0.8)
    names = {path.name for path in tmp_path.iterdir()}
    assert {"flutter.png", "vg-mach0.7.png", "vg-mach0.75.png", "flutter.csv"} <= names
    assert main(["flutter", "isogai-a", "--way", "slow"]) == 2
    assert main(["flutter", "isogai-a", "--mach", "low"]) == 2
    assert "expected numbers such as 0.7,0.8" in capsys.readouterr().err


def test_figures_have_every_crossing_and_a_line_per_mode():
    found = km.flutter(q_of(LIGHT.axis, mach=(0.3, 0.4)), structure=LIGHT, points=30)

    figure = km.plot.flutter(found)
    above = figure.axes[0]
    marks = [line for line in above.lines if line.get_marker() == "o"]
    assert [line.get_ydata().tolist() for line in marks] == [
        found.crossing_speed_index.values[:, 0].tolist()
    ]
    assert above.get_ylim()[1] > found.boundary.values.max()
    lines = km.plot.vg(found, mach=0.4).axes[0].lines
    assert lines[0].get_ydata() == pytest.approx(found.g.values[1, 0], nan_ok=True)
    assert "Mach number 0.4" in km.plot.vg(found, 0.400001).get_suptitle()
    with pytest.raises(KinemeshError, match=r"mach is 0\.38, expected 0\.3, 0\.4$"):
        km.plot.vg(found, mach=0.38)
    with pytest.raises(KinemeshError, match=r"expected mach, one of 0\.3, 0\.4"):
        km.plot.vg(found)
    with pytest.raises(KinemeshError, match="expected the Dataset of km"):
        km.plot.flutter(q_of(0.25))


@pytest.mark.slow
@pytest.mark.flow
@pytest.mark.filterwarnings("ignore")
def test_isogais_case_a_has_its_dip():
    """Beside runs in time of 1500 to 3000 nodes with the structure coupled within each step."""
    case = km.cases.load("isogai-a").replace(nodes=2000, device="cpu")

    found = km.flutter(case, mach=[0.75, 0.8, 0.825, 0.85])

    assert found.boundary.values == pytest.approx([1.157, 0.82, 0.6, 0.518], rel=0.03)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--speed-idx", "0.3:3"], "did you mean --speed-index?"),
        (["--way", "tim"], "did you mean 'time'?"),
        (["--set", "structure.x_alfa=1"], "unknown key 'x_alfa'; did you mean 'x_alpha'"),
        (["--set", "structure.kind=typical-sektion"], "did you mean 'typical-section'"),
        (["--set", "structure.speed_rang=[1,2]"], "did you mean 'speed_range'"),
    ],
)
def test_the_program_has_hints_for_words_that_are_nearly_right(words, said, capsys, tmp_path):
    from kinemesh.cli import main

    try:
        status = main(["flutter", "isogai-a", "--out", str(tmp_path / "out"), *words])
    except SystemExit as stop:
        status = stop.code

    assert status == 2
    assert said in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("mach", [[-0.75], [], ["a"], [0.8, 0.8]])
def test_mach_numbers_that_make_none_are_refused_by_flutter(mach):
    with pytest.raises(km.SettingsError, match=r"^flutter: mach is .*, expected numbers ab"):
        km.flutter("isogai-a", mach=mach)
