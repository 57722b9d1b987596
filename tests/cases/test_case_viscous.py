"""Case files of a viscous gas: their numbers go to the solver, bad ones are refused in words."""

import re
import tomllib
from types import SimpleNamespace

import kinemesh as km
import numpy as np
import pytest
from kinemesh import cases
from kinemesh.cases import build, ensemble
from kinemesh.cases.casefile import Case
from kinemesh.cases.check import check
from kinemesh.errors import CaseError, SettingsError
from kinemesh.flow import registry
from kinemesh.flow.door.viscosity import RANGES, laws_of_keys
from kinemesh.mesh.geometry.curved import curved_triangles
from kinemesh.plot import ensembles
from kinemesh.results import pressures
from kinemesh.study.sweep.spaces import Spaces

STEADY = """
name = "s"
mode = "steady"
[mesh]
section = "naca0012"
nodes = 600
[flow]
mach = 0.3
{flow}
[run]
device = "cpu"
"""
SA = {
    "reynolds": 1e5,
    "reynolds_length": 2.0,
    "turbulence": "sa",
    "temperature_k": 300.0,
    "wall": 1.5,
    "prandtl": 0.7,
    "turbulent_prandtl": 0.85,
    "nu_ratio": 4.0,
}


def case(method="ale", **flow):
    lines = "\n".join(f"{name} = {value!r}" for name, value in flow.items())
    return Case.from_dict(tomllib.loads(STEADY.format(flow=lines)) | {"method": method})


def test_numbers_of_a_viscous_gas_are_arguments_of_its_solver():
    laws = {name: SA[name] for name in SA if name not in ("reynolds", "turbulence")}
    told = build.options(case(**SA))

    assert (told["reynolds"], told["turbulence"]) == (SA["reynolds"], SA["turbulence"])
    assert told["viscosity"] == km.Viscosity(**laws)
    assert not {"reynolds", "turbulence", "viscosity"} & {*build.options(case())}
    assert "viscosity" not in build.options(case(reynolds=1e3, turbulence="sa"))
    assert {*registry.named("ale").laws} == {"turbulence", "wall", *RANGES} == {*SA} - {"reynolds"}


def test_a_reynolds_number_alone_is_laminar_flow():
    made = case(reynolds=1e3).build()

    assert made.viscosity.turbulence is None
    assert made.streams["reynolds"] == pytest.approx([1e3])
    told, turbulent = made.more["viscosity"], laws_of_keys(SA).numbers
    assert turbulent == {name: SA[name] for name in SA if name != "reynolds"}
    assert {*turbulent} - {*told} == {"turbulent_prandtl", "nu_ratio"}  # of no meaning here
    assert not case().build().viscosity.viscous


@pytest.mark.parametrize("flow", [{"reynolds": 1e5}, {"turbulence": "sa"}, SA])
def test_methods_without_viscosity_name_those_that_have_it(flow):
    with pytest.raises(CaseError, match=r"of method 'meshless' .*use method = 'ale' or 'cells'$"):
        case("meshless", **flow)


@pytest.mark.filterwarnings("ignore:.*y\\+ of about:RuntimeWarning")  # of few nodes
@pytest.mark.filterwarnings("ignore:.*edges lie around:RuntimeWarning")
def test_cases_on_cells_have_the_laws_of_those_about_nodes():
    own, other = (case(method, **SA).build() for method in ("ale", "cells"))

    assert own.viscosity == other.viscosity
    assert other.terms["turbulence"].columns == ("residual_turbulence",)


def test_incompressible_flow_has_a_reynolds_number_and_no_laws_of_a_gas():
    text = STEADY.replace("mach = 0.3", "reynolds = 100.0").format(flow="prandtl = 0.7")

    with pytest.raises(CaseError, match=r"\[flow\] prandtl: of method 'incompressible'"):
        Case.from_dict(tomllib.loads(text) | {"method": "incompressible"})


