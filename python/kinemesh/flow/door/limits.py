"""Limits of a stream, for the arguments of Python and for case files."""

from __future__ import annotations

from kinemesh.gas import GAMMA

MACH = 20.0  # the largest that is tested
SLOWEST = 1e-6  # far below what is tested; below, coefficients end in round-off, and in infinity
DOUBTFUL = 5.0  # above, a velocity may have been meant, and air is no perfect gas
ALPHA_DEG = 180.0  # a section in reversed flow, as on the retreating side of a rotor, has 180
REYNOLDS = 1e-6, 1e11  # from below that of bacteria, 1e-5, to above that of ships, 1e10
ASK = (
    "was a velocity meant? A Mach number is a velocity over the speed of sound, 340 m/s in air at "
    "15 degrees Celsius"
)


def wrong_mach(mach: float) -> str:
    """Expected Mach number, in words, where this one is refused; else an empty text."""
    if mach < SLOWEST:
        return f"expected at least {SLOWEST:g}; flow as slow is incompressible (km.Incompressible)"
    return "" if mach <= MACH else f"expected at most {MACH:g}; {ASK}"


def wrong_reynolds(reynolds: float) -> str:
    """Expected Reynolds number, in words, where this one is refused; else an empty text."""
    low, high = REYNOLDS
    if low <= reynolds <= high:
        return ""
    return f"expected {low:g} to {high:g}: speed times length over the kinematic viscosity"


def wrong_alpha(alpha_deg: float) -> str:
    """Expected angle [deg], in words, where this one is refused; else an empty text."""
    if abs(alpha_deg) <= ALPHA_DEG:
        return ""
    return f"expected an angle of {-ALPHA_DEG:g} to {ALPHA_DEG:g} degrees"


def wrong_stream(speed: float) -> str:
    """Expected speed of a stream, in words, where this one is refused; else an empty text."""
    return "" if speed in (0.0, 1.0) else "expected 1, or 0 of a fluid at rest"


def wrong_rest(speed: float | None, alpha_deg: float) -> str:
    """Expected in place of a stream's angle [deg] where there is none, else empty."""
    if speed != 0 or alpha_deg == 0:
        return ""
    return "expected 0 with stream = 0, as it turns the stream; turn the mesh"


def doubt(mach: float) -> str:
    """Warning about a Mach number that is taken and doubtful; else an empty text."""
    if mach <= DOUBTFUL:
        return ""
    return f"mach is {mach:g}: {ASK} (a perfect gas with gamma {GAMMA:g} is assumed)"
