"""Two runs of one case: made-up loops whose differences are known, and a case by two methods."""

from math import cos, pi, radians, sin, sqrt

import kinemesh as km
import numpy as np
import pytest
from kinemesh.sentences import said
from two_runs import BOX, MACH, PERIOD, PITCH, loop_run, sine, steady_run, still

EPS = np.finfo(float).eps
NEAR = {"rel": 1e-12, "abs": 1e-13}
CM = sine(0.02, -100.0)


# ---- loops --------------------------------------------------------------------------------


@pytest.mark.parametrize("lead", [0.5, 30.0, -170.0])
def test_a_shift_of_phase_is_the_lead_and_the_chord_of_it_the_largest_difference(lead):
    one, other = (loop_run(sine(0.3, own), CM, steps=360) for own in (lead, 0.0))

    found = km.compare(one, other).cl

    chord = 2 * abs(sin(radians(lead) / 2))
    assert found.lead_deg == pytest.approx(lead, rel=1e-11)
    assert found.rms_share == pytest.approx(chord / sqrt(2), rel=1e-4)  # amplitude of 360 steps
    assert found.rms == pytest.approx(0.3 * chord / sqrt(2), **NEAR)
    assert found.largest == pytest.approx(0.3 * chord, rel=1 - cos(pi / 360))
    assert found.harmonic.difference == pytest.approx(0, abs=1e-14)
    assert found.mean.difference == pytest.approx(0, abs=1e-14)


def test_the_largest_difference_has_its_phase():
    def bump(phi):
        return np.sin(phi) + 0.1 * (np.abs(np.degrees(phi) % 360 - 90) < 1)

    found = km.compare(loop_run(bump, CM, steps=36), loop_run(sine(), CM, steps=36)).cl

    assert found.largest_at_deg == pytest.approx(90)
    assert found.largest == pytest.approx(0.1, **NEAR)
    assert found.rms == pytest.approx(0.1 / 6, **NEAR)


def test_a_scaled_loop_differs_by_its_scale_over_the_mean_of_both():
    one, other = loop_run(sine(1.1, mean=0.0), CM), loop_run(sine(1.0), CM)

    found = km.compare(one, other).cl

    share = 0.1 / 1.05
    assert found.scale == pytest.approx(1.05, **NEAR)
    assert found.amplitude.share == pytest.approx(share, **NEAR)
    assert found.harmonic.share == pytest.approx(share, **NEAR)
    assert found.largest_share == pytest.approx(share, **NEAR)
    assert found.rms_share == pytest.approx(share / sqrt(2), **NEAR)
    assert found.lead_deg == pytest.approx(0, abs=1e-12)


def test_a_shifted_loop_differs_by_the_shift():
    one, other = loop_run(sine(2.0, mean=0.3), CM), loop_run(sine(2.0), CM)

    found = km.compare(one, other).cl

    assert found.mean.difference == pytest.approx(0.3, **NEAR)
    assert [found.mean.share, found.rms_share] == pytest.approx([0.15, 0.15], **NEAR)
    assert found.amplitude.difference == pytest.approx(0, abs=1e-14)


def test_the_other_way_round_signs_turn_and_shares_stay():
    one, other = loop_run(sine(1.1, 20, 0.1), CM), loop_run(sine(), sine(0.03))

    there, back = km.compare(one, other), km.compare(other, one)

    for a, b in ((there.cl, back.cl), (there.cm, back.cm)):
        assert a.rms_share == pytest.approx(b.rms_share, **NEAR)
        assert a.lead_deg == pytest.approx(-b.lead_deg, **NEAR)
        assert a.mean.share == pytest.approx(-b.mean.share, **NEAR)
        assert a.amplitude.share == pytest.approx(-b.amplitude.share, **NEAR)


@pytest.mark.parametrize(("few", "many"), [(12, 64), (15, 32), (16, 48)])
def test_a_loop_of_fewer_steps_is_interpolated_to_the_phases_of_the_other(few, many):
    def cl(phi):
        return 0.1 + np.sin(phi) + 0.2 * np.cos(3 * phi + 0.4)

    one, other = loop_run(cl, CM, steps=few), loop_run(cl, CM, steps=many)

    found = km.compare(one, other)

    assert found.cl.rms < 64 * EPS
    assert found.cl.amplitude.difference == pytest.approx(0, abs=64 * EPS)
    assert len(found.phase_deg) == many
    assert f"{few} steps interpolated to the phases of {many}" in str(found)
    assert "interpolated" not in str(km.compare(one, one))
    assert km.compare(other, one).cl.rms < 64 * EPS


