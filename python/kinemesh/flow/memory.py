"""How much memory a case takes, asked before any of it is taken.

Each array of a solver is one per point, neighbour, facet of the boundary or point on it, so that
the bytes of a case are a sum over these.  What each of them takes is counted: the solver itself is
built on a few small spaces (`kinemesh.flow.samples`), with the settings of the case, on a backend
that counts.  Measured is what no count tells: springs' hierarchies, coarse levels under steps of
Newton, and the host.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from inspect import signature
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kinemesh.deform import Deformation, Delaunay, Modal, Rigid, TorsionalSprings
from kinemesh.device.backend import Backend
from kinemesh.device.counting import Counting
from kinemesh.device.free_memory import free_of_host
from kinemesh.errors import DeviceError
from kinemesh.flow.door.space import symmetry_planes
from kinemesh.flow.samples import KINDS, PARTS, kind_of
from kinemesh.linear.hierarchy import degree
from kinemesh.linear.rooms import room_of
from kinemesh.mesh.kinds import KINDS as KIND_OF_CELLS
from kinemesh.mesh.kinds import Kind
from kinemesh.overset.parts import Parts
from kinemesh.sentences import Option, Sentence, joined
from kinemesh.space.conditions.base import BODY, OUTER

if TYPE_CHECKING:
    from kinemesh.flow.door.arguments import Arguments

# Of springs' hierarchies, for each time that transfers are smoothed.  Measured: 380 to 420 on
# meshes of SU2's, 560 to 590 on quads, 520 to 670 on generated meshes of 1500 to 48000 nodes; 1308
# on one of 310 thousand, smoothed twice.  Of tetrahedra in space: 900 to 960 on 10 to 59 thousand.
# Members that share a mesh share it where they begin alike; 54 more are of vectors of their own
# (2 and 4 members of 1500 and 5000 nodes).  One that is made anew on the way comes on top.
HIERARCHY = {2: 595, 3: 1000}  # [bytes per node of a mesh]
VECTORS = {2: 55, 3: 80}  # [bytes per node of a member]
CARRIER, CARRIED = 3700, 120  # [bytes per node of a carrier (a tenth, 10,000 at least), its mesh]
# Of coarse levels under steps of Newton, at most.  Measured about nodes in the plane: 660 to 1010
# (600 to 12 thousand nodes), with the model of turbulence 840; in space 1250 to 1900 (8 to 20).
LEVELS = {2: 1250, 3: 2000}  # [bytes per node of a member]
# On a CPU also what the host holds while tables are set up: the most that is resident, less the
# arrays, grows by 85 to 110 with meshes of 12 to 48 thousand nodes, by 105 to 120 with clouds in
# the plane, by 145 to 170 in space (20 to 60 thousand points, 6 and 14 satellites).
HOST = 130  # [bytes per neighbour]
# With so much free a case is not counted: 2.4 times the most that one was seen to take, 23.6 kB on
# cells of tetrahedra with a model of turbulence, and 1.8 kB of the host.
PLENTY = 60_000  # [bytes per point]

Distinct = tuple[Any, int, int, NDArray[np.int64]]
"""A mesh or cloud, in how many ways members have it, how many have it, and its `counts`."""
EDGES = 8  # counts of a mesh in space up to that of the edges of its cells
TURNED = {"one": [0.0], "same": [0.0, 0.0], "other": [0.0, 180.0]}  # alpha_deg of members
WAYS: dict[str, Deformation] = {
    way.kind: way
    for way in (TorsionalSprings(), Delaunay(), Delaunay(retriangulate=True), Rigid(), Modal())
}
_COUNTING = Lock()  # two threads that count, and keep warnings back, would keep them back for good


def counts(space: Any) -> NDArray[np.int64]:
    """(4,) points, their neighbours, facets of the boundary, points on it.

    Of overset parts (6,): also quadrilaterals, and for each node the other parts.  Of meshes in
    space (9,): facets count once for each corner; also points on planes of
    symmetry, cells, their corners, their edges, and pairs of corners that no edge joins, of which
    two cells share those of a face; of overset parts (10,).
    """
    planes, _ = symmetry_planes(None, [space], None)
    if getattr(space, "solids", {}):
        others = [len(space.points) * (len(space.names) - 1)] if isinstance(space, Parts) else []
        return np.append(_of_solids(space, planes), others).astype(int)
    sides = [facets for name, facets in space.boundaries.items() if name not in planes]
    facets = np.concatenate(sides) if sides else np.empty((0, 2), int)
    if hasattr(space, "satellites"):
        neighbours = len(space.satellites)
    else:  # twice the number of edges
        neighbours = 3 * len(space.triangles) + 4 * len(space.quads) + len(facets)
    found = [len(space.points), neighbours, len(facets), len(np.unique(facets))]
    if isinstance(space, Parts):
        found += [len(space.quads), len(space.points) * (len(space.names) - 1)]
    return np.array(found)


def _of_solids(mesh: Any, planes: Sequence[str]) -> NDArray[np.int64]:
    """(9,) as of `counts`."""
    none = np.empty((0, 4), int)
    sides = [faces for name, faces in mesh.boundaries.items() if name not in planes]
    faces = np.concatenate([none, *sides])
    mirrors = np.concatenate([none, *(mesh.boundaries[name] for name in planes)])
    cells = [(len(table), KIND_OF_CELLS[name]) for name, table in mesh.solids.items()]
    found = [len(mesh.points), 2 * len(mesh.edges), (faces >= 0).sum()]
    found += [len(np.unique(own[own >= 0])) for own in (faces, mirrors)]
    found += [sum(n * count for n, count in of) for of in (
        [(n, 1) for n, _ in cells],
        [(n, kind.corners) for n, kind in cells],
        [(n, len(kind.edges)) for n, kind in cells],
        [(n, _apart(kind)) for n, kind in cells],
    )]  # fmt: skip
    return np.array(found)


def _apart(kind: Kind) -> int:
    """Pairs of corners that no edge joins, half of those of its faces."""
    pairs = kind.corners * (kind.corners - 1) // 2 - len(kind.edges)
    return pairs - len(kind.faces_of(4))


@lru_cache(maxsize=256)
def _each(
    solver: Any, kind: str, dtype: str, settings: Any, deform: str | None
) -> NDArray[np.float64]:
    """(3, k) bytes for each of what `counts` counts, on spaces of a kind.

    Rows: what members share who have a space, who have its boundaries open alike, and what each
    member has.  Members of solvers without `uncounted` share nothing.
    """
    streams = (*solver.sample, *(["alpha_deg"] if solver.uncounted else []))
    solver = next(kind for kind in solver.__mro__ if _called_alike(kind, streams))
    counted = solver.counting()
    known, held = [], []
    members = TURNED if solver.uncounted else {"one": None}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of shapes that nobody computes on
        for size in KINDS[kind].sizes:
            space = KINDS[kind].make(*size)
            asked = dict(settings=settings, device="cpu", dtype=dtype, walls=[BODY], far=[OUTER])
            each = []
            for alpha in members.values():
                more = {} if alpha is None else {"alpha_deg": alpha}
                spaces = space if alpha is None else [space] * len(alpha)
                made = counted(spaces, **solver.sample, **more, **asked)
                made.complete()
                way = made.deform if kind in PARTS.values() else WAYS.get(deform or "", made.deform)
                mover = way.attach(made.grid.vertices) if deform in WAYS else None
                each.append(made.backend.regular)
                del mover
            known.append(counts(made.grid.meshes[0]))
            held.append(_shared(*each))
    counted, bytes_of = np.array(known, float), np.array(held, float)
    if KINDS[kind].positive:
        from scipy.optimize import nnls  # half a second

        return np.array([nnls(counted, each)[0] for each in bytes_of.T])
    own = counted[:, :EDGES]  # pairs of corners without an edge have no arrays as a rule
    found = np.zeros((bytes_of.shape[1], counted.shape[1]))
    found[:, :EDGES] = np.linalg.lstsq(own, bytes_of, rcond=None)[0].T
    return found


def _shared(one: int, same: int | None = None, other: int | None = None) -> list[int]:
    """Bytes of a space, of a way to have it, of a member: from those of members of `TURNED`."""
    if same is None or other is None:
        return [0, 0, one]
    return [2 * one - other, other - same, same - one]


def _called_alike(solver: Any, streams: Iterable[str]) -> bool:
    """True where the constructor of a class takes the arguments of a solver."""
    arguments = dict.fromkeys(streams)
    one = dict(settings=None, device=None, dtype=None, walls=None, far=None)
    try:
        signature(solver).bind(None, **arguments, **one)
    except TypeError:
        return False
    return True


def needed(
    solver: Any,
    dtype: str,
    spaces: Sequence[Any],
    settings: Any,
    deform: str | None = None,
    ways: Sequence[Any] | None = None,
) -> int:
    """Bytes of the arrays of a case on its device; nothing is built of the case itself.

    Parameters
    ----------
    solver : class of a solver; of one whose constructor does not take the arguments of
        `kinemesh.Ale` the arrays of its parent count, without those that it adds
    dtype : "float64" or "float32"
    spaces : meshes or clouds, one per member
    settings : as a solver has them (`settings`), which a cloud completes
    deform : `Deformation.kind`; None for a case at rest.  One that is not known here (the user's
        own) counts as none.
    ways : of each member, alike where its stream goes through the boundary as another's does, of
        one space; None: nobody knows, and each member counts as having its own
    """
    return _held(solver, dtype, _distinct(spaces, ways), settings, deform)


def _distinct(spaces: Sequence[Any], ways: Sequence[Any] | None) -> list[Distinct]:
    """Each mesh or cloud once."""
    keys = [id(space) for space in spaces]
    first, members = dict(zip(keys, spaces, strict=True)), Counter(keys)
    pairs = set(zip(keys, range(len(keys)) if ways is None else ways, strict=True))
    had = Counter(key for key, _ in pairs)
    return [(space, had[key], members[key], counts(space)) for key, space in first.items()]


def _held(
    solver: Any, dtype: str, distinct: Sequence[Distinct], settings: Any, deform: str | None
) -> int:
    """Bytes as of `needed`."""
    total = 0.0
    for space, ways, members, known in distinct:
        with _COUNTING:
            kind = kind_of(space)
            each = _each(solver, solver.sampled.get(kind, kind), dtype, settings, deform)
        # samples of parts are large enough for the coarse levels of hierarchies: measured 1.5 to
        # 2.6 % above what 12 to 123 thousand nodes take
        more = 0.0 if isinstance(space, Parts) else solver.uncounted.get(space.points.shape[1], 0.0)
        total += float((each @ known) @ (1, ways, members)) + ways * more * len(space.points)
        if isinstance(space, Parts):
            total += members * room_of(len(space.points), len(space.names), space.points.shape[1])
        if getattr(settings, "newton", False) and solver.levels:
            total += LEVELS[space.points.shape[1]] * members * _unknowns(solver, space)
        if deform == "carrier":
            points = len(space.points)
            total += members * (CARRIED * points + CARRIER * max(10_000, points // 10))
        if deform == "springs":
            points, d = space.points.shape
            total += (HIERARCHY[d] + VECTORS[d] * members) * degree(points) * points
    return round(total)


def _unknowns(solver: Any, space: Any) -> int:
    """Volumes of a mesh: its points, or its cells."""
    if solver.volumes.on == "points":
        return len(space.points)
    return sum(map(len, space.blocks.values()))


def available(backend: Backend) -> int | None:
    """Free bytes on a backend's device (on a CPU with swap); None where nobody says."""
    if backend.on_gpu:
        return int(backend._module.device_properties(backend.ordinal)["free_bytes"])
    return free_of_host()


