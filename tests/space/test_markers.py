"""Walls and far field: found by geometry or by name, swapped ones refused, tunnels not."""

from pathlib import Path
from types import SimpleNamespace

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import MeshError
from kinemesh.space.markers import (
    FAR_WORDS,
    WALL_WORDS,
    planes_of,
    refuse_by_name,
    role_of,
    walls_of,
)
from solver_cases import Ellipse, bodies, disc, square

pytestmark = pytest.mark.no_sanitizer  # geometry in Python


def remade(mesh, **rules):
    """The mesh with markers by name -> whether the middle (x, y) of an edge has it."""
    edges = np.concatenate(list(mesh.boundaries.values()))
    x, y = mesh.points[edges].mean(axis=1).T
    markers = {name: edges[rule(x, y)] for name, rule in rules.items()}
    cells = np.concatenate([np.pad(mesh.triangles, ((0, 0), (0, 1)), constant_values=-1),
                            mesh.quads])  # fmt: skip
    return km.mesh.Mesh.from_arrays(mesh.points, cells, markers)


ONE, PAIR = {"one": Ellipse((0.0, 0.0))}, {"a": Ellipse((-1.0, 0.0)), "b": Ellipse((1.0, 0.0))}


def within(x, y):
    """Return True within 2 of the origin, where the bodies are."""
    return np.hypot(x, y) < 2


def about(mesh, **rules):
    """The mesh with its body as `body`, and other names along the curve about it."""
    outer = {n: lambda x, y, rule=rule: ~within(x, y) & rule(x, y) for n, rule in rules.items()}
    return remade(mesh, body_1=within, **outer)


# ---- found by geometry


@pytest.mark.long
@pytest.mark.parametrize("name", ["outer", "boundary", "3", "Rand", "farfield"])
def test_the_curve_that_encloses_all_others_is_the_far_field_whatever_its_name(name):
    mesh = remade(
        bodies(PAIR),
        **{name: lambda x, y: ~within(x, y)},
        a=lambda x, y: within(x, y) & (x < 0),
        b=lambda x, y: within(x, y) & (x > 0),
    )

    assert walls_of(None, [mesh]) == (["a", "b"], [name])
    assert walls_of(None, [km.Cloud.from_mesh(mesh)]) == (["a", "b"], [name])


def test_several_markers_together_enclose():
    """One that names would take for neither, in four parts; a body in two."""
    mesh = remade(bodies(ONE), top=lambda x, y: ~within(x, y) & (y > abs(x)),
                  bottom=lambda x, y: ~within(x, y) & (y < -abs(x)),
                  left=lambda x, y: ~within(x, y) & (x <= -abs(y)),
                  right=lambda x, y: ~within(x, y) & (x >= abs(y)),
                  up=lambda x, y: within(x, y) & (y > 0),
                  down=lambda x, y: within(x, y) & (y < 0))  # fmt: skip

    assert walls_of(None, [mesh]) == (["up", "down"], ["top", "bottom", "left", "right"])


def test_a_surface_that_encloses_is_the_far_field_in_space():
    """A half wing on its plane of symmetry."""
    cloud = km.cloud.wing(points=20_000)
    names = {"wing": "3", "farfield": "4", "symmetry": "symmetry"}
    boundaries = {names[n]: facets for n, facets in cloud.boundaries.items()}
    there = SimpleNamespace(points=cloud.points, boundaries=boundaries, origin=cloud.origin)

    assert walls_of(None, [there], ["symmetry"]) == (["3"], ["4"])


@pytest.mark.filterwarnings("ignore:member 0. stopped at its limit:RuntimeWarning")
def test_loads_do_not_depend_on_the_names_of_markers():
    few = km.AleSettings(steady_iterations=3)
    named = km.mesh.airfoil("naca0012", nodes=500)
    edges = {"3": named.boundaries["airfoil"], "rim": named.boundaries["farfield"]}
    other = km.mesh.Mesh(named.points, named.triangles, named.quads, edges)

    cases = [km.Ale(mesh, mach=0.5, alpha_deg=2.0, device="cpu", settings=few)
             for mesh in (named, other)]  # fmt: skip
    one, two = (case.steady().summary for case in cases)

    for name in ("cl", "cd", "cm"):
        assert one["result"][name] == two["result"][name]
    assert one["result"]["cl"] > 0.01
    assert (two["mesh"]["walls"], two["mesh"]["far"]) == (["3"], ["rim"])


# ---- names


