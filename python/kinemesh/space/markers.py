"""Conditions of markers: bodies and far field by what the user says, by geometry, by name.

A closed curve (in space a closed surface) that encloses all others is the far field, whatever its
markers are called, and what it encloses are bodies.  Where there is none, names decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from kinemesh.arguments import is_several
from kinemesh.dimension import Dimension, dimension_of
from kinemesh.errors import MeshError, SettingsError
from kinemesh.mesh.fingerprint import firsts
from kinemesh.mesh.names import FAR_WORDS, WALL_WORDS, role_of, words_of
from kinemesh.mesh.pieces import Piece, enclosing, pieces, reach, told
from kinemesh.space.conditions.base import BODY, Condition
from kinemesh.space.conditions.table import conditions_of, kinds
from kinemesh.space.conditions.words import Far, Wall
from kinemesh.space.half_models import refuse_planes

# how words begin that name a boundary of another kind: neither wall nor far field; no wall
NEITHER = ("symm", "slip", "inviscid", "periodic")
NO_WALL = (*NEITHER, "inlet", "outlet", "inflow", "outflow")
SAY = (
    "say which they are: bodies in walls, the far field in far, planes of symmetry in boundaries "
    "as {NAME: 'symmetry'} (keys of [mesh] in a case file)"
)


def planes_of(symmetry: Any, clouds: Sequence[Any], argument: str = "symmetry") -> list[str]:
    """Markers of planes of symmetry, as an argument lists them: by default those named like one."""
    names = Marking(clouds).every
    if symmetry is None:
        return [n for n in names if _begins(n, NEITHER[:1])]
    return _listed(argument, symmetry, names)


def walls_of(
    walls: Any, meshes: Sequence[Any], planes: Sequence[str] = (), far: Any = None
) -> tuple[list[str], list[str]]:
    """Markers of bodies and of the far field; as of `Marking.sides`."""
    return Marking(meshes, planes).sides(walls, far)


def conditions_on(
    spaces: Sequence[Any],
    *,
    walls: Any = None,
    far: Any = None,
    boundaries: Any = None,
    planes: Sequence[str] = (),
) -> dict[str, Condition]:
    """Condition of each marker; as of `Marking.conditions`."""
    return Marking(spaces, planes).conditions(walls, far, boundaries)


class Marking:
    """Markers of the meshes or clouds of a case: which are bodies, far field, neither.

    Parameters
    ----------
    planes : markers that have no condition: planes of symmetry of clouds in space

    Attributes
    ----------
    firsts : distinct meshes or clouds, each with the first member on it
    every : markers, each once, in the order that the meshes list them in
    """

    def __init__(self, spaces: Sequence[Any], planes: Sequence[str] = ()) -> None:
        self.planes, self.firsts = planes, firsts(spaces)
        self.every = list(dict.fromkeys(n for _, space in self.firsts for n in space.boundaries))

    @property
    def lacking(self) -> str:
        """End of refusals of markers that are none, where names are lacking."""
        return _names_lacking((space for _, space in self.firsts), self.every)

    def sides(
        self, walls: Any, far: Any = None, others: Sequence[str] = ()
    ) -> tuple[list[str], list[str]]:
        """Markers of bodies and of the far field.

        Bodies are in the order of `walls`, or in that of the meshes where `walls` is a set or None.

        Parameters
        ----------
        walls, far : markers, or None; with one of them the other has all the rest, without both
            geometry and names decide (docs/meshes.md)
        others : markers that are neither, beside the planes

        Raises
        ------
        MeshError    for unknown markers, those that two arguments name, those that neither geometry
            nor names tell, and walls that close round the far field
        """
        neither, every = [*self.planes, *others], self.every
        names = [n for n in every if n not in neither]
        for what, value in (("walls", walls), ("far", far)):
            _none_of(what, value, neither, every, self.lacking)
        if walls is None and far is None and every and not names:  # a channel between its ends
            return [], []
        if walls is None and far is None:
            bodies, outer = self._by_geometry(names, neither)
        else:
            outer = [] if far is None else _listed("far", far, names)
            rest = [n for n in names if n not in outer]
            bodies = rest if walls is None else _listed("walls", walls, names)
            outer = [n for n in names if n not in bodies] if far is None else outer
            both, lost = [n for n in bodies if n in outer], set(names) - {*bodies, *outer}
            if both:
                raise MeshError(f"markers {both} are both in walls and in far, expected one")
            if lost:
                raise MeshError(
                    f"markers {sorted(lost)} are neither in walls nor in far, expected each in "
                    "one; walls alone, or far alone, leaves all others to the other"
                )
        self._not_swapped(bodies, outer)
        return bodies, outer

    def conditions(
        self, walls: Any = None, far: Any = None, boundaries: Any = None
    ) -> dict[str, Condition]:
        """Condition of each marker: walls and far field first, others in the order of their kinds.

        Parameters
        ----------
        walls, far : as of `sides`, to which `boundaries` may add
        boundaries : {marker: word, Condition or table}, or None; where it has the word wall or far,
            and neither argument is given, names decide on the markers that it leaves out

        Raises
        ------
        SettingsError    as of `conditions_of`
        MeshError        as of `sides`; a marker that is unknown or named twice; a member that
            nothing flows into or out of; as of `refuse_planes`
        """
        named, every = conditions_of(boundaries), self.every
        if named:
            _listed("boundaries", list(named), every, self.lacking)
        bodies = [m for m in every if m in named and named[m].role == BODY]
        outer = [m for m in every if m in named and named[m].kind == Far.kind]
        others = [m for m in every if m in named and m not in bodies and m not in outer]
        given = {"walls": (walls, bodies), "far": (far, outer)}
        for what, (value, own) in given.items():
            _none_of(what, value, [*others, *own, *self.planes], every, self.lacking)
        if walls is None and far is None and (bodies or outer):
            roles = roles_by_name([m for m in every if m not in named and m not in self.planes])
            solid = [m for m in every if m in bodies or roles.get(m) == "wall"]
            open_ = [m for m in every if m in outer or roles.get(m) == "far"]
            self._not_swapped(solid, open_)
        else:
            lists = [_joined(value, own, every) for value, own in given.values()]
            solid, open_ = self.sides(lists[0], lists[1], others)
        said = [*said_in(walls, far, every), *bodies, *outer]
        refuse_by_name(solid, open_, said)
        refuse_planes(self.firsts, solid, open_, said)
        found = {m: named.get(m, Wall()) for m in solid} | {m: named.get(m, Far()) for m in open_}
        if others:
            self._check_ends(found | named)
        order = list(kinds())
        others.sort(key=lambda m: order.index(named[m].kind))
        return found | {m: named[m] for m in others}

    def _check_ends(self, conditions: Mapping[str, Condition]) -> None:
        """MeshError for a member that nothing flows into, or out of."""
        for member, space in self.firsts:
            there = [own for marker, own in conditions.items() if marker in space.boundaries]
            if any(own.enters for own in there) and any(own.leaves for own in there):
                continue
            raise MeshError(
                "boundaries leaves no marker to the far field; expected a far field, or an inlet "
                "and an outlet",
                member=member,
            )

    def _by_geometry(
        self, names: Sequence[str], planes: Sequence[str]
    ) -> tuple[list[str], list[str]]:
        """Bodies and far field where the user says nothing; MeshError where that is not enough."""
        roles: dict[str, tuple[str, int]] = {}
        for member, mesh in self.firsts:
            for name, role in _roles(f"member {member}", mesh, names, planes).items():
                first, there = roles.setdefault(name, (role, member))
                if first != role:
                    told = {"wall": "a body", "far": "far field"}
                    raise MeshError(
                        f"marker '{name}' is {told[first]} of member {there} and {told[role]} of "
                        f"member {member}; {SAY}"
                    )
        by_role = {role: [n for n in names if roles[n][0] == role] for role in ("wall", "far")}
        return by_role["wall"], by_role["far"]

    def _not_swapped(self, walls: Sequence[str], far: Sequence[str]) -> None:
        """MeshError where walls close round the far field.

        Of what hangs together, planes of symmetry left out, nothing but walls must reach as far as
        all of the far field in every direction.  A tunnel's walls hang together with its ends.
        """
        for member, space in self.firsts:
            outside = [space.boundaries[n] for n in far if n in space.boundaries]
            if not outside or not any(n in space.boundaries for n in walls):
                continue
            low, high = reach(
                space.points[[k for facets in outside for k in facets.ravel() if k >= 0]]
            )
            for piece in pieces(space, [n for n in space.boundaries if n in walls or n in far]):
                if set(piece.names) & set(far):
                    continue
                if (piece.low <= low).all() and (piece.high >= high).all():
                    own = [n for n in far if n in space.boundaries]
                    raise MeshError(
                        f"walls {list(piece.names)} ({piece.told()}) lie about the far field {own} "
                        f"({told(low, high)}), expected the far field about the walls; if they are "
                        "swapped, name the bodies in walls",
                        member=member,
                    )


def _roles(where: str, mesh: Any, names: Sequence[str], planes: Sequence[str]) -> dict[str, str]:
    """Role of each marker of one mesh or cloud."""
    there = [n for n in names if n in mesh.boundaries]
    found = pieces(mesh, there, planes)
    outer = enclosing(found)
    inside = {n for p in found if p is not outer for n in p.names}
    shared = [] if outer is None else [n for n in outer.names if n in inside]
    if outer is None or shared:
        return _by_name(where, mesh, there, shared)
    _not_misnamed(where, dimension_of(mesh), outer, [n for n in there if n in inside])
    return {n: "far" if n in outer.names else "wall" for n in there}


def refuse_by_name(walls: Sequence[str], far: Sequence[str], named: Sequence[str]) -> None:
    """MeshError for walls and a far field by default that are named like another kind.

    Parameters
    ----------
    named : markers that the user lists as one of the two
    """
    for kind, markers, begins in (("walls", walls, NO_WALL), ("far field", far, NEITHER)):
        wrong = [n for n in markers if _begins(n, begins) and n not in named]
        if wrong:
            raise MeshError(
                f"markers {wrong} would be {kind}, and are named like another kind of boundary; "
                f"say boundaries={dict.fromkeys(wrong, 'symmetry')!r} for planes of symmetry or "
                "other walls with slip and without loads, far for what the stream comes in or "
                "leaves through, or walls where they are walls (keys of [mesh] in a case file)"
            )


def _begins(name: str, words: Sequence[str]) -> bool:
    """True where a word of a marker's name begins as one of `words`; no slip is no slip."""
    found = words_of(name)
    denied = {"no", "non"} & found
    return any(w.startswith(tuple(words)) and not (denied and w == "slip") for w in found)


