"""Ready bodies: the three-element aerofoil 30P30N, and closing of blunt trailing edges."""

from __future__ import annotations

from dataclasses import replace
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from kinemesh.cloud.cloud import Cloud
from kinemesh.errors import CloudError
from kinemesh.mesh.origin import Origin

Floats = NDArray[np.float64]

CHORD = 0.4572  # of the stowed 30P30N in the file [m]
ELEMENTS = ("slat", "main", "flap")
BASE = 0.02  # longest base of a blunt trailing edge, over the perimeter
BLEND = 20.0  # length along which the sides are bent to a sharp edge, over the base


def three_element_bodies(trailing_edges: str = "sharp") -> dict[str, Floats]:
    """Slat, main element and flap of the 30P30N section, stowed chord 1.

    Parameters
    ----------
    trailing_edges : sharp | blunt    sharp: bases of 0.0005 to 0.006 chords are drawn together
    """
    if trailing_edges not in ("sharp", "blunt"):
        raise CloudError(f"trailing_edges = {trailing_edges!r}, expected sharp or blunt")
    file = resources.files("kinemesh").joinpath("cases", "data", "30p30n_configF.csv")
    rows = [line.split(",") for line in file.read_text("utf-8").splitlines()]
    bodies = {}
    for name in ELEMENTS:
        curve = np.array([row[1:] for row in rows if row[0] == name], np.float64) / CHORD
        bodies[name] = sharpened(curve) if trailing_edges == "sharp" else curve
    return bodies


def three_element(
    points: int = 9_600, far_field: float = 50.0, trailing_edges: str = "sharp", **more: object
) -> Cloud:
    """A cloud about the three-element aerofoil 30P30N (modified slat F), stowed chord 1.

    Parameters
    ----------
    points : int                      wanted, within 2 %
    far_field : float                 radius of the outer circle [chord]
    trailing_edges : sharp | blunt    blunt as tabulated; sharp for inviscid flow
    more                              as for `Cloud.around`

    Returns
    -------
    Cloud    boundaries `slat`, `main`, `flap` and `farfield`
    """
    bodies = three_element_bodies(trailing_edges)
    made = Cloud.around(bodies, points=points, far_field=far_field, **more)  # type: ignore[arg-type]
    if trailing_edges == "blunt":
        return made
    blunt = three_element_bodies("blunt")
    gaps = [f"{name} of {base_length(curve):.2g}" for name, curve in blunt.items()]
    note = f"blunt trailing edges drawn together: {', '.join(gaps)} chords"
    return replace(made, origin=Origin(None, (note, *made.origin.notes)))


def sharpened(curve: Floats) -> Floats:
    """A closed curve (m, 2) whose blunt trailing edge is drawn together to its middle.

    The base is the run between two convex corners, at most BASE of the perimeter apart, that turn
    by more than 120 degrees together; the sides are bent over BLEND times its length.
    """
    curve = curve[np.linalg.norm(np.diff(curve, axis=0, append=curve[:1]), axis=1) > 1e-9]
    first, last = _base(curve)
    run = np.roll(curve, -last, axis=0)  # from one end of the base all the way round to the other
    run = run[: len(curve) - (last - first) % len(curve) + 1]
    middle = 0.5 * (run[0] + run[-1])
    length = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(run, axis=0), axis=1))])
    reach = BLEND * np.linalg.norm(run[0] - run[-1])
    for end, away in ((0, length), (-1, length[-1] - length)):
        weight = np.clip(1.0 - away / reach, 0.0, None) ** 2
        run = run + weight[:, None] * (middle - run[end])
    return run[:-1]


def base_length(curve: Floats) -> float:
    """Length of the base of a closed curve's blunt trailing edge."""
    first, last = _base(curve)
    return float(np.linalg.norm(curve[first] - curve[last]))


def _base(curve: Floats) -> tuple[int, int]:
    """Points where the base of a closed curve's blunt trailing edge begins and ends."""
    out = np.roll(curve, -1, axis=0) - curve
    come = np.roll(out, 1, axis=0)
    cross = come[:, 0] * out[:, 1] - come[:, 1] * out[:, 0]
    turn = np.arctan2(cross, (come * out).sum(axis=1))
    turn = turn if turn.sum() > 0 else -turn
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(out, axis=1))])
    corner = np.flatnonzero(turn > np.radians(30.0))
    for i, a in enumerate(corner):
        b = corner[(i + 1) % len(corner)]
        between = (length[b] - length[a]) % length[-1]
        if a != b and between < BASE * length[-1] and turn[a] + turn[b] > np.radians(120.0):
            return int(a), int(b)
    raise CloudError("the curve has no blunt trailing edge, expected two corners close together")
