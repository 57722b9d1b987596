"""Runs that stop before their end: Ctrl-C between two steps, a disk that is full."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kinemesh.sentences import TO_RESUME, Sentence

_asked = False


def _note(*_: Any) -> None:
    """The first Ctrl-C waits for `check`; the next ones do not."""
    global _asked
    _asked = True
    signal.signal(signal.SIGINT, signal.default_int_handler)


def asked() -> bool:
    """Return True if Ctrl-C was pressed and the next `check` stops."""
    return _asked


def check() -> None:
    """Stop here if Ctrl-C was pressed; called between steps, where all files are complete.

    Raises
    ------
    KeyboardInterrupt
    """
    global _asked
    if _asked:
        _asked = False
        raise KeyboardInterrupt


@contextmanager
def held(folder: Path | None, resumed: bool = False) -> Iterator[None]:
    """Hold Ctrl-C back until `check`; an interrupted run in `folder` ends with how to resume it.

    Where the program has a handler of its own, in another thread, and where Ctrl-C is ignored
    (`nohup`, a shell's `&` in a script), nothing is held back and the handler stays.
    """
    global _asked
    ours = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
    if ours:
        _asked = False
        signal.signal(signal.SIGINT, _note)
    old = None if resumed else _stamp(folder)
    try:
        yield
        if ours:
            check()
    except KeyboardInterrupt:
        raise KeyboardInterrupt(Sentence("interrupted; ", _farewell(folder, old))) from None
    except OSError as error:
        error.add_note(_farewell(folder, old))
        raise
    finally:
        if ours:
            _asked = False
            let_go()


@contextmanager
def held_again() -> Iterator[None]:
    """Hold Ctrl-C back during a step of a run whose loop is the user's, who has it in between.

    Only within `held`, after `let_go`.
    """
    ours = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
    if ours:
        signal.signal(signal.SIGINT, _note)
    try:
        yield
        if ours:
            check()
    finally:
        if ours:
            let_go()


def held_now() -> bool:
    """Return True if Ctrl-C waits for `check`."""
    return signal.getsignal(signal.SIGINT) is _note


def let_go() -> None:
    """Ctrl-C stops what runs at once again, as in the lines of a user between two steps.

    A handler that a user has put there stays.
    """
    if threading.current_thread() is threading.main_thread() and held_now():
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _stamp(folder: Path | None) -> tuple[int, int] | None:
    """Inode and mtime of restart.h5; None if it does not exist."""
    path = None if folder is None else folder / "restart.h5"
    if path is None or not path.exists():
        return None
    return path.stat().st_ino, path.stat().st_mtime_ns


def _farewell(folder: Path | None, old: tuple[int, int] | None) -> str:
    """Advice on resuming an interrupted run; `old` : stamp of an earlier run's restart."""
    if folder is None:
        return "nothing was written"
    if _stamp(folder) == old:
        return f"no restart was written in {folder} yet: to go on, run anew"
    kept = f"what was written in {folder} is kept: to go on, give the same command with "
    return Sentence(kept, TO_RESUME)
