"""Exact flows in a closed square or cube, a part like it moving and turning inside.

Taylor and Green's in the plane, that of Ethier and Steinman in space.
"""

import numpy as np
from kinemesh.device.backend import Backend
from kinemesh.flow.projection.projection import Projection
from kinemesh.flow.projection.settings import IncompressibleSettings
from kinemesh.mesh import Mesh
from kinemesh.motion import Pose
from kinemesh.overset.connectivity import Connectivity
from overset_parts import grid_of, move, move_in_space
from projections import DRIFT, TIGHT, ethier_steinman
from solids import cube
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

    turn, way, nu = 0.4, 0.15, NU  # rates [rad] and [1], viscosity
    flow = staticmethod(taylor_green)

    def __init__(self, across, kind, **settings):
        self.grid = grid = grid_of(Backend("cpu"), self.parts(across, kind))
        self.link = Connectivity(grid)
        rim = grid.patches["outer"].node
        self.given = np.isin(np.arange(grid.nodes), rim)
        never = np.zeros(grid.nodes, bool)
        told = IncompressibleSettings(**(TIGHT | settings))
        self.step = Projection(grid, told, np.full(1, self.nu), self.given, never, self.link)
        self.defects, self.iterations, self.time = [], [], 0.0

    def parts(self, across, kind):
        """Meshes of the part inside and of the square, by name."""
        inner = patch(round(0.6 * across / 0.9), kind, 0.9 * np.pi / across)
        return {"inner": inner, "back": square(across, kind, np.pi)}

    def moved(self):
        """Nodes at this time, the part's moved."""
        way, middle = self.way * self.time, (np.pi / 2, np.pi / 2)
        return move(self.link, {(0, "inner"): (self.turn * self.time, middle, (way, 0.7 * way))})

    def place(self):
        """Part and rim at this time."""
        x, t = self.moved(), self.time
        self.step.renew()
        self.link.check(f"time {t:g}")
        u, _ = self.flow(x, t)
        self.grid.backend.put(self.step.velocity["outer"], u[self.grid.patches["outer"].node])
        return x

    def run(self, steps, span=1.0, each=lambda: None):
        """So many steps; `each` is called after every one."""
        made, grid, dt = self.step, self.grid, span / steps
        self.link.begin()
        made.start(*self.flow(self.place(), 0.0))
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
        """RMS errors of velocity and pressure over the duals of field nodes."""
        get = self.grid.backend.get
        x, u, p = (get(a) for a in (self.grid.x, self.step.flow["u"], self.step.flow["p"]))
        exact, pressure = self.flow(x, self.time)
        volume = np.where(self.field, get(self.grid.V), 0.0)
        volume /= volume.sum()
        p = p - volume @ p - (pressure - volume @ pressure)
        return np.sqrt([volume @ ((u - exact) ** 2).sum(axis=1), volume @ p**2])


class EnclosedInSpace(Enclosed):
    """Projection step in the cube from -1 to 1: a flow of Ethier and Steinman that drifts.

    The part inside has 0.9 of its spacing, is 0.6 times as wide and turns about an axis of its own.
    """

    turn, way, nu, axis = 0.6, 0.2, 0.1, (0.3, 1.0, 0.5)
    drift = DRIFT

    def flow(self, x, time):
        return ethier_steinman(x, self.nu, time, self.drift)

    def parts(self, across, kind):
        within = round(0.6 * across / 0.9)
        half = 0.9 * within / across
        inner = cube(within, kind, 2 * half, middle=-half)
        inner = Mesh.from_blocks(inner.points, inner.solids, {"overset": inner.boundaries["rim"]})
        return {"inner": inner, "back": cube(across, kind, 2.0, middle=-1.0)}

    def moved(self):
        way, angle = self.way * self.time, self.turn * self.time
        pose = Pose(angle, (0.0, 0.0, 0.0), (way, -0.5 * way, 0.7 * way), axis=self.axis)
        return move_in_space(self.link, {"inner": pose})
