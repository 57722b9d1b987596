"""Unsteady pressures on a wall: the mean, and the first harmonic per unit of the motion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kinemesh.plot.style import BLUE, RED, figure_of, styled

if TYPE_CHECKING:
    from kinemesh.results.pressures import Pressures

UNIT = {"alpha": "per radian", "h": "per $h/c$"}


@styled
def unsteady_pressure(body: Pressures, title: str = "") -> Any:
    """Mean cp, and the first harmonic's real and imaginary part, along the chord of a body.

    The sides are those above and below the chord's line.  Parts are per unit of the motion where
    there is one degree of freedom; else they are those of Re(f e^(i phi)).
    """
    figure = figure_of(9.6, 3.2)
    first = body.harmonics[0] if body.per_motion is None else body.per_motion
    unit = "" if body.motion is None else f", {UNIT[body.motion]}"
    parts = (
        (body.mean, "mean", "$c_p$"),
        (first.real, f"first harmonic, in phase{unit}", "$c_{p,1}$"),
        (first.imag, f"a quarter turn ahead{unit}", "$c_{p,1}$"),
    )
    leading, count = int(np.argmin(body.x)), len(body.x)
    end = [0] if body.closed else []
    sides = [np.arange(leading + 1), np.r_[leading:count, end].astype(int)]
    if body.y[sides[0]].mean() < body.y[sides[1]].mean():
        sides.reverse()
    for axes, (values, name, symbol) in zip(figure.subplots(1, 3), parts, strict=True):
        for side, colour, label in zip(
            sides, (BLUE, RED), ("upper side", "lower side"), strict=True
        ):
            axes.plot(body.x[side], values[side], color=colour, label=label)
        axes.set(xlabel="$x/c$", ylabel=symbol)
        axes.set_title(name)
        axes.invert_yaxis()
        axes.margins(0.04)
    figure.axes[0].legend()
    if title:
        figure.suptitle(title)
    return figure
