"""Sentences that tell newcomers to meshes in space what they meant."""

import kinemesh as km
import pytest

FLAT = km.mesh.background(box=(0, 1, 0, 1), core=(0, 1, 0, 1), spacing=0.5, walls=("bottom", "top"))
SOLID = km.mesh.extruded(FLAT)


def ale(far=None, **kinds):
    return km.Ale(SOLID, mach=0.5, boundaries=kinds, far=far, device="cpu")


TOLD = {
    "an unknown plane": (
        lambda: ale(left="symmetry", nope="symmetry"),
        r"^boundaries is \['left', 'nope'\], expected markers of the mesh: .* not \['nope'\]",
    ),
    "planes that were left out": (
        lambda: ale(["right"], left="symmetry"),
        r"say boundaries={'symmetry_left': 'symmetry', 'symmetry_right': 'symmetry'} for planes",
    ),
    "a method of the class": (lambda: km.mesh.from_blocks, r"it is of the class: km.Mesh.from_bl"),
    "a name cut short": (lambda: km.mesh.oneram, "did you mean 'oneram6'"),
    "a search in space": (
        lambda: km.overset.search(SOLID, [[0.5, 0.5]], device="cpu"),
        r"^overset: points have shape \(1, 2\), expected \(n, 3\), a place in space",
    ),
    "quality of a file": (lambda: km.mesh.quality("a.su2"), r"'a.su2', .* quality\(mesh.read\(pat"),
    "areas": (lambda: SOLID.areas, "in space take volumes"),
    "cells": (lambda: SOLID.cells, "in space take blocks"),
    "cells of a wing": (
        lambda: km.mesh.wing(nodes=10_000, cells="tetrahedra"),
        "cells = 'tetrahedra', expected hexes, prisms, tets, hybrid; did you mean 'tets'",
    ),
    "cells of layers": (lambda: km.mesh.extruded(FLAT, cells="quads"), "did you mean 'hexes'"),
    "cells of a sphere": (lambda: km.mesh.sphere(600, cells="wedges"), "did you mean 'prisms'"),
    "cells of a section": (lambda: km.mesh.airfoil(nodes=500, cells="hexes"), "mean 'quads'"),
    "no cells": (lambda: km.mesh.sphere(600, cells="polyhedra"), "hexes, prisms, tets$"),
    "graph": (
        lambda: km.Ale(SOLID, mach=0.5, deform=km.deform.Delaunay(), device="cpu"),
        r"in space use --deform rigid \(deform=Rigid\(\)\)",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("call", "said"), TOLD.values(), ids=TOLD)
def test_what_was_meant_is_told(call, said):
    with pytest.raises((km.KinemeshError, AttributeError), match=said):
        call()
