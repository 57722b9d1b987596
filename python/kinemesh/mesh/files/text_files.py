"""Text files, plain or compressed (.gz, .xz), with errors that name the file."""

from __future__ import annotations

import gzip
import lzma
import re
import zlib
from collections.abc import Callable
from pathlib import Path

from kinemesh.errors import MeshError
from kinemesh.io.paths import expanded

COMPRESSION: dict[str, Callable] = {".gz": gzip.open, ".xz": lzma.open}
END_OF_FILE = b"\x1a"  # of text files of DOS
ODD = bytes([*range(0x09), *range(0x0E, 0x20), 0x7F])  # bytes that no text has
PIECE = 1 << 20  # bytes at a time


def path_of(path: object) -> Path:
    """A file's name as a Path; MeshError if it is none."""
    if not isinstance(path, str | Path):
        raise MeshError(f"the mesh file is {path!r}, expected its name, such as 'wing.su2'")
    return expanded(path)


def format_of(path: Path) -> str:
    """Suffix of a file without its compression: `.su2` of `wing.su2.xz`."""
    inner = path.with_suffix("") if path.suffix.lower() in COMPRESSION else path
    return inner.suffix.lower()


def stem_of(path: Path) -> str:
    """Name of a file without its folder and its suffixes: `wing` of `wing.dat.gz`."""
    inner = path.with_suffix("") if path.suffix.lower() in COMPRESSION else path
    return inner.stem


def read_text(path: Path) -> str:
    """The text of a file, its lines ended by "\\n"; MeshError if it is absent, damaged or not text.

    UTF-8; where it is not that, Windows' or ISO's Latin 1, or UTF-16 if it begins with its mark.
    DOS ends a text by the byte 0x1a, which is left out.
    """
    raw = read_bytes(path)
    text = _utf16(path, raw) if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else _bytes(path, raw)
    return re.sub("\r\n?", "\n", text)


def read_bytes(path: Path) -> bytes:
    """The bytes of a file, decompressed; MeshError if it is absent or damaged."""
    opened = COMPRESSION.get(path.suffix.lower(), open)
    try:
        with opened(path, "rb") as stream:
            raw: bytes = stream.read()
    except FileNotFoundError as error:
        raise MeshError(f"{path}: there is no such file") from error
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise MeshError(f"{path}: cannot be read ({error}); is it complete?") from error
    return raw


def _utf16(path: Path, raw: bytes) -> str:
    try:
        return raw.decode("utf-16")
    except UnicodeDecodeError as error:
        raise MeshError(f"{path}: begins as UTF-16, and is none ({error.reason})") from error


def _bytes(path: Path, raw: bytes) -> str:
    """Text of one byte a letter, or of UTF-8."""
    whole, sign, rest = raw.partition(END_OF_FILE)
    if sign and rest.strip(END_OF_FILE + b"\0 \t\r\n"):
        line = raw.count(b"\n", 0, len(whole)) + 1
        raise MeshError(
            f"{path}, line {line}: text after DOS's end of file (byte 0x1a), expected none; remove "
            "the sign where the text goes on"
        )
    odd = _first_odd(whole)
    if odd is not None:
        line = whole.count(b"\n", 0, odd) + 1
        what = f"byte 0x{whole[odd]:02x}" if whole[odd] else "a zero byte"
        raise MeshError(f"{path}, line {line}: {what}, expected text; is the file binary?")
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            return whole.decode(encoding)
        except UnicodeDecodeError:
            pass
    return whole.decode("latin-1")


def _first_odd(raw: bytes) -> int | None:
    """Place of the first byte that no text has."""
    for at in range(0, len(raw), PIECE):  # many times faster than to search for one
        piece = raw[at : at + PIECE]
        if len(piece.translate(None, ODD)) < len(piece):
            return at + next(k for k, byte in enumerate(piece) if byte in ODD)
    return None


def write_text(path: Path, text: str) -> None:
    """Write a text file, compressed if its suffix is of a compressed format."""
    opened = COMPRESSION.get(path.suffix.lower(), open)
    try:
        with opened(path, "wb") as stream:
            stream.write(text.encode("utf-8"))
    except OSError as error:
        raise MeshError(f"{path}: cannot be written ({error})") from error
