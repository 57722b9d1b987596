"""Steps that stop short of the asked drop are told everywhere; round-off is not short."""

import re
from types import SimpleNamespace

import kinemesh as km
import numpy as np
import pytest
from kinemesh.io import UNSTEADY, History, summary
from kinemesh.run import criteria

pytestmark = pytest.mark.flow

MESH = km.mesh.airfoil("naca0012", nodes=500, far_field=8)


def ran(**settings):
    made = km.AleSettings(**settings)
    pitch = km.motion.pitch(2.0, 0.1)
    case = km.Ale(MESH, mach=0.5, motion=pitch, deform=km.deform.Rigid(), device="cpu",
                  settings=made)  # fmt: skip
    return case.run(cycles=1, steps_per_cycle=16)


@pytest.mark.sanitize
def test_steps_that_ran_out_of_iterations_are_told_everywhere():
    with pytest.warns(RuntimeWarning, match="steps ended above the asked residual drop") as warned:
        run = ran(unsteady_drop=1e-3, unsteady_iterations=9, steady_drop=1e-2)

    short = run.history["residual_drop"] > 1e-3
    assert short.sum() > 0
    np.testing.assert_array_equal(run.history["converged"], ~short)
    assert run.summary["result"]["unconverged_steps"] == short.sum()
    assert run.summary["result"]["unconverged_steps_of_loop"] == short.sum()
    assert km.hysteresis(run).unconverged == short.sum()
    table = summary.table(run.summary)
    assert f"{short.sum()} of 16 steps ended above" in table
    assert any(f"{short.sum()} of 16" in str(w.message) for w in warned)


@pytest.mark.parametrize(
    ("settings", "advice"),
    [
        ({}, r"or raise jacobian_fix \(0.15\) where .*; the residual is largest at \("),
        ({"limiter": "none"}, "or take limiter = 'wang' where"),
        ({"linear_solver": "lusgs"}, "or take linear_solver = 'bicgstab' where"),
    ],
    ids=["matrix", "limiter", "sweeps"],
)
def test_a_steady_run_that_stalls_is_told_what_helps(settings, advice):
    made = km.AleSettings(steady_iterations=3, **settings)
    case = km.Ale(MESH, mach=0.5, device="cpu", settings=made)

    with pytest.warns(RuntimeWarning, match=advice) as warned:
        case.steady()

    assert not any("too thin" in str(w.message) for w in warned)


@pytest.mark.parametrize(
    ("settings", "advice"),
    [
        (km.AleSettings(), "take newton = True (in float64) or raise jacobian_fix (0.15)"),
        (
            km.AleSettings(limiter="none"),
            "take newton = True (in float64) or take limiter = 'wang'",
        ),
        (km.AleSettings(limiter="none", newton=True), "take limiter = 'wang'"),
        (km.AleSettings(limiter="venkatakrishnan"), "take limiter = 'wang'"),
        (km.AleSettings(linear_solver="lusgs"), "take linear_solver = 'bicgstab'"),
    ],
)
def test_a_steady_march_is_advised_steps_of_newton_where_it_has_none(settings, advice):
    assert settings.complete().steady_remedy == advice
    assert "newton" not in settings.complete().remedy  # of physical steps


def test_thin_triangles_on_a_curved_layer_are_told_where_a_run_stalls():
    """With them 2000 iterations leave 0.07 of the residual, on twice the spacing 146 do."""
    mesh = km.mesh.airfoil("naca0012", wall_spacing=1e-3)
    settings = km.AleSettings(steady_iterations=3)
    case = km.Ale(mesh, mach=0.5, alpha_deg=2, device="cpu", settings=settings)

    with pytest.warns(RuntimeWarning, match=r"as 146 nodes such as .* too thin.*; or raise"):
        case.steady()


def test_thin_triangles_on_a_curved_layer_are_told_where_a_run_diverges():
    """The residual is above ten times its first value after sixty iterations."""
    mesh = km.mesh.airfoil("naca0012", wall_spacing=1e-5)
    settings = km.AleSettings(steady_iterations=60)
    case = km.Ale(mesh, mach=0.5, alpha_deg=2, device="cpu", settings=settings)

    with pytest.raises(km.NumericalFault, match=r"diverged.*nodes such as .* triangles too thin"):
        case.steady()


@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid")
def test_a_residual_without_bound_is_a_fault_and_no_convergence():
    """A first norm that overflows is its own share, by which any step would have converged."""
    motion = km.motion.pitch(2.0, 1e99)
    case = km.Ale(MESH, mach=0.5, motion=motion, deform=km.deform.Rigid(), device="cpu")

    with pytest.raises(km.NumericalFault):
        case.run(cycles=1, steps_per_cycle=16, start="as is")


