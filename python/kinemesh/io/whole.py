"""A file that is whole at every moment, however the program ends.

HDF5 changes its own index in place, so a program killed while it writes can leave a file that
nobody reads.  Here everything that HDF5 writes is held in memory until `commit`: new pages go
behind the end of the file, where nothing points at them yet; pages that replace old ones go to a
journal, whole or not at all, and from there into the file.  A journal that is found later is
applied first.  A disk that is full raises in `commit`, never inside HDF5, which would not survive.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zlib import crc32

PAGE = 4096  # bytes


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """An OSError from within gets the name of the file."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def replace(
    path: Path, data: bytes | memoryview, before: Callable[[Path], object] | None = None
) -> None:
    """Put `data` in the place of a file, on the disk, whole or not at all.

    `before(path)` is called when the data are on the disk and not yet in their place.
    """
    fresh = path.with_name(path.name + ".tmp")
    with naming(path):
        try:
            with fresh.open("wb") as disk:
                disk.write(data)
                disk.flush()
                os.fsync(disk.fileno())
        except BaseException:  # Ctrl-C, too
            fresh.unlink(missing_ok=True)
            raise
        if before is not None:
            before(path)
        fresh.replace(path)


def journal_of(path: Path) -> Path:
    """Path of a file's journal, which exists during a commit only."""
    return path.with_name(path.name + ".journal")


class WholeFile(io.RawIOBase):
    """A binary file for h5py whose changes reach the disk in `commit`, all or none.

    Parameters
    ----------
    path : path
    mode : "w" anew, "r+" to change, "r" to read (what a journal holds is read, not written)
    """

    def __init__(self, path: str | Path, mode: str) -> None:
        super().__init__()
        self.path, self._at = Path(path), 0
        self._pages: dict[int, bytearray] = {}
        self._raw = self.path.open({"w": "wb+", "r+": "rb+", "r": "rb"}[mode], buffering=0)
        if mode == "w":
            journal_of(self.path).unlink(missing_ok=True)
        self._end = self._size = os.fstat(self._raw.fileno()).st_size
        if mode != "w":
            self._take_up(apply=mode == "r+")

    # ---- what h5py asks of a file ---------------------------------------------------------

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return self._raw.writable()

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, target: Any) -> int:
        view = memoryview(target).cast("B")
        view[:] = bytes(len(view))
        count = max(0, min(len(view), self._size - self._at))
        there = os.pread(self._raw.fileno(), count, self._at)
        view[: len(there)] = there
        for page, low, high in _split(self._at, count):
            if page in self._pages:
                start = page * PAGE + low - self._at
                view[start : start + high - low] = self._pages[page][low:high]
        self._at += count
        return count

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        start = self._at
        for page, low, high in _split(start, len(view)):
            if page not in self._pages:
                self._pages[page] = self._page(page, high - low == PAGE)
            at = page * PAGE + low - start
            self._pages[page][low:high] = view[at : at + high - low]
        self._at = start + len(view)
        self._size = max(self._size, self._at)
        return len(view)

    def truncate(self, size: int | None = None) -> int:
        self._size = self._at if size is None else size
        return self._size

    def flush(self) -> None:
        """Nothing: only `commit` writes."""

    def close(self) -> None:
        """Close the file; uncommitted changes are dropped."""
        if not self.closed:
            self._raw.close()
        super().close()

    # ---- what reaches the disk ------------------------------------------------------------

    def commit(self) -> None:
        """Bring every change since the last commit into the file, or none of them.

        Raises
        ------
        OSError    the disk is full, or worse; the file is as it was
        """
        pages = sorted(self._pages)
        fresh = [p for p in pages if p * PAGE >= self._end and p * PAGE < self._size]
        old = [p for p in pages if p * PAGE < self._end and p * PAGE < self._size]
        with naming(self.path):
            try:
                self._put((p * PAGE, self._bytes(p)) for p in fresh)
                self._journal([(p * PAGE, self._bytes(p)) for p in old])
            except OSError:
                os.ftruncate(self._raw.fileno(), self._end)
                raise
            self._take_up(apply=True)
        self._pages.clear()

    def sync(self) -> None:
        """Wait until all commits are on the disk."""
        os.fsync(self._raw.fileno())

    def _page(self, page: int, whole: bool) -> bytearray:
        """Page of the file; zeros for a page to be written whole."""
        there = b"" if whole else os.pread(self._raw.fileno(), PAGE, page * PAGE)
        return bytearray(there.ljust(PAGE, b"\0"))

    def _bytes(self, page: int) -> bytes:
        return bytes(self._pages[page][: self._size - page * PAGE])

    def _put(self, parts: Iterable[tuple[int, bytes]]) -> None:
        for start, data in parts:
            done = 0
            while done < len(data):  # a short write: the disk is full, the next one says so
                done += os.pwrite(self._raw.fileno(), data[done:], start + done)

    def _journal(self, parts: list[tuple[int, bytes]]) -> None:
        """Write the pages that replace others beside the file, whole or not at all."""
        payload = b"".join(data for _, data in parts)
        head = {
            "size": self._size,
            "at": [start for start, _ in parts],
            "lengths": [len(data) for _, data in parts],
            "crc32": crc32(payload),
        }
        path = journal_of(self.path)
        fresh = path.with_name(path.name + ".tmp")
        try:
            fresh.write_bytes(json.dumps(head).encode() + b"\n" + payload)
        except OSError:
            fresh.unlink(missing_ok=True)
            raise
        fresh.replace(path)

    def _take_up(self, apply: bool) -> None:
        """Apply a valid journal to the file, or overlay its pages for reading."""
        path = journal_of(self.path)
        try:
            line, _, payload = path.read_bytes().partition(b"\n")
            head = json.loads(line)
            good = crc32(payload) == head["crc32"]
        except FileNotFoundError:
            return
        except ValueError:
            good = False
        if good:
            starts = [sum(head["lengths"][:i]) for i in range(len(head["at"]))]
            cut = zip(head["at"], starts, head["lengths"], strict=True)
            parts = [(at, payload[start : start + length]) for at, start, length in cut]
            self._size = head["size"]
            if apply:
                self._put(parts)
                os.ftruncate(self._raw.fileno(), self._size)
            else:
                for at, data in parts:
                    self._pages[at // PAGE] = bytearray(data.ljust(PAGE, b"\0"))
        if apply:
            self._end = self._size
            path.unlink(missing_ok=True)


def _split(start: int, count: int) -> Iterable[tuple[int, int, int]]:
    """(page, low, high) of the parts of `count` bytes from `start` on."""
    stop = start + count
    for page in range(start // PAGE, -(-stop // PAGE)):
        yield page, max(start - page * PAGE, 0), min(stop - page * PAGE, PAGE)