def test_the_words_are_in_the_docs():
    page = Path(__file__).parents[2] / "docs" / "meshes.md"
    if not page.is_file():
        pytest.skip("needs the sources' docs")
    for words in (FAR_WORDS, WALL_WORDS):
        assert f"| {', '.join(f'`{word}`' for word in words)} |" in page.read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "role"),
    [("FarField", "far"), ("FARFIELD", "far"), ("far_field_2", "far"), ("inlet", "far"),
     ("LowerWall", "wall"), ("wall-3", "wall"), ("WING", "wall"), ("symmetry", "wall"),
     ("far_wall", None), ("outer", None), ("4", None), ("swallow", None)],
)  # fmt: skip
def test_words_of_a_name_tell_its_role(name, role):
    assert role_of(name) == role


def test_names_decide_where_no_curve_encloses():
    """A channel; and a half model, whose symmetry, body and far field are one curve."""
    channel = remade(square(6), lower_wall=lambda x, y: y < -0.99, upper_wall=lambda x, y: y > 0.99,
                     inlet=lambda x, y: (abs(y) < 0.99) & (x < 0),
                     outlet=lambda x, y: (abs(y) < 0.99) & (x > 0))  # fmt: skip
    half = remade(square(8), ground=lambda x, y: (y < -0.99) & (abs(x) > 0.5),
                  plate=lambda x, y: (y < -0.99) & (abs(x) < 0.5),
                  Far=lambda x, y: y > -0.99)  # fmt: skip

    assert walls_of(None, [channel]) == (["lower_wall", "upper_wall"], ["inlet", "outlet"])
    assert walls_of(None, [half]) == (["ground", "plate"], ["Far"])
    assert walls_of(None, [square(4)]) == ([], ["farfield"])


SOLVERS = {
    "ale": lambda mesh, **given: km.Ale(mesh, mach=0.5, device="cpu", **given),
    "meshless": lambda mesh, **given: km.Meshless(
        km.Cloud.from_mesh(mesh), mach=0.5, device="cpu", **given
    ),
    "incompressible": lambda mesh, **given: km.Incompressible(
        mesh, reynolds=100.0, device="cpu", **given
    ),
}


def plate_behind(name):
    """Half a model: a plate, ahead of and behind it a marker of that name."""
    return remade(square(8), **{name: lambda x, y: (y < -0.99) & (abs(x) > 0.5)},
                  plate=lambda x, y: (y < -0.99) & (abs(x) < 0.5),
                  Far=lambda x, y: y > -0.99)  # fmt: skip


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:member 0:RuntimeWarning")
@pytest.mark.parametrize("make", SOLVERS.values(), ids=SOLVERS)
@pytest.mark.parametrize(
    "name",
    ["symmetry", "SYMMETRY_1", "SymmetryPlane", "slip", "Slip_2", "inviscid_wall", "periodic-1",
     "Inlet", "OUTLET_3", "inflow", "outflow", "slip_wall"],
)  # fmt: skip
def test_a_wall_named_like_another_kind_is_refused_until_it_is_said(name, make):
    mesh = plate_behind(name)
    with pytest.raises(MeshError, match=rf"'{name}'\] would be walls, and are named like"):
        make(mesh, far=["Far"])
    assert make(mesh, far=["Far"], walls=["plate", name]).markers.by_role["body"] == ["plate", name]
    assert make(mesh, far=["Far"], boundaries={name: "symmetry"}).markers.by_role["body"] == [
        "plate"
    ]


@pytest.mark.parametrize("make", SOLVERS.values(), ids=SOLVERS)
@pytest.mark.parametrize("name", ["symmetry", "Slip", "periodic_1"])
def test_a_far_field_named_like_a_plane_is_refused_until_it_is_said(name, make):
    mesh = plate_behind(name)
    with pytest.raises(MeshError, match=rf"'{name}'\] would be far field, and are named like"):
        make(mesh, walls=["plate"])


def test_symmetry_is_no_wall_where_names_decide_and_no_slip_is_one():
    with pytest.raises(MeshError, match="would be walls"):
        km.Ale(plate_behind("symmetry"), mach=0.5, device="cpu")
    refuse_by_name(["no_slip_wall", "NonSlip", "slat"], ["inlet", "outlet"], [])


def test_planes_of_symmetry_in_space_are_known_by_a_word_of_their_name():
    cloud = SimpleNamespace(boundaries=dict.fromkeys(["wing", "Symmetry_1", "symmetry-xz", "far"]))
    assert planes_of(None, [cloud]) == ["Symmetry_1", "symmetry-xz"]
    with pytest.raises(MeshError, match=r"say boundaries={'slip': 'symmetry'} for planes"):
        refuse_by_name(["wing", "slip"], ["far"], [])


@pytest.mark.parametrize(
    ("markers", "message"),
    [
        ({"tunnel_wall": {"of": "farfield"}}, "are of the surface that encloses all others"),
        (
            {"body": {"of": ["sphere", "farfield"], "z": (0, 99)}},
            r"\['body'\] are of the surface that encloses all others and of what it encloses",
        ),
    ],
)
def test_what_encloses_a_body_in_space_is_a_surface(ball, markers, message):
    with pytest.raises(MeshError, match=message):
        walls_of(None, [km.mesh.marked(ball, markers)])


