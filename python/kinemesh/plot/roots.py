"""Figures of a flutter analysis: the boundary over the Mach number, V-g and V-omega."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from kinemesh.arguments import checks_names
from kinemesh.errors import CaseError
from kinemesh.plot.style import BODIES, GREY, RED, figure_of, headed, styled
from kinemesh.study.flutter.found import DIVERGENCE, STABLE, UNSTABLE, side

SPEED = r"speed index $U/(b\,\omega_\alpha\sqrt{\mu})$"
LEFT_OUT = ("damping=0.0", "speed_index=None", "cubic_h=0.0", "cubic_alpha=0.0")  # of titles
SAME = 1e-5  # difference of Mach numbers that are written alike, over one of them
FREQUENCY = r"$\omega/\omega_\alpha$"


@checks_names
def flutter(found: Any, path: str | Path | None = None) -> Any:
    """Figure of the speed index and the frequency at the boundary over the Mach number.

    Filled marks are crossings to instability, open ones back to stability, a colour per mode; the
    line joins the lowest, the flutter boundary.  Triangles are static divergence.

    Parameters
    ----------
    found : Dataset of `kinemesh.flutter`
    path : file to save the figure in (.png, .pdf or .svg)

    Raises
    ------
    CaseError    no such Dataset, or no crossing: on which side of the boundary all V* lie
    """
    _check(found, "flutter")
    ends = found["end"].values
    if not found.sizes["crossing"] and DIVERGENCE not in ends:
        speeds = found["speed_index"].values
        words = [side(end, speeds) for end in (STABLE, UNSTABLE) if end in ends]
        raise CaseError(
            f"flutter: no mode crosses to instability: {'; '.join(words) or 'there are no roots'}"
        )
    return _boundary(found, path=path)


@checks_names
def vg(found: Any, mach: float | None = None, path: str | Path | None = None) -> Any:
    """Figure of damping and frequency of every mode over the speed index, V-g and V-omega.

    Parameters
    ----------
    found : Dataset of `kinemesh.flutter`
    mach : one of its Mach numbers; None: the only one
    path : file to save the figure in (.png, .pdf or .svg)

    Raises
    ------
    CaseError    no such Dataset, a Mach number that is not there, or several and none given
    """
    _check(found, "vg")
    if "zeta" not in found:
        raise CaseError("vg: of runs in time alone there are no curves; take way='both'")
    machs = found["mach"].values
    if mach is None and len(machs) > 1:
        raise CaseError(
            f"vg: expected mach, one of {', '.join(f'{own:g}' for own in machs)}, of which the "
            "figure is"
        )
    if mach is None:
        return _vg(found, 0, path=path)
    there = np.flatnonzero(np.isclose(machs, mach, rtol=SAME, atol=0.0))
    if not len(there):
        known = ", ".join(f"{own:g}" for own in machs if np.isfinite(own))
        raise CaseError(f"vg: mach is {mach!r}, expected {known or 'None, as the flow has none'}")
    return _vg(found, int(there[0]), path=path)


def drawn(found: Any, folder: Path) -> list[Path]:
    """Write flutter.png, where there is a crossing, and vg-mach0.8.png of every Mach number."""
    made = []
    if found.sizes["crossing"] or DIVERGENCE in found["end"].values:
        made.append(folder / "flutter.png")
        flutter(found, made[0])
    for row, mach in enumerate(found["mach"].values if "zeta" in found else ()):
        made.append(folder / ("vg.png" if np.isnan(mach) else f"vg-mach{mach:g}.png"))
        _vg(found, row, path=made[-1])
    return made


def _check(found: Any, owner: str) -> None:
    """CaseError for what is no Dataset of `kinemesh.flutter`."""
    if not hasattr(found, "data_vars") or "crossing_speed_index" not in found:
        raise CaseError(f"{owner}: got {type(found).__name__}, expected the Dataset of km.flutter")


@styled
def _boundary(found: Any) -> Any:
    found = found.sortby("mach")
    figure = figure_of(6.4, 5.4)
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    mach = found["mach"].values
    above.plot(mach, found["boundary"].values, "-", color=GREY, linewidth=1.1, zorder=1)
    below.plot(mach, found["boundary_omega"].values, "-", color=GREY, linewidth=1.1, zorder=1)
    across = np.broadcast_to(mach[:, None], found["crossing_mode"].shape)
    for mode in found["mode"].values:
        colour = BODIES[(mode - 1) % len(BODIES)]
        for up, words in ((1, "to instability"), (0, "back to stability")):
            own = (found["crossing_mode"].values == mode) & (found["crossing_up"].values == up)
            if not own.any():
                continue
            mark = _mark(colour, up) | {"label": f"mode {mode}, {words}"}
            for axes, name in ((above, "speed_index"), (below, "omega")):
                axes.plot(across[own], found[f"crossing_{name}"].values[own], **mark)
    if "time_boundary" in found and "zeta" in found:
        mark = {"marker": "x", "linestyle": "", "color": GREY, "markersize": 7, "zorder": 3}
        edges = found["time_crossing"].values
        above.plot(across.ravel(), edges.ravel(), **mark, label=_if_any("in time", edges))
        below.plot(mach, found["time_boundary_omega"].values, **mark)
    lost = found["end"].values == DIVERGENCE
    if lost.any():
        above.plot(mach[lost], found["divergence"].values[lost], "v", color=RED, label="divergence")
    above.set_ylabel(SPEED)
    below.set_ylabel(FREQUENCY)
    for axes in (above, below):
        axes.set_ylim(0, 1.1 * axes.get_ylim()[1])
    below.set_xlabel("Mach number")
    above.legend(loc="best")
    headed(figure, _title(found))
    return figure


@styled
def _vg(found: Any, row: int) -> Any:
    own = found.isel(mach=row)
    figure = figure_of(6.4, 5.4)
    above, below = figure.subplots(2, 1, sharex=True)
    speed = found["speed_index"].values
    for j, mode in enumerate(found["mode"].values):
        colour = BODIES[j % len(BODIES)]
        above.plot(speed, own["g"].values[j], color=colour, label=f"mode {mode}")
        below.plot(speed, own["omega"].values[j], color=colour)
    for n in range(found.sizes["crossing"]):
        at = own["crossing_speed_index"].values[n]
        if np.isfinite(at):
            colour = BODIES[(int(own["crossing_mode"].values[n]) - 1) % len(BODIES)]
            above.plot(at, 0.0, **_mark(colour, own["crossing_up"].values[n]))
    if "time_zeta" in own:
        mark = {"marker": "x", "linestyle": "none", "color": GREY, "markersize": 6, "zorder": 4}
        at, zeta = own["time_speed_index"].values, own["time_zeta"].values
        g = np.where(np.abs(zeta) < 1, -2 * zeta / np.sqrt(1 - np.minimum(zeta**2, 0.99)), np.nan)
        above.plot(at, g, **mark, label=_if_any("in time", g))
        below.plot(at, own["time_omega"].values, **mark)
    above.axhline(0.0, color=GREY, linewidth=0.9)
    above.set_ylabel(r"$g = 2\sigma/k$, above 0 unstable")
    below.set_ylabel(FREQUENCY)
    below.set_ylim(bottom=0)
    below.set_xlabel(SPEED)
    above.legend(loc="best")
    mach = found["mach"].values[row]
    headed(figure, _title(found) + ("" if np.isnan(mach) else f"\nMach number {mach:g}"))
    return figure


def _if_any(label: str, values: Any) -> str | None:
    """Label of a legend where there are values to see; None of none, which has no entry."""
    return label if np.isfinite(values).any() else None


def _mark(colour: str, up: float) -> dict[str, Any]:
    """Mark of a crossing: full to instability, a ring back to stability, wider than the full."""
    size = {"markersize": 4.5} if up else {"markersize": 7, "markerfacecolor": "none"}
    return {"marker": "o", "linestyle": "none", "color": colour, "zorder": 3} | size


def _title(found: Any) -> str:
    """Structure in words: TypicalSection(mu=60.0, a=-2.0) is Typical section, mu 60, a -2."""
    name, _, numbers = str(found.attrs.get("structure", "")).rstrip(")").partition("(")
    words = {"TypicalSection": "Typical section"}.get(name, name)
    return ", ".join([words, *(own.replace("=", " ").removesuffix(".0")
                               for own in numbers.split(", ")
                               if own and own not in LEFT_OUT)])  # fmt: skip
