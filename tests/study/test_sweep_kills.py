"""Sweeps whose programs are killed at random moments end as if nothing had been."""

import random
import signal
import subprocess
import sys
import time
from collections import Counter

import kinemesh as km
import psutil
import pytest
from farm import Farm
from sweeps import TABLES, case, same, toml

pytestmark = [
    pytest.mark.flow,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:.*(not periodic|above the asked|second order|residual)"),
]
OVER = {
    "flow.mach": [0.3, 0.35, 0.4, 0.45, 0.5, 0.55],
    "motion.pitch.k": [0.05, 0.08, 0.11, 0.14, 0.17],
}
KILLS = 50
VICTIMS = ("worker", "scheduler", "writer")
ENDED, WRONG = (0, 3), 2  # exit status: 3 where a case did not converge


def sweep(path, out, *words):
    """`kinemesh sweep`, once it holds the folder; another that was killed left its lock."""
    lock = out / ".lock"
    lock.unlink(missing_ok=True)
    command = [sys.executable, "-m", "kinemesh", "sweep", str(path), "--out", str(out)]
    command += ["--resume", "--batch", "1", "--quiet", *words]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while not lock.exists() and process.poll() is None:
        time.sleep(0.001)
    return process


@pytest.fixture
def path(tmp_path):
    """The case file of the sweep."""
    path = tmp_path / "f.toml"
    over = {f'"{key}"': values for key, values in OVER.items()}
    tables = TABLES | {"sweep": {"over": over}}
    path.write_text("".join(f"{name} = {toml(value)}\n" for name, value in tables.items()))
    return path


def test_a_sweep_whose_worker_scheduler_or_writer_is_killed_ends_as_if_it_had_not_been(
    path, tmp_path
):
    undisturbed = km.sweep(case(), OVER).load()
    seed = random.randrange(2**32)
    print(f"seed {seed}")  # shown where the test fails
    moment, killed, whole = random.Random(seed), Counter(), []
    farm = Farm(tmp_path / "scheduler.json")
    try:
        while sum(killed.values()) < KILLS:
            out, ended = tmp_path / f"s{len(whole)}", False
            while not ended:
                program = sweep(path, out, "--dask", farm.address)
                while program.poll() is None and sum(killed.values()) < KILLS:
                    time.sleep(moment.uniform(0, 1.0))
                    victim = moment.choice(VICTIMS)
                    if program.poll() is not None or not (workers := farm.workers()):
                        continue
                    if victim == "worker":
                        moment.choice(workers).kill()
                    else:
                        (program if victim == "writer" else farm.scheduler).kill()
                        program.wait(60)
                    killed[victim] += 1
                said = program.communicate(timeout=120)[1]
                if farm.scheduler.poll() is not None:
                    farm.end()
                    farm = Farm(tmp_path / "scheduler.json")
                ended = program.returncode in ENDED
                print(f"{out.name}: status {program.returncode}, killed: {dict(killed)}")
                assert ended or program.returncode in (WRONG, -signal.SIGKILL), said
                assert program.returncode != WRONG or "go on by --resume" in " ".join(said.split())
            whole.append(out)
    finally:
        farm.end()

    print(f"{len(whole)} sweeps, killed: {dict(killed)}")
    assert set(killed) == set(VICTIMS)
    for out in whole:
        same(km.open(out), undisturbed)


def test_workers_of_a_program_that_is_killed_end_and_its_sweep_goes_on(path, tmp_path):
    out = tmp_path / "s"
    program = sweep(path, out, "--workers", "2")
    time.sleep(0.5)
    processes = psutil.Process(program.pid).children(recursive=True)
    program.kill()
    program.wait()

    left = psutil.wait_procs(processes, timeout=30)[1]

    assert len(processes) >= 2
    assert not left
    program = sweep(path, out, "--workers", "2")
    program.communicate(timeout=120)
    assert program.returncode in ENDED
    same(km.open(out), km.sweep(case(), OVER))
