"""Films of a run: Mach number or pressure about the moving bodies over the last cycle."""

from __future__ import annotations

import shutil
from dataclasses import replace as replaced
from io import BytesIO
from pathlib import Path
from subprocess import run as call
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import CaseError, warn
from kinemesh.io.paths import making, path_of
from kinemesh.io.whole import replace
from kinemesh.plot.channels import pressure_of
from kinemesh.plot.ensembles import (
    names_of,
    running,
    speed_of,
    stream_of,
)
from kinemesh.plot.flows import Picture, moment_of, pieces, range_of, solved, values_of
from kinemesh.plot.shades import SHADES, Shade, shade_of
from kinemesh.plot.style import STYLE
from kinemesh.plot.titles import differing, in_words, title_of
from kinemesh.plot.units import CHORDS, Unit, unit_of
from kinemesh.plot.views import View, in_frame, wake_of, window_of
from kinemesh.run.march import progress_bar

if TYPE_CHECKING:
    from kinemesh.results import Fields, Run

FORMATS = ("gif", "mp4")
CYCLE = 3.2  # seconds that a film shows a cycle in,
FASTEST = 25  # where that takes no more frames a second
DPI = 140  # an even number of pixels each way, which H.264 asks for


def film(
    run: Run | str | Path,
    quantity: str = "mach",
    path: str | Path | None = None,
    member: int | None = None,
    *,
    progress: bool = False,
    view: Any = None,
    range: Any = None,
    frame: str = "world",
) -> Path:
    """Film of the frames of the last cycle, in the order of time; returns the path of the file.

    All frames share one view and one scale of colours.  The title has the phase and, for a member
    of an ensemble, the parameters that vary.

    Parameters
    ----------
    run : Run, or the name of its folder
    quantity : "mach" or "cp", "vorticity" of viscous flow, "eddies" of a turbulent gas
    path : .gif, or .mp4 where ffmpeg is installed; default film-mach.gif in the folder of the run,
        for an ensemble members/film-mach-k0.1.gif, named by the parameters that vary
    member : int    of an ensemble, from 0
    view, range, frame : what is shown, as of `kinemesh.plot.View`

    Raises
    ------
    CaseError    a steady run, a wing, fewer than two frames, no such member, no ffmpeg
    """
    from kinemesh.results import Run, open

    if quantity not in SHADES:
        raise CaseError(f"film: quantity = {quantity!r}, expected one of {', '.join(SHADES)}")
    seen = View.of(view, range, frame)
    run = run if isinstance(run, Run) else open(run)
    frames = _frames(run, quantity, member)
    place = _place(run, quantity, member or 0, FORMATS[0]) if path is None else path
    target = path_of(place, "the film's file")
    form = target.suffix[1:].lower()
    if form not in FORMATS:
        raise CaseError(f"{target}: expected a name that ends in .{' or .'.join(FORMATS)}")
    ffmpeg = _ffmpeg(target) if form == "mp4" else ""
    pictures = _pictures(run, quantity, member, frames, progress, seen)
    data = _mp4(pictures, ffmpeg, target) if form == "mp4" else _gif(pictures)
    with making(target, "the film"):
        target.parent.mkdir(parents=True, exist_ok=True)
        replace(target, data)
    return target


def films_from_directory(
    directory: str | Path,
    quantity: str = "mach",
    *,
    members: bool = False,
    format: str = "gif",
    progress: bool = False,
    view: Any = None,
    range: Any = None,
    frame: str = "world",
) -> list[Path]:
    """Films of a run's folder, as of `film`: with `members` of each member; the paths written.

    Of an ensemble without `members` there is a film of the first one, and a warning says so.
    """
    from kinemesh.results.opening import open_run

    if format not in FORMATS:
        raise CaseError(f"format = {format!r}, expected of a film one of {', '.join(FORMATS)}")
    run = open_run(directory)
    there = running(run)
    if run.members > 1 and not members and there:
        rows = run.asked()
        words = in_words(rows[there[0]], differing(rows))
        warn(
            f"a film of the first of {len(there)} members alone{words and f', {words}'}; "
            "--members (members=True) makes one of each",
            UserWarning,
        )
    made = []
    for m in there if members else there[:1]:
        place = _place(run, quantity, m, format)
        shown = {"view": view, "range": range, "frame": frame}
        made.append(film(run, quantity, place, m, progress=progress, **shown))
    return made


def _place(run: Run, quantity: str, member: int, form: str) -> Path:
    """Default path of a member's film."""
    folder = run.out or Path()
    if run.members == 1:
        return folder / f"film-{quantity}.{form}"
    return folder / "members" / f"film-{quantity}-{names_of(run)[member]}.{form}"


