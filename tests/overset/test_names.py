"""The status of a node has one name and one number in C, and those numbers in Python."""

import re
from pathlib import Path

import pytest
from kinemesh.overset import status

KERNELS = Path(__file__).parents[2] / "csrc" / "kernels"
ENTRY = re.compile(r"\b(\w*(?:FIELD|RECEPTOR|COVERED|SOLID)) *= *(-?\d+)")


@pytest.mark.skipif(not KERNELS.exists(), reason="the sources are not there")
def test_the_status_of_a_node_is_named_in_one_header():
    found = {path.name: ENTRY.findall(path.read_text("utf-8")) for path in KERNELS.rglob("*.h")}
    named = {name: entries for name, entries in found.items() if entries}

    assert list(named) == ["names.h"]
    for name, number in named["names.h"]:
        assert getattr(status, name) == int(number)
    assert len(named["names.h"]) == 4
