"""Panels of loops, cycles and pressures speak of what they show; captions say a thing once."""

from dataclasses import replace
from types import SimpleNamespace

import kinemesh as km
import numpy as np
import pytest
from kinemesh import cases, plot
from kinemesh.cases.casefile import Case
from kinemesh.io.csv_rows import unsteady_columns
from kinemesh.io.history import History
from kinemesh.plot.titles import title_of
from kinemesh.plot.wall_pressures import DOTS
from kinemesh.results import Run
from kinemesh.results.pressures import Pressures
from kinemesh.study.hysteresis import hysteresis
from made_up import changed, run

pytestmark = pytest.mark.no_sanitizer


def open_moment(amplitude=2.51):
    """A loop whose moment, not its lift, changes by a tenth from cycle to cycle."""
    made = run(amplitude=amplitude)
    scale = np.where(made["step"] > 64, 1.1, 1.0)
    return hysteresis(changed(made, cm=scale * made["cm"], converged=0 * scale + 1))


def test_only_the_load_that_is_not_periodic_says_so():
    loop = open_moment()
    assert loop.periodic is False

    lift, moment = plot.hysteresis(loop).axes

    assert lift.get_legend() is None
    (text,) = [t.get_text() for t in moment.get_legend().get_texts()]
    assert "not periodic: changes by" in text
    squares = [[line for line in axes.lines if line.get_marker() == "s"] for axes in (lift, moment)]
    assert [len(found) for found in squares] == [0, 1]


def test_a_moment_that_is_noise_beside_the_lift_is_a_line_at_zero():
    made = run()
    loop = hysteresis(changed(made, cm=1e-6 * made["cm"], converged=0 * made["cm"] + 1))

    moment = plot.hysteresis(loop).axes[1]

    low, high = moment.get_ylim()
    assert low == -high == pytest.approx(-0.05 * np.ptp(loop.cl.values))
    marked = {0: plot.marks.Marked(converged=True, periodic=True)}
    members = plot.ensembles._loops({0: loop}, [{}], marked, (None, None, []), [])
    low, high = members.axes[1].get_ylim()
    assert low == -high == pytest.approx(-0.05 * np.ptp(loop.cl.values))


# ---------------------------------------------------------------- cycles


def flapping(thrust, h=0.0, alpha=0.0, modes=None):
    """A loop with drag, an upward shift, an angle and amplitudes, as `cycle` reads it."""
    step = np.arange(1, 33)
    wave, zero = np.sin(2 * np.pi * step / 32), np.zeros(32)
    modes = {name: size * wave for name, size in (modes or {}).items()}
    columns = (*unsteady_columns([]), *modes)
    rows = dict.fromkeys(columns, zero) | {"step": step, "time": step, "cycle": step / 32}
    rows |= {"phase_deg": 360 * (step / 32 % 1), "converged": zero + 1, "cl": wave}
    rows |= {"alpha_deg": alpha * wave, "cd": zero - thrust, "shift_y": h * wave} | modes
    made = History(columns)
    made.extend(rows)
    return hysteresis(made)


def test_the_drag_of_a_cycle_has_its_mean_and_says_when_it_is_a_thrust():
    titles = [plot.cycle(flapping(t, 1.0)).axes[2].get_title(loc="left") for t in (0.2, -0.2)]

    assert titles == ["drag\nmean -0.2 (thrust)", "drag\nmean 0.2"]


def test_a_motion_that_does_not_turn_has_no_axis_of_the_angle():
    plunge = plot.cycle(flapping(0.2, h=1.0))
    both = plot.cycle(flapping(0.2, h=1.0, alpha=2.0))
    still = plot.cycle(flapping(0.2))

    assert plunge.axes[0].get_ylabel() == "$h/c$"
    assert len(plunge.axes) == 4
    assert ["alpha" in axes.get_ylabel() for axes in both.axes] == [True, *[False] * 4]
    assert both.axes[4].get_ylabel() == "$h/c$"
    assert still.axes[0].get_ylim() == (-1, 1)


