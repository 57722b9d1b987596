"""Small cases that tests of sweeps share."""

import numpy as np
from kinemesh.cases.casefile import Case

# coarse O-meshes: at the default CFL numbers the flow at the nose does not settle on them
CAREFUL = {"cfl": 5.0, "unsteady_cfl": 20.0, "cfl_max": 50.0}
TABLES = {
    "name": "small",
    "mode": "unsteady",
    "mesh": {"section": "naca0012", "nodes": 520, "far_field": 10.0},
    "flow": {"mach": 0.5},
    "motion": {"pitch": {"amplitude_deg": 2.0, "k": 0.1}},
    "deform": {"method": "rigid"},
    "run": {"cycles": 1, "steps_per_cycle": 6, "device": "cpu"},
    "solver": {"steady_drop": 0.3, "unsteady_drop": 0.1, **CAREFUL},
}
ELSEWHERE = ("seconds", "device", "host")  # what may differ between two runs of one sweep


def case(**tables):
    """The small case, with tables changed: case(run={"cycles": 2})."""
    merged = {name: {**TABLES.get(name, {}), **more} if isinstance(more, dict) else more
              for name, more in tables.items()}  # fmt: skip
    return Case.from_dict({**TABLES, **merged})


def toml(value):
    """A value as TOML has it on one line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {toml(v)}" for name, v in value.items()) + " }"
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    return f'"{value}"' if isinstance(value, str) else repr(value)


def same(one, other, but=ELSEWHERE):
    """Assert that two results have equal bits, and name the differences."""
    assert set(one.variables) == set(other.variables)
    for name in (name for name in one.variables if name not in but):
        np.testing.assert_array_equal(one[name].values, other[name].values, err_msg=name)


def assert_solo(found, run):
    """A row has the bits of a run alone."""
    loop, history, steps = run.loop(), run.history, run.loop().steps
    place = np.argsort(np.round(history.phase_deg[-steps:] * steps / 360) % steps)
    for name, column in (("angle_deg", "alpha_deg"), ("cl", "cl"), ("cd", "cd"), ("cm", "cm")):
        np.testing.assert_array_equal(found[name], history[column][-steps:][place], err_msg=name)
    assert found.cl_mean == loop.cl.mean
    assert found.cm_amplitude == loop.cm.amplitude
    assert found.cl1_phase_deg == loop.cl.harmonics[0].phase_deg
    assert found.damping == loop.damping
    assert found.work == loop.work
    assert found.cm_alpha_quadrature == loop.derivatives.cm_alpha.imag
    assert found.cycles_run == loop.cycles
    assert bool(found.converged) == run.converged
