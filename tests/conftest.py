"""The devices and precisions that a test runs on."""

import gc
import os
import sys
from copy import deepcopy
from functools import cache
from pathlib import Path

import numpy as np
import pytest

pytest.register_assert_rewrite("runs", "every_solver")  # assertions that tests share

if "PYTEST_XDIST_WORKER" in os.environ:  # side by side with others: a core each
    os.environ.setdefault("OMP_NUM_THREADS", "1")

BACKENDS = {
    "host-f64": ("cpu", "float64"),
    "host-f32": ("cpu", "float32"),
    "cuda-f64": ("cuda", "float64"),
    "cuda-f32": ("cuda", "float32"),
}

# What a run of few steps or iterations is warned of: those of tests marked `flow` are short.
SHORT = (
    "loads change over the window",
    "residual fell to",
    "residual is still",
    "steps ended above",
    "not periodic",
    "whether it is periodic",
)


def open_backend(name):
    """A Backend, or a skip that says why there is none."""
    from kinemesh.device.backend import Backend
    from kinemesh.errors import DeviceError

    device, dtype = BACKENDS[name]
    if device == "cpu":
        return Backend(device, dtype)
    try:
        return Backend(device, dtype)
    except DeviceError as error:
        pytest.skip(f"no CUDA: {error}")


@cache
def no_cuda():
    """Why nothing runs on CUDA here, or nothing."""
    from kinemesh.device.backend import Backend
    from kinemesh.errors import DeviceError

    try:
        Backend("cuda")
    except DeviceError as error:
        return str(error)
    return ""


def on_cuda(*names):
    """Parameters of a fixture: names of backends, those on CUDA with their marker.

    Where there is no CUDA they are none if others are, but for a list of all tests: half of them
    would be collected to be left out, by each process of a run.
    """
    here, listed = [name for name in names if "cuda" not in name], "--collect-only" in sys.argv
    if here and no_cuda() and not listed:
        return here
    return [pytest.param(n, marks=pytest.mark.cuda) if "cuda" in n else n for n in names]


@pytest.fixture(scope="session", params=on_cuda(*BACKENDS))
def backend(request):
    """Every device and precision: host and CUDA, float64 and float32."""
    return open_backend(request.param)


@pytest.fixture(scope="session", params=on_cuda("host-f64", "cuda-f64"))
def double(request):
    """Every device in float64, for what does not depend on the precision."""
    return open_backend(request.param)


@pytest.fixture(scope="session")
def host():
    """The CPU in float64."""
    return open_backend("host-f64")


@pytest.fixture
def undrawn(monkeypatch):
    """Figures are made and have their files, which are empty: to draw them takes longest."""
    savefig = "matplotlib.figure.Figure.savefig"
    monkeypatch.setattr(savefig, lambda figure, path: Path(path).touch())


@pytest.fixture
def looked(monkeypatch):
    """Figures that are written, looked at instead: {name of the file: its empty panels}."""
    from figures import empty

    found = {}

    def look(figure, path):
        Path(path).touch()
        found[Path(path).name] = empty(figure)

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", look)
    return found


def pytest_sessionstart():
    """Find conformal maps of sections and points of their meshes once in each process.

    A tenth of the time of runs on small meshes each.  Cells, numbers and checks are made anew.
    """
    from kinemesh.mesh.generate import airfoils, cmesh, conformal, omesh

    ends = np.linspace(0.0, 1.0, 65)

    def kept(make):
        found = {}

        def made(section, *more):
            z, slope = section.curve(ends)
            key = (section.name, section.gap, section.symmetric, section.joints, section.notes,
                   z.tobytes(), slope.tobytes(), more)  # fmt: skip
            if key not in found:
                found[key] = make(section, *more)
            return found[key]

        return made

    omesh.circle_map = cmesh.circle_map = kept(conformal.circle_map)
    for name in ("_o", "_c"):
        made = kept(getattr(airfoils, name))
        setattr(airfoils, name, lambda *given, made=made: deepcopy(made(*given)))


def pytest_addoption(parser):
    parser.addoption("--part", metavar="K/N", help="each N-th test, from test K on (from 0)")


def pytest_terminal_summary(terminalreporter, config):
    """Say once that there is no CUDA, in place of a line for each of thousands of tests."""
    reason = no_cuda()
    if reason and not config.option.collectonly:
        terminalreporter.write_line(f"tests marked cuda were left out: {reason}")


def pytest_collection_modifyitems(config, items):
    """Leave out tests on CUDA where there is none, and those of other parts (tools/parts.py).

    Runs of tests may be short.
    """
    if not config.option.collectonly and no_cuda():
        gone = [test for test in items if test.get_closest_marker("cuda")]
        config.hook.pytest_deselected(items=gone)
        items[:] = [test for test in items if not test.get_closest_marker("cuda")]
    short = pytest.mark.filterwarnings(f"always:.*({'|'.join(SHORT)}):RuntimeWarning")
    for test in items:
        if test.get_closest_marker("flow"):
            test.add_marker(short)
    part = config.getoption("part")
    if part:
        first, step = map(int, part.split("/"))
        config.hook.pytest_deselected(items=[t for k, t in enumerate(items) if k % step != first])
        items[:] = items[first::step]


def pytest_collection_finish():
    """Thousands of tests are collected: leave them out of every later search for garbage."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def drawn(monkeypatch):
    """Figures by the names of their files, which are left empty."""
    found = {}
    monkeypatch.setattr(
        "matplotlib.figure.Figure.savefig", lambda own, path: found.update({path.stem: own})
    )
    return found
