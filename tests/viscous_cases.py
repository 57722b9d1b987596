"""Thin meshes and laws of a viscous gas on arrays, which tests of viscous flow share."""

import kinemesh as km
import numpy as np
import pytest
from exact_gas import GAMMA
from squares import KINDS, square

PR, PR_T = 0.72, 0.9
THIN = 100.0
on_thin_meshes = pytest.mark.parametrize(
    ("kind", "aspect"), [(kind, aspect) for kind in KINDS for aspect in (1.0, THIN)]
)
SOLVERS = {"nodes": (km.Ale, km.AleSettings), "cells": (km.CellCentred, km.CellSettings)}
on_solvers = pytest.mark.parametrize(
    "solver", ["nodes", pytest.param("cells", marks=pytest.mark.long)]
)


def thin(kind, across=8, aspect=THIN, jitter=0.1, seed=3):
    """The unit square of `across` edges a side, shaken by `jitter` of them, then made thin."""
    made = square(across, kind, jitter=jitter, seed=seed)
    return km.Mesh(made.points / [1.0, aspect], made.triangles, made.quads, made.boundaries)


def linear(x, aspect, seed=5):
    """Velocities v and temperature T linear in x, g[k, l] alike along cells and across."""
    g = np.random.default_rng(seed).uniform(0.1, 0.3, (3, 2)) * [1.0, aspect]
    return x @ g[:2].T + [0.2, -0.1], x @ g[2] + 1.0, g


def slopes_error(case, aspect):
    """Largest error of gradients of a linear flow, each part by what it does over a thin cell."""
    v, _, g = linear(case.grid.points, aspect)
    rows = np.vstack([g[2], g[:2], g[2] / 2])
    case.initialise(np.column_stack([1 + case.grid.points @ rows[0], v,
                                     1 + case.grid.points @ rows[3]]))  # fmt: skip
    case.start_steady()
    for call in case.terms["gradients"].residual():
        call()
    found = case.backend.get(case.fields["slope"]).reshape(-1, 4, 2)
    return np.abs((found - rows) / [1.0, aspect]).max()


def gas(mesh, settings=None, **changes):
    """A viscous gas in the far field alone."""
    told = {"mach": 0.5, "reynolds": 50.0, "walls": [], "device": "cpu"}
    settings = km.AleSettings(limiter="none", **settings or {})
    return km.Ale(mesh, settings=settings, **(told | changes))


def stress(g, mu):
    """(n, 2, 2) stresses of velocity gradients g[:, k, l] = dv_k/dx_l."""
    div = np.trace(g, axis1=1, axis2=2)[:, None, None]
    return np.reshape(mu, (-1, 1, 1)) * (g + g.swapaxes(1, 2) - 2 / 3 * div * np.eye(2))


def heat_flux(g, mu, mu_t=0.0):
    """(n, 2) heat flux of gradients of T = gamma p / rho."""
    return -np.reshape(mu / PR + mu_t / PR_T, (-1, 1)) * g / (GAMMA - 1)


def endless(monkeypatch, far=np.inf):
    """Let a turbulent gas have no walls: their distance is `far`."""

    def distance(volumes, markers):
        assert markers == []
        volumes.fields.add(distance=volumes.backend.array(np.full(volumes.nodes, far), "float64"))

    monkeypatch.setattr("kinemesh.flow.door.viscosity.check_walls", lambda *given: None)
    monkeypatch.setattr("kinemesh.flow.terms.eddies.wall_distance", distance)


INNER, OUTER = 0.5, 1.0


def annulus(layers, kind="quads", jitter=0.0):
    """Rings between radii of 0.5 and 1, 8 edges around to each layer; walls `inner`, `outer`.

    Points between the walls are shaken by `jitter` of their spacing.
    """
    around, rng = 8 * layers, np.random.default_rng(1)
    spans = (OUTER - INNER) / layers, 2 * np.pi / around
    r, t = np.meshgrid(np.linspace(INNER, OUTER, layers + 1), spans[1] * np.arange(around),
                       indexing="ij")  # fmt: skip
    for own, span in zip((r, t), spans, strict=True):
        own[1:-1] += jitter * span * rng.uniform(-1, 1, own[1:-1].shape)
    points = np.stack([r * np.cos(t), r * np.sin(t)], axis=-1).reshape(-1, 2)
    i, j = (a.ravel() for a in np.meshgrid(np.arange(layers), np.arange(around), indexing="ij"))
    a, b = i * around + j, i * around + (j + 1) % around
    c, d = b + around, a + around
    cells = np.stack([a, d, c, b], axis=1)
    if kind == "triangles":
        cells = np.concatenate([cells[:, :3], cells[:, [0, 2, 3]]])
    loop = np.stack([np.arange(around), (np.arange(around) + 1) % around], axis=1)
    sides = {"inner": loop, "outer": loop + layers * around}
    return km.Mesh.from_arrays(points, cells, sides)


def around(case):
    """Radius, velocity about the origin counter-clockwise and temperature of all volumes."""
    q, x = case.primitive(), case.backend.get(case.fields["x"])
    r = np.hypot(*x.T)
    return r, (x[:, 0] * q[:, 2] - x[:, 1] * q[:, 1]) / r, GAMMA * q[:, 3] / q[:, 0]


def spun(case, speed):
    """Primitive state of the stream's density and pressure that goes round with `speed`(r)."""
    q, x = case.primitive(), case.grid.points
    r = np.hypot(*x.T)
    q[:, 1:3] = np.stack([-x[:, 1], x[:, 0]], axis=1) * (speed(r) / r)[:, None]
    return q


def rms(case, error):
    V = case.backend.get(case.grid.V)
    return np.sqrt((V * error**2).sum() / V.sum())
