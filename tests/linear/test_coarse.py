"""Renewed rows of coarse levels: the products that they stand for, and what they are worth."""

import coarse
import numpy as np
import pytest
import scipy.sparse as sp
from composites import FIELD, RECEPTOR, composite
from kinemesh.device.faults import NONE, decode
from kinemesh.linear import rooms
from kinemesh.overset.failures import ROOM
from solid_composites import small_solids
from test_composite import made, sides, solved

TOLERANCE = 1e-4


@pytest.fixture(scope="module", params=["plane", "space"])
def moved(request):
    if request.param == "plane":
        return composite(0.1, shift=(0.3, -0.2))
    return small_solids(shift=(0.25, 0.1, -0.15))


def put_over(backend, static, rims, entries, ending=""):
    """A matrix with its dead and renewed rows in the place of those of the tables."""
    get, slot = backend.get, backend.get(rims.rows["slot"])
    many, columns, values = (get(entries[name + ending]) for name in ("many", "columns", "values"))
    rows = np.flatnonzero(slot >= 0)
    at = slot[rows]
    within = np.arange(columns.shape[1]) < many[at][:, None]
    where = np.repeat(rows, many[at]), columns[at][within]
    renewed = sp.csr_matrix((values[at][within].astype(float), where), shape=static.shape)
    return (coarse.diagonal(slot == -1) @ static + renewed).tocsr()


def test_every_level_is_the_product_of_the_finer_one(double, moved):
    """Compared level by level: rounding to float32 grows by 3 to 10 from each to the next."""
    solver = made(double, [moved], TOLERANCE)
    cycle, get = solver.multigrid, double.get
    tables = coarse.tables_of(moved, cycle.finest[0], cycle.levels[0])
    want = coarse.finest_of(moved, cycle.finest[0])
    free = np.flatnonzero(~(moved.fixed | moved.never))
    static = coarse.matrix_of(cycle.finest[0], len(free), free, moved.nodes)
    static = static @ coarse.chosen(free, moved.nodes)

    assert len(tables) >= 3
    for number, rims in enumerate(cycle.rims):
        A, keep = put_over(double, static, rims, rims.entries), get(rims.rows["keep"])
        A = A @ coarse.diagonal(want.live)
        slot = get(rims.rows["slot"])
        assert (slot >= 0).any()
        there = (
            np.diff(static.indptr) > 0
        )  # rows of the finest level that x is given in are in none
        assert ((slot == -2) == ~want.live)[there].all()
        assert abs(A - want.A).max() <= 2e-6
        np.testing.assert_allclose(keep[want.live], want.keep[want.live], rtol=1e-5)
        if number == len(tables):
            break
        here = coarse.Depth(A.tocsr(), want.live, np.where(want.live, keep, 0.0))
        P = put_over(double, tables[number].Ps, rims, rims.up, "_up")
        # rows of the tables beside one that died late keep their transfer
        late = (abs(static) @ (slot == -2) > 0) & (slot == -1)
        assert (
            abs(coarse.diagonal(~late) @ (P - coarse.transfer(here, tables[number]))).max() <= 2e-6
        )
        want, static = coarse.coarser(here, tables[number], P), tables[number].A


def test_iterations_are_those_of_the_reference(double, moved):
    """Far from rims and on coarse levels, whatever is renewed: a missing term would cost some."""
    solver = made(double, [moved], TOLERANCE)
    (b,) = sides([moved])
    cycle, system = coarse.Cycle(reference(solver, moved)), moved.system()
    E, live, tied = coarse.given(moved), moved.status == FIELD, moved.status == RECEPTOR

    def precondition(v):
        z = np.where(live, cycle(np.where(live & ~moved.fixed, v, 0.0)), 0.0)
        return z + np.where(tied, E @ z + v, 0.0)

    side = np.where(live, b, 0.0)
    _, want = coarse.bicgstab(lambda x: system @ x, precondition, side, TOLERANCE)

    _, steps = solved(solver, [b])

    assert steps[0] == np.ceil(want)


def reference(solver, own):
    return coarse.levels_of(own, solver.multigrid.finest[0], solver.multigrid.levels[0])


def test_rows_without_room_fail_their_member_by_what_fits(double, moved, monkeypatch):
    small = composite(0.12)
    monkeypatch.setattr(rooms, "FEW", 1)
    solver = made(double, [small, moved], TOLERANCE)
    assert (double.get(solver.multigrid.faults) == NONE).all()
    monkeypatch.setattr(rooms, "SLOTS", 0.5)
    monkeypatch.setattr(rooms, "SURFACE", (0.1,))

    words = double.get(made(double, [small, moved], TOLERANCE).multigrid.faults)

    for word in words:
        code, share = decode(word)
        assert code == ROOM
        assert 5 <= share <= 90