def test_work_is_compared_over_the_mean_of_its_size():
    one, other = (loop_run(sine(), CM, power=still(-own)) for own in (1.2, 1.0))

    work = km.compare(one, other).work

    assert work.second == pytest.approx(-PERIOD / MACH, **NEAR)
    assert work.share == pytest.approx(-0.2 / 1.1, **NEAR)
    assert loop_run(sine(), CM).loop().work == 0
    assert km.compare(*[loop_run(sine(), CM)] * 2).work.share is None


def test_a_load_that_is_nothing_beside_the_others_has_no_share_and_no_lead():
    one, other = (loop_run(sine(1.0), sine(1e-9, own), cd=still(0.1)) for own in (0, 90))

    found = km.compare(one, other)

    assert found.cm.scale is found.cm.rms_share is found.cm.lead_deg is None
    assert found.cm.rms == pytest.approx(1e-9)
    assert found.cd.mean.share is None
    assert "cm" not in repr(found)
    assert "cl 0 %" in repr(found)


def test_a_drag_of_twice_the_frequency_has_no_lead():
    def cd(phi):
        return 0.01 * np.cos(2 * phi) + 1e-5 * np.sin(phi)

    found = km.compare(loop_run(sine(), CM, cd=cd), loop_run(sine(), CM, cd=cd))

    assert found.cd.lead_deg is None
    assert found.cd.scale == pytest.approx(0.01, rel=2e-3)


# ---- steady runs --------------------------------------------------------------------------


def test_steady_loads_are_compared_over_the_mean_of_their_sizes():
    found = km.compare(steady_run(0.42, 0.02, -0.03), steady_run(0.38, 0.03, 0.01))

    assert found.loops is found.work is None
    assert found.cl.difference == pytest.approx(0.04, **NEAR)
    assert found.cl.share == pytest.approx(0.1, **NEAR)
    assert found.cd.share == pytest.approx(-0.4, **NEAR)
    assert found.cm.share == pytest.approx(-2.0, **NEAR)
    assert "cl 10 %, cd 40 %, cm 200 %" in repr(found)


def test_loads_of_the_wake_are_compared_where_both_runs_have_them():
    wake = {"cd_induced": 0.006, "cm_bending": 0.1}
    both = steady_run(0.42, wake=wake), steady_run(0.38, wake={"cd_induced": 0.004})

    found = km.compare(*both)
    assert list(found.loads) == ["cl", "cd", "cm", "cd_induced"]
    assert found.loads["cd_induced"].share == pytest.approx(0.4, **NEAR)
    assert found.plot().axes[3].get_ylabel() == "$c_d$ by the wake"


def test_a_steady_load_that_is_zero_has_no_share():
    found = km.compare(steady_run(1e-15), steady_run(-2e-15))

    assert found.cl.share is None
    assert found.cl.difference == pytest.approx(3e-15)


# ---- tables and figures -------------------------------------------------------------------


def test_a_comparison_is_a_table_in_text_notebook_and_pandas(no_pandas_too):
    found = km.compare(loop_run(sine(1.1), CM), loop_run(sine(), CM, method="meshless"))

    text, page, table = str(found), found._repr_html_(), found.table()
    rms = table[[name == "cl rms difference" for name in table["quantity"]]]
    assert float(rms["share"].item()) == found.cl.rms_share
    assert "meshless, 1,000 nodes" in text
    assert "meshless, 1,000 nodes" in page
    assert f"{100 * found.cl.rms_share:.5g}" in text
    assert f"<td>{100 * found.cl.rms_share:.5g}</td>" in page
    assert len({len(line) for line in text.splitlines()[2:]}) == 1  # columns are aligned


@pytest.fixture(params=[False, True], ids=["pandas", "no pandas"])
def no_pandas_too(request, monkeypatch):
    if request.param:
        monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    else:
        pytest.importorskip("pandas")


