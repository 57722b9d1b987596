"""Case files: what they say is what is built, and what has no meaning is an error that helps."""

import os
import sys
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from types import ModuleType, SimpleNamespace

import kinemesh as km
import pytest
from kinemesh import cases
from kinemesh.cases import build
from kinemesh.cases.casefile import Case
from kinemesh.cases.parts import MeshPart
from kinemesh.cases.sources import SOURCES
from kinemesh.errors import CaseError, KinemeshError, MeshError, SettingsError
from kinemesh.flow import registry
from kinemesh.motion import pitch, plunge, rotate, translate
from solver_cases import case_text

UNSTEADY = case_text()
DEVICE = 'device = "cpu"'
STEADY = 'name = "s"\nmode = "steady"\n[mesh]\nsection = "naca0012"\n[flow]\nmach = 0.5\n'


def case(text, **changes):
    return Case.from_dict(tomllib.loads(text) | changes)


@dataclass(frozen=True)
class FakeSettings:
    cfl: float = 10.0
    limiter: str = "venkatakrishnan"


@pytest.fixture
def fake(monkeypatch):
    """Stand-ins for the solver and the mesh, which write down what they are asked for."""
    asked = SimpleNamespace(boundaries=["airfoil", "farfield"])

    class Ale:
        def __init__(self, mesh, **options):
            asked.mesh, asked.options = mesh, options

        def run(self, **options):
            asked.run = options
            return SimpleNamespace(summary={}, out=options["out"])

        def steady(self, **options):
            asked.steady = options
            return SimpleNamespace(summary={}, out=options["out"])

    def airfoil(section, **options):
        asked.section, asked.made = section, options
        return SimpleNamespace(boundaries=dict.fromkeys(asked.boundaries))

    def read(path, scale, chord):
        asked.file, asked.sizes = path, (scale, chord)
        return SimpleNamespace(boundaries=dict.fromkeys(asked.boundaries))

    def module(name, **names):
        made = ModuleType(f"kinemesh.{name}")
        vars(made).update(names)
        monkeypatch.setitem(sys.modules, f"kinemesh.{name}", made)
        monkeypatch.setattr(f"kinemesh.{name}", made, raising=False)

    @dataclass(frozen=True)
    class TorsionalSprings:
        tolerance: float = 1e-8

        @classmethod
        def options(cls):
            return ["tolerance"]

        @classmethod
        def of_options(cls, table):
            return cls(**table)

    module("flow.ale", Ale=Ale, AleSettings=FakeSettings)
    module("mesh", airfoil=airfoil, read=read)
    module("deform", METHODS={"springs": TorsionalSprings})
    return asked


@pytest.mark.parametrize("name", cases.names())
def test_ready_cases_load(name):
    ready = cases.load(name)

    assert ready.name == name
    parts = getattr(ready.mesh, "parts", {"": ready})
    sizes = [part.mesh.nodes or part.mesh.points for part in parts.values()]
    others = {"three-element": [9600], "oneram6": [100_000], "oneram6-twist": [60_000],
              "plunging-naca0012": [8000, None],
              "pitching-naca0012": [8000, None], "two-cylinders": [4000, 4000, None],
              "taylor-couette": [6000, 14_000], "cavity": [None], "channel-cylinder": [None],
              "cavity-spinning": [5300, None], "flat-plate-sa": [137 * 97],
              "naca0012-sa": [57_000], "agard-ct3-sa": [30_000], "agard-ct5-sa": [30_000],
              "agard-ct6-sa": [30_000], "flat-plate": [8000],
              "cylinder-100-m02": [16_000], "bump-sa": [177 * 81],
              "nozzle-shock": [None], "wing-bend": [40_000], "agard-4456": [60_000],
              "oneram6-sa": [450_000], "oneram6-twist-sa": [450_000],
              "sphere-100": [40_000], "sphere-100-incompressible": [40_000],
              "sphere-75-towed": [20_000, None], "sphere-75-moving": [40_000],
              "sphere-300": [600_000], "naca0012-sa-extruded": [57_000],
              "plunging-wing-m02": [300_000],
              "plunging-wing": [500_000, None],
              "flat-plate-ar2": [40_000]}  # fmt: skip
    assert sizes == others.get(name, [5000])
    assert ready.title


