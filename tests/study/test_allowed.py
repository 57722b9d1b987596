"""Two runs that differ on purpose, and pressures along their walls."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh import cli
from kinemesh.results.pressures import Pressures
from kinemesh.study import pressed
from two_runs import BOX, MACH, PERIOD, PITCH, loop_run, sine, steady_run

LAWS = {"turbulence": None, "temperature_k": 288.15, "wall": "adiabatic", "prandtl": 0.72}
GAS = {"mach": MACH, "alpha_deg": 1.0}
VISCOUS = {"stream": GAS | {"reynolds": 5e3}, "viscosity": LAWS}
WATER = {"stream": {"reynolds": 1e3, "stream": 1.0, "alpha_deg": 1.0}}
PLUNGE = {"motion": "plunge", "amplitude": 0.1, "k": PITCH["k"], "phase_deg": 0.0}
THICK = {"airfoil": BOX["airfoil"] | {"to": [1.0, 0.09]}}


@pytest.mark.parametrize(
    ("change", "allow", "words"),
    [
        (VISCOUS, ["reynolds"], "reynolds is not given and 5000"),
        (
            WATER | {"period": MACH * PERIOD},
            ["mach", "reynolds"],
            "one is of a gas, the other of incompressible flow",
        ),
        ({"stream": GAS | {"mach": 1.0}, "period": MACH * PERIOD}, ["mach"], "mach is 0.5 and 1"),
        ({"boxes": THICK}, ["bodies"], "body 1 reaches from"),
        ({"motion": PITCH | {"k": 0.2}, "period": 1.0}, ["k"], "k is 0.1 and 0.2"),
        ({"amplitude": 3.0}, ["motion"], "alpha_deg over the cycle goes over"),
        ({"amplitude": 0.0, "motion": PLUNGE}, ["motion"], "motion is pitch and plunge"),
    ],
)
def test_runs_that_differ_on_purpose_are_compared_and_the_refusal_says_how(change, allow, words):
    one, other = (loop_run(sine(), sine(0.1), **more) for more in ({}, change))
    asked = str(allow).replace("'", '"')

    with pytest.raises(km.CaseError) as refused:
        km.compare(one, other)
    found = km.compare(one, other, allow=allow)

    assert f"on purpose: allow={asked}" in str(refused.value)
    assert words in found.allowed[0]
    assert f"on purpose: {words}" in str(found)
    assert words in found.plot().get_suptitle().replace("\n", " ")
    assert found.notes == ()
    with pytest.raises(km.CaseError, match=f"allow has '{allow[0]}', which both runs share"):
        km.compare(one, one, allow=allow)


def test_what_is_not_allowed_is_refused_still():
    other = {"stream": {"mach": 0.6, "alpha_deg": 2.0}}

    with pytest.raises(km.CaseError, match=r"cases: alpha_deg is 1 and 2, .*allow=..mach., .alpha"):
        km.compare(steady_run(0.4), steady_run(0.4, **other), allow=["mach"])
    pair = steady_run(0.4), loop_run(sine(), sine())
    for one, two in (pair, pair[::-1]):
        with pytest.raises(km.CaseError, match=r"one is an? (un)?steady run") as caught:
            km.compare(one, two, allow=["mach"])
        assert "on purpose" not in str(caught.value)
    with pytest.raises(km.CaseError, match="allow is None, expected a list"):
        km.compare(*pair, allow=None)


def test_loops_of_two_motions_are_drawn_over_the_angle_of_each():
    """Over the phase where one does not pitch."""
    one, swung = (loop_run(sine(), sine(), amplitude=a, steps=n) for a, n in ((2.5, 32), (5.0, 24)))
    still = loop_run(sine(), sine(), amplitude=0.0, motion=PLUNGE)

    drawn = km.compare(one, swung, allow=["motion"]).plot().axes[0]
    beside = km.compare(one, still, allow=["motion"]).plot().axes[0]

    assert [np.ptp(line.get_xdata()) / 2 for line in drawn.lines] == pytest.approx([2.5, 5.0])
    assert beside.get_xlabel() == r"$\omega t$ [deg]"


@pytest.mark.parametrize(
    ("allow", "words"),
    [
        ("mach", "allow is 'mach', expected a list of keys"),
        ([1], r"allow is \[1\], expected a list of keys"),
        (["machh"], "allow has 'machh', which no case has; did you mean 'mach'"),
        (["zzz"], "allow has 'zzz', which no case has; expected some of mach, alpha_deg"),
        (["reynolds"], r"allow has 'reynolds', which both runs share \(not given\)"),
    ],
)
def test_keys_that_name_no_difference_are_refused(allow, words):
    one, other = steady_run(0.4), steady_run(0.4, stream={"mach": 0.6, "alpha_deg": 1.0})

    with pytest.raises(km.CaseError, match=f"compare: {words}"):
        km.compare(one, other, allow=allow)


def lens(nodes, cp, middles=False, thick=0.1):
    """Pressures on a lens, closed, from its trailing edge over the upper side."""
    turn = np.linspace(0, 2 * np.pi, nodes, endpoint=False)
    x = (1 + np.cos(turn)) / 2
    y = 2 * x * (1 - x) * np.sign(np.sin(turn).round(12))
    if middles:
        x, y = ((own + np.roll(own, -1)) / 2 for own in (x, y))
    values = cp(x, y)
    none = np.empty((0, nodes), complex)
    return Pressures(x, thick * y, np.empty(0), values[None], values, none, None, None, True)


def linear(x, y):
    return 0.3 - x + 0.2 * y


@pytest.mark.parametrize("thick", [0.1, 0.0])
@pytest.mark.parametrize("middles", [False, True])
def test_equal_pressures_on_other_nodes_do_not_differ(middles, thick):
    """Places of both lie on chords of one lens: of 390 nodes within 1e-5 of it."""
    one, other = lens(40, linear, thick=thick), lens(390, linear, middles, thick)

    found = pressed._difference(one, other, one.mean, other.mean)

    edge = 1.0 - other.x.max()  # of middles, where the last chord has no whole one
    assert found.largest < 1e-4 + 2 * edge
    assert found.mean < 1e-4
    assert found.upper[0] == found.lower[0] == 20


def test_a_bump_of_cp_on_one_side_is_the_largest_difference_there():
    def bumped(x, y):
        return linear(x, y) + 0.5 * (np.arange(40) == 27)

    one, other = lens(40, bumped), lens(40, linear)

    found = pressed._difference(one, other, one.mean, other.mean)

    assert found.largest == pytest.approx(0.5)
    assert (found.largest_at_x, found.largest_side) == (one.x[27], "lower")
    steps = np.hypot(*np.diff(np.stack([one.x, one.y])[:, np.r_[:40, 0]]))
    halves = (steps[26] + steps[27]) / 2  # of the wall about that node
    assert found.mean == pytest.approx(0.5 * halves / steps.sum())


@pytest.mark.long
@pytest.mark.flow
@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")
def test_runs_by_nodes_and_cells_have_both_their_pressures_in_table_and_picture(tmp_path, capsys):
    mesh = km.mesh.airfoil("naca0012", 500, far_field=8)
    folders = [str(tmp_path / name) for name in ("nodes", "cells")]
    rough = {"steady_drop": 1e-2}
    km.Ale(mesh, mach=0.4, alpha_deg=2.0, device="cpu",
           settings=km.AleSettings(**rough)).steady(out=folders[0])  # fmt: skip
    km.CellCentred(mesh, mach=0.5, alpha_deg=2.0, device="cpu",
                   settings=km.CellSettings(**rough)).steady(out=folders[1])  # fmt: skip
    picture = str(tmp_path / "walls.png")

    assert cli.main(["compare", *folders, "--allow", "mach", "--walls", picture]) == 0

    found = km.compare(*folders, allow=["mach"])
    told = capsys.readouterr().out
    assert "cp, mean difference" in told
    assert picture in told
    wall = found.walls["cp"]
    kept = km.open(folders[0]).fields()
    assert sorted(wall.values[0]) == sorted(kept["Cp"][np.unique(kept.walls)])
    top, below = found.plot_walls().axes
    assert top.lines[0].get_ydata().tolist() == wall.values[0][wall.upper].tolist()
    assert below.lines[1].get_ydata().tolist() == wall.difference[wall.lower].tolist()
    assert found.labels == ("ale, 506 nodes, mach 0.4", "cells, 920 cells, mach 0.5")
    middles = mesh.points[mesh.boundaries["airfoil"]].mean(axis=1)  # its chord is from 0 to 1
    its = pressed.at_end(km.open(folders[1]))["airfoil"]
    assert sorted(its.x) == pytest.approx(sorted(middles[:, 0]), abs=1e-12)
    assert cli.main(["compare", *folders, "--allow", "reynolds"]) == 2


def test_runs_without_fields_say_that_there_are_no_pressures():
    found = km.compare(steady_run(0.4), steady_run(0.5))

    assert "no cp along the walls: the first run kept no fields" in str(found)
    with pytest.raises(km.CaseError, match="nothing to draw: the first run kept no fields"):
        found.plot_walls()
