"""Joules by counters that are made up: what counts, what is refused, and why there are none."""

import os
import sys

import pytest
from kinemesh.device import counters
from kinemesh.device.backend import Backend
from kinemesh.device.counters import Sockets
from kinemesh.device.energy import OFTEN, Meter, added, told
from kinemesh.errors import DeviceError
from meters import PCI, RANGE, Board, Machine

pytestmark = pytest.mark.no_sanitizer


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """One GPU at 300 W, one socket at 200 W with its memory at 30 W."""
    made = Machine(monkeypatch, tmp_path / "powercap")
    made.boards[PCI] = Board(300.0, limit=700_000)
    made.add_zone("intel-rapl:0", "package-0", 200.0)
    made.add_zone("intel-rapl:0:0", "dram", 30.0)
    return made


def measured(machine, seconds=10.0, backend=None, **meanwhile):
    """A meter's result over so many seconds."""
    meter = Meter(machine.backend() if backend is None else backend)
    meter.start()
    machine.go_on(seconds)
    vars(machine.boards[PCI]).update(meanwhile)
    return meter.stop()


def test_both_sources_are_measured_with_watts_and_the_error_of_two_ticks(machine):
    found = measured(machine)

    assert found["seconds"] == 10.0
    gpu, cpu = found["gpu"], found["cpu"]
    assert (gpu["device"], gpu["method"]) == ("Made-up GPU", "NVML energy counter")
    assert gpu["joules"] == pytest.approx(3000.0)
    assert gpu["watts"] == pytest.approx(300.0)
    assert gpu["error_joules"] == pytest.approx(2 * 0.1 * 300.0)
    assert (gpu["power_limit_watts"], gpu["others"], gpu["idle_watts"]) == (700.0, 0, None)
    assert cpu["method"] == "RAPL"
    assert cpu["zones"] == ["package-0", "package-0/dram"]
    assert cpu["joules"] == pytest.approx(2300.0)
    assert cpu["error_joules"] == pytest.approx(2 * 1e-3 * 230.0)
    assert cpu["own_share"] == pytest.approx(0.25)  # one of four processors
    assert machine.inits == 0  # NVML is left


def test_a_cpu_has_no_gpu_to_measure(machine):
    found = measured(machine, backend=Backend("cpu"))

    assert found["gpu"] == {"method": None, "why": "the run is on a CPU", "joules": None}
    assert found["cpu"]["joules"] == pytest.approx(2300.0)


# ---------------------------------------------------------------- sockets


def test_a_counter_that_wraps_goes_on(machine):
    machine.add_zone("intel-rapl:1", "package-1", 100.0, start=RANGE - 50_000_000)

    found = measured(machine)

    assert found["cpu"]["joules"] == pytest.approx(3300.0)


def test_counters_are_read_between_steps_before_they_wrap_twice(machine):
    machine.add_zone("intel-rapl:1", "package-1", 900.0, span=65_000_000_000)  # wraps every 72 s
    meter = Meter(machine.backend())
    meter.start()

    for _ in range(50):  # 1000 s
        machine.go_on(OFTEN * 2 / 3)
        meter.touch()

    assert meter.stop()["cpu"]["joules"] == pytest.approx(1000 * (230.0 + 900.0))


def test_a_counter_that_may_have_wrapped_unseen_is_not_believed(machine):
    machine.add_zone("intel-rapl:1", "package-1", 100.0, span=65_000_000_000)

    found = measured(machine, 66.0)

    assert found["cpu"]["joules"] is None
    assert found["cpu"]["why"] == (
        "66 s passed between two readings, in which a counter of 65000 J may have wrapped unseen"
    )
    assert found["gpu"]["joules"] == pytest.approx(300 * 66.0)


@pytest.mark.parametrize("name", ["core", "uncore", "psys"])
def test_zones_within_others_and_around_them_do_not_count(machine, name):
    folder = "intel-rapl:1" if name == "psys" else "intel-rapl:0:1"
    machine.add_zone(folder, name, 1000.0)

    assert measured(machine)["cpu"]["joules"] == pytest.approx(2300.0)


def test_memory_outside_of_a_package_does_not_count(machine):
    machine.add_zone("intel-rapl:1", "psys", 400.0)
    machine.add_zone("intel-rapl:1:0", "dram", 400.0)

    assert measured(machine)["cpu"]["joules"] == pytest.approx(2300.0)


def test_a_package_that_two_drivers_have_counts_once(machine):
    machine.add_zone("intel-rapl-mmio:0", "package-0", 200.0)

    assert measured(machine)["cpu"]["zones"] == ["package-0", "package-0/dram"]


