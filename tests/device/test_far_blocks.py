"""Blocks of matrices stand further than 32 bits count their numbers: offsets are of 64 bits.

Each kernel runs on a sample, and again with so many blocks of a row (or item of a table) before it
that its own begin beyond 2^31 numbers; nobody writes there, so that no memory stands behind them.
"""

import numpy as np
import pytest
from samples import kernels, parse, place, sample

pytestmark = [pytest.mark.no_sanitizer, pytest.mark.long]
LEAST = 4  # numbers of a block whose matrix is the largest array of a case


def of_blocks(shape):
    """Numbers of a block, where a field is a matrix."""
    axes, target, _ = parse(shape)
    return axes[1][0] if len(axes) == 2 and axes[0][0] == "blocks" and not target else 0


def matrices(kernel):
    return {name: of_blocks(shape) for name, *_, shape in kernels()[kernel][1] if of_blocks(shape)}


COUNTED = ("spring_csr", "spring_csr_3d")  # for cuSPARSE, whose numbers natural.py has counted
CHOSEN = [
    k for k in kernels() if any(n >= LEAST for n in matrices(k).values()) and k not in COUNTED
]


def behind(values, far, before):
    """Values as the last of far + len(values), the others zeros or `before` without memory."""
    found = np.zeros((far + len(values), *values.shape[1:]), values.dtype)
    if before is not None:
        found[:far] = before
    found[far:] = values
    return found


def lists_of_blocks(chosen):
    """Sets whose items have blocks by offsets."""
    return {parse(shape)[0][0][0] for *_, shape in chosen.rows if shape.endswith("+1>>blocks")}


def moved(chosen, near, far):
    """Fields of a sample behind `far` blocks, which belong to an item before its own, if to any."""
    lists, fields = lists_of_blocks(chosen), dict(near)
    for name, _, _, shape in chosen.rows:
        if near[name] is None or not np.ndim(near[name]):
            continue
        axes, target, _ = parse(shape)
        first, value = axes[0][0], near[name].copy()
        if target == "blocks":
            value += far * (value >= 0)
        elif target in lists:
            value += 1
        if first == "blocks":
            value = behind(value, far, np.arange(far) if target == "blocks" else None)
        elif first in lists:
            before = 0 if target == "blocks" else value[0]
            value = behind(value, 1, before)
            if axes[0][1] and target == "blocks":
                value[1] = far
        fields[name] = value
    return fields


def test_there_are_kernels_of_every_kind():
    assert {"block_turn_5", "block_schur_4", "line_factor_5", "multigrid_restrict_7",
            "ale_jacobian_3d", "spring_narrow_3d", "bc_outlet_jacobian"} <= set(CHOSEN)  # fmt: skip


@pytest.mark.parametrize("kernel", CHOSEN)
def test_blocks_beyond_32_bits_are_where_they_are(host, kernel):
    chosen = sample(kernel)
    near = place(host, chosen)
    far = 2**31 // min(n for n in matrices(kernel).values() if n >= LEAST) + 1
    given = moved(chosen, near, far)
    shift = far if chosen.over == "blocks" else int(chosen.over in lists_of_blocks(chosen))
    for over in chosen.launches:
        first, count = over or (0, extent(chosen))
        host.bind(kernel, (first, count), **near)()
        host.bind(kernel, (shift + first, count), **given)()
    for name in chosen.written:
        assert (
            near[name] is None or near[name].tobytes() == given[name][-len(near[name]) :].tobytes()
        )


def extent(chosen):
    """How many items a kernel runs over."""
    for name, _, _, shape in chosen.rows:
        axes, *_ = parse(shape)
        if np.ndim(chosen.values[name]) and axes and axes[0][0] == chosen.over:
            return len(chosen.values[name]) - axes[0][1]
    raise LookupError(chosen.over)