def test_ct5_is_the_published_case():
    ct5 = cases.load("agard-ct5")
    motion = ct5.motion.build(1.0)

    assert (ct5.flow.mach, ct5.flow.alpha_deg) == (0.755, 0.016)
    assert (motion.amplitude_deg, motion.k, motion.about) == (2.51, 0.0814, (0.25, 0.0))
    assert (ct5.job.cycles, ct5.job.steps_per_cycle, ct5.deform.method) == (10, 64, "springs")


def test_ct6_is_the_published_case():
    ct6 = cases.load("agard-ct6")
    motion = ct6.motion.build(1.0)

    assert (ct6.flow.mach, ct6.flow.moment_about) == (0.796, (0.248, 0.0))
    assert (motion.amplitude_deg, motion.k, motion.about) == (1.01, 0.202, (0.248, 0.0))
    assert ct6.mesh.section == "naca64a010"


def test_unknown_case_names_the_nearest():
    with pytest.raises(CaseError, match="did you mean 'agard-ct5'"):
        cases.load("agard_ct5")


def test_files_are_looked_for_beside_the_case_file(tmp_path):
    (tmp_path / "c.toml").write_text(
        UNSTEADY.replace('section = "naca0012"', 'file = "m/a.su2"')
        .replace("nodes = 500", "")
        .replace("far_field = 8.0", "")
    )

    assert cases.load(tmp_path / "c.toml").mesh.file == tmp_path / "m" / "a.su2"


def test_errors_name_the_file(tmp_path):
    path = tmp_path / "c.toml"
    path.write_text(UNSTEADY.replace("k = 0.1", "k = -0.1"))
    with pytest.raises(CaseError, match=r"c\.toml: cannot read"):
        cases.load(tmp_path / "none" / "c.toml")
    pitch_k = r"c\.toml, \[motion\]: pitch: k = -0.1, expected a number above 0"
    with pytest.raises(SettingsError, match=pitch_k):
        cases.load(path)
    path.write_text("name = ")
    with pytest.raises(CaseError, match=r"c\.toml: not TOML"):
        cases.load(path)


def moved(motion):
    """The change of UNSTEADY to this motion."""
    return f"[motion]\n{PITCH}", motion


PITCH = "pitch = { amplitude_deg = 2.0, k = 0.1 }"
FLAP = f"[motion.bodies.flap]\n{PITCH}"
VORTEX = "[solver]\nfar_field = 'vortex'"


@pytest.mark.parametrize(
    ("kind", "old", "new", "said"),
    [
        (SettingsError, DEVICE, "[solver]\ncfl = -1",
         "c.toml, [solver]: cfl is -1, expected a number above 0"),
        (SettingsError, DEVICE, "[solver]\nlusgs_sweeps = 3",
         "c.toml, [solver]: lusgs_sweeps is 3 and has no effect: linear_solver is 'bicgstab'"),
        (CaseError, DEVICE, "[solver]\nclf = 1", "c.toml, [solver]: unknown key 'clf'"),
        (SettingsError, '"springs"', '"springs"\ntolerance = 2',
         "c.toml, [deform]: springs: tolerance is 2"),
        (SettingsError, *moved(FLAP.replace("k = 0.1", "k = -0.1")),
         "c.toml, [motion.bodies.flap]: pitch: k = -0.1"),
        (MeshError, "nodes = 500", "wall_spacing = 0.5",
         "c.toml, [mesh]: airfoil: wall_spacing = 0.5"),
        (CaseError, "nodes = 500", "nodes = 60",
         "c.toml, [mesh] nodes = 60, expected an integer of 500 to 10000000"),
        (CaseError, "nodes = 500", "nodes = 3.5", "c.toml, [mesh] nodes = 3.5"),
        (MeshError, "nodes = 500", "walls = ['wing']", "c.toml, [mesh]: walls is ['wing'], "),
        (CaseError, "mach = 0.5", "mach = 0.5\nchord = 0", "c.toml, [flow] chord = 0"),
        (CaseError, "nodes = 500", "scale = 2.0", "c.toml, [mesh] has a section, so scale has no"),
        (SettingsError, DEVICE, VORTEX, "c.toml, [solver]: far_field is 'vortex' with a motion"),
        (SettingsError, *moved(FLAP), "c.toml: member 0: motion of ['flap'], expected bodies"),
    ],
)  # fmt: skip
def test_errors_of_a_case_file_begin_with_it_and_name_the_section(
    tmp_path, monkeypatch, kind, old, new, said
):
    monkeypatch.chdir(tmp_path)
    assert old in UNSTEADY
    Path("c.toml").write_text(UNSTEADY.replace(old, new))

    for start in (Case.build, Case.run):
        with pytest.raises(kind) as told:
            start(Case.read("c.toml"))
        assert str(told.value).startswith(said)