def test_dies_of_a_package_count(machine):
    machine.add_zone("intel-rapl:1", "package-1-die-0", 10.0)
    machine.add_zone("intel-rapl:2", "package-1-die-1", 10.0)

    assert measured(machine)["cpu"]["joules"] == pytest.approx(2500.0)


def test_a_counter_for_root_alone_says_so(machine, monkeypatch):
    real = type(machine.root).read_text

    def read_text(path, *encoding):
        if path.name == "energy_uj":
            raise PermissionError(13, "Permission denied")
        return real(path, *encoding)

    monkeypatch.setattr(type(machine.root), "read_text", read_text)

    found = measured(machine)

    assert found["cpu"]["joules"] is None
    assert found["cpu"]["why"] == (
        f"{machine.root}/intel-rapl:0/energy_uj: permission denied; since CVE-2020-8694 root alone "
        "may read it, unless an administrator opens it"
    )


def test_a_zone_that_vanishes_ends_the_measurement_and_not_the_run(machine):
    meter = Meter(machine.backend())
    meter.start()
    machine.go_on(OFTEN)
    (machine.root / "intel-rapl:0:0" / "energy_uj").unlink()
    meter.touch()
    machine.go_on(OFTEN)
    found = meter.stop()

    assert found["cpu"]["joules"] is None
    assert found["cpu"]["why"].endswith("energy_uj: cannot be read (No such file or directory)")
    assert found["gpu"]["joules"] == pytest.approx(60 * 300.0)


@pytest.mark.parametrize("text", ["", "many\n"])
def test_a_counter_that_is_no_number_is_refused(machine, text):
    (machine.root / "intel-rapl:0" / "max_energy_range_uj").write_text(text)

    with pytest.raises(DeviceError, match=r"max_energy_range_uj: cannot be read \(not a number"):
        Sockets()


def test_a_machine_without_powercap_or_without_packages_says_which(machine, monkeypatch, tmp_path):
    monkeypatch.setattr(counters, "POWERCAP", tmp_path / "nowhere")
    assert measured(machine)["cpu"]["why"] == f"{tmp_path / 'nowhere'} is not there"

    (tmp_path / "nowhere" / "dtpm").mkdir(parents=True)
    assert measured(machine)["cpu"]["why"] == f"{tmp_path / 'nowhere'} has no zone named package-N"


def test_the_share_of_processors_is_not_known_without_their_table(machine, monkeypatch, tmp_path):
    monkeypatch.setattr(counters, "STAT", tmp_path / "nowhere")

    assert measured(machine)["cpu"]["own_share"] is None


# ---------------------------------------------------------------- board


def test_the_device_is_found_by_its_bus_whatever_its_number(machine):
    """Under CUDA_VISIBLE_DEVICES=1 the second board is device 0."""
    machine.boards["0000:AF:00.0"] = Board(500.0)

    found = measured(machine, backend=machine.backend("0000:AF:00.0", ordinal=0))

    assert found["gpu"]["joules"] == pytest.approx(5000.0)


def test_a_device_that_nvml_does_not_know_has_no_joules(machine):
    found = measured(machine, backend=machine.backend("0000:FF:00.0"))

    assert found["gpu"]["why"] == "NVML on device 0000:FF:00.0: Not Found"
    assert machine.inits == 0


