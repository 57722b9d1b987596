"""Hierarchies of the springs: their bits do not depend on how they are made, in little memory."""

import tracemalloc
from dataclasses import fields
from hashlib import sha256

import kinemesh as km
import numpy as np
import pyamg.aggregation.tentative  # noqa: F401  # takes memory, once
import pytest
from kinemesh.linear import blocks, hierarchy
from kinemesh.linear.blocks import Blocks


def assembled(nodes):
    """A mover with its matrix."""
    ale = km.Ale(km.mesh.airfoil("naca0012", nodes=nodes), mach=0.5, device="cpu")
    mover = ale.deform.attach(ale.grid.vertices)
    mover.assemble()
    return mover


def told(level):
    """Hashes of everything a level holds."""
    for field in fields(level):
        value = getattr(level, field.name)
        if isinstance(value, Blocks):
            yield from told(value)
        elif value is not None:
            yield field.name, value.dtype, value.shape, sha256(value.tobytes()).hexdigest()


@pytest.mark.long
@pytest.mark.parametrize("large", [10**9, 0])
def test_groups_of_rows_leave_the_bits_alone(monkeypatch, large):
    mover = assembled(1300)
    rows, points = mover.solver.rows[0], mover.vertices.points
    monkeypatch.setattr(hierarchy, "LARGE", large)
    found = []
    for chunk, groups in ((10**9, 1), (1, 10**9), (100, 3)):  # one group; of each row; some
        monkeypatch.setattr(blocks, "CHUNK", chunk)
        monkeypatch.setattr(blocks, "GROUPS", groups)
        free = points[mover.pattern.node[rows]]
        made = hierarchy.hierarchy(mover.solver._free(0), hierarchy.rigid_and_scaled(free))
        found.append([list(told(level)) for level in made])

    assert len(found[0]) > 1
    assert found[1] == found[0]
    assert found[2] == found[0]


@pytest.mark.long
@pytest.mark.parametrize("large", [10**9, 0])
def test_a_hierarchy_is_made_in_less_than_twice_what_it_holds(monkeypatch, large):
    """Nothing is there in two forms; and the last hierarchy goes before there is a new one."""
    mover = assembled(12_000)
    monkeypatch.setattr(hierarchy, "LARGE", large)
    tracemalloc.start()
    try:
        mover._build(np.array([0]))
        held, peak = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        mover.backend.put(
            mover.vertices.x, 1.001 * mover.vertices.points
        )  # not as given: made anew
        mover._build(np.array([0]))
        again, later = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 2 * held
    assert later < 2 * held  # 3 with the last one beside it
    assert again <= held
