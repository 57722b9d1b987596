"""Work of the host that its threads share: NumPy's and SciPy's loops run without Python's lock."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

from kinemesh import _core

MOST = 16  # threads: each holds what it makes, and beyond it memory is what sets the pace

Item = TypeVar("Item")
Result = TypeVar("Result")


def over(function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """Results of a function for each of `items`, in their order, whichever thread is done first.

    No more than a result for each thread is ahead of the one that is taken, so that memory stays
    bounded.  Threads are as many as those of kernels on the CPU (OMP_NUM_THREADS), at most `MOST`.
    """
    left, threads = iter(items), min(_core.threads(), MOST)
    first = list(islice(left, 2))
    if threads < 2 or len(first) < 2:
        yield from map(function, first)
        yield from map(function, left)
        return
    with ThreadPoolExecutor(threads) as pool:
        ahead: deque[Future[Result]] = deque()
        try:
            for item in (*first, *islice(left, threads - 2)):
                ahead.append(pool.submit(function, item))
            while ahead:
                yield ahead.popleft().result()
                ahead.extend(pool.submit(function, item) for item in islice(left, 1))
        finally:
            for future in ahead:  # whoever takes the results has failed, or was interrupted
                future.cancel()
