"""Coarse levels that know which rows are tied or left out, in SciPy (docs/theory.md, 7.6).

Level l has rows that live, m; E gives tied rows from own ones; T, P_s, R are those of the hierarchy
without holes:

    A_0 = K + K E,   P_l = m (T - w D^-1 F_l T) m',   A_{l+1} = (m P_s m')^T A_l P_l

F_l is A_l whose entries below 0.03 of the diagonals without holes are added to its diagonal, 0.06
where rows without holes have more than 24 entries in the mean.
"""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from composites import FIELD, RECEPTOR
from kinemesh.linear.hierarchy import ABOVE, smoothing
from kinemesh.linear.multigrid import chebyshev


def matrix_of(blocks, columns, rows=None, of=None):
    """A scalar matrix of the package in float64; rows, of: its rows' and columns' numbers."""
    data, count = blocks.data[:, 0].astype(float), blocks.rows
    found = sp.csr_matrix((data, blocks.column, blocks.row), shape=(count, columns))
    if rows is not None:
        up = sp.csr_matrix((np.ones(count), (rows, np.arange(count))), shape=(of, count))
        found = up @ found
    return found.tocsr()


WEAK, WEAK_LONG, LONG = 0.03, 0.06, 24
SMALL = 0.2  # diagonal over that of the tables below which a row dies: LEAST of linear/holes.py


@dataclass
class Depth:
    """A level: matrix, transfer from the coarser level and to it, rows that live, unit over new."""

    A: sp.csr_matrix
    live: np.ndarray
    keep: np.ndarray
    P: sp.csr_matrix | None = None
    R: sp.csr_matrix | None = None


def given(own):
    """E: what own rows give tied ones, those of tied ones followed."""
    n = own.nodes
    rows = np.repeat(np.arange(n), 4)
    take = sp.csr_matrix((own.weight.ravel(), (rows, own.donor.ravel())), shape=(n, n))
    tied = sp.diags((own.status == RECEPTOR).astype(float))
    field = sp.diags(((own.status == FIELD) & ~own.fixed).astype(float))
    take, found = tied @ take, tied @ take @ field
    for _ in range(3):
        found = take @ field + take @ found
    return found


class Tables:
    """Tables of the hierarchy without holes between two levels of one member.

    T, Ps : transfers to the finer level, tentative and smoothed;  R : from it
    unit : diagonal of the coarser level's matrix, whose rows are scaled
    d, scale : diagonal of the finer one's, whose rows are not, and that over the scaled one's
    weak : share of diagonals below which its couplings smooth transfers as if they were on these
    """

    def __init__(self, level, finer, d, scale, free=None, nodes=None):
        self.d, self.scale = d, scale
        self.weak = WEAK_LONG if len(finer.column) > LONG * finer.rows else WEAK
        count, up = level.matrix.rows, (free, nodes)
        self.T = matrix_of(level.tentative, count, *up)
        self.Ps = matrix_of(level.prolong, count, *up)
        self.R = matrix_of(level.restrict, self.T.shape[0] if free is None else len(free))
        if free is not None:
            self.R = self.R @ chosen(free, nodes)
        self.A = matrix_of(level.matrix, count)
        self.unit = self.A.diagonal()


def chosen(free, nodes):
    """(free, nodes) the rows of free nodes."""
    return sp.csr_matrix((np.ones(len(free)), (np.arange(len(free)), free)), (len(free), nodes))


def diagonal(values):
    return sp.diags(np.asarray(values, float))


def finest_of(own, finest):
    """The finest level; rows scaled as the hierarchy has them, of ties those of all the matrix."""
    n, free = own.nodes, np.flatnonzero(~(own.fixed | own.never))
    field, unit = np.zeros(n, bool), np.zeros(n)
    field[free] = own.status[free] == FIELD
    static = matrix_of(finest, len(free), free, n) @ chosen(free, n)
    unit[:] = static.diagonal()
    tied = diagonal(unit / own.matrix.diagonal()) @ own.matrix @ given(own)
    A = diagonal(field) @ (static + tied) @ diagonal(field)
    return Depth(A.tocsr(), field, ratio(unit, A.diagonal(), field))


def strong(A, tables):
    """A, whose weak entries are added to its diagonal."""
    A = A.tocoo()
    share = np.sqrt(tables.d[A.row] * tables.d[A.col])
    weak = abs(A.data) * tables.scale[A.row] < tables.weak * share
    return sp.csr_matrix((A.data, (A.row, np.where(weak, A.row, A.col))), shape=A.shape)


