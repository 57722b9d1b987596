"""Text files, plain or compressed (.gz, .xz), with errors that name the file."""

from __future__ import annotations

import gzip
import lzma
import zlib
from collections.abc import Callable
from pathlib import Path

from kinemesh.errors import MeshError
from kinemesh.io.paths import expanded

COMPRESSION: dict[str, Callable] = {".gz": gzip.open, ".xz": lzma.open}


def path_of(path: object) -> Path:
    """A file's name as a Path; MeshError if it is none."""
    if not isinstance(path, str | Path):
        raise MeshError(f"the mesh file is {path!r}, expected its name, such as 'wing.su2'")
    return expanded(path)


def format_of(path: Path) -> str:
    """Suffix of a file without its compression: `.su2` of `wing.su2.xz`."""
    inner = path.with_suffix("") if path.suffix.lower() in COMPRESSION else path
    return inner.suffix.lower()


def read_text(path: Path) -> str:
    """The text of a file; MeshError if it is absent, damaged or not text."""
    opened = COMPRESSION.get(path.suffix.lower(), open)
    try:
        with opened(path, "rb") as stream:
            raw = stream.read()
    except FileNotFoundError as error:
        raise MeshError(f"{path}: there is no such file") from error
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise MeshError(f"{path}: cannot be read ({error}); is it complete?") from error
    if b"\0" in raw:
        line = raw.count(b"\n", 0, raw.index(b"\0")) + 1
        raise MeshError(f"{path}, line {line}: a zero byte, expected text; is the file binary?")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise MeshError(
            f"{path}, line {line}: byte 0x{raw[error.start]:02x}, expected text; "
            "is the file binary?"
        ) from error


def write_text(path: Path, text: str) -> None:
    """Write a text file, compressed if its suffix says so."""
    opened = COMPRESSION.get(path.suffix.lower(), open)
    try:
        with opened(path, "wb") as stream:
            stream.write(text.encode("utf-8"))
    except OSError as error:
        raise MeshError(f"{path}: cannot be written ({error})") from error
