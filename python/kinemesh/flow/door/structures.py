"""Structures of a case: which body stands on which, checked before anything is built."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import per_member
from kinemesh.bodies.case import Bodies
from kinemesh.bodies.free import FreeBodies
from kinemesh.dimension import XY, Dimension
from kinemesh.errors import SettingsError, shown
from kinemesh.motion import Motion
from kinemesh.motion.free import Free, extent
from kinemesh.structure.alpha import Matrices
from kinemesh.structure.coordinates import FLAT, LARGEST, Coordinates

FloatArray = NDArray[np.float64]
EQUILIBRIUM = "equilibrium"  # start of a run
RESOLVED = 6  # steps in a period below which the time rule shifts a mode by a tenth and more
EXAMPLE = "km.structure.TypicalSection(...)"  # where one is enough
KINDS = f"{EXAMPLE}, Cylinder(...), Springs(...) or Modes(...)"


class Structures:
    """Structures of an ensemble, one of each member, in the units of the case.

    Attributes
    ----------
    each : as given;  own : Coordinates of each
    names : of the coordinates
    matrices : Matrices
    units : (members, n)    changes of coordinates that count as equal
    free : FreeBodies, once the bodies are known
    reach : (members, n)    largest displacement of points by 1 of a coordinate that bends
    laws : of their bodies, which the coordinates are added to; None without one
    """

    free: FreeBodies
    laws: Sequence[Motion | None] = ()

    def __init__(
        self, each: Sequence[Any], of: Sequence[int], speed: FloatArray, length: float
    ) -> None:
        self.each, self.of, self.length = list(each), np.array(of), length
        self.speed = speed
        self.own: list[Coordinates] = []
        for member, (structure, u) in enumerate(zip(each, speed.tolist(), strict=True)):
            try:
                self.own.append(structure.coordinates(u, length))
            except SettingsError as error:
                raise SettingsError(error.said, member=member if len(each) > 1 else None) from None
        self.names = self.own[0].names
        alone = [m for m, own in enumerate(self.own) if own.names != self.names]
        if alone:
            raise SettingsError(
                f"structure has the coordinates {', '.join(self.own[alone[0]].names)}, and "
                f"{', '.join(self.names)} of member 0; expected structures of one kind",
                member=alone[0],
            )
        cubic = np.array([np.broadcast_to(own.cubic, own.units.shape) for own in self.own])
        self.matrices = Matrices(
            np.array([own.mass for own in self.own]),
            np.array([own.damping for own in self.own]),
            np.array([own.stiffness for own in self.own]),
            cubic,
        )
        self.units = np.array([own.units for own in self.own])
        self.reach = np.zeros(self.units.shape)

    @property
    def periods(self) -> FloatArray:
        """(members,) periods of the first mode without a flow, without a spring of the body's law;
        SettingsError without both."""
        found = np.array([period_of(own) for own in self.own])
        for member, law in enumerate(self.laws):
            if law is not None and np.isinf(found[member]):
                found[member] = law.period(float(self.speed[member])) or np.inf
        if np.isinf(found).any():
            raise SettingsError(
                "structure: its first mode has no stiffness, so no period that cycles could count; "
                "give time_step and steps",
                member=int(found.argmax()) if len(found) > 1 else None,
            )
        return found

    def period_of(self, member: int, mode: int) -> float:
        """Period of a member's mode, from 1, without a flow."""
        return period_of(self.own[member], mode)

    def kick_by(self, member: int, mode: int, angle_deg: float) -> dict[str, Any]:
        """Kick in a mode of a member by a pitch, or where it bends or only shifts by as much as the
        fastest point then turns the stream by this angle."""
        own, (frequencies, shapes) = self.own[member], self.own[member].modes
        shape = np.abs(shapes[:, mode - 1])
        way = np.radians(angle_deg) * float(self.speed[member]) / frequencies[mode - 1]
        if own.shapes:
            at = int((shape / own.units).argmax())
            return {"mode": mode, "amplitude": float(way / self.reach[member, at])}
        if (shape * np.abs(own.turn)).max() < FLAT * (shape / own.units).max():
            return {"mode": mode, "shift": float(way / self.length)}
        return {"mode": mode, "angle_deg": angle_deg}

    def kicked(self, kick: Any) -> FloatArray:
        """(members, n) coordinates of a kick, one for all members or one each."""
        each = per_member(kick, len(self.own))
        if len(each) != len(self.own):
            raise SettingsError(f"kick has {len(each)} entries, expected {len(self.own)} (members)")
        found = np.array([
            own.kicked(one, self.length) for own, one in zip(self.own, each, strict=True)
        ])  # fmt: skip
        far = (np.abs(found) * self.reach).sum(axis=1) / self.length
        if (far > LARGEST["shift"]).any():
            member = int(far.argmax())
            raise SettingsError(
                f"kick is {each[member]!r}, which displaces a point of the body by "
                f"{far[member]:.3g} reference lengths, expected {LARGEST['shift']:g} at most",
                member=member if len(each) > 1 else None,
            )
        return found

    def grown(self, q: FloatArray) -> NDArray[np.bool_]:
        """(members,) whether bodies at coordinates (members, n) are turned or shifted too far."""
        turn, shift, _ = self.free.parts(q)
        far: NDArray[np.bool_] = np.abs(np.degrees(turn)) > LARGEST["angle_deg"]
        bent = (np.abs(q) * self.reach).sum(axis=1)
        most = np.maximum(np.abs(shift).max(axis=1), bent)
        return np.asarray(far | (most > LARGEST["shift"] * self.length))

    def unresolved(self, dt: FloatArray) -> list[tuple[int, int, float]]:
        """Modes with fewer than `RESOLVED` steps dt (members,) in a period: member, mode, steps."""
        found = []
        for member, (own, step) in enumerate(zip(self.own, dt.tolist(), strict=True)):
            each = 2 * np.pi / np.maximum(own.modes[0], 1e-300) / step
            found += [(member, j + 1, n) for j, n in enumerate(each.tolist()) if n < RESOLVED]
        return found

    @property
    def told_of_roots(self) -> dict[str, Any]:
        """Numbers by which roots are told: of the history's columns, and of each member."""
        # of the columns: shifts are in reference lengths there
        units = self.units / np.where(self.shifts, self.length, 1.0)
        return {
            "names": list(self.names),
            "units": units.tolist(),
            "reference": [own.reference for own in self.own],
            "half_over_speed": (0.5 * self.length / self.speed).tolist(),
            "period": [p if np.isfinite(p) else None for p in map(period_of, self.own)],
        }

    @property
    def shifts(self) -> NDArray[np.bool_]:
        """(members, n) whether coordinates are lengths, by which the body shifts."""
        return np.asarray(np.array([own.shift for own in self.own]).any(axis=2))

    def bend(self, largest: FloatArray) -> None:
        """Largest displacements (bodies, most shapes) of the bodies' shapes are known."""
        if self.own[0].shapes:
            self.reach = largest[self.of, : len(self.names)]

    def stand(self, bodies: Bodies) -> None:
        """The bodies are known."""
        self.free = FreeBodies(bodies, self.of, self.own)

    @property
    def told(self) -> dict[str, Any]:
        """For summaries and restarts."""
        return {"structure": [getattr(own, "told", repr(own)) for own in self.each]}


