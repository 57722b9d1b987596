"""Roles of boundaries by the words of their names."""

from __future__ import annotations

import re

FAR_WORDS = ("far", "farfield", "freestream", "inflow", "inlet", "outflow", "outlet")
WALL_WORDS = (
    "aerofoil", "airfoil", "blade", "body", "ceiling", "cylinder", "flap", "floor", "ground",
    "plate", "section", "slat", "symmetry", "wall", "walls", "wing",
)  # fmt: skip


def words_of(name: str) -> set[str]:
    """Words of a marker's name: `LowerWall_2` has lower and wall."""
    return {w.lower() for w in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}


def role_of(name: str) -> str | None:
    """Role by the words of a name, "wall" or "far"; None for neither or both."""
    words = words_of(name)
    roles = [r for r, known in (("wall", WALL_WORDS), ("far", FAR_WORDS)) if words & set(known)]
    return roles[0] if len(roles) == 1 else None
