"""Passive quantities of a gas: physics with a fifth variable in the plane, after the pressure."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

CSRC = Path(__file__).parents[2] / "csrc"
PROGRAM = """
#include "core/kernel.h"
#include "physics/number.h"
#include "physics/damping.h"
#define DIM 2
#include "kernels/numbers.h"
#undef NV
#define NV 5
#include "physics/vector.h"
#include "physics/gas.h"
#include "physics/riemann.h"
#include "physics/wall.h"
#include <stdio.h>
static void row(const char *name, const real *a)
{
  printf("%s", name);
  for (i32 k = 0; k < NV; k++) printf(" %.17g", (double)a[k]);
  printf("\\n");
}
int main(void)
{
  const real l[] = {1.1, 0.4, -0.2, 0.8, 3}, r[] = {0.9, 0.3, 0.1, 0.6, 2};
  const real S[] = {0.6, 0.8}, w = RATE;
  const real du[] = {0.02, -0.01, 0.03, 0.04, 0.05}, still[] = {0.1, 0.2}, unit[] = {0.6, 0.8};
  const f64 z[] = {0.4, 2.5}, one[] = {1, 1};
  real u[NV], q[NV], a[NV], b[NV], to[NV], e = R(1e-6);
  N(gas_conserved)(l, u), row("u", u);
  N(gas_primitive)(u, q), row("q", q);
  N(gas_conserved_change)(l, du, a), row("change", a);
  N(gas_pressure_row)(l, a), row("pressure", a);
  N(gas_flux)(l, S, w, a), row("flux", a);
  N(flux_roe)(l, r, S, w, damping_of(0.1, one), a), row("roe", a);
  N(flux_hllc)(l, r, S, w, damping_of(0.1, one), a), row("hllc", a);
  N(flux_hllc)(l, r, S, w, damping_of(0.1, z), a), row("hllc_low_mach", a);
  N(wall_flux)(l, still, unit, S, 1, a), row("wall", a);
  N(gas_jacobian_apply)(l, S, w, du, a), row("apply", a);
  for (i32 k = 0; k < NV; k++) to[k] = u[k] + e * du[k];
  N(gas_primitive)(to, q), N(gas_flux)(q, S, w, a);
  for (i32 k = 0; k < NV; k++) to[k] = u[k] - e * du[k];
  N(gas_primitive)(to, q), N(gas_flux)(q, S, w, b);
  for (i32 k = 0; k < NV; k++) a[k] = (a[k] - b[k]) / (2 * e);
  row("difference", a);
  for (i32 k = 0; k < NV; k++) a[k] = 0;
  for (i32 j = 0; j < NV; j++) {
    N(gas_jacobian)(l, S, w, j, b);
    for (i32 k = 0; k < NV; k++) a[k] += b[k] * du[j];
  }
  row("columns", a);
  for (i32 k = 0; k < NV; k++) a[k] = 0;
  N(low_mach_pace)(l, R(2.5), 1, 0, a), row("pace", a);
  for (i32 k = 0; k < NV; k++) to[k] = du[k];
  N(wall_row)(l, unit, R(0.5), 4, to), row("wall_row", to);
  return 0;
}
"""

pytestmark = [
    pytest.mark.no_sanitizer,
    pytest.mark.skipif(not (CSRC.is_dir() and shutil.which("gcc")), reason="needs gcc and csrc"),
]


@pytest.fixture(scope="module")
def values(tmp_path_factory):
    """A function: numbers by name, of five variables, for the swept rate of the face."""

    def found(rate):
        folder = tmp_path_factory.mktemp("five")
        source, program = folder / "five.c", folder / "five"
        source.write_text(PROGRAM)
        flags = ["-std=c11", "-O1", "-fopenmp", "-w", f"-I{CSRC}", f"-DRATE={rate}"]
        command = ["gcc", *flags, "-o", str(program), str(source), "-lm"]
        subprocess.run(command, check=True)
        told = subprocess.run([program], check=True, capture_output=True, text=True).stdout
        lines = [line.split() for line in told.splitlines()]
        return {name: np.array(numbers, float) for name, *numbers in lines}

    return found


def test_conversions_carry_the_passive_variable(values):
    of = values(0.05)

    assert of["u"][4] == pytest.approx(1.1 * 3, rel=1e-15)
    assert of["q"] == pytest.approx([1.1, 0.4, -0.2, 0.8, 3], rel=1e-14)
    assert of["change"][4] == pytest.approx(3 * 0.02 + 1.1 * 0.05, rel=1e-14)
    assert of["pressure"][4] == 0


@pytest.mark.long
@pytest.mark.parametrize("flux", ["roe", "hllc", "hllc_low_mach"])
@pytest.mark.parametrize(("rate", "upwind"), [(0.05, 3), (0.5, 2), (-2.0, 3), (2.0, 2)])
def test_a_passive_variable_goes_with_the_mass_of_the_upwind_side(values, flux, rate, upwind):
    of = values(rate)
    mass, carried = of[flux][0], of[flux][4]

    assert mass > 0 if upwind == 3 else mass < 0
    assert carried == pytest.approx(mass * upwind, rel=1e-13)


def test_the_jacobian_of_the_passive_flux_is_that_of_differences(values):
    of = values(0.05)

    assert of["flux"][4] == pytest.approx(3 * of["flux"][0], rel=1e-14)
    assert of["columns"] == pytest.approx(of["apply"], rel=1e-13)
    assert of["apply"] == pytest.approx(of["difference"], rel=1e-7)  # O(e^2) and rounding over e


def test_a_wall_and_preconditioning_do_not_change_what_is_carried(values):
    """A passive quantity whose share of u is the density's keeps that share."""
    of = values(0.05)

    assert of["wall"][4] == 0
    assert of["pace"][4] == pytest.approx(3 * of["pace"][0], rel=1e-14)
    by_wall = of["wall_row"] - np.array([0.02, -0.01, 0.03, 0.04, 0.05]) / 4
    assert by_wall[4] == pytest.approx(3 * by_wall[0], rel=1e-12)
