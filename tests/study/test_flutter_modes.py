"""Flutter of structures of modes: typical sections written as modes, wings, what is refused."""

from dataclasses import replace
from math import pi, sqrt
from types import SimpleNamespace

import kinemesh as km
import numpy as np
import pytest
import xarray
from kinemesh.cases.casefile import Case
from kinemesh.errors import KinemeshError
from kinemesh.io import text_table
from kinemesh.loops.theodorsen import theodorsen
from kinemesh.study import by_mode_pulse as module
from kinemesh.study import by_pulse
from kinemesh.study.flutter.forces import Forces
from kinemesh.study.flutter.modal import asked_of
from kinemesh.study.flutter.roots import tracks
from sweeps import TABLES, case

CASE_A = km.structure.TypicalSection(60, -2, 1.8, 3.48, 1)
LIGHT = km.structure.TypicalSection(100, -0.5, 0.25, 0.25, 0.3185)
K = 3 * (np.arange(1, 301) / 300) ** 2


def normal_modes(section):
    """Columns (h/b, alpha) of the modes without wind, their frequencies and masses over m b^2."""
    pairs = np.linalg.eig(np.linalg.solve(section.mass, section.stiffness))
    squares, columns = (found.real for found in pairs)
    order = np.argsort(squares)
    columns = columns[:, order]
    masses = np.einsum("aj,ab,bj->j", columns, section.mass, columns)
    return columns, np.sqrt(squares[order]), masses


def shapes_of(section, columns):
    """Displacements of the points of a section, chord 1, by small motions about its axis."""

    def shape(h, alpha):
        def moved(points):
            x = points[:, 0] - section.axis
            return np.stack([alpha * points[:, 1], 0.5 * h - alpha * x], axis=1)

        return moved

    return [shape(h, alpha) for h, alpha in columns.T]


def as_modes(section, **more):
    """A typical section as two modes: chord 1, so b is 1/2 and masses are over m."""
    columns, frequencies, masses = normal_modes(section)
    numbers = {"frequencies": frequencies.tolist(), "masses": (masses / 4).tolist(),
               "mu": section.mu, "volume": pi / 4, "reference": 1.0}  # fmt: skip
    return km.structure.Modes(shapes_of(section, columns), **numbers | more)


def q_of(section, k=K, mach=(0.0,)):
    """Work of Theodorsen's loads on the modes of a section, as pulses of these have it."""
    columns = normal_modes(section)[0]
    over_b = np.diag([0.5, 1.0])  # theodorsen's h is over the chord
    q = columns.T @ over_b @ theodorsen(k, section.axis) @ over_b @ columns
    dims = ("mach", "k", "load", "motion")
    return xarray.Dataset({"Q": (dims, np.array([q for _ in mach]))},
                          coords={"mach": list(mach), "k": k},
                          attrs={"area": 1.0, "chord": 1.0, "shapes": ["", ""]})  # fmt: skip


def of_section(section, k=K):
    """Derivatives of the section itself."""
    dims = ("mach", "k", "load", "motion")
    return xarray.Dataset({"Q": (dims, theodorsen(k, section.axis)[None])},
                          coords={"mach": [0.0], "k": k},
                          attrs={"axis": [section.axis, 0.0], "h": "positive upwards",
                                 "length": "chord"})  # fmt: skip


@pytest.mark.parametrize("section", [CASE_A, LIGHT], ids=["case A", "light"])
def test_a_typical_section_as_two_modes_has_its_own_boundary(section):
    modes = as_modes(section)

    found = km.flutter(q_of(section), speed_index=(0.3, 3), structure=modes, points=25)

    own = km.flutter(of_section(section), speed_index=(0.3, 3), structure=section, points=25)
    for name in ("boundary", "boundary_k", "boundary_omega", "divergence"):
        np.testing.assert_allclose(found[name].values, own[name].values, rtol=1e-9)
    np.testing.assert_allclose(found.zeta.values, own.zeta.values, rtol=0, atol=1e-9)
    # amplitudes of modes are those of plunge and pitch in other coordinates
    q = normal_modes(section)[0] @ found["shape"].values[0, 0, 5]
    assert q[0] / q[1] == pytest.approx(own["shape"].values[0, 0, 5], rel=1e-7)
    assert np.abs(found["shape"].values[0, 0, 5]).max() == pytest.approx(1)


