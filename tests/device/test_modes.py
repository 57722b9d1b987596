"""Modes of fields: `in` is only read, `out` is written whole, finished members stay."""

import numpy as np
import pytest
from kinemesh.device.backend import OPTIONAL, kernels
from samples import POISON_INT, launch, place, run, sample
from world import NONE

# Kernels that write also for members that are not active, on purpose.
ALWAYS = {
    "krylov_start": "sets `live` from `active`",
    "newton_choose": "says of every member what it takes part in",
    "state_primitive": "q follows u everywhere",
    "state_primitive_3d": "q follows u everywhere",
    "state_primitive_range": "the same",
    "state_primitive_range_3d": "the same",
}
MASKED = [
    name for name, (_, rows) in kernels().items()
    if name not in ALWAYS
    and any(row[0] in ("active", "live") and row[1] in ("in", "rw") for row in rows)
]  # fmt: skip


# Kernels whose threads add to sums in the order in which they come.
UNORDERED = {
    *(name + end for end in ("", "_3d") for name in (
        "ale_loop_atomics", "values_by_faces", "values_by_cells", "slopes_by_faces",
        "slopes_by_vertices",
        "fluxes_by_faces")),
}  # fmt: skip
ADDS = {
    name for name, (_, rows) in kernels().items()
    if any(mode == "inc" and kind != "u64" for _, mode, kind, _ in rows)
}  # fmt: skip


def alike(backend, kernel):
    """Comparison of what a kernel writes: by bits, of atomic sums on a GPU up to round-off."""
    if not (backend.on_gpu and kernel in UNORDERED):
        return same_bits
    return lambda a, b: np.allclose(a, b, rtol=0, atol=20 * backend.eps * max(1, abs(a).max()))


def same_bits(a, b):
    return a.tobytes() == b.tobytes()


def bits(a):
    return np.ascontiguousarray(a).view(f"u{a.dtype.itemsize}")


@pytest.mark.parametrize("kernel", kernels())
def test_every_entry_of_an_out_field_is_written(backend, kernel):
    chosen = sample(kernel)

    there = run(backend, chosen)

    for name in chosen.of_mode("out"):
        value = there[name]
        assert np.isfinite(value).all() if value.dtype.kind == "f" else (value != POISON_INT).all()


@pytest.mark.no_sanitizer
@pytest.mark.parametrize("kernel", kernels())
def test_read_only_fields_stay_as_they_are(backend, kernel):
    chosen = sample(kernel)
    there = place(backend, chosen)
    names = chosen.of_mode("in", "near", *OPTIONAL)
    before = {name: backend.get(there[name]) for name in names}

    after = launch(backend, chosen, there)

    assert all(same_bits(before[name], after[name]) for name in names)


@pytest.mark.long
@pytest.mark.no_sanitizer
@pytest.mark.parametrize(
    "kernel", [k for k, (_, rows) in kernels().items()
               if not {"rw", "upd"} & {r[1] for r in rows} and k not in ADDS]
)  # fmt: skip
def test_a_second_call_gives_the_same_bits(backend, kernel):
    chosen = sample(kernel, large=True)
    there = place(backend, chosen)

    once = launch(backend, chosen, there)
    twice = launch(backend, chosen, there)

    assert all(same_bits(once[name], twice[name]) for name in once)


@pytest.mark.long
@pytest.mark.no_sanitizer
@pytest.mark.parametrize("kernel", kernels())
def test_result_does_not_depend_on_what_out_fields_held(backend, kernel):
    chosen = sample(kernel)
    other = dict(chosen.values)
    for name in chosen.of_mode("out"):
        other[name] = np.ones_like(other[name])

    poisoned, clean = run(backend, chosen), run(backend, chosen, other)

    same = alike(backend, kernel)
    assert all(same(poisoned[name], clean[name]) for name in chosen.written)