def test_without_the_package_it_says_what_to_install(machine, monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", None)

    found = measured(machine)

    assert found["gpu"]["method"] is None
    assert "pynvml" in found["gpu"]["why"]
    assert found["gpu"]["why"].endswith("pip install nvidia-ml-py, or kinemesh[energy], brings it")


def test_a_slice_of_a_device_has_no_joules_of_its_own(machine):
    machine.boards[PCI].mig = 1

    found = measured(machine)

    assert found["gpu"] == {
        "method": None,
        "why": "the device is in MIG mode, and the counter is of the whole board",
        "joules": None,
    }
    assert machine.inits == 0
    machine.boards[PCI].mig = 0
    assert measured(machine)["gpu"]["joules"] == pytest.approx(3000.0)


def test_a_device_older_than_volta_has_no_counter(machine):
    machine.boards[PCI].fault = "Not Supported"

    found = measured(machine)

    assert found["gpu"]["why"] == (
        "NVML has no energy counter of this device (Not Supported); Volta and later have one"
    )


def test_a_counter_that_fails_on_the_way_says_so(machine):
    found = measured(machine, fault="GPU is lost")

    assert found["gpu"]["joules"] is None
    assert "GPU is lost" in found["gpu"]["why"]
    assert found["cpu"]["joules"] == pytest.approx(2300.0)


def test_a_counter_that_stands_still_is_not_zero_joules(machine):
    machine.boards[PCI].still = True

    found = measured(machine, 2.0)

    assert found["gpu"]["joules"] is None
    assert found["gpu"]["why"] == "the counter stood still for 2 s"


def test_a_counter_that_goes_back_is_not_believed(machine):
    found = measured(machine, before=-1e6)

    assert found["gpu"]["joules"] is None
    assert "went back" in found["gpu"]["why"]


@pytest.mark.parametrize("seconds", [0.05, 0.4, 0.79])
def test_too_short_a_run_has_no_joules(machine, seconds):
    found = measured(machine, seconds)

    assert found["gpu"]["joules"] is None
    assert found["gpu"]["error_joules"] is None
    assert found["gpu"]["why"] == (
        f"{seconds:.2g} s is too short for a counter that steps every 0.1 s"
    )
    assert found["cpu"]["joules"] == pytest.approx(seconds * 230.0)


def test_the_error_is_at_most_a_quarter(machine):
    found = measured(machine, 0.81)["gpu"]

    assert found["joules"] is not None
    assert 0.2 < found["error_joules"] / found["joules"] <= 0.25


def test_others_on_the_board_are_counted_at_both_ends(machine):
    board = machine.boards[PCI]
    board.pids, board.graphics = [os.getpid(), 1], [1]

    assert measured(machine, pids=[os.getpid(), 2, 3])["gpu"]["others"] == 3


@pytest.mark.parametrize("pids", [None, [], [1, 2]])
def test_a_list_without_this_process_is_not_trusted(machine, pids):
    machine.boards[PCI].pids = pids

    found = measured(machine)["gpu"]

    assert found["others"] is None
    assert found["joules"] == pytest.approx(3000.0)


def test_a_limit_that_nobody_tells_is_left_open(machine):
    machine.boards[PCI].limit = None

    assert measured(machine)["gpu"]["power_limit_watts"] is None


# ---------------------------------------------------------------- parts


def part(machine, seconds, backend=None):
    meter = Meter(machine.backend() if backend is None else backend)
    meter.start()
    machine.go_on(seconds)
    found = meter.read()
    meter.close()
    return found


def test_parts_add_up_with_two_ticks_for_each(machine):
    machine.boards[PCI].pids = [os.getpid(), 7]
    one = part(machine, 10.0)
    machine.boards[PCI].pids = [os.getpid()]
    whole = told(added(one, part(machine, 30.0)))

    assert whole["seconds"] == pytest.approx(40.0)
    assert whole["gpu"]["joules"] == pytest.approx(12_000.0)
    assert whole["gpu"]["error_joules"] == pytest.approx(4 * 0.1 * 300.0)
    assert whole["gpu"]["others"] == 1
    assert whole["cpu"]["joules"] == pytest.approx(40 * 230.0)


def test_short_parts_are_too_short_together_too(machine):
    whole = told(added(part(machine, 0.5), part(machine, 0.5)))

    assert whole["gpu"]["joules"] is None
    assert whole["gpu"]["why"] == (
        "1 s in 2 parts is too short for a counter that steps every 0.1 s"
    )
    assert told(added(part(machine, 0.5), part(machine, 1.2)))["gpu"]["joules"] is not None


def test_the_share_of_processors_is_that_of_all_parts(machine):
    one = part(machine, 10.0)
    machine.own = 0.0
    other = part(machine, 30.0)

    assert told(added(one, other))["cpu"]["own_share"] == pytest.approx(10 / 130)
    unknown = other | {"cpu": other["cpu"] | {"all_seconds": None}}
    assert told(added(one, unknown))["cpu"]["own_share"] is None


def test_a_part_that_is_lacking_leaves_no_sum(machine):
    on_cpu = part(machine, 10.0, Backend("cpu"))

    for pair in ((on_cpu, part(machine, 10.0)), (part(machine, 10.0), on_cpu)):
        whole = told(added(*pair))
        assert whole["gpu"] == {"method": None, "why": "the run is on a CPU", "joules": None}
        assert whole["cpu"]["joules"] == pytest.approx(4600.0)


def test_parts_on_two_devices_name_both(machine):
    other = machine.backend()
    other._module.device_properties = lambda number: {"name": "Another GPU", "pci": PCI}

    whole = told(added(part(machine, 10.0), part(machine, 10.0, other)))

    assert whole["gpu"]["device"] == "Made-up GPU, then Another GPU"


def test_a_meter_that_is_not_asked_reads_nothing(machine):
    machine.boards[PCI].fault = "not to be asked"
    meter = Meter(machine.backend())
    meter.touch()
    meter.close()

    assert machine.inits == 0
