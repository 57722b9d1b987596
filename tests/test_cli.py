"""The program: exit status, messages without traceback, and the files of a run."""

import inspect
import os
import subprocess
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace

import kinemesh as km
import numpy as np
import pytest
from kinemesh import cli
from kinemesh.cases.casefile import Case
from kinemesh.device.backend import Backend
from kinemesh.errors import DeviceError, NumericalFault
from kinemesh.flow.door.runnable import Runnable
from kinemesh.flow.gas.model import Euler
from kinemesh.io import STEADY, UNSTEADY, History, restart, summary
from kinemesh.io.fields import FieldWriter
from kinemesh.results import Run
from kinemesh.run.doors import asked_of
from kinemesh.run.steady import steady
from kinemesh.sentences import NO_RESUME, OVERWRITE, TO_RESUME, Option

MESH = SimpleNamespace(
    points=np.array([[0.0, 0], [1, 0], [1, 1], [0, 1], [2, 0.5]]),
    triangles=np.array([[1, 4, 2]]),
    quads=np.array([[0, 1, 2, 3]]),
    original=np.arange(5),
    boundaries={"airfoil": np.array([[0, 1]]), "farfield": np.array([[1, 4]])},
)


class FakeAle:
    """Writes what a run writes, without computing."""

    fault: BaseException | None = None
    converged: bool | list[bool] = True
    asked: SimpleNamespace = SimpleNamespace()

    def __init__(self, mesh, **options):
        self.options = options
        type(self).asked = SimpleNamespace(options=options)

    def run(self, cycles, steps_per_cycle, until, periodic_tolerance, out, progress, resume,
            overwrite, preflight):  # fmt: skip
        out = Path(out)
        type(self).asked.overwrite = overwrite
        type(self).asked.run = (cycles, steps_per_cycle, progress, resume, preflight)
        type(self).asked.until = until
        with History(UNSTEADY, out / "history.csv") as history:
            for step in range(1, round(cycles * steps_per_cycle) + 1):
                phi = 2 * np.pi * step / steps_per_cycle
                row = dict.fromkeys(UNSTEADY, 1.0) | {"member": 0, "step": step}
                row |= {"cycle": step / steps_per_cycle, "phase_deg": np.degrees(phi) % 360}
                row |= {"alpha_deg": 0.016 + 2.51 * np.sin(phi), "cl": np.sin(phi)}
                row |= {"cm": np.cos(phi), "inner_iterations": 5}
                history.append(row)
        return self._finish("unsteady", history, out)

    def steady(self, out, progress, resume, overwrite):
        out = Path(out)
        with History(STEADY, out / "history.csv") as history:
            for i in range(1, 9):
                row = dict.fromkeys(STEADY, 0.1**i) | {"member": 0, "iteration": i}
                history.append(row)
        return self._finish("steady", history, out)

    def _finish(self, mode, history, out):
        if self.fault is not None:
            raise self.fault
        one = np.linspace(0.9, 1.2, 5)
        with FieldWriter(out / "flow.vtkhdf", MESH, MESH.boundaries["airfoil"]) as writer:
            q = np.stack([one, one, 0 * one, one / 1.4], axis=1)
            writer.append(1.0, MESH.points, Euler(2).outputs(q, mach=0.755))
        restart.write(out / "restart.h5", {"u": one}, {})
        about = summary.collect(
            mode, "cpu", "float64", {"mach": 0.755}, {"nodes": 5}, {}, {"flow": 1.0},
            {"cl": 0.3, "converged": self.converged},
        )  # fmt: skip
        about["case"] = self.case
        summary.write(out / "summary.json", about)
        return Run(history, about, out)


@pytest.fixture
def fake(monkeypatch, tmp_path, undrawn):
    """Stand-ins for solver, mesh, deformation and devices; the test works in its own folder."""

    def module(name, **names):
        made = ModuleType(f"kinemesh.{name}")
        vars(made).update(names)
        monkeypatch.setitem(sys.modules, f"kinemesh.{name}", made)
        monkeypatch.setattr(f"kinemesh.{name}", made, raising=False)

    class Ale(FakeAle):
        pass

    class Method:
        @classmethod
        def of_options(cls, table):
            return cls(**table)

    module("flow.ale", Ale=Ale, AleSettings=lambda: None)
    module("mesh", airfoil=lambda *a, **k: MESH, read=lambda path: MESH)
    module("deform", METHODS={"springs": Method, "rigid": Method})
    devices = {"cuda": None, "reason": "no driver", "devices": [{"name": "H200", "memory": 1}]}
    module(
        "device.backend", info=lambda: {"threads": 2, "cuda": devices, "versions": {"numpy": "2"}}
    )
    monkeypatch.chdir(tmp_path)
    return Ale