@pytest.mark.parametrize(
    ("flow", "words"),
    [
        ({"reynolds": 0}, "reynolds = 0, expected a number above 0"),
        ({"reynolds": -1e6}, "reynolds = -1000000"),
        ({"reynolds": float("inf")}, "expected a number above 0 that is finite"),
        ({"reynolds": 1e300}, "reynolds = 1e[+]300, expected 1e-06 to 1e[+]11"),
        ({"reynolds": 1e-300}, "reynolds = 1e-300, expected 1e-06 to 1e[+]11"),
        ({"reynolds": "many"}, "reynolds = 'many', expected a number"),
        ({"turbulence": "sa"}, "turbulence is 'sa' and has no effect without reynolds"),
        ({"wall": 1.2}, "wall is 1.2 and has no effect without reynolds"),
        ({"reynolds_length": 2.0}, "reynolds_length is 2.0 and has no effect without reynolds"),
        (SA | {"turbulence": "sst"}, "turbulence is 'sst', expected 'sa'"),
        ({"turbulence": "sst"}, "turbulence is 'sst', expected 'sa'"),  # of an inviscid gas
        (SA | {"wall": -1}, "wall is -1, expected 'adiabatic', or a temperature"),
        (SA | {"wall": "hot"}, "wall is 'hot', expected 'adiabatic'"),
        (SA | {"wall": True}, "wall is True, expected 'adiabatic'"),
        (SA | {"nu_ratio": 2.9}, "nu_ratio is 2.9, expected a number of 3 to 5"),
        (SA | {"nu_ratio": 6}, "nu_ratio is 6, expected a number of 3 to 5"),
        (SA | {"reynolds_length": 0}, "reynolds_length is 0, expected a number of 1e-06 to"),
        (SA | {"reynolds_length": 1e300}, "reynolds_length is 1e[+]300, expected a number of"),
        (SA | {"temperature_k": 20}, "temperature_k is 20, expected a number of 50 to 3000"),
        (SA | {"temperature_k": "cold"}, "temperature_k is 'cold', expected a number"),
        (SA | {"prandtl": 0}, "prandtl is 0, expected a number of 0.1 to 100"),
        ({"reynolds": 1e3, "nu_ratio": 3.0}, "nu_ratio is 3.0 and has no effect in a laminar"),
        ({"reynolds": 1e3, "turbulent_prandtl": 0.9}, "no effect in a laminar flow"),
    ],
)
def test_bad_numbers_of_a_viscous_gas_are_refused(flow, words):
    flow = {n: v for n, v in flow.items()}
    table = tomllib.loads(STEADY.format(flow=""))
    with pytest.raises((CaseError, SettingsError), match=r"^\[flow\].*" + words):
        Case.from_dict(table | {"flow": {"mach": 0.3} | flow})


def test_incompressible_flow_has_the_same_limits_of_its_reynolds_number():
    table = tomllib.loads(STEADY.replace("mach = 0.3", "").format(flow="reynolds = 1e12"))
    words = r"^\[flow\] reynolds = 1e[+]12, expected 1e-06 to 1e[+]11"
    with pytest.raises(CaseError, match=words):
        Case.from_dict(table | {"method": "incompressible"})


@pytest.mark.parametrize(
    ("name", "value"), [("turbulence", np.array(["sa", "sa"])), ("wall", np.array([1.0, 2.0]))]
)
def test_laws_are_the_same_for_all_members(name, value):
    with pytest.raises(SettingsError, match=f"^{name} is array.*expected '(sa|adiabatic)'"):
        laws_of_keys({"reynolds": [1e3, 2e3], name: value})


def test_words_of_numpy_are_kept_as_plain_text():
    given = {"turbulence": np.str_("sa"), "wall": np.str_("adiabatic")}

    made = laws_of_keys({"reynolds": 1e3} | given)

    assert [type(made.turbulence), type(made.wall)] == [str, str]


