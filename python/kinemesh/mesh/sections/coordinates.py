"""Coordinate files of sections: points in Selig's or Lednicer's order, among titles and comments.

Files of collections have beside their points a title, a count of points, the box of a grid, and
text at the end.  Such lines are left out with a note.  A line that may be a point with damage is
none of them: it is refused, wherever it stands.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import MeshError
from kinemesh.mesh.files.text_files import read_text

Floats = NDArray[np.float64]

NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eEdD][+-]?[0-9]+)?")
COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+(?:[eEdD][+-]?[0-9]+)?")  # a number with a decimal comma
WORD = re.compile(r"[^\W\d_]{2,}")  # letters in a row
NEAR_NUMBER = re.compile(r"[+-]?\w?\.\w*|(?:nan|inf)\w*", re.IGNORECASE)  # l.000 for 1.000
RULE = re.compile(r"[-=_~#*+.\s]*[-=_~#]{3,}[-=_~#*+.\s]*")  # a line drawn across the page
NO_NUMBERS = re.compile(r"[+-]?(?:nan|inf|infinity|ind|qnan)\b", re.IGNORECASE)
LARGEST = 2.0  # of a coordinate of chord 1: a larger number at the start of a title is no point
TEXTS = 5  # lines of text before the points, comments not counted
COMMENTS = ("#", "!", "%", "//")
END = 999.0  # both coordinates of a line that ends one of several elements
LEAST = 9  # points
FALL = 0.5  # of x over its range, from the end of one side to the start of the other
TINY, APART = 1e-4, 4.0  # between the first points of both sides: over the range of x, and how
# many times nearer than the points that follow


@dataclass(frozen=True, slots=True)
class _Line:
    """Line of the file, not blank; `values` are its numbers, None in lines with words."""

    number: int
    text: str
    words: list[str]
    values: list[float] | None

    @classmethod
    def of(cls, number: int, text: str) -> _Line:
        words = text.replace(";", " ").split()
        if len(words) == 2 and all(map(COMMA.fullmatch, words)):
            words = [word.replace(",", ".") for word in words]
        else:
            words = text.replace(",", " ").replace(";", " ").split()
        values = None
        if words and all(map(NUMBER.fullmatch, words)):
            values = [float(re.sub("[dD]", "e", word)) for word in words]
        return cls(number, text.strip(), words, values)

    @property
    def count(self) -> int:
        """Number of numbers in the line; 0 in lines with words."""
        return len(self.values or ())

    @property
    def whole(self) -> bool:
        """True for a line of whole numbers alone, without a point, too large for coordinates."""
        return self.count > 0 and all(
            word.isdigit() and float(word) > LARGEST for word in self.words
        )

    @property
    def comment(self) -> bool:
        """True if the line begins as a comment."""
        return self.text.startswith(COMMENTS)

    def is_text(self, after: bool = False) -> bool:
        """True for text, as opposed to a damaged point; `after` : behind the points.

        Of a point with damage digits may be stars or letters.  So a line that begins with a number
        is text only where words follow and the number is a share or whole and no coordinate, after
        the points also where three words follow.
        """
        if self.values is not None:
            return False
        if RULE.fullmatch(self.text) or self.comment:
            return True
        words = [word for word in self.words if WORD.search(word) and not NO_NUMBERS.match(word)]
        lead = NUMBER.match(self.words[0])
        if lead is not None:
            behind = self.words[0][lead.end() :]
            share, whole = behind.startswith("%"), lead[0].isdigit()
            named = re.match(r"-?[^\W\d_]", behind) is not None  # 2D, 2-D
            named = share or (whole and (named or float(lead[0]) > LARGEST))
            many = after and len(words) > 2 and "*" not in self.text
            return many or bool(words and named)
        if words:
            return True
        damaged = any("*" in word or NEAR_NUMBER.fullmatch(word) for word in self.words)
        return bool(re.search(r"[^\W\d_]|%", self.text)) and not damaged


def read(path: Path) -> tuple[Floats, tuple[str, ...]]:
    """Points (n, 2) of a coordinate file, and notes of lines left out, but for the title.

    Those of a file of Lednicer's kind, both sides from the nose on, are put in Selig's order, from
    the upper trailing edge round the nose to the lower one.

    Raises
    ------
    MeshError    with the line
    """
    texts = enumerate(read_text(path).split("\n"), 1)
    lines = [line for line in (_Line.of(k, text) for k, text in texts) if line.words]
    start = _start(lines)
    width = _width(path, lines[start:])
    ends = (k for k in range(start, len(lines)) if lines[k].count != width)
    stop = next(ends, len(lines))
    body, after = lines[start:stop], lines[stop:]
    body, ended = _ended(path, body)
    notes = [*_after(path, body, after), *ended]
    body, upper, titled = _counts(path, body, title=start == 0)
    notes = [*_head(path, lines[:start], body), *titled, *notes]
    if len(body) < LEAST:
        raise MeshError(f"{path}: {len(body)} points, expected at least {LEAST} lines of x y")
    points = _flat(path, body)
    if upper:
        points, together = _of_sides(points[:upper], points[upper:])
        notes += together
    return points, tuple(f"{path}: {note}" for note in notes)


def _width(path: Path, lines: list[_Line]) -> int:
    """Numbers in each line of points; MeshError for the first of them where others have more."""
    counts = [line.count for line in lines if line.count in (2, 3)]
    width = max(sorted(set(counts)), key=counts.count, default=2)
    first = next((line for line in lines if line.count == width), None)
    if first is not None and lines[0].count != width:
        raise _fault(
            path,
            lines[0],
            f": it has {lines[0].count} numbers, lines from {first.number} on {width}",
        )
    return width


def _start(lines: list[_Line]) -> int:
    """Index of the first line of two or three numbers that is no title, or the end."""
    points = (k for k, line in enumerate(lines) if line.count in (2, 3))
    return next(
        (k for k in points if k or not (lines[0].whole and lines[0].count == 3)), len(lines)
    )


def _fault(path: Path, line: _Line, why: str = "") -> MeshError:
    return MeshError(f"{path}, line {line.number}: '{line.text[:80]}', expected x y{why}")


def _head(path: Path, head: list[_Line], body: list[_Line]) -> list[str]:
    """Notes of lines before the points; MeshError for one that may be a point."""
    notes: list[str] = []
    texts: list[_Line] = []
    for k, line in enumerate(head):
        if line.is_text() or (k == 0 and line.whole):
            texts += [] if line.comment else [line]
        elif line.count == 1 and line.whole:
            if line.values != [len(body)]:
                raise _fault(path, line, f", or how many points there are, {len(body)}")
        elif line.count == 4 and not notes:
            notes.append(_box(path, line))
        else:
            raise _fault(path, line, _damaged(k))
        if len(texts) > TEXTS:
            raise _fault(path, line, f": there are {TEXTS} lines of text before it")
    return [*_left_out("before", texts[1:]), *notes]


def _damaged(k: int) -> str:
    """Further cause of an error in a line before the points."""
    return "" if k else ", or a title, which does not begin with a number"


def _box(path: Path, line: _Line) -> str:
    """A note of a line with the sides of a grid, as MSES and ISES take it."""
    x0, x1, y0, y1 = line.values or [0.0] * 4
    if not (x0 < 0.5 < x1 and y0 < 0 < y1):
        raise _fault(path, line, ", or the sides of a grid about the section, x0 x1 y0 y1")
    return f"line {line.number}, the sides of a grid, left out"


def _ended(path: Path, body: list[_Line]) -> tuple[list[_Line], list[str]]:
    """The points before a line 999 999; MeshError where another element follows it."""
    ends = [k for k, line in enumerate(body) if line.values == [END] * line.count]
    if not ends:
        return body, []
    after = len(body) - ends[0] - len(ends)
    if after:
        raise MeshError(
            f"{path}, line {body[ends[0]].number}: '{body[ends[0]].text}' and {after} points of "
            "other elements, expected one section; make a file of each"
        )
    return body[: ends[0]], [f"line {body[ends[0]].number}, which ends the points, left out"]


def _after(path: Path, body: list[_Line], after: list[_Line]) -> list[str]:
    """A note of the text after the points; MeshError for a point with damage, or points again."""
    if not after:
        return []
    again = next((line for line in after if line.count == body[0].count), None) if body else None
    if not after[0].is_text(after=True) or again is not None or len(body) < LEAST:
        there = "" if again is None else f": points go on in line {again.number}"
        raise _fault(path, after[0], there)
    return _left_out("after", after)


def _left_out(where: str, lines: list[_Line]) -> list[str]:
    """A note of lines of text, with the first of them."""
    if not lines:
        return []
    first, last, text = lines[0].number, lines[-1].number, lines[0].text
    span = f"line {first}" if first == last else f"lines {first} to {last}"
    more = "..." if len(text) > 40 else ""
    return [f"{span}, text {where} the points, left out: '{text[:40]}{more}'"]


def _counts(path: Path, body: list[_Line], title: bool) -> tuple[list[_Line], int, list[str]]:
    """The points without the counts of a file of Lednicer's kind, the number of its upper points
    (0 of a file without counts), and a note.

    Two numbers above 2 are counts of the upper and the lower points.  In the first line of a file
    they may be its title, such as 64 418.
    """
    head = (body[0].values or [])[:2] if body else []
    if not head or not all(value > LARGEST and value.is_integer() for value in head):
        return body, 0, []
    first, rest = body[0], body[1:]
    if any(abs(value) > LARGEST for line in rest[1:] for value in line.values or ()):
        return body, 0, []  # of a chord that is not 1
    upper, lower = map(int, head)
    listed = _sides(rest)
    announced = f"{path}, line {first.number}: {upper} + {lower} points announced"
    if (upper + lower, first.count) == (len(rest), 2):
        if listed not in (0, upper):
            raise MeshError(f"{announced}; {_ends(rest, listed)}")
        return rest, upper, []
    if title and first.whole:
        note = f"line {first.number}, '{first.text}', taken for a title"
        if rest and rest[0].values and rest[0].values[0] > LARGEST:
            rest, count, _ = _counts(path, rest, title=False)
            return rest, count, [note]
        if _closes(rest):
            return rest, 0, [note]
    told = f"; {_ends(rest, listed)}" if listed else ""
    raise MeshError(f"{announced}, {len(rest)} found{told}")


def _sides(body: list[_Line]) -> int:
    """Number of points of the first of two lists from the nose on; 0 where x never starts anew."""
    x = np.array([line.values[0] for line in body if line.values])
    falls = np.flatnonzero(np.diff(x) < -FALL * np.ptp(x)) if len(x) else x
    return int(falls[0]) + 1 if len(falls) == 1 else 0


def _ends(body: list[_Line], listed: int) -> str:
    """Lengths of both lists in words."""
    x, line = (body[listed - 1].values or [0.0])[0], body[listed - 1].number
    return (
        f"the first list ends at x = {x:.6g} in line {line} after {listed} points, and the second "
        f"has {len(body) - listed}: expected {listed} {len(body) - listed}"
    )


def _of_sides(upper: Floats, lower: Floats) -> tuple[Floats, list[str]]:
    """Points in Selig's order from both sides, from the nose on, and a note.

    Noses that are one place but for the rounding of their numbers are put together.
    """
    apart = float(np.linalg.norm(lower[0] - upper[0]))
    notes = []
    if min(len(upper), len(lower)) > 1 and apart:
        next_to = min(np.linalg.norm(side[1] - side[0]) for side in (upper, lower))
        if apart < min(TINY * np.ptp(upper[:, 0]), next_to / APART):
            middle = 0.5 * (upper[:1] + lower[:1])
            upper, lower = np.concatenate([middle, upper[1:]]), lower[1:]
            notes = [f"sides that begin {apart:.2g} apart at the nose begin in the middle"]
    return np.concatenate([upper[::-1], lower]), notes


def _closes(body: list[_Line]) -> bool:
    """Return True if the last point is close to the first, as in Selig's order."""
    if len(body) < LEAST:
        return False
    first, last = np.array(body[0].values), np.array(body[-1].values)
    return bool(np.abs(first - last).max() < 0.1)


def _flat(path: Path, body: list[_Line]) -> Floats:
    """(n, 2) coordinates; a third one must be the same everywhere."""
    table = np.array([line.values for line in body])
    for height in table.T[2:]:
        heights, counts = np.unique(height, return_counts=True)
        usual = heights[counts == counts.max()]
        usual = height[0] if height[0] in usual else usual[0]
        odd = np.flatnonzero(height != usual)
        if len(odd):
            raise _fault(path, body[odd[0]], f", or x y z with z = {usual:g} as elsewhere")
    return np.ascontiguousarray(table[:, :2])