@pytest.mark.long
@pytest.mark.parametrize("pitches", [True, False])
def test_the_figure_has_both_loops_and_their_difference_over_the_phase(tmp_path, pitches):
    more = {"amplitude": 2.5 if pitches else 0.0}
    one, other = loop_run(sine(1.1), CM, **more), loop_run(sine(), CM, method="cells", **more)
    found = km.compare(one, other)

    figure = found.plot(tmp_path / "both.png" if pitches else None)

    cl, _, cm, below, *_ = figure.axes
    assert (tmp_path / "both.png").exists() is pitches
    mine, others = cl.lines
    assert mine.get_ydata()[:-1].tolist() == found.cl.values[0].tolist()
    assert others.get_ydata()[:-1].tolist() == found.cl.values[1].tolist()
    assert (np.ptp(mine.get_xdata()) == pytest.approx(5.0)) == pitches
    away = 100 * (found.cl.values[0] - found.cl.values[1]) / found.cl.scale
    assert below.lines[0].get_ydata()[:-1] == pytest.approx(away)
    assert below.lines[0].get_xdata()[:-1].tolist() == found.phase_deg.tolist()
    assert cm.lines[0].get_ydata()[0] == found.cm.values[0][0]
    assert [text.get_text() for text in figure.legends[0].texts] == list(found.labels)


def test_the_figure_of_steady_runs_has_their_loads():
    figure = km.compare(steady_run(0.42), steady_run(0.38)).plot()

    assert [line.get_ydata()[0] for line in figure.axes[0].lines[:2]] == [0.42, 0.38]
    assert figure.axes[0].get_title(loc="left") == "0.04 (10 %)"


@pytest.mark.parametrize(("size", "quiet"), [(0.9e-6, True), (1.1e-6, False)])
def test_loads_that_are_rounding_are_drawn_on_the_scale_of_the_others(size, quiet):
    one, other = steady_run(size, 1.0, 0.1), steady_run(-0.1 * size, 1.0, 0.1)

    axes = km.compare(one, other).plot().axes[0]

    assert (axes.get_ylim() == pytest.approx((-0.05, 0.05))) is quiet


def test_loops_that_are_noise_beside_the_others_are_lines_at_zero():
    axes = km.compare(*(loop_run(sine(a), sine(1e-6 * a)) for a in (0.3, 0.33))).plot().axes

    assert axes[2].get_ylabel() == "$c_m$"
    assert axes[2].get_ylim()[1] > 0.02


# ---- what is said of a run ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"grow": 0.2}, "not periodic, the loop changes by"),
        ({"cycles": 1}, "periodic or not is not known of one cycle"),
        ({"converged": 0}, "32 of 32 steps of the loop did not converge"),
    ],
)
def test_a_loop_that_is_to_be_mistrusted_is_told_and_warned_of(more, words):
    with pytest.warns(RuntimeWarning, match=words):
        found = km.compare(loop_run(sine(), CM, **more), loop_run(sine(), CM))

    assert words in found.notes[0]
    assert words in str(found)


def test_a_steady_run_that_did_not_converge_is_told_and_warned_of():
    with pytest.warns(RuntimeWarning, match="the run did not converge"):
        km.compare(steady_run(0.4, converged=False), steady_run(0.4))


# ---- runs of other cases ------------------------------------------------------------------


def boxes(**changes):
    return {"airfoil": BOX["airfoil"] | changes}


