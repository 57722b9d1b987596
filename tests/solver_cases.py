"""Meshes, motions and small tools that the tests of the solver share."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

import kinemesh as km
import numpy as np
import pytest
from exact_gas import GAMMA
from kinemesh.deform import Deformation, Mover
from kinemesh.device.backend import Backend
from kinemesh.errors import DeviceError
from kinemesh.flow import registry
from scipy.spatial import Delaunay as Triangulation

DATA = Path(km.__file__).parent / "cases" / "data"


def _no_cuda() -> str:
    try:
        Backend("cuda")
    except DeviceError as error:
        return f"no CUDA: {error}"
    return ""


_REASON = _no_cuda()
IN_PLANE = {name: km.deform.METHODS[name] for name in ("springs", "delaunay", "rigid")}
"""Deformations of what is in the plane, by name; Modal() without shapes is rigid motion."""
on_devices = pytest.mark.parametrize(
    "device",
    ["cpu", pytest.param("cuda", marks=[
        pytest.mark.cuda, pytest.mark.skipif(bool(_REASON), reason=_REASON)])],
)  # fmt: skip


# ---------------------------------------------------------------- a solver more


def registered(monkeypatch, solver, settings=km.AleSettings, like="ale", **changes):
    """Line of the registry of a solver more, which a test has defined, in a module of its own."""
    home = ModuleType(f"kinemesh.flow.{solver.method}_of_a_test")
    setattr(home, solver.__name__, solver)
    setattr(home, settings.__name__, settings)
    monkeypatch.setitem(sys.modules, home.__name__, home)
    own = {"name": solver.method, "home": f"{solver.method}_of_a_test.{solver.__name__}"}
    line = registry.named(like)._replace(**own, **changes)
    monkeypatch.setattr(registry, "SOLVERS", (*registry.SOLVERS, line))
    return line


# ---------------------------------------------------------------- a case file


def case_text(*, method="springs", cycles=2, steps_per_cycle=8, more=""):
    """TOML of a small section that pitches, `small` by name; `more` goes to its end."""
    return f"""
name = "small"
mode = "unsteady"
[mesh]
section = "naca0012"
nodes = 500
far_field = 8.0
[flow]
mach = 0.5
alpha_deg = 1.0
[motion]
pitch = {{ amplitude_deg = 2.0, k = 0.1 }}
[deform]
method = "{method}"
[run]
cycles = {cycles}
steps_per_cycle = {steps_per_cycle}
device = "cpu"
{more}"""


# ---------------------------------------------------------------- meshes


def naca0012_mesh():
    """The SU2 project's mesh of 5233 nodes that comes with the package."""
    return km.mesh.read(DATA / "mesh_NACA0012_inv.su2.xz")


def outline(cells):
    """(k, 2) edges that only one cell has; cells (c, 4), fourth -1: triangle."""
    sides = []
    for cell in cells.tolist():
        corners = [i for i in cell if i >= 0]
        sides += list(zip(corners, corners[1:] + corners[:1], strict=True))
    there = set(sides)
    return np.array([(a, b) for a, b in sides if (b, a) not in there])


def square(cells, half=1.0, quads=False, jitter=0.25, seed=0):
    """Jittered square |x|, |y| <= half of `cells` by `cells`, marker `farfield` on all sides.

    Diagonals turn at random; with `quads` a third of the squares is left whole.
    """
    rng = np.random.default_rng(seed)
    side = np.linspace(-half, half, cells + 1)
    x, y = (a.ravel() for a in np.meshgrid(side, side))
    inner = (np.abs(x) < 0.999 * half) & (np.abs(y) < 0.999 * half)
    points = np.stack([x, y], axis=1)
    points += inner[:, None] * rng.uniform(-1, 1, points.shape) * jitter * (2 * half / cells)
    table = []
    for j in range(cells):
        for i in range(cells):
            p = j * (cells + 1) + i
            q, r, s = p + 1, p + cells + 2, p + cells + 1
            if quads and rng.random() < 1 / 3:
                table.append((p, q, r, s))
            elif rng.random() < 0.5:
                table += [(p, q, r, -1), (p, r, s, -1)]
            else:
                table += [(p, q, s, -1), (q, r, s, -1)]
    table = np.array(table)
    return km.mesh.Mesh.from_arrays(points, table, {"farfield": outline(table)})


def ring(around=12, layers=10):
    """A circle of diameter 1 in 120 nodes, too few for threads; markers `body` and `farfield`."""
    angle = 2 * np.pi * np.arange(around) / around
    radius = np.geomspace(0.5, 8.0, layers)[:, None, None]
    points = radius * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    i, j = np.meshgrid(np.arange(layers - 1), np.arange(around), indexing="ij")
    a, b = (i * around + j).ravel(), (i * around + (j + 1) % around).ravel()
    c, d = a + around, b + around
    cells = np.concatenate([np.stack([a, c, d], 1), np.stack([a, d, b], 1)])
    loop = np.stack([np.arange(around), (np.arange(around) + 1) % around], axis=1)
    sides = {"body": loop, "farfield": loop + (layers - 1) * around}
    return km.mesh.Mesh.from_arrays(points.reshape(-1, 2), cells, sides)