def test_settings_of_a_case_without_a_file_name_the_section():
    with pytest.raises(SettingsError, match=r"^\[solver\]: cfl is -1"):
        case(UNSTEADY.replace(DEVICE, "[solver]\ncfl = -1")).build()
    with pytest.raises(MeshError, match=r"^\[mesh\]: airfoil: wall_spacing = 0\.5"):
        case(UNSTEADY.replace("nodes = 500", "wall_spacing = 0.5")).build()


@pytest.mark.parametrize("nodes", [-20_000, 0, 60, 499, 10_000_001])
@pytest.mark.parametrize("name", ["agard-ct5", "c.toml"])
def test_an_option_out_of_range_is_told_as_that_and_once(tmp_path, monkeypatch, name, nodes):
    monkeypatch.chdir(tmp_path)
    Path("c.toml").write_text(UNSTEADY)

    with pytest.raises(CaseError) as told:
        cases.load(name).replace(nodes=nodes)
    assert str(told.value) == f"nodes = {nodes}, expected an integer of 500 to 10000000"

    with pytest.raises(CaseError, match=r"^cycles = -1, expected a number above 0$"):
        cases.load(name).replace(cycles=-1)


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_what_the_table_of_sources_names_are_keys_of_a_mesh(source):
    keys = {item.name for item in fields(MeshPart)}

    assert {source.name, *source.takes, *source.sides} <= keys
    assert source.size is None or source.size[0] in source.takes
    assert (source.counts is not None) == bool({"nodes", "points"} & {*source.takes})


def test_sizes_have_the_ranges_of_what_makes_the_mesh_or_cloud():
    def told(make):
        with pytest.raises(KinemeshError) as error:
            make()
        text = str(error.value).replace("a whole number of ", "")
        low, high = text.rsplit("expected ", 1)[1].split(" to ")
        return int(low), int(float(high))

    assert told(lambda: km.mesh.airfoil(nodes=0)) == SOURCES["section"].counts
    assert SOURCES["section"].counts == SOURCES["coordinates"].counts
    assert told(lambda: km.cloud.three_element(points=0)) == SOURCES["bodies"].counts
    assert told(lambda: km.mesh.oneram6(nodes=0)) == SOURCES["wing"].counts
    wings = SOURCES["wing"]
    assert told(lambda: km.cloud.oneram6(points=0)) == (wings.fewest_on("cloud"), wings.counts[1])
    sphere = SOURCES["shape"].others["sphere"]
    assert told(lambda: km.mesh.sphere(nodes=0)) == sphere.counts


