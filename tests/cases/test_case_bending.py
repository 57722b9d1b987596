"""Bodies that bend, from case files: meshes that follow them, and what is refused at the door."""

import tomllib

import kinemesh as km
import pytest
from kinemesh.cases.casefile import Case
from kinemesh.errors import CaseError

WING = """
name = "wing"
mode = "unsteady"
[mesh]
section = "naca0012"
nodes = 500
far_field = 6.0
cells = "quads"
extruded = { span = 2.0, layers = 2 }
[flow]
mach = 0.4
reference_area = 2.0
[motion]
%s
[deform]
method = "%s"
[run]
cycles = 1
steps_per_cycle = 8
device = "cpu"
"""
TWIST = "twist = { amplitude_deg = 3, k = 0.2, span = 2.0 }"
PITCH = "pitch = { amplitude_deg = 3, k = 0.2 }"


def case(motion, deform="modal", **changes):
    """The wing's case with a motion and a deformation, or none; `changes` in place of its own."""
    tables = tomllib.loads(WING % (motion, deform)) | changes
    return Case.from_dict(
        {name: own for name, own in tables.items() if name != "deform" or deform is not None}
    )


def plane(motion, deform=None, **more):
    """The section's case in the plane."""
    mesh = {"section": "naca0012", "nodes": 500, "far_field": 6.0}
    return case(motion, deform, **{"mesh": mesh, "flow": {"mach": 0.4}, **more})


@pytest.mark.parametrize("name", ["springs", "modal"])
def test_a_case_file_names_what_follows_a_body_that_bends(name):
    assert case(TWIST, name).deform.build() == km.deform.METHODS[name]()


def test_fields_of_shapes_move_clouds_and_cells_too():
    for method in ("meshless", "cells"):
        made = plane(PITCH, "modal", method=method).build()
        assert isinstance(made.deform, km.deform.Modal)


@pytest.mark.parametrize("deform", [None, "rigid"])
def test_a_mesh_in_rigid_motion_cannot_follow_a_wing_that_bends(deform):
    found = r"lacks method" if deform is None else r"method = 'rigid'"
    with pytest.raises(CaseError, match=rf"\[deform\] {found}, .*use method = 'springs' or 'mod"):
        case(TWIST, deform)
    assert case(PITCH, deform).build().deform == km.deform.Rigid()


def test_a_mesh_file_in_space_is_asked_for_its_dimension(tmp_path):
    section = km.mesh.airfoil("naca0012", nodes=500, far_field=6.0)
    km.mesh.write_su2(km.mesh.extruded(section, span=2.0), tmp_path / "w.su2")
    made = case(TWIST, None, mesh={"file": str(tmp_path / "w.su2")})
    with pytest.raises(CaseError, match=r"\[deform\] lacks method"):
        made.build()


def test_incompressible_flow_has_rigid_bodies_alone():
    with pytest.raises(CaseError, match=r"\[motion\] bends a body, and method 'incompressible'"):
        plane(TWIST, flow={"reynolds": 100.0}, method="incompressible")


@pytest.mark.long
def test_settings_are_tried_without_shapes_on_a_mesh_that_is_not_the_case_s():
    report = km.cases.check.check(case(TWIST, "springs"))
    assert report.good, str(report)
    rows = {name: text for name, _, text in report.rows}
    assert rows["motion"].startswith("twist, amplitude 3 deg")
    assert "least dihedral" in rows["pre-flight"]
