"""Bumps between planes of symmetry: half a body, by whatever cells and numbers."""

import kinemesh as km
import numpy as np
import pytest


def channel(cells, turned):
    """A bump from x = 0 to 1.5 between planes of symmetry, another plane of symmetry above."""
    x, y = np.meshgrid(np.linspace(-1.5, 3, 46), np.linspace(0, 1, 6), indexing="ij")
    y = y + (1 - y) * np.where((x > 0) & (x < 1.5), 0.05 * np.sin(np.pi * x / 1.5) ** 2, 0)
    at = np.arange(x.size).reshape(x.shape)
    if turned:  # numbers from above downwards, and from the outlet to the inlet
        at = at[::-1, ::-1]
    points = np.empty((x.size, 2))
    points[at.ravel()] = np.stack([x.ravel(), y.ravel()], axis=1)
    quads = np.stack([at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]], -1).reshape(-1, 4)
    low, high = (np.stack([at[:-1, j], at[1:, j]], axis=1) for j in (0, -1))
    ends = [np.stack([at[i, :-1], at[i, 1:]], axis=1) for i in (0, -1)]
    middle = points[low][:, :, 0].mean(axis=1)
    on = (middle > 0) & (middle < 1.5)
    sides = {"bump": low[on], "symmetry": low[~on], "top": high, "in": ends[0], "out": ends[1]}
    table = quads if cells == "quads" else np.concatenate([quads[:, :3], quads[:, [0, 2, 3]]])
    return km.Mesh.from_arrays(points, table, sides)


@pytest.mark.long
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("cells", ["quads", "triangles"])
@pytest.mark.parametrize("top", ["symmetry", "far"])
@pytest.mark.parametrize("solver", [km.Ale, km.CellCentred, km.Meshless, km.Incompressible])
def test_a_bump_is_measured_whatever_the_cells_their_numbers_and_planes_above(
    solver, top, cells, turned
):
    mesh = channel(cells, turned)
    kinds = {"bump": "wall", "symmetry": "symmetry", "top": top, "in": "far", "out": "far"}
    flow = {"reynolds": 100.0} if solver is km.Incompressible else {"mach": 0.3}
    space = km.Cloud.from_mesh(mesh) if solver is km.Meshless else mesh

    with pytest.raises(km.MeshError, match=r"bump is 1\.5 long .* or say by chord=1\.5"):
        solver(space, boundaries=kinds, device="cpu", **flow)
    said = {"chord": 1.5, "moment_about": (0.375, 0.0)}
    assert not solver(space, boundaries=kinds, device="cpu", **said, **flow).notes
