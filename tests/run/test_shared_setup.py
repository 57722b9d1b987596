"""Members that share a mesh share what is set up from it, and keep the bits of their solo runs."""

import warnings
from collections import Counter

import kinemesh as km
import kinemesh.flow.ale  # what `calls` counts: a name of the package is loaded when asked for
import numpy as np
import pytest
from clouds import box, lattice
from kinemesh.device.backend import Backend
from kinemesh.linear import Pattern
from kinemesh.linear.stack import Alike, Items
from kinemesh.mesh.dual import dual
from solver_cases import disc, on_devices, square

STEPS = {"cycles": 0.25, "steps_per_cycle": 16}
ROUGH = {"steady_drop": 0.5, "unsteady_drop": 0.1}


def triangles(nodes=520):
    return km.mesh.airfoil("naca0012", nodes=nodes, far_field=10)


def quads(around=30, layers=12):
    """An O-mesh about an ellipse, in which no three nodes are neighbours: two colours."""
    turn = 2 * np.pi * np.arange(around) / around
    circle = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    share = np.linspace(0, 1, layers)[:, None, None] ** 2
    rings = (1 - share) * circle * [0.5, 0.12] + share * 8 * circle + [0.5, 0]
    i, k = (a.ravel() for a in np.meshgrid(np.arange(around), np.arange(layers - 1)))
    p, q = k * around + i, k * around + (i + 1) % around
    cells = np.stack([p, p + around, q + around, q], axis=1)
    ring = np.stack([np.arange(around), (np.arange(around) + 1) % around], axis=1)
    sides = {"airfoil": ring, "farfield": ring + (layers - 1) * around}
    return km.mesh.Mesh.from_arrays(rings.reshape(-1, 2), cells, sides)


def twin(mesh):
    """Another mesh with the same content."""
    return km.mesh.Mesh.from_arrays(
        mesh.points, mesh.cells, mesh.boundaries, mesh.original, mesh.origin
    )


# ---- tables -------------------------------------------------------------------------------


def test_tables_of_members_are_those_of_all_their_meshes_at_once():
    """The dual and the pattern of two meshes, one of them thrice, set up side by side."""
    a, b = square(5, quads=True), disc(4)
    meshes = [a, b, a, a]
    first = np.concatenate([[0], np.cumsum([m.nodes for m in meshes])])
    cells = [np.where(m.cells < 0, -1, m.cells + s) for m, s in zip(meshes, first, strict=False)]
    whole = dual(int(first[-1]), np.concatenate(cells).astype(np.int32))
    graphs = [(own.offsets, own.neighbour) for own in (dual(m.nodes, m.cells) for m in (a, b))]

    alike = Alike(meshes)
    found = Pattern.of_graphs(Backend("cpu"), alike, graphs)
    wanted = Pattern.of_graph(
        Backend("cpu"), whole.offsets, whole.neighbour, colours=found.colour()
    )

    assert alike.of.tolist() == [0, 1, 0, 0]
    assert alike.runs == [(0, 0, 1), (1, 1, 1), (0, 2, 2)]
    for name in ("node", "row_of", "row", "column", "diagonal", "mirror"):
        np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name), err_msg=name)
    assert found.colours == wanted.colours
    members = np.repeat(np.arange(4), [m.nodes for m in meshes])
    np.testing.assert_array_equal(found.member, members[found.node])
    np.testing.assert_array_equal(found.item, np.argsort(found.member, kind="stable"))
    ends = [np.repeat(np.arange(len(o) - 1), np.diff(o)) for o, _ in graphs]
    entries = Items(alike, [len(own) for own in ends])
    pairs = [(own, neighbour) for own, (_, neighbour) in zip(ends, graphs, strict=True)]
    every = np.repeat(np.arange(first[-1]), np.diff(whole.offsets))
    np.testing.assert_array_equal(
        found.blocks_of(pairs, entries), wanted.block(every, whole.neighbour)
    )


