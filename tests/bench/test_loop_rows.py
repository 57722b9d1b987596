"""Loops over a mesh that give the same: every row of the bench against NumPy and each other."""

from functools import lru_cache

import numpy as np
import pytest
import solids
from kinemesh.bench.loops.lattice import LATTICES, lattice, triangles
from kinemesh.bench.loops.orders import ORDERS, put_in
from kinemesh.bench.loops.procedures import ROWS
from kinemesh.bench.loops.study import Study
from kinemesh.bench.loops.topology import measured
from kinemesh.bench.loops.wing_meshes import of_mesh
from kinemesh.linear.face_colours import check_faces

KINDS = ["triangles", *LATTICES, "solid"]  # the last one of cells of all kinds, by a mesh
BARS = {"float64": 1e-14, "float32": 2e-6}  # of the largest, as for modes of the solver
MAPPED = {"float64": 1e-13, "float32": 2e-6}
OUT = {
    "residual": "res", "flux-sum": "res", "gradient": "gradient", "node-values": "values",
    "extrema": "low",
}  # fmt: skip
OF_OTHERS = ("exact", "solver", "least-squares")  # not the numbers of the plain loops
OF_NODES = {"node-values"}


@lru_cache(maxsize=10)
def mesh(kind, order="natural", cells=700):
    """Topology, measures and numbering of a small mesh in an order."""
    if kind == "solid":
        top = of_mesh(solids.cube(round((cells / 4) ** (1 / 3)), jitter=0.15))
    else:
        top = triangles(cells) if kind == "triangles" else lattice(kind, cells)
    m = measured(top)
    new, by = put_in(top, order)
    return new, m.numbered(by), by


def study_of(backend, kind, order="natural", cells=700):
    top, m, _ = mesh(kind, order, cells)
    return Study(backend, top, m)


def result(row, study, *names):
    """Arrays that a row writes: its own, and others by name."""
    calls = row.calls(study)
    for _ in range(2):  # a second time over the first one's sums
        study.backend.record(calls)()
    found = [study.backend.get(study[name]).astype(float) for name in (OUT[row.procedure], *names)]
    return found if names else found[0]


def plain(procedure, *loops):
    """Rows of a procedure that give the same numbers."""
    return [row for row in ROWS if row.procedure == procedure and row.loops not in OF_OTHERS
            and (not loops or row.loops in loops)]  # fmt: skip


def close(ours, theirs, bar):
    assert ours.shape == theirs.shape
    assert np.abs(ours - theirs).max() <= bar * np.abs(theirs).max()


def rounded(study, name):
    """A field as the device has it, for a reference in float64."""
    return study.backend.get(study[name]).astype(float)


# ---------------------------------------------------------------- references


def values(study):
    """Means of the cells about each vertex, one after another."""
    top, q = study.top, rounded(study, "q")
    total, count = np.zeros((len(top.vertex), q.shape[1])), np.zeros(len(top.vertex))
    np.add.at(total, top.hull, np.repeat(q, np.diff(top.hulls), axis=0))
    np.add.at(count, top.hull, 1)
    return total / count[:, None]


def values_of_faces(study):
    """Means of the cells about each vertex, a cell once for each of its faces there.

    Of all kinds of cells but pyramids as many at each corner: at their tops four, not three.
    """
    top, q = study.top, rounded(study, "q")
    total, count = np.zeros((len(top.vertex), q.shape[1])), np.zeros(len(top.vertex))
    for cell in top.pair.T:
        there = np.repeat(cell >= 0, np.diff(top.rims))
        vertex, of = top.rim[there], np.repeat(cell, np.diff(top.rims))[there]
        np.add.at(total, vertex, q[of])
        np.add.at(count, vertex, 1)
    return total / count[:, None]


def gradient(study):
    """Gradients by Green and Gauss from values at vertices."""
    top, value, S = study.top, rounded(study, "value"), rounded(study, "S")
    mean = np.add.reduceat(value[top.rim], top.rims[:-1]) / np.diff(top.rims)[:, None]
    flow = (mean[:, :, None] * S[:, None]).reshape(len(S), -1)
    found = np.zeros((top.cells, flow.shape[1]))
    np.add.at(found, top.pair[:, 0], flow)
    np.subtract.at(found, top.pair[: top.edges, 1], flow[: top.edges])
    return found / study.tables.measures.V[:, None]


def flux_sum(study):
    top, flux = study.top, rounded(study, "flux")
    found = np.zeros((top.cells, flux.shape[1]))
    lr = top.pair[: top.edges]
    np.add.at(found, lr[:, 0], flux)
    np.subtract.at(found, lr[:, 1], flux)
    return found


