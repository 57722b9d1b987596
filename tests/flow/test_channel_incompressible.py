"""Inlets and outlets of incompressible flow: channels with and without a cylinder."""

import os

import kinemesh as km
import numpy as np
import pytest
from kinemesh.cases.casefile import Case
from kinemesh.errors import CaseError, KinemeshError, MeshError, SettingsError
from solver_cases import on_devices
from test_channel import channel
from test_steady_irregular import refined

pytestmark = pytest.mark.flow
RE = 20.0
PARABOLA = {"kind": "inlet", "velocity": 1.5, "profile": "parabolic"}


def box(cells=8):
    """Four by one, from x = 0."""
    made = channel(4 * cells, 0.25, cells, np.ones_like)
    return km.Mesh(4.0 * made.points, made.triangles, made.quads, made.boundaries)


def case(mesh=None, entry=PARABOLA, **options):
    told = {"reynolds": RE, "device": "cpu", "walls": ["bottom", "top"]} | options
    ends = {"in": entry, "out": km.outlet()}
    return km.Incompressible(box() if mesh is None else mesh, boundaries=ends, **told)


def state(made):
    """Velocities and pressures at nodes, and where these are."""
    get, flow = made.backend.get, made.projection.flow
    return get(flow["u"]), get(flow["p"]), made.grid.points


# ---------------------------------------------------------------- against exact and published flows


@on_devices
def test_a_parabola_stays_one_and_its_pressure_falls_as_friction_asks(device):
    """Hagen and Poiseuille's flow, u = 6 y (1 - y) and dp/dx = -12 / Re, to the march's end."""
    made = case(settings=km.IncompressibleSettings(steady_drop=1e-9), device=device)
    made.steady()

    u, p, x = state(made)
    inside = (x[:, 0] > 0.5) & (x[:, 0] < 3.5)
    assert u[:, 0] == pytest.approx(6 * (0.25 - x[:, 1] ** 2), abs=1e-5)
    assert np.abs(u[:, 1]).max() < 1e-5
    assert np.polyfit(x[inside, 0], p[inside], 1)[0] == pytest.approx(-12 / RE, rel=1e-4)


PLUG = pytest.mark.filterwarnings("ignore:inlet 'in' meets walls")


@PLUG
def test_a_plug_becomes_a_parabola_downstream():
    made = case(entry=km.inlet(velocity=1.0), reynolds=10.0)
    made.steady()

    u, _, x = state(made)
    last = np.abs(x[:, 0] - 3.5) < 1e-9
    assert u[last, 0] / u[last, 0].max() == pytest.approx(1 - 4 * x[last, 1] ** 2, abs=0.01)


def benchmark(times):
    """The mesh of the ready case, refined, the cylinder round again."""
    mesh = km.mesh.read(km.cases.load("channel-cylinder").mesh.file)
    for _ in range(times):
        mesh = refined(mesh)
        points, round = mesh.points.copy(), np.unique(mesh.boundaries["cylinder"])
        points[round] *= 0.5 / np.linalg.norm(points[round], axis=1, keepdims=True)
        mesh = km.Mesh(points, mesh.triangles, mesh.quads, mesh.boundaries)
    return mesh


@pytest.mark.parametrize(
    ("times", "drag", "lift", "fall"),
    [
        (0, 0.015, 0.3, 0.02),
        pytest.param(2, 0.005, 0.05, 0.005, marks=pytest.mark.slow),
    ],
)
def test_a_cylinder_in_a_channel_has_the_published_loads(times, drag, lift, fall):
    """Schaefer and Turek's 2D-1: cd 5.5795, cl 0.010619, and 0.11752 of pressure, there for
    (0.2 m/s)^2; asked of the finest mesh are 0.5, 5 and 0.5 %."""
    made = case(benchmark(times), walls=["cylinder", "bottom", "top"], moment_about=(0.0, 0.0))
    run = made.steady()

    loads = run.summary["result"]["bodies"]["cylinder"]
    _, p, x = state(made)
    before, behind = (p[np.hypot(x[:, 0] - at, x[:, 1]).argmin()] for at in (-0.5, 0.5))
    assert run.converged
    assert loads["cd"] == pytest.approx(5.5795, rel=drag)
    assert loads["cl"] == pytest.approx(0.010619, rel=lift)
    assert 0.04 * (before - behind) == pytest.approx(0.11752, rel=fall)


