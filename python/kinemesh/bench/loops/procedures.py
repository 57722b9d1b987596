"""Rows: procedures of solvers on cells by every loop over the mesh, and what each of them touches.

The four of Weng et al. (Advances in Aerodynamics 3 (2021) 21) and the residual; docs/loops.md has
the rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from kinemesh.bench.loops.study import Study
from kinemesh.bench.loops.touches import (
    Touch,
    Touches,
    entries_of,
    itself,
    listed,
    table,
    through,
)

Calls = list[Any]
START = "ale_residual_start"  # of sums by faces: terms of physical time, which sums by cells add


class Row(NamedTuple):
    """A procedure by one loop.

    Parameters
    ----------
    repeatable : two runs give the same bits
    calls : of a study
    touches : of a study, one for each call; None: there is no model of the row
    """

    procedure: str
    loops: str
    repeatable: bool
    calls: Callable[[Study], Calls]
    touches: Callable[[Study], list[Touches]] | None = None

    @property
    def name(self) -> str:
        return f"{self.procedure}-{self.loops}"


# ---------------------------------------------------------------- what calls touch


def _own(width: int, *more: int, kind: str = "read") -> list[Touch]:
    return [Touch(kind, each, itself) for each in (width, *more)]


def _clear(items: int, width: int) -> Touches:
    return Touches(items, _own(width, kind="write"))


def _face_states(s: Study) -> list[Touch]:
    """Faces between cells with the states on both sides."""
    r, d, at = s.bytes, s.dimensions, table(s.top.pair[: s.top.edges])
    gathered = [Touch("read", each, at) for each in (r * s.variables, r * s.slopes, 8 * d)]
    return [*_own(8, r * d, r, 8 * d), *gathered, *_own(4, kind="write")]


def touches_store(s: Study) -> list[Touches]:
    record = s.bytes * s.variables
    return [
        Touches(s.top.edges, _face_states(s) + _own(record, kind="write")),
        touches_sum(s),
    ]


def touches_recompute(s: Study) -> list[Touches]:
    """Each face twice, with its states."""
    return [Touches(s.top.edges, _face_states(s))] * 2


def _start(s: Study) -> Touches:
    """Terms of physical time: `ale_residual_start`."""
    record = s.bytes * s.variables
    return Touches(s.top.cells, [*_own(4, 8, record, record), *_own(record, kind="write")])


def touches_atomics(s: Study) -> list[Touches]:
    """Each number of a flux is a sum of its own on both sides: a thread has a face."""
    pair, nv = s.top.pair[: s.top.edges], s.variables
    numbers = [Touch("reduce", s.bytes, _number(pair, nv, k)) for k in range(nv)]
    return [_start(s), Touches(s.top.edges, [*_face_states(s), *numbers])]


def _number(pair: Any, count: int, k: int) -> Any:
    """Number k of the records of both cells."""
    return lambda first, end: count * pair[first:end].ravel() + k


def touches_colours(s: Study) -> list[Touches]:
    of, record = s.coloured, s.bytes * s.variables
    both = table(of.top.pair[: of.top.edges])
    sums = [Touch(kind, record, both) for kind in ("read", "write")]
    return [_start(s), Touches(of.top.edges, [*_face_states(of), *sums])]


def touches_sum(s: Study) -> Touches:
    """Sum of stored fluxes by cells: `ale_residual`."""
    record, (offsets, _, edge) = s.bytes * s.variables, s.tables.graph
    lists = [Touch("read", 4, entries_of(offsets))] * 2
    flux = Touch("read", record, listed(offsets, edge))
    own = [*_own(4, 4, 8, record, record), *_own(record, kind="write")]
    return Touches(s.top.cells, [*own, *lists, flux])


def _reduced(s: Study, width: int, items: int, at: Any, others: list[Touch]) -> Touches:
    return Touches(items, [*others, Touch("reduce", width, at)])


def touches_sum_faces(s: Study) -> list[Touches]:
    record, e = s.bytes * s.variables, s.top.edges
    both = table(s.top.pair[:e])
    return [_start(s), _reduced(s, record, e, both, _own(8, record))]


def touches_values_faces(s: Study) -> list[Touches]:
    record, top = s.bytes * s.variables, s.top
    rim = listed(top.rims, top.rim)
    read = [Touch("read", record, table(top.pair)), Touch("read", 8, rim)]
    read += [*_own(8, 4), Touch("read", 4, entries_of(top.rims))]
    # the means of both cells together are added once for each vertex
    return [_clear(len(top.vertex), record), _reduced(s, record, top.faces, rim, read)]


def touches_values_cells(s: Study) -> list[Touches]:
    record, top = s.bytes * s.variables, s.top
    hull = listed(top.hulls, top.hull)
    read = [*_own(4, record), Touch("read", 4, entries_of(top.hulls)), Touch("read", 8, hull)]
    return [_clear(len(top.vertex), record), _reduced(s, record, top.cells, hull, read)]


def touches_values_nodes(s: Study, exact: bool = False) -> list[Touches]:
    record, (starts, about), d = s.bytes * s.variables, s.tables.abouts, s.dimensions
    read = [*_own(4, 8), Touch("read", 4, entries_of(starts))]
    read.append(Touch("read", record, listed(starts, about)))
    if exact:
        read += [*_own(8 * d, 8 * d), Touch("read", 8 * d, listed(starts, about))]
    return [Touches(len(s.top.vertex), [*read, *_own(record, kind="write")])]


def _rims(s: Study) -> list[Touch]:
    top = s.top
    lists = Touch("read", 4, entries_of(top.rims))
    values = Touch("read", s.bytes * s.variables, listed(top.rims, top.rim))
    return [*_own(4), lists, values]


def touches_slopes_faces(s: Study) -> list[Touches]:
    top, width = s.top, s.bytes * s.slopes
    both = table(top.pair)
    read = [*_rims(s), *_own(8, s.bytes * s.dimensions), Touch("read", 8, both)]
    return [_clear(top.cells, width), _reduced(s, width, top.faces, both, read)]


def touches_slopes_nodes(s: Study) -> list[Touches]:
    top, width, (fans, spoke) = s.top, s.bytes * s.slopes, s.tables.fans
    faces, each = listed(fans, spoke), table(top.pair)

    def both(first: int, end: int) -> Any:  # every face of every vertex, also those that share it
        pair = top.pair[spoke[fans[first] : fans[end]]].ravel()
        return pair[pair >= 0]

    read = [*_own(4, s.bytes * s.variables), Touch("read", 4, entries_of(fans))]
    read += [Touch("read", width_, faces) for width_ in (4, 8, s.bytes * s.dimensions)]
    read.append(Touch("read", 8, through(faces, each)))
    return [_clear(top.cells, width), _reduced(s, width, len(top.vertex), both, read)]


def _skins(s: Study) -> list[Touch]:
    offsets, side, _ = s.tables.skins
    lists = [Touch("read", 4, entries_of(offsets))] * 2
    return [*_own(4, 8), *lists, Touch("read", s.bytes * s.dimensions, listed(offsets, side))]


def touches_slopes_cells(s: Study) -> list[Touches]:
    (offsets, side, _), top = s.tables.skins, s.top
    faces = listed(offsets, side)
    value = Touch("read", s.bytes * s.variables, through(faces, listed(top.rims, top.rim)))
    lists = [Touch("read", 4, faces), Touch("read", 4, through(faces, entries_of(top.rims)))]
    write = _own(s.bytes * s.slopes, kind="write")
    return [Touches(top.cells, [*_skins(s), *lists, value, *write])]


def touches_slopes_means(s: Study) -> list[Touches]:
    (offsets, side, _), record = s.tables.skins, s.bytes * s.variables
    mean = Touch("read", record, listed(offsets, side))
    write = _own(s.bytes * s.slopes, kind="write")
    return [
        Touches(s.top.faces, [*_rims(s), *_own(record, kind="write")]),
        Touches(s.top.cells, [*_skins(s), mean, *write]),
    ]


def touches_least_squares(s: Study) -> list[Touches]:
    (offsets, neighbour, _), r, d = s.tables.graph, s.bytes, s.dimensions
    own = [*_own(4, 4, 8 * d, r * s.variables, r * d * (d + 1) // 2)]
    near = listed(offsets, neighbour)
    read = [Touch("read", width, near) for width in (8 * d, r * s.variables)]
    lists = Touch("read", 4, entries_of(offsets))
    return [Touches(s.top.cells, [*own, lists, *read, *_own(r * s.slopes, kind="write")])]


def touches_extrema_faces(s: Study) -> list[Touches]:
    r, e = s.bytes, s.top.edges
    both = table(s.top.pair[:e])
    start = Touches(s.top.cells, [*_own(r), *_own(r, r, kind="write")])
    reduced = [Touch("reduce", r, both)] * 2
    return [start, Touches(e, [*_own(8), Touch("read", r, both), *reduced])]


def touches_extrema_cells(s: Study) -> list[Touches]:
    (offsets, neighbour, _), r = s.tables.graph, s.bytes
    lists = Touch("read", 4, entries_of(offsets))
    near = Touch("read", r, listed(offsets, neighbour))
    return [Touches(s.top.cells, [*_own(4, r), lists, near, *_own(r, r, kind="write")])]


# ---------------------------------------------------------------- calls


def _flux(s: Study) -> Any:
    return s.bind("ale_flux_roe", S="edge_S", xf="xf", flux="fluxes")


def _store(s: Study) -> Calls:
    return [_flux(s), s.bind("ale_residual", flux="fluxes")]


def _recompute(s: Study) -> Calls:
    return [s.bind("ale_loop_recompute", S="edge_S", xf="xf")]


def _atomics(s: Study) -> Calls:
    return [s.bind(START), s.bind("ale_loop_atomics", S="edge_S", xf="xf")]


def _colours(s: Study) -> Calls:
    """Calls on the mesh whose faces are in the order of their colours, `s.coloured`."""
    of, b = s.coloured, s.backend
    whole = of.bind("ale_loop_colours", S="edge_S", xf="xf")
    return [of.bind(START), *(b.part(whole, part) for part in s.colours)]


def _sum_faces(s: Study) -> Calls:
    return [s.bind(START), s.bind("fluxes_by_faces")]


def _values_faces(s: Study) -> Calls:
    added = s.bind("values_by_faces", per="per_face", value="values")
    return [s.bind("state_clear", to="values"), added]


def _values_cells(s: Study) -> Calls:
    added = s.bind("values_by_cells", per="plain", value="values")
    return [s.bind("state_clear", to="values"), added]


def _values_nodes(s: Study) -> Calls:
    return [s.bind("values_by_vertices", per="plain", value="values")]


def _values_exact(s: Study) -> Calls:
    return [s.bind("values_by_vertices", lean="lean", value="values")]


BEFORE: dict[int, tuple[str, ...]] = {2: (), 3: ("corner_normals",)}
"""Fields that gradients of cells read, made once."""


def _cell_gradient(s: Study) -> Calls:
    for name in BEFORE[s.dimensions]:
        s.bind(name)()
    return [s.bind("cell_gradient", grad="gradient")]


def _vertex_values(s: Study) -> Calls:
    return [s.bind("vertex_values", lean="lean", value="values")]


def _slopes_faces(s: Study) -> Calls:
    return [s.bind("slope_clear", to="gradient"), s.bind("slopes_by_faces", grad="gradient")]


def _slopes_nodes(s: Study) -> Calls:
    return [s.bind("slope_clear", to="gradient"), s.bind("slopes_by_vertices", grad="gradient")]


def _slopes_cells(s: Study) -> Calls:
    return [s.bind("slopes_by_cells", grad="gradient")]


def _slopes_means(s: Study) -> Calls:
    return [s.bind("face_means"), s.bind("slopes_by_means", grad="gradient")]


def _least_squares(s: Study) -> Calls:
    s.bind("least_squares")()
    return [s.bind("ale_gradient", grad="gradient")]


def _extrema_faces(s: Study) -> Calls:
    return [s.bind("extrema_start"), s.bind("extrema_by_faces")]


ROWS = [
    Row("residual", "store", True, _store, touches_store),
    Row("residual", "recompute", True, _recompute, touches_recompute),
    Row("residual", "atomics", False, _atomics, touches_atomics),
    Row("residual", "colours", True, _colours, touches_colours),
    Row("flux-sum", "faces", False, _sum_faces, touches_sum_faces),
    Row("flux-sum", "cells", True, lambda s: [s.bind("ale_residual")],
        lambda s: [touches_sum(s)]),
    Row("gradient", "faces", False, _slopes_faces, touches_slopes_faces),
    Row("gradient", "cells", True, _slopes_cells, touches_slopes_cells),
    Row("gradient", "means", True, _slopes_means, touches_slopes_means),
    Row("gradient", "nodes", False, _slopes_nodes, touches_slopes_nodes),
    Row("gradient", "solver", True, _cell_gradient),
    Row("gradient", "least-squares", True, _least_squares, touches_least_squares),
    Row("node-values", "faces", False, _values_faces, touches_values_faces),
    Row("node-values", "cells", False, _values_cells, touches_values_cells),
    Row("node-values", "nodes", True, _values_nodes, touches_values_nodes),
    Row("node-values", "exact", True, _values_exact,
        lambda s: touches_values_nodes(s, exact=True)),
    Row("node-values", "solver", True, _vertex_values,
        lambda s: touches_values_nodes(s, exact=True)),
    Row("extrema", "faces", True, _extrema_faces, touches_extrema_faces),
    Row("extrema", "cells", True, lambda s: [s.bind("extrema_by_cells")],
        touches_extrema_cells),
]  # fmt: skip
PROCEDURES = list(dict.fromkeys(row.procedure for row in ROWS))
LOOPS = list(dict.fromkeys(row.loops for row in ROWS))
