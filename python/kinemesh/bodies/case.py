"""Bodies of an ensemble and their motions: poses and rates at a time, the points of moments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.bodies.frames import CASE, Frame, framed
from kinemesh.bodies.poses import PoseArray, RateArray, placed
from kinemesh.dimension import XY, Dimension
from kinemesh.errors import KinemeshError, SettingsError
from kinemesh.motion import Motion, Pose, Rate
from kinemesh.motion.at_once import sorted_out
from kinemesh.motion.numbers import LARGEST, lifted
from kinemesh.motion.tables import remarks
from kinemesh.sentences import Sentence
from kinemesh.space.members import Members
from kinemesh.space.owners import Owners

FloatArray = NDArray[np.float64]
KEPT = 4  # times whose poses are remembered: a step asks for those of its ends again and again
AT_REST = 1e-6  # velocity of a body, over the reference speed, that no load shows


@dataclass(frozen=True, slots=True)
class Stands:
    """Frames that bodies are given in.

    Parameters
    ----------
    frames : of each body its own Frame
    parts : bool     whether these are of overset parts
    stated : bool    whether a user gave the moments' point
    """

    frames: Sequence[Frame]
    parts: bool = False
    stated: bool = True

    @classmethod
    def of(cls, arguments: Any, meshes: Sequence[Any], bodies: Sequence[tuple[int, str]]) -> Stands:
        """Make them of bodies (member, marker) of meshes or clouds and of a case's arguments."""
        own = [getattr(mesh, "frames", {}) for mesh in meshes]
        frames = [own[member].get(marker, CASE) for member, marker in bodies]
        return cls(frames, all(own), arguments.moment_stated)

    def placed(self, point: tuple[float, float]) -> FloatArray:
        """(bodies, 2) a point of each body's own frame, as the body is given; in space (bodies, 3)
        where a frame is of space."""
        found = [frame.point(point) for frame in self.frames]
        axes = max(map(len, found), default=2)
        found = [own if len(own) == axes else lifted(own) for own in found]
        return np.array(found, float).reshape(-1, axes)

    def told(self, bodies: Sequence[tuple[int, str]]) -> dict[str, Any]:
        """For summaries and restarts where parts stand, by member where they differ."""
        if not self.parts:
            return {}
        each: dict[int, dict[str, Any]] = {}
        for (member, marker), frame in zip(bodies, self.frames, strict=True):
            each.setdefault(member, {})[marker] = asdict(frame)
        found = list(each.values())
        alike = all(other == found[0] for other in found)
        frames = found[:1] if alike else found
        return {"frames": frames[0] if len(frames) == 1 else frames, "moment_stated": self.stated}


