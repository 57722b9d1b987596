"""Work that threads of the host share: its order, how much is ahead, how it ends."""

import threading
import time

import pytest
from kinemesh.device import threads


@pytest.fixture(params=[1, 2, 5])
def count(request, monkeypatch):
    monkeypatch.setattr(threads._core, "threads", lambda: request.param)
    return request.param


def test_results_are_in_the_order_of_the_items(count):
    def slow_first(item):
        time.sleep(0.02 if item == 0 else 0.0)
        return item * item

    for items in ([], [3], range(2), range(40)):
        assert list(threads.over(slow_first, items)) == [k * k for k in items]


def test_as_many_threads_work_at_once_as_there_are(count):
    if count == 1:
        assert set(threads.over(lambda _: threading.get_ident(), range(9))) == {
            threading.get_ident()
        }
        return
    together = threading.Barrier(count)  # broken after a second, where fewer come
    assert list(threads.over(lambda _: together.wait(1.0) >= 0, range(3 * count))) == [True] * (
        3 * count
    )


def test_no_more_than_the_threads_results_are_ahead(count):
    taken = []

    def items():
        for k in range(20):
            taken.append(k)
            yield k

    found = threads.over(lambda k: k, items())
    for k in range(5):
        assert next(found) == k
        assert len(taken) <= k + 1 + max(count, 2)
    found.close()


def test_a_failure_is_raised_and_the_rest_is_left(count):
    done = []

    def fails(item):
        if item == 3:
            raise ValueError("item 3")
        time.sleep(0.01)
        done.append(item)

    with pytest.raises(ValueError, match="item 3"):
        list(threads.over(fails, range(100)))
    assert len(done) <= 3 + 2 * count


def test_threads_are_bounded(monkeypatch):
    monkeypatch.setattr(threads._core, "threads", lambda: 1000)
    who = set(threads.over(lambda _: (time.sleep(0.001), threading.get_ident())[1], range(200)))
    assert 1 < len(who) <= threads.MOST
