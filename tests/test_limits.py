"""Limits of what is taken, told or refused, each with a case close on either side.

An entry states the limit as docs and messages have it, not by the name that the code has for it: a
constant that changes unseen fails here.
"""

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import kinemesh as km
import numpy as np
import pytest
from kinemesh.flow.door import fluids, limits
from kinemesh.study.richardson import order_of


class Limit(NamedTuple):
    """A number at which something changes.

    Parameters
    ----------
    value : float
    said : callable    number -> text of the refusal, warning or note, empty where there is none
    above : bool       True where numbers above it are told, else those below
    words : str        in the text
    step : float       to the nearest number beside it that differs; a share where below 1
    """

    value: float
    said: Callable[[Any], str]
    above: bool
    words: str
    step: float = 1e-9


def told(make):
    """Text of what a call refuses or warns of, else empty."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            make()
        except km.KinemeshError as error:
            return str(error)
    return " ".join(str(one.message) for one in caught)


@cache
def mesh():
    return km.mesh.airfoil("naca0012", nodes=500, far_field=8.0)


def gas(**given):
    return told(lambda: km.Ale(mesh(), **({"mach": 0.5} | given), device="cpu"))


def order(p):
    """Reason to mistrust an order of accuracy that is exact on three sizes."""
    return order_of([1 + 0.1 * h**p for h in (1, 2, 4)], [1, 2, 4]).why


def inlet(degrees):
    """An inflow by an angle to the inward normal, into a channel along x."""
    side = np.linspace(0, 1, 4)
    x, y = (a.ravel() for a in np.meshgrid(side, side))
    at = np.arange(16).reshape(4, 4)
    cells = np.stack([at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]], -1).reshape(-1, 4)
    ends = {"in": at[:, 0], "out": at[:, -1], "low": at[0], "high": at[-1]}
    sides = {name: np.stack([own[:-1], own[1:]], 1) for name, own in ends.items()}
    made = km.mesh.Mesh.from_arrays(np.stack([x, y], 1), cells, sides)
    ends = {"in": km.inlet(total_pressure=1.1, alpha_deg=degrees), "out": km.outlet(pressure=1.0)}
    return told(
        lambda: km.Ale(made, mach=0.3, walls=["low", "high"], boundaries=ends, device="cpu")
    )


LIMITS = {
    "Mach number": Limit(20.0, lambda v: gas(mach=v), True, "expected at most 20"),
    "slowest Mach number": Limit(1e-6, lambda v: gas(mach=v), False, "km.Incompressible"),
    "Mach number that may be a velocity": Limit(5.0, limits.doubt, True, "was a velocity meant"),
    "angle of attack": Limit(180.0, lambda v: gas(alpha_deg=v), True, "-180 to 180 degrees"),
    "angle of attack, downwards": Limit(
        -180.0, lambda v: gas(alpha_deg=v), False, "-180 to 180 degrees"
    ),
    "least Reynolds number": Limit(1e-6, limits.wrong_reynolds, False, "1e-06 to 1e+11"),
    "largest Reynolds number": Limit(1e11, limits.wrong_reynolds, True, "1e-06 to 1e+11"),
    "inflow that leads into the fluid": Limit(
        np.degrees(np.arccos(0.1)), inlet, True, "does not lead into the fluid"
    ),
    "order of three sizes, high": Limit(3.0, order, True, "far from the order"),
    "order of three sizes, low": Limit(0.5, order, False, "far from the order"),
    "temperature in degrees Celsius": Limit(
        40.0, lambda v: told(lambda: fluids.check("temperature", v)), False, "kelvins"
    ),
    "nodes about a cylinder": Limit(
        200, lambda v: told(lambda: km.mesh.cylinder(nodes=v, far_field=8.0)), False, "200", 1
    ),
    "nodes of a disc": Limit(200, lambda v: told(lambda: km.mesh.disc(nodes=v)), False, "200", 1),
    "nodes about a sphere": Limit(
        500, lambda v: told(lambda: km.mesh.sphere(nodes=v)), False, "500", 1
    ),
    "slowest growth of layers": Limit(
        1.01,
        lambda v: told(lambda: km.mesh.plate(nodes=4000, growth=v, layers=40)),
        False,
        "1.01 to 1.5",
    ),
    "fastest growth of layers": Limit(
        1.5,
        lambda v: told(lambda: km.mesh.plate(nodes=4000, growth=v, layers=12)),
        True,
        "1.01 to 1.5",
    ),
}  # fmt: skip


@pytest.mark.parametrize("limit", LIMITS.values(), ids=LIMITS)
def test_a_limit_is_where_it_is_said_to_be(limit):
    step = limit.step if limit.step >= 1 else limit.step * abs(limit.value)
    up, down = limit.value + step, limit.value - step
    beyond, within = (up, down) if limit.above else (down, up)

    assert limit.words in limit.said(beyond)
    assert limit.words not in limit.said(within)