def test_a_grid_has_the_dual_of_all_cells():
    meshes = [triangles(), quads(), triangles(), quads()]

    grid = km.Ale(meshes, mach=0.5, device="cpu").grid

    assert grid.alike.distinct == 2
    whole = dual(grid.nodes, grid.vertices.cells)
    for name in whole.__slots__:
        np.testing.assert_array_equal(getattr(grid.dual, name), getattr(whole, name), err_msg=name)
    np.testing.assert_array_equal(grid.points, np.concatenate([m.points for m in grid.meshes]))
    for side, markers in ((grid.wall, "airfoil"), (grid.patches["far"], "farfield")):
        edges = [m.boundaries[markers] + s for m, s in zip(grid.meshes, grid.first, strict=False)]
        before, after = np.concatenate(edges).T
        order = np.argsort(after)
        np.testing.assert_array_equal(np.sort(side.node), after[order])
        at = np.argsort(side.node)
        np.testing.assert_array_equal(side.shape["ends"][at, 0], before[order])
        np.testing.assert_array_equal(side.member, grid.member[side.node])


# ---- how often ----------------------------------------------------------------------------


@pytest.fixture
def calls(monkeypatch):
    """How often each set-up was made."""
    count: Counter = Counter()

    def counted(place, name, label):
        plain = getattr(place, name)

        def call(*args, **kwargs):
            count[label] += 1
            return plain(*args, **kwargs)

        monkeypatch.setattr(place, name, call)

    counted(km.mesh.Mesh, "renumbered", "order")
    counted(km.space.grid, "dual", "dual")
    counted(km.flow.ale, "colour_along_lines", "colours")
    counted(km.linear.cg, "hierarchy", "multigrid")
    counted(km.deform.spokes.Spokes, "of", "springs")
    counted(km.deform.graph, "triangulated", "graph")
    return count


DEFORMS = {
    "springs": km.deform.TorsionalSprings(),
    "delaunay": km.deform.Delaunay(),
    "retriangulated": km.deform.Delaunay(retriangulate=True),
}


@pytest.mark.long
@pytest.mark.no_sanitizer
@pytest.mark.parametrize("deform", DEFORMS)
def test_each_mesh_is_set_up_once_over_preflight_and_run(calls, deform):
    """Two meshes, one of them in two objects, of five members."""
    a, b = triangles(), triangles(700)
    meshes = [a, b, twin(a), a, b]
    calls.clear()
    case = km.Ale(
        meshes, mach=[0.4, 0.5, 0.5, 0.6, 0.6], device="cpu",
        motion=[km.motion.pitch(0.5 + m, 0.1) for m in range(5)],
        deform=DEFORMS[deform], settings=km.AleSettings(**ROUGH),
    )  # fmt: skip
    built = dict(calls)
    case.run(**STEPS)

    assert built == {"order": 2, "dual": 2, "colours": 2}
    more = {"springs": 2, "multigrid": 2} if deform == "springs" else {"graph": 2}
    assert calls == built | more


def test_members_that_stand_elsewhere_have_hierarchies_of_their_own(calls):
    """Two of three members share one pose; none has its mesh as given."""
    poses = [km.motion.Pose(angle) for angle in (0.01, 0.02, 0.02)]
    case = km.Ale(triangles(), mach=[0.4, 0.5, 0.6], device="cpu")
    case.rest(poses)
    calls.clear()
    case.deform.attach(case.grid.vertices).step(lambda share: poses)

    assert calls["multigrid"] == 2


def test_where_motions_begin_is_set_up_once_over_preflight_and_run(calls):
    """Four members, of which two and two begin at one pose: the mesh as given, and two starts."""
    case = km.Ale(
        triangles(), mach=[0.4, 0.5, 0.6, 0.5], device="cpu", settings=km.AleSettings(**ROUGH),
        motion=[km.motion.pitch(0.5, 0.1, phase_deg=phase) for phase in (40, 40, 70, 70)],
    )  # fmt: skip
    calls.clear()

    case.run(**STEPS)

    assert calls["multigrid"] == 3


# ---- bits ---------------------------------------------------------------------------------