def test_a_body_that_bends_alone_has_the_amplitudes_of_its_shapes_as_its_motion():
    sizes = {"mode_1": 0.2, "mode_force_1": 3.0, "mode_2_flap": 0.1, "mode_3": 0.0}
    bent = plot.cycle(flapping(0.2, modes=sizes)).axes[0]
    turned = plot.cycle(flapping(0.2, alpha=2.0, modes=sizes)).axes[0]

    assert bent.get_ylabel() == "amplitudes of shapes"
    assert [line.get_label() for line in bent.lines] == ["shape 1", "shape 2, flap"]
    assert np.abs(bent.lines[0].get_ydata()).max() == pytest.approx(0.2)
    assert "alpha" in turned.get_ylabel()


def of_run(loop, names=None, **units):
    """A loop that knows a run whose amplitudes have these units, and shapes names, by body."""
    told = {"amplitudes": units, "shape_names": names or {}}
    conditions = {n: {f"0: {b}": own for b, own in each.items()} for n, each in told.items()}
    return replace(loop, source=(SimpleNamespace(summary={"conditions": conditions}), 0))


def test_a_twist_is_an_angle_in_degrees_and_beside_other_shapes_on_the_right():
    one, two = flapping(0.2, modes={"mode_1": 0.2}), {"mode_1_flap": 0.2, "mode_2_flap": 0.1}
    alone = plot.cycle(of_run(one, wing=["rad"]), title="")
    both = plot.cycle(of_run(flapping(0.2, modes=two), wing=["-"], flap=["-", "rad"]), title="")
    of_others = plot.cycle(of_run(one, wing=["-"]), title="")
    left, right = both.axes[0], both.axes[4]

    assert alone.axes[0].get_ylabel() == "twist at the tip [deg]"
    assert np.abs(alone.axes[0].lines[0].get_ydata()).max() == pytest.approx(0.2 * 180 / np.pi)
    assert alone.axes[0].get_legend() is None
    assert [axes.get_ylabel() for axes in (left, right)] == [
        "amplitudes of shapes",
        "twist at the tip [deg]",
    ]
    peaks = [np.abs(axes.lines[0].get_ydata()).max() for axes in (left, right)]
    assert peaks == pytest.approx([0.2, 0.1 * 180 / np.pi])
    told = [text.get_text() for text in right.get_legend().get_texts()]
    assert told == ["shape 1, flap", "shape 2, flap"]
    assert of_others.axes[0].get_ylabel() == "amplitudes of shapes"


@pytest.mark.parametrize(
    ("modes", "names", "told"),
    [
        (("mode_1", "mode_2"), {"wing": ["bending", "torsion"]}, ["bending", "torsion"]),
        (("mode_1", "mode_2"), {"wing": ["", "shape 2 of a.npz"]}, ["shape 1", "shape 2 of a.npz"]),
        (
            ("mode_1_wing", "mode_1_flap_1", "mode_2_flap_1"),
            {"flap_1": ["", "bending"]},
            ["shape 1, wing", "shape 1, flap_1", "bending, flap_1"],
        ),
    ],
)
def test_amplitudes_have_the_names_of_their_shapes(modes, names, told):
    loop = flapping(0.2, modes=dict.fromkeys(modes, 0.2))

    drawn = plot.cycle(of_run(loop, names), title="").axes[0]

    assert [text.get_text() for text in drawn.get_legend().get_texts()] == told


@pytest.mark.long
@pytest.mark.parametrize("name", ["torsion", "shape 2 of a wing.npz"])
def test_names_of_shapes_stand_above_their_curves_beside_the_title(name):
    loop = flapping(0.2, modes=dict.fromkeys(("mode_1", "mode_2", "mode_3"), 0.2))
    shown = of_run(loop, {"wing": ["bending", name, name]}, wing=["-"] * 3)
    figure = plot.cycle(shown, title="A wing that bends")

    figure.draw_without_rendering()
    panel = figure.axes[0]
    names, title = panel.get_legend().get_window_extent(), panel._left_title.get_window_extent()
    assert names.y0 >= panel.get_window_extent().y1
    assert not names.overlaps(title)
    assert not names.overlaps(figure._suptitle.get_window_extent())
    assert names.x1 <= panel.get_window_extent().x1 + 1


