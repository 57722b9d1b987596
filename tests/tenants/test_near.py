"""Terms read at neighbours the fields that they declare near, and no others."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.flow import registry

MESH = km.mesh.airfoil("naca0012", nodes=700, far_field=8)
RING = km.mesh.cylinder(640, around=40, wall_spacing=0.05, far_field=8.0)
LAYERS = km.mesh.airfoil("naca0012", nodes=1500, far_field=12.0, topology="c", cells="quads",
                         wall_spacing=1e-3)  # fmt: skip
pytestmark = pytest.mark.filterwarnings("ignore::kinemesh.errors.KinemeshWarning")
SPHERE = km.mesh.sphere(nodes=1500, far_field=6.0)
GAS = [entry.name for entry in registry.SOLVERS if "mach" in entry.streams]
IN_ROWS = {"rhs_nt", "dnt"}  # numbers by row of a matrix, not by volume


def made(method):
    """A solver in the plane, by its name, on the mesh or cloud that it is for."""
    entry = registry.named(method)
    space = MESH if entry.on == "mesh" else km.Cloud.from_mesh(MESH)
    return entry.solver(space, mach=0.6, alpha_deg=3.0, device="cpu")


CASES = {name: lambda name=name: made(name) for name in GAS} | {
    "laminar": lambda: km.Ale(RING, mach=0.3, reynolds=40.0, device="cpu"),
    "turbulent": lambda: km.Ale(LAYERS, mach=0.5, reynolds=1e6, turbulence="sa", device="cpu"),
    "in space": lambda: km.Ale(SPHERE, mach=0.5, device="cpu"),
    "on cells in space": lambda: km.CellCentred(SPHERE, mach=0.5, device="cpu"),
}


def disturbed(name):
    """A case in a disturbed flow."""
    case, rng = CASES[name](), np.random.default_rng(3)
    case.initialise(case.backend.get(case.stream) * rng.uniform(0.98, 1.02, (case.grid.nodes, 1)))
    grad = case.fields["grad"]  # of a solver that leaves it zero, too
    case.backend.put(grad, rng.uniform(-0.01, 0.01, grad.shape))
    if name == "turbulent":
        nt = case.fields["nt"]
        case.backend.put(nt, rng.uniform(1e-6, 3e-6, nt.shape))
    return case


def arrays(case):
    """Arrays of a case and of its terms, by name."""
    found = {name: case.fields[name] for name in case.fields}
    for term in case.terms.values():
        own = getattr(term, "own", {})
        found |= {name: own[name] for name in own if name not in found}
    own = {name: array for name, array in found.items() if hasattr(array, "dtype")}
    return {n: a for n, a in own.items() if not hasattr(a, "flags") or a.flags.writeable}


def by_node(case):
    """Names of fields of real numbers with an entry for each volume."""
    return {n for n, a in arrays(case).items() if a.shape[:1] == (case.grid.nodes,)
            and "float" in str(a.dtype) and n not in IN_ROWS}  # fmt: skip


class Watched:
    """Calls of a term, one at a time, from the fields that they find."""

    def __init__(self, case, term, inside):
        self.case, self.inside, self.all, self.fields = case, inside, arrays(case), by_node(case)
        self.calls = term.residual()
        self.before, self.after = [], []
        for call in self.calls:
            self.before.append(self._all())
            call()
            self.after.append(self._found())

    def _all(self):
        return {name: self.case.backend.get(array).copy() for name, array in self.all.items()}

    def _found(self):
        """Fields of volumes inside, and fluxes at their faces."""
        get = self.case.backend.get
        found = {name: get(self.all[name])[self.inside] for name in self.fields}
        if "flux" in self.case.terms["convection"].fields:
            ours = self.inside[self.case.grid.lr].any(axis=1)
            found["flux"] = get(self.case.terms["convection"].flux)[ours]
        return found

    def apart(self, names):
        """Fields inside that a call leaves otherwise where `names` are nonsense outside."""
        found = set()
        for call, before, after in zip(self.calls, self.before, self.after, strict=True):
            for name, array in self.all.items():
                value = before[name].copy()
                if name in names:
                    value[~self.inside] = 1e30
                self.case.backend.put(array, value)
            call()
            now = self._found()
            found |= {name for name in now if not (now[name] == after[name]).all()}
        for name, array in self.all.items():
            self.case.backend.put(array, self.before[0][name])
        for call in self.calls:
            call()
        return found


@pytest.mark.parametrize("name", CASES)
def test_a_term_reads_at_neighbours_what_it_declares_near(name):
    case = disturbed(name)
    inside = case.backend.get(case.fields["x"])[:, 0] < 0.4
    for term in (term for term in case.terms.values() if term.residual()):
        watched = Watched(case, term, inside)
        found = watched.apart(watched.fields - set(term.near))
        assert found == set(), f"{term.name} reads a field near, see {found}"
        for near in set(term.near) & watched.fields:
            assert watched.apart({near}), f"{term.name} does not read {near} near"
