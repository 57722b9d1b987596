"""Sums and maxima over members in one kernel: what the group that ends last makes of the others."""

import numpy as np
import pytest
from kinemesh.device.backend import kernels

pytestmark = pytest.mark.sanitize

GROUPS = (1, 300, 7, 1200)  # of each member
SCALARS = {"drop": 1e-4, "cfl_first": 5.0, "cfl_last": 1e4, "cfl_growth": 1.5, "stall": 1e300}
SCALARS["most"] = 99
WIDTH = {"residual_check": 4, "residual_check_3d": 5}


def members_of_many_groups(backend, variables, active, seed=1):
    """Whole numbers as residuals, whose squares add up exactly in any order; groups of 0 to 600."""
    rng, members = np.random.default_rng(seed), len(GROUPS)
    groups = np.concatenate([[0], np.cumsum(GROUPS)])
    sizes = rng.integers(0, 600, groups[-1])
    sizes[groups[:-1]] += 1
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    res = rng.integers(-9, 10, (offsets[-1], variables)).astype(float)
    tables = {
        "offsets": offsets,
        "owner": np.repeat(np.arange(members), GROUPS),
        "groups": groups,
        "ended": np.zeros(members),
        "active": active,
        "iterations": np.zeros(members),
    }
    there = {name: backend.array(table, "int32") for name, table in tables.items()}
    for name in ("floor", "first", "base", "norm", "mean", "ceiling", "cfl"):
        there[name] = backend.array(np.full(members, -1.0), "float64")
    there["faults"] = backend.array(np.full(members, 2**64 - 1, np.uint64), "uint64")
    there |= {"res": backend.array(res, "real"), "parts": backend.zeros((groups[-1], 1), "float64")}
    there |= {"noise": None, "busy": None, "hold": None}
    squares = np.add.reduceat((res**2).sum(axis=1), offsets[groups[:-1]])
    return there, np.sqrt(squares)


@pytest.mark.parametrize("kernel", WIDTH)
def test_each_member_has_the_sum_of_its_groups(backend, kernel):
    there, norms = members_of_many_groups(backend, WIDTH[kernel], (1, 1, 1, 1))
    check = backend.bind(kernel, **there, **SCALARS)

    for again in range(20):  # other threads end last each time
        check()
        assert backend.get(there["norm"]).tolist() == norms.tolist()
        assert backend.get(there["ended"]).tolist() == [0, 0, 0, 0]
        assert backend.get(there["iterations"]).tolist() == [1 + again] * 4


@pytest.mark.parametrize("kernel", WIDTH)
def test_members_that_are_done_are_not_looked_at(backend, kernel):
    there, norms = members_of_many_groups(backend, WIDTH[kernel], (1, 0, 0, 1))

    backend.bind(kernel, **there, **SCALARS)()

    assert backend.get(there["norm"]).tolist() == [norms[0], -1, -1, norms[3]]
    parts = backend.get(there["parts"])[:, 0]
    assert (parts[GROUPS[0] : sum(GROUPS[:3])] == 0).all()


@pytest.mark.parametrize("kernel", [*WIDTH, "residual_base", "residual_base_3d"])
def test_nodes_at_round_off_count_for_nothing(backend, kernel):
    name = kernel.replace("base", "check")
    there, _ = members_of_many_groups(backend, WIDTH[name], (1, 1, 1, 1))
    offsets, groups = (backend.get(there[name]) for name in ("offsets", "groups"))
    squares = (backend.get(there["res"]).astype(float) ** 2).sum(axis=1)
    # whole numbers: the norm of half of the nodes, and less than it by next to nothing
    limit = np.where(np.arange(len(squares)) % 2, np.sqrt(squares) * (1 + 1e-6), 0.0)
    counted = np.where(np.arange(len(squares)) % 2, 0.0, squares)
    there["noise"] = backend.array(limit, "real")
    names = [row[0] for row in kernels()[kernel][1]]

    backend.bind(kernel, **{name: (there | SCALARS)[name] for name in names})()

    found = backend.get(there["norm" if "norm" in names else "base"])
    sums = np.add.reduceat(counted, offsets[groups[:-1]])
    assert found.tolist() == np.sqrt(sums).tolist()


def test_a_member_that_stops_in_a_total_has_all_of_its_groups(backend):
    there, norms = members_of_many_groups(backend, 4, (1, 1, 1, 1))

    backend.bind("residual_check", **there, **SCALARS | {"drop": 1.0})()

    assert backend.get(there["norm"]).tolist() == norms.tolist()
    assert backend.get(there["active"]).tolist() == [0, 0, 0, 0]


def test_totals_are_told_their_tables():
    for kernel in (*WIDTH, "state_primitive_range", "state_primitive_range_3d"):
        names = [row[0] for row in kernels()[kernel][1]]
        assert {"offsets", "owner", "groups", "ended", "parts"} <= set(names)


@pytest.mark.parametrize("dimensions", [2, 3])
def test_each_member_has_the_range_of_its_nodes(backend, dimensions):
    rng, d, members = np.random.default_rng(3), dimensions, len(GROUPS)
    there, _ = members_of_many_groups(backend, d + 2, (1, 0, 1, 1))
    offsets, groups = (backend.get(there[name]) for name in ("offsets", "groups"))
    nodes = offsets[-1]
    q = rng.uniform(0.5, 1.5, (nodes, d + 2)).astype(np.float32).astype(float)
    energy = q[:, -1] / 0.4 + 0.5 * q[:, 0] * (q[:, 1:-1] ** 2).sum(axis=1)
    u = np.column_stack([q[:, 0], q[:, :1] * q[:, 1:-1], energy])
    first = offsets[groups]
    real = {"u": u, "q": np.zeros_like(q)}
    if d == 3:
        real |= {"plane": np.zeros((members, 3)), "velocity": np.zeros((nodes, 3))}
    fields = {name: backend.array(array, "real") for name, array in real.items()}
    for name in ("offsets", "owner", "groups", "ended", "active", "faults"):
        fields[name] = there[name]
    fields["member"] = backend.array(np.repeat(np.arange(members), np.diff(first)), "int32")
    if d == 3:
        fields["on_plane"] = backend.array(np.zeros(nodes), "int32")
    for name, rows in (("parts", groups[-1]), ("range", members)):
        fields[name] = backend.zeros((rows, 5), "float64")
    stream = rng.uniform(0.5, 1.5, (members, d + 2))
    fields["stream"] = backend.array(stream, np.float64)

    backend.bind("state_primitive_range" + "_3d" * (d == 3), **fields)()

    found = backend.get(fields["q"]).astype(float)
    density, pressure = found[:, 0], found[:, -1]
    speed = found[:, 1:-1] - stream[backend.get(fields["member"])][:, 1:-1]
    ends = np.column_stack([density, -density, pressure, -pressure, (speed**2).sum(axis=1)])
    expected = np.maximum.reduceat(ends, first[:-1])
    assert (backend.get(fields["range"])[:, :4] == expected[:, :4]).all()
    assert backend.get(fields["range"])[:, 4] == pytest.approx(expected[:, 4], rel=1e-14)
    assert np.abs(found - q).max() < 1e-5
