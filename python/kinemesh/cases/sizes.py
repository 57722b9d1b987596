"""Sizes by name, for --size: numbers of nodes, or the keys in `sizes` of a mesh and the run."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from kinemesh.cases.sources import NUMBERS, Source
from kinemesh.cases.values import choice, known, wrong
from kinemesh.errors import CaseError
from kinemesh.sentences import Place, Sentence

SIZES = {"coarse": 5_000, "medium": 24_000, "fine": 94_000}
MESH = Place("mesh")
STATED = "medium"  # of a mesh with sizes of its own: its keys as the case file has them


def check_sizes(
    table: Any, keys: Sequence[str], where: Place = MESH, such: str = "nodes = 2000"
) -> None:
    """CaseError where `sizes` of a table are none.

    Parameters
    ----------
    table : MeshPart or Job
    keys : that a size may state, of a mesh those of the mesh's source
    where, such : the table's name, and an example of a key ("": there is none), for errors
    """
    if table.sizes is None:
        return
    at = Place(where.section, "sizes")
    named = [name for name in SIZES if name != STATED]
    if not isinstance(table.sizes, Mapping):
        one_size = "{ " + such + " }" if such else "{}"
        tables = f"tables {' and '.join(named)}, such as coarse = {one_size}"
        raise wrong(at, table.sizes, tables)
    if STATED in table.sizes:
        text = f" has {STATED}, which are the keys as "
        raise CaseError(at, text, where, " has them; remove it")
    known(at, table.sizes, named)
    for name, own in table.sizes.items():
        one = Place(where.section, f"sizes.{name}")
        if not isinstance(own, Mapping):
            raise wrong(one, own, Sentence("a table of keys of ", where))
        known(one, own, list(keys))
        try:
            _with(table, own, sizes=None)
        except CaseError as error:
            raise CaseError(error.said, f" (sizes.{name})") from None


def _with(table: Any, told: Mapping[str, Any], **more: Any) -> Any:
    """Copy of a table with other keys; of a mesh a number of nodes by one name alone."""
    one = dict.fromkeys(NUMBERS) if any(name in told for name in NUMBERS) else {}
    return dataclasses.replace(table, **{**one, **told, **more})


def sized(mesh: Any, told: Mapping[str, Any]) -> Any:
    """Mesh with other keys; a name in `nodes` is one of the mesh's sizes, if it has any.

    A mesh without sizes takes the name as a number of nodes, where it is made of one.  The mesh
    made has no sizes, so that no size is taken of another.

    Raises
    ------
    CaseError    a size that the mesh does not state, values without meaning
    """
    name = told.get("nodes")
    if not isinstance(name, str):
        return _with(mesh, told)
    choice(Place("mesh", "nodes"), name, SIZES)
    if mesh.sizes is None:
        if mesh.of.size is not None and mesh.of.size[0] == "nodes":
            return _with(mesh, told)
        raise CaseError(MESH, f" has {mesh.of.said} and no size {name}{_instead(name, mesh.of)}")
    if name != STATED and name not in mesh.sizes:
        raise CaseError(
            Place("mesh"),
            f" has no size {name}, expected one of {', '.join([*mesh.sizes, STATED])}; state "
            f"sizes.{name}, or give single keys, such as by --set",
        )
    rest = {key: value for key, value in told.items() if key != "nodes"}
    return _with(mesh, {**mesh.sizes.get(name, {}), **rest}, sizes=None)


def _instead(name: str, source: Source) -> str:
    """End of a sentence on a size that a mesh without sizes lacks: what would do."""
    if source.size is None:
        return ": its nodes are as they are; give another mesh, such as by --mesh (mesh= in Python)"
    key, value = source.size
    way = "--points (points= in Python)" if key == "points" else f"--set mesh.{key}={value}"
    size = (
        f" {name} = {{ {source.such} }}"
        if name != STATED
        else f" of others: {name} is what the case states"
    )
    return f"; give {way}, or state [mesh.sizes]{size}"


def sized_run(job: Any, name: Any) -> Any:
    """Job with the keys of its size of one of these names; other keys stay."""
    if job.sizes is None or not isinstance(name, str):
        return job
    return dataclasses.replace(job, sizes=None, **job.sizes.get(name, {}))