def roles_by_name(names: Sequence[str]) -> dict[str, str]:
    """Roles of markers beside those that `boundaries` calls wall or far, by the words in names."""
    roles = {name: role_of(name) for name in names}
    unknown = [name for name, role in roles.items() if role is None]
    if unknown:
        raise MeshError(
            f"boundaries names walls or a far field, and not {unknown}, whose names have no word "
            f"that tells walls from the far field; name them in boundaries too, or {SAY}"
        )
    return {name: str(role) for name, role in roles.items()}


def _joined(value: Any, own: Sequence[str], every: Sequence[str]) -> Any:
    """Markers that an argument lists, with those of `boundaries`; None where it lists none."""
    return None if value is None else [*_listed("markers", value, every), *own]


def _none_of(what: str, value: Any, others: Sequence[str], every: Sequence[str], more: str) -> None:
    """MeshError for markers that an argument lists, and that have another condition, or are none,
    of which `more` is said."""
    twice = [] if value is None else [n for n in _listed(what, value, every, more) if n in others]
    if twice:
        raise MeshError(
            f"markers {twice} are both in {what} and of another kind (boundaries, or planes "
            "of symmetry), expected one"
        )


def said_in(walls: Any, far: Any, every: Sequence[str]) -> list[str]:
    """Markers that either argument lists; SettingsError as of `_entries`."""
    each = {"walls": walls, "far": far}
    return [n for what, own in each.items() if own is not None for n in _entries(what, own, every)]


