"""Settings of the meshless solver, and what of them follows from the cloud."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kinemesh.arguments import checks_names, is_several
from kinemesh.cloud.cloud import Cloud
from kinemesh.errors import SettingsError
from kinemesh.flow.gas.settings import KRYLOV, MATRIX, TINY, ImplicitSettings
from kinemesh.flow.terms.convection import CLOUD_FLUXES

LIMITERS = ("wang", "vanleer", "none")
TIMES = ("lusgs", "bicgstab", "rk")
STEPS = ("cfl", "cfl_max", "cfl_growth", "unsteady_cfl", "max_change")  # of implicit ways alone
RK_CFL = {"roe": 2.0, "jst": 1.0}


@checks_names
@dataclass(frozen=True, slots=True, kw_only=True)
class MeshlessSettings(ImplicitSettings):
    """Settings of the meshless solver: its own, and those of `ImplicitSettings`.

    Parameters
    ----------
    flux : "roe", or "jst" (central, with the dissipation of Jameson, Schmidt and Turkel)
    limiter : "wang" (of the gradients, as on a mesh), "vanleer" (Wang et al., eq. 7), or "none";
        for Roe's flux alone
    limiter_k : float     Wang's share of the variable's range
    weight_power : 1 or 2     power p of the weights |dr|^-p of satellites; None: 2 on irregular
        clouds in space, else 1
    smooth_gradients : bool   average the gradients of a point and of its satellites; None: on
        irregular clouds in space alone, which are not stable without
    jacobian_fix : float      None: 0.3, with smooth_gradients 0.5
    cfl_max : float           None: 1000, with stored_blocks 100, no less than cfl and unsteady_cfl
    jst_k2, jst_k4 : float    factors of the second and fourth differences of JST's flux
    time : "bicgstab" (with the matrix of the first-order flux), "lusgs" (sweeps by colours), or
        "rk" (five-stage Runge-Kutta with local steps); None: "bicgstab", for JST's flux "lusgs"
    lusgs_sweeps : int    pairs of LU-SGS sweeps per pseudo-step
    stored_blocks : bool  LU-SGS with stored blocks of BiCGSTAB's matrix, else without
    rk_cfl : float        CFL number of the Runge-Kutta scheme, in place of the other CFL settings;
        None: 2, with JST's flux 1
    """

    cfl_max: float | None = None
    flux: str = "roe"
    limiter: str = "wang"
    limiter_k: float = 0.05
    weight_power: int | None = None
    smooth_gradients: bool | None = None
    jst_k2: float = 0.5
    jst_k4: float = 0.25
    time: str | None = None
    lusgs_sweeps: int = 8
    stored_blocks: bool = False
    rk_cfl: float | None = None

    def __post_init__(self) -> None:
        self.choose(flux=tuple(CLOUD_FLUXES), limiter=LIMITERS)
        if self.time is not None:
            self.choose(time=TIMES)
        for name, kinds in (("smooth_gradients", bool | None), ("stored_blocks", bool)):
            if not isinstance(getattr(self, name), kinds):
                raise SettingsError(f"{name} is {getattr(self, name)!r}, expected True or False")
        if self.flux == "jst" and (self.time == "bicgstab" or self.stored_blocks):
            raise SettingsError(
                "flux is 'jst', and the matrix is that of Roe's flux; use time='lusgs' without "
                "stored_blocks, or 'rk'"
            )
        if self.stored_blocks and self.time != "lusgs":
            raise SettingsError(
                f"stored_blocks is set and time is {self.way!r}, expected 'lusgs', whose blocks "
                "they are"
            )
        # before the ranges: of what has no effect none is worth a word
        self._refuse_unused()
        ImplicitSettings.__post_init__(self)
        if self.weight_power not in (1, 2, None) or isinstance(self.weight_power, bool):
            raise SettingsError(f"weight_power is {self.weight_power!r}, expected 1 or 2")
        self.count("lusgs_sweeps")
        self.within(limiter_k=(0, np.inf), jst_k2=(TINY, 10), jst_k4=(TINY, 10), rk_cfl=(0, np.inf))

    def _refuse_unused(self) -> None:
        """SettingsError for a setting that the flux, the limiter or the way gives no effect."""
        if self.flux == "roe":
            self.unused(["jst_k2", "jst_k4"], "flux is 'roe'")
        elif self.limiter != "none":
            self.unused(["limiter"], "flux is 'jst', which has no limiter")
        if self.limiter != "wang" or self.flux == "jst":
            self.unused(["limiter_k"], f"flux is {self.flux!r} and limiter {self.limiter!r}")
        way = self.way
        of_ways = {"lusgs": ["lusgs_sweeps"], "bicgstab": [*KRYLOV], "rk": ["rk_cfl"]}
        others = [name for other, names in of_ways.items() if other != way for name in names]
        if way == "rk":
            others += STEPS
        self.unused(others, f"time is {way!r}")
        if self.matrix is None:
            self.unused(MATRIX, f"time is {way!r} and has no matrix")

    def scheme(self, mode: str) -> str:
        del mode
        return f"{self.flux} flux, limiter {'no' if self.flux == 'jst' else self.limiter}"

    @property
    def way(self) -> str:
        """`time`, chosen where none was given."""
        return self.time or ("lusgs" if self.flux == "jst" else "bicgstab")

    @property
    def step_setting(self) -> str:
        """Setting of the size of a pseudo-step."""
        return "rk_cfl" if self.way == "rk" else "the CFL number"

    @property
    def remedy(self) -> str:
        """Advice where a residual does not fall (docs/convergence.md)."""
        stalls = self.limiter == "vanleer"
        return "take limiter = 'wang'" if stalls else f"lower {self.step_setting}"

    @property
    def matrix(self) -> str | None:
        """Precision of the matrix, or None where there is no matrix."""
        return self.matrix_dtype if self.stored_blocks or self.way == "bicgstab" else None

    @property
    def with_matrix(self) -> str:
        """Setting that gives pseudo-steps a matrix."""
        return "flux = 'roe' and time = 'bicgstab'"

    def complete(self, irregular: bool = False) -> MeshlessSettings:
        """With the way through pseudo-time and what belongs to it, where none was given.

        `irregular` is that of the cloud (`kinemesh.Cloud.irregular`).
        """
        own: dict[str, Any] = {"time": self.way}
        if self.weight_power is None:
            own["weight_power"] = 2 if irregular else 1
        if self.smooth_gradients is None:
            own["smooth_gradients"] = irregular
        if self.matrix and self.jacobian_fix is None:
            smooth = own.get("smooth_gradients", self.smooth_gradients)
            own["jacobian_fix"] = 0.5 if smooth else 0.3
        if self.way == "rk" and self.rk_cfl is None:
            own["rk_cfl"] = RK_CFL[self.flux]
        if self.way != "rk" and self.cfl_max is None:
            most = 100.0 if self.stored_blocks else 1e3
            own["cfl_max"] = max(most, self.cfl or 0.0, self.unsteady_cfl or 0.0)
        return replace(self, **own)


def completed(settings: MeshlessSettings, cloud: Any) -> MeshlessSettings:
    """Settings with what follows from the cloud; SettingsError where clouds ask for both."""
    given = list(cloud) if is_several(cloud) else [cloud]
    clouds = [own for own in given if isinstance(own, Cloud)]
    kinds = [own.irregular for own in clouds if own.dimension == clouds[0].dimension]
    asked = [n for n in ("weight_power", "smooth_gradients") if getattr(settings, n) is None]
    if asked and len(set(kinds)) > 1:
        raise SettingsError(
            f"{asked[0]} is not given, and of the clouds that of member {kinds.index(True)} is "
            f"irregular, that of member {kinds.index(False)} is not; expected clouds of one kind, "
            f"or {' and '.join(asked)}"
        )
    return settings.complete(any(kinds))
