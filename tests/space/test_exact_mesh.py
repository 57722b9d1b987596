"""The median dual, its gradients, and torsional springs against closed forms."""

from functools import cache

import numpy as np
import pytest
from samples import direct, run, sample
from world import NONE, World

EPS = np.finfo(float).eps


def area_of(*corners):
    """Signed area of a polygon (shoelace), relative to its first corner."""
    p = np.array(corners) - corners[0]
    return 0.5 * sum(a[0] * b[1] - a[1] * b[0] for a, b in zip(p, np.roll(p, -1, 0), strict=True))


# ---------------------------------------------------------------- the median dual

SQUARE = np.array([[0.0, 0], [2, 0], [2, 1], [0, 1]])


def test_dual_of_one_rectangle(backend):
    """Sides 2 and 1, mean (1, 1/2): quarters of 1/2 each; the facet of the lower edge is the
    segment (1, 0) to (1, 1/2), so S = (1/2, 0) from left to right."""
    corners = [[0, 1, 2, 3]]
    volume = direct(
        backend, "dual_volumes", x=SQUARE, offsets=[0, 1, 2, 3, 4], cell=[0] * 4,
        corner=[0, 1, 2, 3], corners=corners, member=[0] * 4, V=np.ones(4), faults=np.array([NONE]),
    )  # fmt: skip
    normal = direct(
        backend, "dual_normals", x=SQUARE, lr=[[0, 1], [1, 2], [2, 3], [0, 3]], corners=corners,
        cells_of_edge=[[0, -1], [0, -1], [0, -1], [-1, 0]], S=np.ones((4, 2)),
    )  # fmt: skip

    assert volume["V"].tolist() == [0.5] * 4
    assert volume["faults"][0] == NONE
    assert normal["S"].tolist() == [[0.5, 0], [0, 1], [-0.5, 0], [0, 1]]


def test_boundary_faces_of_one_rectangle(backend):
    """Half of each side at a corner, outwards; where the marker ends, only one."""
    ends = [[3, 1], [0, 2], [1, -1]]

    s = direct(backend, "boundary_normals", x=SQUARE, node=[0, 1, 2], ends=ends, S=np.ones((3, 2)))

    assert s["S"].tolist() == [[-0.5, -1], [0.5, -1], [0.5, 0]]


def test_a_cell_that_folds_is_a_fault_of_its_node(backend):
    """Two quadrilaterals fill a square; they meet in (1/2, 1/2), where one has a corner of more
    than 180 degrees.  The node's own volume stays positive: 5/8 - 1/8."""
    x = np.array([[0, 0], [2, 0], [2, 2], [0, 2], [0.5, 0.5]])
    there = direct(
        backend,
        "dual_volumes",
        x=x,
        offsets=[0, 1, 3, 4, 6, 8],
        cell=[0, 0, 1, 1, 0, 1, 0, 1],
        corner=[0, 1, 0, 1, 3, 2, 2, 3],
        corners=[[0, 1, 4, 3], [1, 2, 3, 4]],
        member=[0] * 5,
        V=np.ones(5),
        faults=np.array([NONE]),
    )

    assert there["V"][4] == 0.5
    assert (there["V"] > 0).all()
    assert there["faults"][0] == 1 << 32 | 4


def test_a_node_without_cells_is_a_fault(backend):
    there = direct(
        backend,
        "dual_volumes",
        x=SQUARE,
        offsets=[0, 1, 2, 2, 3],
        cell=[0, 0, 0],
        corner=[0, 1, 2],
        corners=[[0, 1, 3, -1]],
        member=[0] * 4,
        V=np.ones(4),
        faults=np.array([NONE]),
    )

    assert there["V"] == pytest.approx([1 / 3, 1 / 3, 0, 1 / 3], rel=8 * EPS)
    assert there["faults"][0] == 1 << 32 | 2


@cache
def mesh(quads=True):
    return World(5, 4, quads, seed=4)


def test_dual_volumes_fill_the_mesh(backend):
    """Each of the two members is a unit square."""
    there = run(backend, sample("dual_volumes", large=True))
    member = sample("dual_volumes", large=True).values["member"]

    total = np.bincount(member, there["V"])
    assert total == pytest.approx([1, 1], abs=np.sqrt(len(member)) * EPS)


