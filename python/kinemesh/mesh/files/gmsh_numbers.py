"""The head, the names and the numbers of a gmsh file's sections, ASCII and binary."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import MeshError

Ints = NDArray[np.int64]
RESAVE = "save it anew: gmsh FILE -save -format msh41 -o NEW.msh"
SHORT = "the file is truncated, or a count in it is wrong"
EXACT = 2.0**53  # below which a float64 is a whole number to the last digit


class Broken(Exception):
    """Error in a section of a Gmsh file."""


def at(raw: bytes, name: str) -> int:
    """Position behind the line that begins a section; -1 without the section."""
    found = re.search(rb"(?m)^\$" + name.encode() + rb"[ \t]*\r?\n", raw)
    return -1 if found is None else found.end()


def head(path: Path, raw: bytes) -> tuple[bool, bool, str]:
    """Return True for version 4.1 (or else 2), True for a binary file, and its order of bytes."""
    if raw.lstrip().startswith(b"$NOD"):
        raise MeshError(
            f"{path}: gmsh format 1 (it begins with $NOD), expected 4.1 or 2.2; {RESAVE}"
        )
    if not raw.lstrip().startswith((b"$MeshFormat", b"$Comments")) or at(raw, "MeshFormat") < 0:
        raise MeshError(f"{path}: does not start with $MeshFormat; is it a gmsh mesh?")
    start = at(raw, "MeshFormat")
    line, _, rest = raw[start : start + 200].partition(b"\n")
    words = line.decode("ascii", "replace").split()
    version = words[0] if words else "unknown"
    four = re.fullmatch(r"4\.10*", version) is not None
    if not four and not re.fullmatch(r"2(\.[012]?0*)?", version):
        raise MeshError(f"{path}: gmsh format {version[:20]}, expected 4.1 or 2.2; {RESAVE}")
    if words[2:3] != ["8"]:
        raise MeshError(f"{path}: $MeshFormat is '{line.decode('ascii', 'replace').strip()}', "
                        f"expected numbers of 8 bytes, such as {version} 0 8")  # fmt: skip
    if not raw[-256:].rstrip().rsplit(b"\n", 1)[-1].strip().startswith(b"$End"):
        raise MeshError(f"{path}: does not end with $End...; the file is truncated")
    return four, words[1] == "1", ">" if rest[:4] == b"\0\0\0\1" else "<"


def names(raw: bytes) -> dict[tuple[int, int], str]:
    """Names of the physical groups, by dimension and number."""
    start = at(raw, "PhysicalNames")
    if start < 0:
        return {}
    text = raw[start : raw.find(b"$EndPhysicalNames", start)]
    rows = re.findall(rb'(?m)^[ \t]*(\d)[ \t]+(-?\d{1,18})[ \t]+"(.*)"[ \t]*\r?$', text)
    return {(int(dim), abs(int(tag))): _decoded(name) for dim, tag, name in rows}


def _decoded(name: bytes) -> str:
    try:
        return name.decode("utf-8")
    except UnicodeDecodeError:
        return name.decode("latin-1")


def _integer(word: bytes, otherwise: int) -> int:
    return int(word) if word.isdigit() and len(word) < 19 else otherwise


class Numbers:
    """The numbers of a section, read one after the other."""

    def __init__(
        self, path: Path, raw: bytes, name: str, binary: bool, order: str, four: bool
    ) -> None:
        self.name, self.binary, self.order, self.at = name, binary, order, 0
        start = at(raw, name)
        if start < 0:
            raise MeshError(f"{path}: no ${name} section, expected one")
        if binary and not four:  # their count is text
            line, _, _ = raw[start : start + 40].partition(b"\n")
            self.count = _integer(line.strip(), len(raw) + 1)
            start += len(line) + 1
        end = len(raw) if binary else raw.find(b"$End" + name.encode(), start)
        self.data = raw[start : end if end >= 0 else len(raw)]
        self.flat = np.empty(0) if binary else _flat(self.data)
        if not (binary and not four):
            self.count = self._count(four, len(raw) + 1)
        if name in ("Nodes", "Elements") and self.count > len(raw):
            raise MeshError(
                f"{path}: ${name} announces {self.count} entries in a file of {len(raw)} bytes; "
                "expected a count that the file can hold: it is damaged"
            )

    def _count(self, four: bool, otherwise: int) -> int:
        """Number of nodes or elements in the header, without moving on."""
        place = 1 if four else 0
        if self.binary:
            start = self.data[8 * place : 8 * place + 8]
            return int(np.frombuffer(start, f"{self.order}u8")[0]) if len(start) == 8 else otherwise
        words = self.data[:200].split()
        return _integer(words[place], otherwise) if len(words) > place else otherwise

    def _next(self, count: int, kind: str) -> NDArray:
        if count < 0:
            raise Broken(f"${self.name} has a count of {count}")
        if self.binary:
            return np.frombuffer(self.bytes(count * int(kind[1])), self.order + kind)
        found = self.flat[self.at : self.at + count]
        self.at += count
        if len(found) < count:
            raise Broken(f"${self.name}: {SHORT}")
        return found

    def bytes(self, size: int) -> bytes:
        """The next bytes of a binary section."""
        piece = self.data[self.at : self.at + size]
        self.at += size
        if len(piece) < size:
            raise Broken(f"${self.name}: {SHORT}")
        return piece

    def whole(self, count: int, kind: str = "i4") -> Ints:
        """The next whole numbers; in binary files of 4 bytes each."""
        found = self._next(count, kind)
        return found.astype(np.int64) if self.binary else self.exact(found)

    def exact(self, found: NDArray[np.float64]) -> Ints:
        """Numbers of a text that must be whole."""
        odd = found[(found != np.floor(found)) | ~(np.abs(found) < EXACT)]
        if len(odd):
            raise Broken(f"${self.name} has {odd[0]:g}, expected whole numbers")
        return found.astype(np.int64)

    def sizes(self, count: int) -> Ints:
        """The next counts and tags of nodes and elements; in binary files of 8 bytes each."""
        return self.whole(count, "u8")

    def real(self, count: int) -> NDArray[np.float64]:
        """The next numbers."""
        return self._next(count, "f8").astype(np.float64)

    def end(self) -> None:
        """Raise Broken if the section does not end here."""
        if self.binary:
            left = self.data[self.at : self.at + 80].lstrip()
            good = left.startswith(b"$End" + self.name.encode())
        else:
            good = self.at == len(self.flat) == len(self.data.split())
        if not good:
            raise Broken(f"${self.name} does not end where its counts say")


def _flat(text: bytes) -> NDArray[np.float64]:
    """All numbers of a text, up to the first other word."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            found: NDArray = np.fromstring(text.decode("latin-1"), sep=" ")
        except ValueError:
            words = text.split()
            found = np.array([float(w) for w in words[: _numeric(words)]])
    return found


def _numeric(words: list[bytes]) -> int:
    """Number of leading words that are numbers."""
    for k, word in enumerate(words):
        try:
            float(word)
        except ValueError:
            return k
    return len(words)