def check_equilibrium(structures: Structures | None) -> None:
    """SettingsError without a structure, or for one without a spring in a coordinate."""
    if structures is None:
        raise SettingsError(
            f"start is '{EQUILIBRIUM}', and no body stands on a structure; give the solver "
            f"structure = {EXAMPLE}, or take another start"
        )
    for member, own in enumerate(structures.own):
        if own.modes[0].min() <= 0:
            raise SettingsError(
                f"start is '{EQUILIBRIUM}', and the structure lacks stiffness in one of "
                f"{', '.join(own.names)}, so nothing holds the loads; give it a spring, or take "
                "another start",
                member=member if len(structures.own) > 1 else None,
            )


def period_of(own: Coordinates, mode: int = 1) -> float:
    """Period of a mode, from 1, without a flow; infinite without a spring."""
    frequency = float(own.modes[0][mode - 1])
    return 2 * np.pi / frequency if frequency > 0 else np.inf


def structures_of(
    value: Any,
    bodies: Sequence[tuple[int, str]],
    motions: Sequence[Motion | None],
    speed: FloatArray,
    length: float,
    dimension: Dimension,
) -> Structures | None:
    """Structures of a user's argument; None where there are none.

    Parameters
    ----------
    value : a structure, or {marker: structure}, or one each member;  motions : of each body

    Raises
    ------
    SettingsError    no structure, or which body it is of is not clear, or a body that has a motion
    """
    given = per_member(value, len(speed))
    if all(own is None for own in given):
        return None
    each, of = [], []
    for member, own in enumerate(given):
        which = member if len(given) > 1 else None
        there = {marker: k for k, (m, marker) in enumerate(bodies) if m == member}
        names = list(there)
        if isinstance(own, Mapping):
            unknown = sorted(set(own) - set(there))
            if unknown or len(own) != 1:
                raise SettingsError(
                    f"structure of {unknown or list(own)}, expected one of the bodies {names}",
                    member=which,
                )
            ((marker, own),) = own.items()
        elif len(there) != 1:
            raise SettingsError(
                f"a structure is given for the bodies {names}, expected one body; say which: "
                f"structure = {{{(names or ['MARKER'])[0]!r}: {EXAMPLE}}}",
                member=which,
            )
        else:
            (marker,) = there
        if not hasattr(own, "coordinates"):
            raise SettingsError(f"structure is {shown(own)}, expected {KINDS}", member=which)
        if own.dimension not in (None, dimension):
            raise SettingsError(
                f"structure is {own!r}, which is of the plane, and the mesh is in space; there "
                "give km.structure.Modes(...)",
                member=which,
            )
        each.append(own)
        of.append(there[marker])
    made = Structures(each, of, speed, length)
    made.laws = [motions[body] for body in of]
    for member, law in enumerate(made.laws):
        body, u = bodies[of[member]][1], float(speed[member])
        if law is not None and (both := shared(made.own[member], law, u)):
            raise SettingsError(
                f"body {body!r} has a structure that {both} it, and moves by {law!r} as well; "
                "leave motion out: the flow and the springs move it",
                member=member if len(given) > 1 else None,
            )
    return made


