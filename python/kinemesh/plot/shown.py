"""A figure that a notebook shows without being told to."""

from __future__ import annotations

from io import BytesIO

from matplotlib.figure import Figure


class Shown(Figure):
    """A matplotlib Figure with a picture of its own for notebooks.

    IPython draws figures only once pyplot, or `%matplotlib inline`, has told it how; these figures
    are made without pyplot.
    """

    def _repr_png_(self) -> bytes:
        picture = BytesIO()
        self.savefig(picture, format="png", dpi=100)
        return picture.getvalue()
