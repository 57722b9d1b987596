"""Checks of any figure: nothing empty, no texts over one another, no label against its numbers."""

from itertools import combinations

import numpy as np
import pytest

ROOM = 1.0  # pixel by which the boxes of two texts may meet


def panels(figure):
    """Panels of a figure, without its bars of colours."""
    shown = [axes for axes in figure.axes if axes.get_visible() and axes.axison]
    return [axes for axes in shown if not hasattr(axes, "_colorbar")]


def _drawn(axes):
    """(k, 2) finite places of the lines and areas of a panel, in its numbers."""
    each = [np.empty((0, 2))]
    for line in axes.lines:
        if line.get_transform() == axes.transData:  # not a line across the panel
            each.append(np.asarray(line.get_xydata(), float).reshape(-1, 2))
    for made in axes.collections:
        values = made.get_array()
        if values is not None and not np.isfinite(np.ma.filled(values, np.nan)).any():
            continue
        offsets = np.ma.filled(made.get_offsets(), np.nan)
        if made.get_offset_transform() == axes.transData and len(offsets) and offsets.any():
            each.append(np.asarray(offsets, float))
        elif hasattr(made, "get_coordinates"):
            each.append(np.asarray(made.get_coordinates(), float).reshape(-1, 2))
        else:
            each += [path.vertices for path in made.get_paths()]
    each += [patch.get_path().vertices for patch in axes.patches]
    found = np.concatenate(each)
    return found[np.isfinite(found).all(axis=1)]


def empty(figure):
    """Titles and labels of panels in which nothing is drawn; of a figure without panels its own."""
    shown = panels(figure)
    blank = [axes for axes in shown if not len(_drawn(axes))]
    told = [f"{axes.get_title('left')} {axes.get_ylabel()}".strip() for axes in blank]
    return told if shown else ["no panel"]


def places(axes):
    """Least and largest place of what is drawn in a panel, within its limits: (2, 2)."""
    found = _drawn(axes)
    ends = np.sort(np.array([axes.get_xlim(), axes.get_ylim()]), axis=1)
    inside = ((found >= ends[:, 0]) & (found <= ends[:, 1])).all(axis=1)
    return np.array([found[inside].min(axis=0), found[inside].max(axis=0)])


def texts(figure):
    """Texts of a figure that are drawn, with their boxes in pixels."""
    from matplotlib.text import Text

    drawn, draw = {}, Text.draw

    def kept(own, renderer, *args, **kwargs):
        if own.get_visible() and own.get_text().strip():
            drawn[id(own)] = own
        return draw(own, renderer, *args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Text, "draw", kept)
        figure.draw_without_rendering()
    return [(own, own.get_window_extent()) for own in drawn.values()]


def overlaps(figure):
    """Pairs of texts that lie over one another, and texts that the figure cuts."""
    found, whole = [], figure.bbox
    each = texts(figure)
    for own, box in each:
        beyond = max(whole.x0 - box.x0, box.x1 - whole.x1, whole.y0 - box.y0, box.y1 - whole.y1)
        if beyond > ROOM:
            found.append((own.get_text(), "cut by the figure"))
    for (one, a), (other, b) in combinations(each, 2):
        wide = min(a.x1, b.x1) - max(a.x0, b.x0)
        high = min(a.y1, b.y1) - max(a.y0, b.y0)
        if wide > ROOM and high > ROOM:
            found.append((one.get_text(), other.get_text()))
    return found