OTHERS = [
    ({"stream": {"mach": 0.6, "alpha_deg": 1.0}}, "mach is 0.5 and 0.6"),
    ({"stream": {"mach": MACH, "alpha_deg": 2}}, "alpha_deg is 1 and 2"),
    ({"stream": {"reynolds": 1e3, "stream": 1.0, "alpha_deg": 1.0}}, "other of incompressible"),
    ({"reference_area": 2.0}, "reference_area is 1 and 2"),
    ({"moment_about": [0.0, 0.0]}, r"moment_about is \(0.25, 0\) and \(0, 0\)"),
    ({"boxes": BOX | {"flap": BOX["airfoil"]}}, "number of bodies is 1 and 2"),
    ({"boxes": boxes(to=[1.0, 0.09])}, r"body 1 reaches from \(0, -0.06\) to \(1, 0.06\) and from"),
    ({"boundaries": {"slip": ["airfoil"], "far": ["f"]}}, r"boundaries is \(far, wall\) and"),
    ({"sliding": {"airfoil": 1.0}}, r"numbers of sliding is \(\) and \(1.0\)"),
    ({"motion": PITCH | {"k": 0.2}}, "k is 0.1 and 0.2"),
    ({"motion": PITCH | {"about_x": 0.5}}, "about_x is 0.25 and 0.5"),
    ({"motion": PITCH | {"mode": 1}}, "mode is not given and 1"),
    ({"period": 1.01 * PERIOD}, "period U / reference length is"),
    ({"amplitude": 2.6}, "alpha_deg over the cycle goes over -1.5 to 3.5 and -1.6 to 3.6"),
]


@pytest.mark.parametrize(("change", "words"), OTHERS)
def test_runs_of_other_cases_are_refused_with_what_differs_and_what_is_expected(change, words):
    with pytest.raises(km.CaseError, match=f"compare: the first run and .*{words}") as caught:
        km.compare(loop_run(sine(), CM), loop_run(sine(), CM, **change))

    assert ("reynolds is" in str(caught.value)) is False  # which follows from the kind of flow

    assert "which may differ in method, mesh" in said(caught.value).expected


def test_a_steady_run_is_not_compared_with_an_unsteady_one():
    with pytest.raises(km.CaseError, match="one is a steady run, the other an unsteady run"):
        km.compare(steady_run(0.4), loop_run(sine(), CM))


def test_all_that_differs_is_told_at_once():
    other = loop_run(sine(), CM, stream={"mach": 0.6, "alpha_deg": 2.0}, motion=PITCH | {"k": 0.3})

    with pytest.raises(km.CaseError, match=r"mach is .*; alpha_deg is .*; k is "):
        km.compare(loop_run(sine(), CM), other)


def test_what_may_differ_does():
    finer = boxes(**{"from": [0.0, -0.0598], "to": [1.001, 0.0598]})
    other = loop_run(
        sine(), CM, steps=48, cycles=3, nodes=9000, method="cells", dtype="float32", boxes=finer,
        settings={"flux": "hllc"}, boundaries={"wall": ["w"], "far": ["a", "b"], "overset": ["o"]},
    )  # fmt: skip

    assert km.compare(loop_run(sine(), CM), other).cl.rms < 64 * EPS


def test_a_law_may_be_a_function_in_one_run_and_named_in_the_other():
    law = {"motion": "function", "omega": 1.0}

    assert km.compare(loop_run(sine(), CM), loop_run(sine(), CM, motion=law)).cl.rms == 0


def test_parts_may_stand_elsewhere_and_their_markers_have_other_names():
    wing = {"wing": BOX["airfoil"]}
    frames = {"wing": {"at": [3.0, 1.0], "angle_deg": 0.0, "scale": 1.0}}
    turned = {"wing": frames["wing"] | {"angle_deg": 5.0}}

    one = loop_run(sine(), CM)
    assert km.compare(one, loop_run(sine(), CM, boxes=wing, frames=frames)).cl.rms == 0
    with pytest.raises(km.CaseError, match=r"angle_deg of the bodies' parts is \(0\) and \(5\)"):
        km.compare(one, loop_run(sine(), CM, boxes=wing, frames=turned))


def test_bodies_are_told_apart_by_their_place_and_their_motions_go_with_them():
    def tandem(first, second, gap, k):
        hind = {"length": 1.0, "from": [gap, -0.06], "to": [gap + 1, 0.06]}
        motion = {f"{first}_k": 0.1, f"{second}_k": k, f"{first}_motion": "pitch"}
        motion |= {f"{second}_motion": "pitch"}
        own = {first: BOX["airfoil"], second: hind}
        return loop_run(sine(), CM, boxes=own, motion=motion)

    one = tandem("fore", "hind", 1.5, 0.1)
    assert km.compare(one, tandem("a", "b", 1.5, 0.1)).cl.rms == 0
    with pytest.raises(km.CaseError, match=r"body 2: k is 0.1 and 0.2"):
        km.compare(one, tandem("a", "b", 1.5, 0.2))
    with pytest.raises(km.CaseError, match=r"body 2 reaches from \(1.5, "):
        km.compare(one, tandem("fore", "hind", 2.0, 0.1))


