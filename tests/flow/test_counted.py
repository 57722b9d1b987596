"""Whose loads the coefficients are: bodies that a case names, and of a channel its bodies."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.cases.casefile import Case
from kinemesh.errors import SettingsError
from test_channel import channel

pytestmark = [pytest.mark.flow, pytest.mark.filterwarnings("ignore::RuntimeWarning")]
SIDES = ["hole", "low", "high"]


def holed(twice=False):
    """Squares of a channel from (0, 0) to (8, 3) without one of them, or two: bodies of side 1."""
    x, y = np.meshgrid(np.linspace(0, 8, 17), np.linspace(0, 3, 7))
    at = np.arange(x.size).reshape(x.shape)
    quads = np.stack([at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]], -1)
    there = np.ones(quads.shape[:2], bool)
    there[2:4, 4:6] = False
    if twice:
        there[2:4, 10:12] = False
    edges = {}
    for name, own in {"low": at[0], "high": at[-1], "in": at[:, 0], "out": at[:, -1]}.items():
        edges[name] = np.stack([own[:-1], own[1:]], axis=1)
    for name, column in {"hole": 4, "rear": 10}.items():
        box = at[2:5, column : column + 3]
        loop = np.concatenate([box[0, :-1], box[:-1, -1], box[-1, :0:-1], box[:0:-1, 0]])
        edges[name] = np.stack([loop, np.roll(loop, -1)], axis=1)
    if not twice:
        del edges["rear"]
    points = np.stack([x.ravel(), y.ravel()], axis=1)
    used, quads = np.unique(quads[there], return_inverse=True)
    quads, new = quads.reshape(-1, 4), np.full(len(points), -1)
    new[used] = np.arange(len(used))
    return km.mesh.Mesh.from_arrays(points[used], quads, {k: new[e] for k, e in edges.items()})


def ends(gas):
    if gas:
        return {"in": km.inlet(total_pressure=1.0), "out": km.outlet(pressure=0.97)}
    return {"in": km.inlet(velocity=1.0), "out": km.outlet()}


def made(name, mesh=None, walls=SIDES, **more):
    settings = {"steady_iterations": 12}
    told = {"walls": walls, "boundaries": ends(name != "incompressible"), "device": "cpu"}
    told |= {"moment_about": (2.5, 1.5), "chord": 2**0.5}  # of a square, its diagonal
    mesh = holed() if mesh is None else mesh
    if name == "incompressible":
        settings = km.IncompressibleSettings(**settings)
        return km.Incompressible(mesh, reynolds=20.0, settings=settings, **(told | more))
    if name == "cells":
        return km.CellCentred(mesh, mach=0.2, settings=km.CellSettings(**settings), **(told | more))
    viscous = {"reynolds": 50.0} if name == "laminar" else {}
    settings = km.AleSettings(**settings)
    return km.Ale(mesh, mach=0.2, settings=settings, **(told | viscous | more))


SOLVERS = "ale", "cells", "laminar", "incompressible"


@pytest.mark.parametrize("name", SOLVERS)
def test_walls_of_a_channel_do_not_count_beside_a_body(name):
    case = made(name)
    result = case.steady().summary["result"]

    for load in ("cl", "cd", "cm"):
        assert result[load] == pytest.approx(result["bodies"]["hole"][load], abs=1e-12), load
    assert case.more["loads"] == ["hole"]
    assert abs(result["bodies"]["low"]["cl"]) > 0.1


@pytest.mark.parametrize("name", SOLVERS)
def test_walls_that_are_named_count(name):
    every = made(name, loads=SIDES).steady().summary["result"]
    low = made(name, loads="low").steady().summary["result"]

    total = sum(own["cd"] for own in every["bodies"].values())
    assert every["cd"] == pytest.approx(total, rel=1e-12, abs=1e-12)
    assert low["cl"] == pytest.approx(low["bodies"]["low"]["cl"], rel=1e-12)


def test_every_body_of_a_channel_counts():
    result = made("ale", holed(twice=True), walls=[*SIDES, "rear"]).steady().summary["result"]

    own = result["bodies"]
    assert result["cd"] == pytest.approx(own["hole"]["cd"] + own["rear"]["cd"], abs=1e-12)


def test_all_walls_count_where_no_body_is_or_the_channel_is_open_to_a_stream():
    nozzle = channel(8)
    names = {"in": km.inlet(total_pressure=1.0), "out": km.outlet(pressure=0.9)}
    alone = km.Ale(nozzle, mach=0.3, boundaries=names, walls=["bottom", "top"], device="cpu")
    stream = km.Ale(
        holed(),
        mach=0.2,
        walls=SIDES,
        far=["in", "out"],
        moment_about=(2.5, 1.5),
        chord=2**0.5,
        device="cpu",
    )

    assert alone.grid.owners.counted.all()
    assert stream.grid.owners.counted.all()
    assert "loads" not in alone.more


def test_unsteady_loads_and_power_are_of_the_bodies_that_count():
    case = made("incompressible")
    history = case.run(time_step=0.05, steps=3, start="as is").history

    np.testing.assert_allclose(history["cd"], history["cd_hole"], rtol=1e-12)
    assert np.abs(history["cl_low"]).min() > 0.1


def test_members_have_the_bits_of_their_solo_runs():
    meshes = [holed(), holed(twice=True)]
    both = made("ale", meshes, walls=[*SIDES, "rear"])
    both.steady()
    alone = made("ale", meshes[1], walls=[*SIDES, "rear"])
    alone.steady()

    assert (both.coefficients()[1] == alone.coefficients()[0]).all()


@pytest.mark.parametrize(
    ("loads", "said"),
    [
        (["hol"], "loads names 'hol', expected one of hole, low, high; did you mean 'hole'"),
        (["in"], "loads names 'in', expected one of hole, low, high"),
        ([], "loads is empty"),
        (3, "loads is 3, expected names of walls"),
        ([3], "expected names of walls"),
    ],
)
def test_names_of_no_wall_are_refused(loads, said):
    with pytest.raises(SettingsError, match=said):
        made("ale", loads=loads)


def test_a_case_file_names_the_bodies_whose_loads_count(tmp_path):
    km.mesh.write(holed(), tmp_path / "holed.su2")
    table = {
        "name": "c", "mode": "steady", "method": "incompressible",
        "mesh": {"file": "holed.su2", "walls": SIDES,
                 "boundaries": {"in": {"kind": "inlet", "velocity": 1.0},
                                "out": {"kind": "outlet"}}},
        "flow": {"reynolds": 20, "moment_about": [2.5, 1.5], "loads": ["low"], "chord": 2**0.5},
        "run": {"device": "cpu"}, "solver": {"steady_iterations": 12},
    }  # fmt: skip
    result = Case.from_dict(table, tmp_path).run().summary["result"]

    assert result["cl"] == pytest.approx(result["bodies"]["low"]["cl"], rel=1e-12)
    table["flow"]["loads"] = []
    with pytest.raises(km.KinemeshError, match=r"\[flow\]: loads is empty"):
        Case.from_dict(table, tmp_path)


def test_a_run_is_resumed_with_the_bodies_that_it_counted(tmp_path):
    told = {"out": tmp_path / "run", "time_step": 0.05, "start": "as is"}
    made("incompressible").run(steps=2, **told)

    with pytest.raises(km.KinemeshError, match="loads"):
        made("incompressible", loads=["low"]).run(steps=4, resume=True, **told)