def shared(own: Coordinates, law: Motion, speed: float) -> str:
    """Word on what both a structure and a law do with a body; "" where they do not meet.

    Of laws in space, or that bend a body, it is what the structure does first.
    """
    moves = [("turns", bool(own.turn.any())), ("bends", bool(own.shapes)),
             ("shifts", bool(own.shift.any()))]  # fmt: skip
    if law.shapes or not XY.holds(law.dimension) or isinstance(law, Free):
        return next(word for word, does in moves if does)
    turns, shifts = extent(law, speed)
    if turns and law.pivot is None:
        raise SettingsError(
            f"motion is {law!r} beside a structure, and turns about no one point; expected pitch, "
            "or a sum of such motions"
        )
    found = {"turns": turns, "bends": turns or shifts.any(),
             "shifts": bool((np.abs(own.shift).max(axis=0) * shifts).any())}  # fmt: skip
    return next((word for word, does in moves if does and found[word]), "")


def with_free(
    motions: Sequence[Motion | None], structures: Structures | None
) -> tuple[Motion | None, ...]:
    """Motions of all bodies, `Free` of those on structures."""
    made = list(motions)
    for own, body in zip(structures.own, structures.of, strict=True) if structures else ():
        law, about = motions[body], own.about
        if law is not None and law.pivot is not None:  # it turns what the structure does not
            about = law.pivot
        made[body] = Free(about, own.shapes, law)
    return tuple(made)