# ---- wrong arguments ----------------------------------------------------------------------


def changed(run, **parts):
    run.summary.update(parts)
    return run


@pytest.mark.parametrize(
    ("other", "member", "words"),
    [
        (lambda: 3, None, "the second run is 3, expected a Run or the folder of one"),
        (lambda: steady_run(0.4, finished=None), None, "did not finish: .*--resume|resume=True"),
        (lambda: steady_run(0.4), 1, "no member 1, expected 0 to 0"),
        (lambda: steady_run(0.4), False, "no member False"),
        (lambda: steady_run(0.4), (0, 0, 0), r"member is \(0, 0, 0\), expected a number, or one"),
    ],
)
def test_what_is_no_run_that_ended_is_refused(other, member, words):
    with pytest.raises(km.CaseError, match=words):
        km.compare(steady_run(0.4), other(), member)


def test_an_unknown_argument_names_the_nearest():
    with pytest.raises(km.ArgumentError, match="did you mean 'member'"):
        km.compare(steady_run(0.4), steady_run(0.4), membr=0)


def test_a_loop_of_less_than_a_cycle_is_refused():
    with pytest.raises(km.CaseError, match="less than one cycle"):
        km.compare(loop_run(sine(), CM, cycles=0.5), loop_run(sine(), CM))


def test_a_run_without_a_cycle_is_referred_to_its_spectrum():
    run = loop_run(sine(), CM)
    run.history.by_time = True

    with pytest.raises(km.CaseError, match=r"no cycle; km.spectrum\(run\)"):
        km.compare(run, run)


# ---- channels -----------------------------------------------------------------------------


def channel(flow, **more):
    """A steady run without walls, with a mass flow through both ends."""
    ends = {"mass_flow_in": flow, "mass_flow_out": -flow, "loss": 0.3}
    return steady_run(0.0, 0.0, 0.0, boxes={}, ends=ends, **more)


def test_channels_without_walls_are_compared_by_what_passes_their_ends():
    found = km.compare(channel(0.58, nodes=2000), channel(0.56))

    assert list(found.loads) == ["mass_flow_in", "mass_flow_out", "loss"]
    assert found.loads["mass_flow_in"].difference == pytest.approx(0.02)
    assert found.loads["mass_flow_out"].share == pytest.approx(-0.02 / 0.57)
    assert found.cl is None
    labels = [axes.get_ylabel() for axes in found.plot().axes]
    assert labels == ["mass flow in", "mass flow out", "loss"]


def test_a_body_in_a_channel_is_compared_by_its_loads():
    ends = {"mass_flow_in": 0.58}
    found = km.compare(steady_run(0.3, ends=ends, nodes=2000), steady_run(0.3, ends=ends))

    assert list(found.loads) == ["cl", "cd", "cm"]


def test_mass_flows_over_a_cycle_are_compared_at_equal_phases():
    def run(flow, steps):
        ends = {"mass_flow_in": flow}
        return loop_run(still(0.0), still(0.0), cd=still(0.0), steps=steps, ends=ends)

    found = km.compare(run(sine(0.3, 10.0, 0.5), 36), run(sine(0.3, 0.0, 0.4), 24))

    (own,) = found.loads.values()
    assert own.mean.difference == pytest.approx(0.1, **NEAR)
    assert own.lead_deg == pytest.approx(10.0, **NEAR)
    assert found.plot().axes[0].get_ylabel() == "mass flow in"


def test_channels_of_three_sizes_have_the_order_of_their_mass_flow():
    found = km.convergence([channel(0.6 - 0.01 / n, nodes=1000 * n) for n in (4, 2, 1)])

    assert list(found.values) == ["mass_flow_in", "mass_flow_out", "loss"]
    assert found.orders["mass_flow_in"].order == pytest.approx(2.0, abs=1e-6)
    assert found.plot().axes[0].get_ylabel() == "mass flow in"
