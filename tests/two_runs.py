"""Made-up runs of one case: loops and steady loads that are given, with the summary of a run."""

from math import pi

import numpy as np
from kinemesh.io import STEADY, History
from kinemesh.io.csv_rows import unsteady_columns
from kinemesh.io.scales import scales_of
from kinemesh.io.summary import Summary
from kinemesh.results import Run

MACH, K, AMPLITUDE = 0.5, 0.1, 2.5
PERIOD = pi / K  # in chords over the stream's speed
BOX = {"airfoil": {"length": 1.0, "from": [0.0, -0.06], "to": [1.0, 0.06]}}
FAR = {"far": {"from": [-50.0, -50.0], "to": [50.0, 50.0]}}
PITCH = {"motion": "pitch", "amplitude_deg": AMPLITUDE, "k": K, "about_x": 0.25, "phase_deg": 0.0}


def outlined(box):
    """A body that is a lens within its box; those in space as they are."""
    if len(box["from"]) == 3 or "outline" in box:
        return box
    share = (np.arange(8) + 0.5) / 8
    middle, half = (box["to"][1] + box["from"][1]) / 2, (box["to"][1] - box["from"][1]) / 2
    y = half * 4 * share * (1 - share)
    return box | {"outline": [(middle - y).tolist(), (middle + y).tolist()]}


def summary(mode, nodes, result, *, method="ale", stream=None, motion=None, boxes=None, dtype=None,
            boundaries=None, finished="now", settings=None, extents=FAR,
            sliding=None, deform=None, viscosity=None, **conditions):  # fmt: skip
    """Summary of a run of one member."""
    stream = {"mach": MACH, "alpha_deg": 1.0} if stream is None else stream
    motion = (PITCH if mode == "unsteady" else {}) if motion is None else motion
    boxes = BOX if boxes is None else boxes
    boxes = {name: outlined(box) for name, box in boxes.items()}
    if extents is FAR and any(len(box["from"]) == 3 for box in boxes.values()):
        extents = {"far": {"from": [-50.0, 0.0, -50.0], "to": [50.0, 50.0, 50.0]}}
    settings = {"steady_drop": 1e-6} if settings is None else settings
    references = {"reference_area": 1.0, "reference_length": 1.0, "moment_about": [0.25, 0.0]}
    return Summary(
        mode=mode,
        finished=finished,
        dtype=dtype or "float64",
        conditions=stream | references | conditions,
        mesh={"nodes": nodes, "members": 1, "bodies": boxes, "extents": extents},
        identity={
            "run": {
                "method": method,
                "boundaries": boundaries or {"wall": list(boxes), "far": ["farfield"]},
                "settings": settings,
                "sliding": sliding or {},
                "deform": deform,
                "viscosity": viscosity,
            }
        },
        asked=[stream | motion | {"mesh": 0, "nodes": nodes}],
        unknowns=[nodes],
        settings=settings,
        result=result,
    )


def loop_run(cl, cm, *, cd=np.cos, power=None, steps=32, cycles=2, nodes=1000, amplitude=AMPLITUDE,
             grow=0.0, period=PERIOD, converged=True, out=None, ends=None, **more):  # fmt: skip
    """Unsteady run whose loads are functions of the phase [rad]; cl grows by `grow` a cycle.

    `ends` : further columns, functions of the phase, too
    """
    ends = ends or {}
    history = History((*unsteady_columns(), *ends))
    count = round(steps * cycles)
    step = np.arange(1, count + 1)
    phi = 2 * pi * step / steps
    ones = np.ones(count)
    scale = 1 + grow * ((step - 1) // steps)
    rows = {name: 0 * ones for name in history.columns}
    rows |= {"step": step, "time": period / MACH * step / steps, "cycle": step / steps}
    rows |= {"phase_deg": np.degrees(phi) % 360, "alpha_deg": 1 + amplitude * np.sin(phi)}
    rows |= {"cl": scale * cl(phi), "cd": cd(phi) * ones, "cm": cm(phi) * ones}
    rows |= {"converged": converged * ones}
    rows["power"] = 0 * ones if power is None else power(phi) * ones
    rows |= {name: own(phi) * ones for name, own in ends.items()}
    history.extend(rows)
    about = summary("unsteady", nodes, {"converged": bool(converged)}, cycles=cycles,
                    steps_per_cycle=steps, steps=count, until="cycles", **more)  # fmt: skip
    history.scales = scales_of(about, 1)
    return Run(history, about, out)


def steady_run(cl, cd=0.02, cm=-0.01, *, nodes=1000, converged=True, swing=0.0, wake=None,
               ends=None, **more):  # fmt: skip
    """Steady run with these loads; cl changes by `swing` while the residual falls tenfold.

    `wake` : of a wing cd_induced and cm_bending; `ends` : further columns of a history
    """
    ends = ends or {}
    history = History((*STEADY, *ends))
    rows = {name: np.zeros(9) for name in history.columns}
    at = np.arange(1, 10)
    rows |= {"iteration": at, "residual": 0.1**at}
    rows |= {"cl": cl + swing * (9 - at), "cd": cd + 0 * at, "cm": cm + 0 * at}
    rows |= {name: value + 0 * at for name, value in ends.items()}
    history.extend(rows)
    result = {"cl": cl, "cd": cd, "cm": cm, "converged": converged, "iterations": 9}
    result |= {"residual_drop": 1e-9} | (wake or {}) | ends
    return Run(history, summary("steady", nodes, result, **more), None)


def sine(amplitude=1.0, lead_deg=0.0, mean=0.0):
    """A load of one harmonic."""
    return lambda phi: mean + amplitude * np.sin(phi + np.radians(lead_deg))


def still(value):
    """A load that does not change."""
    return lambda phi: value + 0 * phi
