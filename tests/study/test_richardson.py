"""Order, extrapolated value and index of values that follow a law, and of Celik's paper."""

from math import log

import pytest
from kinemesh.study.richardson import order_of

NEAR = {"rel": 1e-12}

# Table 1 of Celik, Ghia, Roache, Freitas, Coleman and Raad, J. Fluids Eng. 130 (2008) 078001:
# cells and values of three sizes; p, extrapolated value, e_a, e_ext and index in per cent.
PAPER = [
    ((18000, 8000, 4500), (6.063, 5.972, 5.863), (1.53, 6.1685, 1.5, 1.7, 2.2), False),
    ((18000, 4500, 980), (10.7880, 10.7250, 10.6050), (0.75, 10.8801, 0.6, 0.9, 1.1), False),
    ((18000, 4500, 980), (6.0042, 5.9624, 6.0909), (1.51, 6.0269, 0.7, 0.4, 0.5), True),
]


@pytest.mark.parametrize(("cells", "values", "printed", "oscillatory"), PAPER)
def test_the_three_examples_of_the_paper_come_out_as_printed(cells, values, printed, oscillatory):
    found = order_of(values, [n**-0.5 for n in cells])

    shares = (found.error, found.extrapolated_error, found.index)
    assert round(found.order, 2) == printed[0]
    assert round(found.extrapolated, 4) == printed[1]
    # one digit is printed; of the second example 0.85 as 0.9
    assert [100 * share for share in shares] == pytest.approx(printed[2:], abs=0.06)
    assert found.oscillatory is oscillatory
    assert found.why == ("oscillatory" if oscillatory else "")


@pytest.mark.parametrize("p", [0.6, 1.0, 2.0, 2.9])
@pytest.mark.parametrize("sizes", [(1, 2, 4), (1, 1.5, 2), (0.1, 0.13, 0.9), (1, 3, 3.3)])
def test_values_of_a_power_law_have_its_order_and_its_limit(p, sizes):
    # (0.1, 0.13, 0.9) and such ratios make Celik's own iteration diverge
    found = order_of([0.7 + 0.2 * h**p for h in sizes], sizes)

    assert found.order == pytest.approx(p, **NEAR)
    assert found.extrapolated == pytest.approx(0.7, **NEAR)
    first = 0.2 * sizes[0] ** p
    assert found.uncertainty == pytest.approx(1.25 * first, rel=1e-11)
    assert found.index == pytest.approx(1.25 * first / (0.7 + first), rel=1e-11)
    assert found.extrapolated_error == pytest.approx(first / 0.7, rel=1e-11)
    assert found.oscillatory is False
    assert found.why == ""


def test_the_unit_of_the_sizes_counts_for_nothing():
    values, sizes = [0.5, 0.52, 0.6], [1.0, 1.6, 2.7]

    one, other = order_of(values, sizes), order_of(values, [1e-3 * h for h in sizes])

    assert one.order == pytest.approx(other.order, **NEAR)
    assert one.extrapolated == pytest.approx(other.extrapolated, **NEAR)


def test_differences_that_grow_have_no_order_where_celik_s_absolute_value_gives_one():
    found = order_of([1.0, 1.2, 1.3], [1, 2, 4])

    assert found.order is found.extrapolated is found.index is found.uncertainty is None
    assert found.why == "differences do not fall with the size of the cells"
    assert found.error == pytest.approx(0.2)


@pytest.mark.parametrize(("ratio", "falls"), [(0.99, False), (1.02, True)])
def test_the_limit_is_differences_as_the_logarithms_of_the_ratios(ratio, falls):
    e32 = 0.1 * ratio * log(2.0) / log(1.5)

    found = order_of([1.0, 1.1, 1.1 + e32], [1, 1.5, 3])

    assert (found.order is not None) is falls


def test_an_oscillation_that_grows_has_no_order():
    found = order_of([1.0, 1.2, 1.1], [1, 2, 4])

    assert found.order is None
    assert found.oscillatory
    assert found.why == "oscillatory; differences do not fall with the size of the cells"


@pytest.mark.parametrize(("noise", "known"), [(0.004, True), (0.006, False)])
@pytest.mark.parametrize("e32", [0.01, -0.01])
def test_values_within_their_noise_have_no_order(noise, known, e32):
    values = [1.0, 1.0 + e32 / 4, 1.0 + 5 * e32 / 4]

    for at in range(3):
        each = [0.0, 0.0, 0.0]
        each[at] = noise * (0.5 if at < 2 else 2)
        found = order_of(values, [1, 2, 4], each)
        assert (found.order is not None) is known
        assert (found.why == "values equal to within the convergence of the runs") is not known


@pytest.mark.parametrize("noise", [(0.25, 0, 0), (0.125, 0.125, 0), (0, 0.25, 0), (0, 0, 1)])
def test_a_difference_as_large_as_its_noise_has_no_order(noise):
    values, sizes = [1.0, 1.25, 2.25], [1, 2, 4]

    at, below = (order_of(values, sizes, [share * n for n in noise]) for share in (1, 1 - 1e-15))

    assert at.order is None
    assert below.order == pytest.approx(2, **NEAR)


def test_equal_values_have_no_order():
    found = order_of([0.3, 0.3, 0.3], [1, 2, 4])

    assert found.order is None
    assert "equal to within" in found.why


@pytest.mark.parametrize(("p", "far"), [(0.3, True), (1.0, False), (4.0, True)])
def test_an_order_far_from_the_scheme_s_is_told(p, far):
    found = order_of([1 + 0.1 * h**p for h in (1, 2, 4)], [1, 2, 4])

    assert found.order == pytest.approx(p, rel=1e-11)
    assert (found.why == "far from the order of the scheme: sizes too coarse") is far


def test_a_value_of_zero_has_an_uncertainty_and_no_index():
    found = order_of([0.0, 0.3, 1.5], [1, 2, 4])

    assert found.order == pytest.approx(2.0, **NEAR)
    assert found.index is found.error is None
    assert found.uncertainty == pytest.approx(0.125)
    assert found.extrapolated == pytest.approx(-0.1)