def test_a_cycle_has_the_title_of_its_case_and_tells_its_lines():
    figure = plot.cycle(flapping(0.2, 1.0), flapping(0.1, 1.0), title="a case\nRe 100")

    assert figure.get_suptitle() == "a case\nRe 100"
    (legend,) = figure.legends
    texts = [text.get_text() for text in legend.get_texts()]
    assert texts[1:] == ["last cycle", "mean over the cycle"]
    styles = [line.get_linestyle() for line in legend.get_lines()]
    assert styles == ["--", "-", ":"]


@pytest.mark.parametrize(("cycles", "joined"), [(1, False), (2, True)])
def test_the_end_of_the_only_cycle_is_not_joined_to_its_begin(cycles, joined):
    lift = plot.cycle(hysteresis(run(cycles=cycles)), title="").axes[1].lines[0]
    loop = plot.hysteresis(hysteresis(run(cycles=cycles))).axes[0].lines[0]

    assert lift.get_xdata()[[0, -1]] == pytest.approx([0.0 if joined else 11.25, 360.0])
    assert len(lift.get_xdata()) == len(loop.get_xdata()) == 32 + joined
    ends = loop.get_xydata()[[0, -1]]
    assert np.array_equal(*ends) is joined


# ---------------------------------------------------------------- pressures


@pytest.mark.parametrize(("word", "letter"), [("diameter", "d"), ("reference length", "c")])
def test_pressures_of_round_bodies_are_over_their_diameter(word, letter, monkeypatch, tmp_path):
    angle = np.arange(24) * np.pi / 12
    none, cp = np.zeros(0), np.cos(angle)
    waves = np.ones((1, 24)) + 0j
    x, drawn = 0.5 * np.cos(angle), {}
    body = Pressures(x, 0.5 * np.sin(angle), none, cp[None], cp, waves, waves[0], "h", True, None)
    run = SimpleNamespace(pressures=lambda member: {"cylinder": body})
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda own, path: drawn.update(f=own))

    def target(name, ending="png"):
        return tmp_path / f"{name}.{ending}"

    plot.folder._pressures(run, 0, target, "", plot.units.Unit(1.0, word))

    panels = drawn["f"].axes
    assert [axes.get_xlabel() for axes in panels] == [f"$x/{letter}$"] * 3
    assert panels[1].get_title("left") == f"in phase, per $h/{letter}$"


@pytest.mark.parametrize("alike", [True, False])
def test_sections_of_round_bodies_in_space_have_their_motion_over_the_diameter(
    alike, monkeypatch, tmp_path
):
    angle = np.arange(24) * np.pi / 12
    cp, waves = np.cos(angle), np.ones((1, 24)) + 0j
    body = Pressures(
        0.5 * np.cos(angle), 0.5 * np.sin(angle), np.zeros(0), cp[None], cp, waves, waves[0], "h",
        True, None,
    )  # fmt: skip
    drawn = {}
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda own, path: drawn.update(f=own))
    monkeypatch.setattr(plot.wings, "hysteresis", lambda *_, **__: None)
    run = SimpleNamespace(
        history=SimpleNamespace(kind="unsteady", by_time=False), loop=lambda member: None,
        pressures=lambda member, section: {f"{section:.0%} of the span": body},
    )  # fmt: skip

    def target(name, ending="png"):
        return tmp_path / f"{name}.{ending}"

    plot.wings._unsteady(target, run, 0, alike, "", plot.units.Unit(1.0, "diameter"))

    panels = drawn["f"].axes
    assert len(panels) == (3 if alike else 9)
    assert {axes.get_xlabel() for axes in panels} == {"$x/d$" if alike else "$x/c$"}
    assert panels[1].get_title("left") == "in phase, per $h/d$"


