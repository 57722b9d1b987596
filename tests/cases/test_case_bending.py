"""Bodies that bend, from case files: meshes that follow them, and what is refused at the door."""

import json
import tomllib

import kinemesh as km
import numpy as np
import pytest
from kinemesh.cases.casefile import Case
from kinemesh.errors import CaseError
from kinemesh.io import summary
from kinemesh.study.sweep.asked import asked_of

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
NAMED = 'modes = { shapes = ["bending", "torsion"], span = 2.0, amplitudes = [0.05, 0.02], k = 0.2'
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
    assert case(f"{NAMED} }}", name).deform.build() == km.deform.METHODS[name]()


def test_fields_of_shapes_follow_no_twist():
    assert case(TWIST, "springs").deform.method == "springs"
    with pytest.raises(
        CaseError, match=r"\[deform\] method = 'modal', .* twists .* 'springs' or 'carrier'$"
    ):
        case(TWIST)
    with pytest.raises(CaseError, match=r"twists a body, and method 'meshless' has no deform"):
        km.cases.load("wing-bend", ["method=meshless", "mesh.nodes=20000", f"motion.{TWIST}",
                                    "mesh.sizes={}"])  # fmt: skip


def test_fields_of_shapes_move_clouds_and_cells_too():
    for method in ("meshless", "cells"):
        made = plane(PITCH, "modal", method=method).build()
        assert isinstance(made.deform, km.deform.Modal)


@pytest.mark.parametrize("deform", [None, "rigid"])
def test_a_mesh_in_rigid_motion_cannot_follow_a_wing_that_bends(deform):
    found = r"lacks method" if deform is None else r"method = 'rigid'"
    with pytest.raises(CaseError, match=rf"\[deform\] {found}, .*use method = 'springs' or 'mod"):
        case(f"{NAMED} }}", deform)
    with pytest.raises(
        CaseError, match=rf"\[deform\] {found}, .*use method = 'springs' or 'carrier'$"
    ):
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
        plane(f"{NAMED} }}", flow={"reynolds": 100.0}, method="incompressible")


@pytest.mark.long
def test_settings_are_tried_without_shapes_on_a_mesh_that_is_not_the_case_s():
    report = km.cases.check.check(case(TWIST, "springs"))
    assert report.good, str(report)
    rows = {name: text for name, _, text in report.rows}
    assert rows["motion"].startswith("twist, amplitude 3 deg")
    assert "least dihedral" in rows["pre-flight"]


# ---------------------------------------------------------------- [motion] modes


def write(path, mesh, *shapes, scale=1.0):
    """File of shapes at the nodes of a mesh's walls, of a mesh that is `scale` times larger."""
    points = mesh.points[np.unique(mesh.boundaries["airfoil"])]
    values = np.stack([shape(points) for shape in shapes], axis=1)
    np.savez(path, points=scale * points, displacements=scale * values)
    return path


def droop(points):
    return np.stack([0 * points[:, 0], -((points[:, 0] - 0.25) ** 2)], axis=1)


def heave(points):
    return np.stack([0 * points[:, 0], 1 + 0 * points[:, 0]], axis=1)


SECTION = km.mesh.airfoil("naca0012", nodes=500, far_field=6.0)


def test_motions_beside_modes_add_up_and_share_their_k():
    modes = f"{NAMED.removesuffix(', k = 0.2')}, phases_deg = 90 }}"
    made = case(f"k = 0.3\n{modes}\n{PITCH.replace(', k = 0.2', '')}").motion.build(2.0)
    bending = [km.motion.clamped_bending(2.0), km.motion.clamped_torsion(2.0)]
    parts = [km.motion.pitch(3.0, 0.3, chord=2.0),
             km.motion.vibrate(bending, [0.05, 0.02], 0.3, 90.0, chord=2.0)]  # fmt: skip
    assert made == parts[0] + parts[1]


