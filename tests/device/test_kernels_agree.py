"""Every kernel gives the same numbers on the host and on CUDA, in float64 and in float32."""

from dataclasses import replace

import numpy as np
import pytest
from conftest import BACKENDS, on_cuda, open_backend
from kinemesh.device.backend import OPTIONAL, Backend, kernels
from samples import bare, parse, sample
from samples import run as run_packed
from world import unpacked


@pytest.fixture(scope="module", params=on_cuda(*(name for name in BACKENDS if name != "host-f64")))
def other(request):
    """Every device and precision but that which they are compared with."""
    return open_backend(request.param)


VARIANTS = {"small": (False, (1, 1)), "masked": (False, (1, 0)), "large": (True, (1, 1))}
# What rounding may do: as much as a few roundings of the inputs, or a few of the result.  The
# effect of the inputs' is measured, not guessed: the kernel runs in float64 on inputs wrong by
# one rounding of their own type (a random sign each, several times).  A kernel rounds its
# intermediate results, too, hence the factor; float32 on an x86 CPU uses a third of it.
ROUNDINGS = 8
TRIALS = 4


# Shares of a number that its last bit is in a record (csrc/kernels/cloud/record.h).
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
        if kind in ("real", "f64") and values[name] is not None:
            one = eps if kind == "real" else np.finfo(float).eps
            values[name] = values[name] * (
                1 + one * rng.choice([-1.0, 1.0], np.shape(values[name]))
            )
    return values


def few(chosen):
    """The sample with five points and two, one, none, three and all of their satellites."""
    values = dict(chosen.values)
    offsets, count = values["offsets"], np.diff(values["offsets"])
    count[:4] = np.minimum(count[:4], [2, 1, 0, 3])
    keep = np.arange(len(values["neighbour"])) - np.repeat(offsets[:-1], np.diff(offsets))
    values["neighbour"] = values["neighbour"][keep < np.repeat(count, np.diff(offsets))]
    values["offsets"] = np.concatenate([[0], np.cumsum(count)]).astype(np.int32)
    return replace(chosen, values=values)


def rounding_of_sums(chosen):
    """Share of a sum that the order of its terms may change: a rounding a term, of random signs.

    Sums are of float64.  Those of float32 fields have no inputs to be wrong by one rounding of
    float64, and the host adds thousands of terms one after another, a GPU in 256 sums side by side.
    """
    if "offsets" not in chosen.values or not {"parts", "sums"} & set(chosen.values):
        return 0.0
    groups = chosen.values["offsets"]
    widths = [v.size / len(v) for v in chosen.values.values()
              if isinstance(v, np.ndarray) and len(v) == groups[-1]]  # fmt: skip
    return np.finfo(float).eps * np.sqrt(np.diff(groups).max() * max(widths, default=1))


def compared(backend, chosen):
    """Check what the kernel writes against the host in float64, as far as roundings may be."""
    real = any(kind == "real" for _, _, kind, _ in chosen.rows)
    eps = backend.eps if real else np.finfo(float).eps
    host, rng = Backend("cpu", "float64"), np.random.default_rng(3)
    exact, here = run(host, chosen), run(backend, chosen)
    trials = [run(host, chosen, nudged(chosen, eps, rng)) for _ in range(TRIALS)]
    of_sums = rounding_of_sums(chosen)

    for name, array in exact.items():
        if array.dtype.kind != "f":
            assert (here[name] == array).all(), name
            continue
        assert (np.isnan(here[name]) == np.isnan(array)).all(), name
        stored = np.finfo(here[name].dtype).eps  # of float32 fields of kernels without "real"
        one = max(eps, stored, LAST.get(name, 0.0))
        change = [np.nanmax(np.abs(there[name] - array), initial=0.0) for there in trials]
        size = np.nanmax(np.abs(array), initial=0.0)
        bound = max(ROUNDINGS * max(one * size, *change), of_sums * size)
        error = np.nanmax(np.abs(here[name].astype(float) - array), initial=0.0)
        assert error <= bound, f"{name}: {error:.2e}, allowed {bound:.2e}"


@pytest.mark.long
@pytest.mark.parametrize("variant", [
    *(pytest.param(name, marks=pytest.mark.sanitize) for name in ("small", "masked")), "large"],
)  # fmt: skip
@pytest.mark.parametrize("kernel", kernels())
def test_kernel_agrees_with_the_host_in_float64(other, kernel, variant):
    compared(other, sample(kernel, *VARIANTS[variant]))


@pytest.mark.sanitize
@pytest.mark.parametrize(
    "kernel", [k for k, (_, rows) in kernels().items() if any(row[1] in OPTIONAL for row in rows)]
)
def test_kernel_agrees_without_its_optional_fields(other, kernel):
    compared(other, bare(sample(kernel)))


@pytest.mark.sanitize
@pytest.mark.parametrize("kernel", ["cloud_roe", "cloud_roe_van_leer"])
@pytest.mark.parametrize("dimension", ["", "_3d"])
def test_lanes_of_points_with_few_satellites_wait_for_each_other(other, kernel, dimension):
    compared(other, few(sample(kernel + dimension)))


@pytest.mark.long
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


@pytest.mark.long
@pytest.mark.parametrize("kernel", kernels())
def test_every_set_of_a_kernel_is_fixed_by_one_of_its_arrays(kernel):
    over, rows = kernels()[kernel]
    shapes = [parse(shape) for _, mode, _, shape in rows if mode not in ("val", "size", *OPTIONAL)]
    fixed = {axis for axes, _, _ in shapes for axis, _ in axes if isinstance(axis, str)}
    asked = {target for _, target, _ in shapes if target} | {over}
    asked |= {shape for _, mode, _, shape in rows if mode == "size"}

    assert asked <= fixed
