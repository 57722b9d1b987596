"""Models of turbulence: a table of their terms, by the argument `turbulence` of solvers."""

from __future__ import annotations

from typing import NamedTuple

from kinemesh.flow.terms.base import Term
from kinemesh.flow.terms.eddies import EddyViscosity, SpalartAllmaras
from kinemesh.flow.terms.viscous import Viscous


class Model(NamedTuple):
    """Model of turbulence.

    Parameters
    ----------
    words : its name in sentences
    viscosity : term of the viscosity at the nodes, with that of eddies
    equations : terms that are solved beside those of the gas, behind all that is summed
    numbers : arguments of `kinemesh.Viscosity` that it reads
    """

    words: str
    viscosity: type[Viscous]
    equations: tuple[type[Term], ...] = ()
    numbers: tuple[str, ...] = ("turbulent_prandtl",)


LAMINAR = Model("no model", Viscous, numbers=())
OF_SA = ("turbulent_prandtl", "nu_ratio")
MODELS = {
    "sa": Model("Spalart and Allmaras", EddyViscosity, (SpalartAllmaras,), OF_SA),
}
"""A new model is its terms and a line here."""


def model_of(name: str | None) -> Model:
    """The model of that name, `LAMINAR` of None; KeyError for an unknown one."""
    return LAMINAR if name is None else MODELS[name]
