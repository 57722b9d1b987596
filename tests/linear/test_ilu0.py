"""Springs by Ma et al.'s recipe: BiCGSTAB with cuSPARSE's ILU(0) in the order of the mesh.

A stand-in for cuSPARSE shows on a CPU that all around it is right; a GPU has the real one.
"""

import tomllib
from types import SimpleNamespace

import kinemesh as km
import numpy as np
import pytest
from kinemesh.cases.casefile import Case
from kinemesh.deform import TorsionalSprings, springs
from kinemesh.device.backend import Backend
from kinemesh.linear import natural
from kinemesh.linear.natural import Ilu0, natural_csr, open_library, scalar_pattern
from scipy import sparse
from scipy.sparse.linalg import splu
from solver_cases import case_text, mover_of, turned

ILU0 = TorsionalSprings(solver="ilu0")


class Direct:
    """Stand-in for cuSPARSE on arrays of the host: solves directly, to the required tolerance.

    Attributes
    ----------
    solves : list of (tolerance, most, |b|)
    """

    def __init__(self):
        self.solves, self.factored = [], None

    def sparse_create(self, row, column, A, LU):
        assert A.size == LU.size == row[-1] == len(column)
        return row, column, A

    def sparse_factor(self, there):
        row, column, A = there
        self.factored = splu(sparse.csr_array((A.ravel(), column, row)).tocsc())
        return -1

    def sparse_bicgstab(self, there, b, x, tolerance, most):
        """Leaves a residual of 0.9 of the tolerance, the same share of b everywhere."""
        self.solves.append((tolerance, most, np.linalg.norm(b)))
        if most < 20:
            return most, 0.5
        x[...] = (1 - 0.9 * tolerance) * self.factored.solve(b.ravel()).reshape(x.shape)
        return 20, 0.9 * tolerance


@pytest.fixture
def direct(monkeypatch):
    """The stand-in, where cuSPARSE is looked for."""
    there = Direct()
    monkeypatch.setattr(natural, "open_library", lambda backend: there)
    monkeypatch.setattr(springs, "open_library", lambda backend: there)
    return there


@pytest.fixture(params=["cpu", "cuda"])
def device(request):
    """A CPU with the stand-in, and a GPU with cuSPARSE."""
    if request.param == "cpu":
        request.getfixturevalue("direct")
        return "cpu"
    try:
        open_library(Backend("cuda"))
    except km.DeviceError as error:
        pytest.skip(f"no cuSPARSE: {error}")
    return "cuda"


@pytest.fixture(scope="module")
def mesh():
    return km.mesh.airfoil("naca0012", nodes=1000)


# ---------------------------------------------------------------- refused before a run


def test_a_cpu_is_refused_with_what_to_do(mesh, monkeypatch):
    monkeypatch.setattr("kinemesh.flow.ale.Grid", lambda *_: pytest.fail("a grid was built"))

    with pytest.raises(
        km.DeviceError,
        match=r"springs, solver 'ilu0': cuSPARSE needs an NVIDIA GPU, .* got cpu; or use solver "
        "'multigrid' or 'bicgstab'",
    ):
        km.Ale(mesh, mach=0.5, motion=km.motion.pitch(1.0, 0.1), deform=ILU0, device="cpu")


def test_a_gpu_without_cusparse_is_refused_with_what_was_looked_for(monkeypatch):
    module = SimpleNamespace(sparse_open=lambda place: f"{place}: no such file")
    monkeypatch.setattr(natural, "NAMES", ("libnone.so.1",))

    with pytest.raises(
        km.DeviceError,
        match=r"'ilu0': cuSPARSE is not there: libnone.so.1: no such file; .*install.*'multigrid'",
    ):
        ILU0.check(SimpleNamespace(on_gpu=True, _module=module), 1)


def test_an_ensemble_is_refused(mesh, direct):
    with pytest.raises(
        km.SettingsError, match=r"'ilu0' solves for one member, got 2; use .*multig"
    ):
        km.Ale([mesh, mesh], mach=0.5, deform=ILU0, device="cpu")


def test_springs_that_are_attached_by_hand_are_refused_too(mesh):
    ale = km.Ale(mesh, mach=0.5, device="cpu")

    with pytest.raises(km.DeviceError, match="springs, solver 'ilu0': cuSPARSE needs"):
        ILU0.attach(ale.grid.vertices)


def test_it_is_a_key_of_a_case_file():
    text = case_text().replace('method = "springs"', 'method = "springs"\nsolver = "ilu0"')
    case = Case.from_dict(tomllib.loads(text))

    assert case.deform.build() == ILU0
    with pytest.raises(km.DeviceError, match="springs, solver 'ilu0'"):
        case.build()


def test_an_unknown_solver_is_told_all_three():
    with pytest.raises(km.SettingsError, match="'ilu', expected one of multigrid, bicgstab, ilu0"):
        TorsionalSprings(solver="ilu")


# ---------------------------------------------------------------- the matrix it is given


def test_its_matrix_is_that_of_the_other_solvers_in_the_order_of_the_mesh(mesh, direct):
    _, mine = mover_of(mesh, "cpu", solver="ilu0")
    _, other = mover_of(mesh, "cpu", solver="bicgstab")
    for mover in (mine, other):
        mover.assemble()
    p = other.pattern
    want = natural_csr(p.row, p.column, other.solver.A, p.node)

    mine.solver.factor()

    assert isinstance(mine.solver, Ilu0)
    there = mine.solver.ilu
    np.testing.assert_array_equal(there.row, want.indptr)
    np.testing.assert_array_equal(there.column, want.indices)
    np.testing.assert_array_equal(there.A.ravel(), want.data)