def names(folder):
    return sorted(p.name for p in folder.iterdir())


@pytest.mark.filterwarnings("ignore:no pressures:UserWarning")
def test_run_leaves_all_its_files_in_a_folder_of_the_cases_name(fake, tmp_path, capsys):
    assert cli.main(["run", "agard-ct5", "--cycles", "1"]) == 0

    assert names(tmp_path / "agard-ct5") == [
        "cycle.png",
        "flow.vtkhdf",
        "history.csv",
        "hysteresis.png",
        "mach.png",
        "mesh.png",
        "restart.h5",
        "summary.json",
    ]
    assert summary.read(tmp_path / "agard-ct5" / "summary.json")["case"]["name"] == "agard-ct5"
    out = capsys.readouterr().out
    assert "AGARD CT5" in out
    assert "total [s]" in out


@pytest.mark.filterwarnings("ignore:no pressures:UserWarning")
def test_options_reach_the_solver(fake, tmp_path, capsys):
    words = "run agard-ct5 --device cuda:1 --dtype float32 --size medium --deform rigid --cycles 2"
    words += " --steps-per-cycle 16 --out there --quiet --no-preflight --until cycles"
    words += " --overwrite"

    assert cli.main(words.split()) == 0

    assert fake.asked.options["device"] == "cuda:1"
    assert fake.asked.options["dtype"] == "float32"
    assert fake.asked.run == (2, 16, False, False, False)
    assert fake.asked.overwrite is True
    assert fake.asked.until == "cycles"  # the case itself runs until it is periodic
    assert (tmp_path / "there" / "history.csv").exists()
    assert capsys.readouterr().out == ""


def test_steady_case_gives_convergence_and_pressure(fake, tmp_path):
    assert cli.main(["run", "naca0012-transonic", "--quiet"]) == 0

    made = names(tmp_path / "naca0012-transonic")
    assert {"convergence.png", "cp.png", "mach.png", "mesh.png"} < set(made)
    assert "hysteresis.png" not in made


def test_part_of_a_cycle_runs_and_says_what_is_missing(fake, tmp_path, capsys):
    assert cli.main(["run", "agard-ct5", "--cycles", "0.5"]) == 0

    assert "no hysteresis.png: less than one cycle" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("fault", "status", "word"),
    [
        (NumericalFault("negative pressure at node 7, step 3"), 1, "the run failed: negative"),
        (DeviceError("no CUDA device"), 2, "no CUDA device"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (OSError("No space left on device"), 1, "No space left"),
    ],
)
def test_exit_status_tells_what_happened(fake, capsys, fault, status, word):
    fake.fault = fault

    assert cli.main(["run", "agard-ct5", "--quiet", "--cycles", "1"]) == status

    err = capsys.readouterr().err
    assert word in err
    assert "Traceback" not in err


@pytest.mark.parametrize("converged", [False, [True, False]])
def test_a_run_that_did_not_converge_is_status_3_with_its_files(fake, tmp_path, capsys, converged):
    fake.converged = converged

    assert cli.main(["run", "naca0012-subsonic", "--quiet"]) == 3

    assert "did not converge (status 3)" in capsys.readouterr().err
    assert {"cp.png", "summary.json"} < set(names(tmp_path / "naca0012-subsonic"))


def test_the_help_of_run_tells_every_status(capsys):
    assert cli.main(["run", "--help"]) == 0

    told = " ".join(capsys.readouterr().out.split("Exit status:")[1].split())
    assert [word for word in ("0 done", "1 the", "2 wrong", "3 the", "130") if word in told] == [
        "0 done", "1 the", "2 wrong", "3 the", "130"]  # fmt: skip