def test_values_at_a_trailing_edge_are_dots_as_in_the_steady_figure():
    """A section of straight sides: its edges at both ends are sharp."""
    x = np.r_[np.linspace(1, 0, 11), np.linspace(0, 1, 11)[1:-1]]
    y = np.r_[np.full(11, 1.0), np.full(9, -1.0)] * 0.1 * x * (1 - x)
    cp = np.arange(20.0)
    none = np.zeros(0)
    body = Pressures(x, y, none, cp[None], cp, np.zeros((1, 20)) + 0j, None, None, True, None)

    figure = plot.unsteady_pressures({"wing": body})
    points = np.stack([x, y], axis=1)
    walls = np.stack([np.arange(20), np.roll(np.arange(20), -1)], axis=1)
    steady = plot.surface_pressure(points, walls[:, ::-1], cp)

    for axes in (figure.axes[0], steady.axes[0]):
        dots = [line.get_ydata() for line in axes.lines if line.get_marker() == "."]
        assert set(np.concatenate(dots)) == {0, 1, 2, 8, 9, 10, 11, 12, 18, 19}
    joined = [line.get_ydata() for line in figure.axes[0].lines if line.get_marker() == "None"]
    assert not set(np.concatenate(joined)) & set(np.concatenate(dots))
    for one in (figure, steady):
        (legend,) = one.legends
        one.draw_without_rendering()
        assert legend.get_window_extent().width < one.bbox.width
        texts = [text.get_text() for text in legend.get_texts()]
        assert texts == ["upper side", "lower side", DOTS]


def test_a_legend_of_pressures_lies_below_the_curves():
    angle = np.linspace(0, 2 * np.pi, 61)[:-1]
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    walls = np.stack([np.roll(np.arange(60), -1), np.arange(60)], axis=1)

    figure = plot.surface_pressure(ring, walls, ring[:, 0])

    figure.draw_without_rendering()
    (legend,), axes = figure.legends, figure.axes[0]
    assert legend.get_window_extent().y1 <= axes.get_tightbbox().y0
    assert DOTS not in [text.get_text() for text in legend.get_texts()]  # there are none


# ---------------------------------------------------------------- captions


@pytest.mark.parametrize(
    ("says", "told"),
    [
        ({"mach": 0.755, "amplitude_deg": 2.51}, "alpha 0.016 deg, k 0.0814"),
        ({"mach": 0.7}, "Mach 0.755, alpha 0.016 deg, amplitude 2.51 deg, k 0.0814"),
        (None, "Mach 0.755, alpha 0.016 deg, amplitude 2.51 deg, k 0.0814"),
    ],
)
def test_captions_say_each_condition_once(says, told):
    asked = {"mach": 0.755, "alpha_deg": 0.016, "amplitude_deg": 2.51, "k": 0.0814}
    case = {"title": "at M 0.755", "title_says": says}
    run = Run(None, {"asked": [asked], "case": case}, None)

    assert title_of(run, 0) == f"at M 0.755\n{told}"


@pytest.mark.parametrize(
    ("motion", "told"),
    [
        ({"pitch_phase_deg": 90.0, "plunge_phase_deg": 0.0}, "pitch leads plunge by 90 deg"),
        ({"pitch_phase_deg": 0.0, "plunge_phase_deg": 75.0}, "plunge leads pitch by 75 deg"),
        ({"phase_deg": 10.0}, "pitch and plunge in phase"),
        ({"pitch_phase_deg": -90.0, "plunge_phase_deg": 90.0}, "pitch and plunge opposed"),
    ],
)
def test_captions_of_two_motions_have_the_amplitude_of_each_and_the_phase_between(motion, told):
    asked = {"motion": "pitch+plunge", "amplitude_deg": 5.0, "k": 0.4, "amplitude": 0.3}
    flap = {f"flap_{name}": value for name, value in (asked | motion).items()}
    words = "pitch amplitude 5 deg, k 0.4, plunge amplitude 0.3 chord"

    assert title_of(Run(None, {"asked": [asked | motion]}, None), 0) == f"{words}, {told}"
    own = title_of(Run(None, {"asked": [flap]}, None), 0)
    assert own == f"flap {words.replace(', ', ', flap ')}, flap {told}"


def test_captions_of_two_frequencies_have_both_phases():
    asked = {"motion": "pitch+plunge", "pitch_k": 0.4, "plunge_k": 0.2, "phase_deg": 30.0}

    told = title_of(Run(None, {"asked": [asked]}, None), 0)

    assert told == "pitch k 0.4, plunge k 0.2, phases of pitch 30 deg, of plunge 30 deg"


