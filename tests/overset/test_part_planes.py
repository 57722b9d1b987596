"""Planes of symmetry that parts have to share."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import OversetError
from kinemesh.overset.parts import Part, Parts
from overset_parts import ball, ring

RADII = np.linspace(0.5, 1.6, 5)
BOX = (-2.1, 2.3, 0, 2.2, -2.15, 2.25)


def back(y0=0.0, **given):
    box = (*BOX[:2], y0, *BOX[3:])
    return km.mesh.background(box, box, spacing=0.55, **given)


def half(**given):
    return {"ball": ball(RADII, half=True), "back": back(**given)}


def test_a_background_that_ends_at_a_plane_of_symmetry_has_to_share_it():
    told = (
        r"'ball' has a plane of symmetry at y = 0 \('ball.symmetry'\), and 'back.front', which "
        r"lies in it, is of kind 'far'.*boundaries=\{'back.front': 'symmetry'\}"
    )
    with pytest.raises(OversetError, match=told):
        Parts.of(half())
    with pytest.raises(OversetError, match=r"'back\.front', which lies in it"):
        km.Incompressible(half(), reynolds=75.0, device="cpu")
    with pytest.raises(OversetError, match=r"'back\.wall_front', .* is of kind 'wall'"):
        Parts.of(half(walls=["front"]))

    assert "back.symmetry_front" in Parts.of(half(symmetry=["front"])).of_role("plane")
    made = Parts.of(half(), boundaries={"back.front": "symmetry"})
    assert made.of_role("plane") == ["ball.symmetry", "back.front"]


@pytest.mark.parametrize("given", [{}, {"symmetry": ["front"]}])
def test_a_background_that_goes_on_beyond_a_plane_of_symmetry_is_refused(given):
    with pytest.raises(OversetError, match=r"'ball.symmetry'\), and 'back' reaches 0.6 beyond it"):
        Parts.of(half(y0=-0.6, **given))


def test_walls_beyond_a_plane_of_the_background_are_refused():
    parts = {"ball": ball(RADII), "back": back(symmetry=["front"])}
    with pytest.raises(OversetError, match=r"the wall 'ball.wall' reaches 0.5 beyond it"):
        Parts.of(parts)


def test_a_body_clear_of_the_plane_may_have_a_grid_that_reaches_beyond_it():
    over = Part(ball(RADII), at=(0.0, 1.0, 0.0))
    made = Parts.of({"ball": over, "back": back(symmetry=["front"])})
    assert made.of_role("plane") == ["back.symmetry_front"]


def test_parts_between_two_planes_share_both():
    section = ring(layers=6, around=24)
    flat = km.mesh.background((-3, 3, -3, 3), (-3, 3, -3, 3), spacing=0.3)
    parts = {n: km.mesh.extruded(m, span=2.0, layers=2) for n, m in (("a", section), ("b", flat))}
    ends = [m for m in parts["b"].boundaries if m.startswith("symm")]

    assert len(Parts.of(parts).of_role("plane")) == 2 * len(ends)
    with pytest.raises(OversetError, match="reaches 1 beyond it"):
        Parts.of(parts | {"b": km.mesh.extruded(flat, span=3.0, layers=3)})


def test_a_plane_of_symmetry_of_the_plane_is_shared_too():
    x = (-2.0, 2.0, 0.0, 2.0)
    patch = km.mesh.background((-1, 1, 0, 1), (-1, 1, 0, 1), spacing=0.25)
    sides = dict(patch.boundaries)
    rim = np.concatenate([sides.pop(n) for n in ("left", "right", "top")])
    named = {"overset": rim, "symmetry": sides["bottom"]}
    own = km.Mesh(patch.points, patch.triangles, patch.quads, named)
    parts = {"patch": own, "back": km.mesh.background(x, x, spacing=0.25)}
    asked = {"patch.symmetry": "symmetry"}

    with pytest.raises(OversetError, match=r"at y = 0 \('patch.symmetry'\), and 'back.bottom'"):
        Parts.of(parts, boundaries=asked)
    Parts.of(parts, boundaries=asked | {"back.bottom": "symmetry"})
