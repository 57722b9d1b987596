"""Plot3D grids: blocks, cuts and seams merged, planes of grids in space, and what is refused."""

import lzma

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import MeshError
from kinemesh.mesh.geometry.quality import quality


def written(path, *blocks, count=True, **how):
    """File of blocks (ni, nj[, nk], d): the first index runs fastest."""
    words = [str(len(blocks))] if count else []
    for points in blocks:
        words += [str(n) for n in points.shape[:-1]]
    lines = [" ".join(words)]
    for points in blocks:
        lines += [values(points[..., k], **how) for k in range(points.shape[-1])]
        if how.get("blank") is not None:
            lines.append(" ".join(str(b) for b in how["blank"].ravel(order="F")))
    text = "\n".join(lines) + "\n"
    if path.suffix == ".xz":
        path.write_bytes(lzma.compress(text.encode()))
    else:
        path.write_text(text)
    return path


def values(table, repeats=False, exponent="e", blank=None):
    del blank
    flat, out, k = table.ravel(order="F"), [], 0
    while k < len(flat):
        n = 1
        while repeats and k + n < len(flat) and flat[k + n] == flat[k]:
            n += 1
        out.append(f"{n}*" * (n > 1) + repr(float(flat[k])).replace("e", exponent))
        k += n
    return (",\n " if repeats else " ").join(out)


def plate(ni=5, nj=4, x0=0.0):
    i, j = np.meshgrid(np.arange(ni), np.arange(nj), indexing="ij")
    return np.stack([x0 + i + 0.1 * j, j * 1.5 + 0.05 * i], axis=-1).astype(float)


def c_grid(layers=6, around=16, wake=5):
    """Ellipse with a cut behind it that stands twice, from the lower to the upper side."""
    turn = np.linspace(-np.pi, np.pi, around + 1)  # from the rear, along the lower side
    body = np.stack([0.5 * np.cos(turn + np.pi), 0.2 * np.sin(turn + np.pi)], axis=1)
    body[[0, -1]] = [0.5, 0.0]
    behind = np.stack([np.linspace(6.0, 0.5, wake + 1)[:-1], np.zeros(wake)], axis=1)
    inner = np.concatenate([behind, body[::-1], behind[::-1]])
    angle = np.linspace(-0.5 * np.pi, -1.5 * np.pi, around + 1)
    outer = 8.0 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    low = np.stack([behind[:, 0], np.full(wake, -8.0)], axis=1)
    outer = np.concatenate([low, outer, low[::-1] * [1, -1]])
    share = np.linspace(0, 1, layers + 1)[None, :, None] ** 2
    return inner[:, None] * (1 - share) + outer[:, None] * share


def solid(n=(3, 4, 5)):
    i, j, k = np.meshgrid(*map(np.arange, n), indexing="ij")
    return np.stack([i + 0.1 * k, j + 0.2 * i, k * 1.0], axis=-1).astype(float)


@pytest.mark.parametrize("count", [True, False])
@pytest.mark.parametrize("name", ["a.p2dfmt", "a.xyz", "a.p3d.xz"])
def test_a_block_of_the_plane_has_its_points_and_sides(tmp_path, count, name):
    points = plate()

    mesh = km.mesh.read(written(tmp_path / name, points, count=count))

    assert mesh.points == pytest.approx(points.transpose(1, 0, 2).reshape(-1, 2), abs=0)
    assert len(mesh.blocks["quads"]) == 12
    assert {name: len(own) for name, own in mesh.boundaries.items()} == {
        "imin": 3, "imax": 3, "jmin": 4, "jmax": 4,
    }  # fmt: skip
    assert np.ptp(mesh.points[mesh.boundaries["jmin"]][..., 1]) == pytest.approx(0.2)
    assert quality(mesh).min_area == pytest.approx(1.5 - 0.1 * 0.05)


@pytest.mark.parametrize("how", [{"repeats": True}, {"exponent": "D"}, {"exponent": "d"}])
def test_repeat_counts_and_exponents_of_fortran_are_read(tmp_path, how):
    points = plate() * 1e-7
    points[..., 1] = np.round(points[..., 1] * 1e7) * 1e-7

    mesh = km.mesh.read(written(tmp_path / "a.p2dfmt", points, **how))

    assert mesh.points == pytest.approx(points.transpose(1, 0, 2).reshape(-1, 2), abs=0)


@pytest.mark.parametrize("hand", [1, -1])
def test_a_wake_cut_is_one_line_and_the_rest_of_its_side_the_body(tmp_path, hand):
    points = c_grid()[::hand]

    mesh = km.mesh.read(written(tmp_path / "a.p2dfmt", points))

    assert len(mesh.points) == points[..., 0].size - 6
    assert len(mesh.boundaries["jmin"]) == 16
    ends, times = np.unique(mesh.boundaries["jmin"], return_counts=True)
    assert len(ends) == 16
    assert (times == 2).all()
    assert quality(mesh).min_area > 0
    assert "merged 6 node(s)" in mesh.origin.notes[0]


