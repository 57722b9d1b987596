"""Names of conditions and results in the words of figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinemesh.io.columns import OF_LOADS
from kinemesh.plot.style import literal

BOUNDARIES = "boundaries"
TABLES = ("flow", "mesh", "motion", "parts", "run", "solver", "reference", BOUNDARIES)  # of files
SHORT = {"mach": "Mach", "reynolds": "Re"}
LONG = {
    "mach": "Mach number",
    "reynolds": "Reynolds number",
    "damping": "damping",
    "thrust": "mean thrust coefficient",
    "power in": "mean power coefficient",
    "efficiency": "propulsive efficiency",
    "strouhal": "Strouhal number",
    "work": "work per cycle",
}
LOADS = {name.replace("_", " "): own.symbol for name, own in OF_LOADS.items()}
OF_LOAD = {"mean": "mean {}", "amplitude": "amplitude of {}", "rms": "rms of {}"}
OF_BOUNDARIES = {
    "pressure": r"$p_\infty$",
    "total_pressure": r"$p_\infty$",
    "total_temperature": r"$T_\infty$",
    "velocity": "$U$",
}
"""Units of numbers of boundaries (`kinemesh.inlet`, `kinemesh.outlet`)."""
CHORD = "chord"  # what lengths are in, where nothing else is known
DIGITS = 4  # of a number in a caption
PARTS = {"amplitude_deg": "pitch", "amplitude": "plunge"}  # of a sum, that have such a number


def plain(name: str) -> str:
    """Words of a key: `parts.wing.motion.plunge.k` is `wing plunge k`, without its unit, and
    `mesh.boundaries.outlet.pressure` is `outlet pressure`."""
    *tables, last = name.split(".")
    kept = [table for table in tables if table not in TABLES]
    return " ".join([*kept, last.removesuffix("_deg").replace("_", " ")])


def unit(name: str, length: str = CHORD) -> str:
    """Unit of a condition, of amplitudes that of lengths, or nothing."""
    *tables, last = name.split(".")
    if last.endswith("_deg"):
        return "deg"
    if BOUNDARIES in tables:
        return OF_BOUNDARIES.get(last, "")
    return length if last == "amplitude" or last.endswith("_amplitude") else ""


def label(name: str, of_result: bool = False) -> str:
    """A condition, or a result, for an axis, with its unit: `alpha [deg]`, `mean $c_l$`."""
    words = plain(name)
    if of_result:
        load, _, rest = words.rpartition(" ")
        if words in LOADS:
            return LOADS[words]
        if load in LOADS and rest in OF_LOAD:
            return OF_LOAD[rest].format(LOADS[load])
    told = "deg" if of_result and name.endswith("_deg") else "" if of_result else unit(name)
    words = f"{PARTS[name]} {words}" if name in PARTS else words
    return LONG.get(words, words) + (f" [{told}]" if told else "")


def condition(name: str | None, value: Any = "", digits: int = 6, length: str = CHORD) -> str:
    """A condition with its value, as in a legend: `amplitude 2 deg`; without one its name.

    `length` is the word of what lengths are in.
    """
    if name is None:
        return ""
    number = _number(value, digits) if isinstance(value, float) else str(value)
    words = plain(name)
    head, _, last = words.rpartition(" ")
    words = f"{head} {SHORT.get(last, last)}".strip()
    of = unit(name, length) if number and not isinstance(value, str) else ""
    told = literal(" ".join(text for text in (words, number) if text))
    return f"{told} {of}" if of else told


def _number(value: float, digits: int) -> str:
    """A number with so many digits: `4.8e6`, without zeros in its exponent."""
    factor, mark, power = f"{value:.{digits}g}".partition("e")
    return f"{factor}e{int(power)}" if mark else factor


def of_member(row: Mapping[str, Any], names: list[str], length: str = CHORD) -> list[str]:
    """Conditions of a member in words, those of a sum of motions with the motion they are of, and
    with the phase between pitch and plunge; lengths with the word of what they are in."""
    phases = {name.removesuffix("motion"): _between(row, name) for name in row}
    told = []
    for name in names:
        start = next((name.removesuffix(n) for n in PARTS if name.endswith(n)), "")
        whole = str(row.get(f"{start}motion", ""))
        own = name.removeprefix(start)
        if own in PARTS and "+" in whole:
            told.append(condition(f"{start}{PARTS[own]}_{own}", row[name], DIGITS, length))
        elif not any(text and name in _phases(start) for start, text in phases.items()):
            told.append(condition(name, row[name], DIGITS, length))
    return told + [text for text in phases.values() if text]


def _phases(start: str) -> tuple[str, ...]:
    """Names of the phases of one body's pitch and plunge."""
    return tuple(f"{start}{kind}phase_deg" for kind in ("pitch_", "plunge_", ""))


def _between(row: Mapping[str, Any], name: str) -> str:
    """Phase between pitch and plunge of one body's motion, by the name of its kinds."""
    kinds = str(row[name]).split("+")
    if not (name == "motion" or name.endswith("_motion")) or sorted(kinds) != ["pitch", "plunge"]:
        return ""
    start = name.removesuffix("motion")
    phases = [
        row.get(f"{start}{kind}_phase_deg", row.get(f"{start}phase_deg"))
        for kind in ("pitch", "plunge")
    ]
    if any(not isinstance(phase, int | float) for phase in phases):
        return ""
    of = f"{start.replace('_', ' ')}"
    if f"{start}k" not in row and f"{start}omega" not in row:  # each has its own frequency
        return f"{of}phases of pitch {phases[0]:g} deg, of plunge {phases[1]:g} deg"
    lead = (phases[0] - phases[1] + 180.0) % 360.0 - 180.0
    if lead == 0:
        return f"{of}pitch and plunge in phase"
    if lead == -180.0:
        return f"{of}pitch and plunge opposed"
    first, second = ("pitch", "plunge") if lead > 0 else ("plunge", "pitch")
    return f"{of}{first} leads {second} by {abs(lead):g} deg"
