"""Shapes from files: numbers as they stand, splines between them, and what is no such file."""

import kinemesh as km
import numpy as np
import pytest

SECTION = km.mesh.airfoil("naca0012", nodes=500, far_field=6.0)
WING = km.mesh.extruded(SECTION, span=2.0, layers=2, cells="tets")
BENDING, TORSION = km.motion.clamped_bending(2.0), km.motion.clamped_torsion(2.0)
SPRINGS = km.deform.TorsionalSprings()
pytestmark = pytest.mark.filterwarnings("ignore::kinemesh.errors.KinemeshWarning")


def linear(points):
    """A linear function of places in a wing, that leaves y = 0 and y = 2 in their planes."""
    found = points @ np.array([[0.3, 0.0, -0.2], [0.1, 0.0, 0.4], [0.2, 0.0, 0.5]])
    return found + np.array([0.02, 0.0, -0.1])


def nodes(mesh, marker="airfoil"):
    """Nodes of a mesh's wall, in no order."""
    found = mesh.points[np.unique(mesh.boundaries[marker])]
    return found[np.random.default_rng(3).permutation(len(found))]


def written(path, points, *shapes):
    """A file of shapes at points: .npz or .csv."""
    values = np.stack([shape(points) for shape in shapes], axis=1)
    if path.suffix == ".npz":
        np.savez(path, points=points, displacements=values)
        return path
    axes = "xyz"[: points.shape[1]]
    names = [*axes, *(f"d{a}{j + 1}" for j in range(len(shapes)) for a in axes)]
    rows = np.column_stack([points, values.reshape(len(points), -1)])
    lines = [",".join(map(repr, map(float, row))) for row in rows]
    path.write_text("\n".join([",".join(names), *lines]))
    return path


def at_walls(shapes, mesh=WING, deform=SPRINGS):
    """(wall nodes, count, d) of shapes at the walls of a case."""
    law = km.motion.vibrate(shapes, [0.1] * len(shapes), k=0.2)
    return km.Ale(mesh, mach=0.4, motion=law, deform=deform, device="cpu").grid.vertices.shapes


@pytest.mark.parametrize("end", [".npz", ".csv"])
def test_shapes_at_the_nodes_of_the_walls_are_those_of_callables_to_the_bit(tmp_path, end):
    file = written(tmp_path / f"s{end}", nodes(WING), BENDING, TORSION)

    found = at_walls(km.motion.shapes_from(file))

    assert np.array_equal(found.values, at_walls([BENDING, TORSION]).values)
    # a rounding of the mesh's own writer away
    moved = nodes(WING) * (1 + 4e-10)
    near = at_walls(km.motion.shapes_from(written(tmp_path / f"m{end}", moved, BENDING, TORSION)))
    assert np.abs(near.values - found.values).max() < 1e-8
    assert not np.array_equal(near.values, found.values)


def test_linear_shapes_between_points_are_exact(tmp_path):
    points = np.random.default_rng(5).uniform([0, 0, -0.06], [1, 2, 0.06], (60, 3))
    file = written(tmp_path / "s.npz", points, linear)

    found = at_walls(km.motion.shapes_from(file)).values

    assert np.abs(found - at_walls([linear]).values).max() < 1e-9


def test_shapes_in_the_plane_are_of_two_columns(tmp_path):
    def droop(points):
        return np.stack([0.1 * points[:, 1], -0.3 * points[:, 0] + 0.2], axis=1)

    points = np.random.default_rng(5).uniform([0, -0.06], [1, 0.06], (30, 2))
    (shape,) = km.motion.shapes_from(written(tmp_path / "s.csv", points, droop))
    found = at_walls([shape], SECTION).values
    assert np.abs(found - at_walls([droop], SECTION).values).max() < 1e-9


