"""Names that cannot be used are refused in words; warnings name the user's line."""

import inspect
import os
import pickle
import runpy
import warnings
from pathlib import Path

import kinemesh as km
import pytest
from kinemesh import errors, plot
from kinemesh.cases.casefile import Case
from kinemesh.io import History, fields, restart, summary
from kinemesh.study.hysteresis import reference_loop
from made_up import folder, loop
from mesh_files import GOOD, msh22
from solver_cases import case_text

MESH = km.mesh.airfoil("naca0012", nodes=500, far_field=8)
BOX = GOOD + "FFD_NBOX= 1\nFFD_TAG= BOX\nFFD_CORNER_POINTS= 1\n0.0 0.0\n"
HASTY = km.AleSettings(
    steady_drop=1e-2, steady_iterations=2, unsteady_iterations=1, unsteady_drop=1e-9
)


def case():
    return km.Ale(MESH, mach=0.5, motion=km.motion.pitch(2.0, 0.1), deform=km.deform.Rigid(),
                  device="cpu", settings=HASTY)  # fmt: skip


# ---------------------------------------------------------------- warnings


def from_a_case(tmp_path):
    text = case_text(
        cycles=1, more="[solver]\nsteady_iterations = 2\nunsteady_iterations = 1\n"
    ).replace("0.5", "0.3")
    (tmp_path / "small.toml").write_text(text)
    return km.cases.load(tmp_path / "small.toml").replace(deform="rigid", out=str(tmp_path / "o"))


def damaged(tmp_path):
    case().run(cycles=1, steps_per_cycle=16, out=tmp_path)
    (tmp_path / "restart.h5").write_bytes(b"nothing")
    (tmp_path / "flow.vtkhdf").unlink()
    return case()


def file_of(name, data):
    def write(tmp_path):
        (tmp_path / name).write_bytes(data)
        return tmp_path / name

    return write


# what is made beforehand, what then warns, words of the warning
SOURCES = {
    "steady": (lambda _: case(), lambda made: made.steady(), "member 0: stopped at its limit"),
    "unsteady": (
        lambda _: case(),
        lambda made: made.run(cycles=1, steps_per_cycle=16),
        "16 of 16 steps",
    ),
    "case": (from_a_case, lambda made: made.run(), "steady flow at the start"),
    "restart": (
        damaged,
        lambda made: made.run(cycles=1, steps_per_cycle=16, out=NOW[0], resume=True),
        "damaged",
    ),
    "su2": (file_of("m.su2", BOX.encode()), lambda made: km.mesh.read(made), "deformation box"),
    "msh": (file_of("m.msh", msh22(False)), lambda made: km.mesh.read(made), "counter-clockwise"),
    "figures": (
        lambda tmp_path: folder(tmp_path, name="agard-ct5"),
        lambda made: plot.from_directory(made),
        "without the reference",
    ),
}
NOW = [Path()]  # the test's folder


@pytest.mark.long
@pytest.mark.no_sanitizer
@pytest.mark.filterwarnings("ignore:(steady flow at the start|.*steps ended above):RuntimeWarning")
@pytest.mark.parametrize("source", SOURCES)
def test_a_warning_names_the_line_that_called_kinemesh(source, tmp_path, undrawn):
    prepare, act, words = SOURCES[source]
    NOW[0] = tmp_path
    with warnings.catch_warnings(record=True):
        made = prepare(tmp_path)

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        act(made)

    lines, first = inspect.getsourcelines(act)
    assert any(words in str(one.message) for one in told)
    for one in told:
        assert one.filename == __file__, one
        assert first <= one.lineno < first + len(lines), one


def test_a_lost_field_file_is_told_at_the_users_line(tmp_path):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        case().run(cycles=1, steps_per_cycle=16, out=tmp_path)
        (tmp_path / "flow.vtkhdf").unlink()
        case().run(cycles=2, steps_per_cycle=16, out=tmp_path, resume=True)

    (lost,) = (one for one in told if "is not there" in str(one.message))
    assert lost.filename == __file__


def test_a_script_sees_its_own_line(tmp_path):
    (tmp_path / "m.su2").write_text(BOX)
    script = tmp_path / "script.py"
    script.write_text(
        f"import kinemesh as km\n\nmesh = km.mesh.read({str(tmp_path / 'm.su2')!r})\n"
    )

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        runpy.run_path(str(script), run_name="__main__")

    (one,) = told
    assert (one.filename, one.lineno) == (str(script), 3)


def test_no_warning_counts_frames_by_hand():
    """`warnings.warn` with a number of frames is wrong as soon as a caller is added."""
    root = Path(km.__file__).parent
    found = [p.name for p in root.rglob("*.py") if "warnings.warn(" in p.read_text()]

    assert found == ["errors.py"]


def test_nearest_names_are_looked_for_in_one_place():
    root = Path(km.__file__).parent
    found = [p.name for p in root.rglob("*.py") if "get_close_matches(" in p.read_text()]

    assert found == ["errors.py"]


# ---------------------------------------------------------------- names