def _smaller(backend: Backend, settings: Any) -> Iterator[tuple[str, Any, list[Any]]]:
    """Precision and settings of cases that need less memory, and how to ask for them."""
    said: list[Any] = []
    if not settings.single:
        settings, said = settings.without_newton(), ["newton = False"]
        yield backend.dtype, settings, said
    if backend.dtype == "float64":
        both = [" and "] if said else []
        yield "float32", settings, [*said, *both, Option("dtype", "float32")]


def room(
    solver: Any,
    backend: Backend,
    spaces: Sequence[Any],
    settings: Any,
    deform: str | None,
    ways: Sequence[Any] | None = None,
) -> int:
    """Bytes as of `needed`; DeviceError where they are not free."""
    distinct = _distinct(spaces, ways)
    arrays, free = _held(solver, backend.dtype, distinct, settings, deform), available(backend)
    if free is None:
        return arrays
    points, neighbours, *_ = np.sum([n * known for _, _, n, known in distinct], axis=0).tolist()
    host = 0 if backend.on_gpu else HOST * neighbours
    if arrays + host <= free:
        return arrays
    what = "points" if hasattr(spaces[0], "satellites") else "nodes"
    ways = [Sentence(f"fewer {what}")]
    for dtype, own, said in _smaller(backend, settings):
        less = _held(solver, dtype, distinct, own, deform) + host
        if less <= free:
            ways.insert(0, Sentence(*said, f" (about {size(less)})"))
    if backend.on_gpu and arrays + HOST * neighbours <= (free_of_host() or 0):
        ways.append(Sentence(Option("device", "cpu")))
    raise DeviceError(
        f"{backend.device}: {points} {what} in {backend.dtype} need about "
        f"{size(arrays + host)}, {size(free)} are free; use ",
        joined(ways, last=" or "),
    )