def test_each_shape_may_have_a_k_of_its_own():
    made = case(f"{NAMED}}}".replace("k = 0.2", "k = [0.2, 0.3]")).motion.build(1.0)
    bending, torsion = km.motion.clamped_bending(2.0), km.motion.clamped_torsion(2.0)
    assert made == km.motion.vibrate(bending, 0.05, 0.2) + km.motion.vibrate(torsion, 0.02, 0.3)
    assert len(made.shapes) == 2
    with pytest.raises(CaseError, match=r"the motion has no cycle, .*give .run. time_step and st"):
        case(f"{NAMED}}}".replace("k = 0.2", "k = [0.2, 0.3137]"))


def test_files_of_shapes_are_looked_for_beside_the_case_file(tmp_path):
    (tmp_path / "shapes").mkdir()
    write(tmp_path / "shapes" / "s.npz", SECTION, droop)
    text = WING % ('modes = { file = "shapes/s.npz", amplitudes = 0.1, k = 0.2 }', "modal")
    text = text.replace("extruded = { span = 2.0, layers = 2 }\n", "").replace(
        "reference_area", "#"
    )
    (tmp_path / "c.toml").write_text(text)

    read = km.cases.load(tmp_path / "c.toml")

    assert [path.name for path in read.motion.files] == ["s.npz"]
    (shape,) = read.motion.build(1.0).shapes
    assert shape.title == "1 of s.npz"
    again = Case.from_dict(read.tables(), "/").motion.build(1.0)
    assert again.shapes[0].file is shape.file


@pytest.mark.parametrize(
    ("motion", "match"),
    [
        (f"{NAMED} }}".replace("amplitudes = [0.05, 0.02], ", ""), r"modes lacks amplitudes"),
        (f"{NAMED} }}".replace(", k = 0.2", ""), r"\[motion\] modes lacks k"),
        (f"{NAMED}, tip = 1 }}", r"\[motion\] modes: unknown key 'tip'"),
        (f"{NAMED}, chord = 2 }}", r"\[motion\] modes: unknown key 'chord'"),
        ("twist = { amplitude_deg = 1, k = 1, span = 0 }", "twist: span = 0, expected a number ab"),
        ("modes = 3", r"\[motion\] modes = 3, expected a table"),
        ("modes = [{ shapes = 'bending' }]", r"\[motion\] modes = .*expected a table"),
        (f"{NAMED}, file = '' }}", r"\[motion\] modes file = '', expected a file name"),
        (f"{NAMED}, file = 's.npz' }}", "both of file and shapes, expected one of the two"),
        ("modes = { amplitudes = 1, k = 0.2 }", "none of file and shapes, expected one of the two"),
        (f"{NAMED} }}".replace("span = 2.0, ", ""), "need span, the distance from root to tip"),
        (f"{NAMED} }}".replace("span = 2.0", "span = 0"), "clamped_bending: span = 0, expected a"),
        (f"{NAMED} }}".replace('"torsion"', '"twist"'), "no shape 'twist', expected bending or"),
        (f"{NAMED} }}".replace('"torsion"', '"bending"'), "shape 'bending' stands twice"),
        (f"{NAMED} }}".replace('["bending", "torsion"]', "[]"), r"shapes = \[\], expected names"),
        (f"{NAMED} }}".replace('["bending", "torsion"]', "7"), "shapes = 7, expected names"),
        (f"{NAMED} }}".replace('"torsion"', "7"), "no shape 7, expected"),
        (f"{NAMED} }}".replace("0.05, 0.02", "0.05"), r"amplitudes = \[0.05\], expected one for"),
        (f"{NAMED} }}".replace("[0.05, 0.02]", "0.05"), "amplitudes = 0.05, expected one for each"),
        (f"{NAMED} }}".replace("0.02", "nan"), "amplitudes = .*expected a finite number"),
        (f"{NAMED} }}".replace("k = 0.2", "k = [0.2, 0.3, 0.4]"), "k = .*one for each of 2 shapes"),
        (f"{NAMED} }}".replace("k = 0.2", "k = 0"), "k = 0.*, expected a number above 0"),
        (f"{NAMED} }}".replace("k = 0.2", "k = [0.2, -1]"), "k = -1.*, expected a number above 0"),
        (f"{NAMED}, phases_deg = [1, 2, 3] }}", r"phases_deg = \[1, 2, 3\], expected one for each"),
        ("modes = { shapes = 'bending', span = 2, amplitudes = 1, k = 1, about = [0, 0] }",
         "about = .* has no meaning without 'torsion'"),
        ("k = 0.3\n" + f"{NAMED} }}", r"\[motion\] modes has k, and so has \[motion\]"),
        ("bodies = { wing = { modes = { span = 2 } } }", r"\[motion.bodies.wing\] modes lacks"),
    ],
)  # fmt: skip
def test_modes_that_are_none_are_refused(motion, match):
    with pytest.raises(km.KinemeshError, match=match):
        case(motion)