def metrics(backend, w):
    """Volumes, normals and sweeps of a world's mesh on its way from x0 to x1."""
    common = {name.partition("|")[0]: v for name, v in w.values.items()
              if name in ("lr|edges,2>nodes", "cells_of_edge|edges,2>cells?",
                          "corners|cells,4>nodes?")}  # fmt: skip
    x0, x1 = w.values["x0|nodes,2"], w.values["x1|nodes,2"]
    volume = [
        direct(
            backend, "dual_volumes", x=x, offsets=w.values["offsets|nodes+1>>corner_entries"],
            cell=w.values["cell|corner_entries>cells"], corner=w.values["corner|corner_entries"],
            corners=common["corners"], member=w.member, V=np.ones(len(x)),
            faults=np.array([NONE, NONE]),
        )["V"]
        for x in (x0, x1)
    ]  # fmt: skip
    edges, chain = np.ones(len(w.lr)), {"node": w.bnode, "ends": w.ends}
    sweep = direct(backend, "dual_sweeps", x0=x0, x1=x1, dV=edges, **common)["dV"]
    side = direct(backend, "boundary_sweeps", x0=x0, x1=x1, dV=np.ones(len(w.bnode)), **chain)["dV"]
    normal = direct(backend, "dual_normals", x=x0, S=np.ones((len(edges), 2)), **common)["S"]
    outer = direct(backend, "boundary_normals", x=x0, S=np.ones((len(w.bnode), 2)), **chain)["S"]
    return volume, sweep, side, normal, outer


def summed(w, edge_values, boundary_values):
    """Sum over each node's faces, outwards; and the nodes whose faces are all there."""
    total = np.zeros((len(w.x), *edge_values.shape[1:]))
    np.add.at(total, w.lr[:, 0], edge_values)
    np.add.at(total, w.lr[:, 1], -edge_values)
    np.add.at(total, w.bnode, boundary_values)
    inner = np.setdiff1d(np.arange(len(w.x)), w.boundary)
    return total, np.concatenate([inner, w.bnode[(w.ends >= 0).all(1)]])


def test_faces_of_a_dual_volume_close(backend):
    w = mesh()
    _, _, _, normal, outer = metrics(backend, w)

    total, whole = summed(w, normal.astype(float), outer.astype(float))

    assert np.abs(total[whole]).max() < 16 * backend.eps * np.abs(normal).max()


def test_volumes_change_by_what_their_faces_sweep(double):
    """Geometric conservation: V1 - V0 = sum of swept areas, to round-off."""
    w = mesh()
    (v0, v1), sweep, side, _, _ = metrics(double, w)

    total, whole = summed(w, sweep, side)
    size, _ = summed(w, np.abs(sweep), np.abs(side))

    assert np.abs(v1 - v0)[whole].max() > 0.05 * v0.mean()
    assert (np.abs(v1 - v0 - total) < 16 * EPS * (v0 + np.abs(size)))[whole].all()


def test_swept_areas_are_those_of_polygons(double):
    """A segment that moves linearly sweeps the quadrilateral of its four ends."""
    w = mesh()
    x0, x1 = w.values["x0|nodes,2"], w.values["x1|nodes,2"]
    _, sweep, side, _, _ = metrics(double, w)

    def mean(x, cell):
        return x[[k for k in cell if k >= 0]].mean(0)

    for (a, b), cells, value in zip(w.lr, w.sides, sweep, strict=True):
        m0, m1 = (0.5 * (x[a] + x[b]) for x in (x0, x1))
        parts = [sign * area_of(m0, m1, mean(x1, w.cells[c]), mean(x0, w.cells[c]))
                 for sign, c in zip((1, -1), cells, strict=True) if c >= 0]  # fmt: skip
        # coordinates are of order one: a difference of two is wrong by eps, times a length
        assert value == pytest.approx(sum(parts), abs=8 * EPS)
    for n, (before, after), value in zip(w.bnode, w.ends, side, strict=True):
        ways = [(before, n), (n, after)]
        total = 0.0
        for k, (a, b) in enumerate(ways):
            if a < 0 or b < 0:
                continue
            mid = [0.5 * (x[a] + x[b]) for x in (x0, x1)]
            ends = [(mid, (x0[n], x1[n])), ((x0[n], x1[n]), mid)][k]
            (p0, p1), (q0, q1) = ends
            total += area_of(p0, p1, q1, q0)
        assert value == pytest.approx(total, abs=8 * EPS)


