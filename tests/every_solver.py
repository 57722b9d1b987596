"""Claims that every solver of the registry has to hold, on small cases of each family.

A uniform stream stays uniform; what a solver conserves is conserved; a smooth exact flow is met
with the order of the solver.  A solver more inherits them by its line in the registry, as its
family on a mesh or on a cloud has a sample here; a family more needs a sample of its own.
"""

from functools import partial
from itertools import product

import kinemesh as km
import numpy as np
from clouds import box
from exact_gas import GAMMA
from kinemesh.flow.gas import meshless_settings
from kinemesh.flow.terms.convection import CLOUD_FLUXES, FLUXES
from kinemesh.flow.terms.gradients import LIMITERS
from kinemesh.space.conditions.base import CLOUD, FACES, PROJECTION
from placements import along
from projections import (
    TIGHT,
    advance,
    ethier_steinman,
    grid_of,
    projection,
    turned_in_space,
)
from solids import cube
from solver_cases import Wobble, disc, smooth_random, stream, vortex
from squares import square

MACH, ALPHA, DT = 0.4, 17.0, 0.05
HALF = 6.0  # radii of the vortex to the far field, where it is 1e-7 of the stream
CARRIED = {"limiter": "none", "unsteady_drop": 1e-6, "unsteady_cfl": 1e6, "cfl_max": 1e9}
NU = 0.05  # of the vortices of Taylor and Green


class Sample:
    """Small cases of the solvers of a family.

    Attributes
    ----------
    order : of accuracy, in space and time together
    sizes : volumes along a side of the meshes or clouds on which it is measured
    apart : largest `remainder`
    """

    order = 2
    sizes: tuple[int, ...]
    apart: float

    def __init__(self, device):
        self.device = device

    def settings(self):
        """Settings with which a uniform stream is tried."""
        return [{}]

    def uniform(self, line, way, **settings):
        """Case of a uniform stream whose mesh or cloud goes a `way`: rest, rigid or deforming."""
        raise NotImplementedError

    def departure(self, case):
        """Largest difference of the flow from that stream."""
        raise NotImplementedError

    def remainder(self, line):
        """Share of what volumes exchange that is neither kept nor passed on."""
        raise NotImplementedError

    def error(self, line, size):
        """Error of a smooth flow that is known, in the mean square."""
        raise NotImplementedError


def law_of(way, half):
    """Law of all nodes: at rest, turned and shifted as one, each on a way of its own."""
    smooth = smooth_random(half, 0.15 * half, edges=True)

    def law(points, t):
        plane, moved = points[:, [0, -1]], points.copy()
        if way == "deforming":
            plane = smooth(plane, t)
        elif way == "rigid":
            turn = np.exp(0.7j * np.sin(2.1 * t)) * (plane @ [1, 1j])
            plane = np.stack([turn.real + 0.3 * half * t, turn.imag + 0.2 * half * t], axis=1)
        moved[:, [0, -1]] = plane
        return moved

    return law


class Gas(Sample):
    """A gas without bodies, in the far field alone."""

    dimensions = 2
    sizes = 20, 28, 40

    def space(self, size, half):
        """Mesh or cloud of |x| < half with `size` volumes along a side."""
        raise NotImplementedError

    def make(self, line, space, way="rest", half=1.0, alpha_deg=ALPHA, **settings):
        return line.solver(
            space, mach=MACH, alpha_deg=alpha_deg, walls=[], deform=Wobble(law_of(way, half), DT),
            settings=line.settings(**settings), device=self.device,
        )  # fmt: skip

    def uniform(self, line, way, **settings):
        return self.make(line, self.space(8, 1.0), way, **settings)

    def departure(self, case):
        return np.abs(case.primitive() - self.states(stream(MACH, ALPHA)[None])).max()

    def states(self, q):
        """Primitive states of plane flow, in space with no velocity across the plane."""
        return q if self.dimensions == 2 else np.insert(q, 2, 0.0, axis=1)

    def error(self, line, size):
        """Shu's isentropic vortex, carried through the origin."""
        steps = size // 4
        made = self.make(line, self.space(size, HALF), half=HALF, alpha_deg=30.0, **CARRIED)
        x = made.grid.points
        before, after = (self.states(vortex(x[:, [0, -1]], t)) for t in (-0.5, 0.5))
        made.initialise(before)
        made.run(time_step=1.0 / steps, steps=steps, start="as is", preflight=False)
        V = made.backend.get(made.grid.V) * self.counts(x)
        return np.sqrt((V[:, None] * (made.primitive() - after) ** 2).sum() / V.sum())

    def counts(self, points):
        """Mask of the volumes that the error is measured on."""
        return np.ones(len(points))