def test_what_a_file_says_and_an_option_unsays_names_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("c.toml").write_text(UNSTEADY.replace(DEVICE, "[solver]\nlinear_solver = 'lusgs'"))
    with pytest.raises(CaseError, match=r"^c\.toml, \[solver\] has linear_solver, settings of"):
        Case.read("c.toml").replace(method="meshless")


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("mach = 0.5", "mach = 0", "mach = 0, expected a number above 0"),
        ("mach = 0.5", "mach = true", "mach = True"),
        ("mach = 0.5", "mach = nan", "mach = nan"),
        ("mach = 0.5", "", "lacks mach"),
        ("mach = 0.5", "mach = 0.5\nmoment_about = [1]", "two numbers"),
        ("mach = 0.5", "mach = 0.5\nmaach = 1", "unknown key 'maach'; did you mean 'mach'"),
        ("alpha_deg = 1.0", "alpha_deg = 181", "of -180 to 180 degrees"),
        ("alpha_deg = 1.0", "alpha_deg = -190", "of -180 to 180 degrees"),
        ("mach = 0.5", "mach = 272", "mach = 272, expected at most 20; was a velocity meant"),
        ("nodes = 500", "nodes = 3.5", "an integer"),
        ("nodes = 500", 'nodes = "huge"', "coarse, medium, fine"),
        ("nodes = 500", 'file = "a.su2"', "expected one"),
        ("nodes = 500", "growth = 0.9", "growth = 0.9, expected a number above 1"),
        ("nodes = 500", 'walls = "airfoil"', "list of marker names"),
        ("nodes = 500", 'walls = ["a"]\nfar = ["a"]', "both walls and far"),
        ('section = "naca0012"', 'file = "a.su2"', "nodes, far_field has no meaning"),
        ('section = "naca0012"', "", "expected one"),
        ("amplitude_deg = 2.0", "amplitude = 2.0", "did you mean 'amplitude_deg'"),
        ("amplitude_deg = 2.0, ", "", "lacks amplitude_deg"),
        ("pitch = {", "roll = {", r"\[motion\]: unknown key 'roll'"),
        ("cycles = 2", "", r"expected \[run\] cycles"),
        ("cycles = 2", "cycles = -1", "above 0"),
        ("steps_per_cycle = 8", "", r"expected \[run\] steps_per_cycle"),
        ("steps_per_cycle = 8", "steps_per_cycle = 2", "at least 4"),
        ("steps_per_cycle = 8", "steps_per_cycle = 8\ndtype = 'half'", "float64, float32"),
        ('device = "cpu"', 'device = "tpu"', "cuda:N"),
        ("[motion]", "[motions]", "did you mean 'motion'"),
        ('mode = "unsteady"', "", "lacks mode"),
        ('mode = "unsteady"', 'mode = "fast"', "steady, unsteady"),
        ('mode = "unsteady"', 'mode = "steady"', r"is steady, so \[motion\] has no meaning"),
        ('method = "springs"', 'method = "spring"', "springs, delaunay, rigid"),
        ('method = "springs"', "", "lacks method"),
        ("k = 0.1 }", "k = 0.1 }\nplunge = { amplitude = 1, k = 0.14142 }", "different k"),
        ('name = "small"', 'name = "a/b"', "without '/'"),
    ],
)
def test_nonsense_is_refused_with_its_place(old, new, word):
    assert old in UNSTEADY
    with pytest.raises((CaseError, SettingsError), match=word):
        case(UNSTEADY.replace(old, new))


def test_bodies_have_motions_of_their_own(fake):
    fake.boundaries += ["flap", "slat"]
    slat = "[motion.bodies.slat]\nplunge = { amplitude = 0.1, k = 0.1 }\n" + PITCH
    mine = case(UNSTEADY.replace(f"[motion]\n{PITCH}", f"{FLAP}\n{slat}"))
    mine.build()

    motion = fake.options["motion"]
    assert motion["flap"] == pitch(2.0, 0.1)
    assert motion["slat"] == pitch(2.0, 0.1) + plunge(0.1, 0.1)
    assert len(motion) == 2


@pytest.mark.parametrize(
    ("motion", "word"),
    [
        (f"[motion]\n{PITCH}\n{FLAP}", r"\[motion\] has bodies, so pitch has no meaning"),
        ("[motion]\nbodies = 3", r"bodies = 3, expected tables .* such as \[motion.bodies.flap\]"),
        ("[motion.bodies]", r"bodies = \{\}, expected tables"),
        ("[motion.bodies]\nflap = 3", r"\[motion.bodies\] flap = 3, expected a table"),
        ("[motion.bodies.flap]", r"\[motion.bodies.flap\] is empty, expected pitch, plunge"),
        (FLAP.replace("pitch", "roll"), r"\[motion.bodies.flap\]: unknown key 'roll'"),
        (FLAP.replace(", k = 0.1", ""), r"\[motion.bodies.flap\] pitch lacks k"),
        (FLAP.replace("k =", "kk ="), r"\[motion.bodies.flap\] pitch: unknown key 'kk'"),
        (f"{FLAP}\n[motion.bodies.slat]\n{PITCH.replace('0.1', '0.2')}",
         "bodies flap, slat have different k, so no cycle"),
    ],
)  # fmt: skip
def test_motions_of_bodies_without_meaning_are_refused_with_their_place(motion, word):
    with pytest.raises(CaseError, match=word):
        case(UNSTEADY.replace(f"[motion]\n{PITCH}", motion))