@pytest.mark.parametrize(
    ("flow", "settings", "words"),
    [
        ({}, {"turbulence_drop": 1e-4}, "turbulence_drop is 0.0001 and has no effect"),
        ({"reynolds": 1e3}, {"turbulence_drop": 1e-4}, "no effect: the flow has no turbulence"),
        (SA, {"linear_solver": "lusgs"}, "linear_solver is 'lusgs', which viscous flow has not"),
        (SA, {"face_loop": "recompute"}, "face_loop is 'recompute', which viscous flow has not"),
    ],
)
def test_settings_that_a_flow_has_not_are_refused(flow, settings, words):
    table = tomllib.loads(STEADY.format(flow=""))
    made = Case.from_dict(table | {"flow": {"mach": 0.3} | flow, "solver": settings})
    with pytest.raises(SettingsError, match=words):
        made.build()


@pytest.mark.parametrize(
    ("name", "like"),
    [
        ("unsteady_turbulence_drop", "turbulence_drop"),
        ("unsteady_drop", "steady_drop"),
    ],
)
def test_settings_of_steps_in_a_steady_case_name_that_of_marches(name, like):
    table = tomllib.loads(STEADY.format(flow="reynolds = 1e3")) | {"solver": {name: 0.01}}

    with pytest.raises(CaseError, match=f"{name} has no meaning.*remove it, or set {like}$"):
        Case.from_dict(table)


def test_reynolds_numbers_are_members_of_one_ensemble():
    several = [case(reynolds=re) for re in (1e3, 2e3, 4e3)]

    assert len({ensemble.shared(own) for own in several}) == 1
    made = ensemble.solver(several, [km.mesh.airfoil("naca0012", nodes=600)] * 3)
    assert made.streams["reynolds"] == pytest.approx([1e3, 2e3, 4e3])
    assert ensemble.shared(case()) != ensemble.shared(several[0])  # inviscid
    assert ensemble.shared(case(**SA)) != ensemble.shared(several[0])


def test_a_gas_with_a_reynolds_number_is_no_incompressible_flow():
    row = {"mach": 0.3, "reynolds": 1e3, "alpha_deg": 0.0}
    run = SimpleNamespace(asked=lambda: [row], summary={})

    assert ensembles.stream_of(run, 0) is None
    assert pressures.viscosity(run, None) is None
    del row["mach"]
    assert ensembles.stream_of(run, 0) == (1.0, 0.0)
    assert pressures.viscosity(run, None) == pytest.approx(1e-3)


def meshed(mesh, flow="reynolds = 1e6"):
    text = STEADY.replace('section = "naca0012"\nnodes = 600', mesh).format(flow=flow)
    return Case.from_dict(tomllib.loads(text))


C_MESH = """section = "naca0012"
nodes = 5000
topology = "c"
cells = "quads"
heights = "even"
far_field = 20.0
"""


@pytest.mark.long
def test_a_mesh_has_the_wall_cells_of_its_y_plus_and_of_the_case_s_reynolds_number():
    flow = "reynolds = 6e6\nreynolds_length = 2.0\nchord = 0.5"  # of a length of 1 again

    made = build.space(meshed(C_MESH + "y_plus = 10.0\nlayers = 40", flow))

    given = {"topology": "c", "cells": "quads", "heights": "even", "far_field": 20.0}
    alike = km.mesh.airfoil("naca0012", 5000, y_plus=10.0, reynolds=6e6, layers=40, **given)
    assert made.points == pytest.approx(alike.points, abs=0.0)


def test_cases_of_other_reynolds_numbers_have_other_meshes_by_y_plus():
    keys = [
        Spaces.key(meshed(C_MESH + end, f"reynolds = {re}"))
        for end in ("y_plus = 1.0", "wall_spacing = 1e-4")
        for re in (1e6, 2e6)
    ]

    assert len(set(keys)) == 3


