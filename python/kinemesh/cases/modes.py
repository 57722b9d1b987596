"""Steady runs of unsteady cases: keys without a meaning in them are left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kinemesh.cases.changes import path_of_key
from kinemesh.cases.structures import FREE
from kinemesh.errors import warn
from kinemesh.flow import registry

OF_RUN = (
    *("cycles", "steps_per_cycle", "until", "periodic_tolerance", "time_step", "steps"),
    *("start", "preflight", "sizes"),
)  # keys of [run] that a steady case has not
OF_STRUCTURE = ("speed_index", "kick")  # keys of [structure] that free the body of a run


def made_steady(
    before: Mapping[str, Any], table: dict[str, Any], changes: Sequence[str]
) -> dict[str, Any]:
    """Tables of a case; in one changed to steady without unsteady keys, with a warning.

    What the changes themselves state stays, to be refused.

    Parameters
    ----------
    before : the tables without the changes
    """
    given = {path_of_key(text.partition("=")[0].strip()) for text in changes}
    if ("mode",) not in given or table.get("mode") != "steady" or before.get("mode") == "steady":
        return table
    left: list[str] = []

    def without(part: Any, names: Sequence[str], where: tuple[str, ...], told: str) -> Any:
        if not isinstance(part, Mapping):
            return part
        stated = {path[len(where)] for path in given if path[: len(where)] == where != path}
        lost = [name for name in names if name in part and name not in stated]
        left.extend(told.format(name) for name in lost)
        return {name: value for name, value in part.items() if name not in lost}

    structure = table.get("structure")
    free = isinstance(structure, Mapping) and structure.get("kind") in FREE
    made = without(table, ("motion", "deform", *["structure"] * free), (), "[{}]")
    if isinstance(made.get("parts"), Mapping):
        made["parts"] = {
            name: without(own, ("motion",), ("parts", name), f"[parts.{name}.{{}}]")
            for name, own in made["parts"].items()
        }
    method = made.get("method", registry.first().name)
    steps = registry.named(method).settings.of_steps if "solver" in made else ()
    for name, lost in (("run", OF_RUN), ("structure", OF_STRUCTURE), ("solver", steps)):
        if name in made:
            made[name] = without(made[name], lost, (name,), f"[{name}] {{}}")
    if left:
        warn(f"mode = 'steady' leaves out {', '.join(left)} of the unsteady case")
    return made