def disc(rings, seed=0):
    """Unit disc of triangles (Delaunay of jittered rings), marker `farfield`."""
    rng = np.random.default_rng(seed)
    points = [np.zeros((1, 2))]
    for ring in range(1, rings + 1):
        count = 6 * ring
        loose = 0.25 * (ring < rings)
        angle = 2 * np.pi * (np.arange(count) + loose * rng.uniform(-1, 1, count)) / count
        radius = (ring + loose * rng.uniform(-1, 1, count)) / rings
        points.append(np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1))
    points = np.concatenate(points)
    return km.mesh.Mesh.from_arrays(points, *_delaunay(points, lambda _: True, "farfield"))


def _delaunay(points, inside: Callable, marker: str):
    """Counter-clockwise triangles whose centre is `inside`, and their outline as one marker."""
    corners = Triangulation(points).simplices
    corners = corners[[bool(inside(points[c].mean(axis=0))) for c in corners]]
    a, b, c = (points[corners[:, k]] for k in range(3))
    area = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
    corners[area < 0] = corners[area < 0][:, [0, 2, 1]]
    corners = corners[np.abs(area) > 1e-12]
    return corners, {marker: outline(corners)}


@dataclass(frozen=True)
class Ellipse:
    """A body of a mesh made by `bodies`: centre, half axes, points on its outline."""

    centre: tuple[float, float]
    axes: tuple[float, float] = (0.5, 0.15)
    around: int = 64

    def points(self, scale=1.0, shift=0.0, grow=0.0):
        """Points of the outline, its axes scaled, then grown by a length."""
        t = 2 * np.pi * (np.arange(self.around) + shift) / self.around
        a, b = (scale * h + grow for h in self.axes)
        return np.stack([self.centre[0] + a * np.cos(t), self.centre[1] + b * np.sin(t)], axis=1)

    def holds(self, points, grow=0.0):
        """Mask of points (..., 2) inside the outline, grown by a length."""
        d = (np.asarray(points) - self.centre) / (np.array(self.axes) + grow)
        return (d**2).sum(axis=-1) < 1 - 1e-9


def bodies(ellipses: dict[str, Ellipse], radius=8.0, layers=4, rings=16):
    """Triangles around ellipses in a circle; one marker per ellipse, and `farfield`."""
    points = [e.points() for e in ellipses.values()]
    for name, ellipse in ellipses.items():
        length = 2 * np.pi * max(ellipse.axes) / ellipse.around
        for layer in range(1, layers + 1):
            grow = 0.85 * length * layer
            ring = ellipse.points(shift=0.5 * (layer % 2), grow=grow)
            keep = np.ones(len(ring), bool)
            for other, body in ellipses.items():
                if other != name:
                    keep &= ~body.holds(ring, grow=grow + 0.3 * length)
            points.append(ring[keep])
    reach = layers * 0.9 * max(2 * np.pi * max(e.axes) / e.around for e in ellipses.values())
    size = 2 * np.pi * max(max(e.axes) for e in ellipses.values()) / 48
    r, taken = 0.5 * size, [np.zeros((1, 2))]
    while r < radius * 0.97:
        count = max(6, int(2 * np.pi * r / size))
        t = 2 * np.pi * (np.arange(count) + 0.5 * (len(taken) % 2)) / count
        taken.append(r * np.stack([np.cos(t), np.sin(t)], axis=1))
        r += 0.9 * size
        size = max(size, 2 * np.pi * r / 80) if r > 1.6 else size
    t = 2 * np.pi * np.arange(80) / 80
    field = np.concatenate(taken)
    for ellipse in ellipses.values():
        field = field[~ellipse.holds(field, grow=reach)]
    points = np.concatenate([*points, field, radius * np.stack([np.cos(t), np.sin(t)], axis=1)])
    corners, edges = _delaunay(
        points, lambda c: not any(e.holds(c) for e in ellipses.values()), "farfield"
    )
    used, corners = np.unique(corners, return_inverse=True)
    corners = corners.reshape(-1, 3)
    points, markers = points[used], {}
    edges = outline(corners)
    middle = points[edges].mean(axis=1)
    outer = np.hypot(*middle.T) > 0.5 * radius
    markers["farfield"] = edges[outer]
    for name, ellipse in ellipses.items():
        near = ellipse.holds(middle, grow=0.05 * ellipse.axes[1])
        markers[name] = edges[~outer & near]
    return km.mesh.Mesh.from_arrays(points, corners, markers)


# ---------------------------------------------------------------- clouds

# one object for all who ask for the same: not for a test whether it is made alike twice
three_element = cache(km.cloud.three_element)
oneram6 = cache(km.cloud.oneram6)


# ---------------------------------------------------------------- motion of all nodes


