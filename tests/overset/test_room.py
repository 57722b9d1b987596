"""Parts with more nodes beside holes than the pressure's coarse levels have room for."""

import kinemesh as km
import pytest
from kinemesh.errors import OversetError
from kinemesh.linear import rooms


def test_the_part_with_most_nodes_beside_holes_is_named_with_what_would_fit(monkeypatch):
    parts = {
        "body": km.mesh.cylinder(640, far_field=1.6, around=40, wall_spacing=0.03, outer="overset"),
        "back": km.mesh.background((-4, 4, -4, 4), core=(-2, 2, -2, 2), spacing=0.11, growth=1.3),
    }
    monkeypatch.setattr(rooms, "FEW", 1)
    monkeypatch.setattr(rooms, "SLOTS", 0.1)
    with pytest.raises(OversetError, match=r"room for \d+ % of them: part 'back' has most, \d+ re"):
        km.Incompressible(parts, reynolds=100.0, device="cpu")
