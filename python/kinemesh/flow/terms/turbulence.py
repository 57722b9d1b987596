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
    """

    words: str
    viscosity: type[Viscous]
    equations: tuple[type[Term], ...] = ()


LAMINAR = Model("no model", Viscous)
MODELS = {
    "sa": Model("Spalart and Allmaras", EddyViscosity, (SpalartAllmaras,)),
}
"""A new model is its terms and a line here."""
