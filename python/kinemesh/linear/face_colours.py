"""Colours of the faces between volumes, such that no volume has two of one colour.

Faces of one colour add to their volumes side by side; colour after colour a volume takes its faces
in one order, whatever the threads.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinemesh.errors import SettingsError

Ints = NDArray[np.int32]
AT_ONCE = 1 << 20  # faces whose numbers are Python's at one time


def first_fit(lr: Ints, volumes: int) -> Ints:
    """(faces,) the smallest colour that no face before has at either volume.

    At most 2 (faces of a volume) - 1 colours.  Numbers of any size hold a bit for each colour.

    Parameters
    ----------
    lr : (faces, 2)    volumes on both sides
    """
    taken, found = [0] * volumes, np.empty(len(lr), np.int32)
    for first in range(0, len(lr), AT_ONCE):
        part = lr[first : first + AT_ONCE].tolist()
        colours = []
        for a, b in part:
            both = taken[a] | taken[b]
            free = ~both & (both + 1)
            taken[a] |= free
            taken[b] |= free
            colours.append(free.bit_length() - 1)
        found[first : first + len(part)] = colours
    return found


def check_faces(colours: ArrayLike, lr: Ints) -> Ints:
    """Check colours (faces,): SettingsError if a face has none, or a volume one of them twice.

    Two threads would add to such a volume at once, and one of both sums would be lost.
    """
    given = np.asarray(colours)
    if given.shape != (len(lr),) or given.dtype.kind not in "iu" or (given < 0).any():
        raise SettingsError(
            f"colours of faces have shape {given.shape} and dtype {given.dtype}, expected "
            f"({len(lr)},) integers of at least 0, one for each face"
        )
    order = np.argsort(given, kind="stable")
    for faces in np.split(order, np.cumsum(np.bincount(given))[:-1]) if len(lr) else ():
        there = np.sort(lr[faces].ravel())
        twice = there[1:][there[1:] == there[:-1]]
        if len(twice):
            raise SettingsError(
                f"colours of faces: volume {twice[0]} has two faces of colour {given[faces[0]]}, "
                f"expected different ones: {len(twice)} such volume(s); use first_fit"
            )
    return given.astype(np.int32)


def by_colour(colours: Ints) -> tuple[Ints, Ints]:
    """Numbers of faces by colour, and in the order that they had within one.

    Returns
    -------
    order (faces,) [old number of each new one], place (faces,) [new number of each old one]
    """
    order = np.argsort(colours, kind="stable").astype(np.int32)
    place = np.empty_like(order)
    place[order] = np.arange(len(order), dtype=np.int32)
    return order, place