@pytest.mark.parametrize(
    ("out", "error", "words"),
    [
        ("/proc/x", km.CaseError, "/proc/x: the run cannot be written there"),
        ("/" + "a" * 300, km.CaseError, "too long"),
        ("a\0b", km.SettingsError, "expected the name of a folder"),
        (3, km.SettingsError, "expected the name of a folder"),
    ],
)
def test_a_folder_that_cannot_be_made_is_refused_before_the_run(out, error, words, monkeypatch):
    model = case()
    monkeypatch.setattr(model, "begin_step", lambda *_: pytest.fail("the run began"))
    monkeypatch.setattr(model, "start_steady", lambda *_: pytest.fail("the run began"))

    with pytest.raises(error, match=words):
        model.run(cycles=1, steps_per_cycle=16, out=out)
    with pytest.raises(error, match=words):
        model.steady(out=out)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_of_another_is_refused(tmp_path):
    tmp_path.chmod(0o500)

    with pytest.raises(km.CaseError, match="Permission denied"):
        case().steady(out=tmp_path)


def test_a_summary_is_read_by_its_folder_too(tmp_path):
    folder(tmp_path)

    assert summary.read(tmp_path) == summary.read(tmp_path / "summary.json")
    (tmp_path / "summary.json").unlink()
    with pytest.raises(km.CaseError, match=r"summary\.json: cannot read"):
        summary.read(tmp_path)


READERS = [
    summary.read,
    History.read,
    fields.read,
    restart.read,
    plot.from_directory,
    km.cases.load,
    Case.read,
    reference_loop,
]
NO_NAMES = [None, 3, "", "a\0b"]


@pytest.mark.parametrize("given", NO_NAMES)
@pytest.mark.parametrize("read", READERS)
def test_what_is_no_name_is_refused_as_one(read, given):
    with pytest.raises(km.CaseError):
        read(given)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("x.xyz", r"x\.xyz: expected a name that ends in .*\.pdf, .*\.png"),
        ("x", "expected a name that ends in"),
        ("/proc/x/x.png", "the figure cannot be written there"),
        *((given, "figure's file") for given in NO_NAMES[1:]),
    ],
)
def test_a_figure_that_cannot_be_written_is_refused(tmp_path, name, words, undrawn):
    path = tmp_path / name if isinstance(name, str) and name.startswith("x") else name

    with pytest.raises(km.CaseError, match=words):
        loop().plot(path=path)
    assert not list(tmp_path.iterdir())


def test_a_body_at_rest_is_told_as_such():
    conditions = {"mach": 0.5, "motion": [None, "Pitch(...)"]}
    about = summary.collect("unsteady", "cpu", "float64", conditions, {}, {}, {}, {})

    assert "at rest; Pitch(...)" in summary.table(about)
    assert "None" not in summary.table(about)


def test_a_warning_from_within_the_users_own_function_names_that():
    def law(t):
        errors.warn("here")
        return km.motion.Pose()

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        km.motion.function(law).pose(0.0, 1.0)

    assert told[0].lineno == inspect.getsourcelines(law)[1] + 1


CASE = {"mach": 0.3, "device": "cpu"}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda mesh: km.AleSettings(fluks="roe"), "AleSettings: .*'fluks'; did you mean 'flux'"),
        (lambda mesh: km.MeshlessSettings(limitr=1), "MeshlessSettings: .*did you mean 'limiter'"),
        (lambda mesh: km.Ale(mesh, mac=0.5), "Ale: unknown argument 'mac'; did you mean 'mach'?"),
        (lambda mesh: km.Meshless(mesh, mac=0.5), "Meshless: .*did you mean 'mach'?"),
        (lambda mesh: km.Ale(mesh, **CASE).run(cycle=1), "run: .*did you mean 'cycles'?"),
        (lambda mesh: km.Ale(mesh, **CASE).steady(outt="x"), "steady: .*did you mean 'out'?"),
        (lambda mesh: km.Units(cord=1.0), "Units: .*did you mean 'chord'?"),
        (lambda mesh: km.mesh.airfoil("naca0012", node=9), "airfoil: .*did you mean 'nodes'?"),
        (lambda mesh: km.motion.pitch(amplitude=1, k=0.1), "did you mean 'amplitude_deg'?"),
        (lambda mesh: km.motion.plunge(1, 0.1, angel=0), "plunge: unknown argument 'angel'"),
        (lambda mesh: km.deform.TorsionalSprings(slover=1), "did you mean 'solver'?"),
        (lambda mesh: km.deform.Delaunay(again=1), "'again'; expected retriangulate"),
        (lambda mesh: km.sweep("agard-ct5", ovr={}), "sweep: .*did you mean 'over'?"),
        (lambda mesh: km.plot.sweep_map(None, name_="cl"), "sweep_map: .*did you mean 'name'?"),
        (lambda mesh: km.plot.loops(None, bye="k"), "loops: .*did you mean 'by'?"),
    ],
)
def test_an_unknown_argument_names_the_nearest_and_is_python_s_type_error_too(call, words):
    with pytest.raises(km.ArgumentError, match=words) as caught:
        call(km.mesh.airfoil("naca0012", nodes=500, far_field=8.0))

    assert isinstance(caught.value, km.KinemeshError)
    assert isinstance(caught.value, TypeError)


def test_what_checks_names_keeps_signature_and_python_s_other_errors():
    assert list(inspect.signature(km.motion.pitch).parameters)[:2] == ["amplitude_deg", "k"]
    assert "unsteady_drop" in inspect.signature(km.AleSettings).parameters
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'k'"):
        km.motion.pitch(1.0)
    settings = km.AleSettings(flux="hllc")
    assert pickle.loads(pickle.dumps(settings)) == settings
