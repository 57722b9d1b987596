"""Terms read at neighbours the arrays that the kernels of their calls declare near, and no others.

A call runs again from nonsense at volumes outside: what it leaves inside keeps its bits.
"""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.device.backend import kernels
from kinemesh.device.neighbours import VOLUMES, calls_of
from kinemesh.flow import registry
from test_eddies import Even, turbulence
from test_on_cells import OnCells
from test_source import FALL, Heavy, HeavySettings

MESH = km.mesh.airfoil("naca0012", nodes=700, far_field=8)
RING = km.mesh.cylinder(640, around=40, wall_spacing=0.05, far_field=8.0)
LAYERS = km.mesh.airfoil("naca0012", nodes=1500, far_field=12.0, topology="c", cells="quads",
                         wall_spacing=1e-3)  # fmt: skip
pytestmark = pytest.mark.filterwarnings("ignore::kinemesh.errors.KinemeshWarning")
SPHERE = km.mesh.sphere(nodes=1500, far_field=6.0)
GAS = [entry.name for entry in registry.SOLVERS if "mach" in entry.streams]
# Terms whose calls have columns of their own volumes alone, by a kernel that takes any.
OF_OWN_COLUMNS = {"weight"}


def viscous(mesh, reynolds, **told):
    return km.Ale(mesh, mach=0.4, reynolds=reynolds, device="cpu", **told)


def of(method, space, **told):
    """A solver by its name with these settings, on clouds on that of a mesh."""
    entry = registry.named(method)
    made_of = space if entry.on == "mesh" else km.Cloud.from_mesh(space)
    settings = entry.settings(**told)
    return entry.solver(made_of, mach=0.5, alpha_deg=3.0, device="cpu", settings=settings)


CASES = {name: lambda name=name: of(name, MESH) for name in GAS} | {
    "laminar": lambda: viscous(RING, 40.0),
    "turbulent": lambda: viscous(LAYERS, 1e6, turbulence="sa"),
    "in space": lambda: of("ale", SPHERE),
    "on cells in space": lambda: of("cells", SPHERE),
    "on clouds in space": lambda: of("meshless", SPHERE),
    "recomputed fluxes": lambda: of("ale", MESH, face_loop="recompute"),
    "fluxes by colours": lambda: of("ale", MESH, face_loop="colours"),
    "fits on cells": lambda: of("cells", MESH, gradient="least-squares"),
    "central fluxes": lambda: of("meshless", MESH, flux="jst"),
    "central fluxes in space": lambda: of("meshless", SPHERE, flux="jst"),
    "smooth gradients": lambda: of("meshless", MESH, smooth_gradients=True),
    "tenant on cells": lambda: OnCells(MESH, mach=0.5, device="cpu"),
    "tenant's source": lambda: Heavy(MESH, mach=0.5, device="cpu",
                                     settings=HeavySettings(gravity=FALL)),
    "tenant's eddies": lambda: viscous(RING, 40.0, turbulence="even"),
}  # fmt: skip


@pytest.fixture(autouse=True)
def even(monkeypatch):
    monkeypatch.setitem(turbulence.MODELS, "even", turbulence.Model("even eddies", Even))


def disturbed(name):
    """A case in a disturbed flow."""
    case, rng = CASES[name](), np.random.default_rng(3)
    case.initialise(case.backend.get(case.stream) * rng.uniform(0.98, 1.02, (case.grid.nodes, 1)))
    grad = case.fields["grad"]  # of a solver that leaves it zero, too
    case.backend.put(grad, rng.uniform(-0.01, 0.01, grad.shape))
    if "nt" in case.fields:
        nt = case.fields["nt"]
        case.backend.put(nt, rng.uniform(1e-6, 3e-6, nt.shape))
    return case


def places(case):
    """Items inside, by sets: volumes and their rows, and faces and vertices of these volumes."""
    inside = case.backend.get(case.fields["x"])[:, 0] < 0.4
    found = {"nodes": inside, "rows": inside[np.argsort(case.pattern.row_of)]}
    if hasattr(case.grid, "lr"):
        found["edges"] = inside[case.grid.lr].any(axis=1)
    if "about" in case.fields:
        about, starts = case.fields["about"], case.fields["starts"]
        found["vertices"] = np.logical_or.reduceat(inside[about], starts[:-1])
    return found


class Watched:
    """Calls of a term on the host, one at a time, from the arrays that they find."""

    def __init__(self, case, term):
        self.calls, self.inside = calls_of(term.residual()), places(case)
        self.on, self.names, written = {}, {}, {}  # set, name and array by its identity
        for call in self.calls:
            for name, mode, kind, shape in kernels()[call.kernel][1]:
                array, own = call.fields.get(name), shape.split(",")[0]
                if array is None or mode in ("val", "size"):
                    continue
                self.names[id(array)] = name
                if own in self.inside and kind not in ("i32", "u64"):
                    self.on[id(array)] = own
                if mode in ("out", "rw", "upd", "inc") or id(array) in self.on:
                    written[id(array)] = array
        self.arrays = {key: a for key, a in written.items() if a.flags.writeable}
        self.volumes = {
            key for key, own in self.on.items() if own in VOLUMES and key in self.arrays
        }
        self.near = {id(array) for array in term.near} & self.volumes
        self.before, self.after = [], []
        for call in self.calls:
            self.before.append({key: array.copy() for key, array in self.arrays.items()})
            call()
            self.after.append(self._found())
        self.end = {key: array.copy() for key, array in self.arrays.items()}

    def _found(self):
        """Numbers inside."""
        return {
            key: self.arrays[key][self.inside[own]].tobytes()
            for key, own in self.on.items()
            if key in self.arrays
        }

    def apart(self, changed):
        """Names of what a call leaves otherwise inside where arrays are nonsense outside."""
        found = set()
        for call, before, after in zip(self.calls, self.before, self.after, strict=True):
            for key, array in self.arrays.items():
                array[...] = before[key]
                if key in changed:
                    array[~self.inside[self.on[key]]] = 1e30
            call()
            now = self._found()
            found |= {self.names[key] for key in now if now[key] != after[key]}
        for key, array in self.arrays.items():
            array[...] = self.end[key]
        return found


@pytest.mark.long
@pytest.mark.parametrize("name", CASES)
def test_a_term_reads_at_neighbours_what_its_kernels_declare_near(name):
    case = disturbed(name)
    for term in (term for term in case.terms.values() if term.residual()):
        watched = Watched(case, term)
        found = watched.apart(watched.volumes - watched.near)
        assert found == set(), f"{term.name} reads a field near, see {found}"
        for near in watched.near if term.name not in OF_OWN_COLUMNS else ():
            assert watched.apart({near}), f"{term.name} does not read {watched.names[near]} near"