@pytest.mark.filterwarnings("ignore:member 0:RuntimeWarning")
def test_a_step_that_ended_at_round_off_is_converged():
    case = km.Ale(MESH, mach=0.5, walls=[], motion=None, deform=km.deform.TorsionalSprings(),
                  device="cpu", settings=km.AleSettings(unsteady_drop=1e-12))  # fmt: skip

    run = case.run(time_step=0.5, steps=3, start="as is")  # a uniform stream, solved at once

    assert (run.history["residual_drop"] > 1e-12).all()
    assert run.history["converged"].all()
    assert run.summary["result"]["unconverged_steps"] == 0
    assert run.summary["result"]["steps_ended_at_roundoff"] == 3


@pytest.mark.filterwarnings("ignore:member 0:RuntimeWarning")
def test_a_float32_step_ends_where_all_nodes_are_at_round_off():
    """The drop is out of reach; 27 pseudo-steps at most were measured for one of 1e-6."""
    case = km.Ale(MESH, mach=0.5, motion=km.motion.pitch(2.0, 0.1), deform=km.deform.Rigid(),
                  device="cpu", dtype="float32",
                  settings=km.AleSettings(unsteady_drop=1e-30))  # fmt: skip

    run = case.run(cycles=4 / 32, steps_per_cycle=32)

    assert (run.history["residual_drop"] == 0).all()
    assert run.history["converged"].all()
    assert (run.history["inner_iterations"] < case.settings.unsteady_iterations).all()


@pytest.mark.filterwarnings("ignore:member 0:RuntimeWarning")
def test_a_first_flow_that_did_not_converge_is_in_the_summary():
    text = (
        r"start: member 0: stopped at its limit of 5 iterations, .* is still 1\.\d times its first"
    )
    with pytest.warns(RuntimeWarning, match=text):
        run = ran(steady_iterations=5, unsteady_iterations=3)

    assert any("steady flow at the start" in text for text in run.summary["warnings"])


@pytest.mark.filterwarnings("ignore:member 0:RuntimeWarning")
def test_a_steady_run_is_converged_by_its_drop_alone():
    def steady(**settings):
        made = km.AleSettings(**settings)
        return km.Ale(MESH, mach=0.5, device="cpu", settings=made).steady()

    done, short = steady(steady_drop=1e-3), steady(steady_drop=1e-3, steady_iterations=3)

    assert done.summary["result"]["converged"] is done.converged is True
    assert short.summary["result"]["converged"] is short.converged is False


def test_a_steady_run_that_ended_at_round_off_is_converged():
    run = km.Ale(MESH, mach=0.5, walls=[], device="cpu").steady()  # a uniform stream from the start

    assert run.history["residual"][-1] != 0
    assert run.summary["result"]["ended_at_roundoff"]
    assert run.converged is True


@pytest.mark.filterwarnings("ignore:member:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:.*mach is 20:RuntimeWarning")
def test_members_converge_each_for_itself():
    settings = km.AleSettings(steady_drop=1e-2, steady_iterations=120)

    run = km.Ale(MESH, mach=[0.5, 0.5, 20.0], device="cpu", settings=settings).steady()

    drop = run.summary["result"]["residual_drop"]
    assert drop[0] <= 1e-2 < drop[2]
    assert run.converged.tolist() == [True, True, False]


def test_an_unsteady_run_is_converged_where_the_steps_of_its_last_cycle_are():
    def rows(cycles, bad):
        history = History()
        for step in range(1, round(8 * cycles) + 1):
            row = dict.fromkeys(UNSTEADY, 0.0) | {"step": step, "cycle": step / 8}
            history.append(row | {"converged": step != bad})
        return history

    assert criteria.converged(rows(3, bad=16))
    assert not criteria.converged(rows(3, bad=17))
    assert not criteria.converged(rows(3, bad=24))
    assert criteria.converged(rows(2.5, bad=12))
    assert not criteria.converged(rows(2.5, bad=13))
    assert not criteria.converged(rows(0.5, bad=1))  # less than a cycle: all of it


@pytest.mark.filterwarnings("ignore:steady flow:RuntimeWarning")
def test_a_run_without_a_period_is_judged_by_all_its_steps():
    flow = {"mach": 0.5, "device": "cpu", "motion": km.motion.pitch(2.0, 0.1),
            "deform": km.deform.Rigid()}  # fmt: skip
    settings = km.AleSettings(unsteady_drop=1e-2)
    run = km.Ale(MESH, **flow, settings=settings).run(time_step=0.5, steps=3)

    assert run.history["converged"].all()
    assert run.converged is True


