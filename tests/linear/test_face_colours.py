"""Colours of faces: no volume has two of one colour, however the volumes are connected."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.linear import face_colours
from kinemesh.linear.face_colours import by_colour, check_faces, first_fit
from kinemesh.mesh.cell_faces import cell_faces
from kinemesh.mesh.dual import dual
from solver_cases import disc, square


def fan(spokes=90):
    """Volume 0 with faces to all others, each of which has one to the next."""
    near = np.stack([np.zeros(spokes), np.arange(1, spokes + 1)], axis=1)
    ring = np.stack([np.arange(1, spokes), np.arange(2, spokes + 1)], axis=1)
    return np.concatenate([near, ring]).astype(np.int32), spokes + 1


def tables(mesh, kind):
    own = kind(len(mesh.points), mesh.cells)
    return own.lr, len(own.offsets) - 1


GRAPHS = {
    "duals": lambda: tables(square(9, quads=True), dual),
    "cells": lambda: tables(square(9, quads=True), cell_faces),
    "hub": lambda: tables(disc(8), dual),
    "airfoil": lambda: tables(km.mesh.airfoil("naca0012", nodes=500, far_field=8), cell_faces),
    "fan": fan,  # more colours than bits of a number
    "none": lambda: (np.empty((0, 2), np.int32), 1),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_no_volume_has_two_faces_of_a_colour_and_few_colours_are_enough(name):
    lr, volumes = GRAPHS[name]()
    colours = first_fit(lr, volumes)

    pairs = np.stack([lr, np.broadcast_to(colours[:, None], lr.shape)], axis=-1).reshape(-1, 2)
    assert len(np.unique(pairs, axis=0)) == 2 * len(lr)
    most = np.bincount(lr.ravel(), minlength=1).max()
    assert colours.max(initial=0) + 1 <= max(2 * most - 1, 1)
    for face in np.flatnonzero(colours):  # the smallest that was free
        before = np.isin(lr[:face], lr[face]).any(axis=1)
        assert set(range(colours[face])) <= set(colours[:face][before].tolist())
    assert (check_faces(colours, lr) == colours).all()


def test_faces_that_are_taken_in_parts_have_the_same_colours(monkeypatch):
    lr, volumes = GRAPHS["duals"]()
    whole = first_fit(lr, volumes)
    monkeypatch.setattr(face_colours, "AT_ONCE", 7)

    assert (first_fit(lr, volumes) == whole).all()


def test_numbers_by_colour_keep_the_order_within_one():
    order, place = by_colour(np.array([1, 0, 2, 0, 1], np.int32))

    assert order.tolist() == [1, 3, 0, 4, 2]
    assert place[order].tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(("change", "words"), [
    (lambda c: np.where(np.arange(len(c)) == 1, c[0], c),
     r"volume 0 has two faces of colour 0, expected different ones: 2 such volume"),
    (lambda c: c[:-1], "expected .* integers of at least 0, one for each face"),
    (lambda c: c - 1, "expected .* integers of at least 0, one for each face"),
    (lambda c: c.astype(float), "dtype float64, expected"),
], ids=["twice", "short", "none", "float"])  # fmt: skip
def test_colours_with_a_volume_twice_are_refused(change, words):
    lr, volumes = fan(5)
    colours = first_fit(lr, volumes)

    with pytest.raises(km.SettingsError, match=words):
        check_faces(change(colours), lr)
