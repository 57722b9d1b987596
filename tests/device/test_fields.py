"""Kernels take their fields by name; recordings that others follow stay true."""

import numpy as np
import pytest
from kinemesh.device.fields import Fields
from kinemesh.device.followed import Followed


def test_a_kernel_takes_its_fields_by_name(double):
    b = double
    old, new = b.array([1.0, 2.0], np.float64), b.zeros(2, np.float64)
    fields = Fields(b, **{"from": old})

    fields.bind("copy_f64", to=new)()

    assert b.get(new).tolist() == [1.0, 2.0]


def test_what_is_given_goes_before_what_is_there(double):
    b = double
    old, other, new = (b.array([k], np.float64) for k in (1.0, 2.0, 0.0))
    fields = Fields(b, **{"from": old, "to": new})

    fields.bind("copy_f64", **{"from": other})()

    assert b.get(new).tolist() == [2.0]


def test_a_field_that_is_nowhere_is_named(double):
    fields = Fields(double, to=double.zeros(1, np.float64), x=1)

    with pytest.raises(KeyError, match="copy_f64 needs from, which is not among to, x"):
        fields.bind("copy_f64")


def test_more_fields_hide_those_that_they_share_and_see_what_comes_later(double):
    fields = Fields(double, u=1, V=2)
    more = fields.also(u=3)

    fields.add(q=4)

    assert (more["u"], more["V"], more["q"], fields["u"]) == (3, 2, 4, 1)
    with pytest.raises(KeyError, match="q is here already"):
        fields.add(q=5)


def test_a_kernel_is_the_one_with_the_first_ending_that_there_is(double):
    space = Fields(double, ("_3d",))

    assert space.kernel("state_past") == space.also(x=1).kernel("state_past") == "state_past_3d"
    assert space.kernel("copy_f64") == "copy_f64"
    assert space.ending(("_5", "_3d")).kernel("state_past") == "state_past_3d"
    assert space.ending(("_5", "_3d")).kernel("block_lower") == "block_lower_5"
    assert Fields(double).kernel("state_past") == "state_past"


def test_what_follows_a_recording_comes_after_it_whenever_it_joined(double):
    b = double
    x, y, z = (b.array([k], np.float64) for k in (1.0, 0.0, 0.0))
    first = Followed(b, [b.bind("copy_f64", **{"from": x, "to": y})])
    first()

    first.follow(b.bind("copy_f64", **{"from": y, "to": z}))
    assert b.get(z) == 1.0  # what is there already is followed at once
    b.put(x, 5.0)
    first()

    assert (b.get(y)[0], b.get(z)[0]) == (5.0, 5.0)
