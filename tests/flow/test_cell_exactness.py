"""Cells whose vertices jump at random: a uniform stream, swept volumes, closed surfaces."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.flow.terms.gradients import CELL_GRADIENTS
from samples import direct
from solver_cases import Wobble, on_devices, stream
from squares import KINDS, square

EPS = np.finfo(float).eps
MACH, ALPHA, DT, STEPS, ACROSS = 0.4, 17.0, 0.05, 100, 6


def jumps(points, time):
    """Inner nodes in other places at each time, by up to a fifth of an edge along both axes."""
    inside = ((points > 1e-9) & (points < 1 - 1e-9)).all(axis=1)
    rng = np.random.default_rng(round(time / DT))
    return points + inside[:, None] * rng.uniform(-0.2, 0.2, points.shape) / ACROSS


class Watched(km.CellCentred):
    """A case that keeps, of each step, errors of its geometry and the largest change of a cell."""

    def predict(self):
        super().predict()
        get, grid = self.backend.get, self.grid
        V, V1, dV = (get(own) for own in (grid.V, grid.V1, grid.dV1))
        first, second = grid.lr.T
        faces = [(first, 1, dV, get(grid.S)), (second, -1, dV, get(grid.S))]
        for patch in grid.patches.values():
            faces.append((patch.node, 1, get(patch.device["dV1"]), get(patch.device["S"])))
        grown, size, closed, surface = 0.0, V + V1, 0.0, 0.0
        for cell, sign, swept, S in faces:
            grown = grown + sign * np.bincount(cell, swept, grid.nodes)
            size = size + np.bincount(cell, abs(swept), grid.nodes)
            sums = [np.bincount(cell, own, grid.nodes) for own in S.T]
            closed = closed + sign * np.stack(sums)
            surface = surface + np.bincount(cell, np.hypot(*S.T), grid.nodes)
        errors = abs(V - V1 - grown) / size, abs(closed).max(axis=0) / surface
        self.seen.append([*(own.max() for own in errors), abs(V / V1 - 1).max()])


@pytest.mark.long
@on_devices
@pytest.mark.flow
@pytest.mark.parametrize(
    ("kind", "gradient"),
    [*((kind, "nodes") for kind in KINDS), *(("mixed", own) for own in CELL_GRADIENTS[1:])],
)
def test_a_stream_stays_uniform_over_a_hundred_steps_of_cells_that_jump(kind, gradient, device):
    case = Watched(
        square(ACROSS, kind), mach=MACH, alpha_deg=ALPHA, walls=[], deform=Wobble(jumps, DT),
        settings=km.CellSettings(gradient=gradient), device=device,
    )  # fmt: skip
    case.seen = []
    case.run(time_step=DT, steps=STEPS, start="as is", preflight=False)
    swept, closed, change = np.max(case.seen, axis=0)

    assert len(case.seen) == STEPS
    assert swept < 1e-14
    assert closed < 1e-14
    assert change > 0.2
    assert np.abs(case.primitive() - stream(MACH, ALPHA)).max() < 1e-12  # the method's own bar


def test_an_edge_sweeps_what_gauss_finds_over_time(backend):
    """Velocities are linear along the edge, and its normal is linear in time."""
    rng = np.random.default_rng(2)
    before, after = rng.uniform(-1, 1, (2, 40, 2))
    ends = np.arange(40).reshape(20, 2)
    found = direct(backend, "face_sweeps", x0=before, x1=after, ends=ends, dV=np.ones(20))["dV"]

    expected, velocity = 0.0, after - before
    for share in (0.5 - 12**-0.5, 0.5 + 12**-0.5):
        p, q = (before + share * velocity)[ends].transpose(1, 0, 2)
        normal = np.stack([(q - p)[:, 1], -(q - p)[:, 0]], axis=1)
        expected = expected + 0.5 * (velocity[ends].mean(axis=1) * normal).sum(axis=1)

    assert found == pytest.approx(expected, rel=0, abs=1e-14)
