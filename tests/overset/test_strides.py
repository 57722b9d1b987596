"""How far parts move in a step, in cells where they end and beside the gap between walls."""

import re
import warnings

import kinemesh as km
import numpy as np
import pytest
from kinemesh.overset.parts import Part, Parts
from kinemesh.overset.plan import plan_of
from kinemesh.overset.strides import Strides
from kinemesh.run.preflight import fly
from overset_parts import background, ring

BACK = background(half=8.0, spacing=0.12, core=3.0)
EVEN = ring(outer=1.8, layers=20, around=96, growth=1.0)
pytestmark = pytest.mark.filterwarnings("ignore:.* moves at once:RuntimeWarning")


def row(angle=0.0, about=(0.0, 0.0), shift=(0.0, 0.0)):
    """A pose as kernels have it."""
    return [-2 * np.sin(angle / 2) ** 2, np.sin(angle), *about, *shift]


def found(parts, before, after):
    mesh = Parts.of(parts)
    return Strides(mesh, plan_of(mesh)).found(np.array(before), np.array(after))


def pair(gap):
    """Two rings of radius 0.5 one above the other, and a background."""
    high = 0.5 + gap / 2
    return {
        "low": Part(ring(outer=1.6, around=240), at=(0.0, -high)),
        "high": Part(ring(outer=1.6, around=240), at=(0.0, high)),
        "back": BACK,
    }


def test_a_stride_is_counted_in_cells_at_the_overset_boundary():
    body = ring(outer=1.6, layers=12, around=48)
    plan = plan_of(Parts.of({"body": body, "back": BACK}))
    cell = plan.across[: body.nodes][plan.layer[: body.nodes] == 0].min()

    cells, gap = found({"body": body, "back": BACK}, [row(), row()], [row(shift=(0.3, 0.4)), row()])

    assert cells.size == pytest.approx(0.5 / cell, rel=3e-3)  # a node every 7.5 degrees
    assert (cells.part, cells.other) == ("body", "back")
    assert np.hypot(*np.subtract(cells.place, (0.3, 0.4))) == pytest.approx(1.6)
    assert gap.size == 0.0


def test_parts_that_move_together_have_no_stride_relative_to_each_other():
    turn = row(0.3, (0.2, 0.1), (1.0, 0.5))
    parts = {name: part for name, part in pair(0.3).items() if name != "back"}
    cells, gap = found(parts | {"back": BACK}, [row()] * 3, [turn, turn, turn])
    assert cells.size < 1e-12
    assert gap.size < 1e-12


def test_a_stride_is_taken_in_the_frame_of_the_other_part():
    """A background that turns by some angle, or a body that turns back by it."""
    parts = {"body": Part(ring(outer=1.6), at=(2.0, 0.5)), "back": BACK}
    moves = found(parts, [row(), row(0.2)], [row(), row(0.5)])[0]
    alike = found(parts, [row(0.5), row()], [row(0.2), row()])[0]
    assert moves.size == pytest.approx(alike.size, rel=1e-12)
    assert moves.size > 1.0
    assert found(parts, [row()] * 2, [row()] * 2)[0].size == 0.0


def test_a_part_that_turns_in_itself_has_no_stride():
    parts = {"body": ring(outer=1.6), "back": BACK}
    turns = found(parts, [row(0.2), row()], [row(0.3), row()])[0]
    aside = found(parts, [row(0.2, (3.0, 0.0)), row()], [row(0.3, (3.0, 0.0)), row()])[0]
    assert turns.size < 0.05
    assert aside.size > 1.0


@pytest.mark.parametrize("gap", [0.4, 0.1])
def test_a_stride_is_counted_beside_the_gap_of_the_walls(gap):
    step = 0.02
    after = [row(shift=(step, 0.0)), row(shift=(-step, 0.0)), row()]
    _, stride = found(pair(gap), [row()] * 3, after)
    assert stride.size == pytest.approx(2 * step / gap, rel=0.03)
    assert stride.away == pytest.approx(gap, rel=0.03)
    assert {stride.part, stride.other} == {"low", "high"}
    assert np.abs(stride.place[1]) == pytest.approx(gap / 2, rel=0.05)


# ---------------------------------------------------------------- before a run


def warned(parts, motion, dt, steps, cycle=None, **options):
    made = km.Incompressible(
        parts, reynolds=100.0, motion=motion, moment_about=(0.0, 0.0), device="cpu", **options
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        told = fly(made, np.array([dt]), steps, cycle)
    return told, [str(w.message) for w in caught if "moves relative to" in str(w.message)]


def test_long_strides_in_cells_are_warned_of_with_the_step_that_would_do():
    parts = {"body": EVEN, "back": BACK}
    motion = {"body": km.motion.plunge(amplitude=0.8, k=1.0, phase_deg=-90)}
    period = np.pi
    told, (text,) = warned(parts, motion, period / 12, 12, lambda t: t / period)
    assert told["stride_cells"] > 2.5
    assert text.startswith(
        f"member 0: part 'body' moves relative to 'back' by {told['stride_cells']:.2g} of its "
        "cells at ("
    )
    assert ", phase " in text
    steps = int(text.split("steps_per_cycle = ")[1].split()[0])
    assert 2.1 < told["stride_cells"] * 12 / steps <= 2.5
    more, texts = warned(parts, motion, period / steps, steps, lambda t: t / period)
    assert texts == []
    assert 2.1 < more["stride_cells"] <= 2.5
    assert "stride_gap" not in told


def test_bodies_that_pass_a_gap_in_few_steps_are_warned_of_before_the_run():
    parts = {
        "low": Part(EVEN, at=(-0.5, -0.9)),
        "high": Part(EVEN, at=(0.5, 0.9)),
        "back": background(half=8.0, spacing=0.09, core=3.0),
    }
    go = km.motion.translate
    motion = {"low": go(velocity=(1.0, 0.0)), "high": go(velocity=(-1.0, 0.0))}
    overlap = km.IncompressibleSettings(overlap=1)
    told, texts = warned(parts, motion, 0.125, 8, settings=overlap)
    (text,) = [said for said in texts if "gap" in said]
    assert told["stride_gap"] == pytest.approx(0.25 / 0.8, rel=0.02)
    assert 0.3 < told["stride_gap_time"] < 0.7
    assert "of the gap of 0.8 between their walls at (" in text
    assert re.search(r"expected at most 0\.25; time_step = 0\.(095|09\d) would do", text)
    assert warned(parts, motion, 0.0625, 16, settings=overlap)[1] == []


def test_each_member_is_told_of_its_own_strides():
    parts = {"body": EVEN, "back": BACK}
    go = km.motion.translate
    motion = [{"body": go(velocity=(v, 0.0))} for v in (0.1, 4.0)]
    made = km.Incompressible(
        [parts, parts], reynolds=100.0, motion=motion, moment_about=(0.0, 0.0), device="cpu"
    )
    with pytest.warns(RuntimeWarning, match="member 1: part 'body' moves") as caught:
        told = fly(made, np.array([0.1, 0.1]), 3, None)
    assert len(caught) == 1
    assert told["stride_cells"][1] == pytest.approx(40 * told["stride_cells"][0], rel=1e-6)