def test_motions_at_constant_velocity_run_by_time(fake):
    towed = "translate = { velocity = [-1.0, 0.0], ramp = 0.5 }\nrotate = { rate_deg = 90 }"
    by_time = UNSTEADY.replace("cycles = 2", "time_step = 0.1").replace(
        "steps_per_cycle = 8", "steps = 20"
    )
    case(by_time.replace(PITCH, f"{PITCH}\n{towed}")).build()

    sum_of = [pitch(2.0, 0.1), translate((-1.0, 0.0), ramp=0.5), rotate(90.0)]
    assert fake.options["motion"] == sum(sum_of)
    with pytest.raises(CaseError, match=r"no cycle, as translate .*; give \[run\] time_step"):
        case(UNSTEADY.replace(PITCH, towed))
    with pytest.raises(CaseError, match=r"\[motion\] translate: unknown key 'rmap'; did you mean"):
        case(by_time.replace(PITCH, towed.replace("ramp", "rmap")))
    with pytest.raises(SettingsError, match=r"\[motion\]: translate: velocity = 1.0, expected two"):
        case(by_time.replace(PITCH, towed.replace("[-1.0, 0.0]", "1.0"))).build()


def test_unsteady_without_motion_is_an_error():
    start, end = UNSTEADY.index("[motion]"), UNSTEADY.index("[deform]")
    with pytest.raises(CaseError, match=r"expected a \[motion\]"):
        case(UNSTEADY[:start] + UNSTEADY[end:])


@pytest.mark.parametrize("method", ["ale", "meshless"])
@pytest.mark.parametrize("name", ["drop", "iterations"])
def test_settings_of_physical_steps_in_a_steady_case_are_an_error(name, method):
    with pytest.raises(
        CaseError, match=rf"^\[solver\] unsteady_{name} has no meaning.*, or set steady_{name}$"
    ):
        case(f"{STEADY}[solver]\nunsteady_{name} = 1\n", method=method)
    lower = case(f"{STEADY}[solver]\nunsteady_cfl = 20\ncfl_max = 50\n")  # one bounds the other
    assert build.settings(lower).cfl_max == 50


def test_steady_with_cycles_or_deformation_is_an_error():
    with pytest.raises(CaseError, match=r"\[run\] cycles has no meaning"):
        case(STEADY + "[run]\ncycles = 2\n")
    with pytest.raises(CaseError, match=r"\[deform\] has no meaning"):
        case(STEADY).replace(deform="springs")


def test_case_is_built_as_it_says(fake):
    case(UNSTEADY + "[solver]\ncfl = 5.0\n").build()

    assert (fake.section, fake.made) == ("naca0012", {"nodes": 500, "far_field": 8.0})
    options = fake.options
    assert (options["mach"], options["alpha_deg"]) == (0.5, 1.0)
    assert options["settings"] == FakeSettings(cfl=5.0)
    assert options["motion"].omega(0.5) == pytest.approx(2 * 0.1 * 0.5)
    assert type(options["deform"]).__name__ == "TorsionalSprings"
    assert (options["device"], options["dtype"], options["walls"]) == ("cpu", "float64", None)


