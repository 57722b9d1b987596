"""Sizes of cells where overset parts end, and of cells at walls beside the Reynolds number."""

import kinemesh as km
import pytest
from overset_parts import background, ring

STEP = {"time_step": 0.02, "steps": 1}
pytestmark = pytest.mark.filterwarnings("ignore:member 0. stopped at its limit")


def parts(growth, around):
    return {
        "body": ring(around=around, layers=16, growth=growth, outer=1.6),
        "back": background(spacing=0.12),
    }


def case(made, **told):
    settings = km.IncompressibleSettings(overlap=1, steady_iterations=1)
    given = {"reynolds": 40, "device": "cpu", "moment_about": (0, 0), "settings": settings}
    return km.Incompressible(made, **(given | told))


def runs(made):
    return (made.steady, lambda: made.run(**STEP))


def test_like_cells_are_taken_in_silence(recwarn):
    made = case(parts(1.0, 48))
    made.run(**STEP)
    made.steady()
    assert not [w for w in recwarn if "times as" in str(w.message)]


@pytest.mark.parametrize("which", [0, 1], ids=["steady", "unsteady"])
def test_cells_five_times_apart_are_a_warning_of_both_runs_and_in_the_summary(which):
    made = case(parts(0.8, 200))
    with pytest.warns(RuntimeWarning, match=r"are 0\.19 times as large as .* expected 1/3 to 3"):
        run = runs(made)[which]()
    assert any("0.19 times as large" in text for text in run.summary["warnings"])


@pytest.mark.filterwarnings("ignore:member 0. the cells at the walls")
@pytest.mark.parametrize("which", [0, 1], ids=["steady", "unsteady"])
def test_cells_fifty_times_apart_are_refused_by_both_runs(which):
    made = case(parts(0.6, 600))
    with pytest.raises(km.OversetError, match=r"are 1/58 of those .* at most 10 times apart"):
        runs(made)[which]()


@pytest.mark.filterwarnings("ignore:member")
def test_a_member_of_such_cells_fails_alone():
    made = case([parts(0.6, 600), parts(1.0, 48)])
    with pytest.warns(RuntimeWarning, match="at most 10 times apart"):
        run = made.steady()
    assert [row["member"] for row in run.failed] == [0]


def test_wall_cells_too_thick_for_the_reynolds_number_are_told():
    mesh = km.mesh.cylinder(812)
    with pytest.warns(
        RuntimeWarning, match=r"a Reynolds number of 3\.8e\+05.* not resolved"
    ) as said:
        made = km.Incompressible(mesh, reynolds=1e7, device="cpu", moment_about=(0, 0))
    assert str(said[0].message) in made.notes  # which the summary has


def test_wall_cells_of_the_defaults_are_thin_enough_for_laminar_flow(recwarn):
    for nodes in (500, 5000):
        km.Incompressible(km.mesh.airfoil(nodes=nodes), reynolds=1000, device="cpu")
    assert not recwarn.list


# ---------------------------------------------------------------- remedies that name the cause


def over_a_wall(low, body, spacing=0.1):
    box, core = (-6, 6, low, 6), (-2, 2, max(low, -2), 2)
    return {"cyl": body, "back": km.mesh.background(box, core, spacing, walls=["bottom"])}


def test_a_part_that_reaches_behind_a_wall_is_told_the_gap_and_no_larger_background():
    with pytest.raises(km.OversetError) as said:
        case(over_a_wall(-1.0, ring()))
    text = str(said.value)
    # the cylinder's radius is 0.5 and its middle 1 above the wall; two walls need 3 cells each
    assert "behind the walls of 'back'" in text
    assert "the gap between their walls is 0.5 chords" in text
    assert "a smaller 'cyl', which ends within the gap, with cells at most 0.083 across" in text
    assert "a larger 'back'" not in text


def test_a_part_that_reaches_beyond_the_far_field_is_told_a_larger_background():
    with pytest.raises(km.OversetError, match=r"beyond 'back'.*a larger 'back'"):
        case({"cyl": ring(), "back": background(half=1.2)})


@pytest.mark.parametrize("outer", [1.3, 2.0])
def test_a_background_too_coarse_for_a_fine_part_is_the_one_that_is_named(outer):
    fine = ring(outer=outer, layers=40, growth=1.0, around=100)
    with pytest.raises(km.OversetError, match="those of 'back' are the largest"):
        case({"cyl": fine, "back": background(spacing=0.6, core=3.5)})