@pytest.fixture(scope="module")
def ball():
    return km.mesh.sphere(nodes=1000, far_field=4.0)


UNTOLD = {
    "an unknown name where names decide": (
        lambda: remade(square(6), wall=lambda x, y: abs(y) > 0.99, ends=lambda x, y: abs(y) < 0.99),
        r"member 0: no closed curve encloses all others, so names decide, and \['ends'\] have no "
        r"word that tells walls \(aerofoil, .*\) from the far field \(far, .*\); say which",
    ),
    "walls about a body": (
        lambda: about(bodies(ONE), UpperWall=lambda x, y: y > 0, out=lambda x, y: y <= 0),
        r"\['UpperWall'\] are named like walls, and are of the curve that encloses all others "
        r"\(x -8 to 8, y -8 to 8\), which is the far field; say which they are: bodies in walls",
    ),
    "names that are swapped": (
        lambda: remade(bodies(ONE), outlet=within, rim=lambda x, y: ~within(x, y)),
        r"\['outlet'\] are named like a far field, and lie within \['rim'\] \(x -8 to 8, .* bodies",
    ),
    "one marker for a body and what is about it": (
        lambda: remade(bodies(ONE), all=lambda x, y: within(x, y) | (x > 0),
                       rest=lambda x, y: ~within(x, y) & (x <= 0)),
        r"\['all'\] are of the curve that encloses all others and of what it encloses, so names",
    ),
}  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize(("mesh", "message"), UNTOLD.values(), ids=UNTOLD.keys())
def test_what_neither_geometry_nor_names_tell_is_refused(mesh, message):
    made = mesh()

    with pytest.raises(MeshError, match=message):
        walls_of(None, [made])
    names = list(made.boundaries)
    assert walls_of(names[:1], [made])[1] == walls_of(None, [made], (), names[1:])[1] == names[1:]


def test_a_marker_is_one_of_two_in_all_members():
    body = remade(bodies(ONE), x=within, y=lambda x, y: ~within(x, y))
    swapped = remade(bodies(ONE), y=within, x=lambda x, y: ~within(x, y))

    with pytest.raises(MeshError, match="'x' is a body of member 0 and far field of member 1; say"):
        walls_of(None, [body, swapped])


def test_walls_and_far_must_part_all_markers():
    mesh = bodies(PAIR)

    assert walls_of(["b", "a"], [mesh], (), ["farfield"]) == (["b", "a"], ["farfield"])
    assert walls_of(None, [mesh], (), {"farfield"}) == (["a", "b"], ["farfield"])
    with pytest.raises(MeshError, match=r"markers \['b'\] are neither in walls nor in far"):
        walls_of(["a"], [mesh], (), ["farfield"])
    with pytest.raises(MeshError, match=r"markers \['a'\] are both in walls and in far"):
        walls_of(["a", "b"], [mesh], (), ["farfield", "a"])
    for sides in ({"walls": ["b", "a"]}, {"walls": None, "far": ["a"]}):
        with pytest.raises(MeshError, match=r"markers \['a'\] are both in (walls|far) and of"):
            walls_of(meshes=[mesh], planes=["a"], **sides)
    with pytest.raises(MeshError, match=r"far is \['rim'\], expected markers of the mesh: \['farf"):
        walls_of(None, [mesh], (), ["rim"])
    with pytest.raises(km.SettingsError, match="far is 'farfield', expected a list of markers"):
        walls_of(None, [mesh], (), "farfield")


@pytest.mark.parametrize("what", ["walls", "far"])
def test_a_solver_takes_arrays_of_markers_and_refuses_what_is_no_list(what):
    mesh = bodies(PAIR)
    known = {"walls": np.array(["b", "a"]), "far": np.array(["farfield"])}

    made = km.Ale(mesh, mach=0.5, device="cpu", **{what: known[what]})
    assert {m: own.kind for m, own in made.conditions.items()} == {
        "a": "wall", "b": "wall", "farfield": "far"}  # fmt: skip
    assert {type(m) for m in made.conditions} == {str}
    for nothing in (5, True, float("nan"), np.array("a")):
        with pytest.raises(km.SettingsError, match=f"{what} is .*, expected a list of markers"):
            km.Ale(mesh, mach=0.5, device="cpu", **{what: nothing})


# ---- refused

SOLVERS = {
    "o-mesh": lambda **more: km.Ale(km.mesh.airfoil("naca0012", nodes=500), **more),
    "c-mesh": lambda **more: km.Ale(km.mesh.airfoil("naca0012", nodes=2000, topology="c"), **more),
    "cloud": lambda **more: km.Meshless(km.cloud.airfoil("naca0012", points=500), **more),
}