@pytest.mark.parametrize("camber", [0.0, 1e-9, 1e-4, 0.01])
def test_points_of_a_plate_move_both_sides_of_the_wing_alike(tmp_path, camber):
    """Splines in space through a plate of little camber are wrong by several amplitudes."""
    x, y = np.meshgrid(np.linspace(0, 1, 9), np.linspace(0, 2, 13))
    z = 4 * camber * x * (1 - x)
    points = np.stack([x, y, z], axis=-1).reshape(-1, 3)
    (shape,) = km.motion.shapes_from(written(tmp_path / "s.npz", points, BENDING))

    found = at_walls([shape]).values[:, 0]

    wall = nodes(WING)
    error = np.abs(shape(wall) - BENDING(wall)).max()
    assert error < 2e-3
    if camber < 1e-6:  # a plate as numbers have it: one point above it is moved, too
        above = points[50:51] + np.array([0.01, 0.01, 0.06])
        assert np.abs(shape(above) - BENDING(above)).max() < 2e-3
    assert np.abs(found[:, 2]).max() == pytest.approx(1.0, abs=2e-3)


def test_points_of_a_beam_carry_whole_sections(tmp_path):
    y = np.linspace(0, 2, 21)
    points = np.stack([0.4 + 0.1 * y, y, 0 * y], axis=1)
    (shape,) = km.motion.shapes_from(written(tmp_path / "s.npz", points, BENDING))
    wall = np.array([[0.4, 0.0, 0.0], [0.5, 1.0, 0.0], [0.6, 2.0, 0.0]])
    assert np.abs(shape(wall) - BENDING(wall)).max() < 1e-3
    across = np.array([[-0.2, 0.02, 0.06], [0.2, -0.02, 0.0]])  # sections across the beam
    assert np.abs(np.diff(shape(wall[1] + across), axis=0)).max() < 1e-12


def test_a_file_is_read_once_and_anew_where_it_has_changed(tmp_path):
    file = written(tmp_path / "s.npz", nodes(WING), BENDING)
    (first,) = km.motion.shapes_from(file)
    assert km.motion.shapes_from(file)[0].file is first.file
    written(file, nodes(WING), BENDING, TORSION)
    again = km.motion.shapes_from(file)
    assert len(again) == 2
    assert again[0].file.content != first.file.content
    wall = nodes(WING)
    assert np.array_equal(first(wall), BENDING(wall))  # a copy: what was read stays
    with pytest.raises(ValueError, match="read-only"):
        first.file.points[0] = 0.0


def test_runs_are_told_apart_by_all_that_their_files_hold(tmp_path):
    wall = nodes(WING)
    alike = [at_walls(km.motion.shapes_from(written(tmp_path / "s.npz", points, BENDING)))
             for points in (wall, wall, np.concatenate([wall, [[0.5, 1.0, 0.0]]]))]  # fmt: skip
    first, again, other = (shapes.prints["0: airfoil"] for shapes in alike)
    assert np.array_equal(alike[0].values, alike[2].values)
    assert first == again
    assert first != other
    assert first.endswith(" of s.npz")


def test_copies_of_the_values_are_the_users_own(tmp_path):
    (shape,) = km.motion.shapes_from(written(tmp_path / "s.npz", nodes(WING), BENDING))
    wall = nodes(WING)
    shape(wall)[:] = 7.0
    assert np.array_equal(shape(wall), BENDING(wall))


GOOD = "x,y,dx1,dy1\n0,0,0,1\n1,0,0,1\n0,1,0,1\n"


@pytest.mark.parametrize(
    ("text", "match"),
    [
        (GOOD.replace("dy1", "dy2"), "column 'dy2' is none of shapes; did you mean 'dy1'"),
        (GOOD.replace("dx1,dy1", "dx1,dz1"), "column 'dz1' is none of shapes"),
        (GOOD.replace("y,", "z,", 1), "is none of shapes"),
        ("x,y\n0,1\n1,1\n", "no column 'dx1', expected x, y, z, dx1, dy1"),
        ("x,dx1\n0,1\n1,1\n", "no column 'y'"),
        ("x,y,dx1,dy1,dx2\n0,0,1,1,1\n", "column 'dx2' is none of shapes"),
        (GOOD.replace("1\n0,1", "nan\n0,1"), r"displacements\[1, 0, 1\] is nan, expected finite"),
        (GOOD.replace("0,0,0,1", "inf,0,0,1"), r"points\[0, 0\] is inf, expected finite"),
        (GOOD.replace("1,0,0,1", "1,0,0"), "line 3 has 3 numbers"),
        ("x,y,dx1,dy1\n", "no row of numbers"),
    ],
)
def test_tables_that_are_none_of_shapes_are_refused(tmp_path, text, match):
    path = tmp_path / "s.csv"
    path.write_text(text)
    with pytest.raises((km.SettingsError, km.CaseError), match=rf"s\.csv: .*{match}"):
        km.motion.shapes_from(path)
    path.write_text(GOOD)
    assert len(km.motion.shapes_from(path)) == 1


