"""Sizes of meshes by name, of --size: numbers of nodes, or what a mesh says in `sizes`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from kinemesh.cases.values import choice, known
from kinemesh.errors import CaseError

SIZES = {"coarse": 5_000, "medium": 24_000, "fine": 94_000}
STATED = "medium"  # of a mesh with sizes of its own: its keys as the case file has them


def check_sizes(mesh: Any, keys: Sequence[str]) -> None:
    """CaseError where `sizes` of a mesh are none.

    Parameters
    ----------
    mesh : MeshPart
    keys : that a size may state, those of the mesh's source
    """
    if mesh.sizes is None:
        return
    named = [name for name in SIZES if name != STATED]
    if not isinstance(mesh.sizes, Mapping):
        raise CaseError(
            f"[mesh] sizes = {mesh.sizes!r}, expected tables {' and '.join(named)}, such as "
            "coarse = { nodes = 2000 }"
        )
    if STATED in mesh.sizes:
        raise CaseError(
            f"[mesh] sizes has {STATED}, which are the keys as [mesh] has them; remove it"
        )
    known("[mesh] sizes", mesh.sizes, named)
    for name, own in mesh.sizes.items():
        if not isinstance(own, Mapping):
            raise CaseError(f"[mesh] sizes.{name} = {own!r}, expected a table of keys of [mesh]")
        known(f"[mesh] sizes.{name}", own, list(keys))
        try:
            dataclasses.replace(mesh, sizes=None, **own)
        except CaseError as error:
            raise CaseError(f"{error} (sizes.{name})") from None


def sized(mesh: Any, told: Mapping[str, Any]) -> Any:
    """A mesh with other keys; a name in `nodes` is one of its own sizes, where it has some.

    The mesh made has no sizes, so that no size is taken of another.

    Raises
    ------
    CaseError    a size that the mesh does not state, values without meaning
    """
    name = told.get("nodes")
    if mesh.sizes is None or not isinstance(name, str):
        return dataclasses.replace(mesh, **told)
    choice("[mesh] nodes", name, SIZES)
    if name != STATED and name not in mesh.sizes:
        raise CaseError(
            f"[mesh] has no size {name}, expected one of {', '.join([*mesh.sizes, STATED])}; "
            f"state sizes.{name}, or give single keys, such as by --set"
        )
    rest = {key: value for key, value in told.items() if key != "nodes"}
    return dataclasses.replace(mesh, sizes=None, **mesh.sizes.get(name, {}), **rest)
