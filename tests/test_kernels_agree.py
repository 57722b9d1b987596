"""Every kernel gives the same numbers on the host and on CUDA, in float64 and in float32."""

from functools import cache

import numpy as np
import pytest
from kinemesh.backend import Backend, kernels
from samples import parse, sample
from samples import run as run_packed
from world import unpacked

VARIANTS = {"small": (False, (1, 1)), "masked": (False, (1, 0)), "large": (True, (1, 1))}
# What rounding may do: as much as a few roundings of the inputs, or a few of the result.  The
# effect of the inputs' is measured, not guessed: the kernel runs in float64 on inputs wrong by
# one rounding of their own type (a random sign each, several times).  A kernel rounds its
# intermediate results, too, hence the factor; float32 on an x86 CPU uses a third of it.
ROUNDINGS = 8
TRIALS = 4


# Shares of a number that its last bit is in a record (csrc/kernels/cloud_lusgs.h).
LAST = {"record": 2.0**-31, "waves": 2.0**-8}


def run(backend, chosen, values=None):
    """Arrays that the kernel has written, records as the numbers and waves that they hold."""
    there = run_packed(backend, chosen, values)
    found = {name: there[name] for name in chosen.written}
    if "record" in found:
        found["record"], found["waves"] = unpacked(found["record"])
    return found


def nudged(chosen, eps, rng):
    """The sample with every floating-point number wrong by one rounding of its type."""
    values = dict(chosen.values)
    for name, _, kind, _ in chosen.rows:
        if kind in ("real", "f64"):
            one = eps if kind == "real" else np.finfo(float).eps
            values[name] = values[name] * (
                1 + one * rng.choice([-1.0, 1.0], np.shape(values[name]))
            )
    return values


@cache
def reference(kernel, variant, eps):
    """Result on the host in float64, and how far a result in precision eps may be from it."""
    host, chosen = Backend("cpu", "float64"), sample(kernel, *VARIANTS[variant])
    exact, rng = run(host, chosen), np.random.default_rng(3)
    bound = {}
    for name in exact:
        one = max(eps, LAST.get(name, 0.0))
        bound[name] = ROUNDINGS * one * np.nanmax(np.abs(exact[name]), initial=0.0)
    for _ in range(TRIALS):
        there = run(host, chosen, nudged(chosen, eps, rng))
        for name in bound:
            if exact[name].dtype.kind == "f":
                change = np.nanmax(np.abs(there[name] - exact[name]), initial=0.0)
                bound[name] = max(bound[name], ROUNDINGS * change)
    return exact, bound


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("kernel", kernels())
def test_kernel_agrees_with_the_host_in_float64(backend, kernel, variant):
    chosen = sample(kernel, *VARIANTS[variant])
    real = any(kind == "real" for _, _, kind, _ in chosen.rows)
    eps = backend.eps if real else np.finfo(float).eps

    exact, bound = reference(kernel, variant, eps)
    here = run(backend, chosen)

    for name in exact:
        if exact[name].dtype.kind != "f":
            assert (here[name] == exact[name]).all(), name
            continue
        assert (np.isnan(here[name]) == np.isnan(exact[name])).all(), name
        error = np.nanmax(np.abs(here[name].astype(float) - exact[name]), initial=0.0)
        assert error <= bound[name], f"{name}: {error:.2e}, allowed {bound[name]:.2e}"


@pytest.mark.parametrize("kernel", kernels())
def test_sample_says_something(kernel):
    chosen = sample(kernel)
    there = run_packed(Backend("cpu", "float64"), chosen)

    # a kernel with nothing but faults to write is silent on a valid input
    others = [name for name in chosen.written if name != "faults"]
    changed = [not np.array_equal(there[n], chosen.values[n], equal_nan=True) for n in others
               if there[n].dtype.kind == "f"] + [
               not np.array_equal(there[n], chosen.values[n]) for n in others
               if there[n].dtype.kind != "f"]  # fmt: skip
    assert any(changed) or not others


@pytest.mark.parametrize("kernel", kernels())
def test_every_set_of_a_kernel_is_fixed_by_one_of_its_arrays(kernel):
    over, rows = kernels()[kernel]
    shapes = [parse(shape) for _, mode, _, shape in rows if mode not in ("val", "size", "opt")]
    fixed = {axis for axes, _, _ in shapes for axis, _ in axes if isinstance(axis, str)}
    asked = {target for _, target, _ in shapes if target} | {over}
    asked |= {shape for _, mode, _, shape in rows if mode == "size"}

    assert asked <= fixed