def test_numbers_in_captions_have_four_digits_and_short_exponents():
    asked = {"mach": 0.79612, "reynolds": 12_560_000.0, "omega": 1.5e-5}

    told = title_of(Run(None, {"asked": [asked]}, None), 0)

    assert told == "Mach 0.7961, Re 1.256e7, omega 1.5e-5"


def test_what_varies_is_said_of_each_member():
    asked = [{"mach": 0.7}, {"mach": 0.755}]
    case = {"title": "at M 0.755", "title_says": {"mach": 0.755}}
    run = Run(None, {"asked": asked, "case": case}, None)

    assert [title_of(run, m) for m in (0, 1)] == ["at M 0.755\nMach 0.7", "at M 0.755\nMach 0.755"]


@pytest.mark.parametrize("name", cases.names())
def test_titles_of_ready_cases_say_the_numbers_that_they_have(name):
    case = cases.load(name)
    pitch = (case.motion.pitch or {}) if case.motion else {}
    pulse = (case.motion.pulse or {}) if case.motion else {}
    stated = {n: getattr(case.flow, n) for n in ("mach", "reynolds", "alpha_deg")}
    modes = (case.motion.modes or {}) if case.motion else {}
    stated |= {
        "amplitude_deg": pitch.get("amplitude_deg", pulse.get("pitch_deg")),
        "k": pitch.get("k", modes.get("k")),
    }
    for key in ("speed_index", "mass_ratio", "reduced_velocity"):
        stated[key] = getattr(case.structure, key, None)
    outlet = (case.mesh.sides().get("boundaries") or {}).get("outlet", {})
    if isinstance(outlet, dict):
        stated |= {"mesh.boundaries.outlet.pressure": outlet.get("pressure")}

    for key, value in (case.title_says or {}).items():
        assert value == stated[key]
        assert f"{value:g}" in case.title


def test_a_changed_case_has_no_title_and_says_nothing_of_one():
    made = cases.load("agard-ct5", ["flow.mach=0.6"])
    assert (made.title, made.title_says) == ("", None)
    kept = cases.load("agard-ct5")
    again = Case.from_dict(kept.tables())
    assert again.title_says == kept.title_says == {"mach": 0.755, "amplitude_deg": 2.51}
    with pytest.raises(km.CaseError, match=r"title_says = 3, expected a table such as"):
        Case.from_dict(kept.tables() | {"title_says": 3})


# ---------------------------------------------------------------- grids


def test_a_legend_of_grids_has_the_kinds_of_cells_that_there_are():
    points = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], float)
    walls = np.zeros((0, 2), int)
    parts = [
        SimpleNamespace(points=points, cells=np.array([[0, 1, 2, 3]]), iblank=iblank, walls=walls)
        for iblank in (np.ones(4), np.array([-1, 1, -1, 1]), np.array([0, 1, 1, 1]))
    ]

    def kinds(*shown):
        figure = plot.grids({f"part {n}": part for n, part in enumerate(shown)})
        texts = [text.get_text() for text in figure.legends[0].get_texts()]
        return texts[len(shown) :]

    assert kinds(parts[0]) == ["field"]
    assert kinds(*parts[:2]) == ["field", "receptors"]
    assert kinds(*parts) == ["field", "receptors", "hidden"]


def test_a_wall_of_a_channel_has_one_side_in_the_figure_and_its_legend():
    points = np.stack([np.linspace(0, 1.5, 7), np.r_[0, 0, 0.02, 0.05, 0.02, 0, 0]], axis=1)
    walls = np.stack([np.arange(6), np.arange(1, 7)], axis=1)

    figure = plot.surface_pressure(points, walls, points[:, 1])

    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["upper side"]


def test_texts_of_conditions_are_no_formulas():
    asked = [{"mesh": "a_$1_$2"}]

    assert title_of(Run(None, {"asked": asked * 2 + [{"mesh": "b"}]}, None), 0) == (
        r"mesh a_\$1_\$2"
    )
