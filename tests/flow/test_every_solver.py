"""Every solver of the registry: a stream stays uniform, conservation, order (every_solver.py)."""

import kinemesh as km
import pytest
from every_solver import claims, sample_of
from kinemesh.flow import registry
from solver_cases import on_devices, registered
from tenants.test_on_cells import OnCells

pytestmark = pytest.mark.flow


def marks(dimensions, claim):
    """Orders in space are measured on three meshes each: half of the time of all claims."""
    return [pytest.mark.long] if dimensions == 3 and claim == "order" else []


EACH = [
    pytest.param(line.name, dimensions, claim, id=f"{line.name}-{dimensions}-{claim}",
                 marks=marks(dimensions, claim))
    for line in registry.SOLVERS
    for dimensions in line.dimensions
    for claim in claims(line)
]  # fmt: skip


@on_devices
@pytest.mark.parametrize(("name", "dimensions", "claim"), EACH)
def test_each_solver_holds(name, dimensions, claim, device):
    claims(registry.named(name))[claim](dimensions, device)


@pytest.mark.parametrize("claim", ["uniform, rigid", "conserved", "order"])
def test_a_line_more_inherits_the_claims(claim, monkeypatch):
    """By the tenant of cells, with no sample of its own."""
    line = registered(monkeypatch, OnCells)

    claims(line, order=1)[claim](2)


def test_a_solver_of_first_order_is_not_taken_for_one_of_second(monkeypatch):
    line = registered(monkeypatch, OnCells)

    with pytest.raises(AssertionError):
        claims(line)["order"](2)


class Strange(km.Ale):
    method, family = "strange", "of its own"


def test_a_solver_of_a_new_family_is_asked_for_a_sample(monkeypatch):
    line = registered(monkeypatch, Strange)

    with pytest.raises(AssertionError, match=r"'strange' is of .*'of its own'.* give a sample"):
        sample_of(line, 2, "cpu")