class Faces(Gas):
    """A gas on volumes of a mesh: what leaves one through a face enters the next."""

    apart = 1e-14  # hundreds of roundings, each half an eps of its flux, of one sign or the other

    def settings(self):
        return [{"flux": f, "limiter": k} for f, k in product(FLUXES, LIMITERS)]

    def space(self, size, half):
        made = disc(size // 2)
        return km.Mesh(half * made.points, made.triangles, made.quads, made.boundaries)

    def remainder(self, line):
        """Sum of the residuals less their time terms, without the boundary, states at random."""
        made, rng = self.make(line, self.space(8, 1.0), "deforming"), np.random.default_rng(5)
        get, grid = made.backend.get, made.grid
        low, high = (0.5, -0.8, -0.8, 0.4), (1.5, 0.8, 0.8, 1.2)
        for step in (1, 2, 3):
            u = made.model.conserved(self.states(rng.uniform(low, high, (grid.nodes, 4))))
            made.backend.put(made.u, u)
            if step < 3:
                made.begin_step(np.array([DT]), step)
                made.place(along(lambda share: [], 1.0))
        for term in made.terms.values():
            for call in term.residual() if term.name != "boundary" else ():
                call()
        change = get(grid.bdf)[0, 0] * get(grid.V)[:, None] * u + get(made.past)
        exchanged = get(made.res) - change
        return (np.abs(exchanged.sum(axis=0)) / np.abs(exchanged).sum(axis=0)).max()


class FacesInSpace(Faces):
    """A gas on volumes of a mesh in space; the vortex fills layers between planes of symmetry."""

    dimensions = 3
    sizes = 28, 40  # gradients that see one side of a plane come to their order later than others

    def space(self, size, half):
        if half == 1.0:
            return cube(size // 2, "mixed", size=2.0, jitter=0.1, middle=-1.0)
        return km.mesh.extruded(super().space(size, half), 4 * half / size, 2, "tets")


class Points(Gas):
    """A gas on a cloud, which has no faces: linear fluxes have exact divergences instead."""

    apart = 1e-12  # as gradients of linear fields, tests/flow/test_meshless.py

    def settings(self):
        limited = [{"flux": "roe", "limiter": k} for k in meshless_settings.LIMITERS]
        return [*limited, *({"flux": f} for f in CLOUD_FLUXES if f != "roe")]

    def space(self, size, half):
        return km.Cloud.from_mesh(Faces(self.device).space(size, half))

    def remainder(self, line):
        """Error of the divergence of fluxes, linear as the pressure is, the rest constant."""
        made = self.make(line, self.space(10, 1.0), limiter="none")
        get, grid, dim = made.backend.get, made.grid, self.dimensions
        drift, slope = np.array([0.3, 0.1, -0.2])[:dim], np.array([-0.1, 0.05, 0.2])[:dim]
        rest = np.ones(grid.nodes)
        made.initialise(np.column_stack([rest, np.outer(rest, drift), 1 + grid.points @ slope]))
        made.start_steady()
        for call in made.residual():
            call()
        rate = get(made.res) / get(grid.V)[:, None]
        exact = np.array([0.0, *slope, GAMMA / (GAMMA - 1) * drift @ slope])
        inside = np.setdiff1d(np.arange(grid.nodes), grid.patches["far"].node)
        return np.abs(rate - exact)[inside].max() / np.abs(exact).max()


class PointsInSpace(Points):
    """A gas on a cloud in space; the vortex fills layers from a plane of symmetry.

    Errors are those on that plane.
    """

    dimensions = 3
    sizes = 16, 24

    def space(self, size, half):
        return box() if half == 1.0 else layers(size, half)

    def counts(self, points):
        return points[:, 1] == 0


def layers(size, half, depth=4.0):
    """Jittered points of |x|, |z| <= half, alike in layers from y = 0 to `depth`.

    From the far field there, where the stream has no vortex, no wave comes to y = 0 in a time of 1.
    """
    side, step = np.linspace(-half, half, size + 1), 2 * half / size
    shape = size + 1, int(np.ceil(depth / step)) + 1, size + 1
    points = np.stack(np.meshgrid(side, step * np.arange(shape[1]), side, indexing="ij"), axis=-1)
    rng = np.random.default_rng(size)
    points[1:-1, :, 1:-1, ::2] += rng.uniform(-0.2, 0.2, (size - 1, 1, size - 1, 2)) * step
    number = np.arange(np.prod(shape)).reshape(shape)
    pairs, sides = [], {"farfield": [], "symmetry": []}
    for axis in range(3):
        lines = np.moveaxis(number, (axis, (axis + 1) % 3), (0, 1))
        pairs.append(np.stack([lines[:-1].ravel(), lines[1:].ravel()], 1))
        for face, turn in ((lines[-1], 1), (lines[0], -1)):
            corners = face[:-1, :-1], face[1:, :-1], face[1:, 1:], face[:-1, 1:]
            a, b, c, d = (own.ravel() for own in corners)
            name = "symmetry" if axis == 1 and turn < 0 else "farfield"
            sides[name] += [np.stack(own, 1)[:, ::turn] for own in ((a, b, c), (a, c, d))]
    facets = {name: np.concatenate(own) for name, own in sides.items()}
    return km.Cloud.from_pairs(points.reshape(-1, 3), np.concatenate(pairs), facets)


class Projected(Sample):
    """Incompressible flow: what flows into a dual flows out of it."""

    sizes = 16, 32
    apart = TIGHT["pressure_tolerance"]

    def uniform(self, line, way, **settings):
        """A mesh at rest, or a part alone that turns and shifts."""
        mesh, about = square(8, "mixed", jitter=0.3), {"reynolds": 100.0, "alpha_deg": ALPHA}
        about |= {"walls": [], "settings": line.settings(**settings), "device": self.device}
        if way == "rest":
            return line.solver(mesh, **about)
        turn = km.motion.pitch(20.0, 1.0, about=(0.5, 0.5)) + km.motion.plunge(0.2, 0.5)
        return line.solver({"all": mesh}, motion={"all": turn}, **about)

    def departure(self, case):
        """Largest difference of velocities, and a twentieth of that of pressures."""
        get, flow = case.backend.get, case.projection.flow
        return max(np.abs(get(flow["u"]) - case.inflow).max(), np.abs(get(flow["p"])).max() / 20)

    def closed(self, line, size):
        """A square of pi between slip walls, and its coordinates."""
        made = line.solver(
            {"all": square(size, "mixed", size=np.pi)}, reynolds=1 / NU, stream=0.0, walls=[],
            boundaries={"rim": "symmetry"}, settings=line.settings(**TIGHT),
            device=self.device,
        )  # fmt: skip
        return made, made.grid.points.T

    def remainder(self, line):
        """Divergence that steps leave of given velocities, over the one that these had."""
        made, (x, y) = self.closed(line, 12)
        get, flow = made.backend.get, made.projection.flow
        away = np.stack([np.sin(x) * np.cos(y), np.cos(x) * np.sin(y)], axis=1)
        made.initialise(away + taylor_green(x, y, 0.0)[0])
        made.run(time_step=DT, steps=2, start="as is")
        for call in made.projection.operators.divergence(made.projection.fields):
            call()
        net = get(flow["net"])
        assert abs(net.sum()) <= 1e-14 * np.abs(get(flow["flow"])).sum()  # as of `Faces`
        return np.abs(net / get(made.grid.V)).max() / 2.0

    def error(self, line, size):
        """Vortices of Taylor and Green."""
        steps = size // 4
        made, (x, y) = self.closed(line, size)
        made.initialise(*taylor_green(x, y, 0.0))
        made.run(time_step=1.0 / steps, steps=steps, start="as is")
        V, u = (made.backend.get(a) for a in (made.grid.V, made.projection.flow["u"]))
        return np.sqrt((V[:, None] * (u - taylor_green(x, y, 1.0)[0]) ** 2).sum() / V.sum())


class Carried:
    """The step on a cube in space whose faces have velocities given, driven by hand.

    Parameters
    ----------
    across : edges along a side;  flow : of places and times, velocities and pressure
    way : of the grid: at rest, or turned and shifted as one
    """

    def __init__(self, line, across, flow, nu, way, device):
        self.grid = grid_of([cube(across, "mixed", 2.0, 0.1, middle=-1.0)], "outer", device=device)
        self.backend, self.way, self.flow = self.grid.backend, way, flow
        self.projection = projection(self.grid, "outer", nu, convection=line.settings().convection)
        self.go(0.0)
        self.projection.start(*flow(self.grid.points, 0.0))

    def go(self, time):
        """Velocities of the faces at a time."""
        there, _ = self.flow(self.grid.points, time)
        rim = self.grid.patches["outer"].node
        self.backend.put(self.projection.velocity["outer"], there[rim])
        return there

    def run(self, time_step, steps, **_):
        for number in range(1, steps + 1):
            time = number * time_step
            move = turned_in_space(self.grid.vertices.points, time) if self.way == "rigid" else None
            advance(self.projection, number, time_step, "outer", self.go(time), move)


class ProjectedInSpace(Projected):
    """Incompressible flow in space, where slip walls are of one direction."""

    sizes = 8, 16

    def uniform(self, line, way, **settings):
        del settings
        self.inflow = np.array([0.8, 0.6, -0.4])
        made = Carried(
            line, 4, lambda x, t: (np.tile(self.inflow, (len(x), 1)), np.zeros(len(x))), NU, way,
            self.device,
        )  # fmt: skip
        made.inflow = self.inflow
        return made

    def remainder(self, line):
        """Divergence that steps leave of the flow of Ethier and Steinman, over the largest rate."""
        made = Carried(line, 6, self.exact, NU, "rest", self.device)
        made.run(DT, 2)
        get, flow = made.backend.get, made.projection.flow
        for call in made.projection.operators.divergence(made.projection.fields):
            call()
        net = get(flow["net"]) - get(flow["defect"])[0] * get(made.grid.V)
        return np.abs(net / get(made.grid.V)).max() / 2.0

    def error(self, line, size):
        steps = size // 2
        made = Carried(line, size, self.exact, NU, "rest", self.device)
        made.run(0.2 / steps, steps)
        V, u = (made.backend.get(a) for a in (made.grid.V, made.projection.flow["u"]))
        off = u - self.exact(made.grid.points, 0.2)[0]
        return np.sqrt((V[:, None] * off**2).sum() / V.sum())

    @staticmethod
    def exact(x, time):
        return ethier_steinman(x, NU, time)


def taylor_green(x, y, time):
    """Velocities and pressure of Taylor and Green (1937) in the square of pi."""
    decay = np.exp(-2 * NU * time)
    u = np.stack([np.sin(x) * np.cos(y), -np.cos(x) * np.sin(y)], axis=1) * decay
    return u, 0.25 * (np.cos(2 * x) + np.cos(2 * y)) * decay**2


SAMPLES = {
    ("mesh", FACES, 2): Faces,
    ("mesh", FACES, 3): FacesInSpace,
    ("cloud", CLOUD, 2): Points,
    ("cloud", CLOUD, 3): PointsInSpace,
    ("mesh", PROJECTION, 2): Projected,
    ("mesh", PROJECTION, 3): ProjectedInSpace,
}


# ---------------------------------------------------------------- claims


def sample_of(line, dimensions, device):
    """Sample for a line of the registry."""
    key = line.on, line.solver.family, dimensions
    assert key in SAMPLES, (
        f"solver {line.name!r} is of {key}, of which tests/every_solver.py has no case: give a "
        "sample there"
    )
    return SAMPLES[key](device)


def stays_uniform(way, line, dimensions, device="cpu"):
    """Assert that a stream stays uniform over 20 steps, for all settings of the sample."""
    sample = sample_of(line, dimensions, device)
    for settings in sample.settings():
        case = sample.uniform(line, way, **settings)
        case.run(time_step=DT, steps=20, start="as is", preflight=False)
        moved = np.abs(case.backend.get(case.grid.x) - case.grid.vertices.points).max()
        assert (moved > 0.1) == (way != "rest"), (way, moved)
        # the bar of the method's statement, as tests/flow/test_exact_freestream.py
        assert sample.departure(case) <= 1e-12, settings


def conserves(line, dimensions, device="cpu"):
    """Assert that what the sample counts is conserved to the last rounding, or tolerance."""
    sample = sample_of(line, dimensions, device)
    assert sample.remainder(line) <= sample.apart


def converges(line, dimensions, device="cpu", order=None):
    """Assert the order of accuracy, by the slope of errors over sizes; 0.2 for coarse ones."""
    sample = sample_of(line, dimensions, device)
    errors = [sample.error(line, size) for size in sample.sizes]
    found = -np.polyfit(np.log(sample.sizes), np.log(errors), 1)[0]
    assert found >= (order or sample.order) - 0.2, errors


def claims(line, **orders):
    """Claims of a solver by name, each a callable of dimensions and device.

    Parameters
    ----------
    orders : `order`, where it is not that of the sample
    """
    ways = ["rest", "rigid", *(["deforming"] if set(line.deforms) - {"rigid"} else [])]
    found = {f"uniform, {way}": partial(stays_uniform, way, line) for way in ways}
    return found | {
        "conserved": partial(conserves, line),
        "order": partial(converges, line, **orders),
    }
