"""Steps of Newton's method in a march to a steady flow (docs/theory.md, section 2.9).

[T / CFL + dR/dx] dx = -R with the derivative of the whole residual, which differences give, by
GMRES over corrections by the matrix of a pseudo-step, that of the first-order flux: of coarse
levels, along lines of thin cells, and by DILU (section 5.5); on cells over its solution by
BiCGSTAB.  All is decided on the device, member by member: which kind of step, its length, and what
follows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kinemesh.device.fields import Fields
from kinemesh.linear import Gmres
from kinemesh.linear.thin_layers import Preconditioner

# Residual over its first value at which Newton begins, or the iterations after which it does:
# of a gas alone, whose shocks move until then, and with a model of turbulence.
BEGIN, LATEST = {False: 3e-2, True: 0.1}, {False: 60, True: 30}
TRIES, PAUSE = 3, 10  # refused steps in a row, and pseudo-steps that follow the first time
HALVES = 5  # of a step's length, at most
WHOLE = 1e8  # CFL number with which a physical step has next to no pseudo-time
COUNTS = ("begun", "mode", "wait", "refused", "falls")
KEPT = (*COUNTS, "newton_cfl", "theta")
NOTHING = 0.99  # linear residual over its first value above which nothing has been solved


class Newton:
    """Newton's part of a march: its calls, and what it keeps of each member.

    Parameters
    ----------
    case : solver of a gas in float64, with its terms and an `Implicit`

    Attributes
    ----------
    gmres : Gmres    x is u, and behind it what a term solves for beside it
    products, length : (members,) of the last step: products with the derivative, 0 of a
        pseudo-step; share of the solution that was taken, 0 where it was refused
    spent : (members,) int32, products since the march, or the physical step, began
    falls : (members,) int32, how often three steps in a row were refused
    columns, step_columns : of histories of steady marches, and of physical steps
    """

    columns = ("products", "length")
    step_columns = ("products",)

    def __init__(self, case: Any) -> None:
        b, grid, s = case.backend, case.grid, case.settings
        self.backend, self.grid, self.settings, self.implicit = b, grid, s, case.implicit
        self.dualtime, self.terms = case.dualtime, [*case.terms.values()]
        # of the case nothing is kept but what it has: a case that nobody needs goes at once
        self.flexible = case.layers is None  # an iteration as a preconditioner
        if self.flexible:
            self._factors = case.implicit.factors(case.assemble)
            self._inverse = case.implicit.solution(case.implicit.most)
        else:
            with b.irregular():  # flow/memory.py has a bound
                inverse = Preconditioner(case.implicit.solver, case.layers)
            self._factors = [*case.implicit.matrix(case.assemble), *inverse.factor]
            self._inverse = [*inverse.solve, *case.implicit.widened()]
        m, n, variables = grid.members, grid.nodes, case.model.variables
        counts = (*COUNTS, "going", "taking", "products", "spent")
        numbers = ("newton_cfl", "theta", "length", "share", "weight", "size", "tolerance")
        self.own = {name: b.zeros(m, np.int32) for name in counts}
        self.own |= {name: b.zeros(m, np.float64) for name in numbers}
        self.products, self.length = self.own["products"], self.own["length"]
        self.falls, self.spent = self.own["falls"], self.own["spent"]
        self._taken: Any = None
        makers = [made for term in self.terms if (made := term.beside()) is not None]
        dual, self.active = case.dualtime, case.dualtime.active
        self.gmres = gmres = Gmres(
            b, grid.totals, case.fields["member"], variables + len(makers),
            wanted=self.own["taking"], live=self.active, vectors=s.newton_vectors,
            tolerance=self.own["tolerance"], flexible=self.flexible,
        )  # fmt: skip
        self.rule = Fields(
            b, **self.own, active=self.active, iterations=dual.iterations, norm=dual.norm,
            first=dual.first, cfl=dual.cfl, steps=gmres.steps, status=gmres.status,
            left=gmres.left, fallen=BEGIN[bool(makers)], latest=LATEST[bool(makers)],
            tries=TRIES, pause=PAUSE, nothing=NOTHING,
        )  # fmt: skip
        self.vectors = case.fields.also(
            **self.own, w=gmres.w, z=gmres.z, T=b.zeros(n), u0=b.zeros((n, variables)),
            res0=b.zeros((n, variables)), least=0.5**HALVES, most=s.max_change,
        )  # fmt: skip
        fix = b.array(case.matrix_fix, "real")
        pace = case.terms["convection"].pace
        self._pace = case.fields.bind(pace, jacobian_fix=fix, T=self.vectors["T"])
        self.beside = makers[0](self.vectors, case.layers) if makers else None
        of_beside = {} if self.beside is None else self.beside.fields
        self.vectors.add(**of_beside)

    def begin(self) -> None:
        """A march begins with pseudo-steps."""
        for name in (*KEPT, "spent"):
            self.backend.put(self.own[name], 0)
        self.backend.put(self.own["tolerance"], self.settings.newton_tolerance)

    def begin_step(self) -> None:
        """A physical step begins with steps of Newton, all equations at their full share."""
        self.begin()
        own = {"begun": 1, "mode": 1, "newton_cfl": WHOLE, "theta": 1}
        for name, value in (own | {"tolerance": self.settings.unsteady_newton_tolerance}).items():
            self.backend.put(self.own[name], value)

    def numbers(self) -> dict[str, Any]:
        """(members,) of each of `columns`, as the last iteration left them."""
        return {name: self.backend.get(self.own[name]) for name in self.columns}

    def step_numbers(self) -> dict[str, Any]:
        """(members,) of each of `step_columns`, of the physical step that has marched."""
        return {"products": self.backend.get(self.spent)}

    def phase(self, member: int) -> str:
        """Phase of a member's march as its last iteration left it, and what held it up."""
        get, own = self.backend.get, self.own
        told = {name: get(own[name])[member].item() for name in own}
        falls = int(told["falls"])
        if not told["begun"]:
            return "it ended in pseudo-steps, before steps of Newton"
        if not told["mode"]:
            return (
                f"it ended in pseudo-steps, as {TRIES} steps of Newton in a row were refused "
                f"{falls} time{'s' * (falls != 1)}; newton = False leaves out Newton's"
            )
        left, length = float(get(self.gmres.left)[member]), told["length"]
        count, asked = int(told["products"]), told["tolerance"]
        linear = f"GMRES left {left:.2g} of the linear residual in {count} products"
        often = f", {TRIES} in a row were refused {falls} times" if falls else ""
        text = f"it ended in steps of Newton{often}; in the last {linear}"
        if left > asked:
            text += f", asked {asked:g}: raise newton_vectors ({self.settings.newton_vectors})"
        if length == 0 and left <= NOTHING:
            return f"{text}, and no length down to {0.5**HALVES:g} made the residual smaller"
        return f"{text}, and the length was {length:g}"

    @property
    def kept(self) -> dict[str, Any]:
        """Device arrays by name that a restart holds."""
        return {f"newton_{name}": self.own[name] for name in KEPT}

    def calls(self, pseudo: Any) -> list[Any]:
        """Calls behind the check of a residual: for each member a step of either kind.

        Parameters
        ----------
        pseudo : recording of a pseudo-step
        """
        if self._taken is None:
            self._taken = self.backend.record(self._step(), flag=self.active)
        return [
            self.rule.bind("newton_choose"),
            pseudo,
            self._mask("taking"),
            self._taken,
            self._mask("going"),
        ]

    def _mask(self, name: str) -> Any:
        return self.rule.bind("newton_mask", **{"from": self.own[name]})

    def _total(self, kernel: str, count: int, **more: Any) -> Any:
        """Call of a sum over the volumes of each member."""
        parts = self.backend.zeros((self.grid.chunks, count), np.float64)
        return self.vectors.bind(kernel, **self.grid.totals, parts=parts, **more)

    def _step(self) -> list[Any]:
        """Calls of a step of those that are active, from `res` to the new state."""
        record, gmres, bind = self.backend.record, self.gmres, self.vectors.bind
        products = record([*self._solve(), *self._product(), *gmres.iterate])
        solution = record([products], times=self.settings.newton_vectors, flag=self.active)
        search = record([*self._move(), *self._residual(), self._total("newton_search", 1)])
        return [
            *self._start(),
            *gmres.begin,
            solution,
            self.rule.bind("newton_length"),
            *gmres.sum,
            *([] if self.flexible else self._solve()),
            bind("newton_bound"),
            *self._of_beside("bound"),
            record([search], times=HALVES + 1, flag=self.active),
            self.rule.bind("newton_follow"),
            *self._move(),
        ]

    def _of_beside(self, name: str) -> list[Any]:
        """Calls of this name for what is solved for beside u."""
        return [] if self.beside is None else getattr(self.beside, name)()

    def _start(self) -> list[Any]:
        """Calls that keep the state, give T and the factors, and put -R in w."""
        bind = self.vectors.bind
        return [
            bind("newton_keep"),
            self._pace,
            *self._of_beside("begin"),
            *self._factors,
            self._total("newton_norms", 2),
            bind("newton_side"),
            *self._of_beside("side"),
        ]

    def _solve(self) -> list[Any]:
        """Calls z = M w."""
        solver, bind = self.implicit.solver, self.vectors.bind
        rows = {"node": solver.tables["node"]}
        return [
            bind("newton_give", suffix=solver.suffix, **rows, rhs=solver.b),
            *self._inverse,
            bind("newton_get", **rows, du=self.implicit.du),
            *self._of_beside("solve"),
        ]

    def _move(self) -> list[Any]:
        """Calls to the state x + share z."""
        return [self.vectors.bind("newton_move"), *self._of_beside("move")]

    def _residual(self) -> list[Any]:
        return [call for term in self.terms for call in term.perturbed()]

    def _product(self) -> list[Any]:
        """Calls w = [T / CFL + dR/dx] z, of rows that are no equations what terms say."""
        given = [call for term in self.terms for call in term.given(self.vectors)]
        return [
            self._total("newton_rms", 2),
            self._total("newton_most", 1),
            *self._move(),
            *self._residual(),
            self.vectors.bind("newton_product"),
            *self._of_beside("product"),
            *given,
        ]