@pytest.mark.filterwarnings("default:the residual fell")
def test_a_warning_is_one_sentence(fake, capsys, monkeypatch):
    steady = fake.steady

    def warns(self, **options):
        warnings.warn("the residual fell to 1e-3 only", RuntimeWarning, stacklevel=1)
        return steady(self, **options)

    monkeypatch.setattr(fake, "steady", warns)

    assert cli.main(["run", "naca0012-subsonic", "--quiet"]) == 0

    assert capsys.readouterr().err == "kinemesh: warning: the residual fell to 1e-3 only\n"


@pytest.mark.parametrize(
    ("words", "word"),
    [
        ("run agard-ct7", "did you mean 'agard-ct6'"),
        ("run none.toml", "cannot read the case file"),
        ("run agard-ct5 --nodes 0", "kinemesh: nodes = 0, expected an integer of 500 to"),
        ("run agard-ct5 --cycles -1", "above 0"),
        ("run agard-ct5 --device gpu", "cuda:N"),
        ("run agard-ct5 --mesh none.su2", "no such file"),
        ("run naca0012-subsonic --cycles 2", "is steady"),
        ("run naca0012-subsonic --deform rigid", "is steady"),
        ("run naca0012-subsonic --no-preflight", "is steady"),
        ("run agard-ct5 --size coarse --nodes 100", "not allowed with"),
        ("run agard-ct5 --size big", "invalid choice"),
        (
            "run agard-ct5 --methd meshless",
            "error: unrecognized arguments: --methd meshless; did you mean --method?",
        ),
        ("check agard-ct5 --devce=cpu", "did you mean --device?"),
        ("bench --cluod regular", "did you mean --cloud?"),
        ("run agard-ct5 --cycle 1", "--cycle 1; did you mean --cycles?"),
        ("run agard-ct5 --cycles inf", "cycles = inf, expected a number above 0 that is finite"),
        ("run agard-ct5 --zzz", "unrecognized arguments: --zzz"),
        ("fly", "invalid choice"),
        ("checq agard-ct5", "invalid choice: 'checq'; did you mean 'check'?"),
        ("quality a.su2", "'quality'; of a case's mesh see `kinemesh check CASE`"),
        ("", "required"),
        ("plot nowhere", "no such folder"),
    ],
)
def test_wrong_input_is_status_2_and_one_message(fake, capsys, words, word):
    assert cli.main(words.split()) == 2

    out = capsys.readouterr()
    assert word in " ".join(out.err.split())
    assert "Traceback" not in out.err
    assert out.out == ""


@pytest.mark.parametrize(("words", "shown"), [
    (("no driver; use ", Option("device", "cpu")), "no driver; use --device cpu"),
    (("use ", Option("dtype", "float32"), " (about 1 GiB) or ", Option("device", "cuda:1")),
     "use --dtype float32 (about 1 GiB) or --device cuda:1"),
    (("use ", Option("far_field", "stream"), " in space"), "use far_field = 'stream' in space"),
    (("replace what is there by ", OVERWRITE), "replace what is there by --overwrite"),
    (("run without ", NO_RESUME, " to begin anew"), "run without --resume to begin anew"),
    (("the same command with ", TO_RESUME), "the same command with --resume"),
    ((Option("overwrite", True), " has no meaning"), "--overwrite has no meaning"),
    (("out='s/device='cpu' (resume=True)'",), "out='s/device='cpu' (resume=True)'"),
])  # fmt: skip
def test_advice_is_that_of_the_shell(fake, capsys, words, shown):
    fake.fault = DeviceError(*words)

    assert cli.main(["run", "agard-ct5", "--quiet", "--cycles", "1"]) == 2

    assert capsys.readouterr().err.strip().endswith(shown)


def test_advice_about_a_device_that_is_not_there_is_said_in_both_ways(capsys):
    with pytest.raises(DeviceError, match=r"use device='cpu'|this machine has") as told:
        Backend("cuda:77")

    assert cli.main(["run", "agard-ct5", "--quiet", "--device", "cuda:77"]) == 2

    shown = " ".join(capsys.readouterr().err.split())
    for word in told.value.said.words:
        assert not isinstance(word, Option) or ("--device cpu" in shown and str(word) not in shown)


def test_cases_lists_every_case(capsys):
    assert cli.main(["cases"]) == 0

    out = capsys.readouterr().out
    for name in ("agard-ct5", "agard-ct6", "naca0012-transonic", "naca0012-subsonic"):
        assert name in out


