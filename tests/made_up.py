"""Made-up loops, histories and folders of runs: no flow was computed."""

from math import degrees, pi
from types import SimpleNamespace

import numpy as np
from kinemesh.flow.gas.model import Euler
from kinemesh.io import STEADY, UNSTEADY, History, summary
from kinemesh.io.fields import FieldWriter
from kinemesh.loops.loop import loop_of


def cl_of(phi):
    return 0.1 + 0.3 * np.sin(phi) - 0.12 * np.cos(phi) + 0.02 * np.sin(2 * phi + 0.5)


def cm_of(phi):
    return -0.004 * np.sin(phi) - 0.012 * np.cos(phi) + 0.002 * np.cos(3 * phi)


def run(steps=32, cycles=3.0, member=(0,), grow=0.0, path=None, start=False, amplitude=2.51):
    """A history of whole steps; cl is larger by `grow` in every cycle than in the one before."""
    history = History(path=path)
    for step in range(0 if start else 1, round(steps * cycles) + 1):
        cycle = step / steps
        phi = 2 * pi * (cycle % 1)
        scale = 1 + grow * np.floor((step - 1) / steps)
        for m in member:
            values = dict.fromkeys(UNSTEADY, 0.0)
            values |= {"member": m, "step": step, "cycle": cycle, "phase_deg": degrees(phi)}
            values |= {"alpha_deg": 0.016 + amplitude * np.sin(phi)}
            values |= {"cl": scale * (m + 1) * cl_of(phi), "cm": cm_of(phi)}
            history.append(values)
    return history


def changed(history, rows=None, **columns):
    """Rows (a mask; all) of a history, in memory, with other values in these columns (rows,)."""
    rows = np.ones(history.rows, bool) if rows is None else rows
    found = History(history.columns)
    found.extend({name: values[rows] for name, values in (dict(history) | columns).items()})
    return found


def ring(around=24, layers=6):
    """An O-mesh of quads inside and triangles outside, around a circle of radius 1/2."""
    angle = 2 * np.pi * np.arange(around) / around
    radius = 0.5 * 1.5 ** np.arange(layers)
    points = (radius[:, None, None] * np.stack([np.cos(angle), np.sin(angle)], -1)).reshape(-1, 2)
    at = np.arange(around * layers).reshape(layers, around)
    a, b, c, d = at[:-1], at[1:], np.roll(at, -1, 1)[1:], np.roll(at, -1, 1)[:-1]
    cells = np.stack([a, b, c, d], -1)
    quads, rest = cells[:2].reshape(-1, 4), cells[2:].reshape(-1, 4)
    return SimpleNamespace(
        points=points,
        quads=quads,
        triangles=np.concatenate([rest[:, :3], rest[:, [0, 2, 3]]]),
        original=np.arange(len(points))[::-1].copy(),
        walls=np.stack([np.roll(at[0], -1), at[0]], 1),  # clockwise: the domain on the left
    )


def loop(amplitude=2.0, scale=1.0):
    phi = 2 * np.pi * np.arange(32) / 32
    alpha = amplitude * np.sin(phi)
    return loop_of(np.degrees(phi), alpha, scale * np.sin(phi - 0.3), np.cos(phi), "made up")


def folder(path, mode="unsteady", cycles=2, name=None):
    """A folder as a run leaves it."""
    mesh = ring()
    with FieldWriter(path / "flow.vtkhdf", mesh, walls=mesh.walls) as writer:
        rho = 1 + 0.1 * mesh.points[:, 0]
        q = np.stack([rho, 0.9 * rho, 0 * rho, rho / 1.4], axis=1)
        made = Euler(2).outputs(q, mach=0.8)
        writer.append(1.0, mesh.points, made)
    with History(UNSTEADY if mode == "unsteady" else STEADY, path / "history.csv") as history:
        for step in range(1, round(16 * cycles) + 1):
            phi = 2 * np.pi * step / 16
            row = dict.fromkeys(history.columns, 0.5**step)
            row |= {"time": 0.5 * step} if mode == "unsteady" else {}
            row |= {"member": 0, "cl": np.sin(phi), "cm": np.cos(phi)}
            if mode == "unsteady":
                row |= {"step": step, "cycle": step / 16, "inner_iterations": 3}
                row |= {"converged": step != round(16 * cycles) - 3}
                row |= {"phase_deg": np.degrees(phi) % 360, "alpha_deg": 2 * np.sin(phi)}
            else:
                row |= {"iteration": step}
            history.append(row)
    about = summary.collect(mode, "cpu", "float64", {"mach": 0.8}, {"nodes": 1}, {}, {}, {})
    summary.write(path / "summary.json", about | ({"case": {"name": name}} if name else {}))
    return path
