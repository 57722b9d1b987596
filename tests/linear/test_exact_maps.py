"""Moving maps, colours and block matrices against closed forms."""

import numpy as np
import pytest
from samples import direct, place, run, sample
from world import NONE

pytestmark = pytest.mark.sanitize

EPS = np.finfo(float).eps


def test_a_body_at_rest_stays_to_the_last_bit(double):
    reference = np.random.default_rng(1).uniform(-1, 1, (5, 2))

    there = direct(double, "pose_move", node=range(5), body=[0] * 5, reference=reference,
                  pose=[[0.0, 0, 0.25, 0, 0, 0]], x=np.zeros((5, 2)))  # fmt: skip

    assert (there["x"] == reference).all()


def test_a_quarter_turn_about_a_point_and_a_shift(double):
    """(1, 1/2) about (1/4, 0), counter-clockwise: (-1/4, 3/4), then + (1, 2)."""
    there = direct(double, "pose_move", node=[1], body=[1], reference=[[9.0, 9], [1, 0.5]],
                  pose=[[0.0] * 6, [-1, 1, 0.25, 0, 1, 2]], x=np.ones((2, 2)))  # fmt: skip

    assert there["x"].tolist() == [[1, 1], [0.75, 2.75]]


def test_graph_carries_affine_motions_exactly(double):
    chosen = sample("graph_map")
    reference, carried = chosen.values["reference"], chosen.values["node"]
    at, values = np.array([[1.1, 0.2], [-0.3, 0.9]]), dict(chosen.values)
    moved = reference @ at.T + [0.5, -0.25]
    values["x"] = moved.copy()
    values["x"][carried] = -9
    corners = chosen.values["vertices"][chosen.values["element"]]
    expected = np.einsum("ij,ijk->ik", chosen.values["share"], (moved - reference)[corners])

    x = run(double, chosen, values)["x"]
    still = run(double, chosen, dict(chosen.values) | {"x": reference})["x"]

    assert x[carried] == pytest.approx(reference[carried] + expected, abs=8 * EPS)
    assert (still == reference).all()


def test_a_folded_graph_is_a_fault(double):
    chosen = sample("graph_folds")
    vertices = chosen.values["vertices"].copy()
    vertices[1] = vertices[1, [0, 2, 1]]

    faults = run(double, chosen, dict(chosen.values) | {"vertices": vertices})["faults"]

    member = chosen.values["member"][vertices[1, 0]]
    assert faults[member] == 5 << 32 | int(vertices[1, 0])
    assert faults[1 - member] == NONE


def test_the_stretch_of_an_element_is_the_ratio_of_its_singular_values(double):
    """Thrice as long, half as wide, and turned: 6; sheared by 3/2: (5/2 + 3/2)^2 / 4."""
    x0 = np.array([[0.1, 0.2], [1.3, 0.1], [0.4, 1.7]])
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    maps = [np.eye(2), turn @ np.diag([3, 0.5]), [[1, 1.5], [0, 1]], [[1, 0], [0, -1]], np.eye(2)]
    x1 = np.concatenate([x0 @ np.transpose(m) + [5.0, 7.0] for m in maps])
    vertices = np.arange(15).reshape(5, 3)
    vertices[4] = 12  # padding

    def largest(offsets):
        found = direct(double, "graph_stretch", x0=np.tile(x0, (5, 1)), x1=x1, vertices=vertices,
                       offsets=offsets, sums=np.zeros((len(offsets) - 1, 1)))  # fmt: skip
        return found["sums"][:, 0]

    each = largest([0, 1, 2, 3, 4, 5])
    assert each[0] == pytest.approx(1, abs=1e-7)  # the root of a rounded zero
    assert each[1:3] == pytest.approx([6, 4], rel=1e-14)
    assert each[3] == 1e300
    assert each[4] < 0
    assert (largest([0, 3, 5]) == each[[1, 3]]).all()


def test_colour_rounds_end_in_a_proper_colouring(double):
    chosen = sample("colour_round", large=True)
    there = place(double, chosen)
    colour = np.full(len(chosen.values["before"]), -1, np.int32)
    rounds = 0
    while (colour < 0).any():
        double.put(there["before"], colour)
        double.bind("colour_round", **there)()
        left, colour = (colour < 0).sum(), double.get(there["after"])
        rounds += 1
        assert (colour < 0).sum() < left

    at = np.repeat(np.arange(len(colour)), np.diff(chosen.values["offsets"]))
    assert (colour[at] != colour[chosen.values["neighbour"]]).all()
    assert colour.max() < np.diff(chosen.values["offsets"]).max() + 1


@pytest.mark.parametrize("b", [2, 4])
def test_product_is_that_of_the_dense_matrix(backend, b):
    chosen = sample(f"block_product_{b}")
    v, rows = chosen.values, len(chosen.values["row"]) - 1
    dense = np.zeros((rows, b, rows, b))
    for r in range(rows):
        for k in range(v["row"][r], v["row"][r + 1]):
            dense[r, :, v["column"][k], :] = v["A"][k].reshape(b, b).T  # columns are contiguous

    y = run(backend, chosen)["y"]

    expected = np.einsum("ribj,bj->ri", dense, v["x"])
    assert np.abs(y - expected).max() < 64 * backend.eps * np.abs(dense).max()


