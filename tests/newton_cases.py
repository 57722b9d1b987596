"""Cases with steps of Newton's method, which several tests of them share."""

from functools import cache

import kinemesh as km

SPACE = {
    "in space": (km.Ale, km.AleSettings),
    "cells": (km.CellCentred, km.CellSettings),
    "cells in space": (km.CellCentred, km.CellSettings),
}


@cache
def section(nodes):
    return km.mesh.airfoil("naca0012", nodes=nodes, far_field=10)


@cache
def layered(nodes=1200):
    """Quadrilaterals with a layer that a turbulent gas asks for."""
    return km.mesh.airfoil("naca0012", nodes=nodes, far_field=10, cells="quads", wall_spacing=2e-4)


def case(nodes=700, device="cpu", settings=None, **more):
    told = {"mach": 0.5, "alpha_deg": 2.0} | more
    settings = km.AleSettings(**{"newton": True} | (settings or {}))
    mesh = [section(n) for n in nodes] if isinstance(nodes, list) else section(nodes)
    mesh = layered() if "turbulence" in more else mesh
    return km.Ale(mesh, device=device, settings=settings, **told)


def other(name, **settings):
    """A case on cells or between planes of symmetry, or both."""
    solver, kind = SPACE[name]
    mesh = section(520)
    mesh = km.mesh.extruded(mesh, span=0.2, layers=2, cells="prisms") if "space" in name else mesh
    settings = kind(newton=True, limiter="none", **settings)
    area = {"reference_area": 0.2} if "space" in name else {}
    return solver(mesh, mach=0.5, alpha_deg=2.0, device="cpu", settings=settings, **area)


def marched(solver):
    run = solver.steady()
    return run.history, run.summary["result"]
