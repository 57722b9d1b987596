"""Shapes of a body that bends from a file: displacements known at the points of a structure."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from itertools import product
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinemesh.arguments import checks_names
from kinemesh.errors import CaseError, SettingsError, did_you_mean
from kinemesh.io import text_table
from kinemesh.io.paths import path_of
from kinemesh.motion.numbers import LARGEST

FloatArray = NDArray[np.float64]
ARRAYS = ("points", "displacements")  # of an .npz
GIVEN = "points"  # name of shapes without a file
WHAT = "the shapes"  # what is read, for errors
MOST = 5000  # points of an interpolation, whose matrix is full
SAME = 1e-9  # of the chord: distance at which a point of the file is a node of the wall
FLAT = 1e-6  # of the largest extent of the points, below which they lie in a plane
THIN = 0.25  # of the body's extent, below which the points tell nothing across their own surface


@dataclass(frozen=True, slots=True, eq=False)
class ShapeFile:
    """Points and displacements of a file, a copy that stays as it was read.

    Parameters
    ----------
    name : of the file, without folders
    points : (n, d) of the structure [chord]
    displacements : (n, count, d) of each shape for an amplitude of 1 [chord]
    content : hash of the numbers, equal for equal ones
    """

    name: str
    points: FloatArray = field(repr=False)
    displacements: FloatArray = field(repr=False)
    content: str = ""
    _last: dict[bytes, FloatArray] = field(default_factory=dict, repr=False)  # values asked last

    def values(self, points: FloatArray) -> FloatArray:
        """(m, count, d) at points (m, d) of a body; SettingsError where they cannot be known."""
        key = points.tobytes()
        if key not in self._last:
            found = self._values(np.asarray(points, float))
            self._last.clear()
            self._last[key] = found
        return self._last[key]

    def _values(self, points: FloatArray) -> FloatArray:
        from scipy.spatial import KDTree

        d = self.points.shape[1]
        if points.shape[1] != d:
            raise SettingsError(
                f"{self.name} has points of {d} coordinates, and the body has {points.shape[1]}; "
                "give x, y and dx, dy of a body in the plane, x, y, z and dx, dy, dz in space"
            )
        apart, nearest = KDTree(self.points).query(points)
        if apart.max(initial=0.0) <= SAME * chord_of(self.points):
            return np.asarray(self.displacements[nearest])
        return self._between(points)

    def _between(self, points: FloatArray) -> FloatArray:
        """Thin-plate splines through the points of the file, exact for linear functions.

        Points on a line, in a plane, or on a surface far thinner than the body tell nothing across
        it: there displacements are those of the place beside it, as of the plate of a structure.
        """
        from scipy.interpolate import RBFInterpolator

        own = self.points
        if len(own) > MOST:
            raise SettingsError(
                f"{self.name} has {len(own)} points, and none where the body's nodes are; expected "
                f"at most {MOST} to interpolate from: thin them out, or give the shapes at the "
                "nodes of the body's walls"
            )
        middle = own.mean(axis=0)
        axes = np.linalg.svd(own - middle, full_matrices=True)[2]
        spread = np.ptp((own - middle) @ axes.T, axis=0)
        body = np.ptp((points - middle) @ axes.T, axis=0)
        told = spread > np.maximum(FLAT * spread.max(), THIN * body)
        told[spread.argmax()] = True
        if not told.all():
            own, points = ((x - middle) @ axes[told].T for x in (own, points))
        flat = self.displacements.reshape(len(own), -1)
        try:
            found = RBFInterpolator(own, flat, kernel="thin_plate_spline")(points)
        except (np.linalg.LinAlgError, ValueError):
            raise SettingsError(
                f"{self.name}: no smooth shape goes through its {len(own)} points; expected each "
                "place once, and at least as many points as coordinates and one more"
            ) from None
        return np.asarray(found).reshape(len(points), *self.displacements.shape[1:])

    def check(self, walls: FloatArray) -> None:
        """SettingsError where the points are of another body than the one with these nodes (m, d),
        or in other units."""
        if walls.shape[1] != self.points.shape[1]:
            return  # which is refused where values are asked for
        from scipy.spatial import KDTree

        chord, away = chord_of(walls), KDTree(walls).query(self.points)[0].min()
        here, there = (_box(x) for x in (walls, self.points))
        boxes = f"its points are in {there}, the body's nodes in {here}"
        if away > 0.5 * chord:
            raise SettingsError(
                f"all points of {self.name} are farther than half a chord from the body, "
                f"{away / chord:.3g} chords and more: {boxes}; give the file of this body, in the "
                "coordinates and the unit of length of its mesh"
            )
        lost = KDTree(self.points).query(walls)[0].max()
        if lost > 0.5 * (chord + np.ptp(walls, axis=0).max()):
            raise SettingsError(
                f"{self.name} has no point within {lost / chord:.3g} chords of some nodes of the "
                f"body: {boxes}; give points all over the body, in the unit of length of its mesh"
            )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FileShape:
    """One of the shapes of a file, a callable as `km.motion.modes` takes it."""

    file: ShapeFile
    number: int  # from 0

    def __call__(self, points: FloatArray) -> FloatArray:
        """Displacements (m, d) of points (m, d), all those of a body at once."""
        return self.file.values(points)[:, self.number].copy()

    def __repr__(self) -> str:
        return f"<{self.title}, SHA-256 {self.file.content}>"

    @property
    def title(self) -> str:
        """Words for it in tables."""
        return f"{self.number + 1} of {self.file.name}"


def chord_of(points: FloatArray) -> float:
    """Largest extent of points (m, d) in their sections: in space across y."""
    extents = np.ptp(points, axis=0)
    return float(np.delete(extents, 1).max() if len(extents) == 3 else extents.max())


def _box(points: FloatArray) -> str:
    """Box of points in words: `x 0 to 1, y 0 to 4`."""
    low, high = points.min(axis=0), points.max(axis=0)
    return ", ".join(f"{n} {a:.3g} to {b:.3g}" for n, a, b in zip("xyz", low, high, strict=False))


@checks_names
def shapes_from(file: str | PathLike[str]) -> list[FileShape]:
    """Shapes of a file, for `km.motion.vibrate` and `km.motion.modes`: a callable each.

    The file has points of a structure and their displacements for an amplitude of 1, in the
    coordinates and the unit of length of the body's mesh (chords).  Between them are thin-plate
    splines, exact for linear functions (`scipy.interpolate.RBFInterpolator`); where every node of
    the body's walls is one of the points, within 1e-9 of the chord, displacements are taken as they
    stand.  Points in a plane or on a line, as of plates and beams, or on a surface far thinner than
    the body, move what stands off it along.

    Parameters
    ----------
    file : .npz with `points` (n, d) and `displacements` (n, count, d), or a table of text (.csv)
        with the columns x, y, z, dx1, dy1, dz1, dx2, ...; in the plane without z

    Raises
    ------
    CaseError        a file that cannot be read
    SettingsError    other arrays or columns, numbers that are not finite; where shapes are asked,
        a body of another dimension, or more than 5000 points to interpolate from
    """
    path = path_of(file, "the file of shapes")
    try:
        seen = path.stat()
    except OSError as error:
        raise CaseError(
            f"{path}: cannot read {WHAT} ({error.strerror}); expected an .npz or a .csv of points "
            "and displacements"
        ) from None
    return _each(_read(path.absolute(), seen.st_mtime_ns, seen.st_size))


def _each(made: ShapeFile) -> list[FileShape]:
    return [FileShape(made, number) for number in range(made.displacements.shape[1])]


@lru_cache(maxsize=16)
def _read(path: Path, changed: int, size: int) -> ShapeFile:
    """A file as it is now: a sweep makes the motion of each case."""
    del changed, size
    return _made(path, *(_of_arrays if path.suffix == ".npz" else _of_columns)(path))


@checks_names
def shapes_at(points: ArrayLike, displacements: ArrayLike) -> list[FileShape]:
    """Shapes known at the points of a structure, as of `shapes_from`, of arrays: a callable each.

    Parameters
    ----------
    points : (n, d)                 d = 2 in the plane, 3 in space [chord]
    displacements : (n, count, d)   of each shape for an amplitude of 1 [chord]

    Raises
    ------
    SettingsError    arrays of other sizes, no points, numbers that are not finite
    """
    return _each(_made(Path(GIVEN), *_checked(GIVEN, points, displacements)))


def _made(path: Path, points: FloatArray, displacements: FloatArray) -> ShapeFile:
    """Shapes of finite numbers, which stay as they are."""
    for what, array in (("points", points), ("displacements", displacements)):
        bad = np.argwhere(~(np.abs(array) <= LARGEST))
        if len(bad):
            at = tuple(bad[0].tolist())
            raise SettingsError(
                f"{path}: {what}{list(at)} is {array[at]}, expected finite numbers of at most "
                f"{LARGEST:g}"
            )
        array.setflags(write=False)
    if not len(points):
        raise SettingsError(f"{path}: no points, expected those of a structure")
    text = b"".join([*(str(a.shape).encode() + a.tobytes() for a in (points, displacements))])
    return ShapeFile(path.name, points, displacements, sha256(text).hexdigest()[:16])


def _of_arrays(path: Path) -> tuple[FloatArray, FloatArray]:
    """Points and displacements of an .npz."""
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as there:
            found = {name: there[name] for name in there.files}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, AttributeError) as error:
        raise CaseError(
            f"{path}: cannot read {WHAT} ({str(error) or type(error).__name__}); expected a file "
            "of numpy.savez(file, points=..., displacements=...)"
        ) from None
    if set(found) != set(ARRAYS):
        raise SettingsError(
            f"{path}: arrays {', '.join(found) or 'none'}, expected {' and '.join(ARRAYS)}"
        )
    return _checked(path, *(found[name] for name in ARRAYS))


def _checked(path: Path | str, points: Any, displacements: Any) -> tuple[FloatArray, FloatArray]:
    """Points and displacements as arrays of numbers; SettingsError for other sizes."""
    try:
        points, displacements = np.asarray(points), np.asarray(displacements)
    except ValueError:
        raise SettingsError(f"{path}: expected arrays of one length in each axis") from None
    sizes = f"points {points.shape} and displacements {displacements.shape}"
    n, d = points.shape if points.ndim == 2 else (0, 0)
    good = displacements.ndim == 3 and displacements.shape[::2] == (n, d) and d in (2, 3)
    if not good or not displacements.shape[1]:
        raise SettingsError(
            f"{path}: {sizes}, expected (n, d) and (n, count, d), with d = 2 in the plane and 3 in "
            "space"
        )
    if {points.dtype.kind, displacements.dtype.kind} - set("fiu"):
        raise SettingsError(
            f"{path}: points are {points.dtype} and displacements {displacements.dtype}, expected "
            "real numbers"
        )
    return np.array(points, float), np.array(displacements, float)


def _of_columns(path: Path) -> tuple[FloatArray, FloatArray]:
    """Points and displacements of a table of text."""
    there = text_table.read(path, WHAT)
    axes = [axis for axis in "xyz" if axis in there]
    count = max(1, (len(there) - len(axes)) // max(1, len(axes)))
    names = [f"d{axis}{j}" for j, axis in product(range(1, count + 1), axes)]
    expected = [*(axes if axes in (["x", "y"], ["x", "y", "z"]) else "xyz"), *names]
    for name in there:
        if name not in expected:
            hint = did_you_mean(name, expected)
            raise SettingsError(
                f"{path}: column {name!r} is none of shapes{hint or ''}; expected x, y, z, dx1, "
                "dy1, dz1, dx2, ..., in the plane without z"
            )
    lost = [name for name in expected if name not in there]
    if lost:
        raise SettingsError(
            f"{path}: no column {lost[0]!r}, expected x, y, z, dx1, dy1, dz1, dx2, ..., in the "
            "plane without z"
        )
    points = np.stack([there[axis] for axis in axes], axis=1)
    values = np.stack([there[name] for name in names], axis=1)
    return points, values.reshape(len(points), count, len(axes))