def test_a_flow_on_it_is_that_on_the_same_mesh_in_another_format(tmp_path):
    mesh = km.mesh.read(written(tmp_path / "a.p2dfmt", c_grid(12, 24, 8)))
    km.mesh.write(mesh, tmp_path / "a.su2")
    few = km.AleSettings(steady_iterations=5)

    def loads(mesh):
        with pytest.warns(RuntimeWarning, match="residual"):
            run = km.Ale(mesh, mach=0.4, alpha_deg=3.0, settings=few, device="cpu").steady()
        return [run.summary["result"][name] for name in ("cl", "cd", "cm")]

    assert loads(mesh) == loads(km.mesh.read(tmp_path / "a.su2"))


@pytest.mark.parametrize("hand", [1, -1])
def test_a_block_in_space_has_hexahedra_of_its_volume(tmp_path, hand):
    mesh = km.mesh.read(written(tmp_path / "a.p3dfmt", solid()[::hand]))

    assert len(mesh.blocks["hexahedra"]) == 24
    assert {name: len(own) for name, own in mesh.boundaries.items()} == {
        "imin": 12, "imax": 12, "jmin": 8, "jmax": 8, "kmin": 6, "kmax": 6,
    }  # fmt: skip
    assert not mesh.origin.notes
    corner = mesh.points[mesh.blocks["hexahedra"]]
    a, b, c = (corner[:, k] - corner[:, 0] for k in (1, 3, 4))
    assert (np.cross(a, b) * c).sum(axis=1) == pytest.approx(np.ones(24))


def test_blocks_that_meet_are_one_mesh(tmp_path):
    left, right = plate(), plate(x0=4.0)
    right[..., 1] += 0.2

    mesh = km.mesh.read(written(tmp_path / "a.p2dfmt", left, right))

    assert len(mesh.points) == 2 * 20 - 4
    assert "block1.imax" not in mesh.boundaries
    assert "block2.imin" not in mesh.boundaries
    assert len(mesh.boundaries["block2.imax"]) == 3


@pytest.mark.parametrize("side", [0, 1, 2])
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("planes", [1, 2])
def test_one_layer_between_planes_alike_is_a_mesh_of_the_plane(tmp_path, side, axis, planes):
    flat = plate()
    points = np.stack([np.insert(flat, axis, 0.7 * k, axis=-1) for k in range(planes)], axis=side)

    mesh = km.mesh.read(written(tmp_path / "a.p3dfmt", points))

    assert mesh.dimensions == 2
    assert mesh.points == pytest.approx(flat.transpose(1, 0, 2).reshape(-1, 2), abs=0)
    assert f"one layer of cells along {'xyz'[axis]}" in mesh.origin.notes[0]


@pytest.mark.parametrize("change", [1e-6, 0.3])
def test_one_layer_between_planes_unlike_stays_in_space(tmp_path, change):
    flat = plate()
    points = np.stack([np.insert(flat * (1 + change * k), 1, 0.7 * k, axis=-1) for k in range(2)])
    assert km.mesh.read(written(tmp_path / "a.p3dfmt", points)).dimensions == 3


def test_points_that_are_not_blanked_are_read_and_blanked_ones_refused(tmp_path):
    points, blank = plate(), np.ones((5, 4), int)
    assert len(km.mesh.read(written(tmp_path / "a.xyz", points, blank=blank)).points) == 20
    blank[1, 2] = 0
    with pytest.raises(MeshError, match=r"points that are blanked .* expected none"):
        km.mesh.read(written(tmp_path / "b.xyz", points, blank=blank))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1\n5 4\n0 1 2", "6 numbers that begin with 1, 5, 4, 0, expected a Plot3D grid"),
        ("", "0 numbers"),
        ("1\n2 2\n0 1 0 1\n0 0 one 1\n", "line 4: 'ONE'"),
        ("1\n2 2\n0 1 0 1\n0 0 2* 1\n", r"line 4: '2\*'"),
        ("1\n2 2\n0 1 0 1\n0 0 nan 1\n", "line 4: 'NAN'"),
        ("1\n2 1\n0 1\n0 0\n", "no cells"),
        ("1\n2 2\n0 1 0 1\n0 0 1 1e151\n", "point 3 is at .* expected coordinates of 1e.150"),
        ("1\n2 1e300\n0 1 0 1\n0 0 1 1\n", "expected a Plot3D grid"),
        ("1\n2 2\n100000000*0", r"100000003 numbers by its repeat counts, expected 100000000 at"),
        ("1\n2 2\n9999999999*0", r"line 3: '9999999999\*0'"),
    ],
)
def test_what_is_no_grid_is_refused_with_its_file(tmp_path, text, words):
    (tmp_path / "a.p2dfmt").write_text(text)
    with pytest.raises(MeshError, match=rf"a\.p2dfmt.*({words})"):
        km.mesh.read(tmp_path / "a.p2dfmt")


def test_a_grid_without_formatting_is_told_from_text(tmp_path):
    (tmp_path / "a.p3d").write_bytes(np.array([8, 5, 4, 8], np.int32).tobytes())
    with pytest.raises(MeshError, match="expected text; is the file binary"):
        km.mesh.read(tmp_path / "a.p3d")


def test_such_a_file_is_no_case(tmp_path):
    from kinemesh import cases

    with pytest.raises(km.CaseError, match="a mesh goes into a case by --mesh"):
        cases.load(written(tmp_path / "a.p2dfmt", plate()))
