"""Cylinders on springs that are overset parts of an incompressible flow."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import SettingsError
from test_coupled_water import spring

pytestmark = [
    pytest.mark.flow,
    pytest.mark.filterwarnings("ignore:(member|Reynolds|.*far field|.*overset):RuntimeWarning"),
]
PUSH = {"time_step": 0.1, "steps": 6, "kick": {"shift": 0.05}}


def parts(at=(0.0, 0.0)):
    ring = km.mesh.cylinder(700, around=44, wall_spacing=0.04, far_field=1.6, outer="overset")
    back = km.mesh.background((-4, 6, -2.4, 2.4), (-4, 4, -2.4, 2.4), 0.12)
    return {"ring": km.Part(ring, at=at), "back": back}


def water(structure, mesh=None, **changes):
    told = {"reynolds": 100.0, "device": "cpu"} | changes
    return km.Incompressible(mesh or parts(), structure=structure, **told)


@pytest.mark.long
def test_a_part_on_a_spring_has_the_bits_of_its_run_alone_and_goes_on_with_them(tmp_path):
    """A step that is placed anew leaves holes and rims as one that is placed once."""
    each = [spring(0.2), spring(200.0)]
    every = water(each).run(**PUSH).history

    counts = np.array([every.member(m)["sub_iterations"] for m in range(2)])
    assert (counts[0] != counts[1]).any()
    for m, own in enumerate(each):
        alone = water(own).run(**PUSH, out=tmp_path / f"{m}").history
        for column in (name for name in alone.columns if name != "member"):
            np.testing.assert_array_equal(every.member(m)[column], alone[column], err_msg=column)
    water(each[0]).run(**PUSH | {"steps": 3}, out=tmp_path / "left")
    water(each[0]).run(**PUSH, out=tmp_path / "left", resume=True)
    ours, theirs = (tmp_path / name / "history.csv" for name in ("left", "0"))
    assert ours.read_bytes() == theirs.read_bytes()


@pytest.mark.long
def test_a_part_swings_as_one_mesh_does():
    """At rest in a fluid at rest but for the kick: both grids are coarse."""
    one = km.mesh.cylinder(1200, around=40, wall_spacing=0.05, far_field=8.0)
    steps = PUSH | {"steps": 30}
    apart, whole = (water(spring(), mesh).run(**steps).history for mesh in (parts(), one))

    assert apart["q_y"] == pytest.approx(whole["q_y"], abs=0.05 * 0.05)
    assert apart["shift_y"] == pytest.approx(apart["q_y"], abs=1e-5)
    work = np.diff(apart["q_y"]) * (apart["load_y"][1:] + apart["load_y"][:-1]) / 2
    assert np.diff(apart["energy"]) == pytest.approx(work, abs=1e-11 * apart["energy"].max())


def test_of_two_parts_with_walls_the_one_on_the_structure_is_named():
    two = parts() | {"other": parts((0.0, 1.0))["ring"]}
    with pytest.raises(SettingsError, match=r"given for the bodies .*expected one body; say which"):
        water(spring(), two)
