"""Sizes of cases by name: `sizes` of meshes and of the parts of overset grids."""

import kinemesh as km
import pytest
from kinemesh import cases, cli
from kinemesh.cases.casefile import Case
from kinemesh.cases.check import check
from kinemesh.cases.overset_parts import Overset

SIZED = ["cavity", "cavity-spinning", "pitching-naca0012", "plunging-naca0012", "taylor-couette",
         "two-cylinders"]  # fmt: skip
ROD = {"shape": "cylinder", "nodes": 800, "far_field": 1.0, "sizes": {"coarse": {"nodes": 600}}}
BACK = {"box": [-6, 8, -6, 6], "core": [-1, 2, -1, 1], "spacing": 0.1, "sizes": {"coarse": {}}}


def case(rod=None, back=None):
    return Case.from_dict(
        {
            "name": "x",
            "mode": "unsteady",
            "method": "incompressible",
            "flow": {"reynolds": 100},
            "parts": {"rod": ROD if rod is None else rod, "back": BACK if back is None else back},
            "run": {"time_step": 0.1, "steps": 2, "device": "cpu"},
        }
    )


def test_each_part_takes_the_size_that_its_sizes_state():
    made = case().replace(nodes="coarse").mesh.parts

    assert made["rod"].mesh.nodes == 600
    assert made["back"].mesh.spacing == 0.1
    assert [p.mesh.nodes for p in case().replace(nodes="medium").mesh.parts.values()] == [800, None]


RUN = {"cycles": 2, "steps_per_cycle": 80, "sizes": {"coarse": {"steps_per_cycle": 40}}}


def cyclic(**run):
    motion = {"plunge": {"amplitude": 0.1, "k": 0.5}}
    return {
        "name": "x",
        "mode": "unsteady",
        "method": "incompressible",
        "flow": {"reynolds": 100},
        "parts": {"rod": {**ROD, "motion": motion}, "back": BACK},
        "run": RUN | run,
    }


def test_the_run_takes_the_steps_that_its_sizes_state():
    made = Case.from_dict(cyclic())
    steps = [made.replace(nodes=size).job.steps_per_cycle for size in ("coarse", "medium", None)]
    assert steps == [40, 80, 80]
    assert made.replace(nodes="coarse").job.cycles == 2
    assert made.replace(nodes="coarse").job.sizes is None
    assert made.replace(nodes="coarse", steps_per_cycle=20).job.steps_per_cycle == 20
    assert Case.from_dict(made.tables()) == made


def test_steps_that_are_set_count_in_every_size():
    asked = ["run.steps_per_cycle=50"]
    made = cases.load("plunging-naca0012", asked)
    assert made.replace(nodes="coarse").job.steps_per_cycle == 50
    assert made.replace(nodes="fine").job.steps_per_cycle == 50
    other = cases.load("plunging-naca0012", ["run.cycles=1"]).replace(nodes="coarse").job
    assert (other.cycles, other.steps_per_cycle) == (1, 400)
    last = cases.load("plunging-naca0012", ["run.sizes.coarse.steps_per_cycle=60"])
    assert last.replace(nodes="coarse").job.steps_per_cycle == 60


@pytest.mark.parametrize(
    ("sizes", "told"),
    [
        (3, r"\[run\] sizes = 3, expected tables coarse and fine, such as coarse = \{ steps"),
        ({"medium": {}}, r"\[run\] sizes has medium, which are the keys as \[run\] has them"),
        ({"fine": {"device": "cpu"}}, r"\[run\] sizes.fine: unknown key 'device'"),
        ({"fine": {"steps_per_cycle": 2}}, r"\[run\] steps_per_cycle = 2, .* \(sizes.fine\)"),
    ],
)
def test_sizes_of_the_run_that_make_no_steps_are_refused_where_the_case_is_read(sizes, told):
    with pytest.raises(km.CaseError, match=told):
        Case.from_dict(cyclic(sizes=sizes))


def test_a_steady_case_has_no_steps_of_a_size():
    with pytest.raises(km.CaseError, match=r"is steady, so \[run\] sizes has no meaning"):
        cases.load("naca0012-subsonic", ["run.sizes.coarse.steps=3"])


def test_a_size_is_not_taken_of_another_size():
    made = case().replace(nodes="coarse")
    with pytest.raises(km.CaseError, match=r"\[parts.rod\] states no sizes"):
        made.replace(nodes="medium")


def test_sizes_are_written_with_the_tables_of_a_case():
    assert Case.from_dict(case().tables()) == case()
    assert case().tables()["parts"]["rod"]["sizes"] == {"coarse": {"nodes": 600}}


def test_a_mesh_without_sizes_goes_by_the_number_of_nodes():
    assert cases.load("cylinder").replace(nodes="medium").mesh.nodes == 24_000


def plain(**mesh):
    table = {"name": "x", "mode": "steady", "mesh": mesh, "flow": {"mach": 0.5}}
    return Case.from_dict(table)