def size(count: int) -> str:
    """Bytes of memory as a text of three digits."""
    unit, name = (2**30, "GiB") if count >= 2**30 else (2**20, "MiB")
    return f"{count / unit:.3g} {name}"


def told(arrays: int, backend: Backend) -> str:
    """Bytes of arrays, and bytes free on a device, in words."""
    text, free = f"about {size(arrays)} for the arrays", available(backend)
    return text if free is None else f"{text}, {size(free)} free on {backend.device}"


def ask(
    solver: Any,
    backend: Backend,
    spaces: Sequence[Any],
    settings: Any,
    deform: str | None,
    ways: Sequence[Any],
) -> None:
    """DeviceError where a case does not fit, before anything of it is allocated.

    Counting takes 10 to 50 ms, once for all cases with equal settings; with `PLENTY` it is left.
    """
    free = available(backend)
    if free is not None and free < PLENTY * sum(len(space.points) for space in spaces):
        room(solver, backend, spaces, settings, deform, ways)


@lru_cache(maxsize=64)
def like(solver: Any, more: tuple[tuple[str, Any], ...]) -> Any:
    """Class of a solver whose small cases have more arguments, (name, value) each."""
    if not more:
        return solver
    return type(solver.__name__, (solver,), {"sample": {**solver.sample, **dict(more)}})