def test_gradients_of_linear_fields_are_exact(backend):
    w = mesh()
    x, values = w.values["x|nodes,2"], w.values
    pattern = {"offsets": values["offsets|nodes+1>>entries"],
               "neighbour": values["neighbour|entries>nodes"], "x": x}  # fmt: skip
    inverse = direct(backend, "least_squares", inverse=np.ones((len(x), 3)), **pattern)["inverse"]
    slope = np.array([[0.5, -0.25], [1, 2], [-1, 0.5], [0, 0.125]])

    grad = direct(
        backend, "ale_gradient", q=1 + x @ slope.T, inverse=inverse, member=w.member,
        active=[1, 1], grad=np.ones((len(x), 8)), **pattern,
    )["grad"]  # fmt: skip

    # an error eps of q over the shortest edge, by up to ten neighbours
    shortest = np.linalg.norm(x[w.lr[:, 1]] - x[w.lr[:, 0]], axis=1).min()
    assert np.abs(grad - slope.ravel()).max() < 32 * backend.eps * 4 / shortest


@pytest.mark.parametrize("kernel", ["ale_gradient_wang", "ale_gradient_venkatakrishnan"])
def test_limited_values_stay_between_the_neighbours(backend, kernel):
    """A ramp from 1 to 2 in every variable; a uniform state keeps the gradient zero."""
    chosen = sample(kernel, large=True)
    x, near = chosen.values["x"], chosen.values["neighbour"]
    ramp = np.clip((x[:, :1] - 0.3) / 0.4, 0, 1) * [1, 1, 1, 1] + 1
    span = np.tile([2.0, -1, 2, -1, 0.25], (2, 1))  # ranges of 1: the speed's from its middle
    values = dict(chosen.values) | {"K": 1e-3, "edge": None, "xf": None}
    values |= {"range": span} if "range" in values else {}

    flat = run(backend, chosen, values | {"q": np.ones_like(ramp)})["grad"]
    grad = run(backend, chosen, values | {"q": ramp})["grad"].reshape(-1, 4, 2).astype(float)

    assert not flat.any()
    assert np.abs(grad).max() > 2
    at = np.repeat(np.arange(len(x)), np.diff(chosen.values["offsets"]))
    ends = ramp[at] + np.einsum("ekd,ed->ek", grad[at], 0.5 * (x[near] - x[at]))
    # the threshold, a thousandth of the span (or (h/1000)^1.5), lets that much pass
    assert ends.max() < 2 + 2e-3
    assert ends.min() > 1 - 2e-3


def test_worst_cell_of_each_group(double):
    """A rectangle 2 x 1 (right angles), then a triangle 1 x 1 (45 degrees, area 1/2)."""
    x = np.array([[0.0, 0], [2, 0], [2, 1], [0, 1], [3, 0]])
    there = direct(
        double, "cell_quality", x=x, corners=[[0, 1, 2, 3], [1, 4, 2, -1]], offsets=[0, 1, 2],
        sums=np.ones((2, 2)),
    )  # fmt: skip

    expected = -np.array([[2, np.pi / 2], [0.5, np.pi / 4]])
    assert there["sums"] == pytest.approx(expected, rel=4 * EPS)


def test_force_of_one_face_and_its_nose_up_moment(backend):
    """Overpressure 2 on S = (1, 3) at (1, 1/2) about (1/4, 0): force (2, 6), moment
    -(3/4 6 - 1/2 2) = -7/2: lift behind the point turns the nose down."""
    sums = direct(
        backend, "wall_forces", node=[0], member=[0], x=[[1.0, 0.5]], S=[[1.0, 3.0]],
        q=[[1.0, 0, 0, 2.75]], about=[[0.25, 0.0]], stream=[[1.0, 0.5, 0, 0.75]], offsets=[0, 1],
        sums=np.ones((1, 4)),
    )["sums"]  # fmt: skip

    assert sums[0].tolist() == [2, 6, -3.5, 0]


# ---------------------------------------------------------------- torsional springs


def spring_rows_of_r(p):
    """R of a triangle: change of its three angles by (u_i, v_i, u_j, v_j, u_k, v_k)."""

    def ab(s, t):
        d = p[t] - p[s]
        return d / (d @ d)

    i, j, k = 0, 1, 2
    (aij, bij), (aik, bik), (ajk, bjk) = ab(i, j), ab(i, k), ab(j, k)
    (aji, bji), (aki, bki), (akj, bkj) = ab(j, i), ab(k, i), ab(k, j)
    return np.array([
        [bik - bij, aij - aik, bij, -aij, -bik, aik],
        [-bji, aji, bji - bjk, ajk - aji, bjk, -ajk],
        [bki, -aki, -bkj, akj, bkj - bki, aki - akj],
    ])  # fmt: skip