def extrema(study, of):
    p = rounded(study, "p")
    found, lr = p.copy(), study.top.pair[: study.top.edges]
    for a, b in (lr.T, lr.T[::-1]):
        of.at(found, a, p[b])
    return found


# ---------------------------------------------------------------- every loop


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("row", plain("node-values"), ids=lambda row: row.name)
def test_values_at_nodes_are_means_of_the_cells_about_them(backend, kind, row):
    study = study_of(backend, kind)
    pyramids = kind == "solid" and row.loops == "faces"
    means = values_of_faces(study) if pyramids else values(study)

    close(result(row, study), means, BARS[backend.dtype])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("row", plain("gradient"), ids=lambda row: row.name)
def test_gradients_are_sums_over_faces(backend, kind, row):
    study = study_of(backend, kind)

    close(result(row, study), gradient(study), BARS[backend.dtype])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("row", plain("flux-sum"), ids=lambda row: row.name)
def test_fluxes_are_summed_with_the_sign_of_their_side(backend, kind, row):
    study = study_of(backend, kind)

    close(result(row, study), flux_sum(study), BARS[backend.dtype])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("row", plain("extrema"), ids=lambda row: row.name)
def test_extrema_are_those_of_neighbours_to_the_bit(backend, kind, row):
    study = study_of(backend, kind)

    low, high = result(row, study, "high")
    assert (low == extrema(study, np.minimum)).all()
    assert (high == extrema(study, np.maximum)).all()


@pytest.mark.parametrize("row", plain("extrema"), ids=lambda row: row.name)
def test_extrema_of_numbers_of_either_sign_are_right(backend, row):
    """Bits of negative numbers order the other way round, on a device."""
    study = study_of(backend, "tets")
    signs = np.where(np.arange(study.top.cells) % 3, -1.0, 1.0)
    study.backend.put(study["p"], rounded(study, "p") * signs)

    low, high = result(row, study, "high")
    assert (low == extrema(study, np.minimum)).all()
    assert (high == extrema(study, np.maximum)).all()
    assert (low < 0).all()
    assert (high > 0).any()
    assert (high < 0).any()


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("row", plain("residual", "recompute", "atomics", "colours"),
                         ids=lambda row: row.name)  # fmt: skip
def test_residuals_by_other_loops_are_that_of_store(backend, kind, row):
    study = study_of(backend, kind)
    store = result(plain("residual", "store")[0], study)

    close(result(row, study), store, BARS[backend.dtype])


@pytest.mark.parametrize("kind", KINDS)
def test_recomputed_fluxes_give_the_bits_of_stored_ones(backend, kind):
    study = study_of(backend, kind)
    store, other = plain("residual", "store", "recompute")
    once = result(store, study)

    assert (result(other, study) == once).all()


@pytest.mark.parametrize("kind", KINDS)
def test_no_cell_has_two_faces_of_one_colour(host, kind):
    study = study_of(host, kind)
    count = [number for _, number in study.colours]
    lr = study.coloured.top.pair[: study.top.edges]

    assert sum(count) == study.top.edges
    check_faces(np.repeat(np.arange(len(count)), count), lr)
    assert len(count) <= 2 * np.diff(study.tables.graph[0]).max() - 1


@pytest.mark.parametrize("kind", KINDS)
def test_the_residual_of_a_uniform_stream_is_what_leaves_through_the_boundary(backend, kind):
    """Faces between cells alone: of an inner cell nothing is left, with any gradient of zero."""
    study = study_of(backend, kind)
    stream = np.tile(study.q[:1], (study.top.cells, 1))
    backend.put(study["q"], stream)
    backend.put(study["grad"], 0.0)
    found = result(plain("residual", "store")[0], study)

    top, S = study.top, rounded(study, "edge_S")
    outer = np.unique(top.pair[top.edges :, 0])
    inner = np.setdiff1d(np.arange(top.cells), outer)
    roundings = 20 * backend.eps * np.abs(S).max() * 4  # energy flux is about 3.2 per area
    assert np.abs(found[inner]).max() <= roundings
    assert np.abs(found[outer]).max() > 100 * roundings


# ---------------------------------------------------------------- linear fields


def linear(study, at):
    """A linear field and its gradients, (variables, dimensions)."""
    slope = np.random.default_rng(8).uniform(-1, 1, (study.variables, study.dimensions))
    return at @ slope.T, slope


