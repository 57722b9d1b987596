"""Ctrl-C during a run: what is being written is finished first, then the run stops."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_asked = False


def _note(*_: Any) -> None:
    """The first Ctrl-C waits for `check`; the next ones do not."""
    global _asked
    _asked = True
    signal.signal(signal.SIGINT, signal.default_int_handler)


def check() -> None:
    """Stop here if Ctrl-C was pressed: nothing is half done.

    Raises
    ------
    KeyboardInterrupt
    """
    global _asked
    if _asked:
        _asked = False
        raise KeyboardInterrupt


@contextmanager
def held(folder: Path | None) -> Iterator[None]:
    """Hold Ctrl-C back until `check`, and say how to go on with the run in `folder`.

    Where the program has a handler of its own, or in another thread, nothing is held back.
    """
    global _asked
    ours = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
    if ours:
        _asked = False
        signal.signal(signal.SIGINT, _note)
    try:
        yield
        if ours:
            check()
    except KeyboardInterrupt:
        raise KeyboardInterrupt(_farewell(folder)) from None
    finally:
        if ours:
            _asked = False
            signal.signal(signal.SIGINT, signal.default_int_handler)


def _farewell(folder: Path | None) -> str:
    if folder is None:
        return "interrupted"
    if (folder / "restart.h5").exists():
        return (
            f"interrupted; what was written in {folder} is kept; to go on, give the same command "
            "with --resume (in Python: resume=True)"
        )
    return f"interrupted before the first restart was written in {folder}; to go on, run anew"
