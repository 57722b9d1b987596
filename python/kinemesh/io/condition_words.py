"""Meshes and motions of a summary in words, for its table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

UNSAID = {"phase_deg": 0.0, "ramp": 0.0, "direction": (0.0, 1.0), "chord": 1.0}
"""Numbers of a motion that go without saying."""
PARTS = {"amplitude_deg": "pitch", "amplitude": "plunge"}  # of a sum, that have such a number
OTHERS = ("mesh", "nodes")  # of a member, behind its motions
AXES = "xyz"
REST = "at rest"
LISTED = 3  # motions of members that a text has
FAR = {"far": "far field"}  # words in place of kinds
FIGURES = 4
NOTHING = 1e-12  # of the largest coordinate


def of_motions(told: Sequence[Mapping[str, Any]]) -> str:
    """Motions of all members, each once; "" where a summary has none of their numbers.

    Parameters
    ----------
    told : for each member the numbers that it was asked for (`asked` of a summary)
    """
    if not any(name.endswith("motion") for row in told for name in row):
        return ""
    each = list(dict.fromkeys(of_member(row) for row in told))
    more = f"; and {len(each) - LISTED} more" if len(each) > LISTED else ""
    return "; ".join(each[:LISTED]) + more


def of_member(row: Mapping[str, Any]) -> str:
    """Motions of one member: `pitch, amplitude 2.5 deg, k 0.08, about (0.25, 0)`."""
    names = list(row)
    starts = [name.removesuffix("motion") for name in names if name.endswith("motion")]
    if starts == [""]:
        own = {name: row[name] for name in names[names.index("motion") :] if name not in OTHERS}
        return ", ".join(_motion(own))
    words = []
    for start in starts:
        own = {n.removeprefix(start): v for n, v in row.items() if n.startswith(start)}
        words.append(f"{start.removesuffix('_')}: {', '.join(_motion(own))}")
    return "; ".join(words) or REST


def _motion(numbers: Mapping[str, Any]) -> Iterator[str]:
    """Kinds of a motion, then its numbers."""
    kinds = str(numbers["motion"])
    yield kinds.replace("+", " + ")
    parts = kinds.split("+") if "+" in kinds else []
    for name, value in _vectors(numbers).items():
        if name == "motion" or UNSAID.get(name) == value:
            continue
        part = f"{PARTS[name]} " if PARTS.get(name) in parts else ""
        unit = " deg" if name.endswith("_deg") else ""
        words = name.removesuffix("_deg").replace("_", " ")
        yield f"{part}{words} {_text(value)}{unit}"


def _vectors(numbers: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers in which `about_x` and `about_y` are one, `about`, as are those of shapes."""
    found: dict[str, Any] = {}
    for name, value in numbers.items():
        whole, _, axis = name.rpartition("_")
        if whole and (axis.isdigit() or (len(axis) == 1 and axis in AXES)):
            found[whole] = (*found.get(whole, ()), value)
        else:
            found[name] = value
    return found


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return _text(value[0]) if len(value) == 1 else f"({', '.join(map(_text, value))})"
    return f"{value:g}" if isinstance(value, float) else str(value)


def of_amplitudes(units: Mapping[str, Sequence[str]], names: Mapping[str, Sequence[str]]) -> str:
    """Units of the amplitudes of bodies that bend, each body once: `wing mode_1 (twist) [rad]`.

    Parameters
    ----------
    units, names : of the shapes of each body, by `member: body`; names of those that have some
    """
    words = []
    for name, own in units.items():
        called = [f" ({one})" if one else "" for one in names.get(name, [""] * len(own))]
        each = ", ".join(
            f"mode_{j + 1}{of} [{unit}]"
            for j, (unit, of) in enumerate(zip(own, called, strict=True))
        )
        words.append(f"{name.partition(': ')[2]} {each}")
    return "; ".join(dict.fromkeys(words))


def of_mesh(mesh: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Rows of a mesh: what there is of it, bodies, and where walls and far field reach."""
    counts = [f"{value} {name}" for name, value in mesh.items() if _counts(name, value)]
    rows = [("mesh", ", ".join(counts))] if counts else []
    bodies = mesh.get("bodies")
    if isinstance(bodies, Mapping) and bodies:
        each = (f"{name} {_sizes(own)}".strip() for name, own in bodies.items())
        rows.append(("bodies", "; ".join(each)))
    reach = mesh.get("extents")
    if isinstance(reach, Mapping):
        rows += [(FAR.get(str(kind), str(kind)), _reach(own)) for kind, own in reach.items()]
    for name, own in (mesh.get("conditions") or {}).items():
        numbers = ", ".join(f"{key.replace('_', ' ')} {_text(value)}" for key, value in own.items())
        rows.append((f"condition {name}", numbers))
    return rows


def _counts(name: str, value: Any) -> bool:
    """Return True of a count; one member and cells of a kind that is not there are not told."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    return whole and value > 0 and (name, value) != ("members", 1)


def _sizes(body: Mapping[str, Any]) -> str:
    """Numbers of a body: `length 1`."""
    numbers = (n for n, v in body.items() if isinstance(v, int | float))
    return ", ".join(f"{n.replace('_', ' ')} {body[n]:.{FIGURES}g}" for n in numbers)


def _reach(own: Mapping[str, Any]) -> str:
    """Box of a boundary: `x 0 to 1, y -0.06 to 0.06`."""
    low, high = own["from"], own["to"]
    least = NOTHING * max(map(abs, (*low, *high)))
    ends = [[0.0 if abs(value) <= least else value for value in ends] for ends in (low, high)]
    each = zip(AXES, *ends, strict=False)
    return ", ".join(f"{axis} {a:.{FIGURES}g} to {b:.{FIGURES}g}" for axis, a, b in each)
