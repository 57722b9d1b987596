"""Channels of case files: [mesh] channel."""

import kinemesh as km
import pytest
from kinemesh.cases import build
from kinemesh.cases.casefile import Case
from kinemesh.errors import KinemeshError

ENDS = {
    "inlet": {"kind": "inlet", "total_pressure": 1.0},
    "outlet": {"kind": "outlet", "pressure": 0.9},
    "upper": "symmetry",
    "lower": "symmetry",
}


def case(walls, **more):
    mesh = {"channel": walls, "boundaries": ENDS, **more}
    return Case.from_dict({"name": "c", "mode": "steady", "mesh": mesh, "flow": {"mach": 0.3}})


def test_a_case_file_has_the_channel_of_its_table():
    points = [[0.0, 1.0], [2.0, 0.8], [4.0, 1.0]]
    made = case({"upper": points, "lower": -0.1}, along=21, across=5, cells="triangles")

    own = km.mesh.channel(points, lower=-0.1, along=21, across=5, cells="triangles")
    assert (build.mesh(made.mesh).points == own.points).all()
    assert (build.mesh(made.mesh).triangles == own.triangles).all()
    assert Case.from_dict(made.tables()).mesh == made.mesh
    assert len(made.changed(["mesh.channel.lower=-0.2"]).build().grid.patches["inlet"]) == 5


@pytest.mark.parametrize(
    ("walls", "more", "said"),
    [
        ("nozzle", {}, r"\[mesh\] channel = 'nozzle', expected a table such as"),
        ({"lower": 0.0}, {}, r"\[mesh\.channel\] lacks upper"),
        ({"uppr": 1.0}, {}, "unknown key 'uppr'; did you mean 'upper'"),
        ({"upper": "a"}, {}, r"upper = 'a', expected a finite number, or points \[\["),
        ({"upper": 1.0, "length": [2.0]}, {}, r"length = \[2\.0\], expected a finite number"),
        ({"upper": 1.0, "length": True}, {}, "length = True, expected a finite number"),
        ({"upper": 1.0, "length": 2.0}, {"across": 2}, "across = 2, expected an integer of at le"),
        ({"upper": 1.0, "length": 2.0}, {"around": 50}, "a channel, so around has no meaning"),
        ({"upper": [[0.0, 1.0], [1.0, 0.0]]}, {}, r"\[mesh\]: channel: its walls cross at x = 1"),
    ],
)
def test_channels_of_case_files_without_meaning_are_refused(walls, more, said):
    with pytest.raises(KinemeshError, match=said):
        case(walls, **more).build()