class Counted:
    """Solver whose arrays are counted before they are allocated.

    Attributes
    ----------
    backend_type : of the backend that a case makes
    sample : streams of the small cases on which arrays are counted
    uncounted : bytes per node that small spaces do not show, by dimensions
    sampled : kinds of small spaces that others take the place of
    levels : whether steps of Newton have coarse levels under them
    """

    backend_type: type[Backend] = Backend
    sample: ClassVar[Mapping[str, Any]] = {"mach": 0.5}
    uncounted: ClassVar[Mapping[int, float]] = {}
    sampled: ClassVar[Mapping[str, str]] = {}
    levels: ClassVar[bool] = False

    @property
    def counted(self) -> Any:
        """Class of the small cases on which the arrays of this one are counted."""
        return type(self)

    @classmethod
    def counting(cls) -> Any:
        """Class of small cases that count their arrays, and have no flow."""

        def nothing(*_: Any) -> None:
            return None

        changed = {"backend_type": Counting, "fits": nothing, "initialise": nothing}
        return type(cls.__name__, (cls,), {**changed, "check_slopes": nothing})

    def check_slopes(self) -> None:
        """MeshError for a mesh on which gradients are none; small spaces may be such ones."""

    def complete(self) -> None:
        """Make what arrays a case makes where they are first needed: they count."""

    @classmethod
    def room(
        cls, backend: Backend, spaces: Sequence[Any], settings: Any, deform: str | None
    ) -> int:
        """Bytes of the arrays of a case; DeviceError where they are more than is free.

        Parameters
        ----------
        spaces : meshes or clouds, one per member
        settings : as a solver has them (`settings`)
        deform : `Deformation.kind` of what moves them; None for a case at rest
        """
        return room(cls, backend, spaces, settings, deform)

    @classmethod
    def fits(cls, arguments: Arguments, spaces: Sequence[Any]) -> None:
        """DeviceError where the arrays of a case are more than is free."""
        deform = None if arguments.motion is None else arguments.deform.kind
        names = [name for name in ("stream", "alpha_deg") if name in arguments.streams]
        ways = list(zip(*(arguments.streams[name].tolist() for name in names), strict=True))
        ask(cls, arguments.backend, spaces, arguments.settings, deform, ways)
