"""Records of satellites (csrc/kernels/cloud/record.h), packed and unpacked by their kernels.

A row without satellites, with the number 1 on its diagonal, has du = -res; in the second half of a
sweep it adds nothing to the du that its record holds.
"""

import numpy as np
import pytest
from samples import direct
from world import unpacked

LAST = 2.0**-32  # half a unit of the last of 31 bits of fraction, over the number
WAVE = 2.0**-9  # half a unit of the last of eight bits of fraction, over the number


def rows(count):
    """Fields of `count` points, each a row of its own: no walls, no plane, no satellites."""
    each = np.arange(count)
    zero, none = np.zeros((count, 5)), np.full(count, -1)
    return {
        "node": each, "member": 0 * each, "active": np.ones(1), "wall": none, "on_plane": 0 * each,
        "normal": np.zeros((1, 3)), "gap": np.zeros((1, 3)), "plane": np.zeros((1, 3)),
        "rhs": zero, "pivot": np.ones(count),
    }  # fmt: skip


def packed(backend, du, velocity, sound):
    """(count, 8) records of du, of the velocity and of the speed of sound."""
    count = len(du)
    fields = {k: v for k, v in rows(count).items() if k != "node"}
    fields |= {"row_of": np.arange(count), "open": np.zeros((count, 4)), "radius": np.ones(count)}
    fields |= {"V": np.ones(count), "bdf": np.zeros((1, 3)), "cfl": [1e40], "pace": np.ones(count)}
    fields |= {"q": np.c_[np.ones(count), velocity, sound**2 / 1.4], "res": -du, "solved": count}
    return direct(backend, "cloud_rows_3d", record=np.zeros((count, 8)), **fields)["record"]


def swept(backend, record):
    """The records after the second half of a sweep: unpacked, nothing added, packed again."""
    count = len(record)
    fields = rows(count) | {"offsets": np.zeros(count + 1), "neighbour": np.zeros(0)}
    fields |= {"later": np.full(count, -1), "shares": np.zeros((0, 4)), "turn": 1, "turns": 2}
    fields |= {
        "drift": np.zeros((count, 4)),
        "q": np.ones((count, 5)),
        "part": np.zeros((count, 5)),
    }
    return direct(backend, "cloud_lusgs_3d", record=record, **fields)["record"]


@pytest.fixture(scope="module")
def numbers():
    """(300, 5) numbers that float32 knows, of all sizes, and what packing might trip over."""
    rng = np.random.default_rng(5)
    du = rng.choice([-1, 1], (300, 5)) * rng.uniform(1, 2, (300, 5))
    du = du * 2.0 ** rng.integers(-125, 126, du.shape)
    du[0] = 0, 1, -1, 2.0**-126, -(2.0**-126)
    du[1] = 1 - 2.0**-24, 2 - 2.0**-23, -4 + 2.0**-22, 2.0**126, 0.1
    return np.float32(du).astype(float)


@pytest.fixture(scope="module")
def waves():
    """(300, 3) velocities and (300,) speeds of sound: all that eight bits may hold."""
    rng = np.random.default_rng(6)
    size = 2.0 ** rng.uniform(-15, 15, (300, 4))
    return size[:, :3] * rng.choice([-1, 1], (300, 3)), size[:, 3]


def test_numbers_come_back_with_31_bits_of_fraction(backend, numbers, waves):
    single = backend.eps > 1e-10  # float32 has fewer bits and must come back whole
    du = numbers * (1 + 1e-9 * np.random.default_rng(7).uniform(0, 1, numbers.shape))

    found, _ = unpacked(packed(backend, du, *waves))

    # eps: of the reciprocal that a device makes of the diagonal
    bound = 0 if single else (LAST + 4 * backend.eps) * np.abs(du)
    assert (np.abs(found - (numbers if single else du)) <= bound).all()


def test_waves_come_back_with_8_bits_of_fraction(backend, numbers, waves):
    _, found = unpacked(packed(backend, numbers, *waves))

    exact = np.c_[waves]
    assert (np.abs(found - exact) <= (WAVE + 8 * backend.eps) * np.abs(exact)).all()


def test_what_is_too_small_for_a_record_counts_as_nothing(backend):
    du, velocity = np.full((1, 5), 2.0**-127), np.array([[2.0**-17, -(2.0**-17), 0]])

    record = packed(backend, du, velocity, np.ones(1))

    assert not record[:, :6].any()
    assert unpacked(record)[1].tolist() == [[0, 0, 0, 1]]


def test_unpacking_undoes_packing(backend, numbers, waves):
    record = packed(backend, numbers * (1 + 1e-9), *waves)

    assert len(np.unique(record)) > 1000
    assert (swept(backend, record) == record).all()
