"""A disk that is full ends a run with status 1 and a sentence; what was whole stays whole."""

import errno
import os
import resource
import subprocess
import sys
import warnings
from pathlib import Path

import kinemesh as km
import pytest
from kinemesh.io import History, fields, restart, whole
from kinemesh.run import resume
from solver_cases import case_text

PLAN = {"cycles": 1.5, "steps_per_cycle": 16}
LIMITS = {"unsteady_iterations": 6, "steady_iterations": 60}
SOLVER = "[solver]\n" + "".join(f"{name} = {most}\n" for name, most in LIMITS.items())
TOML = case_text(method="rigid", **PLAN, more=SOLVER)
pytestmark = [
    pytest.mark.flow,
    pytest.mark.filterwarnings("ignore:(steady flow|member):RuntimeWarning"),
]


def program(folder, *words, largest=None):
    """The real program in `folder`, where no file may grow beyond `largest` bytes."""

    def limit():
        if largest is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))

    path = os.pathsep.join([str(Path(km.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run(
        [sys.executable, "-m", "kinemesh.cli", "run", "small.toml", "--quiet", *words],
        cwd=folder, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True,
        preexec_fn=limit, timeout=60,
    )  # fmt: skip
    return run.returncode, " ".join(run.stderr.split())


def frames(folder):
    count = 0
    while True:
        try:
            fields.read(folder / "flow.vtkhdf", count)
        except km.CaseError as end:
            assert "no step" in str(end)  # noqa: PT017
            return count
        count += 1


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """Folder of the run that the case file asks for, on a disk with room."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return small().run(**PLAN, out=tmp_path_factory.mktemp("whole")).out


@pytest.mark.long
def test_a_run_that_fills_the_disk_is_status_1_and_goes_on_when_there_is_room(tmp_path, finished):
    (tmp_path / "small.toml").write_text(TOML)
    largest = int(0.6 * (finished / "flow.vtkhdf").stat().st_size)
    assert largest > (finished / "restart.h5").stat().st_size

    status, told = program(tmp_path, largest=largest)
    out = tmp_path / "small"
    steps = list(History.read(out / "history.csv").step)
    kept = restart.read(out / "restart.h5")[1]["step"]

    assert status == 1
    assert "flow.vtkhdf" in told
    assert "with --resume" in told
    assert "Traceback" not in told
    assert 0 < kept <= steps[-1] < 24
    assert steps == list(range(1, steps[-1] + 1))
    assert 0 < frames(out) < 25
    assert program(tmp_path, "--resume")[0] == 3  # to its end; few steps converge on this mesh
    assert (out / "history.csv").read_bytes() == (finished / "history.csv").read_bytes()
    assert frames(out) == 25


@pytest.mark.long
def test_a_disk_full_from_the_start_says_to_run_anew(tmp_path):
    (tmp_path / "small.toml").write_text(TOML)

    status, told = program(tmp_path, largest=20_000)

    assert status == 1
    assert "restart.h5" in told
    assert "no restart was written" in told
    assert not list((tmp_path / "small").glob("*.tmp"))
    assert "Traceback" not in told


# ---------------------------------------------------------------- every file in turn


def small():
    mesh = km.mesh.airfoil("naca0012", nodes=500, far_field=8)
    settings = km.AleSettings(**LIMITS)
    return km.Ale(mesh, mach=0.5, alpha_deg=1.0, motion=km.motion.pitch(2.0, 0.1),
                  deform=km.deform.Rigid(), device="cpu", settings=settings)  # fmt: skip


def full(monkeypatch, folder, owner, name):
    """After ten steps a call leaves half of its data and finds no space."""
    real = getattr(owner, name)

    def call(first, data, *rest):
        path = folder / "history.csv"
        if not path.exists() or path.read_bytes().count(b"\n") < 11:
            return real(first, data, *rest)
        real(first, data[: len(data) // 2], *rest)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(owner, name, call)


def small_files(monkeypatch, limit):
    """From the `limit`-th restart on no file may grow beyond 1000 bytes while it is written."""
    real, count = resume.write, iter(range(10**9))

    def write(*given):
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        if next(count) >= limit:
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
        try:
            real(*given)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    monkeypatch.setattr(resume, "write", write)


@pytest.mark.long
@pytest.mark.parametrize(
    ("file", "fill"),
    [
        ("history.csv", lambda patch, out: full(patch, out, os, "write")),
        ("flow.vtkhdf", lambda patch, out: full(patch, out, whole.os, "pwrite")),
        ("restart.h5", lambda patch, _: small_files(patch, 4)),
    ],
    ids=["history.csv", "flow.vtkhdf", "restart.h5"],
)
def test_whatever_file_the_disk_is_full_for_the_run_goes_on(
    tmp_path, monkeypatch, finished, file, fill
):
    with monkeypatch.context() as patch:
        fill(patch, tmp_path)
        with pytest.raises(OSError, match=rf"(No space left|File too large).*{file}") as error:
            small().run(**PLAN, out=tmp_path)

    assert "with --resume" in error.value.__notes__[0]
    rows = History.read(tmp_path / "history.csv")  # no line is half there
    assert 0 < restart.read(tmp_path / "restart.h5")[1]["step"] <= rows.step[-1]
    assert not [p.name for p in tmp_path.iterdir() if p.suffix in (".tmp", ".journal")]
    small().run(**PLAN, out=tmp_path, resume=True)
    assert (tmp_path / "history.csv").read_bytes() == (finished / "history.csv").read_bytes()
    assert frames(tmp_path) == 25