def test_rows_of_numbers_of_two_rows_of_blocks():
    """Blocks (0, 0), (0, 2), (1, 1): rows of 4, 4, 2 and 2 numbers."""
    offsets, column = scalar_pattern(np.array([0, 2, 3]), np.array([0, 2, 1]), 2)

    assert offsets.tolist() == [0, 4, 8, 10, 12]
    assert column.tolist() == [0, 1, 4, 5, 0, 1, 4, 5, 2, 3, 2, 3]

    offsets, column = scalar_pattern(np.array([0, 1]), np.array([0]), 3)

    assert offsets.tolist() == [0, 3, 6, 9]
    assert column.tolist() == [0, 1, 2] * 3


# ---------------------------------------------------------------- what it solves


def test_it_finds_the_mesh_of_multigrid(device):
    """Three steps: the second and third start from what the ones before have left."""
    mesh, tolerance, steps = km.mesh.airfoil("naca0012", nodes=500), 1e-11, 3
    found, allowed = [], 0.0
    for solver in ("ilu0", "multigrid"):
        ale, mover = mover_of(mesh, device, solver=solver, tolerance=tolerance)
        mover.assemble()
        p, get = mover.pattern, ale.backend.get
        matrix = natural_csr(p.row, p.column, get(mover.solver.A), p.node).toarray()
        inverse = np.linalg.norm(np.linalg.inv(matrix))
        for k in range(steps):
            notes = mover.step(lambda share, k=k: [turned(3 * (k + share))])
            # |error| <= |A^-1| |residual|, residual <= tolerance |base| (theory eq. 3.6)
            allowed += inverse * tolerance * np.linalg.norm(get(mover.solver.base))
        assert notes["spring_iterations"] > 0
        found.append(get(ale.grid.x))

    assert np.linalg.norm(found[0] - found[1]) < allowed < 1e-8
    assert np.abs(found[0] - ale.grid.points).max() > 0.05


@pytest.mark.flow
def test_a_run_with_it_has_the_loads_of_one_with_multigrid(mesh, device):
    found = []
    for solver in ("ilu0", "multigrid"):
        ale = km.Ale(
            mesh, mach=0.3, motion=km.motion.pitch(5.0, 0.3), device=device,
            deform=TorsionalSprings(solver=solver, tolerance=1e-11),
        )  # fmt: skip
        rows = ale.run(cycles=0.25, steps_per_cycle=16, start="as is").history
        found.append(np.array([rows[name] for name in ("cl", "cm", "min_area")]))

    # meshes to 1e-8 of the chord, as above; steps of the flow to 1e-4 of their first residual
    np.testing.assert_allclose(found[0], found[1], rtol=1e-4)
    assert np.ptp(found[0][0]) > 0.01


def test_a_body_that_stops_leaves_nothing_to_solve(mesh, device):
    ale, mover = mover_of(mesh, device, solver="ilu0")
    found = []
    for k in range(4):
        before, after = (turned(0.5 * min(n, 2)) for n in (k, k + 1))
        notes = mover.step(lambda share, a=before, b=after: [a if share < 1 else b])
        found.append((notes["spring_iterations"], ale.backend.get(ale.grid.x)))

    assert [n > 0 for n, _ in found] == [True, True, False, False]
    assert (found[3][1] == found[1][1]).all()


def test_it_stops_where_the_other_solvers_do(mesh, direct):
    """The share of |b| that it is asked for is the tolerance of theory eq. 3.6."""
    _, mover = mover_of(mesh, "cpu", solver="ilu0", tolerance=1e-6)
    for k in range(3):
        mover.step(lambda share, k=k: [turned(2 * (k + share))])

        tolerance, most, size = direct.solves[-1]
        base = np.linalg.norm(mover.solver.base)
        assert tolerance * size == pytest.approx(1e-6 * base, rel=1e-12)
        assert most == 2000
    assert size < 0.5 * base  # the last steps' displacements were a good guess


def test_unsolved_in_the_iterations_allowed_is_an_error(mesh, device):
    _, mover = mover_of(mesh, device, solver="ilu0", iterations=7, tolerance=1e-8)

    with pytest.raises(km.NumericalFault, match="member 0: springs not solved to 1e-08 in 7 iter"):
        mover.step(lambda share: [turned(3 * share)])


@pytest.mark.parametrize(
    ("call", "gives", "words"),
    [
        ("sparse_factor", 6, "the pivot of row 6 is zero"),
        ("sparse_bicgstab", (3, np.nan), "broke down within 3 iterations"),
    ],
)
def test_what_fails_names_the_member_and_what_to_do(mesh, direct, call, gives, words):
    setattr(direct, call, lambda *_: gives)
    _, mover = mover_of(mesh, "cpu", solver="ilu0")

    advice = r"try TorsionalSprings\(solver='multigrid'\), or shorter time steps"
    with pytest.raises(km.NumericalFault, match=f"member 0: springs: .*{words}; {advice}"):
        mover.step(lambda share: [turned(3 * share)])


def test_a_mesh_of_no_numbers_is_a_fault(mesh, direct):
    ale, mover = mover_of(mesh, "cpu", solver="ilu0")
    inner = np.flatnonzero(~mover.fixed)[0]
    ale.grid.x[inner] = np.nan

    with pytest.raises(km.NumericalFault, match="residual of the guess is not a number"):
        mover.step(lambda share: [turned(3 * share)])