def angles(p):
    turn = [(p[(v + 1) % 3] - p[v], p[(v + 2) % 3] - p[v]) for v in range(3)]
    return np.array([np.arctan2(a[0] * b[1] - a[1] * b[0], a @ b) for a, b in turn])


def test_r_is_the_derivative_of_the_angles():
    p, step = np.array([[0.0, 0.1], [1.2, -0.2], [0.3, 0.9]]), 1e-6
    change = [
        (angles(p + step * e) - angles(p - step * e)) / (2 * step)
        for e in np.eye(6).reshape(6, 3, 2)
    ]

    assert spring_rows_of_r(p) == pytest.approx(np.array(change).T, abs=1e-9)


def spring_matrix(backend, w, fixed):
    """Dense matrix of spring_rows in the numbering of nodes."""
    v, count = w.values, len(w.x)
    names = ("fans|rows+1>>runs", "runs|runs+1>>spokes", "other|spokes>nodes", "slot|spokes>blocks")
    fan = {name.partition("|")[0]: v[name] for name in names}
    there = direct(
        backend, "spring_rows", node=w.node, x=w.x, fixed=fixed, row=w.row, member=w.member,
        diagonal=v["diagonal|rows>blocks!"], A=np.ones((len(w.column), 4)),
        D=np.ones((count, 4)), faults=np.full(2, NONE), **fan,
    )  # fmt: skip
    assert (there["faults"] == NONE).all()
    blocks, D = (there[name].reshape(-1, 2, 2).swapaxes(1, 2) for name in ("A", "D"))
    dense = np.zeros((count, 2, count, 2))
    for (r, c), b in w.block.items():
        dense[w.node[r], :, w.node[c], :] = D[r] @ blocks[b]  # rows are scaled by D^-1
    return dense.reshape(2 * count, 2 * count)


def element_matrix(w):
    """Sum of R^T C R over the triangles, C = 1/sin^2 of the angles."""
    dense = np.zeros((2 * len(w.x),) * 2)
    for cell in w.cells:
        p = w.x[cell[:3]]
        r, c = spring_rows_of_r(p), np.diag(1 / np.sin(angles(p)) ** 2)
        at = np.stack([2 * cell[:3], 2 * cell[:3] + 1], 1).ravel()
        dense[np.ix_(at, at)] += r.T @ c @ r
    return dense


def test_spring_rows_are_the_sum_over_triangles(backend):
    w = mesh(quads=False)
    expected = element_matrix(w)

    value = spring_matrix(backend, w, np.zeros(len(w.x)))

    assert np.abs(value - expected).max() < 64 * backend.eps * np.abs(expected).max()


def test_rigid_motions_and_scaling_load_no_spring(backend):
    w = mesh(quads=False)
    x, one = w.x, np.ones(len(w.x))
    motions = [(one, 0 * one), (0 * one, one), (-x[:, 1], x[:, 0]), (x[:, 0], x[:, 1])]

    matrix = spring_matrix(backend, w, np.zeros(len(x)))

    for motion in (np.stack(m, 1).ravel() for m in motions):
        load, size = np.abs(matrix @ motion), np.abs(matrix) @ np.abs(motion)
        assert (load < 64 * backend.eps * size.max()).all()
    assert np.linalg.matrix_rank(matrix, tol=1e-5 * np.abs(matrix).max()) >= len(matrix) - 8


def test_springs_are_symmetric_and_resist(backend):
    w = mesh(quads=False)
    matrix = spring_matrix(backend, w, np.zeros(len(w.x)))

    largest = np.abs(matrix).max()
    assert np.abs(matrix - matrix.T).max() < 64 * backend.eps * largest
    assert np.linalg.eigvalsh(0.5 * (matrix + matrix.T)).min() > -256 * backend.eps * largest


def test_fixed_nodes_have_rows_of_the_identity(backend):
    w = mesh(quads=False)
    fixed = w.values["fixed|nodes"]

    matrix = spring_matrix(backend, w, fixed)

    rows = np.repeat(fixed, 2).astype(bool)
    assert (matrix[rows] == np.eye(len(matrix))[rows]).all()
    assert (matrix[~rows] == spring_matrix(backend, w, 0 * fixed)[~rows]).all()
