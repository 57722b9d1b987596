"""Where a mesh or a cloud comes from, as far as a solver or a summary has to know."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Origin:
    """What is known of a mesh or cloud beside its points.

    Parameters
    ----------
    chord : float or None    of the section that it was made about, in its lengths; None: unknown
    notes : tuple of str     what a reader changed, or took for a corner, one sentence each
    """

    chord: float | None = None
    notes: tuple[str, ...] = ()

    def resized(self) -> Origin:
        """That of the mesh at other coordinates."""
        return Origin(None, self.notes)


UNKNOWN = Origin()


def of_section(section: object, notes: tuple[str, ...] = ()) -> Origin:
    """That of what is made about a section: one with a name has a chord of 1, whatever its nose."""
    named = isinstance(section, str) and not Path(section).is_file()
    return Origin(1.0 if named else None, notes)