# ---------------------------------------------------------------- ways to say one inflow


@pytest.mark.parametrize(
    "velocity",
    [
        lambda x, y: 6 * (0.25 - y**2),
        lambda x, y: np.stack([6 * (0.25 - y**2), 0 * y]),
        lambda x, y: [6 * (0.25 - each**2) for each in y],
    ],
)
def test_functions_give_what_the_parabola_does(velocity):
    whole, own = case(), case(entry=km.inlet(velocity=velocity))
    for made in (whole, own):
        made.steady()

    assert state(own)[0] == pytest.approx(state(whole)[0], abs=1e-9)


@PLUG
def test_a_speed_across_the_boundary_is_its_components():
    one, other = (case(entry=km.inlet(velocity=v)) for v in (1.0, (1.0, 0.0)))
    for made in (one, other):
        made.steady()

    assert (state(one)[0] == state(other)[0]).all()


def test_a_channel_that_is_turned_shifted_and_scaled_has_the_same_loads():
    mesh, angle = box(), np.radians(30.0)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    other = km.Mesh(7.0 * mesh.points @ turn + 3.0, mesh.triangles, mesh.quads, mesh.boundaries)
    deep = km.IncompressibleSettings(steady_drop=1e-9)
    first = case(mesh, settings=deep, moment_about=(0.0, 0.0), chord=1.0)
    second = case(other, settings=deep, alpha_deg=30.0, chord=7.0, moment_about=(3.0, 3.0))
    one, two = (made.steady().history["cd"][-1] for made in (first, second))

    assert two == pytest.approx(one, rel=1e-6)


