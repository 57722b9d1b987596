"""Thin meshes and laws of a viscous gas on arrays, which tests of viscous flow share."""

import kinemesh as km
import numpy as np
from exact_gas import GAMMA
from squares import square

PR, PR_T = 0.72, 0.9
THIN = 100.0


def thin(kind, across=8, aspect=THIN, jitter=0.1, seed=3):
    """The unit square of `across` edges a side, shaken by `jitter` of them, then made thin."""
    made = square(across, kind, jitter=jitter, seed=seed)
    return km.Mesh(made.points / [1.0, aspect], made.triangles, made.quads, made.boundaries)


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


def endless(monkeypatch):
    """Let a turbulent gas have no walls: their distance is infinite."""

    def distance(volumes, markers):
        assert markers == []
        volumes.fields.add(
            distance=volumes.backend.array(np.full(volumes.nodes, np.inf), "float64")
        )

    monkeypatch.setattr("kinemesh.flow.terms.viscous.Stick._refuse_slip", lambda self, case: None)
    monkeypatch.setattr("kinemesh.flow.terms.eddies.wall_distance", distance)