def test_overrides_stand_above_the_case(fake, tmp_path):
    mine = case(UNSTEADY)
    mine.run(nodes="fine", cycles=1, steps_per_cycle=16, device="cuda:1", dtype="float32")

    assert fake.made == {"nodes": 94_000, "far_field": 8.0}
    assert (fake.options["device"], fake.options["dtype"]) == ("cuda:1", "float32")
    assert fake.run == {
        "cycles": 1,
        "steps_per_cycle": 16,
        "until": None,
        "periodic_tolerance": None,
        "out": None,
        "progress": False,
        "resume": False,
        "overwrite": False,
        "preflight": True,
    }
    (tmp_path / "m.su2").write_text("")
    mine.build(mesh=tmp_path / "m.su2")
    assert fake.file == tmp_path / "m.su2"
    assert mine.mesh.nodes == 500
    with pytest.raises(CaseError, match="no meaning"):
        mine.replace(mesh="m.su2").replace(nodes=100)
    with pytest.raises(CaseError, match="not both"):
        mine.replace(mesh="m.su2", nodes=100)
    with pytest.raises(CaseError, match="did you mean 'device'"):
        mine.replace(devise="cpu")


def test_unknown_solver_and_deform_settings_name_the_nearest(fake):
    with pytest.raises(CaseError, match=r"\[solver\]: unknown key 'clf'; did you mean 'cfl'"):
        case(UNSTEADY + "[solver]\nclf = 5.0\n")
    with pytest.raises(CaseError, match="did you mean 'tolerance'"):
        case(UNSTEADY.replace('method = "springs"', 'method = "springs"\ntolerence = 1'))


def test_the_solver_is_told_the_markers_of_the_case(fake):
    def built(lines):
        case(UNSTEADY.replace("nodes = 500", lines)).build()
        return fake.options["walls"], fake.options["far"]

    assert built('walls = ["airfoil"]') == (["airfoil"], None)
    assert built('far = ["farfield"]') == (None, ["farfield"])
    assert built('walls = ["a"]\nfar = ["b"]') == (["a"], ["b"])


def test_a_mesh_file_is_scaled_as_the_case_says(fake, tmp_path):
    (tmp_path / "m.su2").write_text("")
    for line, want in (
        ("scale = 0.5", (0.5, None)),
        ("chord = 300", (None, 300.0)),
        ("", (None,) * 2),
    ):
        of_file = f'file = "m.su2"\n{line}'
        mine = UNSTEADY.replace('section = "naca0012"', of_file).replace("nodes = 500", "")
        Case.from_dict(tomllib.loads(mine.replace("far_field = 8.0", "")), tmp_path).build()
        assert fake.sizes == want
    with pytest.raises(CaseError, match=r"\[mesh\] gives both scale and chord"):
        MeshPart(file=tmp_path / "m.su2", scale=1.0, chord=1.0)


def test_the_chord_of_a_case_is_that_of_its_motions(fake):
    case(UNSTEADY.replace("mach = 0.5", "mach = 0.5\nchord = 2.0")).build()

    assert fake.options["chord"] == 2.0
    assert fake.options["motion"] == pitch(2.0, 0.1, chord=2.0)
    case(UNSTEADY).build()
    assert "chord" not in fake.options
    assert fake.options["motion"] == pitch(2.0, 0.1)


def test_missing_mesh_file_is_named(fake):
    with pytest.raises(CaseError, match=r"none\.su2: no such file"):
        case(UNSTEADY).build(mesh="none.su2")


def test_steady_case_runs_steady(fake):
    case(STEADY).run(progress=True)

    assert fake.steady == {"out": None, "progress": True, "resume": False, "overwrite": False}
    assert "motion" not in fake.options
    assert fake.options["device"] == "auto"


def test_importing_a_case_does_not_import_the_solver():
    import subprocess

    solvers = [f"kinemesh.{entry.class_home[0]}" for entry in registry.SOLVERS]
    code = (
        "import sys; from kinemesh import cases, cli; cases.load('agard-ct5'); cli.parser();"
        f"late = {['matplotlib', 'kinemesh.plot', *solvers]};"
        "print([m for m in late if m in sys.modules])"
    )
    root = Path(cases.__file__).parents[2]
    out = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": str(root)},
    )
    assert out.stdout.strip() == "[]"


@pytest.mark.parametrize("name", cases.names())
def test_the_tables_of_a_case_make_it_again(name):
    case = cases.load(name)

    assert Case.from_dict(case.tables()) == case
