"""Print the tables of docs/convergence.md: python tools/stall.py (four minutes on one core)."""

import warnings
from pathlib import Path

import kinemesh as km
import numpy as np

SU2 = km.cases.FOLDER / "data" / "mesh_NACA0012_inv.su2.xz"
LAYERS = Path(__file__).parents[1] / "tests" / "data" / "n0012_113-33.su2.xz"
SLOW = (0.5, 2.0)  # Mach number and angle of attack of the tables on thin cells
VENKATAKRISHNAN = {"limiter": "venkatakrishnan"}
PSEUDO_STEPS = {"newton": False}  # the page is on them
LIMITERS = (
    {},
    {"limiter_k": 0.2},
    {"limiter_k": 0.01},
    {"limiter_k": 0.005},
    VENKATAKRISHNAN | {"limiter_k": 0.3},
    VENKATAKRISHNAN | {"limiter_k": 5.0},
    VENKATAKRISHNAN | {"limiter_k": 5.0, "jacobian_fix": 0.3},
    VENKATAKRISHNAN | {"limiter_k": 5.0, "cfl": 5.0, "cfl_max": 100.0},
    VENKATAKRISHNAN | {"limiter_k": 50.0},
    {"limiter": "none"},
)


def said(settings: dict[str, object]) -> str:
    """Settings as arguments."""
    return ", ".join(f"`{k}={v!r}`" for k, v in settings.items()) or "as they are"


def steady(
    mesh: km.Mesh, flow: tuple[float, float] = (0.8, 1.25), name: str = "", **settings: object
) -> str:
    """Row of a steady run, by default of naca0012-transonic."""
    mach, alpha = flow
    made = km.AleSettings(**PSEUDO_STEPS, **settings)
    case = km.Ale(mesh, mach=mach, alpha_deg=alpha, device="cpu", settings=made)
    rows = case.steady().history
    drop, last = rows["residual"], rows["cl"][-500:]
    swing = f"{np.ptp(last) / 2:.0e}" if len(drop) >= 1000 else "-"
    return (
        f"| {name or said(settings)} | {len(drop)} | {drop[-1]:.0e} | {last[-1]:.4f} | {swing} "
        f"| {rows['cd'][-1]:.5f} |"
    )


def loop(mesh: km.Mesh, **settings: object) -> tuple[str, km.Loop]:
    """Row of a cycle of agard-ct5, rigid, 32 steps; its loop."""
    pitch = km.motion.pitch(amplitude_deg=2.51, k=0.0814, about=(0.25, 0))
    case = km.Ale(mesh, mach=0.755, alpha_deg=0.016, motion=pitch, deform=km.deform.Rigid(),
                  device="cpu", settings=km.AleSettings(**PSEUDO_STEPS, **settings))  # fmt: skip
    run = case.run(cycles=1, steps_per_cycle=32)
    found = km.hysteresis(run)
    most = run.history["residual_drop"].max()
    row = (
        f"| {said(settings)} | {found.unconverged} of 32 "
        f"| {run.history['inner_iterations'].sum()} | {most:.0e} | {found.cl.amplitude:.4f} "
        f"| {found.cm.amplitude:.5f} |"
    )
    return row, found


def begin(mesh: km.Mesh, **settings: object) -> str:
    """Row of the first eight steps of a pitching NACA 2412."""
    pitch = km.motion.pitch(amplitude_deg=2.0, k=0.1, about=(0.25, 0))
    case = km.Ale(mesh, mach=0.6, alpha_deg=1.0, motion=pitch, deform=km.deform.Rigid(),
                  device="cpu", settings=km.AleSettings(**settings))  # fmt: skip
    rows = case.run(cycles=0.25, steps_per_cycle=32).history
    inner = rows["inner_iterations"]
    return f"| {said(settings)} | {int((rows['converged'] == 0).sum())} of 8 | {inner.sum()} |"


def thin() -> None:
    """The tables on thin cells: a mesh for boundary layers, and triangles on a curved wall."""
    layers, linear = km.mesh.read(LAYERS), {"linear_solver": "lusgs"}
    for settings in ({}, {"krylov_tolerance": 0.01}, {"krylov_tolerance": 0.01, "cfl_max": 1e4},
                     {"jacobian_fix": 0.5}, linear, {"flux": "hllc"}):  # fmt: skip
        print(steady(layers, SLOW, **settings), flush=True)
    print()
    for spacing, nodes in ((4e-3, 5000), (2e-3, 5000), (1e-3, 5000), (1e-3, 20_000)):
        mesh = km.mesh.airfoil("naca0012", nodes=nodes, wall_spacing=spacing)
        print(steady(mesh, SLOW, f"{spacing:g}, {nodes} nodes"), flush=True)


def main() -> None:
    """The tables, in the order of the page."""
    warnings.simplefilter("ignore", RuntimeWarning)
    su2, ours = km.mesh.read(SU2), km.mesh.airfoil("naca0012", nodes=5_000)
    for settings in LIMITERS:
        print(steady(su2, **settings), flush=True)
    print()
    for k in (0.3, 1.0, 5.0, 50.0):
        print(steady(ours, **VENKATAKRISHNAN, limiter_k=k), flush=True)
    print(steady(ours, limiter="none"), flush=True)
    print()
    medium = km.mesh.airfoil("naca0012", nodes=24_000)
    for settings in ({}, VENKATAKRISHNAN, VENKATAKRISHNAN | {"limiter_k": 50.0}):
        print(steady(medium, **settings, steady_iterations=400), flush=True)
    print()
    for fix in (0.0, 0.05, 0.15, 0.5):
        print(steady(ours, jacobian_fix=fix), flush=True)
    print()
    for most in (20.0, 50.0, 200.0, 1e3, 1e5):
        print(steady(su2, cfl_max=most, unsteady_cfl=20.0), flush=True)
    print()
    row, good = loop(su2)
    print(row, flush=True)
    row, stalled = loop(su2, **VENKATAKRISHNAN, limiter_k=5.0)
    print(row)
    away = stalled.compare(good)
    print(f"rms distance: {away.cl.rms:.2%} of the amplitude in cl, {away.cm.rms:.2%} in cm")
    print()
    small = km.mesh.airfoil("naca2412", nodes=2_000)
    for settings in ({}, {"jacobian_fix": 0.5}, {"unsteady_cfl": 20.0}, {"cfl_max": 100.0}):
        print(begin(small, **settings), flush=True)
    print()
    thin()


if __name__ == "__main__":
    main()