@pytest.mark.parametrize("scale", [0.1, 3.0])
def test_the_unit_of_amplitudes_and_of_frequencies_is_no_matter(scale):
    modes = as_modes(LIGHT)
    masses = [scale**2 * m for m in modes.masses]
    other = as_modes(LIGHT, masses=masses, reference=2.0,
                     frequencies=[2 * f for f in modes.frequencies])  # fmt: skip
    given = q_of(LIGHT)
    given["Q"] = given.Q * scale**2

    found = km.flutter(given, structure=other, points=30)

    assert found.boundary.values == pytest.approx([0.5640455], abs=1e-6)


def test_with_structural_damping_the_boundary_is_that_of_the_k_method():
    """The eigenvalues of K^-1 (k^2 M + Q / (2 pi mu)) over 1 + i g are real at crossings."""
    g, mu = 0.03, LIGHT.mu
    modes = as_modes(LIGHT, damping=g)
    found = km.flutter(q_of(LIGHT), structure=modes, points=30)
    section = km.flutter(of_section(LIGHT), structure=replace(LIGHT, damping=g), points=30)
    k = np.linspace(0.05, 0.2, 1000)
    loads = 4 * theodorsen(k, LIGHT.axis) * np.array([[0.25, 0.5], [0.5, 1.0]]) / (2 * pi * mu)

    each = []
    for own, q in zip(k, loads, strict=True):
        squares = np.linalg.eigvals(np.linalg.solve(LIGHT.stiffness, own**2 * LIGHT.mass + q))
        squares = squares / (1 + 1j * g)
        if each and abs(squares[0] - each[-1][0]) > abs(squares[1] - each[-1][0]):
            squares = squares[::-1]
        each.append(squares)
    speeds = []
    for branch in np.array(each).T:
        for i in np.flatnonzero(np.diff(np.sign(branch.imag)) != 0):
            share = branch[i].imag / (branch[i].imag - branch[i + 1].imag)
            square = (branch[i] + share * (branch[i + 1] - branch[i])).real
            if square > 0:
                speeds.append(1 / sqrt(square * mu))
    assert found.boundary.values == pytest.approx([min(speeds)], rel=1e-4)
    assert section.boundary.values == pytest.approx(found.boundary.values, rel=1e-9)
    assert abs(found.boundary.values[0] - 0.5640455) > 1e-3  # of 2e-3, downwards


def test_damping_holds_for_each_mode_alone():
    still = Forces(np.linspace(0, 3, 9), np.zeros((9, 2, 2)))
    one, two = tracks(as_modes(LIGHT, damping=[0.0, 0.1]), still, np.array([0.3, 0.4]))

    assert one.roots[0].sigma == pytest.approx(0, abs=1e-14)
    assert two.roots[0].sigma / two.roots[0].k == pytest.approx(-0.05, rel=0.01)


def test_mass_ratios_of_mach_numbers_have_a_boundary_each():
    modes = as_modes(LIGHT, mu=[100.0, 200.0], mach=[0.3, 0.5])

    found = km.flutter(q_of(LIGHT, mach=(0.3, 0.5)), structure=modes, points=40)

    heavy = km.structure.TypicalSection(200, -0.5, 0.25, 0.25, 0.3185)
    alone = km.flutter(of_section(heavy), structure=heavy, points=40)
    assert found.boundary.values == pytest.approx([0.5640455, alone.boundary.values[0]], abs=1e-6)
    assert found.boundary_omega.values == pytest.approx(
        found.boundary_k * found.boundary * np.sqrt([100, 200])
    )


