"""Loads of bodies whose walls share nodes: each has its share, and their sum is that of one."""

import kinemesh as km
import numpy as np
import pytest
from solver_cases import on_devices

ONE = km.mesh.cylinder(400, far_field=6.0, around=24)
RIM = ONE.boundaries["cylinder"]
ABOVE = ONE.points[RIM].mean(axis=1)[:, 1] > 0
TWO = km.Mesh(
    ONE.points, ONE.triangles, ONE.quads,
    {"upper": RIM[ABOVE], "lower": RIM[~ABOVE], "farfield": ONE.boundaries["farfield"]},
)  # fmt: skip
MACH, P = 0.3, 1 / 1.4
SA = {"turbulence": "sa"}
KINDS = {
    "ale": lambda mesh, **told: km.Ale(mesh, mach=MACH, **told),
    "laminar": lambda mesh, **told: km.Ale(mesh, mach=MACH, reynolds=40.0, **told),
    "turbulent": lambda mesh, **told: km.Ale(mesh, mach=MACH, reynolds=4e3, **SA, **told),
    "cells": lambda mesh, **told: km.CellCentred(mesh, mach=MACH, **told),
    "meshless": lambda mesh, **told: km.Meshless(km.Cloud.from_mesh(mesh), mach=MACH, **told),
    "incompressible": lambda mesh, **told: km.Incompressible(mesh, reynolds=40.0, **told),
}
on_kinds = pytest.mark.parametrize("kind", KINDS)
pytestmark = pytest.mark.filterwarnings(
    "ignore:.*triangles too thin:RuntimeWarning",
    "ignore:.*y\\+ of about:RuntimeWarning",
    "ignore:.*not resolved:RuntimeWarning",
)


def case(kind, mesh, device="cpu", **told):
    return KINDS[kind](mesh, moment_about=(0.2, 0.1), device=device, **told)


def uneven(made):
    """Flow whose pressure and velocity change along the walls."""
    x, y = made.grid.points.T
    if isinstance(made, km.Incompressible):
        return np.stack([1 + 0.2 * y, 0.1 * x], axis=1), 0.3 * x + 0.2 * y
    p = P * (1 + 0.1 * np.sin(x) + 0.05 * y)
    return (np.stack([1 + 0.1 * x, 0.3 + 0.02 * y, 0.01 * x, p], axis=1),)


@on_devices
@on_kinds
def test_bodies_with_nodes_in_common_have_the_loads_of_one_body_together(kind, device):
    one, two = (case(kind, mesh, device, alpha_deg=4.0) for mesh in (ONE, TWO))
    for made in (one, two):
        made.initialise(*uneven(made))

    (whole,), (each,) = one.body_coefficients(), two.body_coefficients()

    for name, value in whole["cylinder"].items():
        assert each["upper"][name] + each["lower"][name] == pytest.approx(value, abs=1e-11)
    assert two.coefficients() == pytest.approx(one.coefficients(), abs=1e-11)


@pytest.mark.parametrize("kind", ["ale", "meshless"])
def test_pressures_at_a_common_node_act_on_the_half_edge_of_each_body(kind):
    two = case(kind, TWO)
    two.initialise(*uneven(two))
    (each,) = two.body_coefficients()
    x, p = two.grid.points, two.primitive()[:, 3] - P

    for marker, edges in two.grid.meshes[0].boundaries.items():
        if marker not in each:
            continue
        (a, b) = edges.T
        dx, dy = (x[b] - x[a]).T
        for at in (a, b):
            fx, fy = 0.5 * p[at] * dy, -0.5 * p[at] * dx
            arm = x[at] - [0.2, 0.1]
            moment = arm[:, 1] * fx - arm[:, 0] * fy
            for name, own in (("cd", fx), ("cl", fy), ("cm", moment)):
                each[marker][name] -= own.sum() / (0.5 * MACH**2)
        assert np.abs(list(each[marker].values())).max() < 1e-12


@pytest.mark.parametrize("kind", ["laminar", "turbulent", "incompressible"])
def test_friction_at_a_common_node_is_shared_by_the_length_of_its_edges(kind):
    two = case(kind, TWO)
    two.initialise()  # a stream that is the same above and below

    (each,) = two.body_coefficients()

    assert each["upper"]["cd"] > 0.1
    # of incompressible flow to its pressure's linear system: 2e-8 measured
    assert each["upper"]["cd"] == pytest.approx(each["lower"]["cd"], rel=1e-6)
    assert each["upper"]["cl"] == pytest.approx(-each["lower"]["cl"], abs=1e-6)
