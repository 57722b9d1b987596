"""Tables of a flutter analysis as files: roots by mode and speed index, and the boundary."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kinemesh.io.paths import making
from kinemesh.results.opening import OF_FLUTTER
from kinemesh.study.flutter.found import OF_CROSSING

TABLES = ("flutter.csv", "time.csv", *OF_FLUTTER)
ROOTS = ("mach", "mode", "k", "1/k", "speed_index", "g", "omega", "sigma", "zeta")
IN_TIME = ("speed_index", "mode", "zeta", "omega", "k", "uncertainty")
EDGE = ("mach", "boundary", "boundary_k", "boundary_omega", "boundary_mode", "divergence", "end")


def write(found: Any, folder: Path) -> list[Path]:
    """Write flutter.csv, a row per Mach number, mode and V*, crossings.csv and boundary.csv; of
    runs in time time.csv, a row each.

    Columns of roots are in the order of Nastran's flutter summary: k, 1/k, velocity, damping g,
    frequency, then sigma of p = sigma + i k and the damping ratio zeta.
    """
    head = (
        f"# {found.attrs['structure']}\n# V* = U / (b omega_alpha sqrt(mu)); omega over "
        "omega_alpha; k = omega b / U\n"
    )
    edge = [[found[name].values[m] for name in EDGE] for m in range(len(found["mach"]))]
    made = []
    for name, columns, rows in (
        *([("flutter.csv", ROOTS, _roots(found))] if "zeta" in found else []),
        *(
            [("time.csv", ("mach", *IN_TIME), _table(found, "time", IN_TIME))]
            if "time_zeta" in found
            else []
        ),
        (OF_FLUTTER[0], ("mach", *OF_CROSSING), _table(found, "crossing", OF_CROSSING)),
        (OF_FLUTTER[1], EDGE, edge),
    ):
        path = folder / name
        lines = [",".join(_text(value) for value in row) for row in rows]
        with making(path, "the flutter analysis"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join([head + ",".join(columns), *lines]) + "\n", encoding="utf-8")
        made.append(path)
    return made


def _text(value: Any) -> str:
    return value if isinstance(value, str) else f"{value:.10g}"


def _roots(found: Any) -> list[list[Any]]:
    rows = []
    for m, mach in enumerate(found["mach"].values):
        for j, mode in enumerate(found["mode"].values):
            k, g, omega, zeta = (found[n].values[m, j] for n in ("k", "g", "omega", "zeta"))
            for i, speed in enumerate(found["speed_index"].values):
                if np.isnan(k[i]):
                    continue
                sigma = g[i] * k[i] / 2
                rows.append([mach, mode, k[i], 1 / k[i], speed, g[i], omega[i], sigma, zeta[i]])
    return rows


def _table(found: Any, group: str, names: Sequence[str]) -> list[list[Any]]:
    """Rows of variables GROUP_NAME over Mach number and another dimension."""
    table = np.stack([found[f"{group}_{name}"].values for name in names], -1)
    return [
        [mach, *row]
        for mach, rows in zip(found["mach"].values, table, strict=True)
        for row in rows
        if not np.isnan(row[0])
    ]
