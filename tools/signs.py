"""Draw docs/img/signs.png, the signs of forces, moment, angles and shifts: python tools/signs.py"""

from pathlib import Path

import numpy as np
from kinemesh.plot.style import BLUE, DARK, GREY, RED, figure_of, styled

IMAGE = Path(__file__).parents[1] / "docs" / "img" / "signs.png"
THICKNESS = 0.12
PHASES = np.arange(0, 360, 45)


def section(angle_deg, x=0.0, y=0.0, pivot=0.25, ellipse=False):
    """Outline of a section turned nose-up about its pivot at (x, y)."""
    s = 0.5 - 0.5 * np.cos(np.linspace(0, np.pi, 60))
    half = THICKNESS / 0.2 * (0.2969 * np.sqrt(s) - 0.126 * s - 0.3516 * s**2 + 0.2843 * s**3
                              - 0.1036 * s**4)  # fmt: skip
    half = 0.1 * np.sqrt(s * (1 - s)) if ellipse else half
    points = np.stack([np.r_[s, s[::-1]] - pivot, np.r_[half, -half[::-1]]])
    c, d = np.cos(np.radians(angle_deg)), np.sin(np.radians(angle_deg))
    return np.array([[c, d], [-d, c]]) @ points + np.array([[x], [y]])


def arrow(axes, start, way, text, colour=DARK, shift=(0.0, 0.0)):
    """An arrow with its name at the head."""
    end = np.add(start, way)
    axes.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 1.4})
    axes.text(*np.add(end, shift), text, color=colour, ha="center", va="center")


def bare(axes, title, x, y):
    """Axes of equal scales without ticks."""
    axes.set(aspect="equal", xticks=[], yticks=[], xlim=x, ylim=y)
    axes.set_title(title)
    axes.spines[:].set_visible(False)
    axes.grid(False)


def forces(axes):
    """Lift, drag, moment, angle and shifts of a section in a stream."""
    bare(axes, "forces, moment, angle, shift", (-0.95, 1.75), (-0.75, 1.1))
    axes.fill(*section(12), color=BLUE, alpha=0.25, lw=0)
    axes.plot([-0.5, 1.2], [0, 0], color=GREY, lw=0.8, ls="--")
    for y in (-0.3, 0.0, 0.3):
        arrow(axes, (-0.9, y), (0.3, 0), "", GREY)
    axes.text(-0.7, -0.48, "stream", color=GREY, ha="center")
    arrow(axes, (0, 0), (0, 0.75), "$c_l$", RED, (0.12, 0.0))
    arrow(axes, (0, 0), (0.75, 0), "$c_d$; thrust is $-c_d$", RED, (0.25, 0.1))
    arrow(axes, (1.45, -0.6), (0, 0.45), "$y,\\ h$", DARK, (0.0, 0.1))
    arrow(axes, (1.05, -0.6), (0.4, 0), "", DARK)
    axes.text(1.25, -0.7, "$x$", ha="center")
    turn = np.radians(np.linspace(215, 145, 30))
    axes.plot(0.42 * np.cos(turn), 0.42 * np.sin(turn), color=RED, lw=1.4)
    last = 0.42 * np.stack([np.cos(turn[-2:]), np.sin(turn[-2:])], 1)
    axes.annotate("", last[1], last[0], arrowprops={"arrowstyle": "-|>", "color": RED, "lw": 1.4})
    axes.text(-0.36, 0.42, "nose-up:\n$\\theta,\\ c_m > 0$", color=RED, ha="center", va="bottom")
    axes.plot(0, 0, "o", color=DARK, ms=3)
    axes.text(0.05, -0.14, "pivot", fontsize=8)


def cycle(axes):
    """A pitch and a plunge a quarter of a cycle ahead, at eight phases."""
    bare(axes, "pitch $\\theta = 20^\\circ\\sin\\omega t$,\nplunge $h = 0.8\\cos\\omega t$",
         (-0.7, 8.9), (-1.5, 1.5))  # fmt: skip
    phase = np.radians(np.linspace(0, 360, 100))
    axes.plot(8 * phase / (2 * np.pi), 0.8 * np.cos(phase), color=GREY, lw=0.8)
    for at in PHASES:
        x, y = 8 * at / 360, 0.8 * np.cos(np.radians(at))
        axes.fill(*section(20 * np.sin(np.radians(at)), x, y), color=BLUE, alpha=0.8, lw=0)
        axes.text(x, -1.35, f"{at}", ha="center", fontsize=8)
    axes.text(8.1, -1.35, "deg", ha="center", fontsize=8)


def hover(axes):
    """Stroke of the hovering literature in its angle and in the nose-up one."""
    bare(axes, "hovering: chord at $\\alpha = 90^\\circ + 45^\\circ\\sin\\omega t$,\nhere "
         "$\\theta = 180^\\circ - \\alpha$", (-2.6, 2.6), (-1.7, 1.6))  # fmt: skip
    for half, y in ((0, 0.5), (1, -0.9)):
        for at in np.arange(0, 181, 36) + 180 * half:
            x, alpha = 1.9 * np.cos(np.radians(at)), 90 + 45 * np.sin(np.radians(at))
            axes.fill(*section(180 - alpha, x, y, 0.5, ellipse=True), color=BLUE, alpha=0.8, lw=0)
        way = -0.7 if half == 0 else 0.7
        arrow(axes, (-way / 2, y + 0.65), (way, 0), "", RED)
    axes.text(0, 1.3, "$x = 1.4\\cos\\omega t$", color=RED, ha="center")
    axes.axhline(0.5, color=GREY, lw=0.6, ls=":")
    axes.axhline(-0.9, color=GREY, lw=0.6, ls=":")


@styled
def signs():
    figure = figure_of(10.5, 3.0)
    for axes, draw in zip(
        figure.subplots(1, 3, width_ratios=(1, 1.35, 1)), (forces, cycle, hover), strict=True
    ):
        draw(axes)
    return figure


if __name__ == "__main__":
    signs(path=IMAGE)
