"""Gradients of the primitive state by weighted least squares, limited (docs/theory.md, 2.2)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

from kinemesh.flow.terms.base import Term
from kinemesh.flow.terms.convection import CLOUD_FLUXES

RANGES = 5
"""Numbers of the range of a member: max rho, -min rho, max p, -min p, max |u - u_inf|^2."""


class Limiter(NamedTuple):
    """Limiter of gradients on meshes; without an ending, the bounds alone.

    Parameters
    ----------
    ending : of its kernels
    k : default of limiter_k, None where it has no constant;  others, viscous : other defaults, by
        dimensions, of a viscous gas
    of_range : True where it reads the range of q over each member
    of_size : True where limiter_k multiplies the size of a cell in chords
    stalls : True where pseudo-steps stall on it, and steady marches take steps of Newton's method
        by default
    """

    ending: str
    k: float | None = None
    others: Mapping[int, float] = MappingProxyType({})
    viscous: float | None = None
    of_range: bool = False
    of_size: bool = False
    stalls: bool = False


LIMITERS = {
    "wang": Limiter(
        "_wang",
        k=0.05,  # docs/convergence.md
        others={3: 0.5},  # smaller ones add drag to coarse wings
        viscous=1.0,  # smaller ones limit boundary layers
        of_range=True,
    ),
    "venkatakrishnan": Limiter("_venkatakrishnan", k=5.0, of_size=True, stalls=True),
    "none": Limiter(""),
}
"""A new limiter on meshes is an entry of csrc/kernels/limiters.h and a line here."""


class Gradients(Term):
    """Primitive state and its gradients, weights |dr|^-2.

    Attributes
    ----------
    grad : (nodes, variables * dimensions) device array, dq_k/dx, dq_k/dy side by side; a field of
        the solver
    kernel : that makes them
    """

    name = "gradients"
    kernel: ClassVar[str] = "ale_gradient"

    def __init__(self, case: Any) -> None:
        super().__init__(case)
        self.limiter = LIMITERS.get(self.settings.limiter, LIMITERS["none"])
        self._length = case.reference[1]  # in which limiter_k counts the size of a cell
        b, grid, variables = case.backend, self.grid, case.model.variables
        self.grad = b.zeros((grid.nodes, grid.dimensions * variables))
        self.fields.add(grad=self.grad)
        self.first: list[Any] = []
        self._begin(b)
        self._calls = self._from_q()

    def _begin(self, backend: Any) -> None:
        """Call from u to q, and where the limiter needs it the range of q."""
        grid, bind = self.grid, self.fields.bind
        self.span = None
        if self.limiter.of_range or grid.slip:
            parts = backend.zeros((grid.chunks, RANGES), "float64")
            self.span = backend.zeros((grid.members, RANGES), "float64")
            self.first = [
                bind("state_primitive_range", **grid.totals, parts=parts, range=self.span)
            ]
        else:
            self.first = [bind("state_primitive")]

    def _from_q(self) -> list[Any]:
        # bounds and limiters look at the middles of faces, where volumes have them
        edge = self.fields["edge"] if "xf" in self.fields else None
        return [self._limited(self.kernel, edge=edge)]

    def _limited(self, kernel: str, **more: Any) -> Any:
        """Call of the kernel of the limiter."""
        own = self.limiter
        if own.k is not None:
            more["K"] = self.settings.limiter_k / (self._length if own.of_size else 1.0)
        if own.of_range:
            more["range"] = self.span
        return self.fields.bind(f"{kernel}{own.ending}", **more)

    def residual(self) -> list[Any]:
        return [*self.first, *self._calls]

    def again(self) -> list[Any]:
        """Calls from q, with the range of q that the last `residual` found."""
        return self._calls


CELL_GRADIENTS = ("nodes", "least-squares", "plain")
"""Ways to gradients of cells."""


class CellGradients(Gradients):
    """Gradients on cells: of Green and Gauss with values at vertices, or by least squares.

    "nodes": values at vertices are means of the cells about them that are exact for linear fields
    (Holmes and Connell 1989); "plain": plain means (Weng et al. 2021, eq. 6 and 7).
    """

    def _from_q(self) -> list[Any]:
        if self.settings.gradient == "least-squares":
            return [self._limited("ale_gradient", **self.grid.fitted)]
        shape = self.grid.vertices.nodes, self.fields["q"].shape[1]
        value = self.fields.backend.zeros(shape)
        values = self.fields.bind("vertex_values", value=value)
        return [values, self._limited("cell_gradient", value=value)]

    def seen(self) -> list[Any]:
        return self.residual()


class CloudGradients(Gradients):
    """Gradients on clouds: weights of settings.weight_power, smoothed where settings ask for it."""

    def __init__(self, case: Any) -> None:
        self.smooth = case.settings.smooth_gradients
        super().__init__(case)

    def _begin(self, backend: Any) -> None:
        if not CLOUD_FLUXES[self.settings.flux].limited:
            self.limiter = LIMITERS["none"]
        self.raw = backend.zeros(self.grad.shape) if self.smooth else None
        super()._begin(backend)

    def _even(self, grad: Any) -> list[Any]:
        """Call that makes gradients even about a plane of symmetry.

        What a volume on the plane sees on one side alone would let waves along it grow.
        """
        symmetric = self.grid.symmetric
        return [self.fields.bind("even_gradient", **symmetric, grad=grad)] if symmetric else []

    def _from_q(self) -> list[Any]:
        if not self.smooth:
            return [self._limited("cloud_gradient"), *self._even(self.grad)]
        raw = self.fields.bind("cloud_gradient", grad=self.raw)
        smooth = self._limited("cloud_smooth", raw=self.raw)
        return [raw, *self._even(self.raw), smooth, *self._even(self.grad)]
