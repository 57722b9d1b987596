"""Differences of two runs in words: numbers by name, outlines of bodies, far fields, schemes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
NEAR = 1e-9  # relative; given numbers and their rounding
BOX = 0.005  # of a body's length; corners of its box on coarse and fine meshes
OUTLINE = 0.002  # of a body's length, rms; the chords of a circle of 40 edges are off by 0.001
VOLUME = 0.05  # of a body in space; wings of 10 thousand nodes lack 1 % of it
FAR = 0.02  # of the size of a boundary; corners of polygons about a circle
SCHEME = (
    "flux", "limiter", "limiter_k", "entropy_fix", "low_mach", "far_field", "weight_power",
    "smooth_gradients", "jst_k2", "jst_k4", "convection", "interpolation", "overlap",
)  # settings that the converged flow depends on  # fmt: skip


def unlike(first: Mapping[str, Any], second: Mapping[str, Any], near: float) -> Iterator[str]:
    """Facts that differ."""
    for name in dict.fromkeys([*first, *second]):
        a, b = first.get(name), second.get(name)
        if not same(a, b, near):
            yield f"{name} is {word(a)} and {word(b)}"


def same(a: Any, b: Any, near: float) -> bool:
    """Return True for equal words, and for numbers that are equal but for their rounding."""
    if isinstance(a, Sequence) and isinstance(b, Sequence) and not isinstance(a, str):
        return len(a) == len(b) and all(same(x, y, near) for x, y in zip(a, b, strict=True))
    if isinstance(a, int | float) and isinstance(b, int | float):
        return bool(np.isclose(a, b, rtol=near, atol=1e-12))
    return bool(a == b)


def word(value: Any) -> str:
    """A value as it is told."""
    if value is None:
        return "not given"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"({', '.join(map(word, value))})"
    return f"{value:.9g}" if isinstance(value, float) else str(value)


def shape(name: str, one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[str]:
    """Difference of two bodies of one box: of their outlines, in space of their volumes."""
    a, b = one.get("outline"), other.get("outline")
    if a is not None and b is not None:
        size = max(np.subtract(one["to"], one["from"]))
        apart = np.subtract(a, np.array(one["from"])[1]) - np.subtract(
            b, np.array(other["from"])[1]
        )
        off = float(np.sqrt(np.mean(apart**2)) / size)
        if off > OUTLINE:
            yield f"outlines of {name} are {100 * off:.2g} % of its length apart (rms)"
    a, b = one.get("volume"), other.get("volume")
    if a and b and abs(a / b - 1) > VOLUME:
        yield f"the volume of {name} is {a:.5g} and {b:.5g}"


def extents(
    one: Mapping[str, Any], other: Mapping[str, Any], origins: Sequence[Floats]
) -> Iterator[str]:
    """Kinds of boundaries that reach elsewhere, seen from places of each case."""
    for kind in (kind for kind in one if kind in other):
        boxes = [
            np.array([own[kind]["from"], own[kind]["to"]]) - at
            for own, at in zip((one, other), origins, strict=True)
        ]
        size = min(np.ptp(box, axis=0).max() for box in boxes)
        if np.abs(boxes[0] - boxes[1]).max() > FAR * size:
            told = [" to ".join(word([*map(float, end)]) for end in box.round(3)) for box in boxes]
            yield f"the boundary {kind!r} reaches from {told[0]} and from {told[1]}"
            continue
        lines = [own[kind].get("outline") for own in (one, other)]
        if None not in lines:
            away = np.subtract(lines[0], origins[0][1]) - np.subtract(lines[1], origins[1][1])
            off = float(np.sqrt(np.mean(away**2)) / size)
            if off > FAR:
                yield f"lines of the boundary {kind!r} are {100 * off:.2g} % of its size apart"


def settings(
    one: Mapping[str, Any], other: Mapping[str, Any], methods: bool
) -> Iterator[tuple[str, str]]:
    """Name and words of settings that differ; `methods` : of two methods, which both have."""
    for name in dict.fromkeys([*one, *other]):
        if methods and (name not in SCHEME or name not in one or name not in other):
            continue
        yield from (
            (name, told) for told in unlike({name: one.get(name)}, {name: other.get(name)}, NEAR)
        )
