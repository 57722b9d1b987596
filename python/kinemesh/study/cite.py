"""BibTeX of kinemesh, and of the methods that a case uses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kinemesh.arguments import checks_names
from kinemesh.cases import load
from kinemesh.cases.casefile import Case
from kinemesh.deform import Carrier, Delaunay, TorsionalSprings
from kinemesh.errors import CaseError
from kinemesh.flow.moving import Moving
from kinemesh.io.summary import versions
from kinemesh.study.references import PAPERS, Entry

KINEMESH = {
    "entry": "software",
    "author": "{The kinemesh developers}",
    "title": "kinemesh: unsteady aerodynamics of moving bodies on {CPUs} and {NVIDIA GPUs}",
}
OF_CHOICES: dict[tuple[str, Any], tuple[str, ...]] = {
    ("method", "meshless"): ("Wang2010",),
    ("method", "incompressible"): ("Chorin1968", "Vanek1996", "vanderVorst1992"),
    ("parts", True): ("Steger1983",),
    ("flux", "roe"): ("Roe1981",),
    ("flux", "hllc"): ("Toro1994",),
    ("flux", "jst"): ("Jameson1981",),
    ("limiter", "wang"): ("Venkatakrishnan1995",),
    ("limiter", "vanleer"): ("Wang2010",),
    ("limiter", "venkatakrishnan"): ("Venkatakrishnan1995",),
    ("low_mach", True): ("Turkel1999", "Weiss1995"),
    ("far_field", "vortex"): ("Thomas1986",),
    ("turbulence", "sa"): ("Spalart1994", "Allmaras2012"),
    ("linear_solver", "bicgstab"): ("vanderVorst1992",),
    ("linear_solver", "lusgs"): ("Yoon1988",),
    ("time", "bicgstab"): ("vanderVorst1992",),
    ("time", "lusgs"): ("Yoon1988", "Zhang2018"),
    ("time", "rk"): ("Jameson1981",),
    ("newton", True): ("Saad1993",),
    ("dual time", True): ("Jameson1991",),
    ("deform", TorsionalSprings): ("Farhat1998", "Ma2017"),
    ("deform", Delaunay): ("Liu2006",),
    ("dimensions of springs", 3): ("Burg2004",),
    ("springs' solver", "multigrid"): ("Vanek1996",),
}
"""Papers by what a case chooses: settings by their names, and what else it has."""


@checks_names
def cite(case: Moving | Case | str | Path) -> str:
    """BibTeX of kinemesh and of the methods that a case uses.

    Parameters
    ----------
    case : solver, case of a file, or its name or path; the mesh of a case is made, as settings that
        are not given follow from it

    Raises
    ------
    CaseError    what is none of these, or a case that cannot be built
    """
    unsteady = None
    if isinstance(case, str | Path):
        case = load(case)
    if isinstance(case, Case):
        unsteady = case.mode == "unsteady"
        case = case.replace(device="cpu").build()
    if not isinstance(case, Moving):
        raise CaseError(
            f"cite: got {type(case).__name__}, expected a case, such as km.Ale(...), or the name "
            "of a ready case or of a case file"
        )
    keys = dict.fromkeys(key for choice in _choices(case, unsteady)
                         for key in OF_CHOICES.get(choice, ()))  # fmt: skip
    entries = [("kinemesh", _kinemesh()), *((key, PAPERS[key]) for key in keys)]
    return "\n\n".join(_entry(key, paper) for key, paper in entries)


def _choices(case: Any, unsteady: bool | None) -> Iterator[tuple[str, Any]]:
    """Name and value of each choice of a solver, in the order of a reader."""
    moves = any(motion is not None for motion in case.motions)
    unsteady = moves if unsteady is None else unsteady
    gas = "mach" in case.streams
    yield "method", case.method
    yield "parts", case.donors is not None
    settings = case.settings
    for name in ("flux", "limiter", "low_mach", "far_field"):
        yield name, getattr(settings, name, None)
    yield "turbulence", getattr(case.viscosity, "turbulence", None) if gas else None
    yield "dual time", gas and unsteady
    for name in ("linear_solver", "time", "newton"):
        yield name, getattr(settings, name, None)
    if moves and unsteady:
        own = case.deform.springs if isinstance(case.deform, Carrier) else case.deform
        kinds = (TorsionalSprings, Delaunay)
        yield "deform", next((kind for kind in kinds if isinstance(own, kind)), None)
        springs = isinstance(own, TorsionalSprings)
        yield "dimensions of springs", case.grid.dimensions if springs else None
        yield "springs' solver", getattr(own, "solver", None)


def _kinemesh() -> Entry:
    """Entry of this version."""
    version = versions()["kinemesh"]
    known = version[:1].isdigit()  # of a source tree that is not installed it is none
    return KINEMESH | ({"version": version} if known else {})


def _entry(key: str, paper: Entry) -> str:
    rows = [f"  {name} = {{{value}}}," for name, value in paper.items() if name != "entry"]
    return "\n".join([f"@{paper['entry']}{{{key},", *rows, "}"])
