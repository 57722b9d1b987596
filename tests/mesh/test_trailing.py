"""Trailing edges of coordinate files: what is said of a gap, what is refused, what is kept."""

import warnings

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import CloudError, MeshError
from kinemesh.mesh import section

pytestmark = pytest.mark.no_sanitizer

SPREAD = np.sign(np.linspace(1, -1, 161))


def points_of(gap):
    """Points of the NACA 0012 with its sides drawn apart by a gap, from the upper end on."""
    points = section("naca0012").points(np.linspace(0, 1, 161))
    return points + np.stack([0 * SPREAD, 0.5 * gap * SPREAD * points[:, 0]], axis=1)


def written(path, points):
    path.write_text("a section\n" + "\n".join(f"{x:.7f} {y:.7f}" for x, y in points) + "\n")
    return path


def test_a_small_gap_is_closed_with_a_warning_and_a_note_that_name_it(tmp_path):
    path = written(tmp_path / "s.dat", points_of(0.004))

    with pytest.warns(UserWarning, match=r"s\.dat: trailing edge of 0\.004 chords closed; .*open"):
        shape = section(path)

    assert shape.gap == 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert section(path, "closed").notes == shape.notes
        assert any("0.004 chords closed" in note for note in shape.notes)
        assert any("0.004 chords made sharp" in note for note in section(path, "sharp").notes)
        assert section(path, "open").notes == ()


def test_a_gap_above_half_a_percent_is_refused_until_it_is_spoken_of(tmp_path):
    path = written(tmp_path / "flatback.dat", points_of(0.04))
    message = r"flatback\.dat: the trailing edge is 0\.04 chords thick, expected at most 0\.005"

    doors = [
        lambda: section(path),
        lambda: km.mesh.airfoil(path, 2000),
        lambda: km.mesh.airfoil(path, 2000, topology="c"),
        lambda: km.mesh.airfoil(path, 2000, far_field=1.0, outer="overset"),
        lambda: km.cloud.airfoil(path, 2000),
        lambda: km.cloud.wing(path, 20_000),
    ]
    for door in doors:
        refused = pytest.raises(
            (MeshError, CloudError), match=message + r".*'open'.*'closed'.*20 %"
        )
        with refused:
            door()
    assert section(path, "open").gap == pytest.approx(0.04, abs=1e-7)  # digits of the file
    assert section(path, "closed").gap == section(path, "sharp").gap == 0.0


@pytest.mark.long
def test_notes_of_the_gap_go_with_meshes_and_clouds(tmp_path):
    path = written(tmp_path / "s.dat", points_of(0.004))

    made = [
        km.mesh.airfoil(path, 1000, trailing_edge="closed"),
        km.cloud.airfoil(path, 1000, trailing_edge="closed"),
        km.cloud.wing(path, 20_000, trailing_edge="closed"),
    ]

    for space in made:
        assert any("0.004 chords closed" in note for note in space.origin.notes)
    assert any("chords closed" in note for note in section("naca2440").notes)  # 0.84 % by name
    assert section("naca0012").notes == ()
    assert "flap of 0.0058" in km.cloud.three_element(5000).origin.notes[0]


@pytest.mark.parametrize("gap", [0.003, 0.04, 0.2])
@pytest.mark.parametrize("listed", ["closed", "filled", "from the middle", "from below"])
def test_points_on_the_base_are_no_part_of_the_sides(tmp_path, gap, listed):
    open_ended = points_of(gap)
    upper, lower = open_ended[0], open_ended[-1]
    inner = lower + np.linspace(0, 1, 5)[1:-1, None] * (upper - lower)
    listings = {
        "closed": [open_ended, upper[None]],
        "filled": [open_ended, inner, upper[None]],
        "from the middle": [inner[1:], open_ended, inner[:2]],
        "from below": [lower[None], open_ended[:-1]],
    }
    path = written(tmp_path / "based.dat", np.concatenate(listings[listed]))
    plain = written(tmp_path / "plain.dat", open_ended)

    one, two = section(path, "open"), section(plain, "open")

    assert one.gap == pytest.approx(gap, abs=2e-7)
    u = np.linspace(0, 1, 400)
    assert np.abs(one.points(u) - two.points(u)).max() < 1e-12
    if gap > 0.005:
        with pytest.raises(MeshError, match="the trailing edge is"):
            section(path)


def ellipse(thickness=0.12, count=80):
    angle = 2 * np.pi * np.arange(count) / count
    return np.stack([0.5 + 0.5 * np.cos(angle), 0.5 * thickness * np.sin(angle)], axis=1)


