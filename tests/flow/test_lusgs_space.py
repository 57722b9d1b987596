"""LU-SGS on clouds in space: half sweeps against whole ones, written out in NumPy."""

import kinemesh as km
import numpy as np
import pytest
from clouds import half_wing
from world import unpacked


def jacobian(v, sound, s, w):
    """(5, 5) of the flux through s, relative to what moves by w (theory eq. 2.2)."""
    vn, H = v @ s, sound**2 / 0.4 + 0.5 * v @ v
    mass = np.array([-vn, *s, 0.0])
    p = 0.4 * np.array([0.5 * v @ v, *-v, 1.0])
    return (
        (vn - w) * np.eye(5)
        + np.outer([1, *v, H], mass)
        + np.outer([0, *s, vn], p)
    )  # fmt: skip


class Rows:
    """The system of a pseudo-step as its kernels read it, solved row by row for all satellites."""

    def __init__(self, solver):
        get, fields = solver.backend.get, solver.implicit.fields
        self.node, self.offsets, self.links, self.shares, self.wall, self.on_plane = (
            get(fields[name])
            for name in ("node", "offsets", "neighbour", "shares", "wall", "on_plane")
        )
        self.normal, self.gap = get(fields["normal"]), get(fields["gap"])
        self.q, self.plane = get(fields["q"]), get(fields["plane"])[0]
        self.rhs = -(get(solver.res) / get(solver.grid.V)[:, None])[self.node]
        self.drift, self.d = get(fields["drift"])[:, :3].astype(float), get(fields["pivot"])
        self.waves = unpacked(get(fields["record"]))[1]
        self.du = np.zeros((len(self.node), 5))
        self.done = np.zeros(len(self.node), bool)

    def others(self, row):
        """- sum of (A_j - lambda) du_j over satellites that have a du."""
        a, total = self.node[row], np.zeros(5)
        for e in range(self.offsets[row], self.offsets[row + 1]):
            b, s = self.links[e], self.shares[e, :3].astype(float)
            if not self.done[b]:
                continue
            w, size = self.drift[row] @ s, float(self.shares[e, 3])
            own, there = self.waves[a], self.waves[b]
            speeds = [abs(at[:3] @ s - w) + at[3] * size for at in (own, there)]
            A = jacobian(there[:3], there[3], s, w)
            total -= A @ self.du[b] - np.mean(speeds) * self.du[b]
        return total

    def block(self, row):
        """(5, 5) of the row: d, at a wall docs/meshless.md, eq. M.6."""
        d = self.d[row]
        if self.wall[row] < 0:
            return d * np.eye(5)
        n, (rho, *v, p) = self.normal[self.wall[row]], self.q[self.node[row]]
        v, G = np.array(v), 0.5 * self.gap[self.wall[row]] @ n
        sound, H = np.sqrt(1.4 * p / rho), 3.5 * p / rho + 0.5 * v @ v
        mu = np.array([0, *n, 0])  # d(rho v) . n
        dp = 0.4 * np.array([0.5 * v @ v, *-v, 1.0])
        along = np.eye(3) - np.outer(n, n)
        block = d * np.eye(5) - G * np.outer([1, *along @ v, H], mu)
        block += np.outer([0, *n, 0], G * (2 * sound * mu + dp))
        return block

    def sweep(self, first, count):
        for row in range(first, first + count):
            to = self.rhs[row] + self.others(row)
            if self.on_plane[row]:
                to[1:4] -= (to[1:4] @ self.plane) * self.plane
            self.du[self.node[row]] = np.linalg.solve(self.block(row), to)
        self.done[self.node[first : first + count]] = True


