"""Tables of other programs: what stands in the file is what is read, by name."""

import pytest
from kinemesh.errors import CaseError
from kinemesh.io import text_table

COMMAS = "# measured\ntime, cl,cm\n0,1,2\n1,3,4\n"
SEMICOLONS = "time;cl;cm\n0;1;2\n\n1;3;4\n"
BLANKS = "time  cl\tcm\n0 1 2\n 1 3 4 \n"
QUOTED = '"time" , "cl"  ,  "cm"\n 0, 1, 2,\n 1, 3, 4,\n'
TECPLOT = 'TITLE = "SU2"\nVARIABLES = "time","cl","cm"\nZONE T= "history"\n0,1,2\n1,3,4\n'
HASH = "# Force coefficients\n# rhoRef : 1\n#\n# time\tcl cm\n0\t1\t2\n1\t3\t4\n"
PERCENT = "% time cl cm\n0 1 2\n1 3 4\n"


@pytest.mark.parametrize("text", [COMMAS, SEMICOLONS, BLANKS, QUOTED, TECPLOT, HASH, PERCENT])
def test_a_table_is_read_however_its_entries_are_parted(text):
    found = text_table.parse(text.splitlines(), "file")

    assert {name: values.tolist() for name, values in found.items()} == {
        "time": [0, 1], "cl": [1, 3], "cm": [2, 4]
    }  # fmt: skip


FORCE = """# Force
# CofR : (0 0 0)
# Time \t(total_x total_y total_z) \t(pressure_x pressure_y pressure_z)
0.1\t(1 2 3)\t(4 5 6)
"""
OLD = """# Forces
# Time       \tforces(pressure viscous) moment(pressure viscous)
0.1 \t((1 2 3) (4 5 6)) ((7 8 9) (10 11 12))
"""
COEFFICIENT = "# Time\tCd\tCd(f)\tCl\tCl(r)\n0.1\t1\t2\t3\t4\n"


def test_forces_of_openfoam_have_a_column_for_each_component():
    new, old = (text_table.parse(text.splitlines(), "f") for text in (FORCE, OLD))

    assert list(new) == ["Time", *(f"{p}_{a}" for p in ("total", "pressure") for a in "xyz")]
    assert new["pressure_y"].tolist() == [5]
    assert old["forces_viscous_x"].tolist() == [4]
    assert old["moment_pressure_z"].tolist() == [9]
    assert len(old) == 13


def test_names_may_have_brackets():
    found = text_table.parse(COEFFICIENT.splitlines(), "f")

    assert list(found) == ["Time", "Cd", "Cd(f)", "Cl", "Cl(r)"]
    assert found["Cl(r)"].tolist() == [4]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no row of numbers"),
        ("time,cl\n", "no row of numbers"),
        ("0,1\n1,2\n", "no names of columns"),
        ("time,cl\n0,1\n1,x\n", "line 3: '1,x', expected numbers"),
        ("time,cl\n0,1\n1\n", "line 3 has 1 numbers, the lines before 2.*cut short"),
        ("time,cl,cm\n0,1\n", "3 names .* over 2 columns"),
        ("time,cl,cl\n0,1,2\n", "two columns have the name 'cl'"),
        ("time,cl\n0,1\nZone 2\n", "line 3"),
    ],
)
def test_what_is_no_table_is_refused_with_its_line(text, said):
    with pytest.raises(CaseError, match=f"f: {said}"):
        text_table.parse(text.splitlines(), "f")


def test_a_file_that_is_not_there_or_not_text_is_refused(tmp_path):
    with pytest.raises(CaseError, match="cannot read"):
        text_table.read(tmp_path / "no.csv")
    (tmp_path / "a.csv").write_bytes(b"\0\1\2")
    with pytest.raises(CaseError, match="not a text file"):
        text_table.read(tmp_path / "a.csv")
