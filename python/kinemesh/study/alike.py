"""Members of runs, and whether they are of one case: stream, motion, bodies, reference values."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import CaseError
from kinemesh.io.lost import refuse_lost
from kinemesh.loops.harmonics import interpolate
from kinemesh.loops.loop import Loop
from kinemesh.results import Run
from kinemesh.results.opening import open_run
from kinemesh.results.run_table import columns
from kinemesh.sentences import TO_RESUME
from kinemesh.study.differences import BOX, NEAR, SCHEME, extents, settings, shape, unlike, word

STREAM = ("mach", "reynolds", "stream", "alpha_deg")
OF_MESH = ("mesh", "nodes")  # of what was asked of a member, beside stream and motion
REFERENCES = ("reference_area", "reference_length", "moment_about")
EXPECTED = (
    "runs of one case, which may differ in method, mesh, number of nodes, steps per cycle, device, "
    "precision and settings"
)
OF_SIZES = (
    "runs of one case by one scheme on one far field, which differ in the number of nodes, and may "
    "differ in device, precision, steps per cycle and settings of the march"
)
OF_GAS = " of the viscous gas"
KEYS = {
    "number of bodies": "bodies",
    "angle_deg of the bodies' parts": "angle_deg",
    "kinds of boundaries": "boundaries",
    "numbers of conditions": "conditions",
    "numbers of sliding": "sliding",
}  # that name facts in `allow`, where these are not their own names
PERIOD = 1e-6  # relative; periods from differences of times
PATH = 0.01  # of the swing; a motion with kinks between steps of two spacings


@dataclass(frozen=True, slots=True)
class Chosen:
    """One member of a run that has finished.

    Parameters
    ----------
    name : of the folder, or "the first run", for messages
    """

    run: Run
    member: int
    name: str

    @property
    def steady(self) -> bool:
        """True of a steady run."""
        return self.run.history.kind == "steady"

    @property
    def by_time(self) -> bool:
        """True of an unsteady run by time_step and steps, which has no cycle."""
        return not self.steady and bool(self.run.history.by_time)

    @property
    def step(self) -> float:
        """Time step: of a run by time its own, else that of one step per cycle over theirs."""
        if self.by_time:
            return float(self.run.summary["conditions"]["time_step"])
        return 1.0 / self.loop().steps

    @property
    def result(self) -> dict[str, Any]:
        """Results of the member by the names of `Run.table`."""
        return {name: values[self.member] for name, values in columns(self.run).items()}

    @property
    def method(self) -> str:
        """Name of the solver; empty where the summary does not have it."""
        return str(self.identity.get("method", ""))

    @property
    def identity(self) -> Mapping[str, Any]:
        """Identity of the run, without its length."""
        kept: Mapping[str, Any] = self.run.summary.get("identity", {})
        found: Mapping[str, Any] = kept.get("run", kept)
        return found

    @property
    def unknowns(self) -> int:
        """Number of volumes, which are nodes, cells or points."""
        told = self.run.summary.get("unknowns")
        found = self._asked().get("nodes") if told is None else told[self.member]
        if found is None:
            raise CaseError(f"{self.name}: its summary has no number of nodes")
        return int(found)

    @property
    def size(self) -> str:
        """Number of volumes in words."""
        mesh = self.run.summary.get("mesh", {})
        nodes = "points" if "points" in mesh else "nodes"
        return f"{self.unknowns:,} {nodes if self.unknowns == self._asked()['nodes'] else 'cells'}"

    @property
    def grids(self) -> str:
        """Kind of the mesh in words: one grid, or overset grids."""
        return "overset grids" if self.run.summary.get("mesh", {}).get("overset") else "one grid"

    @property
    def dimensions(self) -> int:
        """2 in the plane, 3 in space."""
        boxes = [*self.boxes.values(), *self.extents.values()]
        return max((len(box["from"]) for box in boxes), default=2)

    def loop(self) -> Loop:
        """Loop of the last cycle."""
        return self.run.loop(self.member)

    def period(self) -> float:
        """Period times reference speed, in reference lengths."""
        rows = self.run.history.member(self.member)
        gap = (rows["time"][-1] - rows["time"][0]) / (rows["cycle"][-1] - rows["cycle"][0])
        scale = self.run.history.scales.get(self.member)
        return float(gap if scale is None else gap / scale.time)

    def _asked(self) -> dict[str, Any]:
        return self.run.asked()[self.member]

    @property
    def boxes(self) -> dict[str, Any]:
        """Size and box of each body, by marker."""
        kept = self.run.summary.get("mesh", {}).get("bodies", {})
        found: dict[str, Any] = kept[self.member] if isinstance(kept, list) else kept
        return found

    @property
    def extents(self) -> dict[str, Any]:
        """Box and outline of each kind of boundary; {} in summaries of earlier versions."""
        kept = self.run.summary.get("mesh", {}).get("extents", {})
        found: dict[str, Any] = kept[self.member] if isinstance(kept, list) else kept
        return found

    def _frames(self) -> dict[str, Any]:
        """Place and angle of the parts of bodies, by marker; none of a single grid."""
        kept = self.run.summary.get("conditions", {}).get("frames", {})
        found: dict[str, Any] = kept[self.member] if isinstance(kept, list) else kept
        return found

    def facts(self) -> dict[str, Any]:
        """Numbers and words that runs of one case share, by name; bodies by their place."""
        asked, conditions = self._asked(), self.run.summary.get("conditions", {})
        found = {name: asked[name] for name in STREAM if asked.get(name) is not None}
        found |= {name: conditions[name] for name in REFERENCES if name in conditions}
        boxes, frames = self.boxes, self._frames()
        found["number of bodies"] = len(boxes)
        angles = [frames.get(marker, {}).get("angle_deg", 0.0) for marker in boxes]
        found["angle_deg of the bodies' parts"] = angles
        identity = self.identity
        found["kinds of boundaries"] = sorted({*identity.get("boundaries", {})} - {"overset"})
        laws = identity.get("viscosity") or {}
        found |= {f"{name}{OF_GAS}": value for name, value in laws.items()}
        for name in ("conditions", "sliding"):
            numbers = identity.get(name) or {}
            found[f"numbers of {name}"] = sorted(json.dumps(v) for v in numbers.values())
        return found

    def moves(self) -> dict[str, Any]:
        """Parameters of the motions; those of several bodies begin with the number of the body."""
        markers = sorted(self.boxes, key=len, reverse=True)
        order = list(self.boxes)
        found = {}
        for name, value in self._asked().items():
            if name in STREAM or name in OF_MESH:
                continue
            marker = next((m for m in markers if name.startswith(f"{m}_")), None)
            tail = name if marker is None else name.removeprefix(f"{marker}_")
            number = "" if marker is None else f"body {order.index(marker) + 1}: "
            found[f"{number}{tail}"] = value
        return found

    def corners(self) -> list[NDArray[np.float64]]:
        """(2, dimensions) ends of the box of each body, the first one's part at its own place."""
        frames, found = self._frames(), []
        places = [frames.get(marker, {}).get("at", (0.0, 0.0)) for marker in self.boxes]
        for box, at in zip(self.boxes.values(), places, strict=True):
            ends = np.array([box["from"], box["to"]], float)
            ends[:, :2] += np.subtract(at, places[0])
            found.append(ends)
        return found