@pytest.mark.parametrize("steady", [True, False])
def test_a_residual_that_rose_by_orders_is_a_failure(monkeypatch, steady):
    """A march that stops as soon as its residual has risen a little, were that orders."""
    monkeypatch.setattr(criteria, "MOST_RISE", 0.02)
    made = km.AleSettings(steady_iterations=5, unsteady_iterations=3)
    case = km.Ale(MESH, mach=0.5, motion=km.motion.pitch(2.0, 0.1), deform=km.deform.Rigid(),
                  device="cpu", settings=made)  # fmt: skip

    where = "steady flow, iteration 5" if steady else "step 1 of 4, iteration 3"
    with pytest.raises(km.NumericalFault, match=f"member 0: diverged, the residual rose.*{where}"):
        case.steady() if steady else case.run(time_step=0.5, steps=4, start="as is")


@pytest.mark.parametrize("solver", [km.Ale, km.Meshless])  # cells are inviscid
@pytest.mark.parametrize(("longest", "ends_at"), [(4, 4), (8, 8), (9, 8)])
def test_a_steady_march_that_stays_risen_ends_soon(monkeypatch, solver, longest, ends_at):
    """Eight iterations, all above a bound that is taken for ten: a limit on each side of eight."""
    monkeypatch.setattr(criteria, "MOST_RISE", 1e-9)
    monkeypatch.setattr(criteria, "LONGEST_RISE", longest)
    monkeypatch.setattr(criteria, "FALLING", 0.0)
    made = km.Cloud.from_mesh(MESH) if solver is km.Meshless else MESH
    settings = type(solver(made, mach=0.5, device="cpu").settings)(steady_iterations=8)
    case = solver(made, mach=0.5, device="cpu", settings=settings)

    with pytest.raises(km.NumericalFault, match="diverged, the residual rose") as found:
        case.steady()

    assert f"iteration {ends_at})" in str(found.value)


def fails_at(drops):
    """Iteration, from 0, in which a march of these residuals has diverged; None if it has not."""
    found = []

    class Ensemble:
        alive = np.ones(1, bool)

        def fail(self, member, *words, iteration, **facts):
            found.append(iteration)

        def advice(self, member, fault):
            return ""

    one, zero = np.ones(1), np.zeros(1)
    dual = SimpleNamespace(norm=one, base=one, floor=zero, calm=zero, iterations=np.zeros(1, int))
    case = SimpleNamespace(
        dualtime=dual, backend=SimpleNamespace(get=np.asarray),
        grid=SimpleNamespace(ensemble=Ensemble()),
    )  # fmt: skip
    rising = criteria.Rising(1)
    for k, drop in enumerate(drops):
        dual.norm, dual.iterations = np.array([drop]), np.array([k])
        rising.refuse(case, "steady flow")
        if found:
            return found[0]
    return None


@pytest.mark.parametrize(
    ("drops", "at"),
    [
        ([1.0, *[11.0] * 59, 1.0], None),
        ([1.0, *[11.0] * 60, 1.0], 60),
        ([1.0, *[9.9] * 300], None),
        ([1.0, *1.1 ** np.arange(300)], 85),  # above ten from 26 on
        ([1.0, *[17.7] * 45, *[14.1] * 45, *[11.2] * 45, 1.0], None),  # of an impulsive start
        ([1.0, *[17.7] * 45, *[14.2] * 45, 1.0], 60),
    ],
)
def test_a_start_that_comes_back_has_not_diverged(drops, at):
    assert fails_at(drops) == at


@pytest.mark.long
@pytest.mark.flow
def test_coarse_tetrahedra_of_a_wing_come_back_from_seventeen_times_their_first_residual():
    mesh = km.mesh.oneram6(nodes=10_000, cells="tets")
    settings = km.AleSettings(steady_drop=1e-1)
    case = km.Ale(mesh, mach=0.84, alpha_deg=3.0, settings=settings, reference_area=1.153,
                  device="cpu")  # fmt: skip

    run = case.steady()

    assert run.converged
    assert (run.history["residual"] > 10).sum() > 40


def test_results_of_members_are_lists_that_stay_in_line():
    one, other = {"converged": True, "damping": 0.2}, {"converged": False}

    assert criteria.of_members([one]) == one
    assert criteria.of_members([other, one]) == {"converged": [False, True], "damping": [None, 0.2]}


