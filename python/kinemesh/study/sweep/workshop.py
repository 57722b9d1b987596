"""Workers of Dask for the batches of a sweep: local processes, or those of a cluster."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

from kinemesh.errors import CaseError, SettingsError
from kinemesh.io.store import INSTALL
from kinemesh.io.summary import versions
from kinemesh.sentences import RESUME
from kinemesh.study.sweep import packaged, work

GUARD = (
    'in a script put what it does under `if __name__ == "__main__":`, as each process of a worker '
    "reads the script when it starts; or leave out workers, and all but one device"
)
WAIT = 10.0  # seconds until a scheduler that does not answer is none
THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


def places_of(
    devices: Sequence[str], workers: int | None, address: str | None
) -> tuple[str | None, ...]:
    """Device of each local worker (None: the case's); [] without workers.

    Raises
    ------
    SettingsError    more than one of several devices, a number of workers and an address
    CaseError    this is a process that starts as a worker, and reads a script without its guard
    """
    several = devices if len(devices) > 1 else ()
    asked = {"several devices": several, "workers": workers, "the address of a scheduler": address}
    given = [name for name, value in asked.items() if value]
    if len(given) > 1:
        raise SettingsError(
            f"sweep: {' and '.join(given)}, expected one of them; several devices have a worker "
            "each, and a device named twice has two"
        )
    places = tuple(several) or (None,) * (workers or 0)
    if places and getattr(multiprocessing.current_process(), "_inheriting", False):
        raise CaseError(f"sweep: a worker that starts begins the sweep of the script anew; {GUARD}")
    return places


@contextmanager
def engine(
    places: Sequence[str | None], address: str | None, needed: Mapping[str, Mapping[str, Any]]
) -> Iterator[Callable[..., Any] | None]:
    """Executor of batches on workers, local or of a scheduler; None without workers.

    Parameters
    ----------
    places : of `places_of`
    needed : installed packages of the cases, as of `kinemesh.packages.told`

    Raises
    ------
    CaseError    Dask is not installed; nobody answers, or has workers; a worker has another version
        of kinemesh, or of a package
    """
    if not places and address is None:
        yield None
        return
    try:
        import distributed  # noqa: F401
    except ImportError as error:
        raise CaseError(f"workers need Dask ({error}); install it by {INSTALL}") from None
    with _cluster(len(places)) if places else _client(address, needed) as client:
        yield partial(_each, client, tuple(places))


@contextmanager
def _cluster(workers: int) -> Iterator[Any]:
    """Processes of this machine, named by their number, each with its share of the cores.

    CaseError where they do not start.
    """
    import dask
    from distributed import Client, LocalCluster

    threads = str(max((os.cpu_count() or 1) // workers, 1))
    settings = {
        "distributed.nanny.pre-spawn-environ": dict.fromkeys(THREADS, threads),
        "distributed.scheduler.worker-saturation": 1.0,  # who is free takes the next batch
    }
    one = {"threads_per_worker": 1, "memory_limit": 0}  # no worker is killed for what was checked
    with ExitStack() as stack:
        stack.enter_context(dask.config.set(settings))
        with _deaf():
            try:
                cluster = LocalCluster(
                    n_workers=workers, dashboard_address=":0", silence_logs=logging.CRITICAL, **one
                )
            except RuntimeError as error:
                raise CaseError(f"sweep: workers do not start ({error}); {GUARD}") from None
        client = stack.enter_context(Client(stack.enter_context(cluster)))
        client.run(_be_quiet)
        yield client


@contextmanager
def _deaf() -> Iterator[None]:
    """Ignore Ctrl-C while starting processes, so that they leave it to this one."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _be_quiet() -> None:
    """Silence a worker's log: failures come back as errors."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)


@contextmanager
def _client(address: str | None, needed: Mapping[str, Mapping[str, Any]]) -> Iterator[Any]:
    """Client of a running scheduler, with its workers."""
    from distributed import Client

    try:
        client = Client(address, timeout=WAIT)
    except (OSError, TimeoutError, ValueError) as error:
        raise CaseError(
            f"no scheduler of Dask answers at {address!r} within {WAIT:g} s ({error})"
        ) from None
    with client:
        with _alive():
            _refuse_others(client, address, needed)
        yield client


@contextmanager
def _alive() -> Iterator[None]:
    """CaseError where several workers die on one batch, or the scheduler dies."""
    from distributed import KilledWorker
    from distributed.client import FutureCancelledError
    from distributed.comm import CommClosedError

    try:
        yield
    except (KilledWorker, FutureCancelledError, CommClosedError) as error:
        why = " ".join(str(error).split())
        raise CaseError(
            f"workers or their scheduler died ({why}); what has ended is kept: go on by ",
            RESUME,
        ) from None


def _refuse_others(
    client: Any, address: str | None, needed: Mapping[str, Mapping[str, Any]]
) -> None:
    """Raise CaseError without workers, or for a worker with another version of kinemesh, or of a
    package that is needed."""
    mine = {"kinemesh": versions()["kinemesh"]}
    theirs = {name: {"kinemesh": own["kinemesh"]} for name, own in client.run(versions).items()}
    if not theirs:
        raise CaseError(f"the scheduler at {address} has no workers; start some by dask worker")
    if needed:
        mine |= {name: own["version"] for name, own in needed.items()}
        for name, found in client.run(packaged.versions_of, [*needed]).items():
            theirs[name] |= found
    for name, found in theirs.items():
        for package, version in mine.items():
            if found[package] != version:
                raise CaseError(
                    f"worker {name} has {package} {found[package]}, this program {version}; "
                    "install one version"
                )


def _at(batch: work.Batch, places: Sequence[str | None]) -> work.Done:
    """Run a batch on the device of the worker that this is."""
    from distributed import get_worker

    device = places[int(get_worker().name)] if places else None
    return work.ran(batch if device is None else batch.on(device))


def _each(
    client: Any, places: Sequence[str | None], tasks: Mapping[int, work.Batch]
) -> Iterator[tuple[int, work.Done]]:
    """Numbers and results of batches as they end; a batch whose worker dies is run again.

    CaseError where several workers die on one batch, or the scheduler dies.
    """
    from distributed import as_completed

    numbers = {client.submit(_at, batch, places, pure=False): n for n, batch in tasks.items()}
    for future in as_completed(list(numbers)):
        with _alive():
            result = future.result()
        yield numbers.pop(future), result
        future.release()