def test_a_plate_is_a_shape_with_keys_of_its_own():
    text = 'shape = "plate"\nnodes = 1000\nlength = 2.0\nheight = 0.5\nwall_spacing = 1e-3'

    made = build.space(meshed(text))

    assert {*made.boundaries} == {"wall", "symmetry", "inlet", "outlet", "farfield"}
    assert made.points[:, 0].max() == pytest.approx(2.0)
    assert made.points[:, 1].max() == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("mesh", "flow", "words"),
    [
        (C_MESH + "y_plus = 1.0", "", r"\[mesh\] y_plus = 1 has no Reynolds number; give \[flow\]"),
        (C_MESH + "y_plus = 0", "reynolds = 1e6", "y_plus = 0, expected a number above 0"),
        (C_MESH + "layers = 3", "reynolds = 1e6", "layers = 3, expected an integer of at least 8"),
        (C_MESH + "length = 2.0", "", "has a section, so length has no meaning"),
        (C_MESH.replace("quads", "hexes"), "", "cells = 'hexes', expected one of triangles, quads"),
        ('shape = "plate"\nfar_field = 9.0', "", "has a plate, so far_field has no meaning"),
        ('shape = "cylinder"\ny_plus = 1.0', "reynolds = 1e6", "has a shape, so y_plus has no"),
        ('shape = "box"', "", "shape = 'box', expected one of cylinder, plate"),
    ],
)
def test_keys_of_layers_without_a_meaning_are_refused(mesh, flow, words):
    with pytest.raises(CaseError, match=words):
        meshed(mesh, flow)


def test_layers_that_no_mesh_has_are_refused_in_the_words_of_the_case():
    with pytest.raises(km.MeshError, match=r"^\[mesh\]: airfoil: y_plus .*heights = 'even'"):
        meshed('section = "naca0012"\ny_plus = 1.0').build()


def test_parts_of_overset_grids_are_no_plates_and_have_no_y_plus():
    text = STEADY.replace('section = "naca0012"\nnodes = 600\n', "").format(flow="")
    table = tomllib.loads(text)
    del table["mesh"]
    for part, words in (
        ({"shape": "plate", "wall_spacing": 1e-3}, r"\[parts.a\] shape = 'plate' makes no part"),
        ({"section": "naca0012", "y_plus": 1.0}, r"\[parts.a\] y_plus: parts have wall_spacing"),
    ):
        with pytest.raises(CaseError, match=words):
            Case.from_dict(table | {"parts": {"a": part}})


def plate(spacing, flow):
    text = f'shape = "plate"\nnodes = 1000\nwall_spacing = {spacing}\nwalls = ["wall"]\n'
    text += 'far = ["inlet", "farfield", "outlet"]\nboundaries.symmetry = "symmetry"'
    return meshed(text, flow)


TURBULENT = 'reynolds = 1e7\nreynolds_length = 2.0\nturbulence = "sa"'


def test_a_check_says_the_y_plus_of_the_wall_cells():
    spacing = 2 * km.mesh.wall_spacing(5e6)

    found = check(plate(spacing, TURBULENT))

    text = next(text for name, state, text in found.rows if (name, state) == ("solver", "ok"))
    assert f"wall cells {spacing:.3g} chords high, y+ about 2 by a flat plate" in text
    assert not [text for _, state, text in found.rows if state == "warn"]


def test_wall_cells_too_high_for_turbulence_are_told_before_the_run():
    one = km.mesh.wall_spacing(5e6)
    found = check(plate(6 * one, TURBULENT))

    (text,) = [text for _, state, text in found.rows if state == "warn"]
    assert "a y+ of about 6 by a flat plate at Reynolds number 5e+06" in text
    assert text.endswith(f"; take wall_spacing = {one:.2g}, which gives a y+ of 1")
    with pytest.warns(RuntimeWarning, match="a y\\+ of about 6") as caught:
        made = plate(6 * one, TURBULENT).build()
    assert len(caught) == len(made.notes) == 1
    assert made.notes[0].about == "y+ too large"


