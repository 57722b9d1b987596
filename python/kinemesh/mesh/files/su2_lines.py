"""The lines of an SU2 file, and the numbers of many lines at once."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import MeshError

FORTRAN = re.compile(r"(?<=[0-9.])[dD](?=[+-]?[0-9])")  # its exponents: 1.0D+00
PIECE = 1 << 16  # bytes at a time, within the caches: a file of a million nodes has 300 million
SPACES = np.isin(np.arange(256), list(b" \t\n\r\v\f"))


@dataclass(slots=True)
class Lines:
    """The non-empty lines of a file, without comments, and a place in them.

    Parameters
    ----------
    raw : the file
    begin, end : (lines,)     where each line's words are in it
    words : (lines,)          how many words it has
    numbers : (lines,)        its number in the file
    keys : (k,)               lines with an equals sign
    """

    path: Path
    raw: bytes
    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    words: NDArray[np.int64]
    numbers: NDArray[np.int64]
    keys: NDArray[np.int64]
    at: int = 0

    @classmethod
    def of(cls, path: Path, text: str) -> Lines:
        """Lines of a text."""
        if "%" in text:
            text = re.sub(r"%[^\n]*", "", text)
        raw = text.encode()
        line, word = _starts(raw)
        first = np.searchsorted(word, line)
        words = np.diff(np.append(first, len(word)))
        kept = np.flatnonzero(words)
        end = np.append(line[1:] - 1, len(raw))[kept]
        begin = word[first[kept]]
        equals = np.array([found.start() for found in re.finditer(b"=", raw)], np.int64)
        keys = np.unique(np.searchsorted(begin, equals, "right") - 1) if len(kept) else equals
        return cls(path, raw, begin, end, words[kept], kept + 1, keys)

    def __len__(self) -> int:
        return len(self.numbers)

    def text(self, index: int) -> str:
        """A line without what is blank about it."""
        return self.raw[self.begin[index] : self.end[index]].decode().strip()

    def fault(self, index: int, message: str) -> MeshError:
        if not len(self):
            return MeshError(f"{self.path}: {message}")
        number = self.numbers[min(index, len(self) - 1)]
        return MeshError(f"{self.path}, line {number}: {message}")

    def _pass(self, count: int, what: str) -> None:
        """Pass `count` lines, none of which may be a keyword or lie past the end."""
        ahead = self.keys[np.searchsorted(self.keys, self.at) :]
        stop = int(ahead[0]) if len(ahead) else len(self)
        short = stop - self.at
        if short < count:
            found = f"found '{self.text(stop)}'" if stop < len(self) else "the file ends"
            raise self.fault(
                stop,
                f"{found} after {short} {many(what, short)}, expected {count}: the count is larger "
                "than the list, or the file is truncated; correct the "
                "count, or write or copy the file anew",
            )
        self.at += count

    def block(self, count: int, dtype: type, what: str) -> tuple[NDArray, NDArray[np.int64]]:
        """All numbers of the next `count` lines, flat, and the count per line."""
        start = self.at
        self._pass(count, what)
        if not count:
            return np.empty(0, dtype), np.empty(0, np.int64)
        counts = self.words[start : self.at]
        text = self.raw[self.begin[start] : self.end[self.at - 1]].decode()
        flat = _flat(text, dtype)
        if len(flat) != counts.sum() and dtype is np.float64:
            flat = _flat(FORTRAN.sub("e", text), dtype)
        if len(flat) != counts.sum():
            self._refuse(start, dtype, what)
        return flat, counts

    def _refuse(self, start: int, dtype: type, what: str) -> None:
        """MeshError about the first word that is no number."""
        kind = int if dtype is np.int64 else float
        for k in range(start, self.at):
            for word in self.text(k).split():
                try:
                    kind(word)
                except ValueError:
                    wanted = "whole numbers" if kind is int else "numbers"
                    fault = f"{what} {k - start}: '{word[:40]}', expected {wanted}"
                    raise self.fault(k, fault) from None
        raise self.fault(start, f"{many(what)} that cannot be read as numbers")


def many(what: str, count: int = 0) -> str:
    """Plural of what lines have: `faces of marker 'wing'` of `face of marker 'wing',`."""
    noun, of, rest = what.removesuffix(",").partition(" of ")
    return f"{noun}{'' if count == 1 else 's'}{of}{rest}"


def _starts(raw: bytes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Starts of lines and of words."""
    line: list[NDArray] = [np.zeros(1, np.int64)]
    word: list[NDArray] = []
    before = True  # whether what stands before is blank
    for at in range(0, len(raw), PIECE):
        piece = np.frombuffer(raw, np.uint8, min(PIECE, len(raw) - at), at)
        blank = SPACES[piece]
        begins = ~blank
        begins[1:] &= blank[:-1]
        begins[0] &= before
        before = bool(blank[-1])
        line.append(np.flatnonzero(piece == ord("\n")) + at + 1)
        word.append(np.flatnonzero(begins) + at)
    return np.concatenate(line), np.concatenate([np.empty(0, np.int64), *word])


def _flat(text: str, dtype: type) -> NDArray:
    """All numbers of a text; fewer where one cannot be read."""
    with warnings.catch_warnings():
        # before NumPy 2.3 what cannot be read, such as the fraction of a whole number, is warned of
        warnings.simplefilter("error", DeprecationWarning)
        try:
            found: NDArray = np.fromstring(text, dtype=dtype, sep=" ")
        except (ValueError, DeprecationWarning):
            return np.empty(0, dtype)
    return found
