"""Inlets and outlets of a gas: channels against quasi-one-dimensional flow, and what is refused."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.cases.casefile import Case
from kinemesh.errors import CaseError, KinemeshError, MeshError, SettingsError
from scipy.optimize import brentq
from solver_cases import on_devices

pytestmark = pytest.mark.flow
G = 1.4
SLIP = {"bottom": "symmetry", "top": "symmetry"}
HEIGHT = 0.02  # of the channel's inlet, over its length: flow in two dimensions is 1e-5 off


def area(x):
    return 1 - 0.2 * np.sin(np.pi * x) ** 2


def channel(cells, height=HEIGHT, across=4, width=area):
    """Quads from (0, 0) to (1, 0), of a width over that of the inlet."""
    i, j = np.arange(cells), np.arange(across)
    x, y = np.linspace(0, 1, cells + 1), np.linspace(-0.5, 0.5, across + 1)
    points = np.stack([np.repeat(x, across + 1), np.outer(height * width(x), y).ravel()], axis=1)
    number = np.arange(len(points)).reshape(cells + 1, across + 1)
    quads = np.stack([number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]], axis=-1)
    sides = {
        "bottom": np.stack([number[i, 0], number[i + 1, 0]], axis=1),
        "top": np.stack([number[i, -1], number[i + 1, -1]], axis=1),
        "in": np.stack([number[0, j], number[0, j + 1]], axis=1),
        "out": np.stack([number[-1, j], number[-1, j + 1]], axis=1),
    }
    none = np.zeros((0, 3), np.int32)
    return km.Mesh(points, none, quads.reshape(-1, 4).astype(np.int32), sides)


def case(mesh, back=0.9, total=1.0, entry=None, **options):
    ends = {
        "in": km.inlet(total_pressure=total) if entry is None else entry,
        "out": km.outlet(pressure=back),
    }
    told = {"mach": 0.3, "device": "cpu"}
    return km.Ale(mesh, boundaries=SLIP | ends, **(told | options))


def settings(**more):
    return km.AleSettings(**({"steady_drop": 1e-8, "limiter": "none"} | more))


def state(solved):
    """Place along the channel, Mach number and pressure over that of the stream, at nodes."""
    rho, u, v, p = solved.primitive().T
    return solved.grid.points[:, 0], np.hypot(u, v) / np.sqrt(G * p / rho), G * p


def over_throat(mach):
    """Area over that of the throat where the flow has the speed of sound."""
    return (2 / (G + 1) * (1 + 0.2 * mach**2)) ** 3 / mach


def static(mach):
    """Pressure over the total one."""
    return (1 + 0.2 * mach**2) ** -3.5


def isentropic(x, back):
    """Pressures of a flow without losses, slower than sound, that leaves at a back pressure."""
    leaving = np.sqrt(5 * (back ** (-2 / 7) - 1))
    throat = area(1.0) / over_throat(leaving)
    mach = [brentq(lambda m, a=a: over_throat(m) - a, 1e-3, 1) for a in area(x) / throat]
    return static(np.array(mach))


def place_of_shock(back):
    """Place behind the throat of the shock that leaves a back pressure, by its relations."""

    def left(x):
        m1 = brentq(lambda m: over_throat(m) - area(x) / 0.8, 1 + 1e-9, 4)
        square = m1 * m1
        loss = (6 * square / (square + 5)) ** 3.5 * (6 / (7 * square - 1)) ** 2.5
        m2 = brentq(lambda m: over_throat(m) - loss / 0.8, 1e-3, 1)
        return loss * static(m2)

    return brentq(lambda x: left(x) - back, 0.5 + 1e-6, 1 - 1e-9)


# ---------------------------------------------------------------- against exact flows


@pytest.mark.long
@pytest.mark.parametrize(("flux", "limiter"), [("roe", "none"), ("hllc", "wang")])
def test_a_back_pressure_drives_a_channel_with_second_order(flux, limiter):
    off = []
    for cells in (24, 48, 96):
        solved = case(channel(cells), settings=settings(flux=flux, limiter=limiter))
        assert solved.steady().converged
        x, _, p = state(solved)
        off.append(np.sqrt(np.mean((p - isentropic(x, 0.9)) ** 2)))

    assert (np.log2(np.divide(off[:-1], off[1:])) > 1.9).all()
    assert off[-1] < 5e-5


@on_devices
@pytest.mark.parametrize("cells", [50, 100])
def test_a_shock_stands_where_its_back_pressure_puts_it(cells, device):
    """Within a cell, in a channel with the speed of sound in its throat."""
    fit = settings(limiter="wang", steady_drop=1e-6)
    solved = case(channel(cells), back=0.8, settings=fit, device=device)
    assert solved.steady().converged

    x, mach, _ = state(solved)
    middle = np.abs(solved.grid.points[:, 1]) < 1e-12
    order = np.argsort(x[middle])
    x, mach = x[middle][order], mach[middle][order]
    k = np.flatnonzero((mach[:-1] > 1) & (mach[1:] <= 1))[-1]
    found = x[k] + (x[k + 1] - x[k]) * (mach[k] - 1) / (mach[k] - mach[k + 1])

    assert found == pytest.approx(place_of_shock(0.8), abs=1 / cells)


@on_devices
def test_the_stream_stays_between_its_own_inlet_and_outlet(device):
    """Total pressure and temperature of the stream, and its static pressure."""
    mach = 0.3
    own = km.inlet(total_pressure=1 / static(mach), total_temperature=1 + 0.2 * mach**2)
    mesh = channel(12, width=np.ones_like)
    solved = case(mesh, back=1.0, entry=own, settings=settings(), device=device)
    solved.steady()

    assert solved.primitive() == pytest.approx(np.tile([1, mach, 0, 1 / G], (65, 1)), abs=1e-12)


def test_no_pressure_reaches_into_a_flow_faster_than_sound():
    mesh = channel(12, width=np.ones_like)
    ends = SLIP | {"out": km.outlet(pressure=3.0)}
    solved = km.Ale(mesh, mach=2.0, walls=[], far=["in"], boundaries=ends, device="cpu")
    solved.steady()

    assert solved.primitive() == pytest.approx(np.tile([1, 2, 0, 1 / G], (65, 1)), abs=1e-12)


def test_a_hotter_reservoir_has_the_same_mach_numbers_and_pressures():
    cold, hot = (
        case(channel(24), entry=km.inlet(total_pressure=1.0, total_temperature=t),
             settings=settings())
        for t in (1.0, 1.4)
    )  # fmt: skip
    for solved in (cold, hot):
        solved.steady()

    for one, other in zip(state(cold), state(hot), strict=True):
        assert one == pytest.approx(other, abs=1e-7)
    ratio = hot.primitive()[:, 0] / cold.primitive()[:, 0]
    assert ratio == pytest.approx(np.full(len(ratio), 1 / 1.4), rel=1e-6)


def test_a_channel_that_is_turned_and_scaled_has_the_same_flow():
    mesh, angle = channel(24), np.radians(30.0)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    other = km.Mesh(7.0 * mesh.points @ turn + 3.0, mesh.triangles, mesh.quads, mesh.boundaries)
    along, deep = km.inlet(total_pressure=1.0, alpha_deg=30.0), settings(steady_drop=1e-11)
    first = case(mesh, settings=deep)
    cases = [first, case(other, alpha_deg=30.0, settings=deep),
             case(other, alpha_deg=30.0, entry=along, settings=deep)]  # fmt: skip
    for solved in cases:
        solved.steady()

    for solved in cases[1:]:
        for one, own in zip(state(first)[1:], state(solved)[1:], strict=True):
            assert own == pytest.approx(one, rel=1e-9)


def test_members_have_the_bits_of_their_solo_runs():
    meshes = [channel(16), channel(20)]
    both = case(meshes, mach=[0.3, 0.35], settings=settings())
    alone = case(meshes[1], mach=0.35, settings=settings())
    for solved in (both, alone):
        solved.steady()

    assert (both.primitive()[-len(alone.primitive()) :] == alone.primitive()).all()


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (
            "outlet",
            "an outlet of incompressible flow, which method 'ale' has not; expected pressure",
        ),
        (
            {"kind": "inlet"},
            "'out': inlet: no numbers, expected total_pressure .*, or velocity .and profile. of",
        ),
        ({"kind": "outlet", "pressures": 1.0}, "'pressures', expected pressure; did you mean"),
        (
            {"kind": "symmetry", "pressure": 1.0},
            "of kind symmetry with 'pressure', expected no",
        ),
        (
            {"pressure": 1.0},
            "'out' has no kind beside pressure.*expected kind, one of wall, far",
        ),
        ({"kind": "outlet", "pressure": -1.0}, "pressure is -1.0, expected a number above 0"),
        ({"kind": "outlet", "pressure": True}, "pressure is True, expected a number above 0"),
        ({"kind": "outlet", "pressure": float("nan")}, "pressure is nan, expected"),
        ({"kind": "outlet", "pressure": 1.0}, "1, not below the total pressure 1 of inlet 'in'"),
    ],
)
def test_outlets_without_meaning_are_refused(value, said):
    ends = SLIP | {"in": km.inlet(total_pressure=1.0), "out": value}
    with pytest.raises(SettingsError, match=said):
        km.Ale(channel(8), mach=0.3, boundaries=ends, device="cpu")


def test_inlets_that_lead_out_of_the_fluid_are_refused():
    with pytest.raises(SettingsError, match="alpha_deg = 120, which does not lead into the fluid"):
        case(channel(8), entry=km.inlet(total_pressure=1.0, alpha_deg=120.0))


def test_a_channel_needs_both_ends():
    ends = SLIP | {"in": km.inlet(total_pressure=1.0), "out": "symmetry"}
    with pytest.raises(MeshError, match="an inlet and an outlet"):
        km.Ale(channel(8), mach=0.3, boundaries=ends, device="cpu")


def test_solvers_and_settings_without_the_condition_say_so():
    mesh = channel(8)
    ends = SLIP | {"in": km.inlet(total_pressure=1.0), "out": km.outlet(pressure=0.9)}
    told = {"device": "cpu", "boundaries": ends}
    refused = [
        lambda: km.Incompressible(mesh, reynolds=100, **told),
        lambda: km.Meshless(km.Cloud.from_mesh(mesh), mach=0.3, **told),
        lambda: km.Ale(mesh, mach=0.3, settings=km.AleSettings(linear_solver="lusgs"), **told),
    ]
    for make in refused:
        with pytest.raises(SettingsError, match=r"is an (in|out)let of a gas, which .* has not"):
            make()
    ring = km.mesh.cylinder(640, far_field=1.6, around=40, outer="overset")
    back = km.mesh.background((-4, 4, -4, 4), (-2, 2, -2, 2), 0.2, growth=1.3)
    with pytest.raises(KinemeshError, match="of a gas, which method 'incompressible' has not"):
        km.Incompressible({"body": ring, "back": back}, reynolds=100, device="cpu",
                          boundaries={"left": km.outlet(pressure=1.0)})  # fmt: skip


def test_a_march_goes_on_with_its_own_numbers_alone(tmp_path):
    few = settings(steady_iterations=5)
    with pytest.warns(RuntimeWarning, match="residual"):
        case(channel(16), settings=few).steady(out=tmp_path)

    with pytest.raises(CaseError, match="conditions"):
        case(channel(16), back=0.85, settings=few).steady(out=tmp_path, resume=True)


# ---------------------------------------------------------------- case files


@pytest.fixture
def written(tmp_path):
    """A case file of a channel, its mesh beside it."""
    _su2(tmp_path, channel(16))
    text = """
