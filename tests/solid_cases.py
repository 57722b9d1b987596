"""Cases on meshes in space whose nodes move at random, and steps of them."""

from dataclasses import dataclass

import numpy as np
from kinemesh.deform.mover import Deformation, Mover
from kinemesh.gas import GAMMA
from placements import along

MACH = 0.4


class ShakenMover(Mover):
    """Puts nodes to a smooth random place that grows from none at t = 0 and never repeats."""

    def __init__(self, vertices, settings):
        super().__init__(vertices)
        rng = np.random.default_rng(1)
        self.settings, self.time = settings, 0.0
        self.reference = self.backend.get(vertices.reference)
        self.k = rng.uniform(-2.0, 2.0, (4, 3, 3))
        self.omega, self.phase = rng.uniform(2, 6, (4, 3)), rng.uniform(0, 2 * np.pi, (4, 3))

    def step(self, poses):
        own, x = self.settings, self.reference
        self.time += own.time_step
        rest = np.einsum("nd,wcd->nwc", x, self.k) + self.phase
        way = np.sin(rest + self.omega * self.time) - np.sin(rest)
        shift = own.size / 2 * way.sum(axis=1)
        if not own.edges:
            inside = np.abs(x) < 1 - 1e-12
            shift *= np.where(inside, np.cos(np.pi * x / 2), 0).prod(axis=1)[:, None]
        self.backend.put(self.vertices.x, x + shift)
        return {}


@dataclass(frozen=True, slots=True)
class Shaken(Deformation):
    """All nodes of |x|, |y|, |z| <= 1 by about `size`, those of its sides too where `edges`."""

    size: float
    time_step: float
    edges: bool = False
    name = "shaken"

    def attach(self, vertices):
        return ShakenMover(vertices, self)


def stream(mach, alpha_deg):
    """(5,) primitive state of the uniform stream, rho = a = 1."""
    alpha = np.radians(alpha_deg)
    return np.array([1.0, mach * np.cos(alpha), 0.0, mach * np.sin(alpha), 1 / GAMMA])


def forced(case, steps):
    """Physical steps of three pseudo-steps each, whatever their residual.

    Returns the largest error of any node at any step, and the largest change of a dual volume.
    """
    get, s, dt = case.backend.get, case.settings, case.deform.time_step
    uniform, V0 = stream(MACH, case.alpha_deg[0]), get(case.grid.V)
    uniform = uniform if case.grid.dimensions == 3 else uniform[[0, 1, 3, 4]]
    march = case.iteration(0.0, 3, s.ramp(s.unsteady_cfl), 4)
    case.backend.put(case.dualtime.floor, 0.0)
    error = change = 0.0
    for step in range(steps):
        case.begin_step(np.array([dt]), 1 if step == 0 else 2)
        case.place(along(lambda share: [], 1.0))
        march()
        case.check_faults(f"step {step}")
        assert get(case.dualtime.iterations)[0] == 3
        error = max(error, np.abs(case.primitive() - uniform).max())
        change = max(change, np.abs(get(case.grid.V) / V0 - 1).max())
    return error, change


class ShownMover(Mover):
    """Puts nodes to one place after another, step by step."""

    def __init__(self, vertices, settings):
        super().__init__(vertices)
        self.places = iter(settings.places)

    def step(self, poses):
        self.backend.put(self.vertices.x, next(self.places))
        return {}


@dataclass(frozen=True, slots=True)
class Shown(Deformation):
    """Nodes at places that are given, so that no body is needed."""

    places: tuple
    time_step: float
    name = "shown"

    def attach(self, vertices):
        return ShownMover(vertices, self)