def _entries(what: str, value: Any, names: Sequence[str]) -> list[Any]:
    """Entries of a list of markers; SettingsError where it is none."""
    if not (is_several(value) or isinstance(value, set | frozenset)):
        text = f"{what} is {value!r}, expected a list of markers such as {list(names[:1])}"
        raise SettingsError(text, argument=what)
    return value.tolist() if isinstance(value, np.ndarray) else list(value)


def _names_lacking(spaces: Iterable[Any], names: Sequence[str]) -> str:
    """End of a refusal where markers are numbers for want of a file with their names; "" else."""
    if not any(name.isdigit() for name in names):
        return ""
    files = dict.fromkeys(space.origin.unnamed for space in spaces if space.origin.unnamed)
    no = " and ".join(f"no {file}" for file in files)
    return f"; boundaries have numbers as there is {no} beside the grid" if files else ""


def _listed(what: str, value: Any, names: Sequence[str], more: str = "") -> list[str]:
    """Markers that a user lists; a set is put in the order of the mesh.

    `more` is said of those that are none.
    """
    given = _entries(what, value, names)
    unknown = [n for n in given if n not in names]
    if unknown:
        raise MeshError(
            f"{what} is {given}, expected markers of the mesh: {names}, not {unknown}{more}",
            argument=what,
        )
    return [n for n in names if n in given] if isinstance(value, set | frozenset) else given


def _not_misnamed(where: str, space: Dimension, outer: Piece, inside: Sequence[str]) -> None:
    """MeshError where names say the opposite of geometry."""
    walls = [n for n in outer.names if words_of(n) & set(WALL_WORDS)]
    if walls:
        raise MeshError(
            f"{where}: {walls} are named like walls, and are of the {space.boundary} that encloses "
            f"all others ({outer.told()}), which is the far field; {SAY}"
        )
    far = [n for n in inside if role_of(n) == "far"]
    if far:
        raise MeshError(
            f"{where}: {far} are named like a far field, and lie within {list(outer.names)} "
            f"({outer.told()}), so they are bodies; {SAY}"
        )


def _by_name(where: str, mesh: Any, names: Sequence[str], shared: Sequence[str]) -> dict[str, str]:
    """Roles by the words in names; MeshError for a name that has none of them."""
    boundary = dimension_of(mesh).boundary
    roles = {n: role_of(n) for n in names}
    unknown = [n for n, role in roles.items() if role is None]
    if unknown:
        why = (
            f"{list(shared)} are of the {boundary} that encloses all others and of what it encloses"
            if shared
            else f"no closed {boundary} encloses all others"
        )
        raise MeshError(
            f"{where}: {why}, so names decide, and {unknown} have no word that tells "
            f"walls ({', '.join(WALL_WORDS)}) from the far field ({', '.join(FAR_WORDS)}); {SAY}"
            f"{_names_lacking([mesh], names)}"
        )
    return {n: str(role) for n, role in roles.items()}