@pytest.mark.long
def test_tables_and_figures_are_of_modes(tmp_path):
    from kinemesh.plot.roots import drawn
    from kinemesh.study.flutter.written import write

    found = km.flutter(q_of(LIGHT), structure=as_modes(LIGHT, damping=0.01), points=30)

    write(found, tmp_path)
    assert text_table.read(tmp_path / "crossings.csv")["speed_index"].size
    assert len(drawn(found, tmp_path)) == 2
    title = km.plot.vg(found).get_suptitle()
    assert "Modes, shapes 2, frequencies" in title
    for g, told in ((0.0, False), (0.03, True)):
        section = km.flutter(of_section(LIGHT), structure=replace(LIGHT, damping=g), points=30)
        assert ("damping 0.03" in km.plot.vg(section).get_suptitle()) == told
        assert ("damping" in km.plot.vg(section).get_suptitle()) == told


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"case": of_section(LIGHT)}, "the Dataset has no Q of modes"),
        ({"structure": LIGHT}, "the Dataset has no Q; expected that of km.derivatives"),
        ({"case": q_of(LIGHT).drop_vars("Q")}, "no Q of modes"),
        (
            {"case": q_of(LIGHT).assign_attrs(shapes=["", "", ""])},
            "Q is of 3 modes, and the",
        ),
        ({"structure": as_modes(LIGHT, mu=[1, 2], mach=[0.5, 0.6])}, "mu is given from Mach 0.5"),
        ({"case": "isogai-a", "mach": [-1]}, "mach is .-1., expected numbers above 0"),
        (
            {"case": "isogai-a", "amplitude_deg": 0},
            "amplitude_deg is .0., expected numbers",
        ),
        ({"case": "cylinder"}, "bodies bend by methods whose .deform. has 'modal', and 'incompr"),
        ({"case": "two-cylinders"}, "case 'two-cylinders' has parts; modes need one mesh"),
    ],
)
def test_what_has_no_boundary_is_refused(change, said):
    given = {"case": q_of(LIGHT), "structure": as_modes(LIGHT)} | change
    with pytest.raises(KinemeshError, match=said):
        km.flutter(**given)


def test_q_of_other_shapes_of_a_file_is_refused():
    """Refused by the numbers of the shapes, where both are known."""
    points = np.random.default_rng(1).uniform(0, 1, (20, 2))
    one, other = (km.motion.shapes_at(points, np.full((20, 2, 2), size)) for size in (1.0, 2.0))
    numbers = {"frequencies": [0.3, 1], "masses": [1, 1], "mu": 100, "volume": 1, "reference": 1}
    made = km.structure.Modes(one, **numbers)
    given = q_of(LIGHT).assign_attrs(shapes=km.structure.Modes(other, **numbers).content)

    with pytest.raises(KinemeshError, match="Q is of another shape 1, <1 of points, SHA"):
        km.flutter(given, structure=made)


# ---------------------------------------------------------------- runs by pulses


class Answering:
    """A solver of no flow: mode i answers to the amplitude of mode j by LAG[i, j]."""

    LAG = np.array([[0.5, 1.0], [2.0, 0.8]])

    def __init__(self, cases, motions):
        self.cases, self.motions = cases, motions
        self.alive = np.ones(len(cases), bool)
        self.grid, self.ended = SimpleNamespace(ensemble=self), {}

    def end(self, steps):
        self.ended |= steps
        self.alive[list(steps)] = False

    def initialise(self, q):
        self.begun = q

    def steps(self, **told):
        self.asked = told
        each = zip(self.cases, self.motions, told["time_step"], strict=True)
        self.loads = np.array([self.load(*own) for own in each])  # (members, steps, modes)
        return self

    def load(self, case, law, time_step):
        """(steps, modes) work on each mode, f' + lag f = sum of amplitudes, by fine steps."""
        every, speed = 8, case.flow.speed
        t = time_step / every * np.arange(self.asked["steps"] * every + 1)
        a = np.array([law.pose(own, speed).modes for own in t])
        ds = time_step / every * speed
        f = np.zeros((len(t), 2, 2))
        for n in range(1, len(t)):
            drive = ds / 2 * (a[n - 1] + a[n])
            f[n] = ((1 - self.LAG * ds / 2) * f[n - 1] + drive) / (1 + self.LAG * ds / 2)
        return 0.2 + f.sum(axis=2)[every::every]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def __iter__(self):
        for n in range(self.asked["steps"]):
            self.taken = n + 1
            row = {f"mode_force_{i + 1}": self.loads[:, n, i] for i in range(2)}
            yield SimpleNamespace(number=n + 1, row=row)

    @property
    def run(self):
        def rows(m):
            own = self.loads[m, : self.ended.get(m, self.taken)]
            made = {f"mode_force_{i + 1}": own[:, i] for i in range(2)}
            return made | {"converged": np.ones(len(own))}

        there = list(range(len(self.cases)))
        return SimpleNamespace(history=SimpleNamespace(members=there, failed={}, member=rows))


