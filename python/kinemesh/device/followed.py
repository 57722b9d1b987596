"""Recordings with followers: calls that recompute what depends on the recording's arrays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kinemesh.device.backend import Backend


class Followed:
    """Recording of calls, which followers can join.

    A recording of the backend cannot grow, and one that held an earlier state of this one would go
    stale without a word; so this one is called on its own, and records itself again where calls
    have joined.
    """

    def __init__(self, backend: Backend, calls: Iterable[Any]) -> None:
        self.backend, self._calls = backend, list(calls)
        self._recorded: Any = None

    def follow(self, *calls: Any) -> None:
        """Append calls to the recording, and run them once now."""
        self._calls += calls
        self._recorded = None
        for call in calls:
            call()

    @property
    def recorded(self) -> Any:
        """Recording with all calls so far."""
        if self._recorded is None:
            self._recorded = self.backend.record(self._calls)
        return self._recorded

    def __call__(self) -> None:
        self.recorded()