POINTS, VALUES = np.eye(3), np.ones((3, 2, 3))


@pytest.mark.parametrize(
    ("arrays", "match"),
    [
        ({"points": POINTS}, "arrays points, expected points and displacements"),
        ({"points": POINTS, "displacements": VALUES, "k": 1}, "arrays points, displacements, k"),
        ({"points": POINTS, "displacements": VALUES[:2]}, r"displacements \(2, 2, 3\), expected"),
        ({"points": POINTS, "displacements": VALUES[..., :2]}, r"displacements \(3, 2, 2\)"),
        ({"points": POINTS, "displacements": VALUES[:, 0]}, r"displacements \(3, 3\), expected"),
        ({"points": POINTS, "displacements": VALUES[:, :0]}, r"displacements \(3, 0, 3\)"),
        ({"points": POINTS[0], "displacements": VALUES}, r"points \(3,\)"),
        ({"points": POINTS[:, :1], "displacements": VALUES[..., :1]}, r"points \(3, 1\)"),
        ({"points": POINTS[:0], "displacements": VALUES[:0]}, "no points"),
        ({"points": POINTS, "displacements": VALUES * 1j}, "complex128, expected real numbers"),
        ({"points": POINTS, "displacements": VALUES * np.nan}, "is nan, expected finite"),
        ({"points": POINTS, "displacements": VALUES * 1e101}, "is 1e.101, expected finite"),
    ],
)
def test_arrays_that_are_none_of_shapes_are_refused(tmp_path, arrays, match):
    np.savez(tmp_path / "s.npz", **arrays)
    with pytest.raises(km.SettingsError, match=rf"s\.npz: .*{match}"):
        km.motion.shapes_from(tmp_path / "s.npz")


def test_files_that_are_not_there_or_cannot_be_read_are_refused(tmp_path):
    with pytest.raises(km.CaseError, match=r"none\.npz: cannot read the shapes \(No such file"):
        km.motion.shapes_from(tmp_path / "none.npz")
    with pytest.raises(km.CaseError, match="the file of shapes is 7, expected its name"):
        km.motion.shapes_from(7)
    path = tmp_path / "s.npz"
    for data in (b"", b"x,y\n1,2\n", b"PK\x03\x04broken"):
        path.write_bytes(data)
        with pytest.raises(km.CaseError, match=r"s\.npz: cannot read the shapes .*numpy\.savez"):
            km.motion.shapes_from(path)
    np.savez(path, points=np.array([{}], object), displacements=VALUES)
    with pytest.raises(km.CaseError, match="cannot read the shapes"):
        km.motion.shapes_from(path)


def test_shapes_have_names_by_formula_and_by_file(tmp_path):
    (file,) = km.motion.shapes_from(written(tmp_path / "s.npz", nodes(WING), BENDING))
    own = [file, TORSION, linear, *km.motion.twist(3, 0.2, 2.0).shapes]

    assert at_walls(own).names == {"0: airfoil": ["shape 1 of s.npz", "torsion", "", "twist"]}
    assert at_walls([linear]).names == {}
    with pytest.raises(km.SettingsError, match=r"shape 2 \(nothing\) of 'airfoil' is zero at all"):
        at_walls([file, Nothing()])


class Nothing:
    title = "nothing"

    def __call__(self, points):
        return 0 * points


def test_points_of_another_dimension_are_refused(tmp_path):
    (flat,) = km.motion.shapes_from(written(tmp_path / "f.npz", nodes(SECTION), lambda p: p))
    with pytest.raises(
        km.SettingsError, match=r"shape 1 of 'airfoil': f\.npz has points of 2 coordinates, and"
    ):
        at_walls([flat])
    (solid,) = km.motion.shapes_from(written(tmp_path / "s.npz", nodes(WING), BENDING))
    with pytest.raises(km.SettingsError, match="points of 3 coordinates, and the body has 2; give"):
        at_walls([solid], SECTION)


