"""Coordinate files as they are found: what is left out with a note, and what is refused."""

import gzip

import numpy as np
import pytest
from kinemesh.cases import check
from kinemesh.cases.casefile import Case
from kinemesh.errors import MeshError
from kinemesh.mesh import airfoil, section

CHORDWISE = 0.5 * (1 + np.cos(np.linspace(0, 2 * np.pi, 41)))
Y = 0.6 * np.sign(np.linspace(1, -1, 41)) * np.sqrt(CHORDWISE) * (1 - CHORDWISE) / 2
POINTS = [f" {x:.6f} {y:9.6f}" for x, y in zip(CHORDWISE, Y, strict=True)]  # sharp, symmetric
LIST = "\n".join(POINTS) + "\n"
SIDES = "\n".join(POINTS[20::-1]) + "\n\n" + "\n".join(POINTS[20:]) + "\n"


def stored(folder, text, name="s.dat"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.fixture
def plain(tmp_path):
    """The section of the points alone, under a title."""
    return section(stored(tmp_path, "A section\n" + LIST, "plain.dat"))


def same(one, other):
    u = np.linspace(0, 1, 97)
    return bool((one.points(u) == other.points(u)).all())


def spread(separator):
    return "A section\n" + "".join(f"{separator.join(line.split())}\n" for line in POINTS)


GOOD = {
    "no title": LIST,
    "a name that begins with a number": "2412 NACA\n" + LIST,
    "a name with numbers": "20-32C AIRFOIL\n" + LIST,
    "a name of one number": "0012\n" + LIST,
    "a name that begins with a share": "12.5% CLARK Y\n" + LIST,
    "a name of letters and digits": "S1223\n" + LIST,
    "a name and a thickness": "E168  (12.45%)\n" + LIST,
    "a name and a share": "S2050 8.93%\n" + LIST,
    "a name with points": "D.G.A. 1138\n" + LIST,
    "how many points": "A section\n41\n" + LIST,
    "comments": "# one\n# two\n# three\n# four\n# five\n# six\nA section\n" + LIST,
    "Lednicer": "A section\n 21. 21.\n\n" + SIDES,
    "Lednicer without a title": "21 21\n" + SIDES,
    "tabs": spread("\t"),
    "commas": spread(","),
    "semicolons": spread(";"),
    "decimal commas": spread(" ").replace(".", ","),
    "decimal commas and semicolons": spread(";").replace(".", ","),
    "Fortran's exponents": "A section\n" + LIST.replace("1.000000", "1.000000D+00"),
    "a constant z": "A section\n" + LIST.replace("\n", " 0.1\n"),
    "DOS": ("A section\n" + LIST).replace("\n", "\r\n") + "\x1a",
    "DOS, filled up": ("A section\n" + LIST).replace("\n", "\r\n") + "\x1a\0\0\0",
    "Macintosh": ("A section\n" + LIST).replace("\n", "\r"),
    "a byte order mark": ("A section\n" + LIST).encode("utf-8-sig"),
    "Latin 1": ("Flügel\n" + LIST).encode("latin-1"),
    "Windows": ("A – section …\n" + LIST).encode("cp1252"),
    "UTF-16": ("Flügel\r\n" + LIST).encode("utf-16"),
}


@pytest.mark.parametrize("text", GOOD.values(), ids=GOOD.keys())
def test_a_file_of_each_published_kind_is_the_same_section(tmp_path, plain, text):
    found = section(stored(tmp_path, text))

    assert same(found, plain)
    assert found.notes == plain.notes == ()


def test_a_compressed_file_is_the_same_section(tmp_path, plain):
    found = section(stored(tmp_path, gzip.compress(("A section\n" + LIST).encode()), "s.dat.gz"))

    assert same(found, plain)
    assert found.name == "s"


NOTED = {
    "text after": (
        "A section\n" + LIST + "\nDrawn for a club, 2014\nhttps://example.org/p=12\n",
        r"lines 44 to 45, text after the points, left out: 'Drawn for a club, 2014'",
    ),
    "a year after": (
        "A section\n" + LIST + "1999 by me\n",
        r"line 43, text after the points, left out: '1999 by me'",
    ),
    "a remark on a number after": (
        "A section\n" + LIST + "1.0003->1.00 as the old title had it\n",
        r"line 43, text after the points, left out: '1.0003->1.00 as the old title had it'",
    ),
    "a share after": (
        "A section\n" + LIST + "(15%)\n",
        r"line 43, text after the points, left out: '(15%)'",
    ),
    "a rule after": (
        "A section\n" + LIST + "-----\nend\n",
        r"lines 43 to 44, text after the points, left out: '-----'",
    ),
    "names of columns": (
        "A section\nx/c, y/c\n" + LIST,
        r"line 2, text before the points, left out: 'x/c, y/c'",
    ),
    "the box of a grid": (
        "A section\n-2.0 3.0 -2.5 3.0\n" + LIST,
        r"line 2, the sides of a grid, left out",
    ),
    "an end of the element": (
        "A section\n" + LIST + "999.0 999.0\n",
        r"line 43, which ends the points, left out",
    ),
    "a name of two numbers": ("64 418\n" + LIST, r"line 1, '64 418', taken for a title"),
    "such a name of Lednicer's": (
        "64 418\n21. 21.\n" + SIDES,
        r"line 1, '64 418', taken for a title",
    ),
}


@pytest.mark.long
@pytest.mark.parametrize(("text", "note"), NOTED.values(), ids=NOTED.keys())
def test_lines_left_out_are_noted(tmp_path, plain, text, note):
    path = stored(tmp_path, text)

    found = section(path)

    assert same(found, plain)
    assert found.notes == (f"{path}: {note}",)
    assert airfoil(path, 600).origin.notes == found.notes


@pytest.mark.parametrize("first", ["0.000010 0.000000", "-0.000010 0.000005", "0.0 -0.00001"])
def test_noses_of_both_sides_that_differ_by_a_digit_are_one_point(tmp_path, plain, first):
    sides = SIDES.split("\n\n")
    lower = "\n".join([first, *sides[1].split("\n")[1:]])
    found = section(stored(tmp_path, "A section\n21. 21.\n\n" + sides[0] + "\n" + lower))

    u = np.linspace(0, 1, 97)
    assert np.abs(found.points(u) - plain.points(u)).max() < 3e-5
    assert "sides that begin 1" in found.notes[0]
    assert "apart at the nose begin in the middle" in found.notes[0]


@pytest.mark.parametrize("place", [20, 24])
def test_counts_of_lists_that_end_elsewhere_are_refused_with_the_lists_own(tmp_path, place):
    """Counts 21 and 23 of lists of 23 and 21 points, as one published file has them."""
    found = "the first list ends at x = 1 in line 23 after 21 points, and the second has 21"
    for counts in (f"{place} {42 - place}", f"{place}. {place}.", "1e1 9."):
        text = f"A section\n{counts}\n" + SIDES.replace("\n\n", "\n")
        with pytest.raises(MeshError, match=rf"line 2: .* announced.*{found}: expected 21 21"):
            section(stored(tmp_path, text))


def test_check_says_which_lines_were_left_out(tmp_path):
    stored(tmp_path, "A section\n" + LIST + "Drawn for a club\n", "club.dat")
    case = tmp_path / "c.toml"
    case.write_text(
        'name = "c"\nmode = "steady"\n[mesh]\ncoordinates = "club.dat"\nnodes = 600\n'
        "[flow]\nmach = 0.3\n"
    )

    report = check.check(Case.read(case))

    assert "text after the points, left out: 'Drawn for a club'" in str(report)


DAMAGED = [
    "1.000000 ********", "1.000000********", "******** 0.000000", "******** ********", "l.0 0.0",
    "0.5O 0.1", "1.000000", "1", "0.5 nan", "nan nan", "0.5 0.1 0.2 0.3", "0.5 -", "-", "0.5 abc",
    "O.5 O.1", "0.5 ......", "1.0 **** at the upper edge",
]  # fmt: skip


@pytest.mark.parametrize("damaged", DAMAGED)
@pytest.mark.parametrize("title", ["", "A section\n", "A section\n41\n"])
@pytest.mark.parametrize("place", [0, 1, 20, 40])
def test_a_point_with_damage_is_refused_with_its_line(tmp_path, damaged, title, place):
    text = title + "\n".join([*POINTS[:place], damaged, *POINTS[place + 1 :]]) + "\n"
    line = title.count("\n") + place + 1
    if title.count("\n") == 2 and place == 0:
        line = rf"(?:2|{line})"  # the count, which is no longer right, stands before it

    with pytest.raises(MeshError, match=rf"s\.dat, line {line}: .*, expected x y"):
        section(stored(tmp_path, text))


REFUSED = {
    "three such lines": ("1.0 ****\n0.99 ****\n0.98 ****\n" + LIST, r"line 1: '1.0 \*\*\*\*'"),
    "many lines of text": (
        "".join(f"words {k}x\n" for k in "abcdefgh") + LIST,
        r"line 6: 'words fx', expected x y: there are 5 lines of text before it",
    ),
    "another count": ("A section\n42\n" + LIST, r"line 2: '42', .* how many points there are, 41"),
    "text between": (
        "\n".join(["A section", *POINTS[:20], "lower side", *POINTS[20:]]),
        r"line 22: 'lower side', expected x y: points go on in line 23",
    ),
    "a box beside the section": (
        "A section\n1.0 0.0 0.99 0.001\n" + LIST,
        r"line 2: .*expected x y, or the sides of a grid about the section",
    ),
    "a z that varies": (
        "A section\n" + "".join(f"{line} {k}\n" for k, line in enumerate(POINTS)),
        r"line 3: .*or x y z with z = 0 as elsewhere",
    ),
    "a z of its own in the first line": (
        "A section\n" + LIST.replace("\n", " 0.1\n").replace("0.1\n", "0.2\n", 1),
        r"line 2: .*or x y z with z = 0.1 as elsewhere",
    ),
    "three numbers in the first line": (
        "A section\n" + LIST.replace("\n", " 0.0\n", 1),
        r"line 2: .*expected x y: it has 3 numbers, lines from 3 on 2",
    ),
    "three numbers in two lines": (
        "A section\n" + LIST.replace("\n", " 0.0\n", 2),
        r"line 2: .*expected x y: it has 3 numbers, lines from 4 on 2",
    ),
    "counts of three": (
        "A section\n21 21 0\n\n" + SIDES,
        r"line 2: '21 21 0', expected x y: it has 3 numbers, lines from 4 on 2",
    ),
    "two elements": (
        "A section\n" + LIST + "999.0 999.0\n" + LIST,
        r"line 43: '999.0 999.0' and 41 points of other elements, expected one section",
    ),
    "counts that do not fit": ("22 21\n" + SIDES, r"line 1: 22 \+ 21 points announced, 42 found"),
    "text after the end": ("A section\n" + LIST + "\x1aand more", r"line 43: text after DOS's end"),
    "a binary file": (b"A section\n\x01\x02" + LIST.encode(), r"line 2: byte 0x01, expected text"),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_lines_that_cannot_be_left_out_are_refused(tmp_path, text, message):
    with pytest.raises(MeshError, match=message):
        section(stored(tmp_path, text))