def star(b, rng):
    """Four leaves (first colour) and their centre (second): elimination fills nothing in."""
    row, column = [0, 2, 4, 6, 8, 13], [0, 4, 1, 4, 2, 4, 3, 4, 0, 1, 2, 3, 4]
    diagonal = [0, 2, 4, 6, 12]
    blocks = rng.uniform(-1, 1, (13, b, b))
    blocks[diagonal] += 3 * np.eye(b)
    return row, column, diagonal, np.float32(blocks).astype(float)


def scaled_star(backend, b, side):
    """The star on a device, factored in place; its dense matrix; calls by kernel."""
    row, column, diagonal, blocks = star(b, np.random.default_rng(b))
    dense = np.zeros((5, b, 5, b))
    at = np.repeat(np.arange(5), np.diff(row))
    dense[at, :, column, :] = blocks
    entries = {(int(i), c): n for n, (i, c) in enumerate(zip(at, column, strict=True))}
    tables = {"row": row, "column": column, "member": [0] * 5, "live": [1], "diagonal": diagonal}
    fields = {name: backend.array(value, "int32") for name, value in tables.items()}
    mirror = [entries[c, i] for i, c in entries]
    fields["A"] = backend.array(blocks.swapaxes(1, 2).reshape(13, -1), "real")
    D, pivot = ({n: backend.zeros((5, b * b))} for n in ("D", "pivot"))
    fault = {"node": backend.array(range(5), "int32"), "faults": backend.array([NONE], "uint64")}
    for over in ((0, 4), (4, 1)):
        backend.bind(
            f"block_schur_{b}", over, mirror=backend.array(mirror, "int32"), **fields, **D
        )()
        backend.bind(f"block_scale_{b}", over, **fault, **fields, **D, **pivot)()
    assert backend.get(fault["faults"])[0] == NONE
    there = backend.array(side, "real")
    return dense.reshape(5 * b, 5 * b), fields, fields | pivot | {"b": there}


@pytest.mark.parametrize("b", [2, 4])
def test_factors_without_fill_solve_exactly(backend, b):
    side = np.float32(np.random.default_rng(b + 1).uniform(-1, 1, (5, b))).astype(float)
    dense, upper, lower = scaled_star(backend, b, side)
    y, x = backend.zeros((5, b)), backend.zeros((5, b))

    for over in ((0, 4), (4, 1)):
        backend.bind(f"block_lower_{b}", over, y=y, **lower)()
    for over in ((4, 1), (0, 4)):
        backend.bind(f"block_upper_{b}", over, v=y, y=x, **upper)()

    expected = np.linalg.solve(dense, side.ravel())
    allowed = 16 * backend.eps * np.linalg.cond(dense) * np.abs(expected).max()
    assert np.abs(backend.get(x).ravel() - expected).max() < allowed


@pytest.mark.parametrize("b", [2, 4])
def test_without_fill_the_preconditioned_matrix_is_the_unit_matrix(backend, b):
    side = np.float32(np.random.default_rng(b + 2).uniform(-1, 1, (5, b))).astype(float)
    dense, fields, _ = scaled_star(backend, b, side)
    t, z, w = (backend.zeros((5, b)) for _ in range(3))
    v = backend.array(side, "real")

    for over in ((4, 1), (0, 4)):
        backend.bind(f"block_upper_{b}", over, v=v, y=t, **fields)()
    for over in ((0, 4), (4, 1)):
        backend.bind(f"block_turn_{b}", over, v=v, t=t, z=z, w=w, **fields)()

    allowed = 16 * backend.eps * np.linalg.cond(dense) * np.abs(side).max()
    assert np.abs(backend.get(w) - side).max() < allowed


@pytest.mark.parametrize("b", [2, 4])
def test_a_singular_block_is_a_fault_of_its_node(backend, b):
    chosen = sample(f"block_scale_{b}")
    values, row = dict(chosen.values), 0
    values["D"] = values["D"].copy()
    values["D"][row] = 0
    values["node"] = 7 + np.arange(len(values["D"]), dtype=np.int32)

    faults = run(backend, chosen, values)["faults"]

    member = values["member"][row]
    assert faults[member] == 4 << 32 | 7 + row
    assert faults[1 - member] == NONE


@pytest.mark.parametrize("b", [2, 4, 5])
def test_blocks_are_inverted_the_last_variable_first(backend, b):
    """A block whose first pivot is zero, and one whose first two rows lack a minor.

    At the far field of clouds in space there are such, of condition 10.
    """
    chosen = sample(f"block_scale_{b}")
    rows = len(chosen.values["D"])
    blocks = 3 * np.eye(b) + np.random.default_rng(5).uniform(-0.5, 0.5, (rows, b, b))
    blocks[0, :, 0] = [0, *[2.0] * (b - 1)]
    if b > 2:  # of two rows these are all
        blocks[1, 1, 1] = blocks[1, 1, 0] * blocks[1, 0, 1] / blocks[1, 0, 0]
    values = dict(chosen.values) | {"D": blocks.reshape(rows, -1)}

    there = run(backend, chosen, values)

    assert (there["faults"] == chosen.values["faults"]).all()
    got = there["pivot"].astype(float).reshape(rows, b, b)
    assert np.linalg.cond(blocks).max() < 300
    assert np.abs(got @ blocks - np.eye(b)).max() < 1000 * backend.eps