def transfer(here, tables):
    """The transfer from the next level."""
    live = abs(tables.T).T @ here.live > 0
    w = smoothing(1)[0] * ABOVE
    P = tables.T - w * diagonal(here.keep) @ strong(here.A, tables) @ tables.T
    return (diagonal(here.live) @ P @ diagonal(live)).tocsr()


def coarser(here, tables, P=None):
    """The next level; transfers are put to the finer one, by P where another is given."""
    live = abs(tables.T).T @ here.live > 0
    here.P = transfer(here, tables) if P is None else P
    here.R = (diagonal(live) @ tables.R @ diagonal(here.live)).tocsr()
    A = here.R @ here.A @ here.P
    live &= A.diagonal() > SMALL * tables.unit
    here.P, here.R = here.P @ diagonal(live), diagonal(live) @ here.R
    A = (diagonal(live) @ A @ diagonal(live)).tocsr()
    return Depth(A, live, ratio(tables.unit, A.diagonal(), live))


def tables_of(own, finest, levels):
    """Tables between the levels of one member, finest first."""
    free = np.flatnonzero(~(own.fixed | own.never))
    K, given, found = own.matrix[free][:, free], (free, own.nodes), []
    d, scale = (np.zeros(own.nodes) for _ in range(2))
    d[free], scale[free] = K.diagonal(), K.diagonal() / matrix_of(finest, len(free)).diagonal()
    for level, finer in zip(levels, [finest, *(own.matrix for own in levels)], strict=False):
        found.append(Tables(level, finer, d, scale, *given))
        Ps = found[-1].Ps[free] if given else found[-1].Ps
        K, given = Ps.T @ K @ Ps, ()
        d, scale = K.diagonal(), K.diagonal() / found[-1].unit
    return found


def levels_of(own, finest, levels):
    """Levels of one member, finest first.

    Parameters
    ----------
    own : Composite;  finest, levels : from `hierarchy.scalar`, of rows that may be own
    """
    found = [finest_of(own, finest)]
    for tables in tables_of(own, finest, levels):
        found.append(coarser(found[-1], tables))
    return found


def ratio(unit, diagonal, live):
    """Static over new diagonal where a row lives, else 0."""
    return np.where(live, unit / np.where(live, diagonal, 1.0), 0.0)


class Cycle:
    """One V-cycle on these levels."""

    def __init__(self, depths, degree=2, low=0.3):
        self.depths, self.factors = depths, chebyshev(1.0, degree, low)
        last = depths[-1]
        live = np.flatnonzero(last.live)
        self.inverse = np.zeros(last.A.shape)
        self.inverse[np.ix_(live, live)] = np.linalg.pinv(
            last.A.toarray()[np.ix_(live, live)], 1e-6
        )

    def smooth(self, here, r, x):
        d = np.zeros_like(r)
        for c1, c2 in self.factors:
            d = c1 * d + c2 * here.keep * r
            x, r = x + d, r - here.A @ d
        return r, x

    def __call__(self, b, number=0):
        here = self.depths[number]
        if here.P is None:
            return self.inverse @ b
        r, x = self.smooth(here, here.live * b, np.zeros_like(b))
        d = here.P @ self(here.R @ r, number + 1)
        r, x = self.smooth(here, r - here.A @ d, x + d)
        return x


def bicgstab(product, precondition, b, tolerance, most=200):
    """x and iterations; a last one that ends at its half counts a half."""
    x, r = np.zeros_like(b), b.copy()
    target, shadow, p = tolerance * np.linalg.norm(b), b.copy(), b.copy()
    rho = r @ shadow
    for step in range(most):
        y = precondition(p)
        v = product(y)
        alpha = rho / (shadow @ v)
        x, r = x + alpha * y, r - alpha * v
        if np.linalg.norm(r) <= target:
            return x, step + 0.5
        z = precondition(r)
        t = product(z)
        omega = (t @ r) / (t @ t)
        x, r = x + omega * z, r - omega * t
        if np.linalg.norm(r) <= target:
            return x, step + 1
        new = r @ shadow
        p = r + new / rho * alpha / omega * (p - omega * v)
        rho = new
    raise RuntimeError("no end")
