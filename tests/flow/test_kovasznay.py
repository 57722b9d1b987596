"""The steady march beside Kovasznay's exact flow, on triangles as generators make them.

L. I. G. Kovasznay: Laminar flow behind a two-dimensional grid. Math. Proc. Cambridge Philos. Soc.
44 (1948): a solution of the Navier-Stokes equations with convection, pressure and friction.
"""

import kinemesh as km
import numpy as np
import pytest
from projections import grid_of, norm, projection, without_mean

RE = 40
DECAY = RE / 2 - np.hypot(RE / 2, 2 * np.pi)


def exact(x):
    """Velocities (nodes, 2) and pressures (nodes,)."""
    fade, turn = np.exp(DECAY * x[:, 0]), 2 * np.pi * x[:, 1]
    u = np.stack([1 - fade * np.cos(turn), DECAY / (2 * np.pi) * fade * np.sin(turn)], axis=1)
    return u, -0.5 * fade**2


def stretched(across, growth=20.0):
    """A box of 2 by 1 whose cells grow from below by `growth` in all, diagonals all one way."""
    i, j = np.meshgrid(np.arange(across + 1), np.arange(across + 1))
    share = np.expm1(np.log(growth) * j / across) / (growth - 1)
    points = np.stack([-0.5 + 2 * i / across, -0.5 + share], axis=-1).reshape(-1, 2)
    at = np.arange((across + 1) ** 2).reshape(across + 1, -1)
    p, q, r, s = (a.ravel() for a in (at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]))
    none = np.full(len(p), -1)
    cells = np.concatenate([np.stack([p, q, r, none], 1), np.stack([p, r, s, none], 1)])
    loop = np.concatenate([at[0, :-1], at[:-1, -1], at[-1, :0:-1], at[:0:-1, 0]])
    return km.Mesh.from_arrays(points, cells, {"rim": np.stack([loop, np.roll(loop, -1)], axis=1)})


def errors(across):
    """RMS errors of velocity and pressure over the area."""
    grid = grid_of([stretched(across)], "body")
    made = projection(grid, "body", 1 / RE, steady_drop=1e-6, steady_iterations=1500)
    u, p = exact(grid.points)
    b = grid.backend
    b.put(made.velocity["body"], u[grid.wall.node])
    b.put(made.flow["u"], np.where(made.flow.given[:, None], u, 0.0))
    march = made.steady
    march.begin(np.zeros(grid.nodes))
    for _ in range(1500):
        march.iteration()
        if not b.get(made.loop.active).any():
            break
    assert b.get(made.loop.norm)[0] <= 1e-6 * b.get(made.loop.base)[0]
    return (
        norm(grid, b.get(made.flow["u"]) - u),
        norm(grid, without_mean(grid, b.get(made.flow["p"])) - without_mean(grid, p)),
    )


@pytest.mark.long
@pytest.mark.flow
@pytest.mark.parametrize("across", [64, pytest.param(96, marks=pytest.mark.slow)])
def test_kovasznay_has_second_order_on_stretched_triangles(across):
    coarse, fine = (np.array(errors(n)) for n in (32, across))

    order = np.log(coarse / fine) / np.log(across / 32)

    assert order.min() > 1.8, order
    # 2.2e-3 and 1.7e-3 on 96 where it was written; on others by the order
    assert fine.max() < 3e-3 * (96 / across) ** 2
