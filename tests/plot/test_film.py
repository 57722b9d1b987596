"""A film shows each frame of the last cycle, in one view and with one scale of colours."""

import os
import shutil
import subprocess
from pathlib import Path

import kinemesh as km
import numpy as np
import pytest
from kinemesh import cli, plot
from kinemesh.cloud.display import Shown
from kinemesh.errors import CaseError
from kinemesh.flow.gas.model import Euler
from kinemesh.io import STEADY, UNSTEADY, History, summary
from kinemesh.io.fields import FieldWriter
from kinemesh.io.folder import clear
from kinemesh.plot import films
from matplotlib import colormaps
from PIL import Image

pytestmark = pytest.mark.no_sanitizer

EACH = 4  # frames of a cycle
MORE, LARGE = 1.0001, films.DPI
PIXEL = (0.2, 0.2)  # of width and height: a place in the flow, away from lines and legend


@pytest.fixture(scope="module")
def mesh():
    return km.mesh.airfoil("naca0012", nodes=520, far_field=10)


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Small pictures, an even number of pixels each way as the large ones."""
    monkeypatch.setattr(films, "DPI", 60)


def made_up(mach, height, mesh):
    """A flow at one Mach number everywhere but at one node, its mesh moved upwards."""
    one = np.ones(len(mesh.points))
    points = mesh.points + np.array([0, height])
    speed = mach * one
    seen = np.argmin(np.hypot(*(mesh.points - [1, 0]).T))  # within the view
    speed[seen] *= MORE  # matplotlib leaves out what is all at the last level
    q = np.stack([one, speed, 0 * one, one / 1.4], axis=1)
    return points, Euler(2).outputs(q, mach=0.5)


def run_of(path, mesh, machs, heights=None, kind="unsteady"):
    """The folder of a run that kept frames at these Mach numbers, the first at the start."""
    heights = [0.0] * len(machs) if heights is None else heights
    path.mkdir(parents=True, exist_ok=True)
    with FieldWriter(path / "flow.vtkhdf", mesh, mesh.boundaries["airfoil"]) as writer:
        for n, (mach, height) in enumerate(zip(machs, heights, strict=True)):
            writer.append(float(n), *made_up(mach, height, mesh))
    columns = UNSTEADY if kind == "unsteady" else STEADY
    with History(columns, path / "history.csv") as history:
        for n in range(1, len(machs)):
            row = dict.fromkeys(history.columns, 0.0) | {"member": 0, "converged": 1}
            row |= {"time": n, "step": n, "cycle": n / EACH, "iteration": n}
            history.append({name: row[name] for name in columns})
    about = summary.collect(kind, "cpu", "float64", {"mach": 0.5}, {"nodes": 1}, {}, {}, {})
    summary.write(path / "summary.json", {**about, "finished": "now"})
    return path


def sweep_of(path, mesh):
    """The folder of two members at two Mach numbers."""
    run_of(path, mesh, [0.1, 0.3, 0.4])
    text = (path / "history.csv").read_text().splitlines()
    both = [text[0], *(m + row[1:] for row in text[1:] for m in "01")]
    (path / "history.csv").write_text("\n".join(both) + "\n")
    shutil.copy(path / "flow.vtkhdf", path / "flow-0.vtkhdf")
    (path / "flow.vtkhdf").rename(path / "flow-1.vtkhdf")
    summary.update(path / "summary.json", asked=[{"mach": 0.5, "k": k} for k in (0.1, 0.2)])
    return path


def frames(path):
    """Each frame of a GIF as (height, width, 3)."""
    with Image.open(path) as gif:
        found = []
        for n in range(gif.n_frames):
            gif.seek(n)
            found.append(np.asarray(gif.convert("RGB"), int))
    return found


@pytest.mark.long
def test_frames_of_the_last_cycle_share_their_colours(tmp_path, mesh):
    last = [0.2, 0.62, 0.46, 0.8]  # within bands of colour, not between two
    folder = run_of(tmp_path, mesh, [2.0, 3.0, 3.1, 3.2, 3.3, *last])

    made = plot.film(folder)

    assert made == tmp_path / "film-mach.gif"
    pictures = frames(made)
    assert [p.shape for p in pictures] == [(222, 384, 3)] * EACH  # 3.7 and 6.4 inches
    for picture, mach in zip(pictures, last, strict=True):
        band = int((mach - 0.2) / (0.8 * MORE - 0.2) * 48)  # of 48 from least to largest
        seen = picture[int(PIXEL[1] * 222), int(PIXEL[0] * 384)]
        expected = 255 * np.array(colormaps["viridis"]((band + 0.5) / 48)[:3])
        # the map has 256 colours, a band five of them, which differ by 1 or 2; and so does what
        # Pillow's palette has in place of a colour
        np.testing.assert_allclose(seen, expected, rtol=0, atol=3)
    with Image.open(made) as gif:
        assert gif.info["loop"] == 0
        assert gif.info["duration"] == 1000 * films.CYCLE / EACH


@pytest.mark.long
def test_the_view_stays_and_the_body_moves(tmp_path, mesh, monkeypatch):
    heights, seen, paint = [0.0, 0.3, 0.0, -0.3, 0.0], [], films.Picture.paint

    def spy(picture, *args):
        paint(picture, *args)
        walls = np.concatenate(picture.axes.collections[-1].get_segments())
        box = picture.axes.get_xlim() + picture.axes.get_ylim()
        seen.append((box, walls, len(picture.axes.collections)))

    monkeypatch.setattr(films.Picture, "paint", spy)

    made = plot.film(run_of(tmp_path, mesh, [0.1, 0.3, 0.4, 0.5, 0.6], heights), "cp")

    pictures = frames(made)
    assert made.name == "film-cp.gif"
    below = [p[-40:] for p in pictures]  # ticks and label of x
    assert np.ptp(below[0]) > 128
    # Pillow's palettes differ by up to 11, black letters on white by 200 where they move
    assert all(np.abs(p - below[0]).max() < 50 for p in below)
    boxes, walls, counts = zip(*seen, strict=True)
    assert len(set(boxes)) == len(set(counts)) == 1  # and nothing stays of the last frame
    x0, x1, y0, y1 = boxes[0]
    for height, body in zip(heights[1:], walls, strict=True):
        low, high = body.min(axis=0), body.max(axis=0)
        np.testing.assert_allclose((low[1] + high[1]) / 2, height, atol=1e-14)
        assert min(low[0] - x0, x1 - high[0], low[1] - y0, y1 - high[1]) > 0.5


def test_less_than_a_cycle_is_shown_from_its_start(tmp_path, mesh):
    folder = run_of(tmp_path, mesh, [0.2, 0.3, 0.4])

    assert len(frames(plot.film(km.open(folder), path=tmp_path / "deep" / "mine.GIF"))) == 3
    assert (tmp_path / "deep" / "mine.GIF").exists()


@pytest.mark.long
def test_titles_tell_member_and_moment(tmp_path, mesh, monkeypatch):
    titles = []
    monkeypatch.setattr(films.Picture, "paint", lambda *given: titles.append(given[5]))
    by_time = run_of(tmp_path / "time", mesh, [0.2, 0.3, 0.4, 0.5, 0.6])

    plot.film(sweep_of(tmp_path / "sweep", mesh), member=1)
    summary.update(by_time / "summary.json", conditions={"mach": 0.5, "steps_per_cycle": None})
    plot.film(by_time)

    assert titles[:3] == [f"Mach 0.5, k 0.2\nphase {phase} degrees" for phase in (0, 90, 180)]
    unit = r"chord/$a_\infty$"
    # no cycle: all that was kept
    assert titles[3:] == [f"Mach 0.5\ntime {n} {unit}" for n in range(5)]


@pytest.mark.long
def test_members_have_films_on_request(tmp_path, mesh):
    folder = sweep_of(tmp_path, mesh)

    with pytest.warns(UserWarning, match=r"first of 2 members alone, k 0\.1"):
        first = plot.films_from_directory(folder)
    both = plot.films_from_directory(folder, members=True)

    assert first == both[:1]
    assert [p.relative_to(folder).as_posix() for p in both] == [
        "members/film-mach-k0.1.gif",
        "members/film-mach-k0.2.gif",
    ]
    assert (frames(both[0])[0] != frames(both[1])[0]).any()  # the titles
    with pytest.raises(CaseError, match="2 members; choose one"):
        plot.film(folder)
    clear(folder, figures=True)
    assert not list(folder.rglob("film*"))


def test_what_makes_no_film_is_refused(tmp_path, mesh):
    folder = run_of(tmp_path / "run", mesh, [0.2, 0.3, 0.4])
    steady = run_of(tmp_path / "steady", mesh, [0.2, 0.3], kind="steady")
    single = run_of(tmp_path / "single", mesh, [0.2, 0.3, 0.4])
    with FieldWriter(single / "flow.vtkhdf", mesh, mesh.boundaries["airfoil"]) as writer:
        writer.append(1.0, *made_up(0.3, 0.0, mesh))

    with pytest.raises(CaseError, match=r"a steady run has one frame.*--animate.*mach\.png"):
        plot.film(steady)
    with pytest.raises(CaseError, match="1 frame in the last cycle, expected 2"):
        plot.film(single)
    with pytest.raises(
        CaseError, match="quantity = 'entropy', expected one of mach, vorticity, cp"
    ):
        plot.film(folder, "entropy")
    with pytest.raises(CaseError, match=r"film\.png: expected a name that ends in \.gif or \.mp4"):
        plot.film(folder, path=tmp_path / "film.png")
    with pytest.raises(CaseError, match="no member 1"):
        plot.film(folder, member=1)
    with pytest.raises(CaseError, match="of a film one of gif, mp4"):
        plot.films_from_directory(folder, format="png")
    with pytest.raises(CaseError, match=r"one of png, pdf, svg; a film is made by --animate"):
        plot.from_directory(folder, format="gif")
    with pytest.raises(CaseError, match="the run kept none; give a folder"):
        plot.film(km.Run(km.open(folder).history, km.open(folder).summary, None))
    assert not list(tmp_path.rglob("film*"))


def test_fields_that_cannot_be_coloured_are_refused(tmp_path, mesh):
    folder = run_of(tmp_path, mesh, [0.2, 0.3, np.nan, 0.4])
    with pytest.raises(CaseError, match="Mach number is not finite"):
        plot.film(folder)
    with FieldWriter(folder / "flow.vtkhdf", mesh, mesh.boundaries["airfoil"]) as writer:
        for n in range(3):
            writer.append(float(n), mesh.points, {"Density": np.ones(len(mesh.points))})
    with pytest.raises(CaseError, match="no Mach; there are Density"):
        plot.film(folder)


def test_a_wing_is_refused(tmp_path, mesh):
    folder = run_of(tmp_path, mesh, [0.2, 0.3, 0.4])
    corners, face = np.eye(3), np.array([[0, 1, 2]])
    shown = Shown(corners, face, np.zeros((0, 4), int), np.arange(3))
    with FieldWriter(folder / "flow.vtkhdf", shown, face) as writer:
        for n in range(3):
            writer.append(float(n), corners, {"Mach": np.ones(3)})

    with pytest.raises(CaseError, match="wing in space, expected one in the plane; ParaView"):
        plot.film(folder)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_steady_wing_is_told_which_pictures_it_has(tmp_path):
    short = km.AleSettings(steady_iterations=1)
    run = km.Ale(km.mesh.sphere(nodes=1500), mach=0.3, settings=short).steady(out=tmp_path)

    with pytest.raises(CaseError, match=r"one frame, expected an unsteady run.*cp\.png and cut"):
        plot.film(run)


def program(folder, text):
    """A program `ffmpeg` in a folder that is the whole PATH but for the shell's own tools."""
    folder.mkdir()
    (folder / "ffmpeg").write_text(f"#!/bin/sh\n{text}\n")
    (folder / "ffmpeg").chmod(0o755)
    return f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin"


