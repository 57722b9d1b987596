"""Figure with its own picture for notebooks."""

from __future__ import annotations

from io import BytesIO

from matplotlib.figure import Figure

DPI = 100  # pixels of a screen to an inch


class Shown(Figure):
    """Matplotlib's Figure with its own picture for notebooks.

    IPython draws figures only once pyplot, or `%matplotlib inline`, has told it how; these figures
    are made without pyplot.  The picture has two pixels for each that it takes, for fine screens.
    """

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        picture = BytesIO()
        self.savefig(picture, format="png", dpi=2 * DPI)
        width, height = (round(DPI * size) for size in self.get_size_inches())
        return picture.getvalue(), {"width": width, "height": height}
