"""Meshes about wings over a half span, at the nodes of the cloud about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from kinemesh.arguments import checks_names
from kinemesh.errors import MeshError
from kinemesh.mesh.generate.rays import outer_of
from kinemesh.mesh.generate.wings import heights
from kinemesh.mesh.generate.wings.block_cells import cells as cells_of
from kinemesh.mesh.generate.wings.outline import Station, wing_of
from kinemesh.mesh.kinds import SOLIDS, cells_named
from kinemesh.mesh.mesh import Mesh
from kinemesh.mesh.origin import Origin
from kinemesh.mesh.sections.section import Section
from kinemesh.mesh.solid_cells import volumes

CELLS = ("hexes", "prisms", "tets", "hybrid")
TOPOLOGIES = ("oh", "ch")
LEAST = 10_000  # nodes
ADVICE = "for a section take mesh.airfoil and mesh.extruded"
CARRIED = 10  # nodes of a mesh for each of the mesh of tetrahedra that carries it
LAYERS = 0.4  # share of the rings that are prisms of a hybrid mesh


@checks_names
def wing(
    section: str | Path | Section = "naca0012",
    nodes: int = 300_000,
    span: float | None = None,
    taper: float | None = None,
    sweep_deg: float | None = None,
    far_field: float = 20.0,
    trailing_edge: str | None = None,
    tip: float = 0.6,
    cells: str = "hexes",
    layers: int | None = None,
    topology: str = "oh",
    dihedral_deg: float | None = None,
    twist_deg: float | None = None,
    twist_about: float = 0.25,
    tip_section: str | Path | Section | None = None,
    stations: Sequence[Station | Mapping[str, Any]] | None = None,
    wall_spacing: float | None = None,
    growth: float | None = None,
    y_plus: float | None = None,
    reynolds: float | None = None,
    outer: str = "farfield",
) -> Mesh:
    """A mesh about a half wing, root chord 1, leading edge of the root at the origin.

    Parameters
    ----------
    section : name, coordinate file or Section    streamwise, all along the span where
                              nothing else is said
    nodes : int               wanted, within 3 %, 10,000 at least; those of `km.cloud.wing`
                              with as many points, but of tets, which are wider beyond the tip and
                              at both edges
    span : float              of the half wing, without the cap; 3 by default [root chord]
    taper : float             chord of the tip; 1 by default [root chord]
    sweep_deg : float         of the leading edge before the twist; 0 by default [deg]
    far_field : float         radius of the cylinder about the wing, of topology ch distance of the
                              far field; the last station is half as far beyond the tip; at least
                              4, with outer = "overset" 0.5 beyond the wing [root chord]
    trailing_edge : closed | sharp
    tip : float               length of the cap along the span, over the tip's half thickness
    cells : str               hexes; prisms, whose triangles lie along the wing; tets; hybrid:
                              prisms about the wing, tetrahedra beyond them; hexahedra where
                              prisms would have angles of less than 1 degree
    layers : int              of prisms of a hybrid mesh; by default two fifths of all.  Of topology
                              ch: from the wall to the far field
    topology : str            oh: rings about the section, stations along the span; ch, for viscous
                              flow: C-lines about section and wake in hexahedra, with
                              `wall_spacing`, `y_plus` or `growth` with `layers`
    dihedral_deg, twist_deg : float   of the leading edge; of the tip, nose up, in proportion to y;
                              0 by default [deg]
    twist_about : float       share of the chord about which sections are turned
    tip_section : as section  of the tip; between root and tip thickness and camber go over into
                              one another in proportion to y
    stations : sequence of Station, or of mappings of its names, from the root to the tip, in place
                              of span, taper, sweep_deg, dihedral_deg, twist_deg, tip_section: a
                              wing with kinks, linear between stations
    wall_spacing : float      height of the first layer at the middle of the root, elsewhere in
                              proportion to the chord; of topology ch all along the wall
                              [root chord]
    growth : float            of topology ch: largest ratio of the heights of successive layers, or
                              else 1.24; of wall_spacing (y_plus), growth and layers two, or the
                              first
    y_plus, reynolds : float  of topology ch: `kinemesh.mesh.wall_spacing` of them, by the root's
                              chord

    outer : farfield | overset    marker of the outer boundary; overset, of topology oh: other
                              meshes go on beyond

    Returns
    -------
    Mesh    markers `wing`, `symmetry` (y = 0) and that of `outer`

    Raises
    ------
    MeshError    for arguments that no good mesh fulfils
    """
    if cells not in CELLS:
        near = cells_named(cells, CELLS)
        raise MeshError(f"wing: cells = {cells!r}, expected {', '.join(CELLS)}{near}")
    if topology not in TOPOLOGIES:
        raise MeshError(f"wing: topology = {topology!r}, expected {', '.join(TOPOLOGIES)}")
    normal = heights.normal_of(
        topology, cells, wall_spacing=wall_spacing, y_plus=y_plus, reynolds=reynolds, growth=growth,
        layers=layers,
    )  # fmt: skip
    from kinemesh.mesh.generate.wings import opening, planform  # load much of SciPy

    asked = wing_of(
        *(section, trailing_edge, ADVICE),
        span=span, taper=taper, sweep_deg=sweep_deg, dihedral_deg=dihedral_deg,
        twist_deg=twist_deg, twist_about=twist_about, tip_section=tip_section, stations=stations,
    )  # fmt: skip
    size = {"far_field": far_field, "tip": tip}
    overset = outer_of("wing", outer) == "overset"
    planform.check(nodes, LEAST, asked.outline, size, overset)
    if overset and (topology != "oh" or normal is not None):
        raise MeshError("wing: outer = 'overset' is of topology 'oh'; give no layers of 'ch'")
    carrier = partial(
        wing, section, max(LEAST, int(nodes) // CARRIED), cells="tets", far_field=far_field,
        trailing_edge=trailing_edge, tip=tip, span=span, taper=taper,
        sweep_deg=sweep_deg, dihedral_deg=dihedral_deg, twist_deg=twist_deg,
        twist_about=twist_about, tip_section=tip_section, stations=stations,
    )  # fmt: skip
    if normal is not None:
        from kinemesh.mesh.generate.wings.layered import layered

        return layered(asked, nodes, far_field, tip, normal, carrier)
    for much in opening.TRIES if cells == "tets" or overset else (0.0,):
        made = planform.block_of(asked, nodes, far_field, tip, wall_spacing, much, outer)
        rows = _layers(cells, layers, made.number.shape[1] - 1)
        blocks, sides = cells_of(made.points, made.number, made.slit, cells, rows)
        there = {kind: own for kind, own in blocks.items() if len(own)}
        least = min(volumes(made.points, SOLIDS[kind], own).min() for kind, own in there.items())
        if not much or least > 0:
            break
    try:
        sides = {outer if name == "farfield" else name: own for name, own in sides.items()}
        origin = Origin(notes=asked.notes, carrier=carrier)
        return Mesh.from_blocks(made.points, blocks, sides, origin=origin)
    except MeshError:
        if cells == "hexes":
            raise
        raise MeshError(
            f"wing: cells = {cells!r} overlap, as hexahedra of this twist and taper are too warped "
            "to be split; take cells = 'hexes', less twist, or another twist_about"
        ) from None


def oneram6(nodes: int = 300_000, cells: str = "hexes", **more: Any) -> Mesh:
    """The ONERA M6 wing, root chord 1 (810.491 mm): `wing` with its section and planform.

    Semispan 1.47601798, leading-edge sweep 29.999, trailing-edge sweep 15.692 degrees; 10,000
    nodes at least.
    """
    from kinemesh.mesh.generate.wings.planform import with_m6

    plan = with_m6(more, MeshError, "kinemesh.mesh.wing")
    return wing("oneram6", nodes, cells=cells, **plan)


def _layers(cells: str, given: Any, rings: int) -> int:
    """Layers of prisms of a hybrid mesh."""
    if given is None:
        return max(1, round(LAYERS * rings))
    if cells != "hybrid":
        raise MeshError(f"wing: layers = {given!r} has no effect on {cells}, expected none")
    if isinstance(given, bool) or not isinstance(given, int) or not 0 < given < rings:
        raise MeshError(f"wing: layers = {given!r}, expected a whole number of 1 to {rings - 1}")
    return given
