"""Terms read at neighbours the fields that they declare near, and no others."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.flow import registry

MESH = km.mesh.airfoil("naca0012", nodes=700, far_field=8)
GAS = [entry.name for entry in registry.SOLVERS if "mach" in entry.streams]


def case_of(method):
    """A solver in a disturbed flow."""
    entry = registry.named(method)
    space = MESH if entry.on == "mesh" else km.Cloud.from_mesh(MESH)
    case = entry.solver(space, mach=0.6, alpha_deg=3.0, device="cpu")
    rng = np.random.default_rng(3)
    case.initialise(case.backend.get(case.stream) * rng.uniform(0.98, 1.02, (case.grid.nodes, 1)))
    grad = case.fields["grad"]  # of a solver that leaves it zero, too
    case.backend.put(grad, rng.uniform(-0.01, 0.01, grad.shape))
    return case


def by_node(case):
    """Fields of real numbers with an entry for each node, by name."""
    found = {name: case.fields[name] for name in case.fields}
    nodes = case.grid.nodes
    return {n: a for n, a in found.items() if hasattr(a, "shape") and a.shape[:1] == (nodes,)
            and "float" in str(a.dtype)}  # fmt: skip


def spoiled(case, term, before, names, inside):
    """Fields at the nodes inside, and fluxes at their faces, after a term whose `names` are
    nonsense outside."""
    get, put = case.backend.get, case.backend.put
    for name, array in by_node(case).items():
        value = before[name].copy()
        value[~inside] = 1e30 if name in names else value[~inside]
        put(array, value)
    case.backend.record(term.residual())()
    found = {name: get(array)[inside] for name, array in by_node(case).items()}
    if "flux" in case.terms["convection"].fields:
        ours = inside[case.grid.lr].any(axis=1)
        found["flux"] = get(case.terms["convection"].flux)[ours]
    return found


@pytest.mark.parametrize("method", GAS)
def test_a_term_reads_at_neighbours_what_it_declares_near(method):
    case = case_of(method)
    inside = case.grid.points[:, 0] < 0.4
    for term in (term for term in case.terms.values() if term.residual()):
        before = {name: case.backend.get(array).copy() for name, array in by_node(case).items()}
        good = spoiled(case, term, before, (), inside)
        others = set(before) - set(term.near)
        found = spoiled(case, term, before, others, inside)
        for name, values in good.items():
            assert (found[name] == values).all(), f"{term.name} reads a field near, see {name}"
        for near in set(term.near) & set(before):
            found = spoiled(case, term, before, (near,), inside)
            same = [name for name in good if name != near and (found[name] == good[name]).all()]
            assert len(same) < len(good) - 1, f"{term.name} does not read {near} near"
        spoiled(case, term, before, (), inside)
