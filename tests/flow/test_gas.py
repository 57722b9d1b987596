"""The perfect gas of Python and of the kernels: one gamma, and relations against closed forms."""

import ast
from pathlib import Path

import exact_gas
import kinemesh
import numpy as np
import pytest
from kinemesh import gas
from kinemesh._core import GAMMA

PACKAGE = Path(kinemesh.__file__).parent
ROUND = 4 * np.finfo(float).eps  # a few operations, each rounded once


def test_gamma_of_the_kernels_is_that_of_air_to_the_last_bit():
    assert gas.GAMMA == GAMMA == exact_gas.GAMMA


@pytest.mark.long
@pytest.mark.no_sanitizer
def test_gamma_stands_in_no_module_of_python():
    """A number 1.4 in the package would be a second gamma."""
    found = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and node.value == exact_gas.GAMMA
    ]

    assert found == []


@pytest.mark.parametrize("dimensions", [2, 3])
def test_a_stream_has_its_mach_number_and_no_pressure_coefficient(dimensions):
    rho, *velocity, p = gas.free_stream([0.5, 2.0], [0.0, 30.0], dimensions).T

    assert gas.mach_number(rho, velocity, p) == pytest.approx([0.5, 2.0], rel=ROUND)
    assert (gas.pressure_coefficient(p, 0.5) == 0).all()
    assert velocity[-1][1] / velocity[0][1] == pytest.approx(np.tan(np.pi / 6), rel=ROUND)
    assert dimensions == 2 or not velocity[1].any()


def test_the_pressure_coefficient_at_rest_is_that_of_isentropic_flow():
    """At Mach 1 the pressure at rest is (1 + 1/5)^(7/2) of the stream's."""
    at_rest = 1.2**3.5

    cp = gas.pressure_coefficient(at_rest / GAMMA, 1.0)

    assert cp == pytest.approx((at_rest - 1) / 0.7, rel=8 * ROUND)  # a difference of like numbers


def test_conserved_states_are_those_of_the_closed_form():
    q = np.random.default_rng(3).uniform((0.5, -1.2, -0.8, 0.4), (1.5, 1.2, 0.8, 1.2), (20, 4))

    assert gas.conserved(q) == pytest.approx(exact_gas.conserved(q), rel=ROUND)