def chosen(source: Any, member: int | None, door: str, name: str, by_time: bool = False) -> Chosen:
    """The member of a run, or of a run's folder; `door` is what asks, `name` what is asked for.

    `by_time` is true where runs without a cycle will do.

    Raises
    ------
    CaseError    no run, one that did not finish, no such member or one that failed, lost rows
    """
    if isinstance(source, str) or hasattr(source, "__fspath__"):
        source = open_run(source)
    if not isinstance(source, Run):
        raise CaseError(f"{door}: {name} is {source!r}, expected a Run or the folder of one")
    name = name if source.out is None else str(source.out)
    if not source.finished:
        way = ("; wait for its end",) if source.running else ("; go on by ", TO_RESUME)
        raise CaseError(f"{door}: {name} {source.told()}", *way)
    if member is None and source.members > 1:
        raise CaseError(f"{door}: {name} has {source.members} members; choose one, member=0")
    at = 0 if member is None else member
    if (
        isinstance(at, bool)
        or not isinstance(at, int | np.integer)
        or at not in range(source.members)
    ):
        raise CaseError(
            f"{door}: {name} has no member {member!r}, expected 0 to {source.members - 1}"
        )
    source.refuse_failed(int(at))
    refuse_lost(source.history, int(at), name)
    found = Chosen(source, int(at), name)
    if found.by_time and not by_time:
        raise CaseError(
            f"{door}: {name} went by time_step and steps and has no cycle; km.spectrum(run) has "
            "its mean loads, amplitudes and Strouhal number"
        )
    return Chosen(source, int(at), name)


