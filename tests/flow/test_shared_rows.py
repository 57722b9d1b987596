"""Tables of overset parts that the pressure's rows share on the device."""

import kinemesh as km
import numpy as np
import pytest

BACK = km.mesh.background(box=(-4, 4, -4, 4), core=(-2, 2, -2, 2), spacing=0.11, growth=1.3)
ROUND, OTHER = (
    km.mesh.cylinder(nodes, far_field=1.6, around=40, wall_spacing=0.03, outer="overset")
    for nodes in (640, 720)
)


@pytest.mark.parametrize("second", [OTHER, ROUND], ids=["other mesh", "same mesh"])
def test_the_pressure_has_the_rows_that_parts_are_looked_at_by(second):
    """Rows are shared where each member has a mesh of its own."""
    pairs = {id(body): {"body": body, "back": BACK} for body in (ROUND, second)}
    made = km.Incompressible(
        [pairs[id(body)] for body in (ROUND, second)], reynolds=[100.0, 50.0], device="cpu"
    )
    tables, pattern = made.projection.pressure.tables, made.projection.pressure.pattern
    looked = made.parts.connectivity.fields

    for name in ("row", "column", "member"):
        assert np.array_equal(made.backend.get(tables[name]), getattr(pattern, name))
    assert (tables["row"] is looked["offsets"]) == (second is OTHER)
    assert (tables["column"] is looked["neighbour"]) == (second is OTHER)
    assert (looked["frame"] is made.grid.fields["reference"]) == (second is OTHER)


def test_what_marches_alone_has_is_made_by_the_first_march():
    made = km.Incompressible({"body": ROUND, "back": BACK}, reynolds=100.0, device="cpu")
    before, cells = made.backend.allocated, len(made.grid.vertices.cells)

    made.complete()

    reals = 3 * made.grid.nodes + 2 * made.grid.edges + 6 * cells
    cycle = made.grid.nodes * (24 + 11 * 12) + 8 * (11 * 11 + 10 * 10 + 10) + 4
    assert made.backend.allocated - before == 8 * reals + cycle
    assert before < 1.9e3 * made.grid.nodes
