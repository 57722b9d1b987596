"""Read-only mapping of columns by name, which `dict` and pandas accept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, NoReturn

from numpy.typing import NDArray

LOADS = ("cl", "cd", "cm")  # columns of all walls; of a body they end in _ and its marker
SIDE = ("cy", "cm_roll", "cm_yaw")
"""Loads that are of space: force along y, right-handed moments about lines along x and z through
the moment's point in the plane of symmetry across the span, or at y = 0, over the reference values
of lift and moment."""

SIDES: Mapping[int, tuple[str, ...]] = {2: (), 3: SIDE}
"""These by dimensions."""
WAKE = ("cd_induced", "cm_bending")  # of steady walls in space that shed a wake
MASS_FLOW = "mass_flow_"  # how columns of mass flows begin, by the marker of an inlet or outlet
OF_ENDS = ("pressure_drop", "loss")  # of a channel, beside its mass flows
FIRST = ("cl", "cd", WAKE[0], "cm", WAKE[1])  # of a steady result, in this order


class Load(NamedTuple):
    """A coefficient in words, and by its symbol in figures."""

    words: str
    symbol: str


OF_LOADS: Mapping[str, Load] = {
    "cl": Load("lift", "$c_l$"),
    "cd": Load("drag", "$c_d$"),
    "cd_pressure": Load("drag by pressure", "$c_d$ by pressure"),
    "cd_friction": Load("drag by friction", "$c_d$ by friction"),
    "cd_induced": Load("induced drag, by the wake alone", "$c_d$ by the wake"),
    "cm": Load("pitching moment, nose-up positive", "$c_m$"),
    "cm_bending": Load("moment of a half wing's lift about its root", "$c_m$ of bending"),
    "cy": Load("force along the span", "$c_y$"),
    "cm_roll": Load("moment of roll, right-handed", "$c_{m,x}$"),
    "cm_yaw": Load("moment of yaw, right-handed", "$c_{m,z}$"),
    "power": Load("power that moves the bodies", "$c_P$"),
}
OF_WALLS = tuple(name for name in OF_LOADS if name.startswith(tuple(f"{n}_" for n in LOADS)))
"""Loads of all walls whose names are like those of one body, `cd_flap`."""


class Columns(dict[str, NDArray[Any]]):
    """Read-only columns (rows,) by name; subclasses define `columns` and how to get one.

    pandas makes a frame of a `dict` alone, and of any other mapping a list of its names.  So
    columns are a dict, whose own store stays empty: every way to read goes through `__getitem__`.
    """

    columns: tuple[str, ...] = ()

    def __init__(self) -> None:
        super().__init__()

    def __getitem__(self, name: str) -> NDArray[Any]:
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    keys: Any = Mapping.keys
    values: Any = Mapping.values
    items: Any = Mapping.items
    get: Any = Mapping.get
    __ne__ = object.__ne__
    __eq__ = object.__eq__  # two mappings of arrays have no single truth value
    __hash__ = object.__hash__  # type: ignore[assignment]

    def __reversed__(self) -> Iterator[str]:  # type: ignore[override]
        return reversed(self.columns)

    def copy(self) -> dict[str, NDArray[Any]]:
        """The columns as a plain dict."""
        return {name: self[name] for name in self.columns}

    def __or__(self, other: Any) -> Any:
        return self.copy() | dict(other)

    def __ror__(self, other: Any) -> Any:
        return dict(other) | self.copy()

    def __reduce_ex__(self, protocol: Any) -> Any:
        return (*super().__reduce_ex__(protocol)[:4], None)  # no entries to set in the copy

    def _read_only(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError(f"{type(self).__name__}: columns are read-only; dict(...) gives a copy")

    __setitem__ = __delitem__ = __ior__ = _read_only  # type: ignore[assignment]
    pop = popitem = clear = update = setdefault = _read_only  # type: ignore[assignment]