def test_points_of_another_body_or_in_other_units_are_refused(tmp_path):
    wall = nodes(WING)[::4]

    def shapes(points):
        return km.motion.shapes_from(written(tmp_path / "s.npz", points, linear))

    at_walls(shapes(wall + np.array([0, 0, 0.49 + 0.12])))  # half a chord above the upper side
    with pytest.raises(km.SettingsError, match=r"farther than half a chord from the body, .* z -0"):
        at_walls(shapes(wall + np.array([0, 0, 0.51 + 0.12])))
    at_walls(shapes(wall * [1, 0.4, 1]))  # points on the inner part alone
    at_root = np.concatenate([wall, [[0.0, 0.0, 0.0]]])  # a place that all units share
    for factor in (300.0, 0.2):
        with pytest.raises(km.SettingsError, match=r"no point within .* chords of some nodes"):
            at_walls(shapes(factor * at_root))


def test_too_many_points_are_not_interpolated_and_taken_as_they_stand_at_the_nodes(tmp_path):
    wall = nodes(WING)
    more = np.random.default_rng(1).uniform([0, 0, -0.06], [1, 2, 0.06], (5001, 3))
    (shape,) = km.motion.shapes_from(written(tmp_path / "s.npz", more, BENDING))
    with pytest.raises(km.SettingsError, match=r"5001 points, and none where.* at most 5000"):
        at_walls([shape])
    (shape,) = km.motion.shapes_from(
        written(tmp_path / "n.npz", np.concatenate([more, wall]), BENDING)
    )
    assert np.array_equal(shape(wall), BENDING(wall))


@pytest.mark.parametrize("points", [np.ones((4, 3)) * 0.1, np.zeros((1, 3))])
def test_points_that_carry_no_spline_are_refused(tmp_path, points):
    (shape,) = km.motion.shapes_from(written(tmp_path / "s.npz", points, linear))
    with pytest.raises(km.SettingsError, match="no smooth shape goes through its"):
        shape(nodes(WING))


def test_splines_may_cross_a_plane_of_symmetry_a_little_and_do_not(tmp_path):
    """Sections of a beam that turn with it, of which a point in three is in the file."""

    def turned(points):
        y = points[:, 1]
        return np.stack([0 * y, -points[:, 2] * np.sin(np.pi * y / 2), 1 - np.cos(np.pi * y)], 1)

    some = nodes(WING)[::3]
    (shape,) = km.motion.shapes_from(written(tmp_path / "s.npz", some, turned))
    made = at_walls([shape])
    wall = made.vertices.points[made.vertices.wall.node]
    ends = np.isin(wall[:, 1], [0.0, 2.0])
    assert np.abs(made.values[ends, 0, 1]).max() == 0.0
    assert np.abs(shape(wall)[ends, 1]).max() > 1e-6
    assert np.array_equal(made.values[~ends, 0], shape(wall)[~ends])
    assert np.array_equal(made.values[ends, 0, ::2], shape(wall)[ends, ::2])


@pytest.mark.parametrize("share", [0.0099, 0.0101])
def test_one_per_cent_of_a_shape_is_little(tmp_path, share):
    file = written(tmp_path / "s.npz", nodes(WING), lambda p: 0 * p + np.array([0, share, 1.0]))
    (shape,) = km.motion.shapes_from(file)
    if share < 0.01:
        assert np.abs(at_walls([shape]).values[..., 1]).min() == 0.0
        with pytest.raises(km.SettingsError, match="across its plane of symmetry"):
            at_walls([lambda points: shape(points)])  # of a function nothing is taken out
    else:
        with pytest.raises(km.SettingsError, match="across its plane of symmetry"):
            at_walls([shape])


def test_shapes_across_a_plane_of_symmetry_are_refused(tmp_path):
    file = written(tmp_path / "s.npz", nodes(WING), lambda p: 0 * p + [0, 0.1, 1.0])
    with pytest.raises(
        km.SettingsError, match=r"shape 1 of .airfoil. moves the point .* by 0\.1 ac"
    ):
        at_walls(km.motion.shapes_from(file))