@pytest.mark.parametrize("change", [lambda p: p, lambda p: p[::-1], lambda p: np.roll(p, 20, 0)])
@pytest.mark.parametrize("ended", [True, False])
@pytest.mark.parametrize("edge", [None, "closed", "open"])
def test_a_smooth_outline_is_told_apart_from_points_in_a_wrong_order(tmp_path, change, ended, edge):
    points = change(ellipse())
    points = np.concatenate([points, points[:1]]) if ended else points
    path = written(tmp_path / "smooth.dat", points)

    with pytest.raises(MeshError, match=r"outline has no sharp edge.*km\.mesh\.around.*curve = "):
        section(path, edge)


def test_a_list_that_starts_at_the_nose_is_told_where_its_edge_is(tmp_path):
    path = written(tmp_path / "nose.dat", np.roll(points_of(0.0)[:-1], 80, axis=0))

    with pytest.raises(MeshError, match=r"start and end at the trailing edge; they start at \(0, "):
        section(path)
    with pytest.raises(MeshError, match=r"rearmost corner is at \(1, 0\)"):
        section(path)


def test_a_section_of_a_smooth_curve_is_refused_for_what_it_is():
    def curve(u):
        z = 0.5 + 0.5 * np.cos(2 * np.pi * u) + 0.06j * np.sin(2 * np.pi * u)
        return z, np.pi * (-np.sin(2 * np.pi * u) + 0.12j * np.cos(2 * np.pi * u))

    with pytest.raises(MeshError, match=r"at \(1, .*turns by -?0 degrees.*km\.mesh\.around"):
        km.mesh.airfoil(km.mesh.Section("oval", curve, 0.0, symmetric=False), 1000)


@pytest.mark.parametrize("name", ["naca0012", "naca4412", "naca0024"])
def test_coarse_lists_with_a_sharp_edge_are_sections(tmp_path, name):
    for count in (15, 21, 41):
        path = written(tmp_path / "coarse.dat", section(name).points(np.linspace(0, 1, count)))
        assert section(path).gap == 0.0