def pivots(solver):
    """(n,) diagonals of docs/meshless.md, eq. M.5, with the sums of lambda that the fluxes left."""
    get, grid = solver.backend.get, solver.grid
    q, v, x, inverse = (get(a) for a in (solver.q, grid.velocity, grid.x, grid.inverse))
    ends = np.repeat(np.arange(grid.nodes), np.diff(grid.offsets))
    d = x[grid.neighbour] - x[ends]
    full = inverse[:, [0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(-1, 3, 3)[ends]
    a = np.einsum("nij,nj->ni", full, d) / (d**2).sum(axis=1, keepdims=True)  # weight_power=2
    open_ = np.stack([np.bincount(ends, a[:, k], grid.nodes) for k in range(3)], 1)
    unit = np.zeros_like(open_)
    unit[grid.wall.node] = get(grid.wall.device["normal"])
    plane = get(grid.plane)[0] * np.isin(np.arange(grid.nodes), grid.mirror_nodes)[:, None]
    for along in (plane, unit):
        open_ -= (open_ * along).sum(axis=1, keepdims=True) * along
    sound = np.sqrt(1.4 * q[:, 4] / q[:, 0])
    edge = np.abs(((q[:, 1:4] - v) * open_).sum(axis=1)) + sound * np.linalg.norm(open_, axis=1)
    sums = get(solver.fields["radius"])
    cfl, c0 = get(solver.dualtime.cfl)[0], get(grid.bdf)[0, 0]
    return sums / (cfl * get(solver.pace)) + c0 + sums + edge


@pytest.mark.long
@pytest.mark.parametrize("pairs", [1, *(pytest.param(n, marks=pytest.mark.slow) for n in (2, 3))])
@pytest.mark.filterwarnings("ignore:.*coefficients refer to an area:RuntimeWarning")
def test_half_sweeps_are_whole_ones(double, pairs):
    settings = km.MeshlessSettings(weight_power=2, time="lusgs", lusgs_sweeps=pairs)
    solver = km.Meshless(
        half_wing(), mach=0.6, alpha_deg=3.0, device=double.device, settings=settings
    )
    get, rng = solver.backend.get, np.random.default_rng(0)
    q = get(solver.q)
    q *= rng.uniform(0.9, 1.1, q.shape)
    q[:, 1:4] += rng.uniform(-0.1, 0.1, (len(q), 3))
    solver.initialise(q)
    drift = rng.uniform(-0.1, 0.1, (len(q), 3))  # as if the points moved
    solver.backend.put(solver.grid.rate, [[1.0, 0.0]])
    solver.backend.put(solver.grid.x1, get(solver.grid.x) - drift)
    solver.grid.sweep()
    pace = rng.uniform(0.5, 1.0, len(q))
    solver.backend.put(solver.pace, pace)
    solver.backend.put(solver.dualtime.cfl, 20.0)
    solver.backend.record(solver.residual())()
    first, *sweeps = solver.implicit.calls()
    first()

    rows = Rows(solver)
    q = get(solver.q)
    assert rows.waves[:, :3] == pytest.approx(q[:, 1:4], rel=2.0**-9, abs=2.0**-15)
    assert rows.waves[:, 3] == pytest.approx(np.sqrt(1.4 * q[:, 4] / q[:, 0]), rel=2.0**-9)
    assert rows.drift == pytest.approx(drift[rows.node], rel=1e-7)
    solved = solver.pattern.colours[0][1]  # rows that had no satellites to wait for
    assert get(solver.implicit.fields["rhs"])[solved:] == pytest.approx(rows.rhs[solved:])
    assert rows.d == pytest.approx(pivots(solver)[rows.node], rel=1e-6)
    before = get(solver.u)
    for call in sweeps:
        call()
    for turn in range(2 * pairs):
        colours = solver.pattern.colours
        for over in colours[::-1] if turn % 2 else colours:
            rows.sweep(*over)

    found, _ = unpacked(get(solver.implicit.fields["record"]))
    size = np.abs(rows.du).max(axis=0)
    assert (size > 1e-3).all()
    assert (np.abs(found - rows.du).max(axis=0) < 1e-8 * size).all()
    # each point is given its change once, where that does not ask for too much
    kinetic = 0.5 * (q[:, 1:4] ** 2).sum(axis=1)
    across = (q[:, 1:4] * rows.du[:, 1:4]).sum(axis=1)
    dp = 0.4 * (kinetic * rows.du[:, 0] - across + rows.du[:, 4])
    change = np.maximum(np.abs(rows.du[:, 0] / q[:, 0]), np.abs(dp / q[:, 4]))
    small = change < 0.5 * solver.settings.max_change
    assert small.mean() > 0.5
    given = get(solver.u) - before
    assert (np.abs(given - rows.du)[small].max(axis=0) < 1e-8 * size).all()
    assert get(solver.pace)[small] == pytest.approx(np.minimum(1.5 * pace, 1)[small])
