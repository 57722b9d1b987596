"""Arguments of incompressible flow: its streams, and how its meshes move."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import is_several, numbers
from kinemesh.deform import Deformation, Rigid
from kinemesh.deform.still import Still
from kinemesh.errors import SettingsError
from kinemesh.flow.door import limits
from kinemesh.flow.door.arguments import within
from kinemesh.flow.door.rest import check_rest
from kinemesh.overset.moving import RigidParts
from kinemesh.overset.parts import Parts


def streams_of(given: Mapping[str, Any], members: int) -> dict[str, NDArray[np.float64]]:
    """(members,) Reynolds numbers, speeds and angles [deg] of the streams."""
    found = {
        "reynolds": numbers(given["reynolds"], members, "reynolds", positive=True),
        "stream": numbers(given["stream"], members, "stream"),
        "alpha_deg": numbers(given["alpha_deg"], members, "alpha_deg"),
    }
    wrong = {
        "reynolds": limits.wrong_reynolds,
        "stream": limits.wrong_stream,
        "alpha_deg": limits.wrong_alpha,
    }
    within(wrong, found)
    check_rest(found)
    return found


def rigid(deform: Any, motion: Any, structure: Any, mesh: Any) -> Any:
    """Deformation of meshes that move as rigid bodies, or not at all."""
    if isinstance(deform, Deformation) and not isinstance(deform, Rigid):
        raise SettingsError(
            f"deform is {deform!r}: meshes of incompressible flow move as rigid bodies; leave it "
            "out or give Rigid()"
        )
    if any(isinstance(one, Parts) for one in (mesh if is_several(mesh) else [mesh])):
        return RigidParts()
    if deform is None:
        return Still() if motion is None and structure is None else Rigid()
    return deform