@pytest.mark.flow
@pytest.mark.parametrize(
    ("flow", "squarer", "remedy"),
    [
        ({"mach": 0.4}, True, "raise jacobian_fix"),
        ({"mach": 0.4, "reynolds": 1e3}, False, "raise jacobian_fix"),  # layers are meant to be
        ({"mach": 0.4, "flux": "hllc"}, False, "take flux = 'roe', whose matrix"),
        ({"mach": 0.4, "flux": "hllc", "limiter": "none"}, False, "take limiter = 'wang'"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*too thin for the curve:RuntimeWarning")
def test_thin_cells_are_blamed_where_they_are_not_meant_and_solved_with_their_own_matrix(
    flow, squarer, remedy
):
    mesh = km.mesh.airfoil("naca0012", 1000, far_field=10, topology="c", wall_spacing=1e-4)
    said = {name: value for name, value in flow.items() if name in ("flux", "limiter")}
    rest = {name: value for name, value in flow.items() if name not in said}
    settings = km.AleSettings(steady_iterations=2, **said)

    case = km.Ale(mesh, alpha_deg=2.0, settings=settings, device="cpu", **rest)
    with pytest.warns(RuntimeWarning):
        case.steady()

    told = case.suspects(0)
    assert ("squarer cells there help" in told) is squarer
    assert remedy in case.settings.remedy
    place = r"the residual is largest at \((.*)\), that of (mass|momentum|energy), node (\d+)"
    at, _, node = re.search(place, told).groups()
    x = case.backend.get(case.grid.x)[int(node)]
    assert at == f"{x[0]:.4g}, {x[1]:.4g}"


LAYERED = {"mach": 0.3, "reynolds": 1e3}


@pytest.mark.parametrize("kind", [km.Ale, km.Meshless])  # cells are inviscid
@pytest.mark.filterwarnings("ignore:.*too thin for the curve:RuntimeWarning")
def test_no_solver_advises_squarer_cells_in_a_layer(kind):
    if kind is km.Meshless:
        space, flow = km.cloud.airfoil("naca0012", 500), {"mach": 0.3}
        settings = km.MeshlessSettings(steady_iterations=2)
    else:
        space = km.mesh.airfoil("naca0012", 1000, far_field=10, topology="c", wall_spacing=1e-4)
        flow, settings = LAYERED, km.AleSettings(steady_iterations=2)
    case = kind(space, settings=settings, device="cpu", **flow)

    with pytest.warns(RuntimeWarning, match=r"stopped at its limit of 2 iterations") as told:
        case.steady()

    text = " ".join(str(w.message) for w in told)
    noun = "node" if kind is km.Ale else "point"
    assert re.search(rf"largest at \(.*\), that of \w+, {noun} \d+", text)
    assert "squarer" not in text


def test_steps_that_end_short_name_the_worst_the_place_and_the_cure():
    with pytest.warns(RuntimeWarning, match="steps ended above the asked residual drop") as warned:
        run = ran(unsteady_drop=1e-12, unsteady_iterations=3, steady_drop=1e-2)

    (text,) = [str(w.message) for w in warned if "steps ended above" in str(w.message)]
    worst = run.history["residual_drop"].argmax()
    drop = run.history["residual_drop"][worst]
    assert f"at worst {drop:.1e} in step {worst + 1}; raise unsteady_iterations (3)" in text
    assert re.search(r"the residual is largest at \(.*\), that of \w+, node \d+", text)


def test_a_place_is_told_only_of_a_last_step_that_ended_short():
    """Fields are those of the last step, and tell nothing of a step before."""

    def ended(converged, drops):
        columns = {"converged": converged, "residual_drop": drops, "step": np.arange(1, 7)}
        made = type("Rows", (), {"rows": 6, "__getitem__": lambda _, name: columns[name]})
        return criteria.short_steps(kept, 0, made())

    kept = SimpleNamespace(
        settings=km.AleSettings().complete(), suspects=lambda m: "; HERE",
        phase=lambda m, steady: "; so",
        suspects_beside=lambda m: "; nu~",
        grid=SimpleNamespace(ensemble=SimpleNamespace(alive=np.ones(1, bool))),
    )  # fmt: skip
    drops, met = np.full(6, 0.5), np.array([1, 1, 1, 1, 0, 1])

    before = ended(met, drops)
    assert "at worst 5.0e-01 in step 5" in before
    assert "HERE" not in before
    met[-1] = 0
    assert ended(met, drops).endswith("; HERE; so")
    drops[-1] = 0
    of_model = ended(met, drops)
    assert "in 1 of them by the model of turbulence alone; raise unsteady_iterations" in of_model
    assert of_model.endswith("; nu~; so")