@pytest.mark.parametrize("thickness", [0.05, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("count", [24, 40, 200])
def test_the_tips_of_coarse_ellipses_are_no_edges(tmp_path, thickness, count):
    path = written(tmp_path / "oval.dat", ellipse(thickness, count))

    with pytest.raises(MeshError, match="outline has no sharp edge"):
        section(path)


@pytest.mark.slow
@pytest.mark.flow
def test_an_open_base_has_the_drag_that_a_closed_one_hides(tmp_path):
    """On 2000 nodes measured: closed 0.0074, open 0.0294 and 0.0258 (O- and C-mesh)."""
    path = written(tmp_path / "flatback.dat", points_of(0.04))

    def drag(edge, topology):
        mesh = km.mesh.airfoil(path, 2000, trailing_edge=edge, topology=topology)
        return float(km.Ale(mesh, mach=0.2, alpha_deg=4.0).steady().history["cd"][-1])

    closed, one, other = drag("closed", "o"), drag("open", "o"), drag("open", "c")

    assert closed < 0.01
    assert one > 2.5 * closed
    assert other == pytest.approx(one, rel=0.2)  # the base's flow is the mesh's without viscosity


@pytest.mark.slow
@pytest.mark.flow
def test_viscous_flow_about_an_open_base_is_one_on_both_topologies(tmp_path):
    path = written(tmp_path / "flatback.dat", points_of(0.04))
    loads = []
    for topology in "oc":
        mesh = km.mesh.airfoil(path, 6000, trailing_edge="open", topology=topology)
        run = km.Incompressible(mesh, reynolds=300.0, alpha_deg=4.0).steady()
        loads.append([float(run.history[name][-1]) for name in ("cl", "cd")])

    # 1.2 % on 6000 nodes
    assert loads[0] == pytest.approx(loads[1], rel=0.025)


def test_a_list_that_runs_back_at_its_end_has_no_base_there(tmp_path):
    """Its two rearmost corners are one place: a base without length."""
    points = points_of(0.0)
    path = written(tmp_path / "back.dat", np.vstack([points, points[-2:]]))

    made = section(path)

    assert made.gap == 0
    assert any("corners at" in note and "rounded by the spline" in note for note in made.notes)


E5 = 1e-5
ENDS = {
    "last behind": [(1, 0), (1 + E5, 0)],
    "last ahead": [(1, 0), (1 - E5, 0)],
    "first behind": [(1 + E5, 0), (1, 0)],
    "first ahead": [(1 - E5, 0), (1, 0)],
    "below": [(1, 0), (1, -E5)],
    "both": [(1 + E5, E5), (1 - E5, -E5)],
    "both, the other way": [(1 - E5, -E5), (1 + E5, E5)],
    "crossing": [(1, -E5), (1, E5)],
    "nearly a ten-thousandth": [(1, 0), (1.00009, 0)],
}
FORMS = {
    "as it is": lambda p: p,
    "clockwise": lambda p: p[::-1],
    "ends twice": lambda p: np.vstack([p[:1], p, p[-1:]]),
}


@pytest.mark.long
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
@pytest.mark.parametrize("ends", ENDS.values(), ids=ENDS.keys())
def test_ends_that_differ_by_a_digit_are_one_sharp_edge_with_a_note(tmp_path, ends, form):
    for name, count in (("naca4412", 41), ("naca0006", 161), ("naca0012", 1201)):
        points = section(name, "closed").points(np.linspace(0, 1, count))
        plain = section(written(tmp_path / "plain.dat", points), "closed")
        points[[0, -1]] = ends
        path = written(tmp_path / "s.dat", form(points))
        gap = np.linalg.norm(np.subtract(*ends))

        with pytest.warns(UserWarning, match=r"s\.dat: trailing edge of \S+e-05 chords closed"):
            found = section(path)

        u = np.linspace(0, 1, 500)
        assert found.gap == 0
        assert np.abs(found.points(u) - plain.points(u)).max() < 2 * gap
        assert f"{gap:.4g} chords closed" in found.notes[0]
        away = np.abs(section(path, "sharp").points(u) - plain.points(u)).max()
        assert away < 5e-4  # 3e-4 of 41 points, whose spline ends with one edge more


def test_ends_that_lie_along_the_chord_have_no_thickness_to_keep(tmp_path):
    points = points_of(0.0)
    for ends, kept in (("last behind", False), ("crossing", False), ("below", True)):
        points[[0, -1]] = ENDS[ends]
        path = written(tmp_path / "s.dat", points)
        if kept:
            assert section(path, "open").gap == pytest.approx(E5)
            continue
        with pytest.raises(MeshError, match=r"no thickness.*'open': its ends lie .* not across it"):
            section(path, "open")
        with pytest.warns(UserWarning, match=r"closed; trailing_edge = 'closed' says"):
            section(path)


@pytest.mark.parametrize("hook", [(1 + E5, 0), (1, 2 * E5), (1 + E5, -E5)])
@pytest.mark.parametrize("place", ["last", "first"])
def test_a_tiny_edge_between_ends_that_are_one_point_is_left_out(tmp_path, hook, place):
    points = points_of(0.0)
    plain = section(written(tmp_path / "plain.dat", points), "closed")
    if place == "last":
        hooked = np.vstack([points[:-1], hook, points[:1]])
    else:
        hooked = np.vstack([points[:1], np.multiply(hook, (1, -1)), points[1:]])
    path = written(tmp_path / "s.dat", hooked)

    found = section(path, "closed")

    u = np.linspace(0, 1, 500)
    assert np.abs(found.points(u) - plain.points(u)).max() < 5e-5
    assert "chords closed" in found.notes[0]


@pytest.mark.long
@pytest.mark.parametrize("thickness", [0.05, 0.12, 1.0])
@pytest.mark.parametrize("count", [24, 80, 1000, 4000])
@pytest.mark.parametrize("last", [(1, 0), (1 + E5, 0), (1 - E5, E5)])
def test_a_smooth_outline_whose_ends_differ_by_a_digit_has_no_edge(
    tmp_path, thickness, count, last
):
    points = np.vstack([ellipse(thickness, count), last])
    path = written(tmp_path / "oval.dat", points)

    with pytest.raises(MeshError, match="outline has no sharp edge"):
        section(path)


@pytest.mark.parametrize(("gap", "closed"), [(0.005, True), (0.0050002, False)])
def test_half_a_percent_of_the_chord_is_the_most_that_is_closed_unasked(tmp_path, gap, closed):
    """By the digits of the file."""
    path = written(tmp_path / "s.dat", points_of(gap))

    if closed:
        with pytest.warns(UserWarning, match="chords closed"):
            assert section(path).gap == 0.0
        return
    with pytest.raises(MeshError, match=r"chords thick, expected at most 0\.005"):
        section(path)


@pytest.mark.parametrize(("gap", "edge"), [(0.35, True), (0.3500002, False)])
def test_a_gap_of_more_than_35_percent_is_no_trailing_edge(tmp_path, gap, edge):
    path = written(tmp_path / "s.dat", points_of(gap))

    if edge:
        assert section(path, "open").gap == pytest.approx(gap, abs=1e-7)
        return
    with pytest.raises(MeshError, match="expected points that start and end at the trailing edge"):
        section(path, "open")


@pytest.mark.parametrize(("end", "edge"), [(0.8, True), (0.7999999, False)])
def test_a_side_that_ends_ahead_of_80_percent_of_the_chord_is_no_trailing_edge(tmp_path, end, edge):
    points = points_of(0.0)
    upper, lower = points[:81], points[80:]
    cut = [end, np.interp(end, *lower.T)]
    path = written(tmp_path / "s.dat", np.vstack([upper, lower[1:][lower[1:, 0] < end], [cut]]))

    if edge:
        assert section(path, "open").gap == pytest.approx(np.hypot(0.2, cut[1]), abs=1e-6)
        return
    with pytest.raises(MeshError, match="expected points that start and end at the trailing edge"):
        section(path, "open")