def test_steps_in_time_stay_at_the_steady_flow_and_members_have_solo_bits():
    both, alone = case([box(), box()], reynolds=[20.0, 30.0]), case(reynolds=30.0)
    runs = [made.run(time_step=0.05, steps=4, start="steady") for made in (both, alone)]
    rows = runs[0].history.member(1)

    assert (rows["cd"] == runs[1].history["cd"]).all()
    assert np.ptp(rows["cd"]) < 1e-4 * abs(rows["cd"][0])


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"kind": "inlet"}, "inlet: no numbers, expected total_pressure"),
        ({"kind": "inlet", "total_pressure": 1.0}, "'in' is an inlet of a gas, which method"),
        ({**PARABOLA, "total_pressure": 1.0}, "expected total_pressure .* or velocity"),
        ({**PARABOLA, "profile": "parabola"}, "profile is 'parabola', expected parabolic"),
        ({**PARABOLA, "velocity": float("nan")}, "velocity is nan, expected a finite number"),
        ({**PARABOLA, "velocity": (1.0, 2.0, 3.0)}, "expected a speed across the boundary"),
        ({**PARABOLA, "velocity": -1.0}, "a flow of -0.6.* into the fluid, expected one above 0"),
        ({**PARABOLA, "velocity": (0.0, 1.0)}, "a flow of .*0 into the fluid"),
        (km.inlet(velocity=lambda x, y: x[:2]), r"an array \(2,\) at 9 places"),
        (km.inlet(velocity=lambda x, y: y / 0 * 0), "values that are not finite"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*(divide|invalid)")
def test_inlets_without_meaning_are_refused(entry, said):
    with pytest.raises(SettingsError, match=said):
        case(entry=entry)


def test_a_parabola_needs_a_straight_boundary():
    mesh = box()
    x, y = mesh.points.T
    bent = np.stack([x - 0.2 * (1 - x / 4) * (0.25 - y**2), y], axis=1)
    with pytest.raises(SettingsError, match="parabolic profile and is not straight at"):
        case(km.Mesh(bent, mesh.triangles, mesh.quads, mesh.boundaries))


def test_a_back_pressure_is_of_a_gas():
    ends = {"in": PARABOLA, "out": km.outlet(pressure=0.9)}
    with pytest.raises(SettingsError, match="'out' is an outlet of a gas, which method"):
        km.Incompressible(box(), reynolds=RE, walls=["bottom", "top"], boundaries=ends)


def test_a_mesh_with_ends_does_not_move():
    with pytest.raises(SettingsError, match="of kind 'outlet' stands still"):
        case(motion=km.motion.pitch(1.0, 0.5))


def other(mesh, **names):
    """The mesh with some of its markers under other names."""
    sides = {names.get(name, name): edges for name, edges in mesh.boundaries.items()}
    return km.Mesh(mesh.points, mesh.triangles, mesh.quads, sides)


@pytest.mark.parametrize("gone", ["in", "out"])
def test_each_member_needs_a_way_in_and_one_out(gone):
    meshes = [box(), other(box(), **{gone: "side"})]
    ends = {"in": PARABOLA, "out": km.outlet(), "side": "symmetry"}
    with pytest.raises(MeshError, match="member 1: boundaries leaves no marker"):
        km.Incompressible(meshes, reynolds=RE, walls=["bottom", "top"], boundaries=ends)


def test_velocities_all_round_are_refused():
    """The stream comes in where the flow of the inlet would go out."""
    told = {"reynolds": RE, "walls": ["bottom", "top"], "far": ["out"], "alpha_deg": 180.0}
    with pytest.raises(SettingsError, match="given all round, and nothing can flow out"):
        km.Incompressible(box(), boundaries={"in": PARABOLA}, **told)


@pytest.mark.parametrize(("lost", "told"), [(0.03, True), (-0.03, True), (0.01, False)])
def test_a_march_that_loses_mass_says_so(monkeypatch, lost, told):
    made = case()
    monkeypatch.setattr(made.projection, "lost", lambda: np.array([lost]))
    if told:
        with pytest.warns(RuntimeWarning, match=f"mass defect is {lost} at the end"):
            made.steady()
    else:
        made.steady()


def test_a_plug_between_walls_says_how_much_of_it_comes_in():
    with pytest.warns(RuntimeWarning, match=r"at rest: 0\.875 of the flow of 1 "):
        made = case(entry=km.inlet(velocity=1.0))
    assert any("0.875" in note for note in made.notes)


def test_an_inlet_on_walls_alone_is_refused():
    made = channel(8, 0.25, 1, np.ones_like)
    mesh = km.Mesh(4.0 * made.points, made.triangles, made.quads, made.boundaries)
    with pytest.raises(SettingsError, match="comes in at nodes of walls"):
        case(mesh, entry=km.inlet(velocity=1.0))


def test_inlets_that_meet_are_refused_and_a_parabola_has_no_gap():
    mesh = box()
    sides = dict(mesh.boundaries)
    edges = sides.pop("in")

    def parted(**more):
        return km.Mesh(mesh.points, mesh.triangles, mesh.quads, sides | more)

    told = {"reynolds": RE, "walls": ["bottom", "top"]}
    ends = {"in": km.inlet(velocity=1.0), "in2": km.inlet(velocity=2.0), "out": km.outlet()}
    with pytest.raises(SettingsError, match=r"inlets 'in' and 'in2' have other numbers and meet"):
        km.Incompressible(parted(**{"in": edges[:4], "in2": edges[4:]}), boundaries=ends, **told)
    pieces = parted(**{"in": np.concatenate([edges[:2], edges[6:]]), "mid": edges[2:6]})
    told["walls"] = ["bottom", "top", "mid"]
    with pytest.raises(SettingsError, match=r"a parabolic profile and a gap of 0\.5"):
        km.Incompressible(pieces, boundaries={"in": PARABOLA, "out": km.outlet()}, **told)


@pytest.mark.parametrize(
    "law", [lambda x, y: "fast", lambda x, y, t, w: x, lambda x, y: 1 / 0, lambda x, y: (x, x[:2])]
)
def test_functions_that_fail_are_named(law):
    with pytest.raises(SettingsError, match="velocity of inlet 'in' failed, "):
        case(entry=km.inlet(velocity=law))


def test_components_of_a_function_may_be_numbers():
    one, two = (
        case(entry=km.inlet(velocity=law))
        for law in (lambda x, y: (6 * (0.25 - y**2), 0.0), lambda x, y: 6 * (0.25 - y**2))
    )
    get, far = one.backend.get, "outer"
    assert (get(one.projection.velocity[far]) == get(two.projection.velocity[far])).all()


def test_functors_go_on_in_another_process():
    """Their address is no part of what a run is known by."""

    class Law:
        def __call__(self, x, y):
            return 6 * (0.25 - y**2)

    told = [case(entry=km.inlet(velocity=Law())).conditions["in"].numbers for _ in range(2)]
    assert told == [{"velocity": "Law"}] * 2


@pytest.mark.parametrize("value", [3, True])
def test_boundaries_that_are_no_table_are_refused(value):
    with pytest.raises(SettingsError, match="boundaries is "):
        km.Incompressible(box(), reynolds=RE, walls=["bottom", "top"], boundaries=value)


@pytest.mark.parametrize(
    "given",
    [
        {"total_pressure": 1.0, "profile": "parabolic"},
        {"total_pressure": np.complex128(1)},
        {"velocity": 10**400},
        {"velocity": 1.0, "profile": np.array(["parabolic", "x"])},
        {"velocity": 1.0, "alpha_deg": 3.0},
        {},
    ],
)
def test_numbers_that_are_none_are_refused(given):
    with pytest.raises(SettingsError, match="inlet: "):
        km.inlet(**given)


def test_a_case_made_of_conditions_is_one_of_tables():
    ready = km.cases.load("channel-cylinder")
    mesh = ready.tables()["mesh"]
    ends = {"in": km.inlet(velocity=1.5, profile="parabolic"), "out": km.outlet()}
    made = type(ready).from_dict(ready.tables() | {"mesh": mesh | {"boundaries": ends}})
    assert made.tables()["mesh"]["boundaries"] == mesh["boundaries"]
    ends["in"] = km.inlet(velocity=lambda x, y: y)
    with pytest.raises(CaseError, match="velocity of an inlet is a function, which no case file"):
        type(ready).from_dict(ready.tables() | {"mesh": mesh | {"boundaries": ends}})


def test_a_march_goes_on_with_its_own_inflow_alone(tmp_path):
    few = km.IncompressibleSettings(steady_iterations=5)

    def made(top):
        return case(entry=km.inlet(velocity=lambda x, y: top * (0.25 - y**2)), settings=few)

    with pytest.warns(RuntimeWarning, match="residual"):
        made(6.0).steady(out=tmp_path)
    with pytest.raises(CaseError, match="entering"):
        made(5.0).steady(out=tmp_path, resume=True)


@pytest.mark.long
def test_the_ready_case_runs_from_the_shell_without_a_warning(tmp_path, monkeypatch, capsys):
    from kinemesh import cli

    monkeypatch.chdir(tmp_path)
    words = [
        "run",
        "channel-cylinder",
        "--device",
        "cpu",
        "--set",
        "mesh.boundaries.in.velocity=1.6",
    ]

    assert cli.main(words) == 0
    said = capsys.readouterr()
    assert "warning" not in said.err
    assert "velocity 1.6, profile parabolic" in said.out


# ---------------------------------------------------------------- in time, and from files


def pulse(time):
    return 1.5 * np.sin(time)


def leftmost(made):
    x = made.grid.points[:, 0]
    return np.abs(x - x.min()) < 1e-9


def test_an_inlet_follows_its_law_in_time_from_rest():
    """The flow leaves with what comes in, in the same step."""
    made = case(entry=km.inlet(velocity=pulse, profile="parabolic"), stream=0.0)

    made.run(steps=8, time_step=0.05, start="stream")

    inlet = leftmost(made)
    u, y = made.backend.get(made.projection.flow["u"])[inlet, 0], made.grid.points[inlet, 1]
    assert u == pytest.approx(4 * pulse(8 * 0.05) * (0.25 - y**2), abs=1e-12)


def test_laws_of_place_and_time_are_one():
    laws = (
        km.inlet(velocity=pulse, profile="parabolic"),
        km.inlet(velocity=lambda x, y, time: 4 * pulse(time) * (0.25 - y**2)),
    )
    one, two = (case(entry=law, stream=0.0) for law in laws)
    for made in (one, two):
        made.run(steps=3, time_step=0.05, start="stream")

    u, v = (made.backend.get(made.projection.flow["u"]) for made in (one, two))
    assert np.abs(u).max() > 0.1
    assert np.abs(u - v).max() < 1e-9


def test_a_run_with_an_inlet_in_time_goes_on_with_the_same_bits(tmp_path):
    def made(law=pulse):
        return case(entry=km.inlet(velocity=law, profile="parabolic"), stream=0.0)

    whole = made().run(steps=6, time_step=0.05, start="stream")
    made().run(steps=3, time_step=0.05, start="stream", out=tmp_path)
    resumed = made().run(steps=6, time_step=0.05, start="stream", out=tmp_path, resume=True)

    assert (resumed.history["cl"] == whole.history["cl"]).all()
    assert (resumed.history["pressure_iterations"] == whole.history["pressure_iterations"]).all()
    with pytest.raises(KinemeshError, match="in_time"):
        made(np.cos).run(steps=7, time_step=0.05, start="stream", out=tmp_path, resume=True)


def test_an_inlet_in_time_has_no_steady_flow():
    made = case(entry=km.inlet(velocity=pulse, profile="parabolic"))
    with pytest.raises(SettingsError, match="inlet 'in' are functions of the time, which a steady"):
        made.steady()


def test_a_law_that_fails_says_so():
    def law(time):
        return 1.0 if time < 0.1 else 1 / 0

    made = case(entry=km.inlet(velocity=law, profile="parabolic"), stream=0.0)
    with pytest.raises(SettingsError, match=r"velocity failed at time 0\.1, ZeroDivisionError"):
        made.run(steps=4, time_step=0.05, start="stream")
    with pytest.raises(SettingsError, match="expected a speed"):
        case(entry=km.inlet(velocity=lambda time: (1.0, 2.0, 3.0)), stream=0.0)
    with pytest.raises(SettingsError, match=r"velocity is nan, .* at time 0"):
        case(entry=km.inlet(velocity=lambda time: np.nan), stream=0.0)


def table(tmp_path, header="y,u", rows=None):
    y = np.linspace(-0.5, 0.5, 41)
    rows = np.stack([y, 6 * (0.25 - y**2)], axis=1) if rows is None else rows
    path = tmp_path / "inflow.csv"
    path.write_text("\n".join([header, *(",".join(map(repr, row)) for row in rows.tolist())]))
    return path


@pytest.mark.parametrize("header", ["y,u", "y,speed"])
def test_a_profile_from_a_table_is_that_of_its_function(tmp_path, header):
    made = case(entry=km.inlet(velocity=1.0, profile=table(tmp_path, header)))
    exact = case(entry=km.inlet(velocity=lambda x, y: 6 * (0.25 - y**2)))

    found, wanted = (m.backend.get(m.projection.velocity["outer"]) for m in (made, exact))
    assert np.abs(wanted).max() > 1
    assert found == pytest.approx(wanted, abs=1e-12)  # rows stand at the nodes


@pytest.mark.parametrize(
    ("header", "rows", "said"),
    [
        ("y,w", None, "has columns y, w, expected one of x and y, and"),
        ("y,u", [[0.0, 1.0]], "has 1 rows, expected two or more"),
        ("y,u", [[0.0, 1.0], [0.0, 2.0]], "each at another y"),
        ("y,u", [[-0.4, 1.0], [0.5, 1.0]], r"from y = -0\.4 to 0\.5, and the inlet to"),
    ],
)
def test_tables_without_meaning_are_refused(tmp_path, header, rows, said):
    path = table(tmp_path, header, None if rows is None else np.array(rows))
    with pytest.raises(SettingsError, match=said):
        case(entry=km.inlet(velocity=1.0, profile=path))
    with pytest.raises(SettingsError, match=r"nowhere\.csv"):
        km.inlet(velocity=1.0, profile="nowhere.csv")


def test_a_case_file_names_the_table_of_a_profile_beside_it(tmp_path):
    table(tmp_path)
    km.mesh.write(box(), tmp_path / "box.su2")
    mesh = {
        "file": "box.su2",
        "walls": ["bottom", "top"],
        "boundaries": {
            "in": {"kind": "inlet", "velocity": 1.0, "profile": "inflow.csv"},
            "out": {"kind": "outlet"},
        },
    }
    flow = {"name": "box", "mode": "steady", "method": "incompressible", "mesh": mesh,
            "flow": {"reynolds": 20.0}}  # fmt: skip

    made = Case.from_dict(flow, tmp_path).build()

    assert made.conditions["in"].numbers["profile"] == str(tmp_path / "inflow.csv")
    assert made.backend.get(made.projection.velocity["outer"])[:, 0].max() == pytest.approx(1.5)


@pytest.mark.filterwarnings("ignore:.*meets walls:RuntimeWarning")
def test_a_constant_function_is_its_number():
    one, two = (case(entry=km.inlet(velocity=v)) for v in (lambda x, y: 1.0, 1.0))
    found, wanted = (m.backend.get(m.projection.velocity["outer"]) for m in (one, two))
    assert (found == wanted).all()


@pytest.mark.parametrize(
    ("law", "said"),
    [
        (lambda y: 6 * y, r"velocity is a function of \(y\), expected one of \(x, y\)"),
        (lambda y, t: 6 * y, r"velocity is a function of \(y, t\), expected one of"),
    ],
)
def test_functions_of_other_arguments_than_their_names_say_are_refused(law, said):
    with pytest.raises(SettingsError, match=said):
        case(entry=km.inlet(velocity=law))
    with pytest.raises(SettingsError, match=r"total_pressure is a function of \(y\), expected one"):
        km.inlet(total_pressure=lambda y: 1.0)


def test_components_times_a_table_are_refused(tmp_path):
    with pytest.raises(SettingsError, match="profile a table, which it multiplies; expected one"):
        km.inlet(velocity=(1.0, 0.0), profile=table(tmp_path))


def test_a_far_field_beside_an_inlet_that_nobody_named_is_warned_of():
    told = {"reynolds": RE, "device": "cpu", "walls": ["bottom", "top"]}
    with pytest.warns(RuntimeWarning, match="'out': far field beside inlet 'in', as neither"):
        km.Incompressible(box(), boundaries={"in": PARABOLA}, **told)


def test_walls_of_a_nozzle_have_no_chord():
    """A wall that bows between inlet and outlet would pass for half a body."""
    made = channel(24, 0.25, 8)
    nozzle = km.Mesh(3.0 * made.points, made.triangles, made.quads, made.boundaries)

    assert case(nozzle).markers.measured[0].bodies == []


def test_a_run_goes_on_with_its_own_table_alone(tmp_path):
    def made():
        return case(entry=km.inlet(velocity=1.0, profile=table(tmp_path)))

    made().run(steps=2, time_step=0.05, start="stream", out=tmp_path / "run")
    y = np.linspace(-0.5, 0.5, 41)
    path = table(tmp_path, rows=np.stack([y, 3 * (0.25 - y**2)], axis=1))
    os.utime(path, (1, 1))
    with pytest.raises(KinemeshError, match="entering"):
        case(entry=km.inlet(velocity=1.0, profile=path)).run(
            steps=3, time_step=0.05, start="stream", out=tmp_path / "run", resume=True
        )


@pytest.mark.filterwarnings("ignore:.*meets walls:RuntimeWarning")
def test_a_law_is_asked_once_for_members_that_share_a_mesh():
    asked = []

    def law(x, y):
        asked.append(len(x))
        return 1.0

    case(entry=km.inlet(velocity=law), reynolds=[10.0, 20.0, 40.0])

    assert len(asked) == 1
