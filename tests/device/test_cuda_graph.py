"""Recordings on a CUDA device: graphs, and loops that end on the device."""

import threading

import numpy as np
import pytest
from conftest import open_backend
from test_record import control, counter

# Of loops of graphs, racecheck (CUDA 13.0) crashes on one inside another, and under memcheck they
# fail where it reports no error; without a tool, and under the others, they run.
pytestmark = [pytest.mark.cuda, pytest.mark.sanitize, pytest.mark.no_memcheck]


@pytest.fixture(scope="module")
def backend():
    return open_backend("cuda-f64")


def test_a_recording_is_the_calls_bit_for_bit(backend):
    """Ten steps of a pseudo-time control whose numbers pass through pow and sqrt."""
    (check, plain), (recorded_check, recorded) = control(backend, 100), control(backend, 100)
    replay = backend.record([recorded_check])

    for step in range(10):
        for call, there in ((check, plain), (replay, recorded)):
            backend.put(there["res"], [[1 / (1 + step), 0, 0, 0]])
            call()

    for name, array in plain.items():
        if array is None:  # of float64 there is no round-off by node
            continue
        assert backend.get(array).tobytes() == backend.get(recorded[name]).tobytes()
    assert backend.get(plain["iterations"]).tolist() == [10]


@pytest.mark.parametrize(("most", "rounds"), [(5, 6), (100, 20)])
def test_a_loop_ends_on_the_device_when_its_flag_is_zero(backend, most, rounds):
    check, there = control(backend, most)
    count, x = counter(backend)
    loop = backend.record([check, count], times=20, flag=there["active"])

    loop()
    assert backend.get(x)[0, 0] == rounds
    backend.put(there["active"], 0)
    loop()
    assert backend.get(x)[0, 0] == rounds


def test_any_entry_of_a_long_flag_keeps_a_loop_going(backend):
    for at in (0, 255, 256, 999):
        count, x = counter(backend)
        flag = np.zeros(1000, "int32")
        flag[at] = -1

        backend.record([count], times=3, flag=backend.array(flag, "int32"))()

        assert backend.get(x)[0, 0] == 3


@pytest.mark.no_racecheck
def test_loops_inside_loops_end_each_at_its_own_flag(backend):
    """Outer: four rounds.  Inner: nine rounds at first, then its flag has fallen for good."""
    check, there = control(backend, most=8)
    inner_count, inner = counter(backend)
    outer_count, outer = counter(backend)
    inside = backend.record([check, inner_count], times=50, flag=there["active"])
    always = backend.array([1], "int32")
    loop = backend.record([outer_count, inside, inside, outer_count], times=4, flag=always)

    backend.record([loop, outer_count], times=2)()

    assert backend.get(inner)[0, 0] == 9
    assert backend.get(outer)[0, 0] == 2 * (4 * 2 + 1)


def test_too_many_loops_inside_each_other_are_refused(backend):
    count, x = counter(backend)
    flag, item = backend.array([1], "int32"), count
    for _ in range(9):
        item = backend.record([item], flag=flag)

    with pytest.raises(RuntimeError, match="more than 8 recordings with a flag"):
        item()
    count()
    assert backend.get(x)[0, 0] == 1


@pytest.mark.no_sanitizer
def test_threads_may_run_one_recording(backend):
    count, x = counter(backend)
    replay = backend.record([count])
    threads = [threading.Thread(target=lambda: [replay() for _ in range(50)]) for _ in range(4)]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert backend.get(x)[0, 0] == 200


def test_two_devices_do_not_mix(backend):
    from kinemesh.device.backend import Backend

    if backend._module.device_count() < 2:
        pytest.skip("needs two CUDA devices")
    first, second = Backend("cuda:0"), Backend("cuda:1")
    (one, x), (two, y) = counter(first), counter(second)

    with pytest.raises(ValueError, match="to has device 1, expected 0"):
        first.bind("copy_f64", **{"from": first.zeros(3), "to": second.zeros(3)})
    with pytest.raises(RuntimeError, match="different devices"):
        first.record([one, two])()
    first.record([one])()
    second.record([two], times=2)()
    assert (first.get(x)[0, 0], second.get(y)[0, 0]) == (1, 2)
