"""A scheduler of Dask and its workers, in processes of their own that tests may kill."""

import json
import subprocess
import sys
import time
from contextlib import suppress

import psutil
from distributed import Client


def program(name, *words):
    """A program of Dask, in a process of its own."""
    command = [sys.executable, "-m", f"distributed.cli.{name}", *words, "--no-dashboard"]
    return subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def told(place):
    """The address of a scheduler, once its file is whole."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with suppress(OSError, ValueError):
            return json.loads(place.read_text())["address"]
        time.sleep(0.05)
    raise TimeoutError(f"no scheduler tells of itself in {place}")


class Farm:
    """A scheduler with its workers, which a nanny starts again where they die.

    Parameters
    ----------
    place : file that tells where the scheduler is
    """

    def __init__(self, place, workers=2):
        place.unlink(missing_ok=True)  # of a scheduler before
        where = ("--scheduler-file", str(place))
        self.scheduler = program("dask_scheduler", "--port", "0", *where)
        self.nanny = program("dask_worker", "--nthreads", "1", "--nworkers", str(workers), *where)
        try:
            self.address = told(place)
            with Client(self.address, timeout=60) as client:
                client.wait_for_workers(workers, timeout=60)
        except BaseException:
            self.end()
            raise

    def workers(self):
        """Processes of the workers that live at this moment."""
        found = []
        with suppress(psutil.Error):  # the nanny has ended
            for child in psutil.Process(self.nanny.pid).children():
                with suppress(psutil.Error):
                    if any("spawn_main" in word for word in child.cmdline()):
                        found.append(child)
        return found

    def end(self):
        """Kill what is left."""
        for process in (*self.workers(), self.nanny, self.scheduler):
            process.kill()
        self.nanny.wait()
        self.scheduler.wait()
