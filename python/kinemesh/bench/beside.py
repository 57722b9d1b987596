"""Options of `kinemesh bench` for springs beside Ma et al., in the plane and in space."""

from __future__ import annotations

import argparse

from kinemesh.bench import carried, ma2017
from kinemesh.bench.options import (
    CARRIER,
    LEAST_NODES,
    LEAST_WING,
    NONE,
    SPRINGS,
    Subject,
    numbers,
    wings,
)
from kinemesh.errors import SettingsError
from kinemesh.flow.registry import BOTH, Entry

# In place of lines of the registry of solvers
ENTRY = Entry(SPRINGS, "", "", "mesh", BOTH, (), (), ("springs", "natural"))
CARRIED = Entry(CARRIER, "", "", "mesh", BOTH, (), (), ("carrier",))
OTHERS = ("loops", "energy", "schwarz", "overset", "cloud", "points", "method", "mesh")
OF_ENERGY = ("seconds", "cpu_watts", "cpu_cores")


def entry_of(arguments: argparse.Namespace) -> Entry | None:
    """Entry of `--in-space` or of rows of the carrier; None: a solver, parts or loops."""
    if arguments.tets is not None and not of_parts(arguments):
        return ENTRY
    known = {name for group, rows in carried.TITLES.items() for name in (group, *rows)}
    names = {part.strip() for part in (arguments.rows or "").split(",")}
    others = (name for name in OTHERS if name not in ("points", "mesh"))
    given = any(getattr(arguments, name) not in (None, False) for name in others)
    return CARRIED if names <= known and not given else None


def of_parts(arguments: argparse.Namespace) -> bool:
    """True for `--overset`, and for `--schwarz`, of which `--in-space` is without sizes."""
    return bool(arguments.overset or arguments.schwarz)


def check(arguments: argparse.Namespace) -> None:
    """SettingsError for options that do not go with --in-space, or with rows of the carrier."""
    if arguments.tets is not None and of_parts(arguments):
        if arguments.tets:
            raise SettingsError(
                f"in-space: {arguments.tets!r} beside overset parts, whose nodes are --sizes"
            )
        if arguments.mesh is not None:
            raise SettingsError("mesh: without --in-space, whose parts are meshes of their own")
    elif arguments.tets is not None:
        for name in OTHERS:
            if getattr(arguments, name) not in (None, False):
                raise SettingsError(
                    f"{name}: without --in-space, which has rows, sizes, threads, device, repeat "
                    "and json"
                )
    entry = entry_of(arguments)
    for name in OF_ENERGY:
        if entry is not None and getattr(arguments, name) is not None:
            raise SettingsError(f"{name.replace('_', '-')}: only with --energy; add it")
    if entry is CARRIED and arguments.points is not None:
        raise SettingsError("points: without rows of a carrier, whose meshes have --sizes")
    if entry is not CARRIED and arguments.carrier is not None:
        raise SettingsError(
            f"carrier: {arguments.carrier!r} without rows of a carrier; add --rows carrier"
        )


def subjects(arguments: argparse.Namespace, entry: Entry, on_gpu: bool) -> list[Subject]:
    """Meshes of `entry_of`; SettingsError for an invalid size."""
    return in_both(arguments) if entry is ENTRY else carried_meshes(arguments, on_gpu)


def in_both(arguments: argparse.Namespace) -> list[Subject]:
    """Meshes in the plane and in space by size, small ones first."""
    given = (
        ("sizes", arguments.sizes, LEAST_NODES, ma2017.PLANE, None),
        ("in-space", arguments.tets or None, LEAST_WING, ma2017.SPACE, "tets"),
    )
    found = []
    for name, text, least, default, wing in given:
        if text == NONE:
            continue
        sizes = numbers(name, text, least, f"{default[0]},{default[1]}; or {NONE}") or default
        found += [Subject(None, size, wing, beside=True) for size in sizes]
    if not found:
        raise SettingsError(f"sizes: {NONE!r} in the plane and in space, expected one of both")
    return sorted(found, key=lambda subject: subject.size)


def carried_meshes(arguments: argparse.Namespace, on_gpu: bool) -> list[Subject]:
    """Meshes in space that carriers carry: hybrid ones, or those of `--mesh`."""
    found = numbers("carrier", arguments.carrier, LEAST_WING, "108396")
    if len(found) > 1:
        raise SettingsError(f"carrier: {arguments.carrier!r}, expected one number, as in 108396")
    chosen = argparse.Namespace(**vars(arguments) | {"mesh": arguments.mesh or "hybrid"})
    default = carried.SIZES_GPU if on_gpu else carried.SIZES
    return [
        subject._replace(carrier=found[0] if found else None) for subject in wings(chosen, default)
    ]