name = "channel"
mode = "steady"
[mesh]
file = "channel.su2"
[mesh.boundaries]
bottom = "symmetry"
top = "symmetry"
in = { kind = "inlet", total_pressure = 1.0 }
[mesh.boundaries.out]
kind = "outlet"
pressure = 0.9
[flow]
mach = 0.3
[run]
device = "cpu"
"""
    (tmp_path / "case.toml").write_text(text)
    return tmp_path / "case.toml"


def _su2(folder, mesh):
    lines = ["NDIME= 2", f"NELEM= {len(mesh.quads)}"]
    lines += [f"9 {a} {b} {c} {d}" for a, b, c, d in mesh.quads.tolist()]
    lines += [f"NPOIN= {len(mesh.points)}", *(f"{x!r} {y!r}" for x, y in mesh.points.tolist())]
    lines.append(f"NMARK= {len(mesh.boundaries)}")
    for name, edges in mesh.boundaries.items():
        lines += [f"MARKER_TAG= {name}", f"MARKER_ELEMS= {len(edges)}"]
        lines += [f"3 {a} {b}" for a, b in edges.tolist()]
    (folder / "channel.su2").write_text("\n".join(lines) + "\n")


def test_a_case_file_has_conditions_with_numbers(written, capsys, monkeypatch):
    from kinemesh import cli

    made = km.cases.load(written).build()
    assert made.conditions["out"].pressure == 0.9
    assert km.cases.casefile.Case.from_dict(km.cases.load(written).tables(), written.parent)
    monkeypatch.chdir(written.parent)

    words = "check case.toml --set mesh.boundaries.out.pressure=0.85"
    assert cli.main(words.split()) == 0
    told = capsys.readouterr().out
    assert "outlet (outer) out (4 edges, pressure 0.85)" in told
    assert "inlet (outer) in (4 edges, total_pressure 1, total_temperature 1)" in told
    # M of 0.85, and M (1 + 0.2 M^2)^-3 on a width of 0.02
    assert (
        "in 0.02 wide; out 0.02 wide, where without losses Mach 0.4875 would pass 0.00848" in told
    )
    assert cli.main(["check", "case.toml", "--set", "mesh.boundaries.out.pressure=1.5"]) != 0


@pytest.mark.filterwarnings("ignore:.*residual:RuntimeWarning")
def test_a_sweep_goes_over_a_back_pressure(written):
    found = km.sweep(km.cases.load(written), {"mesh.boundaries.out.pressure": [0.85, 0.9]})

    assert found.sizes["pressure"] == 2
    assert (found.state == 1).all()
    alone = km.cases.load(written).build().steady().history  # 0.9
    assert found["mass_flow_in"].values[1] == pytest.approx(alone["mass_flow_in"][-1], rel=1e-9)
    assert found["mass_flow_in"].values[0] > found["mass_flow_in"].values[1]


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")
def test_a_sweep_in_time_has_means_of_what_passes(written):
    in_time = km.cases.load(written).changed(
        ["mode=unsteady", "run.time_step=0.2", "run.steps=40", "run.start=stream"]
    )
    found = km.sweep(in_time, {"mesh.boundaries.out.pressure": [0.85, 0.9]})
    rows = in_time.build().run(steps=40, time_step=0.2, start="stream").history
    window = rows["time"] >= float(found["window_start"].values[1])
    mean = rows["loss"][window].mean()
    assert found["loss_mean"].values[1] == pytest.approx(mean, rel=1e-9)


# ---------------------------------------------------------------- in time


def breathing(time):
    return 0.9 - 0.02 * np.sin(3 * time)


def test_a_back_pressure_in_time_sets_the_pressure_at_the_outlet():
    made = case(channel(24), back=breathing)

    made.run(steps=40, time_step=0.05)

    x, _, p = state(made)
    # the outlet's condition is weak: its flux has the pressure, which the node follows by 1e-3
    assert p[x > 1 - 1e-9] == pytest.approx(breathing(40 * 0.05), rel=2e-3)
    assert abs(breathing(40 * 0.05) - breathing(0.0)) > 5e-3
    with pytest.raises(SettingsError, match="outlet 'out' are functions of the time"):
        made.steady()


def test_a_constant_law_has_the_bits_of_its_number():
    runs = [case(channel(16), back=back) for back in (0.9, lambda time: 0.9)]
    one, two = (made.run(steps=3, time_step=0.05) and made.primitive() for made in runs)

    assert (one == two).all()


@pytest.mark.parametrize(
    ("law", "said"),
    [
        (lambda time: -1.0, r"outlet: pressure is -1\.0, expected a number above 0 at time 0"),
        (lambda: 1.0, "pressure failed at time 0, TypeError"),
        (lambda time: 1.0 + time, "not below the total pressure"),
    ],
)
def test_laws_of_the_time_without_meaning_are_refused(law, said):
    with pytest.raises(SettingsError, match=said):
        case(channel(8), back=law)


# ---------------------------------------------------------------- of members


def test_a_case_file_is_one_member(tmp_path):
    km.mesh.write(channel(8), tmp_path / "channel.su2")
    ends = SLIP | {"in": {"kind": "inlet", "total_pressure": 1.0},
                   "out": {"kind": "outlet", "pressure": [0.8, 0.9]}}  # fmt: skip
    mesh = {"file": "channel.su2", "boundaries": ends}
    with pytest.raises(CaseError, match=r"numbers of 2 members.*sweep over mesh\.boundaries\.out"):
        Case.from_dict(
            {"name": "c", "mode": "steady", "mesh": mesh, "flow": {"mach": 0.3}}, tmp_path
        )


def test_members_have_back_pressures_of_their_own_with_the_bits_of_their_solo_runs():
    mesh, backs = channel(24), [0.85, 0.9]
    both = case(mesh, back=backs)
    both.steady()

    for member, back in enumerate(backs):
        alone = case(mesh, back=back)
        alone.steady()
        own = slice(*both.grid.first[member : member + 2])
        assert (both.primitive()[own] == alone.primitive()).all()
    assert both.conditions["out"].numbers == {"pressure": backs}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"back": [0.9, 0.8], "mach": [0.3, 0.3, 0.3]}, "boundaries of 'out'"),
        ({"back": [0.9, -0.8]}, r"pressure is -0\.8, expected a number above 0"),
        ({"back": [0.9, 1.1]}, "1.1, not below the total pressure"),
    ],
)
def test_numbers_of_members_without_meaning_are_refused(given, said):
    with pytest.raises(KinemeshError, match=said):
        case(channel(8), **given)


def test_a_stream_faster_than_sound_comes_in_by_far_and_leaves_whatever_the_pressure_outside():
    straight = channel(24, width=np.ones_like)
    ends = SLIP | {"in": "far", "out": km.outlet(pressure=3.0)}
    made = km.Ale(straight, mach=2.0, boundaries=ends, device="cpu")
    stream = made.primitive()[0]

    made.run(steps=3, time_step=0.1, start="as is")

    assert made.primitive() == pytest.approx(np.tile(stream, (made.grid.nodes, 1)), abs=1e-13)


def test_a_run_in_time_without_a_cycle_is_drawn_over_the_time(tmp_path):
    case(channel(16), back=breathing).run(steps=6, time_step=0.05, out=tmp_path)

    drawn = {path.name for path in km.plot.from_directory(tmp_path)}

    assert "loads.png" in drawn
    assert not drawn & {"hysteresis.png", "cycle.png", "pressures.png"}