def refuse_others(
    door: str, one: Chosen, other: Chosen, sizes: bool = False, allow: Collection[str] = ()
) -> list[str]:
    """Differences of two members of one case that are told; CaseError where they are of others.

    Stream, motion, bodies, conditions and references are those of the case, but for keys that
    `allow` names.  Where the far field is, and the scheme, may be what two runs are compared for;
    runs on several `sizes` have one.
    """
    told = [*_methods(one, other)]
    keyed = [(key, own) for key, own in apart(one, other, allow) if key not in allow]
    words = [own for _, own in keyed]
    if words or (sizes and told):
        raise CaseError(
            f"{door}: {one.name} and {other.name} are of different cases: "
            f"{'; '.join(words + (told if sizes else []))}",
            expected=OF_SIZES if sizes else EXPECTED,
            advice="" if sizes else _to_allow(one, other, {key for key, _ in keyed}),
        )
    return told + list(_unknown(one, other)) + list(_marches(one, other))


def _to_allow(one: Chosen, other: Chosen, keys: Collection[str]) -> str:
    """The argument by which runs differ in these keys on purpose; empty where there is none."""
    if "mode" in keys:
        return ""
    needed = [*dict.fromkeys(key for key, _ in apart(one, other, keys))]
    return f"where that is on purpose: allow={json.dumps(needed)}"


def key_of(name: str) -> str:
    """Name in `allow` of a fact, or of a parameter of a body's motion."""
    return KEYS.get(name, name.removesuffix(OF_GAS).rpartition(": ")[2])


def apart(one: Chosen, other: Chosen, allow: Collection[str] = ()) -> Iterator[tuple[str, str]]:
    """Key and words of differences of two cases; of those that all others follow from, one."""
    kinds = list(kinds_apart(one, other))
    yield from kinds
    if any(key not in allow for key, _ in kinds):
        return
    facts = [own.facts() for own in (one, other)]
    lacking = {key for key in ("mach", "reynolds") if (key in facts[0]) != (key in facts[1])}
    if "mach" in lacking:
        facts = [{n: v for n, v in own.items() if n not in ("mach", "stream")} for own in facts]
    if lacking & {*allow}:  # laws that only one of both has follow from that
        facts = [{n: v for n, v in own.items() if not n.endswith(OF_GAS)} for own in facts]
    yield from _keyed(*facts)
    if facts[0]["number of bodies"] == facts[1]["number of bodies"]:
        yield from (("bodies", words) for words in _shapes(one, other))
    if not one.steady:
        yield from _motions(one, other, allow)


def kinds_apart(one: Chosen, other: Chosen) -> Iterator[tuple[str, str]]:
    """Key and words of modes, else of equations that differ; more is not known of such runs."""
    modes = ["a steady run" if own.steady else "an unsteady run" for own in (one, other)]
    gases = [
        "of a gas" if "mach" in own.facts() else "of incompressible flow" for own in (one, other)
    ]
    if not one.steady and not other.steady:
        modes = ["by time" if own.by_time else "by cycles" for own in (one, other)]
    for key, (a, b) in (("mode", modes), ("mach", gases)):
        if a != b:
            yield key, f"one is {a}, the other {b}"
            return