class WobbleMover(Mover):
    """Puts every node to law(reference, t) at the end of each step."""

    def __init__(self, grid, settings):
        super().__init__(grid)
        self.settings, self.time = settings, 0.0
        self.reference = self.backend.get(grid.reference)

    def step(self, poses):
        self.time += self.settings.time_step
        self.backend.put(self.vertices.x, self.settings.law(self.reference, self.time))
        return {}


@dataclass(frozen=True, slots=True)
class Wobble(Deformation):
    """Any law (points, t) -> points at all nodes."""

    law: Callable
    time_step: float
    name = "wobble"

    def attach(self, grid):
        return WobbleMover(grid, self)


def smooth_random(half, size, seed=1, edges=False, waves=4, rate=4.0):
    """Law of a smooth random displacement of about `size`; `edges`: boundary nodes move too.

    Without `edges` it is zero on |x| = half and |y| = half; it grows from zero at t = 0, and
    never repeats (waves of incommensurate angular frequencies, rate / 2 to 3 rate / 2).
    """
    rng = np.random.default_rng(seed)
    k = rng.uniform(-1.5, 1.5, (waves, 2, 2)) * np.pi / (2 * half)
    omega, phase = rate * rng.uniform(0.5, 1.5, (waves, 2)), rng.uniform(0, 2 * np.pi, (waves, 2))

    def law(points, t):
        argument = np.einsum("nd,wcd->nwc", points, k) + omega * t + phase
        rest = np.einsum("nd,wcd->nwc", points, k) + phase
        d = (np.sin(argument) - np.sin(rest)).sum(axis=1) * size / np.sqrt(waves)
        if not edges:
            fade = np.cos(np.pi * np.clip(points / half, -1, 1) / 2)
            d = d * np.where(np.abs(points) >= half * (1 - 1e-12), 0, fade).prod(axis=1)[:, None]
        return points + d

    return law


# ---------------------------------------------------------------- an exact flow


def stream(mach, alpha_deg):
    """(4,) primitive state of the uniform stream, rho = a = 1."""
    alpha = np.radians(alpha_deg)
    return np.array([1.0, mach * np.cos(alpha), mach * np.sin(alpha), 1 / GAMMA])


def vortex(points, t, mach=0.4, alpha_deg=30.0, beta=1.0):
    """(nodes, 4) primitive states of Shu's isentropic vortex at time t, at the origin at t = 0."""
    _, u, v, _ = stream(mach, alpha_deg)
    dx, dy = points[:, 0] - u * t, points[:, 1] - v * t
    r2 = dx**2 + dy**2
    f = beta / (2 * np.pi) * np.exp((1 - r2) / 2)
    temperature = 1 - (GAMMA - 1) * beta**2 / (8 * np.pi**2) * np.exp(1 - r2)
    rho = temperature ** (1 / (GAMMA - 1))
    return np.stack([rho, u - dy * f, v + dx * f, rho * temperature / GAMMA], axis=1)


# ---------------------------------------------------------------- geometric conservation


def swept(grid):
    """Sum of the swept volumes of each node's faces over the last step, and of their sizes."""
    get, total = grid.backend.get, np.zeros((2, grid.nodes))
    dV, (a, b) = get(grid.dV1), grid.dual.lr.T
    np.add.at(total[0], a, dV)
    np.add.at(total[0], b, -dV)
    for end in (a, b):
        np.add.at(total[1], end, np.abs(dV))
    for side in (grid.wall, grid.patches["far"]):
        dV = get(side.device["dV1"])
        np.add.at(total[0], side.node, dV)
        np.add.at(total[1], side.node, np.abs(dV))
    return total


def rates(grid):
    """Sum over each node's faces of the swept rate w that the flux uses."""
    get, total = grid.backend.get, np.zeros(grid.nodes)
    w, (a, b) = get(grid.w).astype(float), grid.dual.lr.T
    np.add.at(total, a, w)
    np.add.at(total, b, -w)
    for side in (grid.wall, grid.patches["far"]):
        np.add.at(total, side.node, get(side.device["w"]).astype(float))
    return total


def pitching(mesh, **changes):
    """Two members that pitch by 1 and 0.5 degrees at Mach 0.4 and 0.5, k = 0.1 and 0.2."""
    pitches = [km.motion.pitch(1.0, 0.1), km.motion.pitch(0.5, 0.2)]
    told = {"mach": (0.4, 0.5), "motion": pitches, "deform": km.deform.Rigid(), "device": "cpu"}
    settings = km.AleSettings(steady_drop=1e-3, unsteady_drop=1e-2)
    return km.Ale(mesh, settings=settings, **(told | changes))


# ---------------------------------------------------------------- springs


def mover_of(mesh, device, **options):
    """A spring mover on its own, and the case that owns its grid."""
    springs = km.deform.TorsionalSprings(
        **{
            k: options.pop(k)
            for k in ("tolerance", "substeps", "iterations", "solver")
            if k in options
        }
    )
    ale = km.Ale(mesh, mach=0.5, device=device, deform=springs, chord=1.0, **options)
    return ale, springs.attach(ale.grid.vertices)


def turned(degrees):
    return km.motion.Pose(np.radians(degrees), (0.25, 0.0))
