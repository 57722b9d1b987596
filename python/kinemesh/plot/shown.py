"""Figure with its own picture for notebooks."""

from __future__ import annotations

from io import BytesIO

from matplotlib.figure import Figure


class Shown(Figure):
    """Matplotlib's Figure with its own picture for notebooks.

    IPython draws figures only once pyplot, or `%matplotlib inline`, has told it how; these figures
    are made without pyplot.
    """

    def _repr_png_(self) -> bytes:
        picture = BytesIO()
        self.savefig(picture, format="png", dpi=100)
        return picture.getvalue()