@pytest.mark.parametrize("name", SOLVERS)
def test_a_far_field_within_the_walls_is_refused(name):
    message = (
        r"member 0: walls \['farfield'\] \(x -49.5 to 5\d.*, y -[45]\d.*\) lie about the far field "
        r"\['airfoil'\] \(x 0 to 1, y -0.0[56]\d* to 0.0[56]\d*\), expected the far field about "
        "the walls; if they are swapped, name the bodies in walls"
    )
    with pytest.raises(MeshError, match=message):
        SOLVERS[name](mach=0.5, walls=["farfield"], device="cpu")


def test_a_half_wing_in_a_cylinder_of_walls_is_refused():
    """The plane of symmetry, which both meet, does not make them one."""
    cloud = km.cloud.wing(points=20_000)

    with pytest.raises(MeshError, match=r"walls \['farfield'\] .* far field \['wing'\] .*z -0.06"):
        km.Meshless(cloud, mach=0.5, walls=["farfield"], device="cpu")


def test_the_member_and_all_markers_are_named():
    """Two of the three bodies are walls, and so is the boundary around all of them."""
    pair = {"one": Ellipse((-1.0, 0.0)), "two": Ellipse((1.0, 0.0)), "three": Ellipse((0.0, 1.0))}
    there = bodies(pair)
    alone = bodies({"three": Ellipse((0.0, 0.0))})

    with pytest.raises(MeshError, match=r"member 1: walls \['farfield'\].*far field \['one'\]"):
        walls_of(["two", "farfield", "three"], [alone, there])


# ---- not refused


def test_bodies_in_a_far_field_are_not_refused():
    pair = {"one": Ellipse((-1.0, 0.0)), "two": Ellipse((1.0, 0.0))}

    assert walls_of(["one", "two"], [bodies(pair)]) == (["one", "two"], ["farfield"])
    # one is left to the far field: within it, not about it
    assert walls_of(["two"], [bodies(pair)]) == (["two"], ["farfield", "one"])


def test_closed_rooms_and_open_squares_are_not_refused():
    """Without far field, or without walls."""
    around = bodies({"one": Ellipse((0.0, 0.0))})

    assert walls_of(["one", "farfield"], [around]) == (["one", "farfield"], [])
    assert walls_of([], [square(4)]) == ([], ["farfield"])


def test_tunnels_are_not_refused():
    """Walls above and below, with and without a body; ends that the walls reach beyond."""
    channel = remade(square(6), walls=lambda x, y: abs(y) > 0.99, ends=lambda x, y: abs(y) < 0.99)
    about = remade(bodies({"one": Ellipse((0.0, 0.0))}),
                   one=lambda x, y: np.hypot(x, y) < 1,
                   sides=lambda x, y: (abs(x) < 6) & (np.hypot(x, y) > 1),
                   ends=lambda x, y: abs(x) >= 6)  # fmt: skip
    # a round room whose openings lie between its outermost points
    room = remade(
        disc(8), walls=lambda x, y: abs(x * y) < 0.4, ports=lambda x, y: abs(x * y) >= 0.4
    )

    assert walls_of(["walls"], [channel]) == (["walls"], ["ends"])
    assert walls_of(["one", "sides"], [about]) == (["one", "sides"], ["ends"])
    assert walls_of(["walls"], [room]) == (["walls"], ["ports"])
    ports, walls = (room.points[room.boundaries[n]].reshape(-1, 2) for n in ("ports", "walls"))
    assert (ports.max(0) < walls.max(0)).all()
    assert (ports.min(0) > walls.min(0)).all()


def test_a_wall_that_symmetry_parts_from_the_ends_is_not_refused():
    """A duct in space: its wall shares no point with the ends, which lie before and behind it."""
    x = np.repeat([-2.0, -1.0, 1.0, 2.0], 4)
    y, z = np.tile([[0.0, 1, 1, 0], [0.0, 0, 1, 1]], 4)
    sides = [[k, (k + 1) % 4, k + 4] for k in range(4)]
    duct = SimpleNamespace(
        points=np.stack([x, y, z], 1),
        boundaries={
            "inlet": np.array([[0, 1, 2], [0, 2, 3]]),
            "symmetry": np.array([[p + 8 * e for p in side] for side in sides for e in (0, 1)]),
            "wall": np.array([[p + 4 for p in side] for side in sides]),
            "outlet": np.array([[12, 13, 14], [12, 14, 15]]),
        },
    )

    assert walls_of(["wall"], [duct], ["symmetry"]) == (["wall"], ["inlet", "outlet"])