class Bodies:
    """Every body and the motion it has.

    Parameters
    ----------
    bodies : list of (member, marker)
    motions : Motion, or None of a body at rest, of each
    speed : (members,)    reference speed, in the units of the case
    moment_about : (x, y) of the moments' point, in the frame of a member's first body
    ensemble : Members    of whom fail those whose motion has no pose at a time, or no rate
    stands : Stands of the bodies; None: those of one mesh
    length : float        reference length, which a law without a period is asked by
    dimension : that they are in

    Attributes
    ----------
    owners : Owners    member of each
    frames : of each body its own Frame
    parts : bool            whether they are of overset parts, each with a frame of its own
    shapes : of each body its own, () of a rigid one;  modes : most that a body has
    turned_deg : (members,) nose-up angle of the first body's own frame [deg]
    points : (bodies, 2)    the moments' point of each body, as the body is given: `moment_about` in
                            its own frame; of parts, where none was stated, the frame's origin; in
                            space (bodies, 3)
    pivots : (bodies, 2)    likewise, but the pivot of its motion where that has one
    """

    def __init__(
        self,
        bodies: Sequence[tuple[int, str]],
        motions: Sequence[Motion | None],
        speed: NDArray[np.float64],
        moment_about: tuple[float, float],
        ensemble: Members,
        stands: Stands | None = None,
        length: float = 1.0,
        dimension: Dimension = XY,
    ) -> None:
        self.bodies, self.ensemble = list(bodies), ensemble
        self.owners = Owners(bodies, len(speed))
        stands = stands or Stands([CASE] * len(bodies))
        motions = [framed(m, f, length) for m, f in zip(motions, stands.frames, strict=True)]
        self.motions, self.speed, self.parts = motions, speed, stands.parts
        self.dimension = dimension
        for (member, marker), motion in zip(bodies, motions, strict=True):
            if motion is not None and not self.dimension.holds(motion.dimension):
                raise SettingsError(
                    f"motion of {marker} is {motion!r}, which is of meshes in space; in the plane "
                    "expected pivots, shifts and directions of two numbers, and no axis",
                    member=member,
                )
        self.frames = stands.frames
        self.shapes = [() if own is None else own.shapes for own in motions]
        self.modes = max(map(len, self.shapes), default=0)
        angles = np.array([frame.angle_deg for frame in stands.frames], float)
        self.turned_deg = self.owners.firsts(angles)
        lift = self.dimension.lift
        self._about, self._first = moment_about, lift(stands.placed(moment_about))
        own_origin = stands.parts and not stands.stated
        self.points = lift(stands.placed((0.0, 0.0))) if own_origin else self._first
        self.pivots = self.points.copy()
        for body, motion in enumerate(motions):
            if motion is not None and motion.pivot is not None:
                self.pivots[body] = lift(np.array(motion.pivot))
        self._at_once, self._alone = sorted_out(motions, self.owners.spread(speed))
        self._known: list[tuple[FloatArray, PoseArray]] = []

    def forget(self) -> None:
        """A physical step begins: a user's function is asked anew."""
        self._known.clear()

    def poses(self, time: FloatArray) -> PoseArray:
        """Pose of every body at its member's time [chord/a_inf]; of one that fails, as given."""
        for known, there in self._known:
            if np.array_equal(known, time):
                return there
        failures = len(self.ensemble.failures)
        found = PoseArray(*self._evaluate(Pose(), time, self._fail(time)))
        if len(self.ensemble.failures) == failures:
            self._known = [(time.copy(), found), *self._known[: KEPT - 1]]
        return found

    def rates(self, time: FloatArray) -> RateArray:
        """Change of every body's pose at its member's time [chord/a_inf]; none if it fails."""
        angle, _, shift, axis, modes = self._evaluate(Rate(), time, self._fail(time))
        return RateArray(angle, shift, axis, modes)

    def jumps(self, walled: NDArray[np.int32]) -> list[str]:
        """A sentence where bodies have a velocity when their motion begins, beside a stream.

        Parameters
        ----------
        walled : bodies with walls; parts of overset grids without some have no loads
        """
        rates = self.rates(np.zeros(len(self.speed)))
        fastest = np.zeros(len(self.bodies))
        fastest[walled] = (np.linalg.norm(rates.shift, axis=1) + np.abs(rates.angle))[walled]
        moving = np.flatnonzero(fastest > AT_REST * self.owners.spread(self.speed))
        if not len(moving):
            return []
        member, marker = self.bodies[moving[0]]
        more = f", and {len(moving) - 1} other bodies," if len(moving) > 1 else ""
        velocity = ", ".join(f"{c:.3g}" for c in rates.shift[moving[0]])
        return [
            f"body {marker} of member {member}{more} moves at once where its motion begins, by "
            f"({velocity}) and {np.degrees(rates.angle[moving[0]]):.3g} degrees per unit of "
            "time, so the first loads are those of a jump in velocity; give a ramp to the motion, "
            "or a phase in which the body is at rest, or leave the first loads out"
        ]

    def remarks(self) -> list[str]:
        """Warnings about the motions, each with the first body that it is about."""
        found: dict[str, str] = {}
        for motion, (member, marker) in zip(self.motions, self.bodies, strict=True):
            for said in remarks(motion):
                text = f"body {marker}: {said}"
                found.setdefault(said, Sentence(text, member=member, about=said))
        return list(found.values())

    def samples(self, time: FloatArray) -> list[list[float] | None]:
        """Angle, pivot, shift, axis and modes of each body; None where a motion of one of several
        members has no pose, which then runs on."""
        lost: list[int] = []

        def failed(body: int, error: Exception) -> None:
            if self.ensemble.count == 1:
                raise error
            lost.append(body)

        columns = [each for each in self._evaluate(Pose(), time, failed) if each is not None]
        found: list[list[float] | None] = np.column_stack(columns).tolist()
        for body in lost:
            found[body] = None
        return found

    def angles(self, time: FloatArray) -> FloatArray:
        """(bodies,) nose-up angles [rad]; nan where a motion has no pose, and no member fails."""
        lost: list[int] = []
        angle, *_ = self._evaluate(Pose(), time, lambda body, error: lost.append(body))
        angle[lost] = np.nan
        return angle

    def _evaluate(
        self, still: Pose | Rate, time: FloatArray, failed: Callable[[int, Exception], None]
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray | None, FloatArray | None]:
        """Angles, pivots, shifts, axes and modes of poses, or of rates, whichever `still` is.

        Parameters
        ----------
        failed : callable    told of a body whose motion raises, and what it raised
        """
        bodies, size = len(self.bodies), self.dimension.count
        numbers, about = np.zeros((1 + size, bodies)), np.zeros((size, bodies)).T
        angle, shift = numbers[0], numbers[1:].T
        rest = still.into(self.dimension)
        axis = None if rest.axis is None else np.tile(rest.axis, (bodies, 1))
        modes = np.zeros((bodies, self.modes)) if self.modes else None
        for group in self._at_once:
            of = group.bodies
            evaluate = group.poses if isinstance(still, Pose) else group.rates
            angle[of], moved = evaluate(self.owners.spread(time)[of])
            shift[of], about[of] = self.dimension.lift(moved), self.dimension.lift(group.about)
        # users' motions one by one, and those whose numbers are none, to be told why
        wild = ~(np.abs(numbers) <= LARGEST).all(axis=0)
        for body in [*self._alone, *np.flatnonzero(wild).tolist()]:
            found = still
            try:
                found = self._ask(body, still, time)
            except Exception as error:  # whatever a user's law raises
                failed(body, error)
            found = found.into(self.dimension)
            angle[body], shift[body] = found.angle, found.shift
            if isinstance(found, Pose):
                about[body] = found.about
            if axis is not None:
                axis[body] = found.axis
            if modes is not None and found.modes:
                modes[body, : len(found.modes)] = found.modes
        return angle, about, shift, axis, modes

    def _ask(self, body: int, still: Any, time: FloatArray) -> Any:
        """Pose or Rate of a body, whichever `still` is; SettingsError of anything else."""
        motion, member = self.motions[body], self.owners.of[body]
        assert motion is not None  # a body at rest is never asked
        ask = motion.pose if isinstance(still, Pose) else motion.rate
        found = ask(float(time[member]), float(self.speed[member]))
        if not isinstance(found, type(still)):
            raise SettingsError(f"motion: got {found!r}, expected a {type(still).__name__}")
        if not self.dimension.holds(found.dimension):
            raise SettingsError(f"motion: got {found!r}, of space, on a mesh in the plane")
        self.check_modes("motion", body, found)
        return found

    def check_modes(self, what: str, body: int, found: Pose | Rate) -> None:
        """SettingsError for a Pose or Rate with other amplitudes than the body has shapes."""
        shapes = len(self.shapes[body])
        if len(found.modes) in {0, shapes}:
            return
        advice = "" if shapes else "; a body bends by km.motion.modes, vibrate or given(shapes=...)"
        raise SettingsError(
            f"{what}: {self.bodies[body][1]!r} has {shapes} shapes, and {found!r} the amplitudes "
            f"of {len(found.modes)}{advice}"
        )

    def _fail(self, time: FloatArray) -> Callable[[int, Exception], None]:
        """Make the member of a body fail by its motion at a time."""

        def failed(body: int, error: Exception) -> None:
            (member, marker), known = self.bodies[body], isinstance(error, KinemeshError)
            told = str(error) if known else f"{type(error).__name__}: {error}"
            self.ensemble.fail(
                member,
                f"the motion of {marker} fails at time {time[member]:.6g} chord/a_inf: {told}",
                "a motion that has a pose at each time of the run",
                place=f"body {marker}",
                error=error,
                about=f"motion of {marker}",
            )

        return failed

    def moment_points(self, poses: Sequence[Pose] = ()) -> FloatArray:
        """(members, 2) the moments' points, each moved with its member's first body.

        In space they are (x, z), of lines along y.
        """
        owners = self.owners
        points = np.repeat(np.array([self._about], float), len(self.speed), axis=0)
        found = self._first[owners.first]
        if len(poses):
            found = PoseArray.of(poses)[owners.first].apply(found)
        points[owners.lead] = found[:, [0, -1]]
        return points

    def body_points(self, poses: Sequence[Pose] = ()) -> FloatArray:
        """(bodies, 2) the moments' point of each body, moved with it; no pivots of motions."""
        return placed(self.points, poses) if len(poses) else self.points
