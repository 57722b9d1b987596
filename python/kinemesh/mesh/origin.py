"""Origin of a mesh or a cloud: its chord, and notes for the summary."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Origin:
    """Chord of a mesh or cloud, and notes on its points.

    Parameters
    ----------
    chord : float or None    chord of the section in the mesh or cloud [its lengths]; None: unknown
    notes : tuple of str     changes by a reader, and points taken for corners, one sentence each
    scale : float or None    lengths of the mesh in one of its file; None: unknown
    slits : tuple of str     notes among these, on sides that lie on one another
    unnamed : str    file that would have given names to markers, which are numbers without it
    carrier : callable       makes a coarse mesh of tetrahedra about the same bodies; None: nobody
        knows how
    """

    chord: float | None = None
    notes: tuple[str, ...] = ()
    scale: float | None = 1.0
    slits: tuple[str, ...] = ()
    unnamed: str = ""
    carrier: Callable[[], Any] | None = field(default=None, compare=False, repr=False)

    def merged(self, note: str) -> Origin:
        """Origin of a mesh whose nodes have been merged, with a note; what was a slit is none."""
        kept = tuple(own for own in self.notes if own not in self.slits)
        return replace(self, notes=(*kept, note), slits=())

    def resized(self) -> Origin:
        """Origin of a mesh with other coordinates: the notes stay, chord and scale are unknown."""
        return Origin(None, self.notes, None, self.slits, self.unnamed)


UNKNOWN = Origin()


def of_section(section: object, notes: tuple[str, ...] = ()) -> Origin:
    """Origin of a mesh or cloud about a section; a section by name has a chord of 1."""
    named = isinstance(section, str) and not Path(section).is_file()
    return Origin(1.0 if named else None, notes)