def test_info_prints_devices_and_the_reason(fake, capsys):
    assert cli.main(["info"]) == 0

    out = capsys.readouterr().out
    for word in ("threads", "no driver", "H200", "numpy"):
        assert word in out


@pytest.mark.filterwarnings("ignore:no pressures:UserWarning")
def test_plot_draws_again(fake, tmp_path, capsys):
    cli.main(["run", "agard-ct5", "--cycles", "1", "--quiet"])
    (tmp_path / "agard-ct5" / "mach.png").unlink()

    assert cli.main(["plot", "agard-ct5"]) == 0

    assert (tmp_path / "agard-ct5" / "mach.png").exists()
    assert "mach.png" in capsys.readouterr().out


def test_help_is_status_0(capsys):
    assert cli.main(["--help"]) == 0
    assert "run a case" in capsys.readouterr().out


def test_the_version_is_that_of_the_package(capsys, monkeypatch):
    monkeypatch.setattr(summary, "versions", lambda: {"kinemesh": "1.2.3"})

    assert cli.main(["--version"]) == 0

    assert capsys.readouterr().out == "kinemesh 1.2.3\n"


def test_info_says_why_there_is_no_gpu(monkeypatch, capsys):
    found = {"threads": 2, "cuda": [], "cuda_reason": "no driver"}
    monkeypatch.setattr("kinemesh.device.backend.info", lambda: found)

    assert cli.main(["info"]) == 0

    assert capsys.readouterr().out == "threads  2\ncuda     none: no driver\n"


@pytest.mark.parametrize("why", ["switched off by KINEMESH_CUDA=0", "no nvcc found"])
def test_info_says_why_kinemesh_was_built_without_cuda(why, monkeypatch, capsys):
    from kinemesh.device import backend

    if find_spec("kinemesh._cuda") is not None:
        pytest.skip("kinemesh was built with CUDA")
    monkeypatch.setattr(backend._core, "WITHOUT_CUDA", why)

    assert cli.main(["info"]) == 0

    assert f"none: kinemesh was built without CUDA ({why}); " in capsys.readouterr().out


def test_a_reader_that_goes_away_is_no_error_to_talk_about():
    """Close the pipe early, as `kinemesh cases | head -1` does."""
    read, write = os.pipe()
    os.close(read)

    ended = subprocess.run(
        [sys.executable, "-m", "kinemesh", "cases"], stdout=write, stderr=subprocess.PIPE
    )
    os.close(write)

    assert (ended.returncode, ended.stderr) == (1, b"")


def test_the_package_is_the_program():
    asked = [sys.executable, "-m", "kinemesh", "run", "--help"]
    ended = subprocess.run(asked, stdout=subprocess.PIPE, text=True)

    assert ended.returncode == 0
    assert ended.stdout.startswith("usage: kinemesh run")


def test_runs_show_their_whole_signature_and_what_they_return():
    """Completion shows what the signature has; what it lacks can only be guessed."""
    doors = {Runnable.run: asked_of, Runnable.steps: asked_of, Runnable.steady: steady}
    for door, inner in doors.items():
        (_, *mine), (_, *theirs) = (inspect.signature(f).parameters.values() for f in (door, inner))

        assert {p.name: p.default for p in mine} == {p.name: p.default for p in theirs}
        assert all(p.kind is not p.VAR_KEYWORD for p in mine)
        told = "Any" if door is Runnable.steps else "Run"  # Steps lie above the solvers
        assert inspect.signature(door).return_annotation == told
        words = Runnable.run.__doc__ if door is Runnable.steps else door.__doc__
        assert [p.name for p in mine if f"{p.name}" not in (words or "")] == []
    assert {"resume", "preflight", "start", "steps", "until", "overwrite"} <= {
        *inspect.signature(km.Ale.run).parameters
    }
    assert km.Ale.run is km.Meshless.run is Runnable.run
    assert inspect.signature(Case.run).return_annotation == "Run"


@pytest.mark.no_sanitizer
def test_the_program_loads_no_solver_before_a_command_needs_it():
    code = "import sys, kinemesh.cli; print(*(name for name in sys.modules if 'kinemesh' in name))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    loaded = done.stdout.split()
    assert "kinemesh.cli" in loaded
    assert not {"kinemesh.flow.moving", "kinemesh.deform.springs"} & {*loaded}
