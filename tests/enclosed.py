"""Taylor and Green's flow in a closed square, a square part moving and turning inside."""

import numpy as np
from kinemesh.device.backend import Backend
from kinemesh.flow.projection.projection import Projection
from kinemesh.flow.projection.settings import IncompressibleSettings
from kinemesh.mesh import Mesh
from kinemesh.overset.connectivity import Connectivity
from overset_parts import grid_of, move
from projections import TIGHT
from squares import square as squares

NU = 0.05


def taylor_green(x, time, nu=NU):
    """Velocities and pressure of Taylor and Green (1937) in the square of pi."""
    (x, y), decay = x.T, np.exp(-2 * nu * time)
    u = np.stack([np.sin(x) * np.cos(y), -np.cos(x) * np.sin(y)], axis=1) * decay
    return u, 0.25 * (np.cos(2 * x) + np.cos(2 * y)) * decay**2


def square(across, kind, size):
    """A square of quads, or of these cut in two by parallel diagonals, so that duals are alike."""
    made = squares(across, "quads", size)
    if kind == "quads":
        return made
    cells = np.concatenate([made.quads[:, :3], made.quads[:, [0, 2, 3]]])
    return Mesh.from_arrays(made.points, cells, made.boundaries)


def patch(across, kind, spacing):
    """A square part without walls about the middle of the square of pi."""
    size = across * spacing
    made = square(across, kind, size)
    points = made.points + (np.pi - size) / 2
    return Mesh(points, made.triangles, made.quads, {"overset": made.boundaries["rim"]})


class Enclosed:
    """The projection step on both parts, velocities given on the rim.

    Parameters
    ----------
    across : edges on a side of the square; inside is a part of 0.9 of its spacing,
        0.6 times as wide
    kind : of cells
    """

    turn, way = 0.4, 0.15  # rates [rad] and [1]

    def __init__(self, across, kind, **settings):
        h = np.pi / across
        inner = patch(round(0.6 * across / 0.9), kind, 0.9 * h)
        backend = Backend("cpu")
        parts = {"inner": inner, "back": square(across, kind, np.pi)}
        self.grid = grid = grid_of(backend, parts)
        self.link = Connectivity(grid)
        rim = grid.patches["outer"].node
        self.given = np.isin(np.arange(grid.nodes), rim)
        never = np.zeros(grid.nodes, bool)
        told = IncompressibleSettings(**(TIGHT | settings))
        self.step = Projection(grid, told, np.full(1, NU), self.given, never, self.link)
        self.defects, self.iterations, self.time = [], [], 0.0

    def place(self):
        """Part and rim at this time."""
        angle, t = self.turn * self.time, self.time
        middle = (np.pi / 2, np.pi / 2)
        x = move(self.link, {(0, "inner"): (angle, middle, (self.way * t, 0.7 * self.way * t))})
        self.step.renew()
        self.link.check(f"time {t:g}")
        u, _ = taylor_green(x, t)
        self.grid.backend.put(self.step.velocity["outer"], u[self.grid.patches["outer"].node])
        return x

    def run(self, steps, span=1.0, each=lambda: None):
        """So many steps; `each` is called after every one."""
        made, grid, dt = self.step, self.grid, span / steps
        self.link.begin()
        made.start(*taylor_green(self.place(), 0.0))
        for number in range(1, steps + 1):
            self.time = number * dt
            made.step.begin(number)
            grid.keep_levels()
            grid.set_time_levels(np.full(1, dt), min(number, 2))
            self.place()
            grid.measure()
            grid.sweep()
            made.loop.set_floor(np.full(1, dt))
            made.step.march()
            self.defects.append(float(grid.backend.get(made.flow["defect"])[0]))
            self.iterations.append(int(grid.backend.get(made.pressure.steps)[0]))
            each()
        return self

    @property
    def field(self):
        return self.grid.backend.get(self.link.status) == 1

    def errors(self):
        """RMS errors of velocity and pressure over the area of field nodes."""
        get = self.grid.backend.get
        x, u, p = (get(a) for a in (self.grid.x, self.step.flow["u"], self.step.flow["p"]))
        exact, pressure = taylor_green(x, self.time)
        volume = np.where(self.field, get(self.grid.V), 0.0)
        volume /= volume.sum()
        p = p - volume @ p - (pressure - volume @ pressure)
        return np.sqrt([volume @ ((u - exact) ** 2).sum(axis=1), volume @ p**2])
