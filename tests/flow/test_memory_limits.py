"""Memory that a process may take by its own limits, as of `ulimit -v`."""

import resource
from pathlib import Path

import kinemesh as km
import pytest
from kinemesh import cli
from kinemesh.device import free_memory
from kinemesh.flow import memory

PAGE = resource.getpagesize()


def limited(monkeypatch, kind, room):
    """Limit of this process that leaves it `room` bytes more than it holds."""
    held = [int(n) * PAGE for n in Path("/proc/self/statm").read_text("ascii").split()]
    most = {resource.RLIMIT_AS: held[0], resource.RLIMIT_DATA: held[5]}[kind] + room
    real = resource.getrlimit
    monkeypatch.setattr(resource, "getrlimit", lambda k: (most, most) if k == kind else real(k))


@pytest.mark.parametrize("kind", [resource.RLIMIT_AS, resource.RLIMIT_DATA])
def test_a_limit_of_the_process_is_what_is_free(monkeypatch, kind):
    limited(monkeypatch, kind, 1 << 28)

    assert free_memory.free_of_host() == pytest.approx(1 << 28, rel=0.1)


def test_a_process_without_limits_has_what_the_machine_has(monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (resource.RLIM_INFINITY,) * 2)

    assert free_memory.free_of_process() is None
    assert free_memory.free_of_host() == pytest.approx(free_memory.free_of_machine(), rel=0.1)


def test_a_case_beyond_the_limit_is_refused_with_what_it_needs(monkeypatch):
    mesh = km.mesh.airfoil("naca0012", nodes=20_000)
    limited(monkeypatch, resource.RLIMIT_AS, 8 << 20)

    with pytest.raises(km.DeviceError, match=r"nodes in float64 need about .* MiB are free"):
        km.Ale(mesh, mach=0.5, device="cpu")


def test_a_case_that_does_not_fit_is_told_which_smaller_ones_do(monkeypatch):
    mesh = km.mesh.airfoil("naca0012", nodes=700, far_field=10)
    newton, pseudo = km.AleSettings(newton=True), km.AleSettings(newton=False)
    held = [("float64", newton), ("float64", pseudo), ("float32", pseudo)]
    most, double, single = (memory.needed(km.Ale, dtype, [mesh], own) for dtype, own in held)

    def room(low, high):
        between = (low + high) // 2 + memory.HOST * memory.counts(mesh)[1]
        monkeypatch.setattr(memory, "available", lambda backend: between)

    less = r"newton = False and dtype='float32' \(about .*\)"
    room(single, double)
    with pytest.raises(km.DeviceError, match=rf"are free; use {less} or fewer nodes$"):
        km.Ale(mesh, mach=0.5, device="cpu", settings=newton)
    with pytest.raises(km.DeviceError, match=r"use dtype='float32' .* or fewer nodes$"):
        km.Ale(mesh, mach=0.5, device="cpu")
    room(double, most)
    with pytest.raises(km.DeviceError, match=rf"use {less}, newton = False \(about .*\) or fewer"):
        km.Ale(mesh, mach=0.5, device="cpu", settings=newton)
    room(0, single)
    with pytest.raises(km.DeviceError, match=r"are free; use fewer nodes$"):
        km.Ale(mesh, mach=0.5, device="cpu", settings=newton)


def test_memory_that_is_short_in_a_run_from_the_shell_is_told(monkeypatch, capsys):
    def short(arguments):
        raise MemoryError("Unable to allocate 42.3 MiB")

    monkeypatch.setitem(cli.COMMANDS, "cases", short)

    assert cli.main(["cases"]) == cli.FAILED
    assert "not enough memory: Unable to allocate 42.3 MiB; make the mesh smaller" in (
        capsys.readouterr().err
    )
