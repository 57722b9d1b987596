"""Levels of a scalar matrix: what a row gives, however many lanes share it."""

import numpy as np
import pytest
import scipy.sparse as sp
from kinemesh.linear.multigrid import THREADS, lanes

pytestmark = pytest.mark.sanitize

WIDE = 20  # entries of renewed rows
ROWS, LIVES = 300, 200  # rows from the second on are of a member that has ended
LANES = (1, 2, 4, 8)
RENEWED = ("keep", "slot", "many", "columns", "values")
HOLES = dict.fromkeys(("step", "residual", "prolong"), RENEWED)


@pytest.fixture(scope="module")
def level():
    """A (rows, rows) whose rows have 0 to 150 entries, float32."""
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 151, ROWS)
    columns = [np.sort(rng.choice(ROWS, k, replace=False)) for k in counts]
    row = np.concatenate([[0], np.cumsum(counts)])
    data = rng.normal(size=row[-1]).astype(np.float32)
    return sp.csr_matrix((data, np.concatenate(columns), row), shape=(ROWS, ROWS))


def bound(backend, level, kernel, count, **fields):
    """Results of a kernel with so many lanes, of rows of two members: one lives, one has ended."""
    table = backend.table
    kinds = {name: np.int32 for name in ("slot", "many", "columns")}
    b = {name: backend.array(v, kinds.get(name, np.float32)) for name, v in fields.items()}
    there = {
        "member": table(np.arange(ROWS) >= LIVES, np.int32),
        "live": table([1, 0], np.int32),
        "like": table(np.arange(ROWS), np.int32),
        "first": table([0, 0], np.int32),
        "row": table(level.indptr, np.int32),
        "column": table(level.indices, np.int32),
    }
    more = {"step": {"c1": 0.3, "c2": 0.7}}.get(kernel, {})
    more |= {name: None for name in HOLES.get(kernel, ()) if name not in fields}
    if kernel in HOLES:
        more["wide"] = WIDE
    made = backend.bind(f"level_{kernel}_{count}", suffix="f32", **there, **b, **more)
    made()
    return {name: backend.get(array)[:, 0] for name, array in b.items() if len(array.shape) == 2}


def renewed_rows(level):
    """Every third row anew, in other slots than their order; and the matrix with them."""
    rng, rows = np.random.default_rng(3), np.arange(0, ROWS, 3)
    slots = rng.permutation(len(rows))
    many = rng.integers(0, WIDE + 1, len(rows))
    columns = rng.integers(0, ROWS, (len(rows), WIDE))
    values = rng.normal(size=(len(rows), WIDE)).astype(np.float32)
    slot = np.full(ROWS, -1)
    slot[rows] = slots
    new = level.astype(np.float64).toarray()
    new[rows] = 0
    for row, at in zip(rows, slots, strict=True):
        np.add.at(new[row], columns[at, : many[at]], values[at, : many[at]].astype(float))
    return {"slot": slot, "many": many, "columns": columns, "values": values}, new


def columns_of(*names):
    rng = np.random.default_rng(1)
    return {name: rng.normal(size=(ROWS, 1)) for name in names}


@pytest.fixture
def cases(level):
    """Fields of each kernel, and what it makes of them: name -> (rows,)."""
    A, renewed, new = level.astype(np.float64), *renewed_rows(level)
    given = columns_of("r", "d", "x", "d0", "e", "b")
    v = {name: value[:, 0] for name, value in given.items()}
    keep = np.random.default_rng(2).uniform(0.2, 1.0, ROWS) * (np.arange(ROWS) % 7 > 0)
    data = level.data[:, None]
    rest = np.where(keep > 0, v["r"] - new @ v["d0"], 0)
    change = 0.3 * v["d0"] + 0.7 * keep * rest
    up = np.where(keep > 0, new @ v["e"], 0)
    holed = {"keep": keep} | renewed
    whole = v["r"] - A @ v["d0"]
    return [
        (
            "step",
            {"A": data, **holed},
            ("d0", "r", "d", "x"),
            {"r": rest, "d": change, "x": v["x"] + change},
        ),
        (
            "step",
            {"A": data},
            ("d0", "r", "d", "x"),
            {"r": whole, "d": 0.3 * v["d0"] + 0.7 * whole},
        ),
        (
            "residual",
            {"A": data, **holed},
            ("d", "r"),
            {"r": v["r"] - (keep > 0) * (new @ v["d"])},
        ),
        ("restrict", {"R": data}, ("r", "b"), {"b": A @ v["r"]}),
        ("prolong", {"P": data, **holed}, ("e", "d", "x"), {"d": up, "x": v["x"] + up}),
    ]


def test_rows_are_products_and_their_bits_do_not_depend_on_the_lanes(backend, level, cases):
    for kernel, own, names, want in cases:
        given = columns_of("r", "d", "x", "d0", "e", "b")
        fields = own | {name: given[name] for name in names}

        found = [bound(backend, level, kernel, count, **fields) for count in LANES]

        for name, exact in want.items():
            got = found[0][name]
            np.testing.assert_allclose(got[:LIVES], exact[:LIVES], rtol=1e-5, atol=1e-4)
            np.testing.assert_array_equal(got[LIVES:], given[name][LIVES:, 0].astype(np.float32))
            for other in found[1:]:
                np.testing.assert_array_equal(other[name], got)


@pytest.mark.parametrize(
    ("rows", "count"), [(1, 8), (THREADS // 8, 8), (THREADS // 4, 4), (10**7, 1)]
)
def test_lanes_fill_the_threads_that_rows_leave(rows, count):
    assert lanes(rows) == count
