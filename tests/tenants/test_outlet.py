"""A tenant: an outlet with a back pressure, against the exact isentropic flow of a channel."""

from dataclasses import dataclass

import kinemesh as km
import numpy as np
import pytest
from kinemesh.gas import GAMMA
from kinemesh.space.conditions import table
from kinemesh.space.conditions.base import FACES, OUTER, Condition
from scipy.optimize import brentq
from squares import square

pytestmark = [pytest.mark.flow, pytest.mark.long]


@dataclass(frozen=True, slots=True)
class Valve(Condition):
    """Outflow to a share of p_inf, as `km.outlet(pressure=share)`."""

    kind, role, families, flux = "valve", OUTER, (FACES,), "outlet"
    flow, still, leaves = "a gas", True, True
    share: float

    def arrays(self):
        return {"back": np.array(self.share / GAMMA)}


def nozzle(cells):
    """A channel of length 1 whose height, 0.02 at its ends, narrows by a fifth."""
    made = square(cells, "quads")
    x, y = made.points.T
    points = np.stack([x, 0.02 * (y - 0.5) * (1 - 0.2 * np.sin(np.pi * x) ** 2)], axis=1)
    rim = made.boundaries["rim"]
    (x0, x1), (y0, y1) = x[rim].T, y[rim].T
    on = {"in": x0 + x1 == 0, "out": x0 + x1 == 2, "low": y0 + y1 == 0, "top": y0 + y1 == 2}
    sides = {name: rim[which] for name, which in on.items()}
    return km.Mesh(points, made.triangles, made.quads, sides)


def area(mach):
    return (1 + 0.2 * mach**2) ** 3 / mach  # over that of the throat


def error(cells, share=0.9):
    sides = {"in": km.inlet(total_pressure=1.0), "out": {"kind": "valve", "share": share},
             "low": "symmetry", "top": "symmetry"}  # fmt: skip
    fine = km.AleSettings(steady_drop=1e-8, limiter="none")
    case = km.Ale(nozzle(cells), mach=0.3, boundaries=sides, settings=fine, device="cpu")
    assert case.steady().converged
    height = 1 - 0.2 * np.sin(np.pi * case.grid.points[:, 0]) ** 2
    critical = height * area(np.sqrt(5 * (share ** (-2 / 7) - 1)))
    mach = np.array([brentq(lambda m, a=a: area(m) - a, 1e-3, 1) for a in critical])
    return np.sqrt(np.mean((case.primitive()[:, 3] * GAMMA - (1 + 0.2 * mach**2) ** -3.5) ** 2))


def test_a_back_pressure_drives_a_channel_with_second_order(monkeypatch):
    monkeypatch.setattr(table, "CONDITIONS", [*table.CONDITIONS, Valve])
    off = [error(cells) for cells in (12, 24, 48)]
    assert (np.log2(np.divide(off[:-1], off[1:])) > 1.9).all()