def test_files_that_do_not_fit_are_refused(tmp_path):
    write(tmp_path / "s.npz", SECTION, droop, heave)

    def of_file(name, more, amplitudes="[0.1, 0.2]"):
        table = f"{{ file = '{tmp_path / name}', amplitudes = {amplitudes}, k = 0.2{more} }}"
        return plane(f"modes = {table}", "modal")

    of_file("s.npz", "")
    with pytest.raises(CaseError, match=r"none.npz: cannot read the shapes \(No such file"):
        of_file("none.npz", "")
    with pytest.raises(km.SettingsError, match="span and about have no meaning beside a file"):
        of_file("s.npz", ", span = 2, about = [0, 0]")
    with pytest.raises(km.SettingsError, match=r"expected one for each of 2 shapes of .*s\.npz"):
        of_file("s.npz", "", "0.1")


def test_what_only_the_mesh_forbids_is_refused_when_it_is_made(tmp_path):
    def refused(motion, match, of=plane):
        with pytest.raises(km.KinemeshError, match=match):
            of(motion, "modal").build()

    def table(path):
        return f"modes = {{ file = '{path}', amplitudes = 0.1, k = 0.2 }}"

    refused(f"{NAMED} }}", "which is of meshes in space")
    flat = write(tmp_path / "flat.npz", SECTION, droop)
    refused(table(flat), "flat.npz has points of 2 coordinates, and the body has 3", case)
    away = km.mesh.airfoil("naca0012", nodes=500, far_field=6.0)
    far = tmp_path / "far.npz"
    np.savez(far, points=away.points[:50] + 30.0, displacements=np.ones((50, 1, 2)))
    refused(table(far), "all points of far.npz are farther than half a chord from the body")
    wing = km.mesh.extruded(SECTION, span=2.0, layers=2)
    across = write(tmp_path / "across.npz", wing, lambda points: 0 * points + [0.0, 0.1, 0.0])
    refused(table(across), "moves the point .* across its plane of symmetry", case)
    bodies = "bodies.flap.modes = {" + table(flat).partition("{")[2]
    refused(bodies, "'flap'")


def test_a_file_s_shapes_are_not_asked_of_another_mesh_than_the_case_s(tmp_path):
    """A wing of span 2 with a shape along it, beside the small mesh of span 1 of settings."""

    def dihedral(points):  # along the plane of symmetry at y = 2, where the small mesh has none
        y = points[:, 1]
        return np.stack([0 * y, y * (2 - y), y], axis=1)

    file = write(tmp_path / "s.npz", km.mesh.extruded(SECTION, span=2.0, layers=2), dihedral)
    mesh = {"section": "naca0012", "nodes": 500, "far_field": 6.0,
            "extruded": {"span": 2.0, "layers": 2}}  # fmt: skip
    table = f"modes = {{ file = '{file}', amplitudes = 0.01, k = 0.2 }}"
    report = km.cases.check.check(case(table, "modal", mesh=mesh))
    rows = {name: text for name, _, text in report.rows}
    assert rows["motion"].startswith("vibration, amplitudes 0.01, k 0.2, phases 0 deg, shapes 1 of")
    assert report.good, str(report)
    assert "no cell inverts" in rows["pre-flight"]