def test_mp4_goes_through_ffmpeg_whole(tmp_path, mesh, monkeypatch):
    folder = run_of(tmp_path / "run", mesh, [0.2, 0.3, 0.4])
    path = program(tmp_path / "bin", 'for last; do :; done; cat > "$last"')
    monkeypatch.setenv("PATH", path)
    monkeypatch.setattr(films, "DPI", 20)

    (made,) = plot.films_from_directory(folder, format="mp4")

    assert made == folder / "film-mach.mp4"
    assert len(made.read_bytes()) == 3 * 128 * 74 * 3  # frames of 6.4 by 3.7 inches in colour
    assert [round(size * LARGE) % 2 for size in (6.4, 3.7)] == [0, 0]  # H.264 takes no others


def test_mp4_without_a_working_ffmpeg_is_refused(tmp_path, mesh, monkeypatch):
    folder = run_of(tmp_path / "run", mesh, [0.2, 0.3])
    path = program(
        tmp_path / "bin", "cat > /dev/null; echo one >&2; echo Unknown encoder >&2; exit 8"
    )

    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CaseError, match=r"film-mach\.mp4: no ffmpeg on the PATH.*install it"):
        plot.films_from_directory(folder, format="mp4")
    monkeypatch.setenv("PATH", path)
    with pytest.raises(CaseError, match=r"ffmpeg failed \(Unknown encoder\)"):
        plot.films_from_directory(folder, format="mp4")
    assert not list(folder.glob("film*"))


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="no ffmpeg")
def test_mp4_has_the_frames_and_their_colours(tmp_path, mesh):
    made = plot.film(run_of(tmp_path, mesh, [0.2, 0.3, 0.4]), path=tmp_path / "film.mp4")

    assert made.read_bytes()[4:8] == b"ftyp"
    words = ["ffmpeg", "-loglevel", "error", "-i", made, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    raw = subprocess.run(words, capture_output=True, check=True).stdout
    first = np.frombuffer(raw, np.uint8).reshape(3, 222, 384, 3)[0]
    seen = first[int(PIXEL[1] * 222), int(PIXEL[0] * 384)].astype(int)
    violet = 255 * np.array(colormaps["viridis"](0.5 / 48)[:3])
    np.testing.assert_allclose(seen, violet, rtol=0, atol=16)  # H.264 loses some of it


@pytest.mark.parametrize("where", ["kinemesh.plot.flows.Picture.paint", "os.fsync"])
def test_ctrl_c_leaves_the_film_of_before_alone(tmp_path, mesh, monkeypatch, where):
    def stop(*_):
        raise KeyboardInterrupt

    folder = run_of(tmp_path, mesh, [0.2, 0.3])
    (folder / "film-mach.gif").write_text("of before")
    there = sorted(folder.iterdir())
    monkeypatch.setattr(where, stop)

    with pytest.raises(KeyboardInterrupt):
        plot.film(folder)

    assert sorted(folder.iterdir()) == there
    assert (folder / "film-mach.gif").read_text() == "of before"


def test_a_film_from_the_shell(tmp_path, mesh, monkeypatch, capsys):
    folder = run_of(tmp_path, mesh, [0.2, 0.3])

    assert cli.main(["plot", str(folder), "--animate", "cp"]) == 0

    out = capsys.readouterr()
    assert Path(out.out.strip()) == folder / "film-cp.gif"
    assert "frame 2 of 2" in out.err
    monkeypatch.setenv("PATH", str(tmp_path))
    assert cli.main(["plot", str(folder), "--animate", "--format", "mp4"]) == 2
    assert "no ffmpeg" in capsys.readouterr().err
    assert cli.main(["plot", str(folder), "--format", "mp4"]) == 2
    assert "a film is made by --animate" in " ".join(capsys.readouterr().err.split())