class Steady:
    """A solver whose steady flows are three volumes with the Mach number of their member."""

    def __init__(self, cases, failed=()):
        self.machs, self.failed = [own.flow.mach for own in cases], failed
        self.grid = SimpleNamespace(first=3 * np.arange(len(cases) + 1))

    def steady(self, progress):
        return SimpleNamespace(failed=self.failed)

    def primitive(self):
        return np.repeat(self.machs, 3)[:, None] * np.ones(4)


@pytest.mark.long
@pytest.mark.parametrize(
    ("how", "start", "marched"),
    [
        ({}, "as is", True),
        ({"resumed": True}, "as is", False),
        ({"failed": {0: "broke"}}, "steady", False),
        ({"reynolds": 5e3}, "steady", False),
    ],
)
def test_modes_of_a_mach_number_begin_from_one_steady_flow(monkeypatch, how, start, marched):
    leads = []

    def solver(cases, spaces):
        leads.append(Steady(cases, how.get("failed", ())))
        return leads[-1]

    flow = {"mach": 0.5} | ({"reynolds": how["reynolds"]} if "reynolds" in how else {})
    asked = asked_of(case(flow=flow), np.array([0.1, 0.3]), [0.4, 0.5], 0.1, as_modes(LIGHT))
    pulses = module.ModePulses.of(asked)
    cases = pulses.cases()
    own = Answering(cases, [])
    monkeypatch.setattr(by_pulse.ensemble, "solver", solver)

    assert pulses.start(own, cases, how.get("resumed", False), False) == start
    assert hasattr(own, "begun") == marched
    if marched:
        assert leads[0].machs == [0.4, 0.5]
        assert own.begun[:, 0].tolist() == [0.4] * 6 + [0.5] * 6


@pytest.mark.long
def test_work_on_every_mode_at_all_frequencies_comes_of_a_pulse_of_each(monkeypatch, tmp_path):
    made = []

    def solver(cases, spaces, motions=None):
        if motions is None:
            return Steady(cases)
        made.append(Answering(cases, motions))
        return made[-1]

    monkeypatch.setattr(by_pulse.ensemble, "solver", solver)
    # k up to 0.8: 1.25 of the second mode at the first V*
    modes = as_modes(LIGHT)
    first = 1.25 * modes.ratios[1] / (0.8 * sqrt(100))
    given = case(flow={"mach": 0.5, "chord": 1.0}, deform={"method": "springs"})

    with pytest.warns(km.errors.KinemeshWarning):
        found = km.flutter(given, mach=[0.4, 0.5], speed_index=(first, 1), structure=modes,
                           points=5, out=tmp_path)  # fmt: skip

    (one,) = made
    assert [own.flow.mach for own in one.cases] == [0.4, 0.4, 0.5, 0.5]
    assert {own.deform.method for own in one.cases} == {"modal"}
    assert one.cases[0].motion is None
    assert [np.flatnonzero(law.amplitudes).tolist() for law in one.motions] == [[0], [1]] * 2
    # the fastest point moves across the stream by 0.1 degrees
    steepest = 2 * pi * 0.75**1.5 / one.motions[0].duration
    walls = km.mesh.airfoil("naca0012", nodes=520, far_field=10.0)
    points = walls.points[np.unique(walls.boundaries["airfoil"])]
    for law, shape, j in zip(one.motions, modes.shapes, (0, 1), strict=False):
        largest = np.linalg.norm(shape(points), axis=1).max()
        assert law.amplitudes[j] * largest * steepest == pytest.approx(np.radians(0.1))
    assert one.asked["start"] == "as is"
    k = found.frequency.values
    assert k[-1] == pytest.approx(0.8)
    wanted = 1 / (Answering.LAG + 2j * k[:, None, None])
    np.testing.assert_allclose(found.Q.values[0], wanted, rtol=0, atol=2e-3)
    np.testing.assert_allclose(found.Q.values[1], wanted, rtol=0, atol=2e-3)
    assert (found.unsettled <= by_pulse.TAIL).all()
    assert max(one.ended.values()) < one.asked["steps"]
    table = text_table.read(tmp_path / "q-mach0.5.csv")
    assert table["re_mode_1_mode_2"] == pytest.approx(found.Q.values[1, :, 0, 1].real)


