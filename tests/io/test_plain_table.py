"""Tables without pandas: rows that read as a table, columns that are plain arrays."""

import pickle

import numpy as np
import pytest
from kinemesh.io.plain_table import ENDS, LONG, MOST, WIDE, PlainTable


def table(rows=2, **more):
    columns = {
        "member": np.arange(rows),
        "alpha_deg": np.linspace(-2.0, 4.0, rows),
        "cl": np.full(rows, -0.123456789),
        "converged": np.ones(rows, bool),
    } | {name: np.array([value] * rows) for name, value in more.items()}
    found = np.empty(rows, [(name, values.dtype) for name, values in columns.items()])
    for name, values in columns.items():
        found[name] = values
    return found.view(PlainTable)


def test_a_table_prints_names_over_aligned_columns():
    made = table()
    made["cl"] = [-0.123456789, 0.5]

    expected = [
        "member  alpha_deg        cl  converged",
        "0              -2  -0.12346       True",
        "1               4       0.5       True",
    ]
    assert repr(made).splitlines() == str(made).splitlines() == expected
    assert repr(made[["member", "cl"]]).splitlines()[0] == "member        cl"


def test_columns_and_scalars_are_those_of_numpy():
    made = table()
    assert type(made["alpha_deg"]) is np.ndarray
    assert repr(made["alpha_deg"]) == "array([-2.,  4.])"
    assert made[1].tolist()[:2] == (1, 4.0)
    assert type(made[:1]) is PlainTable
    again = pickle.loads(pickle.dumps(made))
    assert type(again) is PlainTable
    assert repr(again) == repr(made)
    assert repr(made.reshape(1, 2)).startswith("array([[(")


@pytest.mark.parametrize(("rows", "lines"), [(MOST, MOST + 1), (MOST + 1, 2 * ENDS + 3)])
def test_of_many_rows_the_ends_are_shown(rows, lines):
    made = table(rows)
    told = repr(made).splitlines()

    assert len(told) == lines
    assert (told[0] == f"{rows} rows") is (rows > MOST)
    assert told[-1].split()[0] == str(rows - 1)
    assert made._repr_html_().count("<tr>") == lines - (rows > MOST)


@pytest.mark.parametrize(("last", "blocks"), [(WIDE - 74, 1), (WIDE - 73, 2)])
def test_columns_that_do_not_fit_into_a_line_stand_below(last, blocks):
    """Columns before take 38 + 2 characters, and 32 + 2 with the first text."""
    made = table(first="x" * 32, last="y" * last)
    told = repr(made).split("\n\n")

    assert len(told) == blocks
    assert max(map(len, repr(made).splitlines())) <= WIDE
    assert "y" * last in told[-1]


@pytest.mark.parametrize(("length", "shown"), [(LONG, "z" * LONG), (LONG + 1, "z" * 37 + "...")])
def test_long_texts_are_cut(length, shown):
    made = table(cause="z" * length)

    assert repr(made).splitlines()[-1].split()[-1] == shown
    assert f"<td>{shown}</td>" in made._repr_html_()
    assert made["cause"][0] == "z" * length


def test_a_table_without_rows_has_its_names():
    assert repr(table(0)) == "member  alpha_deg  cl  converged"
