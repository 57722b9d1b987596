"""Lines that SU2 writes beside the mesh: zones, offsets of angles, periodic boundaries, boxes."""

from __future__ import annotations

import re

import numpy as np

from kinemesh.errors import warn
from kinemesh.mesh.files.su2_lines import FORTRAN, Lines

ZONES = ("NZONE", "IZONE")  # how many, and which one begins
OFFSETS = {"AOA_OFFSET": "incidence", "AOS_OFFSET": "sideslip"}  # as SU2 writes after a deformation
PERIODIC = ("PERIODIC_INDEX", "PERIODIC_CENTER", "PERIODIC_ROTATION", "PERIODIC_TRANSLATION")
OTHERS = (*ZONES, *OFFSETS, "NPERIODIC", *PERIODIC)


def whole(lines: Lines, index: int, key: str, value: str) -> int:
    first = value.split()[0] if value else ""  # NPOIN= may be followed by the count without halo
    if not re.fullmatch(r"[0-9]{1,18}", first):  # what fits in 64 bits
        raise lines.fault(index, f"{key}= '{value[:40]}', expected a whole number")
    return int(first)


def check_other(lines: Lines, start: int, key: str, value: str) -> None:
    """Refuse several zones, nonzero offsets of angles, and periodic boundaries."""
    if key in ZONES:
        count = whole(lines, start, key, value)
        keys = [lines.text(index) for index in lines.keys]
        begun = sum(re.match(r"IZONE\s*=", text, re.IGNORECASE) is not None for text in keys)
        if count != 1 or begun > 1:
            count = count if key == "NZONE" else max(count, begun)
            raise lines.fault(
                start,
                f"{key}= {value[:40]}, expected one zone, and the file has {count}; make a file of "
                "each zone",
            )
        return
    if key == "NPERIODIC":
        whole(lines, start, key, value)
        return
    try:
        numbers = [float(FORTRAN.sub("e", word)) for word in value.replace(",", " ").split()]
    except ValueError:
        numbers = []
    if not numbers:
        raise lines.fault(start, f"{key}= '{value[:40]}', expected numbers")
    if key == "PERIODIC_INDEX":
        _pass_vectors(lines, value)
    if not any(numbers) or key in ("PERIODIC_INDEX", "PERIODIC_CENTER"):
        return
    if key in OFFSETS:
        remedy = f"add {value} to alpha_deg" if key == "AOA_OFFSET" else "flows here have none"
        raise lines.fault(
            start,
            f"{key}= {value[:40]}, expected 0: SU2 adds these degrees to the {OFFSETS[key]} of its "
            f"case; remove the line ({remedy})",
        )
    raise lines.fault(
        start,
        f"{key}= {' '.join(value.split())[:40]}, expected zeros: there are no periodic boundaries",
    )


def _pass_vectors(lines: Lines, index: str) -> None:
    """Pass the lines without a keyword behind PERIODIC_INDEX, as SU2 wrote them until version 6.

    They are the centre, the angles and the way of a periodic boundary; those of zeros move nothing.
    """
    start, names = lines.at, ("centre", "rotation", "translation")
    ahead = lines.keys[np.searchsorted(lines.keys, start) :]
    count = (int(ahead[0]) if len(ahead) else len(lines)) - start
    if count <= 0:
        return
    if count != len(names):
        raise lines.fault(
            start,
            f"PERIODIC_INDEX= {index[:40]} with {count} line(s) of numbers, expected none or "
            f"{len(names)}: {', '.join(names)} of a periodic boundary",
        )
    flat, counts = lines.block(count, np.float64, "vector of PERIODIC_INDEX,")
    for k, (name, own) in enumerate(
        zip(names, np.split(flat, np.cumsum(counts)[:-1]), strict=True)
    ):
        if len(own) not in (2, 3):
            raise lines.fault(start + k, f"{name} of {len(own)} numbers, expected 2 or 3")
        if name != "centre" and own.any():
            raise lines.fault(
                start + k,
                f"PERIODIC_INDEX= {index[:40]} has a {name} of {' '.join(f'{v:g}' for v in own)}, "
                "expected zeros: there are no periodic boundaries",
            )


def skip(lines: Lines, key: str) -> None:
    """Skip free-form deformation boxes, with one warning per box."""
    if key == "FFD_TAG":
        number = lines.numbers[lines.at - 1]
        text = f"{lines.path}, line {number}: the free-form deformation box is not used"
        warn(text, UserWarning)
    ahead = lines.keys[np.searchsorted(lines.keys, lines.at) :]
    lines.at = int(ahead[0]) if len(ahead) else len(lines)