@pytest.mark.parametrize("names", [[], ["slat", "flap"]])
def test_modes_of_several_bodies_are_refused(names):
    with pytest.raises(KinemeshError, match=f"has {', '.join(names) or 'none'}; expected one set"):
        module.check_bodies(names, "wing")
    module.check_bodies(["wing"], "wing")


def plunge(points):
    return np.tile([0.0, 1.0], (len(points), 1))


def turn(points):
    return (points - [0.25, 0.0])[:, ::-1] * [1.0, -1.0]


def away(points):
    return points - [0.25, 0.0]


@pytest.mark.long
@pytest.mark.flow
@pytest.mark.filterwarnings("ignore")
def test_a_run_of_modes_goes_on_with_the_bits_of_one_that_went_on(tmp_path, monkeypatch):
    """The steady flow that members take up is in the restart."""
    numbers = {"frequencies": [0.3, 1], "masses": [1, 1], "mu": 100, "volume": 1, "reference": 1}
    modes = km.structure.Modes([plunge, turn], **numbers)
    asked = asked_of(case(), np.array([0.1, 0.3]), [0.5], 0.1, modes)

    def run(most, folder, resume=False):
        monkeypatch.setattr(by_pulse, "MOST", most)
        return module.by_mode_pulse(asked, tmp_path / folder, None, resume, False).Q.values

    short = run(3.0, "one")
    longer = run(3.5, "one", resume=True)

    whole = run(3.5, "other")
    assert (longer == whole).all()
    assert not (short == whole).any()


@pytest.mark.slow
@pytest.mark.flow
@pytest.mark.filterwarnings("ignore")
def test_modes_of_a_section_have_its_derivatives_by_a_flow():
    """1000 nodes, M 0.5; a turn given as a mode lacks a turn's second order, along which the steady
    load does work: for an amplitude of 1 that of the load on points that go away from the axis."""
    section = {"section": "naca64a010", "nodes": 1000, "far_field": 25.0}
    given = Case.from_dict({**TABLES, "mesh": section, "solver": {"unsteady_drop": 1e-3}})
    numbers = {"frequencies": [0.3, 1], "masses": [1, 1], "mu": 100, "volume": 1, "reference": 1}
    modes = km.structure.Modes([plunge, turn], **numbers)
    k = np.array([0.1, 0.3])
    asked = asked_of(given, k, [0.5], 0.1, modes)

    found = module.by_mode_pulse(asked, None, None, False, False).Q.values[0, 0]

    own = km.derivatives(given, k=[0.1, 0.3], axis=0.25, by="pulse", amplitude_deg=0.1).Q.values[
        0, 0
    ]
    solver = km.Ale(km.mesh.airfoil("naca64a010", nodes=1000, far_field=25.0), mach=0.5,
                    device="cpu", deform=km.deform.Modal(),
                    motion=km.motion.modes(away, lambda t: 0.0))  # fmt: skip
    rows = solver.run(time_step=0.5, steps=1, start="steady", preflight=False).history
    away_work = rows["mode_force_1"][0]
    assert away_work > 0.01
    found[1, 1] -= away_work
    # the mesh follows by fields in place of moving along
    assert np.abs(found - own).max() < 0.01 * np.abs(own).max()
    assert abs(found[1, 1] - own[1, 1]) < 0.3 * away_work