# ---------------------------------------------------------------- runs


def run(motion, **how):
    """Rows of a few steps of the section's case."""
    tables = {"time_step": 0.5, "steps": 4, "device": "cpu", "start": "as is", "preflight": False}
    settings = {"unsteady_drop": 0.1}
    made = plane(motion, "modal", run=tables | how.pop("run", {}), solver=settings)
    return made.run(**how)


def modes(path, amplitudes="[0.05, 0.02]", more=""):
    return f"modes = {{ file = '{path}', amplitudes = {amplitudes}, k = 0.3{more} }}\n{PITCH}"


@pytest.mark.flow
def test_modes_of_a_file_have_the_loads_of_callables_in_python_to_the_bit(tmp_path):
    made = run(
        modes(write(tmp_path / "s.npz", SECTION, droop, heave), more=", phases_deg = [0, 9]")
    )

    law = km.motion.vibrate([droop, heave], [0.05, 0.02], k=0.3, phases_deg=[0, 9])
    mine = km.Ale(
        SECTION, mach=0.4, motion=km.motion.pitch(3.0, 0.2) + law, deform=km.deform.Modal(),
        settings=km.AleSettings(unsteady_drop=0.1), device="cpu",
    ).run(time_step=0.5, steps=4, start="as is", preflight=False)  # fmt: skip
    assert set(made.history.columns) == set(mine.history.columns)
    assert {"mode_1", "mode_2", "mode_force_2", "power_bending"} <= set(made.history.columns)
    for name in mine.history.columns:
        assert np.array_equal(made.history[name], mine.history[name], equal_nan=True), name
    words = summary.table(made.summary)
    assert "pitch + vibration" in words
    assert "shapes (1 of s.npz, 2 of s.npz)" in words
    assert made.summary["asked"][0]["shapes_2"] == "2 of s.npz"


@pytest.mark.flow
def test_a_run_of_a_file_is_resumed_to_the_bit_and_not_with_other_numbers(tmp_path):
    file = write(tmp_path / "s.npz", SECTION, droop, heave)
    whole = run(modes(file)).history
    out = tmp_path / "run"
    run(modes(file), run={"steps": 2, "out": str(out)})
    write(file, SECTION, droop, lambda points: heave(points) * 1.0001)
    with pytest.raises(
        CaseError, match=r"of another run: shapes.* of s\.npz there, .* of s\.npz h"
    ):
        run(modes(file), run={"out": str(out)}, resume=True)
    with pytest.raises(CaseError, match="of another run: motion"):
        run(modes(write(file, SECTION, droop, heave), "[0.05, 0.03]"), run={"out": str(out)},
            resume=True)  # fmt: skip
    again = run(modes(file), run={"out": str(out)}, resume=True).history
    for name in whole.columns:
        assert np.array_equal(whole[name], again[name], equal_nan=True), name


@pytest.mark.flow
def test_a_case_in_the_units_of_its_mesh_has_the_loads_of_one_in_chords(tmp_path):
    """A chord of 300 against one of 1, all lengths of the shapes with it."""
    km.mesh.write_su2(SECTION, tmp_path / "m.su2")

    def history(scale):
        file = write(tmp_path / f"s{scale}.npz", SECTION, droop, heave, scale=scale)
        mesh = {"file": str(tmp_path / "m.su2"), "scale": scale, "walls": ["airfoil"]}
        flow = {"mach": 0.4, "chord": scale, "moment_about": [0.25 * scale, 0.0]}
        jobs = {"time_step": 0.5 * scale, "steps": 4, "device": "cpu", "start": "as is",
                "preflight": False}  # fmt: skip
        table = modes(file).replace("k = 0.2", f"k = 0.2, about = [{0.25 * scale}, 0.0]")
        made = plane(table, "modal", mesh=mesh, flow=flow, run=jobs,
                     solver={"unsteady_drop": 0.1})  # fmt: skip
        return made.run().history

    one, large = history(1.0), history(300.0)
    for name in ("cl", "cd", "cm", "mode_1", "mode_2", "mode_force_1", "mode_force_2"):
        assert large[name] == pytest.approx(one[name], rel=1e-6, abs=1e-9), name
    for name in ("power", "power_bending"):  # over a time, that of a length at a_inf
        assert 300 * large[name] == pytest.approx(one[name], rel=1e-6, abs=1e-9), name
    assert np.abs(one["mode_force_1"]).min() > 1e-4


