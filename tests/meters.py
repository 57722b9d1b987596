"""A machine whose meters are made up: NVML's module, a tree of powercap, and their clock."""

import os
import sys
from math import floor
from types import ModuleType, SimpleNamespace

from kinemesh.device import counters, energy

PCI = "0000:3B:00.0"
RANGE = 262_143_328_850  # microjoules, of a socket of a server


class Board:
    """A GPU at constant power, whose counter steps every 100 ms."""

    def __init__(self, watts=300.0, **more):
        self.watts, self.before, self.since = watts, 0.0, 0.0
        self.mig = self.supported = self.limit = self.fault = None
        self.still, self.pids, self.graphics = False, [os.getpid()], []
        vars(self).update(more)

    def joules(self, now):
        return self.watts * floor(now / 0.1 + 1e-9) * 0.1


class Machine:
    """Boards by PCI bus id, zones of powercap by name, and a clock that tests set forward.

    Attributes
    ----------
    inits : how often NVML has been begun and not ended
    own : processors that work for this process, beside three that work for others
    """

    def __init__(self, monkeypatch, root):
        self.now, self.root, self.boards, self.inits = 0.0, root, {}, 0
        self.own, self.worked = 1.0, 0.0
        self.zones = {}
        self.nvml = _module(self)
        monkeypatch.setitem(sys.modules, "pynvml", self.nvml)
        for module in (counters, energy):
            monkeypatch.setattr(module, "monotonic", lambda: self.now)
        monkeypatch.setattr(energy, "perf_counter", lambda: self.now)
        monkeypatch.setattr(energy, "process_time", lambda: self.worked)
        monkeypatch.setattr(counters, "POWERCAP", root)
        monkeypatch.setattr(counters, "STAT", root.with_name("stat"))
        self._write()

    def add_zone(self, folder, name, watts, start=0, span=RANGE):
        """A zone of powercap; `start` : microjoules on its counter."""
        (self.root / folder).mkdir(parents=True)
        (self.root / folder / "name").write_text(f"{name}\n")
        (self.root / folder / "max_energy_range_uj").write_text(f"{span}\n")
        self.zones[folder] = [watts, start, span]
        self._write()

    def go_on(self, seconds):
        """Let so many seconds pass."""
        self.now += seconds
        self.worked += self.own * seconds
        for zone in self.zones.values():
            zone[1] += round(1e6 * zone[0] * seconds)
        self._write()

    def _write(self):
        """Counters of the zones, and seconds of the processors."""
        ticks = os.sysconf("SC_CLK_TCK")
        words = [round(ticks * s) for s in (self.worked, 0.0, 3 * self.now)] + [999] * 2 + [0] * 5
        self.root.with_name("stat").write_text(f"cpu  {' '.join(map(str, words))}\ncpu0 1\n")
        for folder, (_, count, span) in self.zones.items():
            file = self.root / folder / "energy_uj"
            if file.parent.is_dir():
                file.write_text(f"{count % span}\n")

    def backend(self, pci=PCI, ordinal=0):
        """A GPU's backend, of which a meter asks for these alone."""
        about = {"name": "Made-up GPU", "pci": pci}
        return SimpleNamespace(
            on_gpu=True,
            ordinal=ordinal,
            device=f"cuda:{ordinal}",
            synchronize=lambda: None,
            _module=SimpleNamespace(device_properties=lambda number: about),
        )


def _module(machine):
    """The module pynvml as far as it is used."""
    nvml = ModuleType("pynvml")

    class NVMLError(Exception):
        pass

    def begin():
        machine.inits += 1

    def end():
        machine.inits -= 1

    def board_of(pci):
        assert isinstance(pci, bytes)
        if pci.decode() not in machine.boards:
            raise NVMLError("Not Found")
        return machine.boards[pci.decode()]

    def energy_of(board):
        if board.fault is not None:
            raise NVMLError(board.fault)
        return int(1e3 * (board.before + (0 if board.still else board.joules(machine.now))))

    def limit_of(board):
        if board.limit is None:
            raise NVMLError("Not Supported")
        return board.limit

    def mig_of(board):
        if board.mig is None:
            raise NVMLError("Not Supported")
        return board.mig, board.mig

    def listed(pids):
        if pids is None:
            raise NVMLError("Insufficient Permissions")
        return [SimpleNamespace(pid=pid) for pid in pids]

    nvml.NVMLError, nvml.NVML_DEVICE_MIG_ENABLE = NVMLError, 1
    nvml.nvmlInit, nvml.nvmlShutdown = begin, end
    nvml.nvmlDeviceGetHandleByPciBusId = board_of
    nvml.nvmlDeviceGetTotalEnergyConsumption = energy_of
    nvml.nvmlDeviceGetEnforcedPowerLimit = limit_of
    nvml.nvmlDeviceGetMigMode = mig_of
    nvml.nvmlDeviceGetComputeRunningProcesses = lambda board: listed(board.pids)
    nvml.nvmlDeviceGetGraphicsRunningProcesses = lambda board: listed(board.graphics)
    return nvml