SOLVERS = {
    "springs": lambda mesh, **case: km.Ale(
        mesh, **case, deform=km.deform.TorsionalSprings(), settings=km.AleSettings(**ROUGH)
    ),
    "delaunay": lambda mesh, **case: km.Ale(
        mesh, **case, deform=km.deform.Delaunay(), settings=km.AleSettings(**ROUGH)
    ),
    "lusgs": lambda mesh, **case: km.Ale(
        mesh, **case, deform=km.deform.Rigid(),
        settings=km.AleSettings(**ROUGH, linear_solver="lusgs"),
    ),
    "cloud": lambda mesh, **case: km.Meshless(
        [km.Cloud.from_mesh(m) for m in mesh] if isinstance(mesh, list) else
        km.Cloud.from_mesh(mesh), **case, settings=km.MeshlessSettings(**ROUGH)
    ),
    "cloud without matrix": lambda mesh, **case: km.Meshless(
        [km.Cloud.from_mesh(m) for m in mesh] if isinstance(mesh, list) else
        km.Cloud.from_mesh(mesh), **case, settings=km.MeshlessSettings(**ROUGH, flux="jst")
    ),
}  # fmt: skip


@pytest.mark.long
@pytest.mark.no_sanitizer
@pytest.mark.filterwarnings("ignore:.*steps ended above:RuntimeWarning")
@on_devices
@pytest.mark.parametrize("solver", SOLVERS)
def test_quads_beside_triangles_keep_their_solo_bits(solver, device):
    """Two meshes of two members each, of which one needs two colours alone."""
    meshes, machs = [triangles(), quads()], [0.3, 0.45]
    motions = [km.motion.pitch(amplitude, 0.1) for amplitude in (1.0, 2.0)]
    rows = [(mesh, k) for k in range(2) for mesh in meshes]
    several = SOLVERS[solver](
        [mesh for mesh, _ in rows], mach=[machs[k] for _, k in rows],
        motion=[motions[k] for _, k in rows], device=device,
    )  # fmt: skip
    together = several.run(**STEPS)
    colours = several.pattern.colour()

    for member, (mesh, k) in enumerate(rows[1:3], start=1):
        alone = SOLVERS[solver](mesh, mach=machs[k], motion=motions[k], device=device)
        own = alone.pattern.colour()
        assert (own.max() == 1) == (mesh is meshes[1])
        run = alone.run(**STEPS)
        here = slice(*several.grid.first[member : member + 2])
        np.testing.assert_array_equal(np.unique(colours[here], return_inverse=True)[1], own)
        np.testing.assert_array_equal(several.primitive()[here], alone.primitive())
        ours, theirs = together.history.member(member), run.history.member(0)
        for name in ("cl", "cm", "inner_iterations", "min_area"):
            np.testing.assert_array_equal(ours[name], theirs[name], err_msg=name)


@on_devices
def test_clouds_in_space_with_fewer_colours_keep_their_solo_bits(device):
    """LU-SGS sweeps that turn at the last colour: two colours beside seven and more."""
    clouds = [lattice(5), box(4), lattice(5)]
    settings = km.MeshlessSettings(
        time="lusgs", weight_power=1, smooth_gradients=False, steady_iterations=3
    )

    def after_three_iterations(cloud, mach):
        case = km.Meshless(cloud, mach=mach, settings=settings, device=device)
        wave = 0.01 * np.sin(5 * case.grid.points)
        q = case.backend.get(case.stream)[case.grid.member]
        q[:, :3] += wave
        case.initialise(q)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # three iterations do not converge
            case.steady()
        return case, case.primitive(), q

    together, found, _ = after_three_iterations(clouds, [0.5, 0.5, 0.6])

    for member, (cloud, mach) in enumerate(zip(clouds, [0.5, 0.5, 0.6], strict=True)):
        alone, wanted, before = after_three_iterations(cloud, mach)
        assert (len(alone.pattern.colours) == 2) == (member != 1)
        assert np.abs(wanted - before).max() > 1e-4
        here = slice(*together.grid.first[member : member + 2])
        np.testing.assert_array_equal(found[here], wanted)