def _frames(run: Run, quantity: str, member: int | None) -> list[int]:
    """Numbers of the frames in the last cycle; all frames in a run by time.

    CaseError where they make no film.
    """
    run.refuse_failed(member)
    kept = run.frames(member)
    if run.history.kind == "steady":
        wing = run.fields(member=member).points.shape[1] == 3
        raise CaseError(
            "film: a steady run has one frame, expected an unsteady run; `kinemesh plot` without "
            f"--animate draws it: {'cp.png and cut.png' if wing else 'mach.png'}"
        )
    found = kept.last_cycle() if np.isfinite(kept.cycle).all() else np.arange(len(kept.time))
    if len(found) < 2:
        raise CaseError(
            f"film: {len(found)} frame in the last cycle, expected 2 at least; run for longer, or "
            "with more steps a cycle"
        )
    first = run.fields(int(found[0]), member=member)
    if first.points.shape[1] != 2:
        raise CaseError(
            "film: the run is of a wing in space, expected one in the plane; ParaView makes films "
            "of its surface.vtkhdf and flow.vtkhdf, `kinemesh plot` without --animate pictures"
        )
    values_of(first, _shade(run, quantity, member or 0, first, CHORDS))
    return [int(n) for n in found]


def _pictures(
    run: Run, quantity: str, member: int | None, frames: list[int], progress: bool, seen: View
) -> list[Any]:
    """Pillow's image of each frame."""
    import matplotlib

    unit = unit_of(run, run.fields(0, member=member))
    first = unit.of(run.fields(0, member=member))

    def flow(number: int) -> Fields:
        found = unit.of(run.fields(number, member=member))
        return replaced(found, points=in_frame(seen, found, first))

    which = member or 0
    shade, title = _shade(run, quantity, which, first, unit), title_of(run, which)
    stream = stream_of(run, which)

    def window(f: Fields) -> tuple[float, ...]:
        wake = wake_of(stream, unit.of(run.fields(f.frame, member=member)), first)
        return window_of(seen, f.points, f.walls, [*f.bodies.values()], wake)

    box = _about([window(f) for f in map(flow, frames)])
    ends = [
        range_of(shade, *pieces(f.points, solved(f), values_of(f, shade), f.on), box, seen)
        for f in map(flow, frames)
    ]
    made = []
    with (
        matplotlib.rc_context(STYLE),
        progress_bar(len(frames), progress, "frame") as bar,
    ):
        least, most = min(low for low, _ in ends), max(high for _, high in ends)
        flat = first.on == "cells"
        picture = Picture(shade, box, (least, most), seen.range is not None, flat, unit)
        for f in map(flow, frames):
            words = f"{title}\n{moment_of(f, unit)}"
            values = values_of(f, shade)
            picture.paint(f.points, solved(f), values, f.walls, words, f.get("Part"))
            made.append(_image(picture.figure))
            bar.update()
    return made


def _shade(run: Run, quantity: str, member: int, flow: Fields, unit: Unit) -> Shade:
    """Colours of a quantity of a member."""
    if quantity == "cp" and not flow.incompressible:
        return pressure_of(run, member)
    return shade_of(quantity, flow.incompressible, speed_of(run, member), unit)


def _about(boxes: list[tuple[float, ...]]) -> tuple[float, ...]:
    """The box about boxes (x0, x1, y0, y1), no taller for its width than the first one."""
    sides: NDArray[np.float64] = np.array(boxes)
    low, high = sides.min(axis=0), sides.max(axis=0)
    x0, x1, y0, y1 = float(low[0]), float(high[1]), float(low[2]), float(high[3])
    shape = (boxes[0][1] - boxes[0][0]) / (boxes[0][3] - boxes[0][2])
    wider = max(0.0, shape * (y1 - y0) - (x1 - x0)) / 2
    return x0 - wider, x1 + wider, y0, y1


def _image(figure: Any) -> Any:
    """Picture of a figure for Pillow; laid out once, so that only the flow changes."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image

    canvas = FigureCanvasAgg(figure)
    figure.set_dpi(DPI)
    canvas.draw()
    figure.set_layout_engine("none")
    return Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")


def _rate(pictures: list[Any]) -> float:
    """Frames a second."""
    return min(len(pictures) / CYCLE, FASTEST)


def _gif(pictures: list[Any]) -> bytes:
    """The pictures as an animated GIF that begins again at its end."""
    made, each = BytesIO(), round(1000 / _rate(pictures))  # ms
    pictures[0].save(made, "gif", save_all=True, append_images=pictures[1:], duration=each, loop=0)
    return made.getvalue()


def _ffmpeg(path: Path) -> str:
    """Path of ffmpeg; CaseError if it is not installed."""
    found = shutil.which("ffmpeg")
    if found is None:
        raise CaseError(
            f"{path}: no ffmpeg on the PATH, which MP4 needs; install it (apt install ffmpeg, "
            "conda install ffmpeg, brew install ffmpeg), or take .gif, which needs none"
        )
    return found


def _mp4(pictures: list[Any], ffmpeg: str, path: Path) -> bytes:
    """The pictures as H.264 in an MP4; CaseError with ffmpeg's last words where it fails."""
    (width, height), rate = pictures[0].size, _rate(pictures)
    given = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", f"{rate:g}"]
    wanted = ["-codec:v", "h264", "-pix_fmt", "yuv420p", "-movflags", "+faststart"]
    with TemporaryDirectory() as folder:
        made = Path(folder) / "film.mp4"
        words = [ffmpeg, "-loglevel", "error", *given, "-i", "-", *wanted, str(made)]
        data = b"".join(picture.tobytes() for picture in pictures)
        done = call(words, input=data, capture_output=True, check=False)
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip().splitlines() or ["it said nothing"]
            raise CaseError(f"{path}: ffmpeg failed ({said[-1]}); take .gif, which needs none")
        return made.read_bytes()
