"""Named fields, which kernels take by the names in their declarations."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator
from functools import cache
from typing import Any

from kinemesh.device.backend import OPTIONAL, Backend, kernels
from kinemesh.errors import SettingsError


@cache
def _declared() -> dict[str, dict[str, bool]]:
    """Names of the fields that every kernel is given -> True if the field may be absent."""
    return {
        name: {field: mode in OPTIONAL for field, mode, _, _ in fields if mode != "size"}
        for name, (_, fields) in kernels().items()
    }


class Fields:
    """Device arrays and numbers by the names that kernels declare for them.

    `fields.bind("ale_residual", flux=flux)` takes `flux` as given, and x, V, u and all else that
    the kernel declares from here.  `fields.also(S=S, w=w)` has more names, over those that it
    shares; what is added to `fields` later is in both.

    Parameters
    ----------
    endings : a kernel is the one whose name has the first of them, where there is one; of a
        dimension its `endings`
    """

    def __init__(self, backend: Backend, endings: tuple[str, ...] = (), **named: Any) -> None:
        self.backend, self.endings = backend, endings
        self._named: ChainMap[str, Any] = ChainMap(dict(named))
        self._lacking: dict[str, str] = {}  # shared by all copies

    def also(self, **named: Any) -> Fields:
        """Copy with further fields."""
        return self.ending(self.endings, **named)

    def ending(self, endings: tuple[str, ...], **named: Any) -> Fields:
        """Copy for kernels with another ending, with further fields."""
        more = Fields(self.backend, endings)
        more._named, more._lacking = self._named.new_child(dict(named)), self._lacking
        return more

    def add(self, **named: Any) -> None:
        """Add fields; a second field of one name is an error."""
        again = [n for n in named if n in self._named.maps[0]]
        if again:
            raise KeyError(f"{again[0]} is here already")
        self._named.maps[0].update(named)

    def lack(self, **why: str) -> None:
        """Say why settings leave out a field: who asks for it gets SettingsError."""
        self._lacking.update(why)

    def __getitem__(self, name: str) -> Any:
        if name not in self._named and name in self._lacking:
            raise SettingsError(f"there is no {name}, as {self._lacking[name]}")
        return self._named[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._named)

    def kernel(self, name: str) -> str:
        """A kernel's name with its ending."""
        return next((name + end for end in self.endings if name + end in _declared()), name)

    def has(self, kernel: str) -> bool:
        """Return True if a kernel of this name exists, with its ending."""
        return self.kernel(kernel) in _declared()

    def bind(
        self,
        kernel: str,
        over: tuple[int, int] | None = None,
        *,
        suffix: str | None = None,
        **given: Any,
    ) -> Any:
        """Checked call of a kernel with the fields of the arguments, and the others from here.

        Raises
        ------
        KeyError         a field of the kernel is neither given nor here
        SettingsError    settings have left it out
        """
        kernel = self.kernel(kernel)
        found = dict(given)
        for name, optional in _declared().get(kernel, {}).items():
            if name in found:
                continue
            if name in self._named:
                found[name] = self._named[name]
            elif optional:
                found[name] = None
            elif name in self._lacking:
                raise SettingsError(f"{kernel} needs {name}, and {self._lacking[name]}")
            else:
                known = ", ".join(sorted({*self._named, *given}))
                raise KeyError(f"{kernel} needs {name}, which is not among {known}")
        return self.backend.bind(kernel, over, suffix=suffix, **found)