@pytest.mark.long
@pytest.mark.flow
def test_sweeps_vary_k_and_amplitudes_and_know_their_files(tmp_path):
    file = write(tmp_path / "s.npz", SECTION, droop)
    table = f"modes = {{ file = '{file}', amplitudes = 0.1, k = 0.3 }}"
    base = plane(table, "modal", solver={"unsteady_drop": 0.5, "steady_drop": 0.1})
    over = {"motion.modes.k": [0.2, 0.4], "motion.modes.amplitudes": [0.02, 0.04]}
    found = km.sweep(base, over, out=tmp_path / "sweep")
    assert found.sizes["k"] == found.sizes["amplitudes"] == 2
    identity = json.loads((tmp_path / "sweep" / "sweep.json").read_text())["identity"]
    assert list(identity["files"]) == [str(file)]
    lift = found["cl_amplitude"] if "cl_amplitude" in found else found["cl"]
    assert np.isfinite(np.asarray(lift)).all()
    write(file, SECTION, heave)
    with pytest.raises(CaseError, match=r"holds another sweep: .*s\.npz"):
        km.sweep(base, over, out=tmp_path / "sweep", resume=True)


def test_sweeps_over_files_of_shapes_know_what_these_hold(tmp_path):
    files = [
        str(write(tmp_path / f"{j}.npz", SECTION, own)) for j, own in enumerate((droop, heave))
    ]
    base = plane(f"modes = {{ file = '{files[0]}', amplitudes = 0.1, k = 0.3 }}", "modal")
    asked = asked_of(base, {"over": {"motion.modes.file": files}})
    assert list(asked.identity()["files"]) == files
    assert len(set(asked.identity()["files"].values())) == 2


# ---------------------------------------------------------------- wing-bend


def test_the_ready_wing_bends_and_twists_a_quarter_of_a_cycle_apart():
    ready = km.cases.load("wing-bend")
    law = ready.motion.build(ready.chord())
    shapes = [km.motion.clamped_bending(4.0), km.motion.clamped_torsion(4.0)]
    assert law == km.motion.vibrate(shapes, [0.2, 0.05], k=0.2, phases_deg=[90, 0])
    assert (ready.flow.mach, ready.mesh.span, ready.flow.reference_area) == (0.5, 4.0, 4.0)
    sizes = [ready.replace(nodes=name).mesh.nodes for name in ("coarse", "medium", "fine")]
    assert sizes == [12_000, 40_000, 150_000]
    quick = km.cases.load("wing-bend", ["motion.modes.k=0.3", "motion.modes.amplitudes=[0.1, 0]"])
    assert quick.motion.build(1.0).amplitudes == (0.1, 0.0)
    assert quick.title == ""  # which would tell of another k


@pytest.mark.long
def test_cells_of_the_ready_wing_bear_its_cycle():
    """At least 95 % of the least angle of the mesh at rest."""
    few = km.cases.load("wing-bend", ["run.steps_per_cycle=4", "run.cycles=1"])
    report = km.cases.check.check(few.replace(nodes="coarse", device="cpu"))
    assert report.good, str(report)
    rows = {name: text for name, _, text in report.rows}
    rest = float(rows["quality"].partition("least dihedral angle ")[2].split()[0])
    least = float(rows["pre-flight"].partition("least dihedral ")[2].split()[0])
    assert 0.95 * rest < least < rest
