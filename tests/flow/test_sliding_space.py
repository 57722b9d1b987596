"""Walls in space that slide in themselves under a viscous gas."""

import kinemesh as km
import numpy as np
import pytest
from solids import lattice, meshed

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*edges lie along the wall:RuntimeWarning", "ignore:.*moves at once:RuntimeWarning"
)


def channel(across=6, cells="hexahedra"):
    """A box of 1 by 0.5 by 1 between walls below and above, and planes of symmetry."""
    points, blocks = lattice((across, 2, across), cells)
    points *= np.array([1.0, 0.25 * across, 1.0]) / across
    rim = meshed(points, blocks).boundaries["rim"]
    x = points[np.where(rim < 0, rim[:, :1], rim)]
    sides, left = {}, np.ones(len(rim), bool)
    for name, axis, level in (("bottom", 2, 0.0), ("top", 2, 1.0), ("near", 1, 0.0),
                              ("far", 1, 0.5)):  # fmt: skip
        own = (np.abs(x[..., axis] - level) < 1e-12).all(axis=1)
        sides[name], left = rim[own], left & ~own
    return km.Mesh.from_blocks(points, blocks, sides | {"ends": rim[left]})


def between(slide, **more):
    told = {"mach": 0.3, "reynolds": 5.0, "far": ["ends"], "device": "cpu"} | more
    return km.Ale(
        channel(), boundaries={"near": "symmetry", "far": "symmetry"},
        viscosity=km.Viscosity(sliding=slide), **told,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("slide", "words"),
    [
        ({"top": 1.0}, r"'top' is 1.0, expected a velocity \(x, y, z\) \[U\] of a wall in space"),
        ({"top": (1.0, 0.0)}, r"'top' is \(1.0, 0.0\), expected a velocity \(x, y, z\)"),
        ({"top": (1.0, 0.0, 0.5)}, "which is 0.5 through its face from"),
        ({"lid": (1.0, 0.0, 0.0)}, "'lid' is no wall, expected one of bottom, top"),
    ],
)
def test_what_is_no_velocity_of_a_wall_in_space_is_refused(slide, words):
    with pytest.raises(km.SettingsError, match=words):
        between(slide)


def test_a_velocity_of_space_is_refused_in_the_plane():
    mesh = km.mesh.cylinder(300, far_field=6.0, around=24)
    with pytest.raises(km.SettingsError, match=r"expected a velocity \(x, y\) \[U\] of a wall in "):
        km.Ale(mesh, mach=0.3, reynolds=40.0, moment_about=(0.0, 0.0), device="cpu",
               viscosity=km.Viscosity(sliding={"cylinder": (1.0, 0.0, 0.0)}))  # fmt: skip


def test_the_gas_goes_with_a_wall_that_slides_and_turns_with_its_body():
    """Half of the stream's speed along x; after a turn of 30 degrees nose-up along the wall."""
    law = km.motion.rotate(30.0, about=(0.0, 0.0))
    made = between({"top": (0.5, 0.0, 0.0)}, far=["ends", "bottom"], deform=km.deform.Rigid(),
                   motion=law)  # fmt: skip
    wall = made.grid.wall
    top = made.grid.points[wall.node][:, 2] == 1.0
    slide = made.backend.get(wall.device["slide"])
    np.testing.assert_array_equal(slide[top], [[0.15, 0.0, 0.0]] * top.sum())
    assert not slide[~top].any()

    made.run(time_step=1.0 / 0.3, steps=1, start="as is")

    turned = made.backend.get(wall.device["slide"])
    angle = np.radians(30.0)
    expected = 0.15 * np.array([np.cos(angle), 0.0, -np.sin(angle)])
    assert np.abs(turned[top] - expected).max() <= 1e-15