def solo(kernel, active):
    """The sample with only some members active, whatever the field and mode that say so."""
    chosen = sample(kernel)
    values = dict(chosen.values)
    for name in ("active", "live"):
        if name in values:
            values[name] = np.array(active, np.int32)
    return chosen, values


@pytest.mark.parametrize("kernel", MASKED)
def test_inactive_members_write_nothing(backend, kernel):
    chosen, values = solo(kernel, (0, 0))
    there = place(backend, chosen, values)
    before = {name: backend.get(there[name]) for name in chosen.written}

    after = launch(backend, chosen, there)

    assert all(same_bits(before[name], after[name]) for name in chosen.written)


@pytest.mark.parametrize("kernel", [k for k in MASKED if k not in UNORDERED])
def test_a_member_alone_gives_the_bits_it_gives_in_company(backend, kernel):
    chosen, both = solo(kernel, (1, 1))
    full = run(backend, chosen, both)
    parts = [run(backend, chosen, solo(kernel, active)[1]) for active in ((1, 0), (0, 1))]

    for name in set(chosen.written) - {"active", "live"}:
        start = place(backend, chosen, both)[name]
        start, end = bits(backend.get(start)), bits(full[name])
        changed = [bits(part[name]) != start for part in parts]
        assert not (changed[0] & changed[1]).any()
        merged = np.where(changed[0], bits(parts[0][name]), bits(parts[1][name]))
        assert (merged == end).all()


def test_first_fault_wins_whatever_the_order(backend):
    chosen = sample("state_primitive", large=True)
    values = dict(chosen.values)
    u = values["u"].copy()
    half = len(u) // 2
    u[half - 3, 0] = np.nan  # density of member 0, the first of its codes
    u[7, 3] = -1  # pressure of member 0
    u[[half + 9, half + 5, len(u) - 1], 3] = -1  # pressure of member 1, at three nodes
    values["u"] = u

    faults = run(backend, chosen, values)["faults"]

    density, pressure = 2, 3
    assert faults.tolist() == [density << 32 | half - 3, pressure << 32 | half + 5]


def test_a_fault_is_kept_until_it_is_cleared(backend):
    chosen = sample("state_primitive")
    values = dict(chosen.values)
    u = values["u"].copy()
    u[2, 0] = -1
    values["u"] = u
    there = place(backend, chosen, values)
    launch(backend, chosen, there)

    backend.put(there["u"], chosen.values["u"])
    kept = launch(backend, chosen, there)["faults"]
    backend.put(there["faults"], np.full(2, NONE))
    cleared = launch(backend, chosen, there)["faults"]

    assert kept.tolist() == [2 << 32 | 2, NONE]
    assert (cleared == NONE).all()


@pytest.mark.parametrize(
    ("kernel", "first", "empty"),
    [("gather_sum_4", [3, -12, 5, 1], 0), ("gather_max_2", [2, -5], -1e300)],
)
def test_an_empty_group_gives_the_neutral_element(backend, kernel, first, empty):
    n = len(first)
    parts = np.array([[1.0, -5, 5, 2], [2, -7, 0, -1], [4, 8, 3, 9]])[:, :n]
    there = {
        "offsets": backend.array([0, 2, 2, 3], "int32"),
        "parts": backend.array(parts, "float64"),
        "sums": backend.array(np.full((3, n), np.nan), "float64"),
    }

    backend.bind(kernel, **there)()

    assert backend.get(there["sums"]).tolist() == [first, [empty] * n, parts[2].tolist()]


def test_counts_are_summed_by_group(backend):
    counts = np.random.default_rng(0).integers(0, 9, 1000).astype("int32")
    sums = backend.array(np.full((3, 1), np.nan), "float64")
    offsets = backend.array([0, 700, 700, 1000], "int32")

    backend.bind(
        "gather_counts", offsets=offsets, counts=backend.array(counts, "int32"), sums=sums
    )()

    assert backend.get(sums).ravel().tolist() == [counts[:700].sum(), 0, counts[700:].sum()]
