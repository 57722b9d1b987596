"""Flow of a gas through inlets and outlets, by the flux of their conditions (theory, 2.10)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.gas import GAMMA
from kinemesh.sentences import Sentence
from kinemesh.space.conditions.table import ends_of
from kinemesh.space.through import Passing, against, columns_of, ends_on, numbers_of

LEAST = 0.01  # share of what passes an end, from which on it is told where it goes the wrong way


class GasThrough:
    """Flow through the inlets and outlets of a case of a gas, as its state is now.

    The kernels are those of the residual, over the states of their patches alone.

    Parameters
    ----------
    case : solver of a gas
    kernels : by the kind of the patch, those of its flux

    Attributes
    ----------
    columns : of histories; none without inlets and outlets
    """

    def __init__(self, case: Any, kernels: Mapping[str, str]) -> None:
        self.backend, self.grid = case.backend, case.grid
        conditions, patches = case.conditions, case.grid.patches
        self.columns = columns_of(conditions, of_gas=True)
        kinds = {own.kind for own in ends_of(conditions).values()} & set(kernels)
        kind_of = {marker: own.kind for marker, own in conditions.items() if own.kind in kinds}
        self.call: Any = None
        if not kinds:
            return
        self.ends = ends_on(case.grid, conditions, kind_of)
        self.model, self.length = case.model, case.reference[1]
        b, count = self.backend, self.model.variables
        self.states, self.fluxes, calls = {}, {}, list[Any]()
        for kind in sorted(kinds):
            patch = patches[kind]
            self.states[kind], self.fluxes[kind] = (b.zeros((len(patch), count)) for _ in range(2))
            own = {
                "node": b.array(np.arange(len(patch)), np.int32),
                "member": b.array(patch.member, np.int32),
                "active": b.array(np.ones(case.grid.members), np.int32),
                "q": self.states[kind],
                "res": self.fluxes[kind],
            }
            take = {"node": patch.device["node"], "from": case.q, "to": self.states[kind]}
            calls.append(case.fields.bind("take_state", **take))
            calls.append(case.fields.also(**patch.device | own).bind(kernels[kind]))
        self.call = b.record(calls)

    def numbers(self) -> dict[str, NDArray[Any]]:
        """(members,) of each of `columns`."""
        if self.call is None:
            return {}
        with self.grid.ensemble.quiet():
            return dict(numbers_of(self.ends, self._now(), self.grid.members, self.length))

    def remarks(self) -> list[Sentence]:
        """A sentence for each inlet and outlet of a member where fluid goes the wrong way."""
        if self.call is None:
            return []
        with self.grid.ensemble.quiet():
            found = against(self.ends, self._now(), self.grid.members)
        failed = self.grid.ensemble.failures
        return [
            _wrong_way(member, marker, self.ends[marker].enters, float(share[member]))
            for marker, share in found.items()
            for member in np.flatnonzero(share > LEAST).tolist()
            if member not in failed
        ]

    def _now(self) -> dict[str, Passing]:
        """Flow through each patch, by its name, as the state is now."""
        for fluxes in self.fluxes.values():
            self.backend.put(fluxes, 0)
        assert self.call is not None
        self.call()
        return {kind: self._passing(kind) for kind in self.states}

    def _passing(self, kind: str) -> Passing:
        q, flux = (self.backend.get(a[kind]).astype(float) for a in (self.states, self.fluxes))
        rho, p = q[:, 0], GAMMA * q[:, self.model.PRESSURE]  # over the stream's
        square = (q[:, 1 : 1 + self.grid.dimensions] ** 2).sum(axis=1) * rho / p
        total = p * (1 + 0.5 * (GAMMA - 1) * square) ** (GAMMA / (GAMMA - 1))
        heat = -(GAMMA - 1) * flux[:, self.model.variables - 1]
        return Passing(-flux[:, 0], p, total, heat)


def _wrong_way(member: int, marker: str, enters: bool, share: float) -> Sentence:
    """Sentence on an end where fluid goes the wrong way, which no number of its condition sets."""
    kind, way, sets, advice = (
        ("inlet", "goes out", "only what comes in has its total state",
         "raise its total_pressure, or make it an outlet")
        if enters
        else ("outlet", "comes back in", "with the entropy of the fluid inside, which nothing sets",
              "put the outlet where nothing comes back, or lower its pressure")
    )  # fmt: skip
    return Sentence(
        f"at the end of the run {100 * share:.3g} % of the mass that passes {kind} {marker!r} "
        f"{way}, {sets}: the flow there is not to be trusted",
        member=member,
        about="wrong way",
        advice=advice,
    )
