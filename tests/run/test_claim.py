"""A run never replaces another one in its folder, unless it is told to."""

import json
import shutil

import kinemesh as km
import pytest
from kinemesh import cli
from kinemesh.errors import CaseError, KinemeshWarning
from kinemesh.io import summary
from kinemesh.io.folder import hold
from kinemesh.run import interrupt
from solver_cases import case_text

MESH = km.mesh.airfoil("naca0012", nodes=500, far_field=8)
QUICK = km.AleSettings(unsteady_drop=1e-2, steady_drop=1e-2)
PITCH = km.motion.pitch(2.0, 0.3)
STEPS = {"cycles": 0.5, "steps_per_cycle": 8}
pytestmark = [
    pytest.mark.flow,
    pytest.mark.filterwarnings("ignore:(steady flow|member):RuntimeWarning"),
]


def case(**changes):
    given = {"mach": 0.5, "motion": PITCH, "deform": km.deform.Rigid(), "device": "cpu"}
    return km.Ale(MESH, **(given | {"settings": QUICK} | changes))


def files(folder):
    """Bytes of every file."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    out = tmp_path_factory.mktemp("first") / "run"
    case().run(**STEPS, out=out)
    return out


@pytest.fixture
def there(first, tmp_path):
    """A copy of the folder of a finished run."""
    return shutil.copytree(first, tmp_path / "there")


OTHERS = {
    "mach": (lambda out: case(mach=0.51).run(**STEPS, out=out), r"mach is 0\.5 there, 0\.51 here"),
    "alpha": (lambda out: case(alpha_deg=1.0).run(**STEPS, out=out), r"alpha_deg is 0\.0 there"),
    "motion": (
        lambda out: case(motion=km.motion.pitch(2.0, 0.2)).run(**STEPS, out=out),
        r"motion is Pitch\(.*k=0\.3.* there",
    ),
    "settings": (
        lambda out: case(settings=km.AleSettings(flux="hllc")).run(**STEPS, out=out),
        r"settings\.flux is roe there, hllc here",
    ),
    "steps": (
        lambda out: case().run(cycles=0.5, steps_per_cycle=16, out=out),
        "steps_per_cycle is 8 there, 16 here",
    ),
    "mode": (lambda out: case().steady(out=out), "mode is unsteady there, steady here; choose"),
    "less": (
        lambda out: case().run(cycles=0.25, steps_per_cycle=8, out=out),
        "4 steps of this run, and only 2 are asked for",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_a_run_that_differs_is_refused_and_nothing_is_lost(there, name):
    work, words = OTHERS[name]
    before = files(there)

    with pytest.raises(km.CaseError, match=rf"there: holds .*{words}.*overwrite=True"):
        work(there)

    assert files(there) == before


def test_a_run_that_differs_replaces_what_is_there_where_it_is_told_to(there):
    (there / "mach.png").write_bytes(b"of the run before")

    run = case(mach=0.51).run(**STEPS, out=there, overwrite=True)

    told = summary.read(there / "summary.json")
    assert told["conditions"]["mach"] == 0.51
    assert told["finished"] is not None
    assert not (there / "mach.png").exists()
    assert run.history.rows == 4
    case(mach=0.51).run(**STEPS, out=there)  # it is the run that is there now


@pytest.mark.sanitize
def test_the_same_run_and_a_longer_one_begin_anew(first, there):
    case().run(**STEPS, out=there)
    assert (there / "history.csv").read_bytes() == (first / "history.csv").read_bytes()

    longer = case().run(cycles=0.75, steps_per_cycle=8, out=there)

    assert longer.history["step"].tolist() == [1, 2, 3, 4, 5, 6]


def test_a_steady_run_is_not_replaced_either(tmp_path):
    case().steady(out=tmp_path)

    case().steady(out=tmp_path)
    with pytest.raises(km.CaseError, match=r"mach is 0\.5 there, 0\.6 here"):
        case(mach=0.6).steady(out=tmp_path)
    assert case(mach=0.6).steady(out=tmp_path, overwrite=True).summary["conditions"]["mach"] == 0.6


def test_motions_that_are_functions_are_told_apart_by_their_poses(tmp_path):
    def law(rate, end=9.0):
        def pose(t):
            assert t < end, "beyond what the law is for"
            return km.motion.Pose(rate * t)

        return case(motion=km.motion.function(pose))

    law(0.01).run(time_step=0.3, steps=3, out=tmp_path)

    law(0.01).run(time_step=0.3, steps=4, out=tmp_path)
    with pytest.raises(km.CaseError, match="holds another run: pose at step"):
        law(0.02).run(time_step=0.3, steps=4, out=tmp_path)
    with pytest.raises(km.CaseError, match="holds 4 steps of this run, and only 3 are asked for"):
        law(0.01, end=1.0).run(time_step=0.3, steps=3, out=tmp_path)


def test_a_run_that_failed_has_signed_its_folder(tmp_path):
    folds = {"motion": km.motion.pitch(170.0, 0.3), "deform": km.deform.Delaunay()}
    with pytest.raises(km.NumericalFault, match="pre-flight"):
        case(**folds).run(**STEPS, out=tmp_path)

    told = summary.read(tmp_path / "summary.json")
    assert told["finished"] is None
    assert told["conditions"]["mach"] == 0.5

    run = case().run(**STEPS, out=tmp_path)  # the other one has left nothing that could be lost

    assert summary.read(tmp_path / "summary.json")["identity"] == run.summary["identity"]


@pytest.mark.parametrize("left", ["restart.h5", "history.csv"])
def test_a_run_that_did_not_end_is_kept_by_what_it_has_left(there, left):
    summary.update(there / "summary.json", finished=None)
    for path in there.glob("restart.h5*" if left == "history.csv" else "history.csv"):
        path.unlink()

    with pytest.raises(km.CaseError, match=r"holds another run: mach is 0\.5 there"):
        case(mach=0.51).run(**STEPS, out=there)


def test_more_steps_of_a_run_that_did_not_end_are_kept(there):
    summary.update(there / "summary.json", finished=None)
    with (there / "history.csv").open("a") as file:
        file.write("0,5,1.2")  # torn
    before = files(there)

    with pytest.raises(km.CaseError, match="holds 4 steps of this run, and only 2 are asked for"):
        case().run(cycles=0.25, steps_per_cycle=8, out=there)

    assert files(there) == before


@pytest.mark.parametrize("name", ["history.csv", "restart.h5", "flow-3.vtkhdf", "mesh.png"])
def test_files_of_an_unknown_run_are_kept(tmp_path, name):
    (tmp_path / name).write_bytes(b"kept")

    with pytest.raises(km.CaseError, match=rf"holds {name}, and no word of which run; choose"):
        case().run(**STEPS, out=tmp_path)

    assert files(tmp_path) == {name: b"kept"}


def test_a_summary_that_cannot_be_read_is_kept(there):
    (there / "summary.json").write_text("{")

    with pytest.raises(km.CaseError, match=r"summary\.json: not JSON .*overwrite=True"):
        case().run(**STEPS, out=there)

    assert case().run(**STEPS, out=there, overwrite=True).converged in (True, False)


def test_files_that_are_not_of_a_run_do_not_matter(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")

    case().run(**STEPS, out=tmp_path)

    assert (tmp_path / "notes.txt").read_text() == "mine"


FIGURES = ("film-mach.gif", "mach.pdf", "members/mach-k0.1.png", "loads.svg", "mach.png")


@pytest.fixture
def drawn(there):
    """The folder of a finished run with figures of it."""
    (there / "members").mkdir()
    for name in FIGURES:
        (there / name).write_bytes(b"drawn")
    return there


@pytest.mark.parametrize("resume", [False, True])
def test_figures_of_the_same_run_stay_and_are_told_of(drawn, resume):
    words = "film-mach.gif, loads.svg, mach.pdf and 1 more stay, and show this run as it was before"
    with pytest.warns(KinemeshWarning, match=words):
        case().run(**STEPS, out=drawn, resume=resume)

    assert all((drawn / name).read_bytes() == b"drawn" for name in FIGURES)


@pytest.mark.parametrize("stopped", [False, True])
def test_figures_of_a_run_that_is_replaced_go_and_are_told_of(drawn, stopped):
    if stopped:  # before its first restart, so that any run may replace it
        summary.update(drawn / "summary.json", finished=None)
        for path in [*drawn.glob("restart.h5*"), drawn / "history.csv"]:
            path.unlink()
    words = "film-mach.gif, loads.svg, mach.pdf and 1 more are removed, as they show the run that"
    with pytest.warns(KinemeshWarning, match=words):
        case(mach=0.51).run(**STEPS, out=drawn, overwrite=not stopped)

    assert not any((drawn / name).exists() for name in FIGURES)


def test_a_run_over_figures_of_the_shell_alone_tells_nothing_of_them(there, recwarn):
    (there / "mach.png").write_bytes(b"drawn")
    case().run(**STEPS, out=there)

    assert not [w for w in recwarn if "figures" in str(w.message) or "stay" in str(w.message)]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"overwrite": 1, "out": "x"}, "overwrite is 1, expected True or False"),
        ({"overwrite": True}, "overwrite=True has no meaning with out=None"),
        ({"overwrite": True, "resume": True, "out": "."}, "no meaning with resume=True"),
    ],
)
def test_overwrite_without_a_meaning_is_refused(given, words):
    with pytest.raises(km.SettingsError, match=words):
        case().run(**STEPS, **given)


# ---------------------------------------------------------------- from the shell


@pytest.fixture
def here(tmp_path, monkeypatch, undrawn):
    monkeypatch.chdir(tmp_path)
    quick = "[solver]\nunsteady_drop = 1e-2\nsteady_drop = 1e-2"
    (tmp_path / "small.toml").write_text(case_text(method="rigid", cycles=0.5, more=quick))
    return tmp_path


def ran(*words):
    return cli.main(["run", *words, "--quiet"])


def test_the_shell_refuses_and_overwrites(here, capsys):
    assert ran("small.toml") in (0, 3)
    before = files(here / "small")

    assert ran("small.toml", "--nodes", "600") == 2
    told = " ".join(capsys.readouterr().err.split())
    assert "small: holds another run: nodes is" in told
    assert told.endswith("replace what is there by --overwrite")
    assert files(here / "small") == before
    assert cli.main(["check", "small.toml", "--nodes", "600", "--quiet"]) == 2
    assert "holds another run" in capsys.readouterr().out
    assert cli.main(["check", "small.toml", "--quiet"]) == 0
    assert "holds this run, which is begun anew" in capsys.readouterr().out
    with hold(here / "small"):
        assert cli.main(["check", "small.toml", "--quiet"]) == 2
    told = capsys.readouterr().out
    assert "output      wrong  small: another run is writing there; wait for it or choose" in told
    assert ran("small.toml", "--nodes", "600", "--overwrite") in (0, 3)
    about = json.loads((here / "small" / "summary.json").read_text())
    assert about["case"]["name"] == "small"


@pytest.mark.long
@pytest.mark.filterwarnings("default:.*goes on with it:RuntimeWarning")
def test_a_run_that_stopped_is_told_of_before_it_is_begun_anew(here, capsys, monkeypatch):
    real, done, history = interrupt.check, 2, here / "small" / "history.csv"

    def check():
        interrupt._asked = history.exists() and len(history.read_text().splitlines()) > done
        real()

    with monkeypatch.context() as patch:
        patch.setattr(interrupt, "check", check)
        with pytest.raises(KeyboardInterrupt):
            km.cases.load("small.toml").run(out="small")
    words = f"has {done} steps of this run; --resume"
    capsys.readouterr()

    assert cli.main(["check", "small.toml", "--quiet"]) == 0
    assert words in capsys.readouterr().out
    kept = files(here / "small")
    assert ran("small.toml", "--resume") in (0, 3)
    assert "goes on with it" not in capsys.readouterr().err
    assert ran("small.toml") in (0, 3)  # ended
    assert "goes on with it" not in capsys.readouterr().err
    for name, text in kept.items():
        (here / "small" / name).write_bytes(text)
    assert ran("small.toml", "--overwrite") in (0, 3)
    assert "goes on with it" not in capsys.readouterr().err
    for name, text in kept.items():
        (here / "small" / name).write_bytes(text)
    assert ran("small.toml") in (0, 3)
    assert f"kinemesh: warning: small: {words} goes on with it" in " ".join(
        capsys.readouterr().err.split()
    )


def test_another_case_is_refused_by_its_name(here, capsys):
    (here / "other.toml").write_text((here / "small.toml").read_text().replace("small", "other"))
    ran("small.toml", "--cycles", "0.25", "--out", "x")
    before = files(here / "x")

    for words in ((), ("--resume",)):
        assert ran("other.toml", "--out", "x", *words) == 2
        assert "case is small there, other here" in " ".join(capsys.readouterr().err.split())
    assert files(here / "x") == before


def test_python_and_the_shell_share_a_folder_of_one_run(here):
    km.cases.load("small.toml").build().run(**STEPS | {"steps_per_cycle": 8}, out="small")

    assert ran("small.toml") in (0, 3)
    with pytest.raises(km.CaseError, match="holds another run: mach"):
        case(mach=0.6).run(**STEPS, out="small")


def test_until_periodic_does_not_replace_steps_that_were_asked_for(there):
    before = files(there)

    with pytest.raises(CaseError, match="4 steps of this run, which until='periodic' may not come"):
        case().run(cycles=2, steps_per_cycle=8, until="periodic", out=there)

    assert files(there) == before


def test_a_run_until_periodic_is_begun_anew_as_any_other(tmp_path):
    asked = {"cycles": 2, "steps_per_cycle": 8, "until": "periodic", "out": tmp_path / "run"}
    first = case().run(**asked)

    assert case().run(**asked).history["cl"].tobytes() == first.history["cl"].tobytes()
