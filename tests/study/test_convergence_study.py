"""One case on several sizes: made-up loads that follow a law, real runs, and what is refused."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh import cli
from two_runs import BOX, PITCH, loop_run, sine, steady_run, still

NODES = (16000, 4000, 1000)
WING = {"wing": {"planform_area": 1.0, "from": [0.0, 0.0, -0.1], "to": [1.0, 2.0, 0.1]}}
HLLC = {"steady_drop": 1e-6, "flux": "hllc"}


def law(n, end, c, p, dimensions=2):
    return end + c * (n / 16000) ** (-p / dimensions)


def steady(n, **more):
    return steady_run(law(n, 0.4, 0.01, 2), law(n, 0.02, 0.004, 1), law(n, -0.1, -0.002, 1.5),
                      nodes=n, **more)  # fmt: skip


def loops(n, **more):
    cl = sine(law(n, 0.3, 0.02, 2), 20, mean=law(n, 0.05, 0.001, 1))
    power = still(law(n, 1e-3, 1e-4, 1.5))
    return loop_run(cl, sine(law(n, 0.02, 0.001, 1.2)), power=power, nodes=n, **more)


def test_steady_loads_that_follow_laws_have_their_orders_and_limits():
    found = km.convergence([steady(n) for n in NODES])

    assert found.unknowns == NODES
    assert found.sizes.tolist() == [1, 2, 4]
    for name, p, end in (("cl", 2, 0.4), ("cd", 1, 0.02), ("cm", 1.5, -0.1)):
        assert found.orders[name].order == pytest.approx(p, rel=1e-12)
        assert found.orders[name].extrapolated == pytest.approx(end, rel=1e-12)
    assert found.orders["cd"].index == pytest.approx(1.25 * 0.004 / 0.024, rel=1e-12)
    assert found.notes == ()


def test_in_space_sizes_go_with_the_cube_root():
    at = {n: law(n, 0.4, 0.01, 2, dimensions=3) for n in NODES}

    found = km.convergence([steady_run(cl, nodes=n, boxes=WING) for n, cl in at.items()])

    assert found.orders["cl"].order == pytest.approx(2, rel=1e-12)
    assert found.sizes[1] == pytest.approx(4 ** (1 / 3))


@pytest.mark.parametrize(("swing", "known"), [(0.0, True), (2e-3, True), (0.2, False)])
def test_loads_of_the_wake_have_orders_and_the_noise_of_the_lift(swing, known):
    """The lift changes by a share s, the induced drag by 2 s, the bending by s."""
    wakes = [{"cd_induced": law(n, 0.006, 1e-4, 1), "cm_bending": law(n, 0.1, 2e-3, 2)}
             for n in NODES]  # fmt: skip
    runs = [steady(n, wake=wake, swing=swing / 9) for n, wake in zip(NODES, wakes, strict=True)]
    found = km.convergence(runs)

    share = found.noise["cl"] / found.values["cl"]
    for name, power in (("cd_induced", 2), ("cm_bending", 1)):
        expected = power * share * found.values[name]
        np.testing.assert_allclose(found.noise[name], expected, rtol=1e-6, atol=1e-13)
    orders = [found.orders[name].order for name in ("cd_induced", "cm_bending")]
    assert orders == (pytest.approx([1.0, 2.0]) if known else [None, None])
    assert {"cd_induced", "cm_bending"}.isdisjoint(km.convergence([*map(steady, NODES)]).values)


def test_loops_have_orders_of_mean_amplitude_and_work():
    found = km.convergence([loops(n) for n in NODES])

    assert list(found.orders) == [
        "cl_mean", "cl_amplitude", "cd_mean", "cd_amplitude", "cm_mean", "cm_amplitude", "work",
    ]  # fmt: skip
    for name, p in (("cl_mean", 1), ("cl_amplitude", 2), ("cm_amplitude", 1.2), ("work", 1.5)):
        assert found.orders[name].order == pytest.approx(p, rel=1e-9)
    assert found.orders["cd_amplitude"].why == "values equal to within the convergence of the runs"


def test_runs_come_in_any_order_and_those_beyond_the_finest_three_are_shown():
    four = [*(steady(n) for n in NODES), steady_run(0.9, nodes=250)]

    found = km.convergence([four[2], four[3], four[0], four[1]])

    assert found.orders == km.convergence(four[:3]).orders
    assert found.unknowns == (*NODES, 250)
    assert found.values["cl"][3] == 0.9
    assert "the finest three of 4 sizes, ratios 2 and 2" in str(found)


def test_a_load_that_changes_as_its_residual_falls_by_more_than_between_sizes_has_no_order():
    def orders(swing):
        made = [steady(n) for n in NODES[1:]] + [steady(NODES[0], swing=swing)]
        return km.convergence(made).orders

    still_moves, rests = orders(0.04), orders(0.01)  # the finest two differ by 0.03
    assert still_moves["cl"].order is None
    assert still_moves["cl"].why == "values equal to within the convergence of the runs"
    assert rests["cl"].order == pytest.approx(2)
    assert still_moves["cd"].order == pytest.approx(1)


def test_a_loop_that_changes_in_its_last_cycle_by_more_than_between_sizes_has_no_order():
    def orders(grow):
        made = [
            loop_run(sine(1 + away / 2, mean=away), sine(0.1), nodes=n, grow=grow)
            for n, away in zip(NODES, (0.0, 0.004, 0.02), strict=True)
        ]
        return km.convergence(made).orders

    rests, grows = orders(0.0), orders(0.005)
    for name in ("cl_mean", "cl_amplitude"):
        assert rests[name].order == pytest.approx(2)
    assert grows["cl_mean"].order == pytest.approx(2, abs=0.1)  # it grows by 0.005 of 0.02
    assert grows["cl_amplitude"].order is None
    assert grows["cl_amplitude"].why == "values equal to within the convergence of the runs"


def test_round_off_of_float32_is_told_from_differences_of_sizes():
    values = (0.4, 0.4 + 1e-6, 0.4 + 5e-6)

    def order(dtype):
        runs = [steady_run(cl, nodes=n, dtype=dtype) for n, cl in zip(NODES, values, strict=True)]
        return km.convergence(runs).orders["cl"].order

    assert order("float64") == pytest.approx(2)
    assert order("float32") is None


# ---- tables and figures -------------------------------------------------------------------


def test_a_study_is_a_table_in_text_notebook_and_pandas():
    pytest.importorskip("pandas")
    found = km.convergence([steady(n) for n in NODES])

    table = found.table()
    assert list(table.columns) == [
        "quantity", "16000", "4000", "1000", "order", "extrapolated", "uncertainty", "index",
        "remark",
    ]  # fmt: skip
    assert table["order"].to_numpy() == pytest.approx([2, 1, 1.5])
    assert table["1000"][0] == found.values["cl"][2]
    for text in (str(found), found._repr_html_()):
        assert "16,000 nodes" in text
        assert f"{100 * found.orders['cd'].index:.5g}" in text
    assert repr(found).endswith("orders cl 2, cd 1, cm 1.5)")


def test_the_figure_has_every_size_the_law_and_the_limit():
    found = km.convergence([*(steady(n) for n in NODES), steady_run(0.9, nodes=250)])

    figure = found.plot()

    axes = figure.axes[0]
    points, line, end, *_ = axes.lines
    assert points.get_ydata().tolist() == found.values["cl"].tolist()
    assert points.get_xdata().tolist() == [1, 2, 4, 8]
    assert line.get_ydata()[[0, -1]] == pytest.approx([0.4, found.values["cl"][2]])
    assert end.get_ydata() == pytest.approx([0.4])
    assert axes.get_title(loc="left") == "order 2.00, index 3.05 %"


def test_an_order_far_from_the_schemes_has_its_remark_and_no_error_bar():
    runs = [steady_run(law(n, 0.4, 1e-4, 5.6), nodes=n) for n in NODES]

    found = km.convergence(runs)
    axes = found.plot().axes[0]

    assert found.orders["cl"].order == pytest.approx(5.6, rel=1e-9)
    assert not found.orders["cl"].plausible
    assert [len(line.get_xdata()) for line in axes.lines] == [3]  # the sizes alone
    assert axes.containers == []
    told = axes.get_title(loc="left")
    assert told == "order 5.60\nfar from the order of the scheme:\nsizes too coarse"


def test_the_figure_of_loops_says_where_there_is_no_order():
    figure = km.convergence([loops(n) for n in NODES]).plot()

    titles = [axes.get_title(loc="left") for axes in figure.axes if axes.get_visible()]
    assert len(titles) == 7
    assert titles[3] == "no order\nvalues equal to within the\nconvergence of the runs"


@pytest.mark.parametrize(("size", "quiet"), [(0.9e-6, True), (1.1e-6, False)])
def test_a_load_that_is_rounding_is_drawn_on_the_scale_of_the_others(size, quiet):
    runs = [steady_run(size * n / NODES[0], 1.0 + 1 / n, -0.1, nodes=n) for n in NODES]

    axes = km.convergence(runs).plot().axes[0]

    assert axes.get_ylabel() == "$c_l$"
    low, high = axes.get_ylim()
    assert bool(low == -high and high > 0.05) is quiet


# ---- what is refused, and what is told ----------------------------------------------------


def made(*changes):
    """Steady runs of three sizes, some of them with changes."""
    each = [*changes, *({},) * (3 - len(changes))]
    return [steady(**({"n": n} | more)) for n, more in zip(NODES, each, strict=True)]


@pytest.mark.parametrize(
    ("runs", "words"),
    [
        (lambda: made()[:2], "2 sizes, expected at least three"),
        (lambda: made()[0], "1 sizes, expected at least three"),
        (lambda: "runs", "runs is 'runs', expected a list of runs or folders"),
        (lambda: [1, 2, 3], "run 0 is 1, expected a Run or the folder of one"),
        (lambda: made({"n": 4000}), "a ratio of sizes of 1; expected at least 1.05, better 1.3"),
        (lambda: [*made(), steady(1000)], "a ratio of sizes of 1;"),
        (lambda: made({"n": 4300}), r"4,300 nodes and run 1 4,000 nodes, a ratio of sizes of 1.04"),
        (lambda: made({}, {"converged": False}), "run 1 did not converge"),
        (lambda: made({}, {"finished": None}), "run 1 did not finish"),
        (lambda: made({}, {}, {"stream": {"mach": 0.6, "alpha_deg": 1.0}}), "mach is 0.5 and 0.6"),
        (lambda: made({}, {"method": "cells"}), "by the method ale, .* by cells; km.compare"),
        (lambda: [loops(n, grow=0.1) for n in NODES], "run 0 is not periodic, its loop changes by"),
        (lambda: [loops(n, cycles=1) for n in NODES], "run 0 has one cycle, and is periodic or no"),
        (lambda: [loops(n, converged=0) for n in NODES], "run 0 did not converge"),
        (
            lambda: [loops(n, motion=PITCH | {"k": 1 / n}) for n in NODES],
            "of different cases: k is",
        ),
    ],
)
def test_what_has_no_order_is_refused(runs, words):
    with pytest.raises(km.CaseError, match=f"convergence: .*{words}"):
        km.convergence(runs())


NEARER = {"far": {"from": [-10.0, -50.0], "to": [50.0, 50.0]}}
ALIKE = {"far": {"from": [-49.5, -50.0], "to": [50.0, 50.2]}}  # corners of a coarser polygon
SCHEMES = {"flux": ("roe", "hllc"), "limiter": ("wang", "none"), "limiter_k": (0.05, 0.5)}
SCHEMES |= {
    "entropy_fix": (0.05, 0.2),
    "low_mach": (True, False),
    "far_field": ("stream", "vortex"),
}
SCHEMES |= {"convection": ("upwind", "blend"), "weight_power": (1, 2)}


@pytest.mark.parametrize(("name", "values"), SCHEMES.items())
def test_sizes_by_two_schemes_have_no_order_and_two_runs_are_told_of_it(name, values):
    each = [{"settings": {"steady_drop": 1e-6, name: value}} for value in values]
    words = f"{name} is {values[0]} and {values[1]}"

    with pytest.raises(km.CaseError, match=f"different cases: {words}"):
        km.convergence(made(*each, each[0]))
    with pytest.warns(RuntimeWarning, match=words):
        found = km.compare(*made(*each)[:2])

    assert found.notes == (words,)
    assert words in str(found)
    assert words in found.plot().get_suptitle()


@pytest.mark.parametrize("place", [0, 1, 2])
def test_sizes_on_two_far_fields_have_no_order_and_two_runs_are_told_of_it(place):
    each = [{}, {}, {}]
    each[place] = {"extents": NEARER}
    words = r"the boundary 'far' reaches from \(-.*, .* to \(50, 50.06\) and from \("

    with pytest.raises(km.CaseError, match=words):
        km.convergence(made(*each))
    with pytest.warns(RuntimeWarning, match=words):
        found = km.compare(made({"extents": NEARER})[0], made()[1])
    assert "'far' reaches" in found.plot().get_suptitle()
    each[place] = {"extents": ALIKE}
    assert km.convergence(made(*each)).notes == ()


def outlined(far):
    """A body whose outline is off by that much in the middle, rms 0.6 of it."""
    lens = [
        0.06 * 4 * s * (1 - s) + far * (1 - 2 * abs(s - 0.5)) for s in np.arange(0.0625, 1, 0.125)
    ]
    return {"airfoil": BOX["airfoil"] | {"outline": [[-y for y in lens], lens]}}


@pytest.mark.parametrize("door", ["compare", "convergence"])
def test_sections_in_one_box_are_two_cases(door):
    def asked(far):
        runs = made({}, {"boxes": outlined(far)})
        return km.compare(*runs[:2]) if door == "compare" else km.convergence(runs)

    with pytest.raises(km.CaseError, match=r"outlines of body 1 are 0.29 % of its length apart"):
        asked(0.005)
    assert asked(0.002).notes == ()  # chords of a coarse mesh


def test_laws_of_a_viscous_gas_are_of_the_case():
    law = {"turbulence": None, "temperature_k": 288.15, "wall": "adiabatic", "prandtl": 0.72}
    for change in ({"turbulence": "sa"}, {"temperature_k": 300.0}, {"wall": 1.2}):
        name = f"{next(iter(change))} of the viscous gas is"
        with pytest.raises(km.CaseError, match=name):
            km.convergence(made({"viscosity": law}, {"viscosity": law | change}))
        with pytest.raises(km.CaseError, match=name):
            km.compare(*made({"viscosity": law}, {"viscosity": law | change})[:2])


def test_sizes_beyond_the_finest_three_may_be_near():
    assert len(km.convergence([*made(), steady(980)]).unknowns) == 4


def test_a_failed_member_is_refused_with_its_cause():
    runs = made()
    runs[2].history.failed = {0: "the mesh folds"}

    with pytest.raises(km.CaseError, match="the mesh folds"):
        km.convergence(runs)


@pytest.mark.parametrize(
    ("runs", "words"),
    [
        (lambda: made({"n": 6000}), "ratios of sizes are 1.22 and 2, expected 1.3 and more"),
        (lambda: made({"settings": {"steady_drop": 1e-8}}), "steady_drop is 1e-08 and 1e-06"),
        (lambda: made({"deform": {"method": "rigid"}}), "deformation is rigid and not given"),
        (
            lambda: made({}, {"extents": {}}),
            "the summary of run 1 has no extents of its boundaries",
        ),
        (lambda: made({"dtype": "float32"}), "the precision is not that of all runs"),
        (
            lambda: [loops(n, steps=s) for n, s in zip(NODES, (64, 32, 16), strict=True)],
            "orders are of space and time together",
        ),
    ],
)
def test_what_makes_orders_uncertain_is_warned_of_and_stands_in_the_table(runs, words):
    with pytest.warns(RuntimeWarning, match=words):
        found = km.convergence(runs())

    assert any(words in note for note in found.notes)
    assert words in str(found)


def test_an_unknown_argument_names_the_nearest():
    with pytest.raises(km.ArgumentError, match="did you mean 'member'"):
        km.convergence(made(), membr=0)


# ---- real runs, and the shell -------------------------------------------------------------


@pytest.fixture(scope="module")
def ensemble(tmp_path_factory):
    """A steady flow on three meshes as one ensemble, and alone."""
    folder = tmp_path_factory.mktemp("sizes")
    meshes = [km.mesh.airfoil("naca0012", nodes=n, far_field=8) for n in (500, 1000, 2000)]
    case = {"mach": 0.5, "alpha_deg": 2.0, "device": "cpu"}
    case["settings"] = km.AleSettings(steady_drop=1e-4)
    km.Ale(meshes, **case).steady(out=folder / "all")
    for number, mesh in enumerate(meshes):
        km.Ale(mesh, **case).steady(out=folder / str(number))
    return folder


@pytest.mark.flow
def test_members_of_an_ensemble_are_sizes_as_runs_of_their_own_are(ensemble):
    together = km.open(ensemble / "all")

    found = km.convergence(together)

    assert found.orders == km.convergence([ensemble / str(n) for n in range(3)]).orders
    assert found.unknowns == tuple(sorted(together.summary["unknowns"], reverse=True))
    drag = found.orders["cd"]  # of a flow without shocks or viscosity: an error, towards zero
    assert 1 < drag.order < 4
    assert drag.extrapolated < found.values["cd"][0] < found.values["cd"][2]
    with pytest.raises(km.CaseError, match="member is 0, and the members of one run are the sizes"):
        km.convergence(together, 0)
    with pytest.raises(km.CaseError, match="all has 3 members; choose one"):
        km.convergence([together] * 3)


@pytest.mark.flow
def test_the_shell_prints_the_tables_and_draws(ensemble, tmp_path, capsys):
    folders = [str(ensemble / str(n)) for n in range(3)]
    figure = str(tmp_path / "figure.png")

    assert cli.main(["convergence", *folders, "--figure", figure]) == 0
    assert "GCI [%]" in capsys.readouterr().out
    assert (tmp_path / "figure.png").exists()
    assert cli.main(["compare", *folders[:2]]) == 0
    out = capsys.readouterr().out
    assert str(km.compare(*folders[:2])) == out.strip()
    assert cli.main(["compare", folders[0], str(ensemble / "all"), "--member", "0"]) == 0
    assert cli.main(["compare", folders[0], str(ensemble / "all")]) == 2
    assert "has 3 members" in capsys.readouterr().err


def test_ratios_of_sizes_below_1_05_are_refused_and_below_1_3_told_of():
    """In the plane sizes go with the square root: 1.05^2 is 1.1025, and 1.3^2 is 1.69."""
    few, told = "a ratio of sizes of 1.05; expected at least 1.05", "expected 1.3 and more"

    with pytest.raises(km.CaseError, match=few):
        km.convergence(made({"n": 11024}, {"n": 10000}))
    for n, words in ((11026, "ratios of sizes are 1.05 and"), (16899, "ratios of sizes are 1.3 ")):
        with pytest.warns(RuntimeWarning, match=f"{words}.*{told}"):
            km.convergence(made({"n": n}, {"n": 10000}))
    assert km.convergence(made({"n": 16901}, {"n": 10000})).notes == ()