FILED = {"file": "m.su2", "walls": ["a"], "far": ["b"]}
BOXED = {"box": [0, 1, 0, 1], "core": [0, 1, 0, 1], "spacing": 0.1}


@pytest.mark.parametrize(
    ("mesh", "size", "told"),
    [
        (BOXED, "fine", r"has a box and no size fine; give --set mesh\.spacing=\S+, or state "
                        r"\[mesh\.sizes\] fine = \{ spacing = \S+ \}$"),
        (BOXED, "medium", r"no size medium; .* state \[mesh\.sizes\] of others: "
                          r"medium is what the case states$"),
        (BOXED, "huge", "^nodes = 'huge', expected one of coarse, medium, fine$"),
        (BOXED, 5000, "has a box, so nodes has no meaning; its size is spacing$"),
        (FILED, "fine", "has a file and no size fine: its nodes are as they are; give another m"),
        (FILED, 5000, "has a file, so nodes has no meaning; remove it$"),
    ],
)  # fmt: skip
def test_a_size_of_what_is_not_made_of_a_number_of_nodes_says_what_would_do(mesh, size, told):
    with pytest.raises(km.CaseError, match=told):
        plain(**mesh).replace(nodes=size)


@pytest.mark.parametrize(
    ("mesh", "told"),
    [(BOXED, r"such as coarse = \{ spacing = \S+ \}$"), (FILED, r"such as coarse = \{\}$")],
)
def test_the_example_of_a_size_is_of_the_source(mesh, told):
    with pytest.raises(km.CaseError, match=told):
        plain(**mesh, sizes=3)


@pytest.mark.parametrize(
    ("rod", "told"),
    [
        ({"sizes": None}, r"\[parts.rod\] states no sizes, so there is no size fine of it; give "
                          r"\[parts.rod.sizes\] fine"),
        ({}, r"\[parts.rod\] has no size fine, expected one of coarse, medium; state sizes.fine"),
    ],
)  # fmt: skip
def test_a_size_that_a_part_does_not_state_is_refused(rod, told):
    with pytest.raises(km.CaseError, match=told):
        case(ROD | rod).replace(nodes="fine")


@pytest.mark.parametrize(
    ("sizes", "told"),
    [
        (3, r"\[parts.rod\] sizes = 3, expected tables coarse and fine"),
        ({"coarser": {}}, r"\[parts.rod\] sizes: unknown key 'coarser'; did you mean 'coarse'"),
        ({"medium": {}}, r"\[parts.rod\] sizes has medium, which are the keys as .* remove it"),
        ({"fine": 9}, r"\[parts.rod\] sizes.fine = 9, expected a table of keys"),
        ({"fine": {"nods": 9}}, r"\[parts.rod\] sizes.fine: unknown key 'nods'; did you mean"),
        ({"fine": {"spacing": 9}}, r"\[parts.rod\] sizes.fine: unknown key 'spacing'; did you"),
        ({"fine": {"nodes": 9}}, r"\[parts.rod\] nodes = 9, expected an integer .* \(sizes.fine\)"),
    ],
)
def test_sizes_that_make_no_mesh_are_refused_where_the_case_is_read(sizes, told):
    with pytest.raises(km.CaseError, match=told):
        case(ROD | {"sizes": sizes})


@pytest.mark.long
def test_size_is_an_option_of_cases_of_parts(capsys, undrawn, tmp_path):
    words = ["check", "two-cylinders", "--quiet", "--no-preflight", f"--out={tmp_path / 'x'}"]

    assert cli.main([*words, "--size", "coarse"]) == 0
    assert "parts left, right, back; 28025 nodes" in capsys.readouterr().out
    assert cli.main([*words, "--nodes", "900"]) == 2
    assert "nodes: the case has parts left, right, back" in capsys.readouterr().err


@pytest.mark.long
@pytest.mark.parametrize("name", SIZED)
def test_the_coarse_size_of_a_ready_case_is_checked_without_a_warning(name):
    """Receptors with field donors, cells of like size, over the whole motion."""
    ready = cases.load(name, ["run.device=cpu"])
    report = check(ready.replace(nodes="coarse"))

    assert {state for _, state, _ in report.rows} == {"ok"}, str(report)


@pytest.mark.slow
@pytest.mark.parametrize("name", SIZED)
def test_the_fine_size_of_a_ready_case_is_checked_without_a_warning(name):
    ready = cases.load(name, ["run.device=cpu"])
    report = check(ready.replace(nodes="fine"))

    assert {state for _, state, _ in report.rows} == {"ok"}, str(report)


@pytest.mark.parametrize("name", cases.names())
def test_every_ready_case_of_parts_has_all_sizes(name):
    ready = cases.load(name)
    if isinstance(ready.mesh, Overset):
        made = [ready.replace(nodes=size).mesh for size in ("coarse", "medium", "fine")]
        assert made[0] != made[1] != made[2]
