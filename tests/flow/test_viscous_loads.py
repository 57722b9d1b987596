"""Loads on walls that a viscous gas sticks to: balance of momentum, change of frame."""

import kinemesh as km
import numpy as np
import pytest
from solver_cases import on_devices
from viscous_cases import SOLVERS, on_solvers

pytestmark = pytest.mark.flow

MESH = km.mesh.cylinder(600, far_field=8.0, around=32)
MODELS = {
    "laminar": {},
    "warm wall": {"viscosity": km.Viscosity(wall=1.2)},
    "turbulent": {"turbulence": "sa"},
}
on_models = pytest.mark.parametrize("model", MODELS)


def cylinder(solver, model, settings, device="cpu", **changes):
    told = {"mach": 0.4, "reynolds": 40.0, "moment_about": (0.1, 0.2), "device": device}
    if model != "turbulent":
        settings = {name: own for name, own in settings.items() if "turbulence" not in name}
    made, settings_type = SOLVERS[solver]
    return made(MESH, settings=settings_type(**settings), **(told | MODELS[model] | changes))


@on_devices
@on_models
@on_solvers
def test_the_reaction_of_the_wall_is_what_the_far_field_leaves(solver, model, device):
    """Force on the wall = - momentum through the far field, to what the residual has left."""
    drops = {"steady_drop": 1e-10, "turbulence_drop": 1e-10}
    case = cylinder(solver, model, drops, device, alpha_deg=10.0)
    result = case.steady().summary["result"]
    b, get, far = case.backend, case.backend.get, case.grid.patches["far"]

    left = b.zeros((case.grid.nodes, 4))
    b.put(case.dualtime.active, 1)
    case.fields.also(**far.device).bind("bc_farfield", res=left, strength=None)()
    through = get(left).sum(axis=0)
    reaction = get(case.grid.wall.device["reaction"]).sum(axis=0)

    size = np.abs(get(left)[:, 1:3]).sum()
    assert result["converged"]
    assert np.abs(reaction + through[1:3]).max() <= 1e-10 * size
    # the loads are the same less those of p_inf S, which a closed wall has none of
    c, s = np.cos(np.radians(10.0)), np.sin(np.radians(10.0))
    cd, cl = (reaction @ along / (0.5 * 0.4**2) for along in ((c, s), (-s, c)))
    assert [result["cd"], result["cl"]] == pytest.approx([cd, cl], abs=1e-10)
    assert result["cd"] > 1.5


@pytest.mark.long
@on_devices
@on_models
@on_solvers
@pytest.mark.parametrize("low_mach", [True, False], ids=["low-mach", "plain"])
@pytest.mark.filterwarnings("ignore:body cylinder of member 0 moves at once:RuntimeWarning")
def test_loads_are_those_of_any_frame(solver, model, low_mach, device):
    """At rest in a stream of Mach 0.3; half of it by the body, upstream through the other half.

    The stream's own numbers change with it: Re = M L / mu, loads by M^2 / 2.
    """
    drops = {"unsteady_drop": 1e-10, "unsteady_turbulence_drop": 1e-10}
    tight = {"low_mach": low_mach, "unsteady_iterations": 400, **drops}
    upstream = {"mach": 0.15, "reynolds": 20.0, "motion": km.motion.translate((-1.0, 0.0))}

    rest, moving = (
        cylinder(
            solver, model, tight, device, **({"mach": 0.3, "deform": km.deform.Rigid()} | more)
        )
        .run(time_step=0.5, steps=8, start="as is")
        .history
        for more in ({}, upstream)
    )

    assert rest.converged.all()
    assert moving.converged.all()
    assert moving.shift_x[-1] == pytest.approx(-0.15 * 4.0, rel=1e-12)
    for name in ("cl", "cd", "cm"):
        assert rest[name] == pytest.approx(moving[name] / 4, abs=1e-9 * rest.cd.max()), name
