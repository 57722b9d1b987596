"""The projection step on a square, driven by hand with velocities that are known."""

import kinemesh as km
import numpy as np
from kinemesh.device.backend import Backend
from kinemesh.flow.projection.projection import Projection
from kinemesh.flow.projection.settings import IncompressibleSettings
from kinemesh.space.grid import Grid
from kinemesh.space.solids import SolidGrid, SolidVertices
from kinemesh.space.vertices import MeshVertices

TIGHT = {"momentum_drop": 1e-6, "pressure_tolerance": 1e-8}


def grid_of(meshes, kind, dtype="float64", device="cpu"):
    """Grids of meshes whose rim is of one kind of boundary."""
    markers = {"body": [], "outer": [], "plane": []} | {kind: ["rim"]}
    kinds = {2: (Grid, MeshVertices), 3: (SolidGrid, SolidVertices)}
    grid, vertices = kinds[meshes[0].dimensions]
    made = grid(vertices(Backend(device, dtype), meshes, markers))
    made.start()
    return made


def projection(grid, kind, viscosity, **settings):
    """The step, with velocities given on the whole rim; of slip walls at their corners alone."""
    x = grid.points
    low, high = x.min(axis=0), x.max(axis=0)
    on = np.isclose(x, low) | np.isclose(x, high)
    given = on.all(axis=1) if kind == "plane" else on.any(axis=1)
    nu = np.full(grid.members, viscosity)
    settings = IncompressibleSettings(**(TIGHT | settings))
    return Projection(grid, settings, nu, given, np.zeros(grid.nodes, bool))


def advance(made, number, dt, kind, velocity=None, move=None):
    """Step `number`: the grid moves by `move`, `velocity` (nodes, 2) is given on the rim."""
    grid, b = made.grid, made.backend
    steps = np.full(grid.members, dt)
    made.step.begin(number)
    grid.keep_levels()
    grid.set_time_levels(steps, min(number, 2))
    if move is not None:
        b.put(grid.x, move)
    grid.measure()
    grid.sweep()
    made.loop.set_floor(steps)
    if velocity is not None:
        b.put(made.velocity[kind], velocity[grid.patches[kind].node])
    made.step.march()


def norm(grid, error):
    """Root of the mean square over the area."""
    volume = grid.backend.get(grid.V)
    squares = (error**2).reshape(len(volume), -1).sum(axis=1)
    return np.sqrt((volume * squares).sum() / volume.sum())


def without_mean(grid, p):
    volume = grid.backend.get(grid.V)
    return p - (volume * p).sum() / volume.sum()


def triangulated(mesh):
    """Mesh of quadrilaterals, each cut along a diagonal."""
    a, b, c, d = mesh.quads.T
    cells = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    return km.Mesh.from_arrays(mesh.points, cells, mesh.boundaries)


def annulus(around, rings):
    """Quads between circles of radius 1 and 2, markers `inner` and `outer`."""
    radius, angle = np.linspace(1, 2, rings), 2 * np.pi * np.arange(around) / around
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    at = np.arange(around * rings).reshape(rings, around)
    after = np.roll(at, -1, axis=1)
    cells = np.stack([at[:-1], at[1:], after[1:], after[:-1]], axis=-1).reshape(-1, 4)
    sides = {"inner": np.stack([after[0], at[0]], 1), "outer": np.stack([at[-1], after[-1]], 1)}
    return km.Mesh.from_arrays((radius[:, None, None] * circle).reshape(-1, 2), cells, sides)


DRIFT = np.array([2.0, -1.4, 1.6])


def ethier_steinman(x, nu, time, drift=0.0, a=np.pi / 4, d=np.pi / 2):
    """Velocities and pressure of an exact flow (Ethier and Steinman 1994, eq. 15, 16).

    drift : a velocity that all of it has, beside which what it was decays but slowly
    """
    x, y, z = (x - drift * np.float64(time)).T

    def component(p, q, r):
        return np.exp(a * p) * np.sin(a * q + d * r) + np.exp(a * r) * np.cos(a * p + d * q)

    u = -a * np.stack([component(x, y, z), component(y, z, x), component(z, x, y)], axis=1)

    def pressures(p, q, r):
        return np.exp(2 * a * p) + 2 * np.sin(a * p + d * q) * np.cos(a * r + d * p) * np.exp(
            a * (q + r)
        )

    p = -(a**2) / 2 * (pressures(x, y, z) + pressures(y, z, x) + pressures(z, x, y))
    decay = np.exp(-(d**2) * nu * time)
    return drift + u * decay, p * decay**2


def turned_in_space(points, time):
    """Points turned about two axes and shifted as one."""
    a, b = 0.7 * np.sin(2.1 * time), 0.4 * np.sin(1.3 * time)
    turn = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]]) @ np.array(
        [[np.cos(b), 0, np.sin(b)], [0, 1, 0], [-np.sin(b), 0, np.cos(b)]]
    )
    return (points - 0.5) @ turn.T + 0.5 + [0.3 * time, 0.2 * np.sin(time), -0.1 * time]