def _keyed(first: Mapping[str, Any], second: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Key and words of numbers that differ, by their names."""
    for name in dict.fromkeys([*first, *second]):
        a, b = ({name: own.get(name)} for own in (first, second))
        yield from ((key_of(name), words) for words in unlike(a, b, NEAR))


def _motions(one: Chosen, other: Chosen, allow: Collection[str]) -> Iterator[tuple[str, str]]:
    """Key and words of motions that differ; periods and paths follow from what is allowed."""
    first, second = one.moves(), other.moves()
    found = list(_keyed(first, second))
    one_kind = first.get("motion") == second.get("motion")
    yield from (own for own in found if one_kind or (own[0] == "motion" and "motion" in allow))
    if {key for key, _ in found} & {*allow} or one.by_time or other.by_time:  # else loops tell
        return
    first, second = ({"period U / reference length": own.period()} for own in (one, other))
    yield from (("motion", words) for words in unlike(first, second, PERIOD))
    if "alpha_deg" not in allow:
        yield from (("motion", words) for words in _paths(one.loop(), other.loop()))


def _shapes(one: Chosen, other: Chosen) -> Iterator[str]:
    """Bodies whose boxes differ, or their outlines; walls round no body."""
    bodies = [list(own.boxes.values()) for own in (one, other)]
    for number, (a, b) in enumerate(zip(one.corners(), other.corners(), strict=True)):
        if a.shape != b.shape or np.abs(a - b).max() > BOX * np.ptp(a, axis=0).max():
            boxes = [" to ".join(word([*map(float, end)]) for end in ends.round(4))
                     for ends in (a, b)]  # fmt: skip
            yield f"body {number + 1} reaches from {boxes[0]} and from {boxes[1]}"
        else:
            yield from shape(f"body {number + 1}", bodies[0][number], bodies[1][number])


def _methods(one: Chosen, other: Chosen) -> Iterator[str]:
    """Far fields and other boundaries that lie elsewhere, and schemes that differ."""
    walls = {} if one.boxes and other.boxes else {"wall"}
    each = [
        {kind: box for kind, box in own.extents.items() if kind != "wall" or walls}
        for own in (one, other)
    ]
    origins = [
        own.corners()[0][0] if own.boxes else np.zeros(own.dimensions) for own in (one, other)
    ]
    if len({own.dimensions for own in (one, other)}) == 1:
        yield from extents(each[0], each[1], origins)
    yield from (told for name, told in _settings(one, other) if name in SCHEME)


def _settings(one: Chosen, other: Chosen) -> Iterator[tuple[str, str]]:
    each = [own.identity.get("settings") or {} for own in (one, other)]
    return settings(each[0], each[1], methods=one.method != other.method)


def _unknown(one: Chosen, other: Chosen) -> Iterator[str]:
    """Runs of versions whose summaries do not have where boundaries are."""
    for own in (one, other):
        if not own.extents:
            yield (
                f"the summary of {own.name} has no extents of its boundaries, as those of earlier "
                "versions: equal far fields and outlines of bodies are not known"
            )


def _marches(one: Chosen, other: Chosen) -> Iterator[str]:
    """Settings that say how a flow is found, the deformation and precision."""
    yield from (told for name, told in _settings(one, other) if name not in SCHEME)
    if one.method == other.method:
        facts = [
            {"deformation": (own.identity.get("deform") or {}).get("method")}
            for own in (one, other)
        ]
        yield from unlike(facts[0], facts[1], NEAR)


def _paths(one: Loop, other: Loop) -> Iterator[str]:
    """Angles and shifts over the cycle that differ."""
    for name in ("alpha_deg", "x", "h"):
        a, b = (
            getattr(own if name == "alpha_deg" else own.flapping, name, None)
            for own in (one, other)
        )
        if a is None or b is None:
            continue
        away = np.abs(interpolate(b, other.phase_deg, np.radians(one.phase_deg)) - a).max()
        if away > max(PATH * max(np.ptp(a), np.ptp(b)) / 2, 1e-6):
            ranges = [f"{v.min():.6g} to {v.max():.6g}" for v in (a, b)]
            yield f"{name} over the cycle goes over {ranges[0]} and {ranges[1]}, {away:.2g} apart"
