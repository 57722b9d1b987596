"""Flows of two trees beside each other: which are marked."""

import importlib.util
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[1] / "tools" / "marches.py"
pytestmark = pytest.mark.no_sanitizer


@pytest.fixture(scope="module")
def marches():
    spec = importlib.util.spec_from_file_location("marches", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def row(iterations, converged=True):
    return {"iterations": iterations, "converged": converged}


@pytest.mark.parametrize(
    ("one", "other", "sign"),
    [
        (row(100), row(150), " "),
        (row(100), row(151), "*"),
        (row(151), row(100), "*"),
        (row(100), row(600, False), "!"),
        ({"converged": False, "error": "diverged"}, row(100), "!"),
        (row(600, False), row(600, False), " "),
    ],
)
def test_flows_of_one_tree_alone_are_marked(marches, one, other, sign):
    assert marches.mark(one, other) == sign


def test_every_flow_has_a_name_of_its_own(marches):
    names = [name for name, *_ in marches.flows()]
    assert len(names) == len(set(names)) == 80
