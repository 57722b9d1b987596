"""Sweeps on workers of Dask: what several processes run is what one runs."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import kinemesh as km
import pytest
from distributed import Client, LocalCluster
from distributed.comm import CommClosedError
from farm import Farm
from kinemesh.errors import CaseError, SettingsError
from kinemesh.io.store import Store
from kinemesh.io.summary import versions
from kinemesh.study.sweep import workshop
from sweeps import case, same

pytestmark = [
    pytest.mark.flow,
    pytest.mark.filterwarnings("ignore:.*(not periodic|above the asked|second order|residual)"),
]
OVER = {"flow.mach": [0.4, 0.5, 0.6], "motion.pitch.k": [0.1, 0.2]}


@pytest.fixture(scope="module")
def undisturbed():
    return km.sweep(case(), OVER, batch=1).load()


@pytest.fixture(scope="module")
def address():
    """The scheduler of two workers."""
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        yield cluster.scheduler_address


@pytest.mark.slow
def test_workers_give_the_bits_of_one_process(undisturbed):
    found = km.sweep(case(), OVER, batch=1, workers=2)

    same(found, undisturbed)


@pytest.mark.slow
def test_a_script_without_a_guard_says_that_it_needs_one(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        f"import kinemesh as km\nfrom sweeps import case\nkm.sweep(case(), {OVER}, workers=1)\n"
    )
    path = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])

    ended = subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )

    assert ended.returncode == 1
    assert ended.stderr.count("put what it does under `if __name__ ==") == 2  # worker and script
    assert "bootstrapping" not in ended.stderr
    assert ended.stderr.splitlines()[-1].startswith("kinemesh.errors.CaseError: sweep: workers do")


@pytest.mark.slow
def test_rows_have_the_bits_of_one_thread_whatever_threads_a_worker_has(monkeypatch):
    large = case(mesh={"nodes": 1500}, run={"steps_per_cycle": 4})  # threads share 1024 items
    found = []
    for threads in (1, 2):
        monkeypatch.setenv("OMP_NUM_THREADS", str(threads))
        with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster:
            with Client(cluster) as client:
                assert set(client.run(km._core.threads).values()) == {threads}
            over = {"flow.mach": [0.4, 0.5]}
            found.append(km.sweep(large, over, dask=cluster.scheduler_address))

    same(*found)


@pytest.mark.slow
def test_a_worker_that_dies_costs_its_batch_which_is_run_again(
    address, undisturbed, tmp_path, monkeypatch
):
    write, killed, written = Store.write, [], []

    def kill_and_write(store, region, rows):
        written.append(region)
        if not killed:
            with Client(address) as client:
                pids = client.run(os.getpid)
            killed.append(pids.popitem()[1])
            os.kill(killed[0], signal.SIGKILL)
        write(store, region, rows)

    monkeypatch.setattr(Store, "write", kill_and_write)
    found = km.sweep(case(), OVER, out=tmp_path, batch=1, dask=address)

    assert killed
    assert len(written) == 6  # each batch once
    same(found, undisturbed)


@pytest.mark.slow
def test_a_scheduler_that_dies_leaves_a_sweep_that_goes_on(undisturbed, tmp_path, monkeypatch):
    farm = Farm(tmp_path / "scheduler.json", workers=1)
    write = Store.write
    try:
        with monkeypatch.context() as patch:
            patch.setattr(Store, "write", lambda *given: (write(*given), farm.scheduler.kill()))
            with pytest.raises(CaseError, match=r"died .*go on by --resume"):
                km.sweep(case(), OVER, out=tmp_path / "s", batch=1, dask=farm.address)
    finally:
        farm.end()
    before = km.open(tmp_path / "s").state.values

    found = km.sweep(case(), OVER, out=tmp_path / "s", resume=True)

    assert 0 < (before == 1).sum() < 6
    same(found, undisturbed)


def test_a_worker_with_another_version_is_refused(address, monkeypatch):
    here = os.getpid()

    def told():
        return {"kinemesh": "0.0.0"} if os.getpid() == here else versions()

    monkeypatch.setattr(workshop, "versions", told)

    with pytest.raises(CaseError, match=r"worker tcp://.* has kinemesh .*, this program 0\.0\.0"):
        km.sweep(case(), OVER, dask=address)


def test_a_scheduler_that_dies_before_the_first_batch_is_told(address, monkeypatch):
    def dies(*_):
        raise CommClosedError("closed")

    monkeypatch.setattr(workshop, "_refuse_others", dies)

    with pytest.raises(CaseError, match=r"their scheduler died \(closed\)"):
        km.sweep(case(), OVER, dask=address)


def test_a_scheduler_without_workers_is_refused():
    with (
        LocalCluster(n_workers=0, dashboard_address=":0") as cluster,
        pytest.raises(CaseError, match="has no workers"),
    ):
        km.sweep(case(), OVER, dask=cluster.scheduler_address)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nowhere"])
def test_an_address_where_nobody_answers_is_refused_after_a_stated_time(monkeypatch, address):
    monkeypatch.setattr(workshop, "WAIT", 0.5)

    with pytest.raises(CaseError, match=r"no scheduler of Dask answers at .* within 0\.5 s"):
        km.sweep(case(), OVER, dask=address)


@pytest.mark.parametrize("workers", [0, True, 1.5, "two"])
def test_what_is_no_number_of_workers_is_refused(workers):
    with pytest.raises(SettingsError, match="workers is"):
        km.sweep(case(), OVER, workers=workers)


def test_workers_and_an_address_are_refused_together():
    with pytest.raises(SettingsError, match="expected one of them"):
        km.sweep(case(), OVER, workers=2, dask="tcp://127.0.0.1:1")


@pytest.mark.long
def test_without_dask_workers_say_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)

    with pytest.raises(CaseError, match=r'pip install "kinemesh\[sweep\]"'):
        km.sweep(case(), OVER, workers=2)