@pytest.mark.parametrize("kind", KINDS)
def test_exact_weights_give_linear_fields_and_plain_means_do_not(double, kind):
    study = study_of(double, kind)
    field, _ = linear(study, study.tables.measures.x)
    exact, _ = linear(study, study.top.vertex)
    double.put(study["q"], field)
    told = study.tables.exact[0].any(axis=1)
    spacing = np.median(study.tables.measures.V) ** (1 / study.dimensions)

    errors = {}
    for loops in ("exact", "nodes"):
        row = next(r for r in ROWS if r.name == f"node-values-{loops}")
        errors[loops] = np.abs(result(row, study) - exact)[told].max(axis=1)

    assert told.mean() > 0.7
    assert errors["exact"].max() <= 1e-11 * np.abs(exact).max()
    # by how much: at a wall half a cell; in the mean a tenth of one or so
    assert np.median(errors["nodes"]) > 0.02 * spacing


@pytest.mark.parametrize("kind", ["triangles", "tets"])
@pytest.mark.parametrize("row", plain("gradient"), ids=lambda row: row.name)
def test_gradients_of_linear_fields_are_exact_where_faces_are_flat(double, kind, row):
    study = study_of(double, kind)
    field, slope = linear(study, study.top.vertex)
    double.put(study["value"], field)

    assert np.abs(result(row, study) - slope.ravel()).max() <= 1e-11 * np.abs(field).max()


@pytest.mark.parametrize("kind", KINDS)
def test_least_squares_by_neighbours_are_exact_for_linear_fields(double, kind):
    study = study_of(double, kind)
    field, slope = linear(study, study.tables.measures.x)
    double.put(study["q"], field)
    row = next(r for r in ROWS if r.name == "gradient-least-squares")
    found = result(row, study)

    many = np.diff(study.tables.graph[0]) > study.dimensions
    assert many.mean() > 0.5
    assert np.abs(found[many] - slope.ravel()).max() <= 1e-9 * np.abs(field).max()


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_the_solver_are_of_its_numbers(backend, kind):
    """The solver's own kernels give what the rows beside them do."""
    study = study_of(backend, kind)
    by = {row.name: row for row in ROWS}

    exact = result(by["node-values-exact"], study)
    close(result(by["node-values-solver"], study), exact, 4 * BARS[backend.dtype])
    if kind not in ("triangles", "tets"):  # means of quadrilaterals are not those of their corners
        return
    cells = result(by["gradient-cells"], study)
    # it takes the cell's own value off: differences of other numbers
    size = np.abs(rounded(study, "q")).max() / study.tables.measures.V.min() ** (
        1 / study.dimensions
    )
    found = result(by["gradient-solver"], study)
    assert np.abs(found - cells).max() <= 20 * backend.eps * size


@pytest.mark.parametrize("kind", KINDS)
def test_gradients_of_the_solver_are_exact_for_linear_fields_on_all_cells(double, kind):
    study = study_of(double, kind)
    field, slope = linear(study, study.top.vertex)
    double.put(study["value"], field)
    row = next(row for row in ROWS if row.name == "gradient-solver")

    assert np.abs(result(row, study) - slope.ravel()).max() <= 1e-11 * np.abs(field).max()


# ---------------------------------------------------------------- orders


OTHER = [("mixed", order) for order in ORDERS if order != "natural"] + [("triangles", "shuffled")]


@pytest.mark.long
@pytest.mark.no_sanitizer
@pytest.mark.parametrize(("kind", "order"), OTHER)
def test_another_order_gives_the_same_numbers(backend, kind, order):
    """Fields of the natural order, carried over to the other one; what comes out carried back."""
    first, second = (study_of(backend, kind, o) for o in ("natural", order))
    to = mesh(kind, order)[2]
    base = mesh(kind)[2]
    new = {}
    for name in ("cell", "face", "vertex"):
        place = np.empty(len(getattr(base, name)), int)
        place[getattr(base, name)] = np.arange(len(place))
        new[name] = place[getattr(to, name)]  # natural number of each item of the other order
    edges = first.top.edges
    sign = np.where(to.turned != base.turned[new["face"]], -1.0, 1.0)[:edges, None]
    for name in ("q", "u", "p", "grad", "value", "flux"):
        of = {"value": "vertex", "flux": "face"}.get(name, "cell")
        given = rounded(first, name)[new[of][: edges if of == "face" else None]]
        backend.put(second[name], given * sign if name == "flux" else given)
    for row in ROWS:
        place = new["vertex" if row.procedure == "node-values" else "cell"]
        ours, theirs = (result(row, study) for study in (first, second))
        if row.loops == "least-squares":  # cells in corners have neighbours in one plane
            few = np.diff(first.tables.graph[0]) <= first.dimensions
            ours[few], theirs[few[place]] = 0.0, 0.0
        close(theirs, ours[place], MAPPED[backend.dtype])
