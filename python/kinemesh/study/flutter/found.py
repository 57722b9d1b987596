"""Dataset of a flutter analysis: roots, crossings, the boundary, and words where there is none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import warn
from kinemesh.io import store as stores
from kinemesh.study.flutter.roots import Crossing, Track

FLUTTER, DIVERGENCE, STABLE, UNSTABLE = "flutter", "divergence", "stable", "unstable"
OF_CROSSING = ("speed_index", "mode", "k", "omega", "up")
OF_BOUNDARY = ("k", "omega", "mode")


@dataclass(frozen=True, slots=True)
class Found:
    """Roots of a Mach number.

    Parameters
    ----------
    mach : nan of a method without one
    tracks : of every mode; () where there are no derivatives
    divergence : lowest V* at which the stiffness is lost; nan without one
    mu : mass ratio
    """

    mach: float
    tracks: tuple[Track, ...]
    divergence: float
    mu: float

    @property
    def of(self) -> str:
        """End of a name in words."""
        return of_machs([self.mach])

    @property
    def crossings(self) -> list[Crossing]:
        """Crossings of all modes, by their V*."""
        every = [crossing for track in self.tracks for crossing in track.crossings]
        return sorted(every, key=lambda crossing: crossing.speed_index)

    @property
    def flutter(self) -> Crossing | None:
        """Crossing at which stability ends, where it ends by flutter."""
        return next((own for own in self.crossings if own.up), None)

    def end(self, last: float) -> str:
        """Word on what ends stability up to the last V*; "" without derivatives."""
        if not self.tracks:
            return ""
        starts = [track.roots[0] for track in self.tracks]
        if any(root is not None and root.sigma > 0 for root in starts):
            return UNSTABLE
        first = self.flutter
        if self.divergence <= (last if first is None else first.speed_index):
            return DIVERGENCE
        return STABLE if first is None else FLUTTER


def dataset(rows: list[Found], speeds: NDArray[np.float64], structure: Any) -> Any:
    """Dataset over Mach number, mode, V* and crossing; see `kinemesh.flutter`."""
    xarray = stores.packages().xarray
    modes, scale = len(structure.names), np.sqrt([own.mu for own in rows])[:, None, None]
    p = np.full((len(rows), modes, len(speeds)), complex(np.nan, np.nan))
    q = np.full((*p.shape, modes), complex(np.nan, np.nan))
    most = max(len(own.crossings) for own in rows)
    crossing: dict[str, Any] = {n: np.full((len(rows), most), np.nan) for n in OF_CROSSING}
    edge = {name: np.full(len(rows), np.nan) for name in ("speed_index", *OF_BOUNDARY)}
    ends = [own.end(speeds[-1]) for own in rows]
    for m, own in enumerate(rows):
        for track in own.tracks:
            for i, root in enumerate(track.roots):
                if root is not None:
                    p[m, track.mode - 1, i] = complex(root.sigma, root.k)
                    q[m, track.mode - 1, i] = root.q
        for n, each in enumerate(own.crossings):
            for name in OF_CROSSING:
                crossing[name][m, n] = getattr(each, name)
        if ends[m] == FLUTTER:
            for name in edge:
                edge[name][m] = getattr(own.flutter, name)
    over = ("mach", "mode", "speed_index")
    made = {
        "zeta": (over, -p.real / np.abs(p)),
        "g": (over, 2 * p.real / p.imag),
        "k": (over, p.imag),
        "omega": (over, p.imag * speeds * scale),
        "shape": _shape(q, over, structure),
        **{f"crossing_{n}": (("mach", "crossing"), own) for n, own in crossing.items()},
        "boundary": ("mach", edge["speed_index"]),
        **{f"boundary_{name}": ("mach", edge[name]) for name in OF_BOUNDARY},
        "divergence": ("mach", np.array([own.divergence for own in rows])),
        "end": ("mach", np.array(ends)),
    }
    numbers = {"mach": [own.mach for own in rows], "mode": np.arange(1, modes + 1)}
    return xarray.Dataset(made, coords=numbers | {"speed_index": speeds})


def _shape(q: NDArray[np.complex128], over: tuple[str, ...], structure: Any) -> tuple[Any, Any]:
    """Variable of shapes: h/b over alpha of a section, else amplitudes over the largest."""
    with np.errstate(invalid="ignore"):  # of modes that have ended
        if structure.names == ("h", "alpha"):
            return over, q[..., 0] / q[..., 1]
        largest = np.nan_to_num(np.abs(q)).argmax(axis=-1)[..., None]
        return (*over, "motion"), q / np.take_along_axis(q, largest, -1)


def tell(rows: list[Found], speeds: NDArray[np.float64]) -> None:
    """Warn of Mach numbers without a boundary by flutter, and of modes that were lost."""
    for own in rows:
        for track in own.tracks:
            if not np.isnan(track.lost):
                warn(
                    f"flutter: mode {track.mode}{own.of} could not be followed beyond speed index "
                    f"{track.lost:.4g}, so crossings may be missing; give more points"
                )
        if not own.tracks:
            warn(f"flutter: there are no derivatives{own.of}, so no roots")
        elif own.end(speeds[-1]) == DIVERGENCE:
            warn(
                f"flutter: the boundary{own.of} is static divergence at speed index "
                f"{own.divergence:.4g}, where the stiffness is lost, and no flutter comes before it"
            )
    for end in (STABLE, UNSTABLE):
        without = [own.mach for own in rows if own.end(speeds[-1]) == end]
        if without:
            warn(f"flutter: no boundary{of_machs(without)}: {side(end, speeds)}")


def side(end: str, speeds: NDArray[np.float64]) -> str:
    """Words on the side of the boundary on which all V* lie."""
    if end == STABLE:
        return f"stable up to speed index {speeds[-1]:g}, the boundary lies above; raise the last"
    return f"unstable at speed index {speeds[0]:g}, the boundary lies below; lower the first"


def of_machs(machs: Iterable[float]) -> str:
    """End of a name with Mach numbers in words, where there are any."""
    known = [f"{mach:g}" for mach in machs if not np.isnan(mach)]
    return f" at Mach {', '.join(known)}" if known else ""