def test_wall_cells_too_high_for_a_laminar_layer_are_told():
    layer = 5 / 2e5**0.5

    found = check(plate(layer / 4, "reynolds = 2e5"))

    text = next(text for name, state, text in found.rows if (name, state) == ("solver", "ok"))
    assert "wall cells 0.0028 chords high, 4 in a boundary layer" in text
    with pytest.warns(RuntimeWarning, match="it is not resolved.*; take a wall_spacing of at most"):
        plate(layer / 1.5, "reynolds = 2e5").build()


def test_triangles_too_thin_for_the_curve_of_a_wall_are_told_before_the_run():
    mesh = 'section = "naca0012"\nnodes = 1500\nwall_spacing = 1e-3'
    viscous = "reynolds = 5e3"

    (text,) = [text for _, state, text in check(meshed(mesh, viscous)).rows if state == "warn"]
    with pytest.warns(RuntimeWarning, match="too thin for the curve of their layer") as caught:
        made = meshed(mesh, viscous).build()

    found = re.search(r"(\d+) nodes such as (\d+) at \((.+), (.+)\) lie in triangles too", text)
    count, node, x, y = (float(word) for word in found.groups())
    assert "e-" not in f"{found[3]}{found[4]}"  # the nose is at 0, which a mesh has to round-off
    nodes = curved_triangles(made.grid.meshes[0])
    assert count == len(nodes) > 50
    assert (x, y) == pytest.approx(
        build.space(meshed(mesh, viscous)).points[int(node)], rel=1e-3, abs=1e-9
    )
    assert len(caught) == len(made.notes) == 1
    assert made.notes[0].about == "triangles too thin"
    assert made.likely(0).startswith("quadrilaterals, more nodes along the wall or a larger wall")


@pytest.mark.parametrize(
    ("more", "flow"), [("", ""), ('cells = "quads"', "reynolds = 5e3")], ids=["inviscid", "quads"]
)
def test_thin_cells_that_viscosity_does_not_need_or_bears_are_not_told(more, flow):
    mesh = 'section = "naca0012"\nnodes = 2000\nwall_spacing = 1e-3\n'

    assert not [row for row in check(meshed(mesh + more, flow)).rows if row[1] == "warn"]


@pytest.mark.long
@pytest.mark.flow
@pytest.mark.parametrize(
    ("name", "drag", "bar"),
    [
        ("flat-plate", 1.328 / 1e5**0.5, 0.02),  # Blasius; measured -1.2 %
        ("flat-plate-sa", 0.00285, 0.03),  # between the limits of two codes; measured 2.4 %
    ],
)
def test_ready_viscous_cases_have_published_drag(name, drag, bar):
    ready = cases.load(name, ["run.device=cpu"])
    loads = ready.replace(nodes="coarse").run().summary["result"]

    assert loads["converged"]
    assert loads["cd"] == pytest.approx(drag, rel=bar)


def test_the_ready_case_ct3_is_that_of_the_report():
    """AGARD-R-702, Landon: Mach number, mean, amplitude, reduced frequency, Reynolds number."""
    ready = cases.load("agard-ct3-sa")
    flow, motion = ready.flow, ready.motion

    assert (flow.mach, flow.alpha_deg, flow.reynolds) == (0.6, 4.86, 4.8e6)
    assert (motion.pitch["amplitude_deg"], motion.pitch["k"]) == (2.44, 0.081)
    assert (ready.mesh.y_plus, ready.deform.method) == (1.0, "delaunay")


def test_ready_turbulent_cases_want_a_y_plus_of_one():
    for name, inviscid in (("agard-ct5-sa", "agard-ct5"), ("agard-ct6-sa", "agard-ct6")):
        ready, other = cases.load(name), cases.load(inviscid)
        assert ready.flow.mach == other.flow.mach
        assert ready.motion == other.motion
        assert (ready.mesh.y_plus, ready.deform.method) == (1.0, "delaunay")
    for name in ("naca0012-sa", "flat-plate-sa", "bump-sa"):
        flow, mesh = (own := cases.load(name)).flow, own.mesh
        assert mesh.wall_spacing < km.mesh.wall_spacing(flow.reynolds)
        assert flow.temperature_k == 300.0
