"""Clouds about wings over a half span with a symmetry plane.

The points are those of `mesh/generate/wings/planform.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kinemesh.arguments import checks_names
from kinemesh.cloud import block
from kinemesh.cloud.checks import WORST_CONDITION
from kinemesh.cloud.cloud import Cloud
from kinemesh.errors import CloudError, MeshError
from kinemesh.mesh.generate.wings import planform
from kinemesh.mesh.generate.wings.outline import Station, wing_of
from kinemesh.mesh.generate.wings.planform import with_m6
from kinemesh.mesh.origin import Origin
from kinemesh.mesh.sections.section import Section
from kinemesh.sentences import NODES

SHAKE = 0.15  # of irregular clouds: largest shift, over the distance of the nearest neighbour
LEAST = 20_000  # points
ADVICE = "for a section use cloud.airfoil"


@checks_names
def wing(
    section: str | Path | Section = "naca0012",
    points: int = 300_000,
    span: float | None = None,
    taper: float | None = None,
    sweep_deg: float | None = None,
    far_field: float = 20.0,
    trailing_edge: str | None = None,
    tip: float = 0.6,
    irregular: bool = False,
    shake: float = SHAKE,
    seed: int = 0,
    worst_condition: float = WORST_CONDITION,
    dihedral_deg: float | None = None,
    twist_deg: float | None = None,
    twist_about: float = 0.25,
    tip_section: str | Path | Section | None = None,
    stations: Sequence[Station | Mapping[str, Any]] | None = None,
) -> Cloud:
    """A cloud about a half wing, root chord 1, leading edge of the root at the origin.

    Parameters
    ----------
    section : name, coordinate file or Section    streamwise, all along the span where
                              nothing else is said
    points : int              wanted, within 3 %; 20,000 at least
    span : float              of the half wing, without the cap; 3 by default [root chord]
    taper : float             chord of the tip; 1 by default [root chord]
    sweep_deg : float         of the leading edge before the twist; 0 by default [deg]
    far_field : float         radius of the cylinder about the wing; the last station is half as
                              far beyond the tip [root chord]
    trailing_edge : closed | sharp
    tip : float               length of the cap along the span, over the tip's half thickness
    irregular : bool          points shaken, and satellites across cells by chance: 14 on average
                              in place of 6 in two colours
    shake : float             largest shift, over the distance of the nearest neighbour
    seed : int                of shifts and choices
    dihedral_deg, twist_deg : float   of the leading edge; of the tip, nose up, in proportion to y;
                              0 by default [deg]
    twist_about : float       share of the chord about which sections are turned
    tip_section : as section  of the tip; between root and tip thickness and camber go over into
                              one another in proportion to y
    stations : sequence of Station, or of mappings of its names, from the root to the tip, in place
                              of span, taper, sweep_deg, dihedral_deg, twist_deg, tip_section: a
                              wing with kinks, linear between stations

    Returns
    -------
    Cloud    boundaries `wing`, `symmetry` and `farfield`

    Raises
    ------
    CloudError, MeshError    for arguments that no good cloud fulfils
    """
    _of_irregular(irregular, shake, seed)
    size = {"far_field": far_field, "tip": tip}
    try:
        asked = wing_of(
            *(section, trailing_edge, ADVICE),
            span=span, taper=taper, sweep_deg=sweep_deg, dihedral_deg=dihedral_deg,
            twist_deg=twist_deg, twist_about=twist_about, tip_section=tip_section,
            stations=stations, error=CloudError,
        )  # fmt: skip
        planform.check(points, LEAST, asked.outline, size | {"shake": shake})
        made = planform.block_of(asked, points, far_field, tip)
    except MeshError as error:
        raise CloudError(error.said.renamed({NODES: "points"})) from None
    number, slit = made.number, made.slit
    pairs = [block.lines(number), block.ends(number, slit, made.cap)]
    if irregular:
        chance = np.random.default_rng(seed)
        made = made._replace(place=block.shaken(made.place, shake, chance))
        pairs.append(block.diagonals(number, slit, chance))
    return Cloud.from_pairs(
        made.points,
        np.concatenate(pairs),
        block.boundaries(number, slit),
        None,
        worst_condition,
        Origin(notes=asked.notes),
    )


def oneram6(points: int = 300_000, **more: Any) -> Cloud:
    """The ONERA M6 wing, root chord 1 (810.491 mm): `wing` with its section and planform.

    Semispan 1.47601798, leading-edge sweep 29.999, trailing-edge sweep 15.692 degrees; 20,000
    points at least.
    """
    return wing("oneram6", points, **with_m6(more, CloudError, "kinemesh.cloud.wing"))


def _of_irregular(irregular: bool, shake: float, seed: int) -> None:
    """Refuse arguments for an irregular wing that a regular cloud has no use for."""
    if not isinstance(irregular, bool | np.bool_):
        raise CloudError(f"wing: irregular = {irregular!r}, expected True or False")
    for name, value, own in (("shake", shake, SHAKE), ("seed", seed, 0)):
        if not irregular and not (isinstance(value, int | float) and value == own):
            raise CloudError(
                f"wing: {name} = {value!r} has no effect without irregular=True, expected none"
            )
