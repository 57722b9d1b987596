"""Lines of the table of solvers, without loading these."""

from kinemesh.flow.registry import named

FIRST_ORDER = named("cells")._replace(
    name="first-order", home="kinemesh_nozzle.first_order:FirstOrder"
)
