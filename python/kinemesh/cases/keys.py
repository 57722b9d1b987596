"""Checks of the values of keys of [mesh], whatever the source."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from kinemesh.cases.sources import EXTRUDED, cells_of, one_of, span_of
from kinemesh.cases.values import count, names, number, yes_or_no
from kinemesh.cases.wings import a_section, stations_of_wing

OF_KEYS: dict[str, Callable[[Any, Any], Any]] = {
    "cloud": one_of("regular", "irregular"),
    "outer": one_of("wall", "overset", "farfield"),
    "around": partial(count, least=24),
    "along": partial(count, least=8),
    "across": partial(count, least=3),
    "topology": one_of("o", "c"),
    "cells": cells_of("triangles", "quads"),
    "heights": one_of("aspect", "even"),
    "y_plus": partial(number, above=0.0),
    "layers": partial(count, least=8),
    "length": partial(number, above=0.0),
    "upstream": partial(number, above=0.0),
    "height": partial(number, above=0.0),
    "edge_spacing": partial(number, above=0.0),
    "far_field": partial(number, above=0.0),
    "spacing": partial(number, above=0.0),
    "wall_spacing": partial(number, above=0.0),
    "growth": partial(number, above=1.0),
    "half": yes_or_no,
    "span": partial(number, above=0.0),
    "taper": partial(number, above=0.0),
    "sweep_deg": number,
    "tip": partial(number, above=0.0),
    "dihedral_deg": number,
    "twist_deg": number,
    "twist_about": partial(number, least=0.0),
    "tip_section": a_section,
    "stations": stations_of_wing,
    EXTRUDED: span_of,
    "trailing_spacing": partial(number, above=0.0),
    "scale": partial(number, above=0.0),
    "chord": partial(number, above=0.0),
    "merge": partial(number, least=0.0),
    "walls": names,
    "far": names,
}
