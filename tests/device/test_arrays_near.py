"""Calls tell their kernel and arrays, and which of these they read near."""

import pytest
from kinemesh.device.neighbours import arrays_near, near_of
from samples import place, sample


def same_arrays(found, fields, names):
    return sorted(map(id, found)) == sorted(id(fields[name]) for name in names)


def test_arrays_near_are_those_that_calls_were_bound_to(backend):
    fields = place(backend, sample("eddy_rows"))
    call = backend.bind("eddy_rows", **fields)
    other = backend.bind("copy_state", **place(backend, sample("copy_state")))
    part = backend.part(call, (3, 4))
    recording = backend.record([other, backend.record([part, call])])

    assert (call.kernel, other.kernel) == ("eddy_rows", "copy_state")
    assert all(call.fields[name] is fields[name] for name in call.fields)
    for made in ([call], [part], [recording, call]):
        assert same_arrays(arrays_near(made), fields, ("x", "nt", "eta", "slope_nt"))


def test_of_arrays_that_are_updated_those_on_volumes_are_near(backend):
    fields = place(backend, sample("lusgs_sweep"))

    assert same_arrays(arrays_near([backend.bind("lusgs_sweep", **fields)]), fields, ("q", "du"))
    assert near_of("ale_jacobian") == ["q"]  # and not A, whose blocks are each row's own


def test_an_optional_field_that_is_read_near_may_be_absent_and_others_may_not(backend):
    fields = place(backend, sample("newton_pace"))
    without = backend.bind("newton_pace", **fields | {"mu": None})

    assert same_arrays(arrays_near([backend.bind("newton_pace", **fields)]), fields, ("q", "mu"))
    assert same_arrays(arrays_near([without]), fields, "q")
    with pytest.raises(TypeError, match="newton_pace: q has None, expected an array"):
        backend.bind("newton_pace", **fields | {"q": None})


def test_what_is_read_near_may_be_read_only(host):
    fields = place(host, sample("newton_pace"))
    for name in ("q", "mu"):
        fields[name].setflags(write=False)

    host.bind("newton_pace", **fields)()
