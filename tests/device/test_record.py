"""A recording does what its calls do one after the other, bit for bit."""

import numpy as np
import pytest
from samples import place, sample

pytestmark = [pytest.mark.sanitize, pytest.mark.leaks]

STEP = ["state_primitive", "ale_flux_roe", "ale_residual", "bc_wall", "face_rates"]


def step_of(backend):
    """Shared arrays of a few kernels that pass values on, and their bound calls."""
    arrays, calls = {}, []
    for kernel in STEP:
        chosen = sample(kernel, large=True)
        own = place(backend, chosen)
        shapes = {name: (shape, mode) for name, mode, _, shape in chosen.rows}
        fields = {}
        for name, value in own.items():
            shape, _ = shapes[name]
            if name in ("u", "q", "flux", "res", "faults", "active"):
                value = arrays.setdefault((name, shape), value)
            fields[name] = value
        calls.append(backend.bind(kernel, **fields))
    return calls, {name: array for (name, _), array in arrays.items()}


def contents(backend, arrays):
    return {name: backend.get(array).tobytes() for name, array in arrays.items()}


@pytest.mark.long
def test_recorded_step_is_the_unrecorded_one_bit_for_bit(backend):
    calls, plain = step_of(backend)
    others, recorded = step_of(backend)
    replay = backend.record(others)

    for _ in range(3):
        for call in calls:
            call()
        replay()

        assert contents(backend, plain) == contents(backend, recorded)
    assert np.isfinite(backend.get(plain["res"])).all()


def counter(backend):
    """A call that adds one to each of three numbers, and the numbers (spring_move, d = 1)."""
    there = {
        "node": backend.array([0], "int32"),
        "fixed": backend.array([0, 0, 0], "int32"),
        "member": backend.array([0, 0, 0], "int32"),
        "active": backend.array([1], "int32"),
        "target": backend.zeros((3, 2), "float64"),
        "guess": backend.array([[1.0, 0.0]], "real"),
        "e": backend.zeros((1, 2)),
        "x": backend.zeros((3, 2), "float64"),
        **{f"d{k}": backend.zeros((1, 2)) for k in (1, 2, 3, 4)},
    }
    return backend.bind("spring_move", **there), there["x"]


def test_times_repeats_the_whole_list(backend):
    count, x = counter(backend)

    backend.record([count, count], times=5)()

    assert backend.get(x)[0, 0] == 10


def test_recordings_nest(backend):
    count, x = counter(backend)
    twice = backend.record([count], times=2)
    seven = backend.record([twice, count, backend.record([twice, twice])])

    backend.record([seven], times=3)()

    assert backend.get(x)[0, 0] == 21


def test_order_of_the_list_is_kept(backend):
    a, b, c = (backend.array([value], "float64") for value in (1.0, 2.0, 3.0))
    first = backend.bind("copy_f64", **{"from": a, "to": b})
    second = backend.bind("copy_f64", **{"from": b, "to": c})

    backend.record([second, first])()

    assert [backend.get(v)[0] for v in (a, b, c)] == [1, 1, 2]


def test_a_recording_may_run_again(backend):
    count, x = counter(backend)
    replay = backend.record([count], times=2)

    for _ in range(4):
        replay()

    assert backend.get(x)[0, 0] == 8


def test_a_recording_keeps_its_arrays_alive(backend):
    count, x = counter(backend)
    replay = backend.record([count])
    del count

    replay()

    assert backend.get(x)[0, 0] == 1


def control(backend, most):
    """residual_check for one member of one node that stops after `most` iterations."""
    tables = {"offsets": [0, 1], "owner": [0], "groups": [0, 1], "ended": [0]}
    there = {name: backend.array(table, "int32") for name, table in tables.items()} | {
        "res": backend.array([[1.0, 0, 0, 0]], "real"),
        "noise": None,
        "busy": None,
        "hold": None,
        "parts": backend.zeros((1, 1), "float64"),
        "faults": backend.array([2**64 - 1], "uint64"),
        "floor": backend.zeros(1, "float64"),
        "active": backend.array([1], "int32"),
        "iterations": backend.array([0], "int32"),
        "first": backend.zeros(1, "float64"),
        "base": backend.zeros(1, "float64"),
        "norm": backend.zeros(1, "float64"),
        "mean": backend.zeros(1, "float64"),
        "ceiling": backend.zeros(1, "float64"),
        "cfl": backend.zeros(1, "float64"),
    }
    scalars = {"drop": 1e-4, "cfl_first": 5.0, "cfl_last": 1e4, "cfl_growth": 1.5, "stall": 1e300}
    scalars["most"] = most
    return backend.bind("residual_check", **there, **scalars), there


def test_repetition_leaves_members_that_are_done(backend):
    check, there = control(backend, most=5)

    backend.record([check], times=20, flag=there["active"])()

    assert backend.get(there["iterations"]).tolist() == [5]
    assert backend.get(there["active"]).tolist() == [0]


@pytest.mark.parametrize(("most", "expected"), [(5, 6), (100, 20)])
def test_repetition_on_the_host_stops_when_the_flag_is_zero(host, most, expected):
    check, there = control(host, most)
    count, x = counter(host)

    host.record([check, count], times=20, flag=there["active"])()

    # most = 5: five calls count an iteration, the sixth clears the flag
    assert x[0, 0] == expected


def test_repetition_on_the_host_does_not_start_at_a_zero_flag(host):
    count, x = counter(host)

    host.record([count], times=3, flag=np.zeros(2, np.int32))()

    assert x[0, 0] == 0


def test_any_member_left_keeps_the_repetition_going(host):
    count, x = counter(host)

    host.record([count], times=3, flag=np.array([0, 1], np.int32))()

    assert x[0, 0] == 3


def test_record_refuses_what_is_not_a_call(backend):
    count, _ = counter(backend)

    with pytest.raises(TypeError, match=r"item 1 has .*print.*expected a bound call or a record"):
        backend.record([count, print])
    with pytest.raises(ValueError, match="times has 0, expected at least 1"):
        backend.record([count], times=0)


def test_record_refuses_a_flag_of_another_type(backend):
    count, x = counter(backend)

    with pytest.raises(TypeError, match="flag has another dtype, expected int32"):
        backend.record([count], flag=x)


def test_calls_and_recordings_take_no_arguments(backend):
    count, _ = counter(backend)

    with pytest.raises(TypeError, match="spring_move: a bound call takes no arguments"):
        count(1)
    with pytest.raises(TypeError, match="takes no arguments"):
        backend.record([count])(times=2)
