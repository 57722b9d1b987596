"""Term of a residual: its calls, its derivative, the fields that it reads at neighbours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from kinemesh.bodies.placement import Placement
from kinemesh.device.fields import Fields
from kinemesh.device.neighbours import arrays_near
from kinemesh.linear.thin_layers import Layers
from kinemesh.sentences import Sentence


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of the implicit system, to which terms add their derivatives.

    Parameters
    ----------
    fields : A, rhs, the state and the metrics in the precision of the matrix; tables of the rows
    diagonal : (nodes,) block on the diagonal of each volume, on the host
    sides : metrics of each patch, in that precision
    suffix : of the kernels of that precision
    rows : (nodes,) row of each volume, on the host;  row : (rows + 1,) device table of their blocks
    """

    fields: Fields
    diagonal: NDArray[np.int32]
    sides: Mapping[str, Mapping[str, Any]]
    suffix: str
    rows: NDArray[np.int32]
    row: Any


class Beside(Protocol):
    """Unknown beside u in steps of Newton, the last number of each volume in their vectors.

    Its methods give calls.

    Attributes
    ----------
    fields : `beside0` and `beside`, its residual where the step began and now; `T_beside`, its
        1 / dtau at a CFL number of 1; `scale` (members,) of the unknown
    """

    fields: Mapping[str, Any]

    def begin(self) -> list[Any]:
        """Calls that keep the state and give T, and factors of its matrix."""

    def side(self) -> list[Any]:
        """Calls for w = -R."""

    def solve(self) -> list[Any]:
        """Calls for z = M w."""

    def move(self) -> list[Any]:
        """Calls to the state x + share z."""

    def product(self) -> list[Any]:
        """Calls for w = [T / CFL + dR/dx] z."""

    def bound(self) -> list[Any]:
        """Calls that bound z."""


class Term:
    """Part of a residual.

    A solver chooses the terms of its case in `terms_of`, in the order of their calls, and makes
    each from itself: a term adds the fields that it makes to those of the solver, for the terms
    after it.  A term that a case does not need is not made: none asks whether it is needed.

    Parameters
    ----------
    case : solver of a gas, with `fields`, `grid` and `settings`

    Attributes
    ----------
    name : by which the solver has it
    swept : True where sweeps without a matrix have its derivative, or need none
    columns : of histories, that it has numbers for
    busy : (members,) int32 device array, members that may not end, as what terms have beside u has
        not converged; one array for all terms of a case, or None
    """

    name: ClassVar[str]
    swept: ClassVar[bool] = False
    columns: tuple[str, ...] = ()
    busy: Any = None

    def __init__(self, case: Any) -> None:
        self.fields, self.grid, self.settings = case.fields, case.grid, case.settings

    def residual(self) -> list[Any]:
        """Calls from u, and what terms before it have made, to its share of `res`."""
        return []

    @property
    def near(self) -> list[Any]:
        """Device arrays that calls of `residual` read at neighbours, as their kernels declare.

        All others they read at their own volumes alone.
        """
        return arrays_near(self.residual())

    def again(self) -> list[Any]:
        """Calls of `residual` that later stages of a pseudo-step repeat, from q in place of u."""
        return self.residual()

    def stand(self) -> list[Any]:
        """Calls that put what bodies at rest make of a stream into u."""
        return []

    def seen(self) -> list[Any]:
        """Calls from q to what it has made and loads read; none where loads read q alone."""
        return []

    def perturbed(self) -> list[Any]:
        """Calls of `residual` for a state that is tried, which leave nothing but residuals."""
        return self.residual()

    def given(self, vectors: Mapping[str, Any]) -> list[Any]:
        """Calls for its rows that are no equations, of w = dR/dx z (volumes, numbers).

        Parameters
        ----------
        vectors : z, w and T, the pseudo-time of (2.21)
        """
        del vectors  # none, as a rule
        return []

    def beside(self) -> Callable[[Fields, Layers], Beside] | None:
        """Maker of what steps of Newton need of its unknown beside u, from their fields and the
        coarse levels under the matrix.
        """
        return None

    def matrix(self, rows: Rows) -> list[Any]:
        """Calls that add its derivative to the matrix."""
        del rows  # none, as a rule
        return []

    def step(self) -> list[Any]:
        """Calls that solve for what it has beside u, behind the update of u in a pseudo-step."""
        return []

    def initialise(self) -> None:
        """Set what it has beside u to that of the stream, at every time level."""

    def start_steady(self) -> None:
        """Begin a march to a steady flow."""

    def place(self, placement: Placement) -> None:
        """Take up where bodies are, before volumes follow them."""

    def begin_step(self) -> None:
        """Begin a physical step: what the last one left becomes the past."""

    def settle(self) -> None:
        """Every time level is what a steady march has left."""

    def at_time(self, times: NDArray[np.float64]) -> None:
        """Take up what depends on the time, at the times of the members (members,)."""

    def beside_res(self) -> list[tuple[str, Any]]:
        """Name of what it has beside u, and the device array (volumes,) of its residual."""
        return []

    def above(self) -> NDArray[np.bool_] | bool:
        """(members,) whether the residual beside that of u is above what settings ask for now."""
        return False

    def numbers(self) -> dict[str, NDArray[Any]]:
        """(members,) of each of `columns`."""
        return {}

    def remarks(self) -> list[Sentence]:
        """Sentences on the end of a run, after its last state."""
        return []

    def outputs(self) -> dict[str, NDArray[Any]]:
        """(nodes,) fields of a field file beside those of the model, by name."""
        return {}

    @property
    def kept(self) -> dict[str, Any]:
        """Device arrays by name that a restart holds."""
        return {}
